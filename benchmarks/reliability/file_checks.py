"""Checks that damaged and hostile files are refused, for `reliability.py`."""

import pathlib
import re


def damaged_files(count, folder):
    """Reads files of a run with one to three bits flipped, or cut short."""
    import numpy as np
    from hostile import damage

    import memnets
    import tasks
    from tasks.models.ntm import NTMFeedforward
    from tasks.runs import checkpoint

    tiny = NTMFeedforward(memory_size=8, word_size=4, controller_size=8)
    path = folder / "run"
    run = tasks.train(
        tasks.Copy(2, 1, 3), tiny, out=path, sequences=64, progress=False
    ).run
    (saved,) = (path / "checkpoints").iterdir()
    readers = {
        run.file("model.keras"): memnets.load,
        saved: checkpoint.load,
        run.file("config.json"): lambda _: tasks.open_run(path),
        run.file("history.csv"): lambda _: run.read_history(),
        run.file("summary.json"): lambda _: run.read_summary(),
    }
    rng = np.random.default_rng(0)
    silent, unclear = [], []
    for case in range(count):
        file, read = list(readers.items())[case % len(readers)]
        good = file.read_bytes()
        file.write_bytes(damage(good, rng))
        try:
            read(file)
            silent.append(file.name)
        except ValueError as error:
            said = str(error)
            if file.name not in said or "\n" in said:
                unclear.append(said)
        finally:
            file.write_bytes(good)
    return {
        "tried": f"{count} files: models, checkpoints, config, history, summary",
        "wrong": len(silent) + len(unclear),
        "found": f"{len(silent)} loaded silently, {len(unclear)} errors unclear",
    }


def hostile_files(count, folder):
    """Loads files that pretend to be models, `count` times each."""
    from hostile import CANARY, make_corpus

    import memnets

    corpus = make_corpus(folder)
    loaded, unclear = set(), set()
    for _ in range(count):
        for kind, path in corpus.items():
            try:
                memnets.load(path)
                loaded.add(kind)
            except memnets.LoadError as error:
                if path.name not in str(error) or "\n" in str(error):
                    unclear.add(kind)
    executed = any(folder.rglob(CANARY))
    peak = _peak_memory() / 2**30
    return {
        "tried": f"{len(corpus)} kinds of hostile files",
        "wrong": len(loaded) + len(unclear) + executed + (peak > 1),
        "found": f"{len(loaded)} loaded, {'something' if executed else 'nothing'} "
        f"executed, {len(unclear)} errors unclear, {peak:.2f} GiB of memory at most, "
        "with TensorFlow",
    }


def _peak_memory():
    """Most memory that this process has held, in bytes.

    Not `ru_maxrss`, which begins at that of the process that started this one.
    """
    status = pathlib.Path("/proc/self/status").read_text()
    return 1024 * int(re.search(r"VmHWM:\s*(\d+) kB", status)[1])
