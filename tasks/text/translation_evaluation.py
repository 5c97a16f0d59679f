"""How translation is measured: by the lines of a split."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..contract.splits import NamedSplitEvaluation
from ..metrics_package import metrics_module, metrics_package
from .pairs import PairEvaluation

if TYPE_CHECKING:
    import keras

# Heuristic: lines that are translated after each epoch.
VALIDATED = 1000


class TranslationEvaluation(PairEvaluation, NamedSplitEvaluation):
    """An evaluation of translations of a split."""

    @property
    def num_eval_sequences(self) -> int:
        return len(self.task.corpus.sources)

    def validator(self, model: "keras.Model") -> Callable[[], dict[str, float]]:
        """BLEU and METEOR of the first validation lines, translated greedily."""
        from .translator import Translator

        task = self.task.on("validation")
        sources = task.corpus.sources[:VALIDATED]
        references = task.corpus.references[:VALIDATED]
        known = task._metrics()
        metrics = {name: known[name] for name in ("bleu", "meteor")}
        translator = Translator(model, task, beam_size=1)

        def validate() -> dict[str, float]:
            texts = [best[0].text for best in translator.translate(sources)]
            return {
                f"val_{name}": float(metric.corpus_score(references, texts))
                for name, metric in metrics.items()
            }

        return validate


def metrics_of(language: str) -> dict[str, Any]:
    """The metrics of translations into a language, by the ending of its files."""
    package = metrics_package()
    return {
        "bleu": package.get("bleu"),
        "bleu_lowercase": package.get("bleu", lowercase=True),
        "meteor": package.get("meteor-1.5", language=_meteor_language(language)),
        "chrf": package.get("chrf"),
        "ter": package.get("ter"),
    }


def _meteor_language(ending: str) -> str:
    """What METEOR calls the language of files with this ending."""
    constants = metrics_module("meteor.constants")
    name = constants.ALIASES.get(ending, ending)
    # The stems of Arabic are a table that METEOR would have to be given.
    return name if name in constants.LANGUAGES and name != "ar" else "other"
