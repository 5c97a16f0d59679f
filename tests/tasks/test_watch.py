import shutil
import threading

import numpy as np
import pytest
from click.testing import CliRunner

import tasks
from tasks.cli.main import main
from tasks.report.memories import trace_memories
from tasks.report.watch import (
    BLOCKS,
    LEGEND,
    draw_curve,
    draw_text,
    frames,
    task_that_fits,
    write_html,
)
from tasks.runs import create_run, locked, open_run
from tasks.runs.output_folder import OutputFolder


def test_a_finished_run_is_drawn_once(trained):
    run = trained.run
    ((model, caption, ended),) = frames(run)
    assert ended
    assert caption.startswith("after 800 of 800 sequences")
    for shown, expected in zip(
        model.get_weights(), trained.model.get_weights(), strict=True
    ):
        assert (shown == expected).all()


def test_every_saved_model_is_seen_while_training_goes_on(tmp_path, tiny):
    """A run whose files another thread replaces, as a training process does."""
    task = tasks.Copy(2, 1, 3)
    run = create_run(
        tmp_path / "run", task, tiny, tasks.TrainingConfig(sequences=10, batch_size=3)
    )
    model = tiny.build(task)
    row = {"epoch": 1, "sequences": 3, "seconds": 1, "loss": 1, "skipped": 0}
    row["rolled_back"] = 0
    row |= {"bits_per_sequence": 2, "bit_errors": 1}
    looked = threading.Event()

    began = threading.Event()

    def train():
        with locked(run.path):
            began.set()
            for step in (1.0, 2.0, 3.0):
                model.set_weights([np.full_like(w, step) for w in model.get_weights()])
                run.write_history([row])
                run.save_model(model)
                looked.wait(30)
                looked.clear()

    thread = threading.Thread(target=train)
    thread.start()
    assert began.wait(30)
    seen = []
    ends = []
    for shown, caption, ended in frames(run, interval=0.05):
        seen.append(float(shown.get_weights()[0].flat[0]))
        ends.append(ended)
        assert caption.startswith("after 3 of 9 sequences")
        looked.set()
    thread.join()
    assert list(dict.fromkeys(seen)) == [1.0, 2.0, 3.0]
    assert ends[-1] and not any(ends[:-1])


@pytest.mark.once
def test_a_run_that_is_about_to_start_is_waited_for(tmp_path, tiny):
    path, arguments = tmp_path / "run", ["--wait", "0.1", "--interval", "0.1"]
    create_run(tmp_path / "runs", tasks.Copy(2, 1, 3), tiny, tasks.TrainingConfig())
    result = CliRunner().invoke(main, ["watch", str(path), *arguments])
    assert result.exit_code == 2 and "holds no run" in result.stderr
    first, last = result.stderr.splitlines()
    meant = f"(did you mean `{tmp_path / 'runs'}`?)"
    assert first == f"waits 0.1 seconds for a run to start in {path} {meant}"
    assert last.endswith(f"is missing {meant}.")
    config = tasks.TrainingConfig()
    options = path, tasks.Copy(2, 1, 3), tiny, config
    timer = threading.Timer(0.3, create_run, options)
    timer.start()
    arguments[1] = "30"
    result = CliRunner().invoke(main, ["watch", str(path), *arguments])
    timer.join()
    assert "waits 30 seconds for a run to start in" in result.stderr
    assert "holds no run" not in result.stderr


def test_waiting_ends_when_patience_is_exceeded(tmp_path, tiny):
    run = create_run(tmp_path, tasks.Copy(2, 1, 3), tiny, tasks.TrainingConfig())
    with (
        locked(run.path),
        pytest.raises(tasks.RunError, match="has not changed"),
    ):
        next(frames(run, interval=0.01, patience=0.02))


def test_a_run_that_no_process_trains_has_ended(trained, tmp_path, tiny):
    """One that was killed leaves a model and no summary; or not even a model."""
    killed = open_run(shutil.copytree(trained.run.path, tmp_path / "killed"))
    killed.file("summary.json").unlink(missing_ok=True)
    assert [ended for _, _, ended in frames(killed)] == [True]
    run = create_run(
        tmp_path / "new", tasks.Copy(2, 1, 3), tiny, tasks.TrainingConfig()
    )
    with pytest.raises(tasks.RunError, match="has not saved a model"):
        next(frames(run))


def test_the_picture_in_text_has_a_line_a_channel_and_the_heads(trained):
    task = tasks.Copy(2, 3, 3)
    *lines, legend = draw_text(trained.model, task).splitlines()
    assert legend == LEGEND
    labels = [line.split()[0] for line in lines if line[:8].strip()]
    assert labels == ["input", "target", "output", "heads"]
    assert lines[0].startswith("   input  0 ")
    heads = lines[3 + 2 + 2 :]
    (trace,) = trace_memories(trained.model, task.sample(1, 0).inputs)
    weightings = {head.kind: np.asarray(head.weighting)[0] for head in trace.heads}
    for line in heads:
        row = int(line[8:11])
        reads, writes = weightings["read"][:, row], weightings["write"][:, row]
        for mark, read, write in zip(line[12:], reads, writes, strict=True):
            assert (mark.lower() in "wx") == (write > 0.1)
            assert (mark.lower() in "rx") == (read > 0.1)
            assert mark.isupper() == (max(read, write) > 0.5)


def test_inputs_and_targets_are_left_out_without_room(trained):
    task = tasks.Copy(2, 3, 3)
    lines = draw_text(trained.model, task).splitlines()
    assert draw_text(trained.model, task, len(lines)).splitlines() == lines
    low = draw_text(trained.model, task, len(lines) - 1).splitlines()
    assert low == lines[3 + 2 :]


def test_the_task_is_cut_to_the_terminal():
    assert task_that_fits(tasks.Copy(), 80, 80).size == (20,)
    assert task_that_fits(tasks.Copy(), 33, 80).size == (10,)
    assert task_that_fits(tasks.Copy(), 80, 24).size == (6,)
    assert task_that_fits(tasks.AssociativeRecall(), 5, 5).size == (2,)


def test_the_page_reloads_itself_until_the_end(trained, tmp_path):
    path = tmp_path / "watch.html"
    for reload in (True, False):
        folder = OutputFolder(tmp_path, "run")
        write_html(
            trained.model, tasks.Copy(2, 3, 3), "one", "two", folder, reload=reload
        )
        page = path.read_text()
        assert ("http-equiv" in page) == reload
        assert "<h1>two</h1>" in page and "data:image/png;base64," in page
    assert not list(tmp_path.glob("*.unfinished"))


def test_the_command_ends_with_the_run(trained):
    result = CliRunner().invoke(main, ["watch", str(trained.run.path)])
    assert result.exit_code == 0, result.output
    assert "after 800" in result.stdout
    curve = draw_curve(trained.run, 80)
    assert curve in result.stdout.splitlines()
    # In a pipe the last line of the picture is complete.
    assert result.stdout.endswith("\n")
    assert "the training has ended" in result.stderr
    result = CliRunner().invoke(main, ["watch", str(trained.run.path), "--html"])
    assert result.exit_code == 0, result.output
    assert (trained.run.path / "watch.html").exists()


def test_a_run_that_was_stopped_is_not_said_to_have_ended(trained, tmp_path):
    stopped = shutil.copytree(trained.run.path, tmp_path / "stopped")
    (stopped / "summary.json").unlink()
    result = CliRunner().invoke(main, ["watch", str(stopped)])
    assert result.exit_code == 0, result.output
    assert "no process trains there now" in result.stderr
    assert "has ended" not in result.stderr


@pytest.mark.parametrize(
    ("errors", "width", "blocks"),
    [
        ([7.0, 0.0], 80, "█▁"),
        ([7.0, 6.0, 1.0, 0.0], 80, "█▇▂▁"),
        ([7.0, float("nan"), 0.0], 80, "█▁"),
        ([2.0, 2.0], 80, "▁▁"),
        ([float(n) for n in range(80)], 10, BLOCKS),  # eight parts of ten epochs
    ],
)
def test_the_curve_has_a_block_for_each_part_of_the_epochs(
    tmp_path, tiny, errors, width, blocks
):
    run = create_run(
        tmp_path / "run", tasks.Copy(2, 1, 3), tiny, tasks.TrainingConfig()
    )
    run.write_history([])
    assert draw_curve(run, width) == ""
    run.write_history([row_of(epoch, error) for epoch, error in enumerate(errors, 1)])
    last = f" to {errors[-1]:.3f}"
    assert draw_curve(run, width) == f" wrong bits {blocks} from {errors[0]:.3f}{last}"


def row_of(epoch, error):
    row = {"epoch": epoch, "sequences": 3 * epoch, "seconds": 1.0, "loss": 1.0}
    row |= {"bits_per_sequence": 2.0, "bit_errors": error}
    return row | {"skipped": 0, "rolled_back": 0}


def test_the_budget_shown_is_that_of_whole_epochs(tmp_path, tiny):
    """3 epochs of 100 batches of 2 fit into 700 sequences."""
    training = tasks.TrainingConfig(sequences=700, batch_size=2, epoch_steps=100)
    task = tasks.Copy(2, 1, 3)
    run = create_run(tmp_path / "run", task, tiny, training)
    row = {"epoch": 3, "sequences": 600, "seconds": 1, "loss": 1, "skipped": 0}
    row |= {"rolled_back": 0, "bits_per_sequence": 2, "bit_errors": 1}
    run.write_history([row])
    run.save_model(tiny.build(task))
    ((_, caption, _),) = frames(run)
    assert caption.startswith("after 600 of 600 sequences, 1 s")
