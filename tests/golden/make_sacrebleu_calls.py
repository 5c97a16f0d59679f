"""Scores texts with 40 random calls of sacreBLEU's command line (PyPI, version 2.6).

    python tests/golden/make_sacrebleu_calls.py

Writes `sacrebleu_calls.json`: the names of all options of sacreBLEU, the texts as
files, and for each call the options of sacreBLEU, the same options of `memnets score`,
and the numbers that sacreBLEU prints, in percent. This library is not used.
"""

import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
CALLS = 40
LINES = 30
WORDS = (
    "the The a cat dogs sat, run. on mat; (home) isn't $4.50 1,000 U.S. über Straße "
    'naïve "quoted" -- well-known 我有 两只猫。 が好き &quot; &amp; É e\u0301 co-op '
    "3-4 x/y don't stop! Why? a.b.c 🙂 ٣ kg"
).split()


def main():
    random.seed(20261123)
    files = texts()
    calls = [random_call() for _ in range(CALLS)]
    with tempfile.TemporaryDirectory() as folder:
        for name, lines in files.items():
            pathlib.Path(folder, name).write_text(
                "\n".join(lines) + "\n", encoding="utf-8", newline="\n"
            )
        for call in calls:
            call["numbers"] = numbers(call, folder)
    written = {"options": options(), "files": files, "calls": calls}
    text = json.dumps(written, ensure_ascii=False, indent=0)
    (HERE / "sacrebleu_calls.json").write_text(
        text + "\n", encoding="utf-8", newline="\n"
    )


def options():
    """All options that sacreBLEU's help lists."""
    command = [sys.executable, "-m", "sacrebleu", "--help"]
    return sorted(set(re.findall(r"--[a-z-]+[a-z]", run(command, "."))))


def texts():
    """Files of references, and of systems that change some of their words."""
    first = [sentence() for _ in range(LINES)]
    second = [changed(line, 0.4) for line in first]
    return {
        "ref-1.txt": first,
        "ref-2.txt": second,
        "refs.tsv": [f"{a}\t{b}" for a, b in zip(first, second, strict=True)],
        "a.txt": [changed(line, 0.2) for line in first],
        "b.txt": [changed(line, 0.5) for line in first],
    }


def sentence():
    return " ".join(random.choices(WORDS, k=random.randint(2, 18)))


def changed(line, share):
    words = [
        random.choice(WORDS) if random.random() < share else word
        for word in line.split()
        if random.random() > share / 4
    ]
    if random.random() < share:
        random.shuffle(words)
    return " ".join(words or ["x"])


def random_call():
    """Options of sacreBLEU, and of `memnets score`."""
    references = random.choice([["ref-1.txt"], ["ref-1.txt", "ref-2.txt"], "tsv"])
    theirs, ours = [], []
    if references == "tsv":
        references = ["refs.tsv"]
        both(theirs, ours, "--num-refs", 2)
    sentences = random.random() < 0.25
    names = random.sample(["bleu", "chrf", "ter"], 1 if sentences else 2)
    both(theirs, ours, "--metrics", *names)
    if sentences:
        theirs.append("--sentence-level")
        ours.append("--segments")
        if names == ["bleu"]:
            ours.append("--effective-order")
    if "bleu" in names:
        bleu_options(theirs, ours)
    if "chrf" in names:
        chrf_options(theirs, ours)
    if "ter" in names:
        for flag in ("case-sensitive", "asian-support", "no-punct", "normalized"):
            if random.random() < 0.4:
                both(theirs, ours, f"--ter-{flag}")
    systems = ["a.txt"]
    if not sentences and random.random() < 0.4:
        systems.append("b.txt")
        ours += ["--paired", "b.txt"]
    return {
        "sacrebleu": [*references, "--input", *systems, *theirs],
        "memnets": ["a.txt", *references, *ours],
        "names": names,
        "systems": systems,
        "sentences": sentences,
    }


def both(theirs, ours, *words):
    theirs += map(str, words)
    ours += map(str, words)


def bleu_options(theirs, ours):
    if random.random() < 0.6:
        method = random.choice(["none", "floor", "add-k", "exp"])
        both(theirs, ours, "--smooth-method", method)
        if method in ("floor", "add-k") and random.random() < 0.7:
            both(theirs, ours, "--smooth-value", random.choice([0.05, 0.5, 1]))
    if random.random() < 0.6:
        names = ["none", "zh", "13a", "intl", "char"]
        both(theirs, ours, "--tokenize", random.choice(names))
    elif random.random() < 0.5:
        theirs += ["--language-pair", "en-zh"]
        ours += ["--language", "en-zh"]
    if random.random() < 0.3:
        both(theirs, ours, "--lowercase")
        # Of sacreBLEU it is BLEU's alone.
        theirs.append("--chrf-lowercase")


def chrf_options(theirs, ours):
    for flag, values in [
        ("char-order", [1, 4, 6]),
        ("word-order", [0, 1, 2]),
        ("beta", [1, 2, 3]),
    ]:
        if random.random() < 0.5:
            both(theirs, ours, f"--chrf-{flag}", random.choice(values))
    for flag in ("whitespace", "lowercase", "eps-smoothing"):
        if random.random() < 0.3:
            both(theirs, ours, f"--chrf-{flag}")


def numbers(call, folder):
    """What sacreBLEU prints: a number for each metric and system, or for each segment.

    Systems come one after the other, each with its metrics in the order of `names`.
    """
    width = ["--width", "12"]
    command = [sys.executable, "-m", "sacrebleu", *call["sacrebleu"], *width]
    if call["sentences"]:
        return [float(line) for line in run([*command, "--score-only"], folder).split()]
    # Its metrics are sorted by name.
    found = json.loads(run([*command, "--format", "json"], folder))
    by_name = sorted(call["names"])
    if len(call["systems"]) == 1:
        own = dict(zip(by_name, found, strict=True))
        return [own[name]["score"] for name in call["names"]]
    columns = [
        dict(zip(by_name, list(system.values())[1:], strict=True)) for system in found
    ]
    return [float(own[name]) for own in columns for name in call["names"]]


def run(command, folder):
    return subprocess.run(
        command, cwd=folder, capture_output=True, check=True, text=True
    ).stdout


if __name__ == "__main__":
    main()
