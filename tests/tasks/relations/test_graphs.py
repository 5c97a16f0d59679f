"""Tasks about graphs, against other algorithms than those of the tasks."""

import dataclasses
import itertools

import numpy as np
import pytest

import tasks
from memnets.memory.tracing import HeadTrace
from tasks.relations.graph_figures import draw_graph
from tasks.relations.graphs import BLANK, Edge, random_graph, triple_rows, triples_of

pytestmark = pytest.mark.once
SMALL = {
    "traversal": tasks.Traversal(max_nodes=6, max_path=3),
    "inference": tasks.Inference(max_nodes=6),
    "shortest-path": tasks.ShortestPath(max_nodes=6, max_path=2),
}
# 0 -> 1 -> 2 -> 3 and a shorter way, 0 -> 4 -> 3, with a twin, 0 -> 5 -> 3.
EDGES = [
    *(Edge(0, 10, 1), Edge(1, 20, 2), Edge(2, 30, 3)),
    *(Edge(0, 11, 4), Edge(4, 21, 3), Edge(0, 12, 5), Edge(5, 22, 3)),
]


@pytest.fixture(params=sorted(SMALL))
def task(request):
    return SMALL[request.param]


def sequence_of(task, edges, query, answer):
    """The batch of one sequence of a task, laid out by hand."""
    told = [*edges, *query]
    begin = len(told) + task.planning
    inputs = np.zeros((1, begin + len(answer), 92), np.float32)
    targets = np.zeros((1, begin + len(answer), 90), np.float32)
    for step, triple in enumerate(told):
        for part, label in enumerate(triple):
            for place, digit in enumerate(f"{label:03d}"):
                if label != BLANK:
                    inputs[0, step, 30 * part + 10 * place + int(digit)] = 1
    inputs[0, len(edges) : len(told), 90] = 1
    inputs[0, begin:, 91] = 1
    targets[0, begin:] = triple_rows(answer)
    return tasks.Batch(inputs, targets, inputs[:, :, 91])


def test_targets_are_the_solution_and_nothing_is_told_while_they_are_due(task):
    batch = task.sample(32, rng=1)
    np.testing.assert_array_equal(task.solve(batch.inputs), batch.targets)
    due = batch.mask > 0
    assert not batch.inputs[due, :90].any() and (batch.inputs[due, 91] == 1).all()
    assert not batch.targets[~due].any()
    assert (batch.targets[due].reshape(-1, 9, 10).sum(axis=-1) == 1).all()


def test_shapes_and_seeds_are_those_announced(task):
    batch = task.sample(5, rng=1)
    steps = batch.inputs.shape[1]
    assert batch.inputs.shape == (5, steps, task.input_size)
    assert batch.targets.shape == (5, steps, task.output_size)
    assert {array.dtype for array in batch} == {np.dtype("float32")}
    for one, other in zip(batch, task.sample(5, rng=1), strict=True):
        np.testing.assert_array_equal(one, other)
    assert (batch.inputs != task.sample(5, rng=2).inputs).any()


def test_graphs_are_those_of_the_paper():
    rng = np.random.default_rng(1)
    for _ in range(20):
        edges = random_graph(12, (2, 4), 1000, rng)
        leaving = {node: [] for node in {edge.source for edge in edges}}
        for edge in edges:
            leaving[edge.source].append(edge)
            assert edge.source != edge.destination
        assert len(leaving) == 12
        for own in leaving.values():
            assert 2 <= len(own) <= 4
            assert len({edge.label for edge in own}) == len(own)
            assert len({edge.destination for edge in own}) == len(own)
    # With all nodes in reach, every pair has its edge.
    edges = random_graph(4, (9, 9), 1000, rng)
    assert len({(edge.source, edge.destination) for edge in edges}) == 12


def test_triples_are_read_as_they_are_written():
    triples = [Edge(7, BLANK, 980), Edge(BLANK, 0, BLANK), Edge(123, 45, 6)]
    assert triples_of(triple_rows(triples)) == triples
    assert not triple_rows([Edge(BLANK, BLANK, BLANK)]).any()


def test_traversal_follows_the_labels():
    query = [Edge(0, 11, BLANK), Edge(BLANK, 21, BLANK)]
    batch = sequence_of(SMALL["traversal"], EDGES, query, [EDGES[3], EDGES[4]])
    solved = SMALL["traversal"].solve(batch.inputs)
    np.testing.assert_array_equal(solved, batch.targets)


def test_answers_of_inference_are_at_the_end_of_a_chain_of_the_relation():
    task = dataclasses.replace(SMALL["inference"], max_path=4)
    batch = task.sample(200, rng=3)
    ends: dict[int, set] = {}
    for inputs, target, mask in zip(*batch, strict=True):
        [(source, relation, end)] = triples_of(target[mask > 0])
        asked = int(inputs[:, 90].argmax())
        edges = triples_of(inputs[:asked, :90])
        step = {(edge.source, edge.label): edge.destination for edge in edges}
        # Every chain of labels that leads from the one to the other.
        chains = set()
        for length in (2, 3, 4):
            for labels in itertools.product(range(10), repeat=length):
                node = source
                for label in labels:
                    node = step.get((node, label))
                if node == end:
                    chains.add(labels)
        ends[relation] = ends.get(relation, chains) & chains
    # One chain explains all answers of a relation.
    assert all(ends.values())
    assert min(ends) >= 10 and max(ends) < 410


def test_shortest_paths_are_as_long_as_those_of_another_algorithm():
    task = tasks.ShortestPath(min_nodes=8, max_nodes=10, max_path=3)
    batch = task.sample(50, rng=4)
    for inputs, target, mask in zip(*batch, strict=True):
        asked = int(inputs[:, 90].argmax())
        edges = triples_of(inputs[:asked, :90])
        path = triples_of(target[mask > 0])
        nodes = sorted({node for edge in edges for node in (edge[0], edge[2])})
        steps = np.full((len(nodes), len(nodes)), np.inf)
        for edge in edges:
            steps[nodes.index(edge[0]), nodes.index(edge[2])] = 1
        for middle in range(len(nodes)):  # Floyd and Warshall
            around = steps[:, middle, None] + steps[middle]
            steps = np.minimum(steps, around)
        start, end = nodes.index(path[0].source), nodes.index(path[-1].destination)
        assert steps[start, end] == len(path)
        assert set(path) <= set(edges)
        assert all(a.destination == b.source for a, b in itertools.pairwise(path))


def test_any_shortest_path_is_right():
    task = SMALL["shortest-path"]
    query = [Edge(0, BLANK, 3)]
    batch = sequence_of(task, EDGES, query, EDGES[3:5])
    np.testing.assert_array_equal(task.solve(batch.inputs), batch.targets)

    def perfect(path):
        outputs = np.zeros_like(batch.targets)
        outputs[batch.mask > 0] = triple_rows(path)
        return task.errors(batch, outputs)["perfect"].tolist()

    assert perfect(EDGES[3:5]) == perfect(EDGES[5:7]) == [True]
    for wrong in ([EDGES[3], EDGES[6]], [EDGES[0], EDGES[1]], EDGES[4:2:-1]):
        assert perfect(wrong) == [False]
    # The right nodes, over an edge that is not there.
    assert perfect([EDGES[3], EDGES[4]._replace(label=23)]) == [False]
    outputs = batch.targets.copy()
    outputs[batch.targets > 0] = np.nan  # NumPy takes it for the largest
    assert task.errors(batch, outputs)["perfect"].tolist() == [False]


def test_no_longer_path_is_evaluated_than_graphs_often_have():
    """Of a node with d edges, d others are one edge away, and a shortest path has one
    of them."""
    for nodes, degree, longest in ((6, 2, 4), (4, 2, 2), (8, 2, 6), (4, 1, 3)):
        task = tasks.ShortestPath(max_nodes=nodes, min_degree=degree, max_path=longest)
        assert task.eval_lengths == (longest,)
    for nodes, longest in ((6, 2), (10, 4), (20, 4)):
        task = tasks.ShortestPath(max_nodes=nodes, max_path=longest)
        assert task.eval_lengths == (longest, longest + 1)
        for at in task.evaluation.eval_tasks:
            at.sample(100, 0)
    # A path of 8 edges can be, but one of 1,000 such graphs has one.
    assert tasks.ShortestPath(max_path=7).eval_lengths == (7,)


@pytest.mark.parametrize(
    "sizes", [{"min_path": 2}, {"min_degree": 3}, {"min_path": 4}, {"max_path": 6}]
)
def test_every_stage_of_a_curriculum_has_its_paths(sizes):
    """Every node of a small graph of a large degree leads to every other one."""
    task = tasks.ShortestPath(**sizes)
    for share in np.linspace(0, 1, 12):
        stage = task.stream.easier(share)
        stage.evaluation.at_length(stage.max_path).sample(20, 0)
        assert task.min_path <= stage.max_path <= task.max_path
        assert task.min_nodes <= stage.max_nodes <= task.max_nodes
    assert task.stream.easier(1.0) == task


def test_graphs_grow_with_their_paths():
    """Where all sizes of a stage can be, they are those of any task with sizes."""
    stages = [tasks.ShortestPath().stream.easier(k / 7) for k in range(8)]
    assert [stage.max_nodes for stage in stages] == [*range(3, 11)]
    assert [stage.max_path for stage in stages] == [1, 1, 2, 2, 3, 3, 4, 4]


def test_render_marks_wrong_triples():
    query = [Edge(0, 11, BLANK), Edge(BLANK, 21, BLANK)]
    batch = sequence_of(SMALL["traversal"], EDGES[:5], query, [EDGES[3], EDGES[4]])
    outputs = np.array(batch.targets)
    outputs[0, -1] = triple_rows([Edge(4, 21, 5)])
    assert SMALL["traversal"].presentation.render(batch, outputs).splitlines() == [
        "sequence 0",
        "   graph  000 -010-> 001   001 -020-> 002   002 -030-> 003   000 -011-> 004",
        "          004 -021-> 003",
        "   query  000 -011-> ???   ??? -021-> ???",
        "  target  000 -011-> 004   004 -021-> 003",
        "  output  000 -011-> 004   004 -021-> 005 x",
    ]


def test_sizes_go_beyond_training():
    task = tasks.Traversal(max_path=4)
    assert [each.size for each in task.evaluation.eval_tasks] == [
        (4, 10),
        (4, 10),
        (8, 10),
    ]
    assert task.stream.easier(1 / 3).size == (2, 5)
    with pytest.raises(ValueError, match="`max_path` must be a length that paths"):
        tasks.ShortestPath(max_nodes=3, min_path=5, max_path=5).sample(1, 0)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("traversal", {"max_nodes": 1}),
        ("traversal", {"max_nodes": 1001}),
        ("traversal", {"min_path": 0}),
        ("traversal", {"min_degree": 4, "max_degree": 3}),
        ("inference", {"max_degree": 11}),
        ("inference", {"max_path": 6}),
        ("inference", {"data_seed": -1}),
        ("shortest-path", {"max_path": 2.5}),
    ],
)
def test_parameters_are_checked(name, wrong):
    with pytest.raises(ValueError, match=rf"`{next(iter(wrong))}` must be .*Received"):
        tasks.get_task(name, **wrong)


def test_what_is_no_sequence_is_refused(task):
    inputs = task.sample(1, 0).inputs
    for channel in (90, 91):
        without = inputs.copy()
        without[:, :, channel] = 0
        with pytest.raises(ValueError, match="has no query or no answer"):
            task.solve(without)
    nameless = inputs.copy()
    nameless[0, 0, :10] = 0
    with pytest.raises(ValueError, match="has an edge without a label"):
        task.solve(nameless)
    elsewhere = inputs.copy()
    asked = elsewhere[0, :, 90] > 0
    elsewhere[0, asked, 30:60] = triple_rows([Edge(0, 999, 0)])[0, 30:60]
    if task.name != "shortest-path":
        with pytest.raises(ValueError, match="has no such"):
            task.solve(elsewhere)


def test_what_was_read_for_an_answer_is_told_by_step(task):
    batch = task.sample(1, 3)
    edges, query, due = task.read(batch.inputs[0])
    told, steps = len(edges) + len(query), batch.inputs.shape[1]
    # Each step writes to a row of its own. The first step of the answer reads the
    # query, the others the last edge.
    write, read = np.eye(steps)[None], np.zeros((1, steps, steps))
    read[0, due, len(edges) - 1] = 1
    read[0, due[0]] = np.eye(steps)[told - 1]
    heads = [
        HeadTrace(f"{kind} head", kind, np.zeros((1, steps, 3)), weighting)
        for kind, weighting in (("write", write), ("read", read))
    ]
    [section] = task.presentation.sections(batch, heads)
    source, label, destination = (f"{part:03d}" for part in edges[-1])
    last = f"row {len(edges) - 1}: {source} -{label}-> {destination}"
    heading, first, *others = section.table
    assert heading == ["step of the answer", "read head"]
    assert first[0] == "1"
    assert first[1].startswith(f"row {told - 1}: ")
    assert "?" in first[1]  # a query has blanks
    assert others == [[str(n), last] for n in range(2, len(due) + 1)]
    assert task.presentation.sections(batch, []) == []


def test_the_picture_shows_what_is_right_and_wrong():
    figure = draw_graph(EDGES, EDGES[3:5], [EDGES[3], EDGES[6]])
    [axes] = figure.axes
    texts = [text.get_text() for text in axes.texts]
    assert {f"{node:03d}" for node in range(6)} <= set(texts)
    colors = {
        text.arrow_patch.get_edgecolor() for text in axes.texts if text.arrow_patch
    }
    assert len(colors) == 3
