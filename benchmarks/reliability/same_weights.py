"""Trains each task with each of its usual models for some steps, and prints checksums.

    python benchmarks/reliability/same_weights.py > before.txt
    python benchmarks/reliability/same_weights.py > after.txt  # of changed code
    diff before.txt after.txt

A checksum is of all weights and of the history without its seconds. Equal lines say
that a change of the code changed no number of a training. The runs are those of
same_weights.txt, with the seed 1, at a fiftieth of their budget or 100 steps.
"""

import hashlib
import json
import pathlib
import shlex
import sys
import tempfile

import keras
import numpy as np

import tasks

RUNS = pathlib.Path(__file__).with_suffix(".txt")


def checksum(line: str, folder: pathlib.Path) -> str:
    """Trains one run of the list, given the folder of its data."""
    name, *words = shlex.split(line)
    options = dict(zip(words[::2], words[1::2], strict=True))
    places = {"TEXTS": folder / "texts", "CAPTIONS": folder / "captions.csv"}
    data = {"data": places[options["--data"]]} if "--data" in options else {}
    if name == "photo-captioning":
        data["images"] = folder
    task = tasks.get_task(name, **data)
    result = tasks.train(
        task,
        tasks.get_model(options["--model"], task),
        seed=1,
        sequences=int(options["--sequences"]),
        epoch_steps=int(options["--epoch-steps"]),
        progress=False,
    )
    digest = hashlib.sha256()
    for weight in result.model.weights:
        digest.update(np.asarray(weight).tobytes())
    rows = [{**row, "seconds": 0} for row in result.history]
    digest.update(json.dumps(rows).encode())
    return digest.hexdigest()[:16]


def write_data(folder: pathlib.Path) -> None:
    """Writes sentences of the toy language, and pictures with captions."""
    rng = np.random.default_rng(1)
    texts = folder / "texts"
    texts.mkdir()
    toy = tasks.get_task("toy-translation")
    for split, count in (("train", 200), ("val", 16)):
        sources, references = toy.eval_pairs(count, rng)
        targets = [one if isinstance(one, str) else one[0] for one in references]
        for language, lines in (("en", sources), ("de", targets)):
            (texts / f"{split}.{language}").write_text("\n".join(lines) + "\n")
    rows = ["image,caption"]
    for number in range(12):
        picture = rng.integers(0, 256, (40, 40, 3), dtype=np.uint8)
        name = f"{number}.png"
        keras.utils.save_img(folder / name, picture, scale=False)
        rows.append(f"{name},a picture of number {number % 5} in colours")
    (folder / "captions.csv").write_text("\n".join(rows) + "\n")


def main() -> None:
    """Trains the runs whose lines contain the words of the command line, or all."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_data(folder)
        for line in RUNS.read_text().splitlines():
            if all(word in line for word in sys.argv[1:]):
                print(f"{checksum(line, folder)}  {line}", flush=True)
                keras.utils.clear_session(free_memory=True)


if __name__ == "__main__":
    main()
