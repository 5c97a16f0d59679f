"""Small trainings and commands that are killed and started again."""

import dataclasses
import json
import random
import shutil
from collections.abc import Callable
from typing import Any

# Heuristic: a run takes seconds after its start, and is killed a few times.
EPOCHS = 10
# Heuristic: a training of word vectors that takes seconds.
VECTOR_ITERATIONS = 200
OTHER_OPTIMIZERS = (
    *("sgd", "momentum", "nesterov"),
    *("rmsprop", "adagrad", "adadelta"),
)


@dataclasses.dataclass(frozen=True)
class Network:
    """A small run of `tasks.train`. An epoch takes some tenths of a second.

    Args:
        make: Makes the task, the model and the options, given a folder with texts, see
            `write_texts`.
    """

    make: Callable
    # Folders of a run that lie elsewhere, behind links.
    links = ("checkpoints", "figures")

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
        return state_of_run(folder)


def state_of_run(folder):
    """Everything that a run ends with, except its seconds."""
    from tasks.runs.checkpoint import files_of, load

    last = load(files_of(folder / "checkpoints")[-1])
    rows = [{**row, "seconds": 0.0} for row in last.rows]
    values = [*last.values, *last.rollback_values, *(last.kept or [])]
    values += [value for weights in last.recent for value in weights]
    model = (folder / "model.keras").read_bytes()
    return json.dumps(rows), [value.tobytes() for value in values], model


class Vectors:
    """A small training of word vectors."""

    links = ()

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


@dataclasses.dataclass(frozen=True)
class Command:
    """A command of the command line, which is run again until it ends by itself.

    Args:
        words: Makes its words, given the place of its output and a folder with texts.
        state: What is the same to the byte, given that place.
        made_from: The job whose output it reads or draws, if it has one.
    """

    words: Callable
    state: Callable
    made_from: str = ""
    links = ()

    def train(self, place: Any, begun: Any) -> None:
        from tasks.cli.main import main

        texts = place.parent / "texts"
        if self.made_from and not place.exists():
            made = place.parent / f"whole-{self.made_from}"
            partial = place.with_name(f"{place.name}.copied")
            shutil.copytree(made, partial, dirs_exist_ok=True)
            partial.rename(place)
        begun.set()
        main([str(word) for word in self.words(place, texts)], standalone_mode=False)

    def final_state(self, place: Any) -> Any:
        return self.state(place)


SIZES = ("--memory-size", 8, "--word-size", 4, "--controller-size", 8)
TASK = ("copy", "--num-bits", 2, "--max-length", 3, "--epoch-steps", 5)


def train_command(place, texts):
    model = ("--model", "ntm-feedforward", *SIZES, "--sequences", 800)
    flags = ("--save-seconds", 0, "--resume", "--no-jit-compile", "--out", place)
    return ("train", *TASK, *model, *flags)


def comparison(place, texts):
    sizes = "memory-size=8,word-size=4,controller-size=8"
    flags = ("--sequences", 400, "--no-jit-compile", "--seeds", "1-2", "--out", place)
    return ("compare", *TASK, "--models", f"ntm-feedforward:{sizes}", *flags)


def searching(place, texts):
    model = ("--model", "ntm-feedforward", *SIZES, "--sequences", 160)
    vary = ("--vary", "learning-rate=1e-3,1e-2", "--trials", 2, "--finalists", 1)
    fresh = ("--fresh-seeds", "2001", "--final-sequences", 160)
    return ("search", *TASK, *model, *vary, *fresh, "--no-jit-compile", "--out", place)


def vectors_command(place, texts):
    size = ("--size", 20, "--min-count", 1, "--iterations", 100, "--threads", 1)
    flags = ("--save-seconds", 0, "--resume", "--out", place)
    return ("train-vectors", texts / "train.en", *size, *flags)


def states_of_runs(place):
    """The bytes of every run below a folder, except its seconds, and the pages."""
    configs = sorted(place.rglob("config.json"))
    pages = sorted(path.relative_to(place) for path in place.rglob("*.html"))
    return [state_of_run(path.parent) for path in configs], pages


def bytes_of(*patterns):
    """Makes the bytes of files in a folder, or of the file itself without patterns."""

    def state(place):
        if not patterns:
            return place.read_bytes()
        paths = sorted(path for one in patterns for path in place.glob(one))
        return [(path.name, path.read_bytes()) for path in paths]

    return state


def command_jobs():
    """Every command that writes, by name."""
    return {
        "train": Command(train_command, states_of_runs),
        "compare": Command(comparison, states_of_runs),
        "search": Command(searching, states_of_runs),
        "train-vectors": Command(vectors_command, bytes_of()),
        "report": Command(
            lambda place, texts: ("report", place),
            bytes_of("report.html", "figures/*"),
            "train",
        ),
        "watch": Command(
            lambda place, texts: ("watch", place, "--html"),
            bytes_of("watch.html"),
            "train",
        ),
        "picture": Command(
            lambda place, texts: (
                ("vectors", place.parent / "whole-train-vectors")
                + ("--picture", place, "--words", "the,a")
            ),
            bytes_of(),
        ),
    }


def jobs():
    """Small runs by name, with everything that has a state: both controllers, dropout
    and a curriculum; for texts also a warm-up, scheduled sampling, and the means of
    weights of which the best are kept."""
    import tasks
    from tasks.models.ntm import NTMLSTM, NTMFeedforward

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
    made |= {name: Network(trained_by(name, feedforward)) for name in OTHER_OPTIMIZERS}
    return made | {"vectors": Vectors()} | command_jobs()


def trained_by(optimizer, model):
    """Copy with another optimizer than Adam, whose rate halves."""
    import tasks

    options = {"optimizer": optimizer, "schedule": "halving", "clip_value": 1.0}
    return lambda _: (tasks.Copy(2, 1, 4), model, options)


def dropout_model():
    """A model with the state of a random generator."""
    import keras

    from tasks.models.base import ModelConfig

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
    data = {"data": folder, "unit": "word", "vocabulary_size": 100, "buckets": 2}
    sampling = {"scheduled_sampling": "linear", "sampling_half": 300}
    return attentive("translation", data, "gru-attention", sampling)


def captioning(folder):
    """Captions of scenes, by a network that normalises its batches."""
    return attentive("captioning", {}, "cnn-gru-attention", {"channels": 4})


def attentive(task_name, parameters, model_name, sizes):
    """A task whose outputs are texts, a small network with attention, and options."""
    import tasks

    task = tasks.get_task(task_name, **parameters)
    small = {"units": 6, "embedding_size": 6, "dropout": 0.3}
    model = tasks.get_model(model_name, task, **small, **sizes)
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
