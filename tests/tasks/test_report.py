"""The pictures of tasks that have one of their own."""

import numpy as np
import pytest

import tasks
from tasks.report import figures
from tasks.report.report import heads_of, memory_after, memory_layers, write_report
from tasks.runs.run import create_run

SMALL = {
    "associative-recall": tasks.AssociativeRecall(
        num_bits=2, item_length=1, max_items=3
    ),
    "dynamic-ngrams": tasks.DynamicNGrams(context=1, num_steps=6),
    "priority-sort": tasks.PrioritySort(num_bits=2, num_vectors=4, num_outputs=2),
    "repeat-copy": tasks.RepeatCopy(num_bits=2, max_length=2, max_repeats=2),
}


@pytest.mark.parametrize("name", sorted(SMALL))
def test_every_task_has_a_report(name, tmp_path, tiny):
    task = SMALL[name]
    run = create_run(tmp_path, task, tiny, tasks.TrainingConfig())
    row = {"epoch": 1, "sequences": 3, "seconds": 1, "loss": 1, "skipped": 0}
    row["taken_back"] = 0
    run.write_history([row | {"bits_per_sequence": 2, "bit_errors": 1}])
    path, results = write_report(run, tiny.build(task))
    assert [r.size for r in results] == [at.sizes for at in task.eval_tasks]
    drawn = {picture.stem for picture in (tmp_path / "figures").glob("*.png")}
    assert {"learning", "sizes", "memory"} <= drawn
    assert ("write-locations" in drawn) == (name == "priority-sort")
    page = path.read_text()
    assert all(f"<td>{r.size}</td>" in page for r in results)


def test_heads_are_those_of_the_layer(tiny):
    model = tiny.build(tasks.Copy(2, 1, 3))
    inputs = tasks.Copy(2, 3, 3).sample(1, 0).inputs
    (layer,) = memory_layers(model)
    state = layer.trace(inputs)
    write, read = heads_of(layer, inputs)
    assert (write.title, write.vectors_title) == ("write head", "adds")
    np.testing.assert_allclose(write.weighting, state.weightings[0][:, 1], atol=1e-6)
    np.testing.assert_allclose(read.vectors, state.reads[0][:, 0], atol=1e-6)
    np.testing.assert_allclose(
        np.asarray(read.weighting)[-1] @ np.asarray(state.memory)[0, -1],
        read.vectors[-1],
        atol=1e-5,
    )
    memory, rows = memory_after(layer, inputs)
    np.testing.assert_array_equal(memory, np.asarray(state.memory)[0, -1])
    assert 0 <= rows.start < rows.stop <= 8


def test_rows_in_use_are_those_that_a_head_looked_at():
    weighting = np.zeros((3, 20))
    weighting[0, 5] = weighting[1, 9] = weighting[2, 15] = 0.6
    weighting[2, 16] = 0.4
    assert figures.rows_in_use([weighting]) == slice(3, 18)
    assert figures.rows_in_use([np.full((3, 20), 0.05)]) == slice(0, 20)
    assert figures.rows_in_use([]) == slice(0, 0)
