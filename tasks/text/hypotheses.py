"""What a network has written, as text."""

import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..checks import check_integer, check_number, shorten
from ..contract.task import Task
from ..models.keras_model import how_to_load

if TYPE_CHECKING:
    import keras

    from memnets.decoders import Decoded

    from .tokens import TokenVocabulary

# A text is one line for every program that reads it. The bytes that a network
# writes may be control characters, line separators or a byte order mark.
ONE_LINE = dict.fromkeys([*range(32), *range(127, 160), 0x2028, 0x2029, 0xFEFF], " ")


@dataclasses.dataclass(frozen=True)
class Hypothesis:
    """A text that a network has written.

    Attributes:
        text: The line.
        tokens: Its tokens, without the end token.
        score: What hypotheses are sorted by, see `memnets.decoders.beam_search`.
        log_prob: Its log-probability in nats.
        ended: Whether it ended by itself; if not, it was cut.
    """

    text: str
    tokens: list[int]
    score: float
    log_prob: float
    ended: bool


def hypotheses_of(
    found: "Decoded", row: int, vocabulary: "TokenVocabulary"
) -> list[Hypothesis]:
    """The texts of one row of what a decoder has written, best first.

    Args:
        found: A `memnets.decoders.Decoded` of NumPy arrays.
        row: The row.
        vocabulary: The vocabulary of the texts.
    """
    best = []
    for rank, length in enumerate(found.lengths[row]):
        if not length:
            continue
        ended = bool(found.ended[row, rank])
        tokens = found.tokens[row, rank, : length - ended].tolist()
        text = vocabulary.decode(tokens).translate(ONE_LINE).rstrip()
        score, log_prob = found.scores[row, rank], found.log_probs[row, rank]
        best.append(Hypothesis(text, tokens, float(score), float(log_prob), ended))
    return best


def network_of(model: "keras.Model", kind: type) -> "keras.layers.Layer":
    """The layer of that kind of a Keras model.

    Raises:
        ValueError: If there is not exactly one.
    """
    layers = getattr(model, "layers", [])
    networks = [layer for layer in layers if isinstance(layer, kind)]
    if len(networks) != 1:
        raise ValueError(
            f"`model` must be a Keras model with one layer {kind.__name__}. "
            f"Received: {shorten(model)}{how_to_load(model)}"
        )
    return networks[0]


def model_and_task(model: Any, task: Any) -> tuple[Any, Any]:
    """A Keras model and its task; of a run, or of what a training has left, those that
    it has, unless a task is given."""
    if task is None and hasattr(model, "task"):
        task = model.task
        model = model.load_model() if hasattr(model, "load_model") else model.model
    return model, task


def check_task(task: Any, member: str, does: str) -> None:
    """Checks that a task is of the kind that a network writes for.

    Args:
        task: The task.
        member: What only tasks of this kind have.
        does: What tasks of this kind do, such as "reads one text and writes another".
    Raises:
        ValueError: If it is of another kind.
    """
    # By a member: the classes of these tasks know who writes for them.
    if not isinstance(task, Task) or not hasattr(type(task), member):
        received = task.name if isinstance(task, Task) else shorten(task)
        hint = ". Of a run: `run.load_model(), run.task`" if task is None else ""
        raise ValueError(
            f"`task` must be a task that {does}. Received: task={received}{hint}"
        )


def checked_lines(name: str, lines: Iterable[str]) -> list[str]:
    """Lines of text as a list.

    Raises:
        TypeError: If they are one text, or one of them is no text.
    """
    if isinstance(lines, str) or not isinstance(lines, Iterable):
        raise TypeError(
            f"`{name}` must be a list of lines. Received: {name}={shorten(lines)}"
        )
    found = list(lines)
    for line in found:
        if not isinstance(line, str):
            raise TypeError(
                f"`{name}` must be a list of lines, each a string, not a list of "
                f"tokens. Received: {shorten(line)} among them"
            )
    return found


def check_n_best(n_best: int, beam_size: int) -> None:
    """Checks how many translations of a line are asked for.

    Raises:
        ValueError: If it is not an integer from 1 to the size of the beam.
    """
    check_integer("n_best", n_best)
    if n_best > beam_size:
        raise ValueError(
            f"`n_best` must be at most {beam_size}, the number of hypotheses that are "
            f"kept (`beam_size`). Received: n_best={n_best}"
        )


def check_sampling(
    *,
    seed: int = 1,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> None:
    """Checks how translations are to be drawn. `memnets.decoders.sample` checks it too,
    but Keras makes several lines of what is raised within a model.

    Raises:
        ValueError: If a number is out of its range.
    """
    check_integer("seed", seed, minimum=0)
    check_number("temperature", temperature, minimum=0)
    if top_k is not None:
        check_integer("top_k", top_k)
    if top_p is not None:
        check_number("top_p", top_p, above=0, maximum=1)
