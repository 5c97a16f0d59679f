"""Progress of a training run: a bar on a terminal, plain lines elsewhere."""

import time

import keras
import rich.console
import rich.progress

# Chosen. Seconds between the lines where there is no terminal.
LINE_INTERVAL = 10.0


def show_progress(config, console=None):
    """The Keras callback that suits standard error, to be used in a `with` block."""
    console = console or rich.console.Console(stderr=True)
    return (Bar if console.is_terminal else Lines)(config, console)


class _Progress(keras.callbacks.Callback):
    """Counts sequences and time for its subclasses to show."""

    def __init__(self, config, console):
        super().__init__()
        self.config = config
        self.console = console
        self.total = config.epochs * config.steps_per_epoch * config.batch_size
        self.sequences = 0
        self.began = None
        self.bit_errors = None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        """Leaves the terminal as it was, also when training was stopped."""

    def on_epoch_begin(self, epoch, logs=None):
        self.before = epoch * self.config.steps_per_epoch

    def on_train_batch_end(self, batch, logs=None):
        # Several steps may have been one call: `batch` is the last of them.
        self.sequences = (self.before + batch + 1) * self.config.batch_size
        if self.began is None:  # the first step compiles: it says nothing about speed
            self.began = time.perf_counter()
            self.counted_from = self.sequences
        self.show()

    def on_epoch_end(self, epoch, logs=None):
        self.bit_errors = logs["bit_errors"]

    @property
    def rate(self):
        """Sequences a second."""
        elapsed = time.perf_counter() - self.began
        return (self.sequences - self.counted_from) / max(elapsed, 1e-9)

    @property
    def errors(self):
        return "-" if self.bit_errors is None else f"{self.bit_errors:.3f}"


class Lines(_Progress):
    """A line every few seconds."""

    def on_train_begin(self, logs=None):
        self.shown = time.perf_counter()
        self.console.print("compiling ...")

    def show(self):
        now = time.perf_counter()
        if self.sequences == self.counted_from < self.total:
            return
        if now - self.shown < LINE_INTERVAL and self.sequences < self.total:
            return
        self.shown = now
        left = (self.total - self.sequences) / max(self.rate, 1e-9)
        self.console.print(
            f"{self.sequences}/{self.total} sequences  bit errors {self.errors}  "
            f"{self.rate:.0f} sequences/s  {left:.0f} s left"
        )


class Bar(_Progress):
    """A bar that fills, with what is known beside it."""

    def __init__(self, config, console):
        super().__init__(config, console)
        self.bar = rich.progress.Progress(
            rich.progress.TextColumn("[bold]{task.description}"),
            rich.progress.BarColumn(),
            rich.progress.MofNCompleteColumn(),
            rich.progress.TextColumn("bit errors {task.fields[errors]}"),
            rich.progress.TextColumn("{task.fields[rate]:.0f} sequences/s"),
            rich.progress.TimeRemainingColumn(),
            console=console,
        )

    def on_train_begin(self, logs=None):
        self.task = self.bar.add_task("compiling", total=self.total, errors="-", rate=0)
        self.bar.start()

    def show(self):
        self.bar.update(
            self.task,
            description="training",
            completed=self.sequences,
            errors=self.errors,
            rate=self.rate,
        )

    def __exit__(self, *exception):
        self.bar.stop()
