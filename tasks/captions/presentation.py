"""How pictures are shown with their captions."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..contract.parts import Batch, Section
from ..text.presentation import WritingPresentation

if TYPE_CHECKING:
    import keras


class CaptionPresentation(WritingPresentation):
    """Captions that are written, with their pictures in a report."""

    def heading(self, batch: Batch, index: int) -> list[str]:
        return [f"picture {index}"]

    def model_sections(self, model: "keras.Model") -> Iterable[Section]:
        """Pictures with their captions, and what lies beside the scores."""
        from .report import sections

        return sections(self.task, model)

    def floors(self) -> list[list[str]]:
        """Scores of captions that no model has written, as rows of a table, the
        headings first: of another caption of the picture, of another picture, and of
        one caption for all."""
        from .report import floors, table_of_floors

        return table_of_floors(self.task, floors(self.task))


class ScenePresentation(CaptionPresentation):
    """The same of scenes, of which it is known what is true."""

    headline = "true"


class PhotoPresentation(CaptionPresentation):
    """The same of pictures that were read from files."""

    headline = "cider-d"

    @property
    def notes(self) -> tuple[str, ...]:
        """What the training leaves out: pictures that cannot be read, captions; and
        whether the vocabulary is smaller than was asked for."""
        task = self.task
        if task.split != "train":
            return ()
        notes = task._photos.notes(task.left_out)
        total = sum(len(one.captions) for one in task.pictures)
        if unfit := total - len(task._pairs):
            notes.append(
                f"{unfit:,} of {total:,} captions to train on have no word or more "
                f"than {task.max_length} tokens, and are left out."
            )
        notes += task.target_vocabulary.note_on_size(task.vocabulary_size)
        return tuple(notes)
