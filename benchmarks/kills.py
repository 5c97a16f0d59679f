"""Kills runs at random moments and resumes them, for benchmarks/reliability.py."""

import dataclasses
import json
import random
import time
from collections.abc import Callable
from typing import Any

# Heuristic: a run takes seconds after its start, and is killed a few times.
EPOCHS = 10
KILLS_A_RUN = 5
# Heuristic: a training of word vectors that takes seconds.
VECTOR_ITERATIONS = 200


@dataclasses.dataclass(frozen=True)
class Network:
    """A small run of `tasks.train`. An epoch takes some tenths of a second.

    Args:
        make: Makes the task, the model and the options, given a folder with texts, see
            `write_texts`.
    """

    make: Callable

    def train(self, folder: Any, begun: Any) -> None:
        """Trains to the end of the budget; `begun` is set when the first epoch has been
        saved."""
        import keras

        import tasks

        class Begun(keras.callbacks.Callback):
            def on_epoch_begin(self, epoch, logs=None):
                if epoch:
                    begun.set()

        task, model, options = self.make(folder.parent / "texts")
        tasks.train(
            task,
            model,
            out=folder,
            resume=True,
            save_seconds=0,
            progress=False,
            callbacks=[Begun()],
            **{"batch_size": 2, "sequences": 200 * EPOCHS, **options},
        )

    def final_state(self, folder: Any) -> Any:
        """Everything that a run ends with, except its seconds."""
        from tasks.runs.checkpoint import files_of, load

        last = load(files_of(folder / "checkpoints")[-1])
        rows = [{**row, "seconds": 0.0} for row in last.rows]
        values = [*last.values, *last.rollback_values, *(last.kept or [])]
        values += [value for weights in last.recent for value in weights]
        return json.dumps(rows), [value.tobytes() for value in values]


class Vectors:
    """A small training of word vectors."""

    def train(self, folder: Any, begun: Any) -> None:
        """Trains to the end; `begun` is set at once."""
        import tasks

        begun.set()
        tasks.train_word_vectors(
            folder.parent / "texts" / "train.en",
            20,
            min_count=1,
            iterations=VECTOR_ITERATIONS,
            threads=2,
            out=folder,
            resume=True,
            save_seconds=0,
            progress=False,
        )

    def final_state(self, folder: Any) -> Any:
        return folder.read_bytes()


def jobs():
    """Small runs by name, with everything that has a state: both controllers, dropout
    and a curriculum; for texts also a warm-up, scheduled sampling, and the means of
    weights of which the best are kept."""
    import tasks
    from tasks.models import NTMLSTM, NTMFeedforward

    sizes = {"memory_size": 8, "word_size": 4, "controller_size": 8}
    feedforward, lstm = NTMFeedforward(**sizes), NTMLSTM(**sizes)
    curriculum = {"curriculum": 0.5}
    networks = {
        "copy": lambda _: (tasks.Copy(2, 1, 4), feedforward, curriculum),
        "repeat-copy": lambda _: (tasks.RepeatCopy(2, 1, 2, 1, 3), lstm, curriculum),
        "recall": lambda _: (tasks.AssociativeRecall(2, 1, 2, 4), feedforward, {}),
        "n-grams": lambda _: (tasks.DynamicNGrams(2, 12), dropout_model(), {}),
        "sort": lambda _: (tasks.PrioritySort(2, 4, 2), lstm, {}),
        "translation": translation,
        "captioning": captioning,
    }
    made = {name: Network(make) for name, make in networks.items()}
    return made | {"vectors": Vectors()}


def dropout_model():
    """A model with the state of a random generator."""
    import keras

    from tasks.models import ModelConfig

    class Dropout(ModelConfig):
        name = "dropout"
        signature = "dropout"
        learning_rate = 1e-3
        sequences = 1000

        def layer(self, units):
            return keras.Sequential(
                [
                    keras.layers.LSTM(8, dropout=0.3, return_sequences=True),
                    keras.layers.Dense(units),
                ]
            )

    return Dropout()


def translation(folder):
    """A translation of the texts in a folder."""
    import tasks

    task = tasks.get_task(
        "translation",
        **{"data": folder, "unit": "word", "vocabulary_size": 100, "buckets": 2},
    )
    model = tasks.get_model(
        "gru-attention",
        task,
        **{"units": 6, "embedding_size": 6, "dropout": 0.3},
        **{"scheduled_sampling": "linear", "sampling_half": 300},
    )
    options = {"epoch_steps": 100, "warmup": 150, "keep": "best", "average": 3}
    return task, model, options


def captioning(folder):
    """Captions of scenes, by a network that normalises its batches."""
    import tasks

    task = tasks.get_task("captioning")
    model = tasks.get_model(
        "cnn-gru-attention",
        task,
        **{"units": 6, "embedding_size": 6, "channels": 4, "dropout": 0.3},
    )
    options = {"epoch_steps": 100, "warmup": 150, "keep": "best", "average": 3}
    return task, model, options


def write_texts(folder):
    """Sentences of the toy language and their translations."""
    from tasks.text import toy_language

    rng = random.Random(1)
    folder.mkdir()
    for name, count in (("train", 60), ("val", 8)):
        sources = [toy_language.draw_sentence(rng) for _ in range(count)]
        targets = [toy_language.translate(source) for source in sources]
        for language, lines in (("en", sources), ("de", targets)):
            (folder / f"{name}.{language}").write_text("\n".join(lines) + "\n")


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
        finished, unusable, different = 0, 0, 0
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
        return {
            "tried": f"{trials.kills} kills, {trials.starting} of them while starting; "
            f"{finished} runs, over {min(finished, len(names))} tasks",
            "wrong": unusable + different,
            "found": f"{unusable} unusable restarts, "
            f"{finished - unusable - different} of {finished} final states identical "
            "to the byte",
        }

    return check


class Trials:
    """Starts runs in processes and kills them."""

    def __init__(self, context, rng, folder):
        self.context = context
        self.rng = rng
        self.folder = folder
        self.kills = self.starting = 0

    def start(self, job, path):
        """A process that trains, and the event of its first epoch."""
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
