"""Kills runs and commands at random moments and starts them again, for
`reliability.py`.

Beside each lie files of others, behind links too. At its end these are as they were,
and nothing is left of the processes that were killed.
"""

import os
import random
import sys
import time

from kill_jobs import jobs, write_texts

KILLS_A_RUN = 5


# Commands that write, and those of them that train many runs.
COMMANDS = ("train", "train-vectors", "report", "watch", "picture")
COMPARISONS = ("compare", "search")


def train(job, folder, begun):
    """Trains in this process, see `Network.train`."""
    jobs()[job].train(folder, begun)


def final_state(job, folder):
    """Everything that a run ends with."""
    return jobs()[job].final_state(folder)


def make_context():
    """Makes processes by a fork of one that has imported everything."""
    import multiprocessing

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tasks.training.training"])
    return context


def kills_of(*names):
    """Makes a check that kills runs of these jobs at random moments and resumes them
    until each has ended."""

    def check(count, folder):
        write_texts(folder / "texts")
        trials = Trials(make_context(), random.Random(count), folder)
        whole = {}
        finished, unusable, different, untidy = 0, 0, 0, 0
        while trials.kills < count or finished < min(count, len(names)):
            job = names[finished % len(names)]
            path = folder / f"killed-{finished}"
            most = min(KILLS_A_RUN, count - trials.kills)
            finished += 1
            if job not in whole:
                whole[job] = trials.unharmed(job)
            if not trials.ends(job, path, most, whole[job][1]):
                unusable += 1
            elif final_state(job, path) != whole[job][0]:
                different += 1
                print(f"not the same: {path}, of {job}", file=sys.stderr, flush=True)
            untidy += trials.is_untidy(job, path)
            said = f"{trials.kills} kills, {finished} runs, {unusable} unusable"
            said += f", {different} different, {untidy} untidy"
            print(said, file=sys.stderr, flush=True)
        return {
            "tried": f"{trials.kills} kills, {trials.starting} of them while starting; "
            f"{finished} runs, over {min(finished, len(names))} tasks",
            "wrong": unusable + different + untidy,
            "found": f"{unusable} unusable restarts, "
            f"{finished - unusable - different} of {finished} final states identical "
            f"to the byte; {untidy} changed files of others or left something behind",
        }

    return check


class Trials:
    """Starts runs in processes and kills them."""

    def __init__(self, context, rng, folder):
        self.context = context
        self.rng = rng
        self.folder = folder
        self.kills = self.starting = 0
        # Processes that are killed leave their temporary files where they are seen.
        self.temporary = folder / "temporary"
        self.temporary.mkdir(exist_ok=True)
        os.environ["TMPDIR"] = str(self.temporary)

    def surround(self, job, path):
        """Puts files of others beside a place, and behind links in it when the run is
        there: a new run wants empty folders."""
        notes = path.parent / f"{path.name}.notes"
        if not notes.exists():
            notes.write_text("theirs")
            for name in jobs()[job].links:
                path.with_name(f"{path.name}.{name}").mkdir()
                path.mkdir(exist_ok=True)
                (path / name).symlink_to(path.with_name(f"{path.name}.{name}"))
        if (path / ".memnets").exists():
            for link in filter(os.path.islink, path.iterdir()):
                (link / "theirs.png").write_text("theirs")

    def is_untidy(self, job, path):
        """Whether files of others or links have changed, or something is left."""
        theirs = [path.parent / f"{path.name}.notes"]
        theirs += path.parent.glob(f"{path.name}.*/theirs.png")
        changed = any(one.read_text() != "theirs" for one in theirs)
        changed |= not all((path / name).is_symlink() for name in jobs()[job].links)
        left = [one for one in path.parent.rglob("*") if "unfinished" in one.name]
        left += path.parent.glob(f"{path.name}*.training")
        left += self.temporary.glob("memnets-*")
        for one in left:
            print(f"left behind: {one}", file=sys.stderr, flush=True)
        return changed or bool(left)

    def start(self, job, path):
        """A process that trains, and the event of its first epoch."""
        self.surround(job, path)
        begun = self.context.Event()
        process = self.context.Process(target=train, args=(job, path, begun))
        process.start()
        return process, begun

    def unharmed(self, job):
        """The final state of a run that is not killed, and its seconds of training."""
        path = self.folder / f"whole-{job}"
        process, begun = self.start(job, path)
        while not begun.wait(0.05) and process.exitcode is None:
            pass
        began = time.monotonic()
        process.join()
        return final_state(job, path), time.monotonic() - began

    def ends(self, job, path, most, seconds):
        """Kills a run at most so many times. Returns whether it then ends by itself."""
        killed = 0
        while True:
            process, begun = self.start(job, path)
            if killed < most:
                starting = self.rng.random() < 0.25
                if starting:
                    process.join(self.rng.uniform(0, 4))
                else:
                    while not begun.wait(0.05) and process.exitcode is None:
                        pass
                    process.join(self.rng.uniform(0, seconds))
                if process.exitcode is None:
                    process.kill()
                    process.join()
                    killed += 1
                    self.kills += 1
                    self.starting += starting
                    continue
            process.join()
            return process.exitcode == 0
