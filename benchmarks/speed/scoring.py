"""Segments a second of the text metrics, side by side with the tools they replace.

    python benchmarks/speed/scoring.py \\
        [--texts hypotheses.txt --texts references-1.txt ...] \\
        [--jar meteor-1.5.jar] [--wordnet /usr/share/wordnet] [--json]

Rows take turns, so that what else the machine does hits all alike; medians are
printed. Peers that are not installed are left out: `pip install sacrebleu bleuscore`.
Text is made up unless files are given, one segment a line, the first file the
hypotheses. METEOR's jar and `memnets score` are whole commands, with their start;
NLTK's METEOR has WordNet loaded already.
"""

import gzip
import importlib.util
import io
import json
import os
import pathlib
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import click
import rich.console
import rich.table

import metrics

# Frequent first: as in text, the n-th word is drawn with a chance of 1 / n.
WORDS = (
    "a the man in on woman of two and with is dog street young boy girl shirt "
    "people red wearing blue at playing black white standing to sitting water "
    "group walking another are his down ball child while an old next through "
    "green field by jumping large looks running snow beach bicycle camera "
    "guitar yellow front holding building crowd mountain quickly tree kids "
    "bench orange car hat talking hand side table brown little outside "
).split()
HERE = pathlib.Path(__file__).resolve()
COMMAND = "from tasks.cli.main import main; main()"


def made_up(segments, references, seed=1):
    """Hypotheses and references that share about half of their n-grams."""
    rng = random.Random(seed)
    weights = [1 / (rank + 1) for rank in range(len(WORDS))]

    def variation(words):
        return [
            word if rng.random() < 0.8 else rng.choices(WORDS, weights)[0]
            for word in words
            if rng.random() < 0.9
        ]

    hypotheses, all_references = [], []
    for _ in range(segments):
        words = rng.choices(WORDS, weights, k=rng.randint(6, 20))
        texts = [" ".join(variation(words)) + "." for _ in range(references + 1)]
        hypotheses.append(texts[0])
        all_references.append(texts[1:])
    return hypotheses, all_references


def read(paths, segments):
    """Hypotheses and references from files, repeated to the number of segments."""
    columns = []
    for path in paths:
        opened = gzip.open if path.suffix == ".gz" else open
        with opened(path, "rt", encoding="utf-8", newline="\n") as lines:
            own = lines.read().removesuffix("\n").split("\n")
        columns.append((own * (segments // len(own) + 1))[:segments])
    return columns[0], [list(row) for row in zip(*columns[1:], strict=True)]


def installed(name):
    """Whether a package can be imported."""
    return importlib.util.find_spec(name) is not None


def bleu_rows(hypotheses, references):
    """Corpus BLEU: (what, who, function), ours first in each group."""
    count = len(references[0])
    streams = [list(column) for column in zip(*references, strict=True)]
    for tokenizer in ("none", "13a"):
        what = f"BLEU, {tokenizer}, {count} reference{'s' * (count > 1)}"
        bleu = metrics.BLEU(tokenizer=tokenizer)
        yield (
            what,
            "memnets",
            lambda bleu=bleu: bleu.corpus_score(references, hypotheses),
        )
        if installed("sacrebleu"):
            import sacrebleu

            yield (
                what,
                "sacreBLEU",
                lambda t=tokenizer: sacrebleu.corpus_bleu(
                    hypotheses, streams, tokenize=t, force=True
                ),
            )
        if installed("bleuscore") and tokenizer == "13a":
            import bleuscore

            yield (
                what,
                "bleuscore (Rust)",
                lambda: bleuscore.compute(references, hypotheses),
            )
    what = f"BLEU with an interval, 13a, {count} reference{'s' * (count > 1)}"
    bleu = metrics.BLEU()
    yield (
        what,
        "memnets",
        lambda: bleu.corpus_score(references, hypotheses, confidence=0.95),
    )


def meteor_rows(hypotheses, references, jar, wordnet, folder):
    """METEOR 1.5: whole commands against the jar, then functions against NLTK."""
    stages = ["exact", "stem", "synonym"]
    hyp, refs = folder / "hypotheses.txt", []
    hyp.write_text("\n".join(hypotheses) + "\n", encoding="utf-8")
    for number, column in enumerate(zip(*references, strict=True)):
        refs.append(folder / f"references-{number}.txt")
        refs[-1].write_text("\n".join(column) + "\n", encoding="utf-8")
    count = len(refs)
    what = f"METEOR 1.5, command, {count} reference{'s' * (count > 1)}"
    command = [sys.executable, "-c", COMMAND, "score", hyp, *refs]
    command += ["--metrics", "meteor-1.5"]
    yield what, "memnets", lambda: run(command)
    yield what, "memnets, in Python", lambda: run(command, MEMNETS_NATIVE="0")
    if jar:
        together = folder / "together.txt"
        lines = [text for own in references for text in own]
        together.write_text("\n".join(lines) + "\n", encoding="utf-8")
        java = ["java", "-Xmx2G", "-jar", jar, hyp, together, "-r", str(count)]
        java += ["-l", "en", "-norm", "-m", " ".join(stages)]
        yield what, "meteor-1.5.jar", lambda: run(java)
    what = f"METEOR, function, {count} reference{'s' * (count > 1)}"
    for preset in ("1.5", "corrected", "nltk"):
        yield (
            what,
            f"memnets {preset}",
            lambda preset=preset: metrics.METEOR(preset).corpus_score(
                references, hypotheses
            ),
        )
    if wordnet:
        reader = debian_wordnet(wordnet)
        from nltk.translate.meteor_score import meteor_score

        yield (
            what,
            "NLTK",
            lambda: [
                meteor_score(
                    [text.split() for text in own], hyp.split(), wordnet=reader
                )
                for own, hyp in zip(references, hypotheses, strict=True)
            ],
        )


def run(command, **environment):
    """Runs a command to its end, with more in the environment."""
    subprocess.run(
        list(map(str, command)),
        check=True,
        env=os.environ | environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def debian_wordnet(folder):
    """NLTK's reader over Debian's files, which lack two that it wants."""
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class Reader(WordNetCorpusReader):
        def map_wn(self, version="wordnet"):
            return None

        def open(self, file):
            if file == "lexnames":
                lines = [f"{n:02d}\tname.{n}\t{1 + n % 4}" for n in range(45)]
                return io.StringIO("\n".join(lines) + "\n")
            return super().open(file)

    nltk.data.path.append(str(folder))
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Reader(str(folder), None)


def measure(rows, segments, repeats):
    """Times the rows in turns; the ratio is to memnets in the same group."""
    rows = list(rows)
    seconds = {row[:2]: [] for row in rows}
    for _ in range(repeats):
        for what, who, function in rows:
            began = time.perf_counter()
            function()
            seconds[what, who].append(time.perf_counter() - began)
    results, first = [], {}
    for (what, who), own in seconds.items():
        median = statistics.median(own)
        first.setdefault(what, median)
        results.append(
            {
                "what": what,
                "who": who,
                "seconds": median,
                "segments_per_second": segments / median,
                "memnets_is_faster": median / first[what],
            }
        )
    return results


def peak_memory(metric, segments):
    """Peak memory in MB of a process that holds and scores made-up segments."""
    code = (
        "import resource\n"
        "import importlib.util as u\n"
        f"s = u.spec_from_file_location('b', {str(HERE)!r})\n"
        "b = u.module_from_spec(s); s.loader.exec_module(b)\n"
        f"h, r = b.made_up({segments}, 1); m = b.metrics.{metric}\n"
        "if m is not None: m.corpus_score(r, h)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, text=True, stdout=subprocess.PIPE
    )
    return float(done.stdout)


@click.command()
@click.option("--segments", default=10_000, show_default=True)
@click.option("--repeats", default=3, show_default=True)
@click.option(
    "--texts",
    multiple=True,
    type=click.Path(path_type=pathlib.Path),
    help="A file; give it again for each file, the hypotheses first.",
)
@click.option("--jar", type=click.Path(exists=True), help="METEOR's jar.")
@click.option("--wordnet", type=click.Path(exists=True), help="Debian's WordNet.")
@click.option("--memory", is_flag=True, help="Peak memory of 100,000 segments too.")
@click.option("--json", "as_json", is_flag=True)
def main(segments, repeats, texts, jar, wordnet, memory, as_json):
    """Measure the text metrics against their peers."""
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for count in (1, 5):
            if texts:
                hypotheses, references = read(texts, segments)
                references = [own[:count] for own in references]
            else:
                hypotheses, references = made_up(segments, count)
            rows = [*bleu_rows(hypotheses, references)]
            rows += meteor_rows(
                hypotheses, references, jar, wordnet, pathlib.Path(folder)
            )
            results += measure(rows, segments, repeats)
    peaks = {}
    if memory:
        for metric in ("BLEU()", "METEOR('1.5')", "CHRF()"):
            peaks[metric] = peak_memory(metric, 100_000)
    if as_json:
        click.echo(json.dumps({"rows": results, "peak_mb": peaks}, indent=2))
        return
    table = rich.table.Table("what", "who", "segments/s", "memnets is faster")
    for row in results:
        table.add_row(
            row["what"],
            row["who"],
            f"{row['segments_per_second']:,.0f}",
            f"{row['memnets_is_faster']:.1f} x",
        )
    rich.console.Console(width=100).print(table)
    for metric, peak in peaks.items():
        click.echo(f"peak memory, 100,000 segments, {metric}: {peak:.0f} MB")
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    click.echo(f"peak memory of this process, peers and texts included: {own:.0f} MB")


if __name__ == "__main__":
    main()
