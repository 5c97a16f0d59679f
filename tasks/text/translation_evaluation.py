"""How translation is measured: by the lines of a split."""

from collections.abc import Callable
from typing import Any

from ..contract.splits import NamedSplitEvaluation
from .pairs import PairEvaluation

# Heuristic: lines that are translated after each epoch.
VALIDATED = 1000


class TranslationEvaluation(PairEvaluation, NamedSplitEvaluation):
    """An evaluation of translations of a split."""

    @property
    def num_eval_sequences(self) -> int:
        return len(self.task.corpus.sources)

    def validator(self, model: Any) -> Callable[[], dict[str, float]]:
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
