"""The figure on which everything is drawn: text stays as it is written."""

import io
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import matplotlib.figure
from matplotlib.axis import Axis
from matplotlib.backend_bases import RendererBase
from matplotlib.text import Text
from matplotlib.ticker import LogFormatter

from .fonts import fallbacks

# Colours that are told apart also by those who do not see all colours.
COLORS = ("#0072b2", "#d55e00", "#666666", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")


# Matplotlib warns of each character that no font has.
GLYPH = "Glyph .* missing from font"
# Heuristic: characters that a note names.
NAMED = 5


class Figure(matplotlib.figure.Figure):
    """Matplotlib's figure for texts of users: words, captions, names.

    `$` and a backslash are characters there, not formulas. Where a font lacks a
    character, another installed font that has it draws it.

    Attributes:
        missing: The characters that no installed font has, as far as they were drawn.
    """

    missing: frozenset[str] = frozenset()

    def draw(self, renderer: RendererBase) -> None:
        self._take_texts_as_written()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=GLYPH)
            super().draw(renderer)

    def get_tightbbox(self, *args: Any, **kwargs: Any) -> Any:
        self._take_texts_as_written()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=GLYPH)
            return super().get_tightbbox(*args, **kwargs)

    def _repr_png_(self) -> bytes:
        """The picture, which notebooks show."""
        data = io.BytesIO()
        self.savefig(data, format="png", dpi=110)
        return data.getvalue()

    def _take_texts_as_written(self) -> None:
        powers = set(map(id, self._labels_of_powers()))
        texts = [text for text in self.findobj(Text) if id(text) not in powers]
        unusual = {c for text in texts for c in text.get_text() if _is_unusual(c)}
        for text in texts:
            text.set_parse_math(False)
            text.set_usetex(False)
            if unusual:
                families = tuple(text.get_fontfamily())
                more, missing = fallbacks(frozenset(unusual), families)
                text.set_fontfamily([*families, *more])
                self.missing = self.missing | missing

    def _labels_of_powers(self) -> Iterator[Text]:
        """The labels of logarithmic axes, which are formulas: powers of ten."""
        for axis in self.findobj(Axis):
            formatters = axis.get_major_formatter(), axis.get_minor_formatter()
            # To make the ticks of every axis would take a fifth of the drawing.
            if not any(isinstance(one, LogFormatter) for one in formatters):
                continue
            axis.get_ticklabels(which="both")  # makes those that are not there yet
            ticks = axis.get_major_ticks(), axis.get_minor_ticks()
            for formatter, several in zip(formatters, ticks, strict=True):
                if isinstance(formatter, LogFormatter):
                    for tick in several:
                        yield from (tick.label1, tick.label2)


def _is_unusual(character: str) -> bool:
    """Whether a font may lack a character."""
    return not (character == "\n" or character.isascii() and character.isprintable())


def missing_note(figures: Iterable[Any]) -> str:
    """What to say of figures with characters that no font has; "" if there are none."""
    missing = sorted(set().union(*(getattr(one, "missing", ()) for one in figures)))
    if not missing:
        return ""
    names = ", ".join(f"U+{ord(character):04X}" for character in missing[:NAMED])
    if len(missing) > NAMED:
        names += f" and {len(missing) - NAMED:,} more"
    return (
        f"Pictures have boxes for characters that no installed font has: {names}. "
        "Install a font for the script, such as Noto Sans CJK."
    )
