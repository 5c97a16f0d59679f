import dataclasses
import json
import pathlib
import re
import sys

import pytest
from click.testing import CliRunner

from metrics.base import Metric
from metrics.bleu import BLEU
from metrics.registry import METRICS, Entry, get_metrics
from metrics.scores import Score
from metrics.significance.tests import approximate_randomization, paired_bootstrap
from tasks.cli.main import main
from tasks.cli.score import score
from tasks.cli.score_languages import target_language
from tasks.scoring import corpus as scoring

HYPOTHESES = ["the cat sat on the mat", "a dog barked", "a man is on a horse"]
OTHERS = ["the cat sat on a mat", "dogs bark loudly", "a man rides on a horse"]
REFERENCES = [
    ["the cat sat on the mat", "a cat was sitting on the mat"],
    ["the dog barked", "a dog was barking loudly"],
    ["a man rides a horse", "somebody is riding on a brown horse"],
]


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    """hyp.txt, other.txt, ref-1.txt and ref-2.txt in the working directory."""
    monkeypatch.chdir(tmp_path)
    files = zip(*REFERENCES, strict=True)
    for name, lines in [
        ("hyp.txt", HYPOTHESES),
        ("same.txt", HYPOTHESES),
        ("other.txt", OTHERS),
        *zip(("ref-1.txt", "ref-2.txt"), files, strict=True),
    ]:
        (tmp_path / name).write_text("\n".join(lines) + "\n")


def run(*args, **kwargs):
    return CliRunner().invoke(main, ["score", *map(str, args)], **kwargs)


def run_json(*args):
    result = run(*args, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def rows_of(result):
    """The printed table: its headings, and its rows by heading."""
    assert result.exit_code == 0, result.output
    headings, *rows = [line.split("\t") for line in result.stdout.splitlines()]
    return headings, [dict(zip(headings, row, strict=True)) for row in rows]


def test_a_row_for_each_metric_with_score_and_signature():
    # One of three is equal; no word of 6, 1 of 3 and 2 of 5 must be edited: 3 of 14.
    headings, rows = rows_of(
        run("hyp.txt", "ref-1.txt", "--metrics", "exact-match", "wer", "exact-match")
    )
    assert headings == ["metric", "score", "signature"]
    assert [row["metric"] for row in rows] == ["exact-match", "wer"]
    assert [row["score"] for row in rows] == ["0.3333", "0.2143"]
    assert all("|refs:1|" in row["signature"] for row in rows)


def test_bleu_is_the_default():
    _, [row] = rows_of(run("hyp.txt", "ref-1.txt", "ref-2.txt"))
    assert row["metric"] == "bleu"
    assert row["signature"].startswith("bleu|refs:2|")


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_scores_as_in_the_library(name, monkeypatch):
    monkeypatch.setattr(scoring, "CHUNK", 2)  # a whole chunk and a rest
    described = run_json("hyp.txt", "ref-1.txt", "ref-2.txt", "--metrics", name)
    printed = described["metrics"][name]
    [metric] = get_metrics([name]).values()
    score = metric.corpus_score(REFERENCES, HYPOTHESES)
    assert printed["value"] == pytest.approx(score.value, abs=1e-12)
    assert printed["signature"] == score.signature
    assert printed["higher_is_better"] == metric.higher_is_better
    assert described["num_segments"] == 3


@pytest.mark.parametrize("name", METRICS)
def test_what_a_signature_says_can_be_given_again(name):
    files = "hyp.txt", "ref-1.txt"
    first = run_json(*files, "--metrics", name)["metrics"][name]
    values = dict(part.split(":", 1) for part in first["signature"].split("|")[1:])
    options = {"tok": "--tokenize", "smooth": "--smooth-method"}
    given = [
        text
        for key, option in options.items()
        if key in values and name != "ter"  # it has its own tokenizer alone
        for text in (option, values[key])
    ]
    again = run_json(*files, "--metrics", name, *given)["metrics"][name]
    assert again == first


def test_the_smoothing_of_coco_can_be_given():
    options = ["--tokenize", "ptb", "--smooth-method", "coco"]
    given = run_json("hyp.txt", "ref-1.txt", "--metrics", "bleu-2", *options)
    coco = run_json("hyp.txt", "ref-1.txt", "--coco")["metrics"]
    assert given["metrics"]["bleu-2"] in coco.values()


def test_names_stand_for_the_variants_of_a_metric():
    args = ["meteor", "meteor-1.5", "meteor-2005", "meteor-nltk", "chrf", "chrf++"]
    args += ["rouge-l", "rouge-l-coco", "rouge-lsum", "cider", "cider-d", "wer", "cer"]
    described = run_json("hyp.txt", "ref-1.txt", "--metrics", *args)["metrics"]
    assert len({printed["signature"] for printed in described.values()}) == len(args)


@pytest.mark.parametrize(
    "args",
    [
        ["--metrics", "wer", "cer", "hyp.txt", "ref-1.txt"],
        ["hyp.txt", "ref-1.txt", "--metrics=wer", "cer"],
        ["hyp.txt", "--metrics", "wer", "--metrics", "cer", "ref-1.txt"],
    ],
)
def test_metrics_may_stand_anywhere(args):
    assert list(run_json(*args)["metrics"]) == ["wer", "cer"]


@pytest.mark.parametrize(
    ("args", "confidence"),
    [
        (["--confidence", "hyp.txt", "ref-1.txt"], 0.95),
        (["hyp.txt", "ref-1.txt", "--confidence"], 0.95),
        (["--confidence", "0.8", "hyp.txt", "ref-1.txt"], 0.8),
        (["hyp.txt", "ref-1.txt", "--confidence=0.8"], 0.8),
    ],
)
def test_intervals_are_the_library_s(args, confidence):
    interval = run_json(*args, "--seed", 7)["metrics"]["bleu"]["interval"]
    [metric] = get_metrics(["bleu"]).values()
    single = [own[:1] for own in REFERENCES]
    score = metric.corpus_score(single, HYPOTHESES, confidence=confidence, seed=7)
    assert interval == vars(score.interval)
    headings, [row] = rows_of(run(*args, "--seed", 7))
    heading = f"{100 * confidence:g}% interval"
    assert headings == ["metric", "score", heading, "signature"]
    assert row[heading] == f"[{score.interval.low:.4f}, {score.interval.high:.4f}]"


@pytest.mark.parametrize(
    ("name", "args", "method"),
    [
        ("bleu", [], paired_bootstrap),
        ("ter", ["--test", "bootstrap"], paired_bootstrap),
        ("cider-d", ["--test", "randomization"], approximate_randomization),
    ],
)
def test_differences_are_tested_as_in_the_library(name, args, method):
    args = ["hyp.txt", "ref-1.txt", "ref-2.txt", "--paired", "other.txt", *args]
    args += ["--metrics", name, "--seed", 3]
    [metric] = get_metrics([name]).values()
    test = method(metric, REFERENCES, OTHERS, HYPOTHESES, seed=3)
    printed = run_json(*args)["metrics"][name]
    [paired] = printed["paired"]
    assert printed["value"] == test.baseline.value
    assert paired["hypotheses"] == "other.txt"
    assert paired["value"] == test.score.value
    assert paired["difference"] == test.difference
    assert paired["p_value"] == test.p_value
    assert (paired["method"], paired["trials"]) == (test.method, test.trials)
    headings, [own, other] = rows_of(run(*args))
    assert headings[1:5] == ["hypotheses", "score", "difference", "p-value"]
    assert (own["hypotheses"], other["hypotheses"]) == ("hyp.txt", "other.txt")
    assert own["score"] == f"{test.baseline.value:.4f}"
    assert other["score"] == f"{test.score.value:.4f}"
    assert other["difference"] == f"{test.difference:+.4f}"
    assert other["p-value"] == f"{test.p_value:.4f}"
    assert own["difference"] == own["p-value"] == ""
    interval = test.interval and dataclasses.asdict(test.interval)
    assert paired["difference_interval"] == interval


def test_an_interval_of_the_difference_stands_beside_those_of_the_scores():
    args = ["hyp.txt", "ref-1.txt", "ref-2.txt", "--paired", "other.txt"]
    test = paired_bootstrap(BLEU(), REFERENCES, OTHERS, HYPOTHESES, confidence=0.8)
    _, [own, other] = rows_of(run(*args, "--confidence", 0.8, "--metrics", "bleu"))
    heading = "80% interval of the difference"
    interval = test.interval
    assert other[heading] == f"[{interval.low:.4f}, {interval.high:.4f}]"
    assert own[heading] == ""
    args += ["--test", "randomization"]
    _, [own, _] = rows_of(run(*args, "--confidence", 0.8, "--metrics", "bleu"))
    assert heading not in own


def test_few_segments_are_noticed_where_the_bootstrap_tests(tmp_path):
    args = ["hyp.txt", "ref-1.txt", "--metrics", "wer"]
    few = run(*args, "--paired", "other.txt").stderr
    assert few.startswith("Note: 3 segments are few for the bootstrap")
    assert "`--test randomization`" in few
    randomized = run(*args, "--paired", "other.txt", "--test", "randomization")
    assert randomized.stderr == ""
    intervals = run(*args, "--confidence").stderr
    assert intervals.startswith("Note: 3 segments are few for an interval")
    assert len(intervals.splitlines()) == 1
    for name in ("hyp", "ref-1", "other"):
        text = (tmp_path / f"{name}.txt").read_text()
        (tmp_path / f"{name}.txt").write_text(text * 10)
    assert run(*args, "--paired", "other.txt").stderr == ""
    (tmp_path / "few.tsv").write_text("a\tb\ta\n")
    shards = run("few.tsv", "--systems", 2, "--metrics", "wer").stderr
    assert shards.startswith("Note: 1 segment is few for the bootstrap")


def test_each_of_several_systems_is_compared_with_the_first():
    files = ["--paired", "other.txt", "ref-2.txt"]
    args = ["hyp.txt", "ref-1.txt", *files, "--metrics", "chrf", "wer"]
    headings, rows = rows_of(run(*args))
    systems = ["hyp.txt", "other.txt", "ref-2.txt"]
    assert [row["hypotheses"] for row in rows] == systems * 2
    assert [row["metric"] for row in rows] == ["chrf"] * 3 + ["wer"] * 3
    for system, row in zip(systems, rows, strict=False):
        _, [alone] = rows_of(run(system, "ref-1.txt", "--metrics", "chrf"))
        assert row["score"] == alone["score"]
    for row in rows[1:3]:
        difference = float(row["score"]) - float(rows[0]["score"])
        assert float(row["difference"]) == pytest.approx(difference, abs=1.1e-4)
    paired = run_json(*args)["metrics"]["wer"]["paired"]
    assert [system["hypotheses"] for system in paired] == systems[1:]


def test_resamples_are_those_of_interval_and_test():
    args = ["hyp.txt", "ref-1.txt", "--paired", "other.txt", "--confidence"]
    printed = run_json(*args, "--resamples", 50)["metrics"]["bleu"]
    assert printed["interval"]["resamples"] == printed["paired"][0]["trials"] == 50


def test_a_system_does_not_differ_from_itself():
    printed = run_json("hyp.txt", "ref-1.txt", "--paired", "same.txt")["metrics"][
        "bleu"
    ]
    [paired] = printed["paired"]
    assert (paired["difference"], paired["p_value"]) == (0, 1)


def test_both_systems_have_intervals():
    args = ["hyp.txt", "ref-1.txt", "--paired", "other.txt", "--confidence"]
    _, rows = rows_of(run(*args))
    assert all(row["95% interval"].startswith("[0.") for row in rows)
    printed = run_json(*args)["metrics"]["bleu"]
    assert printed["interval"] != printed["paired"][0]["interval"]


def test_scale_and_width_are_of_the_printed_numbers():
    args = ["hyp.txt", "ref-1.txt", "--metrics", "wer", "exact-match"]
    _, rows = rows_of(run(*args, "--scale", 100))
    assert [row["score"] for row in rows] == ["21.43", "33.33"]
    _, rows = rows_of(run(*args, "--scale", 100, "--width", 1, "--confidence"))
    assert rows[0]["95% interval"].startswith("[0.0, ")
    _, rows = rows_of(run(*args, "--width", 2, "--paired", "ref-1.txt"))
    assert [row["difference"] for row in rows] == ["", "-0.21", "", "+0.67"]
    assert run(*args, "--score-only", "--width", 3).stdout == "0.214\t0.333\n"
    both = run(*args, "--score-only", "--paired", "ref-1.txt").stdout
    assert both == "0.2143\t0.3333\n0.0000\t1.0000\n"


def test_latex_has_a_row_for_each_system(tmp_path):
    (tmp_path / "a_b.txt").write_text((tmp_path / "ref-1.txt").read_text())
    result = run(
        *("hyp.txt", "ref-1.txt", "--metrics", "exact-match", "ter", "--scale", 100),
        *("--paired", "a_b.txt", "--latex", "--resamples", 10),
    )
    lines = result.stdout.splitlines()
    assert lines[:8] == [
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"system & exact match $\uparrow$ & TER $\downarrow$ \\",
        r"\midrule",
        r"hyp & 33.33 & 21.43 \\",
        r"a\_b & 100.00 & 0.00 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
    # Three segments: no difference is marked, and no mark is explained.
    assert lines[8] == (
        r"\par\smallskip{\footnotesize Differences to hyp: a\_b: exact match "
        r"$p = 0.2500$, TER $p = 0.2500$ (bootstrap, 10 trials, seed 12345).\par}"
    )
    assert [line.split("|")[0] for line in lines[9:]] == ["% exact-match", "% ter"]


def test_latex_marks_differences_beyond_chance_and_says_so(tmp_path):
    for name, text in [("good.txt", "a b c"), ("bad.txt", "a x y")]:
        (tmp_path / name).write_text(f"{text}\n" * 30)
    args = ["good.txt", "good.txt", "--metrics", "wer", "--latex", "--paired"]
    # The rates of all segments are equal, and so are the differences that are drawn.
    lines = run(*args, "bad.txt", "--confidence").stdout.splitlines()
    assert r"bad & 0.6667 [0.6667, 0.6667]$^{*}$ \\" in lines
    assert [line for line in lines if "footnotesize" in line] == [
        r"\par\smallskip{\footnotesize $^{*}$ differs from good, $p < 0.05$.\par}",
        r"\par\smallskip{\footnotesize Differences to good: bad: WER $p < 0.001$ "
        r"(bootstrap, 1000 trials, seed 12345).\par}",
        r"\par\smallskip{\footnotesize In brackets: 95\% intervals (bootstrap, "
        r"1000 resamples, seed 12345).\par}",
    ]
    (tmp_path / "same.txt").write_text("a b c\n" * 30)
    assert r"same & 0.0000 \\" in run(*args, "same.txt").stdout.splitlines()[5]


def test_latex_tells_systems_of_like_names_apart(tmp_path):
    text = (tmp_path / "ref-1.txt").read_text()
    for place in ("a/out.txt", "b/out.txt", "a/out.de"):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text(text)
    for places, names in (
        (["a/out.txt", "a/out.de"], ["out.txt", "out.de"]),
        (["a/out.txt", "b/out.txt"], ["a/out.txt", "b/out.txt"]),
    ):
        first, second = (str(tmp_path / place) for place in places)
        args = [first, "ref-1.txt", "--metrics", "wer", "--latex", "--paired", second]
        rows = run(*args).stdout.splitlines()[4:6]
        shown = [row.split(" & ")[0] for row in rows]
        assert all(map(str.endswith, shown, names))
        assert len(set(shown)) == 2


def test_every_metric_is_spelled_as_in_papers():
    import metrics
    from metrics.registry import METRICS
    from tasks.cli.score_latex import SPELLINGS

    assert {*METRICS, *metrics.coco_metrics()} - {"METEOR", "CIDEr"} == set(SPELLINGS)


def test_segments_are_printed_a_line_each():
    args = ["hyp.txt", "ref-1.txt", "--metrics", "exact-match", "wer", "--segments"]
    assert run(*args).stdout.splitlines() == [
        "segment\texact-match\twer",
        "1\t1.0000\t0.0000",
        "2\t0.0000\t0.3333",
        "3\t0.0000\t0.4000",
    ]


def test_segments_are_a_list_in_json():
    args = ["hyp.txt", "ref-1.txt", "--metrics", "exact-match", "--segments"]
    assert run_json(*args)["segments"] == [
        {"segment": 1, "exact-match": 1.0},
        {"segment": 2, "exact-match": 0.0},
        {"segment": 3, "exact-match": 0.0},
    ]
    paired = run_json(*args, "--paired", "ref-1.txt")["segments"]
    assert paired[1] == {
        "segment": 2,
        "exact-match": 0.0,
        "exact-match: ref-1.txt": 1.0,
    }
    assert "segments" not in run_json(*args[:-1])


PAGE = pathlib.Path(__file__).parents[2] / "docs" / "score_files.md"


def test_coco_files_of_the_page_are_read(tmp_path):
    text = PAGE.read_text(encoding="utf-8").partition("### COCO files\n")[2]
    files = re.findall(r"`(\w+\.json)` has the .*?```json\n(.*?)```", text, re.S)
    for name, content in files:
        (tmp_path / name).write_text(content)
    [command] = re.findall(r"`memnets score (.*?) --coco` scores", text)
    assert len(files) == 2 and {name for name, _ in files} == {*command.split()}
    assert run_json(*command.split(), "--coco")["num_segments"] == 2
    found = run_json(*command.split(), "--metrics", "exact-match", "--segments")
    assert [[own["segment"], own["exact-match"]] for own in found["segments"]] == [
        [7, 1],
        [9, 0],
    ]


def test_json_is_that_of_the_page(tmp_path):
    text = PAGE.read_text(encoding="utf-8").partition("### JSON\n")[2]
    for name, lines in (
        ("a.txt", ["the cat sat", "a dog"]),
        ("b.txt", ["a cat sat", "a dog"]),
        ("ref.txt", ["the cat sat", "the dog"]),
    ):
        assert f"`{name}` (" in text
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    shown = json.loads(re.search(r"```json\n(.*?)```", text, re.S)[1])
    [command] = re.findall(r"`memnets score (a.txt .*?) --json` prints", text)
    assert run_json(*command.split()) == shown


def test_segments_of_captions_have_the_ids_of_their_images(tmp_path):
    captions = [{"image_id": image, "caption": "a dog"} for image in (42, "x")]
    more = [{"image_id": 42, "caption": "the dog"}]
    (tmp_path / "hyp.json").write_text(json.dumps(captions))
    (tmp_path / "ref.json").write_text(json.dumps({"annotations": captions + more}))
    args = ["hyp.json", "ref.json", "--metrics", "exact-match"]
    assert run(*args, "--segments").stdout.splitlines()[1:] == [
        "42\t1.0000",
        "x\t1.0000",
    ]
    _, [row] = rows_of(run(*args))
    assert "|refs:var|" in row["signature"]


def test_settings_reach_the_metrics_that_have_them(tmp_path):
    (tmp_path / "upper.txt").write_text((tmp_path / "ref-1.txt").read_text().upper())
    args = ["upper.txt", "ref-1.txt", "--metrics", "bleu", "exact-match", "--tokenize"]
    printed = run_json(*args, "char", "--lowercase")["metrics"]
    assert printed["bleu"]["value"] == 1
    assert "tok:char" in printed["bleu"]["signature"]
    assert run_json(*args, "char")["metrics"]["bleu"]["value"] == 0


class Counting(Metric):
    """Length of the texts; remembers how many it has counted."""

    name = "COUNT"
    counted = 0

    def _segment_statistics(self, references, hypothesis):
        Counting.counted += 1
        return [len(hypothesis)]

    def _score(self, totals, segments):
        return Score(value=totals[0] / segments)

    def _settings(self):
        return {}


@pytest.fixture
def counting(monkeypatch):
    module = sys.modules[Counting.__module__]
    monkeypatch.setitem(sys.modules, "counting", module)
    monkeypatch.setitem(METRICS, "bleu", Entry("counting", "Counting"))
    monkeypatch.setattr(Counting, "counted", 0)
    return Counting


def test_no_text_is_counted_twice(counting):
    args = ["hyp.txt", "ref-1.txt", "--paired", "other.txt", "--confidence"]
    run_json(*args, "--segments")
    assert counting.counted == 2 * len(HYPOTHESES)


@pytest.mark.filterwarnings("default")
def test_warnings_are_one_line(tmp_path):
    (tmp_path / "one.txt").write_text("a b\n")
    result = run("one.txt", "one.txt", "--metrics", "cider")
    assert result.exit_code == 0
    assert result.stderr.startswith("Warning: CIDEr of a corpus of one segment is ")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["hyp.txt"], "Missing argument 'REFERENCES..."),
        (["gone.txt", "ref-1.txt"], "`gone.txt` cannot be read: No such file"),
        (["hyp.txt", "."], "`.` cannot be read: Is a directory"),
        (
            ["hyp.txt", "ref-1.txt", "--metrics", "blue"],
            "'blue' is not one of bleu, bleu-1, ",
        ),
        (
            ["hyp.txt", "ref-1.txt", "--metrics", "wer", "metero"],
            f"`metero` is no file, and not one of {', '.join(METRICS)}. Did you mean "
            "meteor?",
        ),
        (
            ["--metrics", "cider-d", "meteor1.5", "hyp.txt", "ref-1.txt"],
            "`meteor1.5` is no file, and not one of bleu, ",
        ),
        (
            ["hyp.txt", "ref-1.txt", "--metrics", "bleu", "cider-d,spice"],
            f"`spice` is no file, and not one of {', '.join(METRICS)}.\n",
        ),
        (["hyp.txt", "bleu.txt", "--metrics", "bleu"], "`bleu.txt` cannot be read"),
        (["hyp.txt", "bleu", "--score-only"], "`bleu` cannot be read"),
        (["hyp.txt", "ref-1.txt", "--confidence", "95"], "is not in the range 0<x<1"),
        (["hyp.txt", "ref-1.txt", "--seed", "-1"], "is not in the range 0<=x<="),
        (["hyp.txt", "ref-1.txt", "--test", "bootstrap"], "needs another system"),
        (
            ["hyp.txt", "ref-1.txt", "--segments", "--confidence"],
            "`--segments` prints no intervals and no tests; with `--json` it does.",
        ),
        (
            ["hyp.txt", "ref-1.txt", "--segments", "--paired", "other.txt"],
            "`--segments` prints no intervals and no tests; with `--json` it does.",
        ),
        (
            ["hyp.txt", "ref-1.txt", "--metrics", "exact-match", "--tokenize", "13a"],
            "`--tokenize` is not an option of exact-match.",
        ),
        (["hyp.txt", "ref-1.txt", "--chrf-beta", "3"], "`--chrf-beta` is not an"),
        (
            ["hyp.txt", "ref-1.txt", "--metrics", "chrf", "--chrf-beta", "-1"],
            "`--chrf-beta` must be a finite number at least 0 and at most 1e+100. "
            "Received: -1.0",
        ),
        (["hyp.txt", "ref-1.txt", "--tokenize", "14b"], "'14b' is not one of 'none'"),
        (["gone.txt", "ref-1.txt", "--tokenize", "14b"], "'--tokenize': '14b' is not"),
        (
            ["hyp.txt", "ref-1.txt", "--tokenize", "meteor"],
            "`--tokenize meteor` is not a tokenizer of bleu.",
        ),
        (
            ["hyp.txt", "ref-1.txt", "--smooth-value", "2"],
            "`--smooth-value` must not be given unless `--smooth-method` is 'floor' "
            "or 'add-k'. Received: 2.0",
        ),
        (
            ["hyp.txt", "ref-1.txt", "--tokenize", "no.model"],
            "`--tokenize` must be the path of a SentencePiece model. Received: "
            "'no.model', which is no file",
        ),
        (["hyp.txt", "ref-1.txt", "--resamples", "9"], "`--resamples` needs"),
        (["hyp.txt", "ref-1.txt", "--seed", "9"], "`--seed` needs"),
        (["hyp.txt", "ref-1.txt", "--score-only", "--confidence"], "`--score-only` "),
        (
            ["hyp.txt", "--paired", "other.txt", "ref-1.txt"],
            "Missing argument 'REFERENCES...'. `--paired` took the words after it: it "
            "stands after the arguments.",
        ),
        (
            ["--paired", "other.txt", "hyp.txt", "ref-1.txt"],
            "Missing argument 'HYPOTHESES'. `--paired` took the words after it: it "
            "stands after the arguments.",
        ),
        (["hyp.txt"], "Missing argument 'REFERENCES...'.\n"),
        (
            ["hyp.txt", "ref-1.txt", "--metrics", "bleu,ter,meteor2005"],
            "Invalid value for '--metrics': 'meteor2005' is not one of bleu, bleu-1, ",
        ),
        (
            ["hyp.txt", "ref-1.txt", "--metrics", "bleu,ter,meteor2005"],
            "Did you mean meteor-2005?",
        ),
        (["hyp.txt", "ref-1.txt", "--paired", "hyp.txt"], "Received hyp.txt twice."),
        (
            ["hyp.txt", "ref-1.txt", "--metrics", "bleu-1", "--max-order", "3"],
            "`--max-order` does not go with bleu-1, which sets it.",
        ),
        (
            ["hyp.txt", "ref-1.txt", "--metrics", "chrf", "--chrf-char-order", "0"],
            "`--chrf-char-order` or `--chrf-word-order` must be at least 1.",
        ),
        (
            ["hyp.txt", "ref-1.txt", "--language", "Deutsch"],
            "`--language` must be a code such as de, a pair such as en-de, or other. "
            "Received: Deutsch",
        ),
        (
            ["hyp.txt", "ref-1.txt", "--language", "en-jp"],
            "`--language` must be a code of a language: jp is a region, its language "
            "is ja. Received: en-jp",
        ),
        (
            ["hyp.txt", "ref-1.txt", "--metrics", "ter", "--language", "de"],
            "`--language` is not an option of ter.",
        ),
        (
            ["hyp.txt", "ref-1.txt", "--language", "en-de"]
            + ["--metrics", "meteor", "meteor-2005"],
            "`--language en-de` does not go with meteor-2005, which is of English "
            "only. Take meteor or meteor-1.5 in its place.",
        ),
        (
            ["hyp.txt", "ref-1.txt", "--metrics", "meteor", "--language", "pl"],
            "`--language` must be one that METEOR knows (en, cz, de, es, fr, ru, da, "
            "fi, hu, it, nl, no, pt, ro, se, tr), or a pair such as en-de. "
            "`--language other` scores any language by its equal words, with "
            "`--tokenize 13a` if the text is not tokenised. Received: pl",
        ),
        *(
            (
                ["hyp.txt", "ref-1.txt", "--metrics", "meteor", "--language", code],
                "METEOR of Arabic needs a table of stems, which it takes in Python "
                'only: metrics.METEOR(language="ar", stemmer=metrics.StemTable(path)). '
                "`--language other` scores any language by its equal words, with",
            )
            for code in ("ar", "en-ar", "ar-bw-red")
        ),
        (["hyp.txt", "ref-1.txt", "--split", "test"], "`--split` needs Karpathy's"),
        (
            ["hyp.txt", "ref-1.txt", "--coco", "--paraphrases", "gone.gz"],
            "`--paraphrases` cannot be read",
        ),
        (["hyp.txt", "ref-1.txt", "--json", "--latex"], "`--latex` does not go with"),
        (["hyp.txt", "ref-1.txt", "--json", "--width", "2"], "`--width` does not go"),
        (
            ["hyp.txt", "ref-1.txt", "ref-2.txt", "--num-refs", "2"],
            "`--num-refs` needs",
        ),
        (["-", "-"], "Standard input (`-`) can be read only once."),
        (["hyp.txt", "hyp.json"], "`hyp.json` cannot be read: No such file"),
    ],
)
def test_bad_input_exits_with_2_and_one_clear_line(args, message):
    result = run(*args)
    assert result.exit_code == 2
    assert message in result.stderr
    assert isinstance(result.exception, SystemExit)
    assert result.stderr.count("Error: ") == 1
    assert not result.stdout


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "`bad.txt` is empty."),
        (
            b"a\nb \xe9\nc\n",
            "`bad.txt` must be UTF-8. Received in line 2: byte 0xe9 at position 4.",
        ),
        (
            b"a\n\xed\xa0\x80\n",
            "`bad.txt` must be UTF-8. Received in line 2: byte 0xed at position 2.",
        ),
        (
            "a\n".encode("utf-16"),
            "`bad.txt` must be UTF-8. Received in line 1: byte 0xff at position 0.",
        ),
        (b"a\n\0\n", "`bad.txt` must be text. Received a NUL byte in line 2."),
        (b"\x1f\x8bgzip", "`bad.txt` is truncated or not gzip: "),
    ],
)
@pytest.mark.parametrize("is_reference", [False, True])
def test_files_that_are_no_text_exit_with_2_and_the_line(
    content, message, is_reference, tmp_path
):
    (tmp_path / "bad.txt").write_bytes(content)
    files = ["hyp.txt", "bad.txt"] if is_reference else ["bad.txt", "hyp.txt"]
    result = run(*files)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: {message}")
    assert result.stderr.count("\n") == 1


def test_a_byte_order_mark_and_windows_line_ends_change_no_score(tmp_path):
    text = (tmp_path / "hyp.txt").read_text()
    windows = "\ufeff" + text.replace("\n", "\r\n")
    (tmp_path / "windows.txt").write_bytes(windows.encode())
    plain = run_json("hyp.txt", "ref-1.txt")["metrics"]
    assert run_json("windows.txt", "ref-1.txt")["metrics"] == plain
    assert run_json("hyp.txt", "windows.txt")["metrics"]["bleu"]["value"] == 1


def test_unequal_lengths_exit_with_2(tmp_path):
    (tmp_path / "short.txt").write_text("a\n")
    result = run("hyp.txt", "ref-1.txt", "short.txt")
    assert result.exit_code == 2
    assert result.stderr == (
        "Error: Files must have the same number of lines. Received: `hyp.txt` has 3 "
        "and `short.txt` has 1; `hyp.txt` is longer.\n"
    )


GOLDEN = pathlib.Path(__file__).parents[1] / "golden"
COCO = json.loads((GOLDEN / "coco.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("count", [15, 7])
def test_coco_gives_the_seven_numbers_of_pycocoevalcap(tmp_path, count):
    """For all images and for some; tests/golden/make_coco.py made the numbers."""
    (tmp_path / "ref.json").write_text(json.dumps(COCO))
    (tmp_path / "res.json").write_text(json.dumps(COCO["results"][:count]))
    table = GOLDEN / "paraphrases.txt"
    result = run("res.json", "ref.json", "--coco", "--paraphrases", table, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)["metrics"]
    expected = COCO["scores"][str(count)]
    assert list(found) == list(expected)
    for name, value in expected.items():
        assert found[name]["value"] == pytest.approx(value, rel=0, abs=1e-9), name
    partial = "Note: `res.json` has captions of 7 of 15 images."
    assert (partial in result.stderr) == (count == 7)
    assert "SPICE" in result.stderr and "`--paraphrases`" not in result.stderr


def test_coco_says_that_the_table_is_missing(tmp_path):
    (tmp_path / "ref.json").write_text(json.dumps(COCO))
    (tmp_path / "res.json").write_text(json.dumps(COCO["results"]))
    result = run("res.json", "ref.json", "--coco")
    assert (
        result.exit_code == 0 and "without `--paraphrases` METEOR is" in result.stderr
    )


@pytest.mark.parametrize(
    "option",
    [
        *("--metrics bleu", "--tokenize 13a", "--lowercase", "--language de"),
        *("--max-order 2", "--chrf-beta 1"),
    ],
)
def test_coco_sets_what_other_options_set(option):
    result = run("hyp.txt", "ref-1.txt", "--coco", *option.split())
    assert result.exit_code == 2
    assert f"`{option.split()[0]}` does not go with `--coco`" in result.stderr


@pytest.mark.parametrize("language", ["de", "en-de"])
def test_language_is_that_of_meteor(language):
    scores = run_json(
        "hyp.txt", "ref-1.txt", "--metrics", "bleu", "meteor", "--language", language
    )["metrics"]
    assert "|lang:de|" in scores["meteor"]["signature"]
    assert "|tok:13a|" in scores["bleu"]["signature"]


def test_it_is_said_where_lowercase_changes_nothing():
    arguments = ["hyp.txt", "ref-1.txt", "--lowercase", "--metrics", "bleu", "ter"]
    assert run(*arguments[:-1]).stderr == ""
    assert run(*arguments, "exact-match", "cider", "meteor").stderr == (
        "Note: `--lowercase` changes nothing in ter, exact-match, cider, meteor.\n"
    )


def test_it_is_said_where_tokenize_changes_nothing():
    arguments = ["hyp.txt", "ref-1.txt", "--tokenize", "intl", "--metrics", "bleu"]
    assert run(*arguments, "wer").stderr == ""
    assert run(*arguments, "chrf", "wer", "ter").stderr == (
        "Note: `--tokenize` changes nothing in chrf, ter.\n"
    )


@pytest.mark.parametrize(
    "language",
    "zh en-zh zh_CN en-zh-CN en_zh_Hans zh-cn zh_tw zh-hk zh-hant en-zh-cn zho cmn "
    "en-zho eng_Latn-zho_Hans".split(),
)
def test_chinese_is_split_into_characters(language):
    scores = run_json(
        "hyp.txt", "ref-1.txt", "--metrics", "bleu", "meteor", "--language", language
    )["metrics"]
    assert "|tok:zh|" in scores["bleu"]["signature"]
    assert "|lang:other|tok:zh|" in scores["meteor"]["signature"]


@pytest.mark.parametrize(
    ("language", "target"),
    [
        ("pt-br", "pt"),  # Brazil
        ("en-br", "br"),  # Breton
        ("en-tw", "tw"),  # Twi
        ("zh-cn-en", "en"),
        ("ja-jp", "ja"),
        ("zho-tw", "zho"),
        ("eng-cmn-tw", "cmn"),
        ("kor-kr", "kor"),
        ("jpn-jp", "jpn"),
        ("de-de", "de"),
        ("en-us-fr-ch", "fr"),
        ("eng-jpn", "jpn"),
    ],
)
def test_a_region_is_not_the_second_language_of_a_pair(language, target):
    assert target_language(language) == target


@pytest.mark.parametrize(
    ("language", "tokenizer", "noted"),
    [
        ("en-zh", "13a", "`--language en-zh` is published with `zh`."),
        ("ja", "intl", "`--language ja` is published with `ja-mecab`."),
        ("en-zh", "char", ""),
    ],
)
def test_tokenizers_that_are_not_a_language_s_are_noticed(language, tokenizer, noted):
    args = ["hyp.txt", "ref-1.txt", "--language", language, "--tokenize", tokenizer]
    result = run(*args)
    assert result.exit_code == 0 and noted in result.stderr
    assert bool(result.stderr) == bool(noted)


@pytest.mark.parametrize("language", ["other", "en-other"])
def test_meteor_scores_any_language_by_equal_words(language):
    args = ["hyp.txt", "ref-1.txt", "--metrics", "meteor", "--language", language]
    signature = run_json(*args, "--tokenize", "13a")["metrics"]["meteor"]["signature"]
    assert "|lang:other|" in signature and "|mod:exact|" in signature
    assert "|tok:13a|" in signature


def test_a_language_that_changes_nothing_is_noted():
    args = ["hyp.txt", "ref-1.txt", "--language", "en-de", "--metrics", "bleu"]
    [note] = notes_of(*args, "chrf")
    assert note.startswith("Note: `--language en-de` changes nothing in bleu, chrf: ")
    assert notes_of(*args, "meteor") == []


def test_settings_are_those_of_the_metric_that_the_option_names():
    options = "--chrf-char-order 3 --chrf-beta 1 --chrf-lowercase --ter-no-punct"
    options += " --max-order 2 --smooth-method floor --smooth-value 0.5 --rouge-stem"
    names = ["bleu", "chrf", "ter", "rouge-2", "meteor"]
    printed = run_json("hyp.txt", "ref-1.txt", "--metrics", *names, *options.split())
    signatures = {n: own["signature"] for n, own in printed["metrics"].items()}
    assert "|case:mixed|" in signatures["bleu"]
    assert "|smooth:floor[0.5]|order:2|" in signatures["bleu"]
    assert "|case:lc|eff:yes|nc:3|nw:0|beta:1|" in signatures["chrf"]
    assert "case:mixed" not in signatures["meteor"]
    assert "|punct:no|" in signatures["ter"]
    assert "|stem:yes" in signatures["rouge-2"]


def test_odd_texts_are_noticed(tmp_path):
    (tmp_path / "odd.txt").write_text("a cat .\n\na dog .\n")
    result = run("odd.txt", "ref-1.txt")
    first, second = result.stderr.splitlines()
    assert first.startswith("Note: 2 of 3 lines of `odd.txt` end in a separate full")
    assert second == "Note: `odd.txt` has 1 empty segment of 3, the first is 2."
    (tmp_path / "tabs.tsv").write_text("a\tb\n" * 3)
    tabs = run("hyp.txt", "tabs.tsv").stderr
    assert "of the references has 1 tab: `--num-refs 2` reads" in tabs
    assert "Every line of `tabs.tsv` has 1 tab." in run("tabs.tsv", "hyp.txt").stderr
    (tmp_path / "tabs.tsv").write_text("a\tb\tc\n" * 3)
    assert "`tabs.tsv` has 2 tabs." in run("tabs.tsv", "hyp.txt").stderr
    told = run("odd.txt", "ref-1.txt", "--tokenize", "none").stderr
    assert "full stop" not in told
    (tmp_path / "some.txt").write_text("a\tb\nc\nd\te\tf\n")
    assert run("hyp.txt", "some.txt").stderr.startswith(
        "Note: 2 of 3 references have a tab, which is read as white space. If tabs "
        "separate references: `--num-refs` needs the same number in each line.\n"
    )
    assert run("hyp.txt", "ref-1.txt").stderr == ""


def test_unknown_language_is_named():
    result = run("hyp.txt", "ref-1.txt", "--metrics", "meteor", "--language", "xx")
    assert result.exit_code == 2 and "Received: xx" in result.stderr


GERMAN = (
    "Der Hund und die Katze sind in dem Haus , und das Kind ist mit der Frau da .\n"
)


@pytest.mark.filterwarnings("default")
def test_german_that_is_scored_as_english_is_noticed(tmp_path):
    (tmp_path / "de.txt").write_text(GERMAN * 5)
    noticed = run("de.txt", "de.txt", "--metrics", "meteor")
    assert "look like German, and are scored as English" in noticed.stderr
    told = run("de.txt", "de.txt", "--metrics", "meteor", "--language", "de")
    assert told.exit_code == 0 and told.stderr == ""
    english = run("hyp.txt", "ref-1.txt", "--metrics", "meteor")
    assert english.stderr == ""


@pytest.mark.filterwarnings("default")
def test_coco_of_german_warns_before_the_notes_and_names_no_option(tmp_path):
    words = GERMAN.splitlines()[0]
    images = [{"id": number} for number in range(40)]
    captions = [{"image_id": n, "id": n, "caption": words} for n in range(40)]
    annotations = {"images": images, "annotations": captions}
    (tmp_path / "de.json").write_text(json.dumps(annotations))
    (tmp_path / "own.json").write_text(json.dumps(captions))
    first, *notes = run("own.json", "de.json", "--coco").stderr.splitlines()
    assert first == (
        "Warning: The references look like German, and are scored as English. So does "
        "pycocoevalcap."
    )
    assert len(notes) == 2


@pytest.mark.filterwarnings("default")
def test_a_table_of_paraphrases_of_another_language_is_noticed(tmp_path):
    for name in ("paraphrase-en", "own"):
        (tmp_path / name).write_text("0.5\ncar\nautomobile\n")
    arguments = ["hyp.txt", "ref-1.txt", "--metrics", "meteor", "--paraphrases"]
    assert run(*arguments, "paraphrase-en", "--language", "de").stderr == (
        "Warning: `--paraphrases` has the name of a table of English, and the texts "
        "are scored as German. Received: paraphrase-en\n"
    )
    assert run(*arguments, "paraphrase-en").stderr == ""
    assert run(*arguments, "own", "--language", "de").stderr == ""


SACREBLEU = json.loads((GOLDEN / "sacrebleu_calls.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "call", SACREBLEU["calls"], ids=lambda c: " ".join(c["memnets"])[:99]
)
def test_random_calls_give_the_numbers_of_sacrebleu(call, tmp_path):
    """tests/golden/make_sacrebleu_calls.py drew the calls and made the numbers."""
    for name, lines in SACREBLEU["files"].items():
        text = "\n".join(lines) + "\n"
        (tmp_path / name).write_text(text, encoding="utf-8", newline="\n")
    form = [] if call["sentences"] else ["--score-only"]
    result = run(*call["memnets"], *form, "--scale", 100, "--width", 12)
    assert result.exit_code == 0, result.output
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    if call["sentences"]:
        rows = [row[1:] for row in rows[1:]]
    found = [float(number) for row in rows for number in row]
    assert found == pytest.approx(call["numbers"], rel=0, abs=1e-8)


def test_every_option_of_sacrebleu_is_in_the_docs():
    text = pathlib.Path(__file__).parents[2].joinpath("docs/bleu.md").read_text()
    table = text.split("## From sacreBLEU's command line")[1].split("\n## ")[0]
    rows = [line.split(" | ")[0] for line in table.splitlines() if line[:2] == "| "]
    named = {option for row in rows for option in re.findall(r"--[a-z-]+[a-z]", row)}
    assert len(SACREBLEU["options"]) > 40
    assert set(SACREBLEU["options"]) <= named
    own = {option for parameter in score.params for option in parameter.opts}
    for line in table.splitlines():
        if line.endswith("| the same |") and "--help" not in line:
            assert set(re.findall(r"--[a-z-]+[a-z]", line)) <= own


def notes_of(*args):
    result = run(*args)
    assert result.exit_code == 0, result.output
    return result.stderr.splitlines()


def test_an_empty_line_of_references_is_no_reference(tmp_path):
    texts = {
        "h": "the cat sat\nhello world\na pub by the river\n",
        "r1": "the black cat sat on the mat\nhello big world out there now\n"
        "a nice pub by the river\n",
        "r2": "a cat sat down there\n\nby the river there is a pub\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    options = ["--max-order", "2", "--metrics", "bleu", "ter", "wer", "cider-d"]
    result = run("h", "r1", "r2", *options, "--score-only")
    # sacreBLEU 2.6 with None gives 41.97 and 43.24; 8 of 17 words are edited.
    bleu, ter, wer, cider = result.stdout.split()
    assert (bleu, ter, wer) == ("0.4197", "0.4324", f"{8 / 17:.4f}")
    columns = [texts[name].splitlines() for name in ("r1", "r2")]
    references = [list(filter(None, own)) for own in zip(*columns, strict=True)]
    metric = get_metrics(["cider-d"])["cider-d"]
    expected = metric.corpus_score(references, texts["h"].splitlines()).value
    assert cider == f"{expected:.4f}"
    assert result.stderr.startswith(
        "Note: 1 reference of 6 in `r1` and `r2` is empty, and counts as none; the "
        "first is of line 2.\n"
    )


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", METRICS)
def test_warnings_name_options_and_not_arguments(name, tmp_path):
    (tmp_path / "zh").write_text("我们今天去北京看长城。\n")
    lines = notes_of("zh", "zh", "--metrics", name)
    for line in lines:
        assert not re.search(r"`(?!--)[a-z_]+[=`]", line), line
    characters = {"chrf", "cer", "exact-match", "meteor", "meteor-1.5"}
    assert bool(lines) == (name not in characters)


@pytest.mark.filterwarnings("default")
def test_text_without_blanks_is_noted_and_read_by_its_language(tmp_path):
    (tmp_path / "h").write_text("我们今天去北京看长城。\n他昨天买了三本书。\n")
    (tmp_path / "r").write_text("我们今天去北京游览长城。\n他昨天买了三本书。\n")
    [note] = notes_of("h", "r", "--score-only")
    assert note.startswith(
        "Warning: BLEU takes phrases for words in most references: their script has no "
        "blanks between words. Pass `--tokenize zh` for Chinese"
    )
    for code in ("zh", "yue", "eng_Latn-yue_Hant", "eng_Latn-zho_Hant", "wuu"):
        result = run("h", "r", "--score-only", "--language", code)
        assert (result.stdout, result.stderr) == ("0.7959\n", "")
    [note] = notes_of("h", "r", "--metrics", "ter", "--score-only")
    assert "Pass `--ter-normalized` and `--ter-asian-support` for Chinese" in note
    options = ["--ter-normalized", "--ter-asian-support"]
    # sacreBLEU 2.6 prints 9.52.
    result = run("h", "r", "--metrics", "ter", "--score-only", *options)
    assert (result.stdout, result.stderr) == ("0.0952\n", "")


def test_settings_that_change_nothing_are_noted():
    options = ["hyp.txt", "ref-1.txt", "--metrics", "ter", "--ter-asian-support"]
    [note] = notes_of(*options)
    assert note == (
        "Note: `--ter-asian-support` changes nothing without `--ter-normalized` or "
        "`--ter-no-punct`, as in sacreBLEU."
    )
    assert not notes_of(*options, "--ter-normalized")
    assert not notes_of(*options, "--ter-no-punct")
    [note] = notes_of(
        *("hyp.txt", "ref-1.txt", "--effective-order", "--smooth-method", "add-k")
    )
    assert note == (
        "Note: `--effective-order` changes nothing with `--smooth-method add-k`."
    )


def test_equal_short_segments_are_equal(tmp_path):
    (tmp_path / "h").write_text("yes sir\nthe cat sat on the mat\n")
    result = run("h", "h", "--segments")
    assert result.stdout.splitlines()[1:] == ["1\t1.0000", "2\t1.0000"]
    assert result.stderr == (
        "Note: BLEU of segments is with `--effective-order`, as sacreBLEU's is.\n"
    )
    assert not run("h", "h", "--segments", "--effective-order").stderr
    # The score of the corpus is the same, whether segments are printed or not.
    report = run_json("h", "h", "--segments", "--metrics", "bleu", "chrf")
    plain = run_json("h", "h", "--metrics", "bleu", "chrf")
    assert report["metrics"] == plain["metrics"]
    assert "|eff:no|" in plain["metrics"]["bleu"]["signature"]
    assert report["segments"][0]["bleu"] == 1
    effective = run_json("h", "h", "--segments", "--effective-order")["metrics"]
    assert "|eff:yes|" in effective["bleu"]["signature"]


def test_segments_have_the_settings_of_their_metric():
    args = ["hyp.txt", "ref-1.txt", "--metrics", "bleu-2", "chrf", "--lowercase"]
    args += ["--smooth-method", "floor", "--smooth-value", "0.3", "--chrf-beta", "1"]
    options = {"lowercase": True, "smoothing": "floor", "smoothing_value": 0.3}
    metric = get_metrics(["bleu-2"], effective_order=True, **options)["bleu-2"]
    single = [own[:1] for own in REFERENCES]
    expected = [score.value for score in metric.sentence_scores(single, HYPOTHESES)]
    segments = run_json(*args, "--segments")["segments"]
    assert [segment["bleu-2"] for segment in segments] == expected


def test_sentences_of_summaries_have_a_separator(tmp_path):
    (tmp_path / "h").write_text("It rained.<n>The cat sat.<n>Dogs bark at night.\n")
    (tmp_path / "r").write_text(
        "The cat sat.<n>Dogs bark loudly at night.<n>It rained.\n"
    )
    options = ["h", "r", "--metrics", "rouge-lsum", "--score-only"]
    # rouge-score 0.1.2 prints 0.9474 of lines, and 0.7368 of one text.
    result = run(*options, "--rouge-separator", "<n>")
    assert (result.stdout, result.stderr) == ("0.9474\n", "")
    [note] = notes_of(*options)
    assert note.startswith("Note: no reference has several sentences")
    captions = {
        name: (tmp_path / name).read_text().strip().replace("<n>", "\n")
        for name in "hr"
    }
    (tmp_path / "h.json").write_text(
        json.dumps([{"image_id": 1, "caption": captions["h"]}])
    )
    (tmp_path / "r.json").write_text(
        json.dumps({"annotations": [{"image_id": 1, "caption": captions["r"]}]})
    )
    assert run("h.json", "r.json", *options[2:]).stdout == "0.9474\n"


def test_document_frequencies_come_from_another_file(tmp_path):
    def entries(*captions):
        return [{"image_id": n, "caption": c} for n, c in captions]

    own = [(1, "a cat on a mat"), (1, "the cat sits")]
    larger = [*own, (2, "a dog runs"), (3, "two men ride horses")]
    for name, content in [
        ("r.json", entries(own[0])),
        ("a.json", {"annotations": entries(*own)}),
        ("all.json", {"annotations": entries(*larger)}),
    ]:
        (tmp_path / name).write_text(json.dumps(content))
    args = ["r.json", "a.json", "--metrics", "cider-d", "--cider-documents", "all.json"]
    found = run_json(*args)["metrics"]["cider-d"]
    references = [["a cat on a mat", "the cat sits"], ["a dog runs"]]
    references += [["two men ride horses"]]
    fitted = get_metrics(["cider-d"])["cider-d"].fitted(references, ["", "", ""])
    expected = fitted.sentence_score(references[0], "a cat on a mat")
    assert found["value"] == pytest.approx(expected.value, abs=1e-12)
    assert found["value"] > 1 and "|df:given|docs:3|" in found["signature"]
    # The frequencies of lines: a line is a document.
    (tmp_path / "lines").write_text("a cat\na dog\n")
    args = ["hyp.txt", "ref-1.txt", "--metrics", "cider", "--cider-documents"]
    assert "|docs:2|" in run(*args, "lines").stdout
    (tmp_path / "line").write_text("a cat\n")
    result = run(*args, "line")
    assert result.stderr.startswith("Error: `--cider-documents` must be an integer")
    assert run(*args, "gone").stderr.startswith("Error: `gone` cannot be read")


def test_processes_that_die_are_one_line_and_not_bad_input(monkeypatch):
    def die(*args, **kwargs):
        raise ChildProcessError("A process died")

    monkeypatch.setattr("tasks.cli.score.score_corpus", die)
    result = run("hyp.txt", "ref-1.txt")
    assert (result.exit_code, result.stderr) == (1, "Error: A process died\n")
