"""Progress: a bar on a terminal or in a notebook, lines on standard error elsewhere."""

import html
import time
from typing import Any, Self

import rich.console
import rich.progress

from ..contract.task import Task

# Heuristic: seconds between two lines where there is no terminal.
LINE_INTERVAL = 10.0
# Heuristic: seconds between two changes of a bar in a notebook, each a message.
BAR_INTERVAL = 0.2


class Silent:
    """Shows nothing. To be used in a `with` block, as the classes that show it are."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        """Restores the terminal, also when a training was stopped."""

    def say(self, text: str) -> None:
        """Shows a line that stays."""

    def show(
        self, text: str, done: int, total: int | None, *, at_once: bool = False
    ) -> None:
        """Shows a text that the next one replaces.

        Args:
            text: The text.
            done: How much is done.
            total: Of how much; None if that is not known.
            at_once: Whether it is shown however short the time since the last one.
        """


class Lines(Silent):
    """Shows a text as a line, every few seconds.

    Args:
        console: A console of rich.
    """

    def __init__(self, console: rich.console.Console) -> None:
        self.console = console
        self._shown = time.perf_counter()

    def say(self, text: str) -> None:
        self.console.print(text, highlight=False, soft_wrap=True)

    def show(
        self, text: str, done: int, total: int | None, *, at_once: bool = False
    ) -> None:
        now = time.perf_counter()
        if at_once or now - self._shown >= LINE_INTERVAL:
            self._shown = now
            self.say(text)


class Bar(Lines):
    """Shows a bar that fills, with the text beside it."""

    def __init__(self, console: rich.console.Console) -> None:
        super().__init__(console)
        self.bar = rich.progress.Progress(
            rich.progress.BarColumn(),
            rich.progress.TextColumn("{task.description}", markup=False),
            console=console,
        )
        self._row = self.bar.add_task("", total=None)

    def __exit__(self, *exception: object) -> None:
        self.bar.stop()

    def show(
        self, text: str, done: int, total: int | None, *, at_once: bool = False
    ) -> None:
        self.bar.start()
        self.bar.update(self._row, description=text, completed=done, total=total)


class NotebookBar(Lines):
    """Shows a bar below the cell of a notebook, by HTML alone: rich's bar would need
    the package ipywidgets."""

    def __init__(self, console: rich.console.Console) -> None:
        super().__init__(console)
        self._shown = 0.0
        self._handle: Any = None

    def show(
        self, text: str, done: int, total: int | None, *, at_once: bool = False
    ) -> None:
        now = time.perf_counter()
        is_last = total is not None and done >= total
        if not (at_once or is_last or now - self._shown >= BAR_INTERVAL):
            return
        self._shown = now
        filled = "" if total is None else f' value="{done}" max="{total}"'
        bar = f"<progress{filled}></progress> {html.escape(text)}"
        content = {"text/html": bar, "text/plain": text}
        if self._handle is None:
            import IPython.display  # which every notebook has

            self._handle = IPython.display.display(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)


def display(
    is_shown: bool = True, console: rich.console.Console | None = None
) -> Silent:
    """What suits the notebook or standard error.

    Args:
        is_shown: Whether anything is shown.
        console: A console of rich; that of standard error if None.
    """
    if not is_shown:
        return Silent()
    console = console or rich.console.Console(stderr=True)
    if console.is_jupyter:
        return NotebookBar(console)
    return (Bar if console.is_terminal else Lines)(console)


class VectorProgress:
    """Progress of counting and training word vectors.

    Args:
        screen: Where it is shown.
    """

    def __init__(self, screen: Silent) -> None:
        self.screen = screen
        self._cost = "-"
        self._bytes = 0

    def read(self, count: int) -> None:
        """Counts bytes of text that were read."""
        self._bytes += count
        self.screen.show(f"read {self._bytes / 1e6:.1f} MB", 0, None)

    def begin(self, iteration: int, iterations: int, cells: int) -> None:
        """Begins with the training.

        Args:
            iteration: Iterations that were trained earlier.
            iterations: All iterations.
            cells: Pairs of words in each.
        """
        self._per_iteration, self._total = cells, iterations * cells
        self._first = self._cells = iteration * cells
        self._began = time.perf_counter()

    def trained(self, cells: int) -> None:
        """Counts pairs that were trained on."""
        self._cells += cells
        elapsed = max(time.perf_counter() - self._began, 1e-9)
        rate = max((self._cells - self._first) / elapsed, 1e-9)
        iteration = -(-self._cells // self._per_iteration)
        text = (
            f"iteration {iteration}/{self._total // self._per_iteration}  "
            f"cost {self._cost}  {rate / 1e6:.1f} M pairs/s  "
            f"{(self._total - self._cells) / rate:.0f} s left"
        )
        self.screen.show(text, self._cells, self._total)

    def end_iteration(self, cost: float) -> None:
        """Takes the mean cost of an iteration."""
        self._cost = f"{cost:.6f}"


def shown_measure(task: Task, row: dict[str, float]) -> str:
    """The measure of the task's success, with its label; if it has none, its headline,
    or the loss."""
    name = shown_name(task, row)
    column = task.presentation.column(name)
    return f"{column.label} {format(row[name], column.form)}"


def shown_name(task: Task, row: dict[str, float]) -> str:
    """The name of the measure that `shown_measure` shows."""
    name = task.success.measure if task.success else task.presentation.headline
    return name if name is not None and name in row else "loss"
