"""Progress of counting and training word vectors: a bar, or lines elsewhere."""

import time
from typing import Any, Self

# Heuristic: seconds between two lines where there is no terminal.
LINE_INTERVAL = 10.0


class Silent:
    """Shows nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        """Restores the terminal, also when the training was stopped."""

    def say(self, text: str) -> None:
        """Shows a line."""

    def read(self, count: int) -> None:
        """Counts bytes of text that were read."""

    def begin(self, iteration: int, iterations: int, cells: int) -> None:
        """Begins with the training.

        Args:
            iteration: Iterations that were trained earlier.
            iterations: All iterations.
            cells: Pairs of words in each.
        """

    def trained(self, cells: int) -> None:
        """Counts pairs that were trained on."""

    def end_iteration(self, cost: float) -> None:
        """Shows the mean cost of an iteration."""


class Progress(Silent):
    """Shows what happens on standard error.

    Args:
        console: A console of rich.
    """

    def __init__(self, console: Any) -> None:
        self.console = console
        self.cost = "-"
        self.bytes = self.cells = self.total = self.per_iteration = 0
        self.shown = self.began = time.perf_counter()

    def say(self, text: str) -> None:
        self.console.print(text, highlight=False)

    def read(self, count: int) -> None:
        self.bytes += count
        self.show(f"read {self.bytes / 1e6:.1f} MB")

    def begin(self, iteration: int, iterations: int, cells: int) -> None:
        self.per_iteration, self.total = cells, iterations * cells
        self.first = self.cells = iteration * cells
        self.began = time.perf_counter()

    def trained(self, cells: int) -> None:
        self.cells += cells
        elapsed = max(time.perf_counter() - self.began, 1e-9)
        rate = max((self.cells - self.first) / elapsed, 1e-9)
        iteration = -(-self.cells // self.per_iteration)
        self.show(
            f"iteration {iteration}/{self.total // self.per_iteration}  "
            f"cost {self.cost}  {rate / 1e6:.1f} M pairs/s  "
            f"{(self.total - self.cells) / rate:.0f} s left"
        )

    def end_iteration(self, cost: float) -> None:
        self.cost = f"{cost:.6f}"

    def show(self, text: str) -> None:
        """Shows a text that the next one replaces."""
        raise NotImplementedError


class Lines(Progress):
    """A line every few seconds."""

    def show(self, text: str) -> None:
        now = time.perf_counter()
        if now - self.shown >= LINE_INTERVAL:
            self.shown = now
            self.say(text)


class Bar(Progress):
    """A bar that fills."""

    def __init__(self, console: Any) -> None:
        import rich.progress

        super().__init__(console)
        self.bar = rich.progress.Progress(
            rich.progress.BarColumn(),
            rich.progress.TextColumn("{task.description}"),
            console=console,
            transient=True,
        )
        self.row = self.bar.add_task("", total=None)

    def __enter__(self) -> Self:
        self.bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.bar.stop()

    def show(self, text: str) -> None:
        self.bar.update(
            self.row,
            description=text,
            completed=self.cells,
            total=self.total or None,
        )


def vector_progress(console: Any = None) -> Progress:
    """What suits standard error, to be used in a `with` block."""
    import rich.console

    console = console or rich.console.Console(stderr=True)
    return (Bar if console.is_terminal else Lines)(console)
