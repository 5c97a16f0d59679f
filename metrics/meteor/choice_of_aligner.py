"""The aligner that the settings of METEOR ask for."""

from ..tokenizers.stemmers import check_stemmer, get_stemmer
from .aligners import Aligner, GreedyAligner, MinimalAligner, ProgramAligner
from .matching import Matcher
from .paraphrases import Paraphrases, check_path
from .settings import Settings
from .synonyms import as_lemmas, as_synonyms


def aligner_of(settings: Settings, stages: tuple[str, ...]) -> Aligner:
    """What finds the matches of two texts.

    Args:
        settings: The settings.
        stages: Result of `Settings.stage_names`.
    Raises:
        TypeError: If stemmer, synonyms or paraphrases are of the wrong type.
        ValueError: If there is no such stemmer or source of synonyms, if no stage uses
            what was given, or if the table of paraphrases cannot be read.
    """
    # All three are checked, even if no stage uses them.
    stemmer = settings.resolved_stemmer()
    check_stemmer(stemmer)
    stem = get_stemmer(stemmer, settings.language_name) if "stem" in stages else None
    merge = settings.preset == "1.5"
    synonyms = as_synonyms(settings.synonyms, merge_parts_of_speech=merge)
    if settings.paraphrases is not None:
        check_path("paraphrases", settings.paraphrases)
    _check_used(settings, stages)
    has_synonyms = "synonym" in stages
    if settings.preset == "nltk":
        return GreedyAligner(
            stem, as_lemmas(settings.synonyms) if has_synonyms else None
        )
    table = None
    if settings.paraphrases is not None and "paraphrase" in stages:
        table = Paraphrases(settings.paraphrases)
    synsets = synonyms.synsets if has_synonyms else None
    matcher = Matcher(stages, stem=stem, synsets=synsets, paraphrases=table)
    if settings.preset == "1.5":
        return ProgramAligner(matcher, settings.beam_width())
    return MinimalAligner(matcher)


def _check_used(settings: Settings, stages: tuple[str, ...]) -> None:
    users = {"stemmer": "stem", "synonyms": "synonym", "paraphrases": "paraphrase"}
    for name, stage in users.items():
        if getattr(settings, name) is not None and stage not in stages:
            raise ValueError(
                f"`{name}` must be left out without the stage {stage!r}. To use it, "
                "pass `stages`, and `weights` if the constants have none. Received: "
                f"stages={stages!r}"
            )
