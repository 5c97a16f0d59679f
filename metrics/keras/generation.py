"""A callback that scores what a Keras model generates during training."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import keras

from ..base import Metric, Text, naming_arguments
from ..checks import check_integer, shorten
from ..registry import get
from ..scores import Score
from ..text_checks import check_corpus


class GenerationMetrics(keras.callbacks.Callback):
    """Scores the text that a model generates, and logs `val_bleu` and so on.

    List it before the callbacks that read its scores, such as `EarlyStopping` and
    `ModelCheckpoint`. They need `mode="max"` (or `"min"`) for these scores. The first
    epoch, every `every`-th epoch and the last epoch are scored. The other epochs repeat
    the last scores, so `patience`, which counts epochs, should be a multiple of
    `every`.

    Args:
        decode: `decode(model, inputs)` returns a list with the generated text, or list
            of tokens, for each input of a batch.
        inputs: The inputs of `decode`, which are cut into batches: an array or a list
            with an entry for each segment, or a dict or a tuple of these.
        references: One list of references for each segment.
        metrics: A list of metrics, or of names as `metrics.get` takes them; or a dict
            from the names in the logs to these.
        every: Number of epochs from one scoring to the next.
        batch_size: Number of segments in a batch.
        prefix: Prefix of the names in the logs.
    Attributes:
        hypotheses: The texts that were scored last.
        scores: Their scores, a dict from names to `metrics.Score`.
    Raises:
        TypeError: If an argument is of the wrong type, or `decode` does not take two
            arguments. While training: if it returns something else than texts.
        ValueError: If lengths differ, or two metrics have the same name. While
            training: if `decode` does not return a text for each input.
    Example:
        >>> import numpy as np
        >>> import metrics
        >>> scoring = GenerationMetrics(
        ...     lambda model, inputs: ["a cat"] * len(inputs),
        ...     inputs=np.zeros((3, 8)),
        ...     references=[["a cat"]] * 3,
        ...     metrics=[metrics.BLEU(max_order=2)],
        ... )
        >>> stop = keras.callbacks.EarlyStopping("val_bleu", mode="max")
        >>> model = keras.Sequential([keras.layers.Dense(1)])
        >>> model.compile(loss="mse")
        >>> x, y = np.zeros((3, 8)), np.zeros((3, 1))
        >>> model.fit(x, y, verbose=0, callbacks=[scoring, stop]).history["val_bleu"]
        [1.0]
    """

    @naming_arguments
    def __init__(
        self,
        decode: Callable[..., Sequence[Text]],
        inputs: Any,
        references: Sequence[Sequence[Text]],
        metrics: Sequence[Metric | str] | Mapping[str, Metric | str],
        *,
        every: int = 1,
        batch_size: int = 32,
        prefix: str = "val_",
    ) -> None:
        super().__init__()
        _check_decode(decode)
        _check_references(references)
        _check_size(inputs, len(references))
        if not isinstance(prefix, str):
            raise TypeError(
                f"`prefix` must be a string. Received: prefix={shorten(prefix)}"
            )
        self.decode = decode
        self.inputs = inputs
        self.references = references
        self.metrics = _named(metrics)
        self.every = check_integer("every", every)
        self.batch_size = check_integer("batch_size", batch_size)
        self.prefix = prefix
        self.hypotheses: list[Text] = []
        self.scores: dict[str, Score] = {}

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Forgets the scores of an earlier `fit`."""
        self.scores = {}

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Scores the epoch if it is due, and writes the scores into `logs`."""
        is_due = (epoch + 1) % self.every == 0 or epoch + 1 == self.params["epochs"]
        if is_due or not self.scores:
            self.hypotheses = self._decoded()
            self.scores = {
                name: metric.corpus_score(self.references, self.hypotheses)
                for name, metric in self.metrics.items()
            }
        if logs is not None:
            logs.update(
                {self.prefix + name: s.value for name, s in self.scores.items()}
            )

    def _decoded(self) -> list[Text]:
        texts: list[Text] = []
        for start in range(0, len(self.references), self.batch_size):
            size = min(self.batch_size, len(self.references) - start)
            batch = _cut(self.inputs, slice(start, start + size))
            decoded = self.decode(self.model, batch)
            if not isinstance(decoded, list | tuple) or len(decoded) != size:
                raise ValueError(
                    "`decode` must return a list with a text for each input, here of "
                    f"{size}. Received: {shorten(decoded)}"
                )
            texts += decoded
        check_corpus(self.references, texts, "decode(model, inputs)")
        return texts


def _check_decode(decode: Any) -> None:
    """Raises TypeError if `decode` is no function of a model and inputs."""
    if not callable(decode):
        raise TypeError(
            f"`decode` must be a function. Received: decode={shorten(decode)}"
        )
    try:
        signature = inspect.signature(decode)
    except (TypeError, ValueError):  # some of C have none
        return
    try:
        signature.bind("model", "inputs")
    except TypeError:
        raise TypeError(
            "`decode` must be a function that is called as `decode(model, inputs)`. "
            f"Received one that takes {signature}"
        ) from None


def _check_references(references: Any) -> None:
    is_list = isinstance(references, list | tuple)
    empty = [_empty_hypothesis(texts) for texts in references] if is_list else []
    check_corpus(references, empty, "references")


def _empty_hypothesis(references: Any) -> Text:
    """An empty text, or an empty list of tokens if the first reference is a list."""
    first = references[0] if isinstance(references, list | tuple) and references else ""
    return [] if isinstance(first, list | tuple) else ""


def _named(metrics: Any) -> Mapping[str, Metric]:
    """The metrics by their names in the logs."""
    if not isinstance(metrics, list | tuple | Mapping):
        raise TypeError(
            "`metrics` must be a list of metrics, or a dict from names to metrics. "
            f"Received: {shorten(metrics)}"
        )
    if isinstance(metrics, Mapping):
        return {name: _metric(metric) for name, metric in metrics.items()}
    names = [
        metric.lower() if isinstance(metric, str) else _metric(metric).name
        for metric in metrics
    ]
    named = {
        name.replace("-", "_"): _metric(metric)
        for name, metric in zip(names, metrics, strict=True)
    }
    if len(named) < len(metrics):
        raise ValueError(
            "`metrics` must be a dict if several have the same name. Received: "
            f"{shorten(metrics)}"
        )
    return named


def _metric(metric: Any) -> Metric:
    """A metric, or that of a name."""
    if isinstance(metric, str):
        return get(metric)
    if not isinstance(metric, Metric):
        raise TypeError(
            "`metrics` must hold metrics such as `metrics.BLEU()`, or names such as "
            f"'bleu'. Received: {shorten(metric)}"
        )
    return metric


def _check_size(inputs: Any, size: int) -> None:
    if isinstance(inputs, dict | tuple):
        for part in inputs.values() if isinstance(inputs, dict) else inputs:
            _check_size(part, size)
    elif not (hasattr(inputs, "__len__") and hasattr(inputs, "__getitem__")):
        raise TypeError(
            "`inputs` must be an array, a list, or a dict or tuple of these. Received: "
            f"{shorten(inputs)}"
        )
    elif len(inputs) != size:
        raise ValueError(
            "`inputs` must have an entry for each of the references. Received: "
            f"{len(inputs)} inputs and {size} lists of references"
        )


def _cut(inputs: Any, rows: slice) -> Any:
    if isinstance(inputs, dict):
        return {name: _cut(part, rows) for name, part in inputs.items()}
    if isinstance(inputs, tuple):
        return tuple(_cut(part, rows) for part in inputs)
    return inputs[rows]
