"""Training word vectors on files of text, with checkpoints."""

import contextlib
import dataclasses
import os
from collections.abc import Callable, Iterable
from typing import Any

from ..checks import check_boolean, check_integer, check_number
from ..runs.files import plain
from ..vectors import native
from ..vectors.cooccurrence import Cooccurrence, count_cooccurrences
from ..vectors.glove import GloVe, GloVeConfig
from ..vectors.text import check_files
from ..vectors.word_vectors import WordVectors
from .progress import VectorProgress, display
from .vector_output import VectorOutput

Path = str | os.PathLike[str]
# One more than the last format of a folder that a training leaves.
FORMAT = 1


def train_word_vectors(
    files: Path | Iterable[Path],
    size: int = 100,
    *,
    window: int = 10,
    min_count: int = 5,
    symmetric: bool = True,
    x_max: float | None = None,
    alpha: float = 0.75,
    learning_rate: float = 0.05,
    iterations: int = 25,
    memory: str | int = "2GB",
    threads: int | None = None,
    seed: int = 1,
    out: Path | None = None,
    force: bool = False,
    resume: bool = False,
    save_seconds: float = 60.0,
    progress: bool = True,
) -> WordVectors:
    """Trains GloVe vectors of the words of text files.

    Args:
        files: UTF-8 text, also gzipped, with blanks between words. What is a word, and
            whether capitals count, is up to the files.
        size: Numbers of a vector.
        window: Largest distance of two words that occur together, in a line.
        min_count: Rarer words have no vector.
        symmetric: Whether words to the right count too, or only those to the left.
        x_max, alpha: f(x) = min(1, (x / x_max)^alpha) is the weight of a count x. If
            None, `x_max` is a hundred thousandth of the words of the text, at least 10
            and at most 100.
        learning_rate: Of AdaGrad.
        iterations: How often each pair of words is trained on.
        memory: About how much to use, such as "2GB"; more goes to temporary files.
        threads: Number of threads; that of the available cores if None. The vectors do
            not depend on it, to the bit.
        seed: Seed of the first weights and of the order of pairs.
        out: Write the vectors to this file, gzipped if its name ends in .gz, and
            checkpoints to the folder `out.training` until then. The file `out.memnets`
            says how they were trained, and by it they are known as ours.
        force: Replace the vectors of an earlier training there, or an interrupted one,
            but no other file. The vectors are there until the new ones are complete.
        resume: Continue the interrupted training there, with the same arguments. The
            vectors are those of a training without interruption, to the bit. If the
            training has ended, its vectors are read.
        save_seconds: Seconds between two checkpoints, which are written after an
            iteration.
        progress: Whether to show progress on standard error.
    Returns:
        The vectors.
    Raises:
        ValueError: If a file is not text, the text has too few words, or an argument is
            out of range.
        RunError: A `ValueError`, if `out` has files already, the training there is
            another one, or another process trains there.
        FloatingPointError: If the training has diverged.
        KeyboardInterrupt: At Ctrl-C; `resume` continues from the last checkpoint.
    Reference:
        Pennington, Socher, Manning (2014), GloVe: Global Vectors for Word
        Representation.
    Example:
        >>> path = getfixture("tmp_path") / "text"
        >>> _ = path.write_text("one two three four five " * 50)
        >>> vectors = train_word_vectors(path, 8, threads=1, progress=False)
        >>> len(vectors), vectors.size
        (5, 8)
    """
    config = GloVeConfig(
        size=size,
        x_max=x_max,
        alpha=alpha,
        learning_rate=learning_rate,
        iterations=iterations,
        seed=seed,
    )
    check_number("save_seconds", save_seconds, minimum=0)
    _check_flags(out, force=force, resume=resume, progress=progress)
    threads = _threads(threads)
    paths = check_files(files)
    options: dict[str, Any] = {
        "window": window,
        "min_count": min_count,
        "symmetric": symmetric,
        "memory": memory,
    }
    place = None if out is None else VectorOutput(out, paths, save_seconds)
    alone = place.locked(force, resume) if place else contextlib.nullcontext()
    with alone:
        if place and resume and place.is_finished:
            asked = plain({**dataclasses.asdict(config), **options})
            # The usual x_max hangs on the text, which is not read again.
            return place.finished({k: v for k, v in asked.items() if v is not None})
        with display(progress) as screen:
            shown = VectorProgress(screen)
            screen.say(f"Runs on: {native.status()}; threads: {threads}")
            pairs = count_cooccurrences(paths, **options, advance=shown.read)
            screen.say(f"{len(pairs.words):,} words, {len(pairs):,} pairs of words")
            glove = GloVe(pairs, config, threads=threads, memory=memory)
            if x_max is None:
                screen.say(f"x_max: {glove.config.x_max:g}, by the size of the text")
            if place:
                settings = _settings(glove.config, options, pairs)
                _train_in(place, glove, settings, shown, anew=force)
            else:
                _train(glove, shown)
    return glove.vectors()


def _check_flags(out: Path | None, **flags: bool) -> None:
    for name, value in flags.items():
        check_boolean(name, value)
    if out is None and (flags["force"] or flags["resume"]):
        raise ValueError("`force` and `resume` need `out`.")
    if flags["force"] and flags["resume"]:
        raise ValueError("`force` and `resume` must not be given together.")


def _threads(threads: int | None) -> int:
    if threads is not None:
        return check_integer("threads", threads)
    from memnets.cores import available_cores

    return len(available_cores())


def _train(
    glove: GloVe,
    shown: VectorProgress,
    keep: Callable[[GloVe], Any] = lambda glove: None,
) -> None:
    """Trains the iterations that are left, and calls `keep` after each."""
    shown.begin(len(glove.costs), glove.config.iterations, len(glove.tiles.cells))
    while len(glove.costs) < glove.config.iterations:
        glove.run_iteration(shown.trained)
        shown.end_iteration(glove.costs[-1])
        keep(glove)
    shown.screen.say(f"cost {glove.costs[-1]:.6f} after {len(glove.costs)} iterations")


def _train_in(
    place: VectorOutput,
    glove: GloVe,
    settings: dict[str, Any],
    shown: VectorProgress,
    *,
    anew: bool,
) -> None:
    """Trains with checkpoints, and writes the vectors."""
    place.begin(settings, anew=anew)
    place.restore(glove)
    _train(glove, shown, place.keep)
    place.finish(glove.vectors())


def _settings(
    config: GloVeConfig, options: dict[str, Any], pairs: Cooccurrence
) -> dict[str, Any]:
    """All that the bits of the vectors depend on."""
    return {
        "format": FORMAT,
        **dataclasses.asdict(config),
        **options,
        "text": pairs.sha256,
        "compiled": native.load() is not None,
    }
