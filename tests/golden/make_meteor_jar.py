"""Scores the segments of `meteor_jar.jsonl` with the program METEOR 1.5.

    python tests/golden/make_meteor_jar.py meteor-1.5.jar

Segments and options are read from the file, and the scores of the program are written
back. README.md in this folder describes the file. This library is not used.
"""

import gzip
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
FILE = HERE / "meteor_jar.jsonl"


def main(jar):
    lines = FILE.read_text(encoding="utf-8").splitlines()
    entries = [json.loads(line) for line in lines]
    segments = [entry for entry in entries if "hypothesis" in entry]
    for entry in entries:
        if "options" in entry:
            count = entry["references"]
            chosen = [one for one in segments if len(one["references"]) == count]
            entry |= score(jar, chosen, entry["options"], "alignments" in entry)
    with FILE.open("w", encoding="utf-8", newline="\n") as file:
        for entry in entries:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")


def score(jar, segments, options, with_alignments):
    """Corpus score, segment scores and perhaps alignments of the program."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        hypotheses = [segment["hypothesis"] for segment in segments]
        references = [text for segment in segments for text in segment["references"]]
        for name, texts in (("hyp", hypotheses), ("ref", references)):
            text = "".join(f"{text}\n" for text in texts)
            (place / name).write_text(text, encoding="utf-8", newline="\n")
        # The program reads a table only if it is compressed, and says nothing if not.
        table = (HERE / "paraphrases.txt").read_bytes()
        (place / "paraphrases").write_bytes(gzip.compress(table))
        count = len(references) // len(hypotheses)
        command = ["java", "-Dfile.encoding=UTF-8", "-jar", str(jar), "hyp", "ref"]
        command += ["-r", str(count), *shlex.split(options)]
        if with_alignments:
            command.append("-writeAlignments")
        printed = subprocess.run(
            command, cwd=place, check=True, capture_output=True, text=True
        ).stdout
        scores = re.findall(r"^Segment \d+ score:\t(\S+)$", printed, re.MULTILINE)
        corpus = re.search(r"^Final score:\s+(\S+)$", printed, re.MULTILINE)
        found = {"corpus": float(corpus[1]), "scores": list(map(float, scores))}
        if with_alignments:
            text = (place / "meteor-align.out").read_text(encoding="utf-8")
            found["alignments"] = list(map(rows, text.split("Alignment\t")[1:]))
        return found


def rows(text):
    """Start and length in the reference and in the hypothesis, stage: of each match."""
    found = re.findall(r"^(\d+):(\d+)\t+(\d+):(\d+)\t+(\d)\t", text, re.MULTILINE)
    return [list(map(int, row)) for row in found]


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
