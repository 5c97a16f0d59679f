"""What `translation.py` measures: trainings and translators, each in its own process.

Nothing here imports Keras or PyTorch before the process that needs it.
"""

import contextlib
import multiprocessing
import os
import pathlib
import time
import types

import numpy as np

import tasks
from tasks.text.tokens import END, NEVER_WRITTEN, START
from tasks.text.translation import Translation
from tasks.text.translator import Translator

MODEL = "gru-attention"


class Watch:
    """Seconds of the clock and of the processor since it was made."""

    def __init__(self):
        self.began = self._now()

    def _now(self):
        return np.array([time.perf_counter(), time.process_time()])

    def seconds(self):
        return (self._now() - self.began).tolist()


class Training:
    """A network that is trained in turns.

    Args:
        texts: Arguments of the task.
        steps: Steps of a turn.
        turns: How many turns there will be.
    """

    def __init__(self, texts, steps, turns):
        from tasks.registry import get_model
        from tasks.training.data import TaskSequence
        from tasks.training.training import compiled_model

        task, model = Translation(**texts), get_model(MODEL)
        config = tasks.TrainingConfig(epoch_steps=steps, sequences=64 * steps * turns)
        config = config.resolved(task, model)
        self.network = compiled_model(task, model, config)
        self.data = TaskSequence(task, config)
        self.weights = self.network.count_params()

    def turn(self, number):
        """Tokens of the targets, and seconds."""
        import keras

        from tasks.training.epoch_callbacks import EpochSetter

        watches = []
        watch = keras.callbacks.LambdaCallback(
            on_epoch_begin=lambda epoch, logs: watches.append(Watch()),
            on_epoch_end=lambda epoch, logs: watches.append(watches[0].seconds()),
        )
        # Keras reads shapes from the first two batches of the first epoch.
        self.data.epoch = 0
        self.network.fit(
            self.data,
            initial_epoch=number,
            epochs=number + 1,
            shuffle=False,
            verbose=0,
            callbacks=[EpochSetter(self.data), watch],
        )
        return self.tokens(number), *watches[1]

    def tokens(self, number):
        return int(sum(mask.sum() for _, _, mask in self.batches(number)))

    def batches(self, number):
        self.data.epoch = number
        return (self.data[index] for index in range(len(self.data)))

    def pipeline(self, number):
        """Seconds of the processor in which the batches of a turn are made."""
        watch = Watch()
        for _ in self.batches(number):
            pass
        return watch.seconds()[1]


class PlainTraining:
    """The same in PyTorch, on the same batches."""

    def __init__(self, texts, steps):
        import plain_pytorch

        from tasks.registry import get_model

        self.task, model = Translation(**texts), get_model(MODEL)
        config = tasks.TrainingConfig().resolved(self.task, model)
        self.size, self.seed, self.steps = config.batch_size, config.seed, steps
        sizes = model.units, model.embedding_size, model.dropout
        network = plain_pytorch.PlainTranslation(self.task.output_size, *sizes)
        self.trainer = plain_pytorch.Trainer(
            network, config.learning_rate, config.clip_norm, self.task.smoothing
        )
        self.weights = sum(weight.numel() for weight in network.parameters())

    def turn(self, number):
        tokens, watch = 0, Watch()
        for index in range(number * self.steps, (number + 1) * self.steps):
            batch = self.task.stream.batch(index, self.size, self.seed)
            self.trainer.step(batch.inputs, batch.targets)
            tokens += int(batch.mask.sum())
        return tokens, *watch.seconds()


class Decoding:
    """A trained network that translates the same lines in every turn.

    Args:
        path: Its run.
        lines: The lines.
    """

    def __init__(self, path, lines):
        run = tasks.open_run(pathlib.Path(path))
        model = run.load_model()
        self.network = next(x for x in model.layers if x.name == "network")
        self.translator = Translator(model, run.task, **run.task.decoding)
        self.beam, self.lines, self.weights = run.task.beam_size, lines, None

    def turn(self, number):
        """Tokens of the lines that are written, times the beam, and seconds."""
        watch = Watch()
        written = [best[0] for best in self.translator.translate(self.lines)]
        seconds = watch.seconds()
        self.texts = [best.text for best in written]
        tokens = sum(len(best.tokens) + best.ended for best in written)
        return tokens * self.beam, *seconds

    def written(self):
        return self.texts

    def arrays(self):
        """The weights by the names of `plain_pytorch.with_weights`."""
        network, encoder = self.network, self.network.encoder[0]
        parts = {
            "target_embedding": network.target_embedding,
            "attention": network.attention,
            "bridge": network.bridge.maps[0][0],
            "hidden": network.readout.hidden,
            "forward": encoder.forward_layer.cell,
            "backward": encoder.backward_layer.cell,
            "decoder": network.decoder[0].cell,
        }
        arrays = {
            f"{name}/{weight.name}": np.array(weight)
            for name, part in parts.items()
            for weight in part.weights
        }
        return {**arrays, "readout/bias": np.array(network.readout.bias)}


class PlainDecoding(Decoding):
    """The same with the beam search in PyTorch."""

    def __init__(self, path, lines, arrays):
        task = tasks.open_run(pathlib.Path(path)).task
        self.translator = PlainTranslator(task, arrays)
        self.beam, self.lines, self.weights = task.beam_size, lines, None


class PlainTranslator(Translator):
    """A translator without Keras."""

    def __init__(self, task, arrays):
        import plain_pytorch

        self._task, self._search, self._model = task, None, None
        self._module = plain_pytorch
        self._network = plain_pytorch.with_weights(arrays)

    def _decoder(self, kind, make, width):
        return self

    def write(self, rows):
        tokens, lengths = self._module.beam_search(
            self._network,
            rows,
            2 * rows.shape[1] + 10,
            START,
            END,
            self._task.beam_size,
            self._task.length_penalty,
            list(NEVER_WRITTEN),
        )
        ended = tokens[np.arange(len(rows)), lengths - 1] == END
        columns = {"tokens": tokens, "lengths": lengths, "ended": ended}
        columns |= dict.fromkeys(("scores", "log_probs"), np.zeros(len(rows)))
        return types.SimpleNamespace(**{k: v[:, None] for k, v in columns.items()})


class Rival:
    """A rival in a process of its own.

    Args:
        make: Makes it.
        *arguments: Arguments of `make`.
        backend: Of Keras.
    """

    def __init__(self, make, *arguments, backend=""):
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        arguments = other, backend, make, arguments
        self.process = context.Process(target=serve, args=arguments, daemon=True)
        self.process.start()
        self.weights = self.pipe.recv()

    def ask(self, method, *arguments):
        self.pipe.send((method, arguments))
        return self.pipe.recv()


def serve(pipe, backend, make, arguments):
    """Makes a rival and calls its methods, as it is asked to."""
    os.environ |= {"KERAS_BACKEND": backend, "TF_CPP_MIN_LOG_LEVEL": "3"}
    rival = make(*arguments)
    pipe.send(rival.weights)
    with contextlib.suppress(EOFError):  # the end of the process that asks
        while True:
            method, arguments = pipe.recv()
            pipe.send(getattr(rival, method)(*arguments))
