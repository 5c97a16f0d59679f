"""Tokenizers with a SentencePiece model: spBLEU, with the models of FLORES or another.

The text becomes pieces of words. Nothing is downloaded: a model is a file that lies
where sacreBLEU keeps it, or that is named by its path.
"""

import functools
import hashlib
import os
import pathlib
from typing import Any

# Where the published models come from; their last part is the name of the file.
URLS = {
    "flores101": "https://dl.fbaipublicfiles.com/fairseq/models/flores/"
    "sacrebleu_tokenizer_spm.model",
    "flores200": "https://tinyurl.com/flores200sacrebleuspm",
    "spBLEU-1K": "https://www.dlnlp.ai/spBLEU-1K/spbleu-1k_tokenizer_spm.model",
}
# What sacreBLEU called it first.
ALIASES = {"spm": "flores101"}
NAMES = (*ALIASES, *URLS)
SUFFIX = ".model"


class SentencePieceTokenizer:
    """Splits text into the pieces of a SentencePiece model.

    The signature names a published model, and has the first digits of the SHA-256 sum
    of another one.

    Args:
        model: `"flores101"`, `"flores200"`, `"spBLEU-1K"`, or the path of a model. The
            files of the first three lie in `~/.sacrebleu/models`, or in `models` of the
            folder that the environment variable `SACREBLEU` names.
    Raises:
        ImportError: If `sentencepiece` is not installed.
        ValueError: If there is no such file, or it is no model.
    Reference:
        Goyal et al. (2022), The FLORES-101 Evaluation Benchmark for Low-Resource and
        Multilingual Machine Translation.
    """

    def __init__(self, model: str | os.PathLike[str]) -> None:
        self.model = ALIASES.get(os.fspath(model), os.fspath(model))
        path = _path(self.model).resolve()
        state = path.stat()
        self._processor, digest = _processor(
            str(path), state.st_mtime_ns, state.st_size
        )
        if self.model in URLS:
            self.signature = self.model
        else:
            self.model = str(path)
            self.signature = f"spm-{digest[:8]}"

    def __call__(self, text: str) -> list[str]:
        pieces = self._processor.encode(text.rstrip(), out_type=str)
        # A piece may hold white space of Unicode, at which sacreBLEU splits again.
        return " ".join(pieces).split()

    def __reduce__(self) -> tuple[Any, ...]:
        return SentencePieceTokenizer, (self.model,)


def _path(model: str) -> pathlib.Path:
    """The file of a model."""
    if model not in URLS:
        path = pathlib.Path(model)
        if not path.is_file():
            raise ValueError(
                "`tokenizer` must be the path of a SentencePiece model. Received: "
                f"{model!r}, which is no file"
            )
        return path
    folder = os.environ.get("SACREBLEU") or pathlib.Path.home() / ".sacrebleu"
    path = pathlib.Path(folder, "models", URLS[model].rpartition("/")[2])
    if not path.is_file():
        raise ValueError(
            f"`tokenizer` {model!r} needs its model as {str(path)!r}, which is no "
            f"file. It comes from {URLS[model]}"
        )
    return path


@functools.lru_cache(maxsize=8)
def _processor(path: str, changed: int, size: int) -> tuple[Any, str]:
    """The processor of a model, and the SHA-256 sum of its file. The time of its last
    change and its size tell it from another file that had the same path."""
    try:
        import sentencepiece
    except ImportError as error:
        raise ImportError(
            "A SentencePiece model needs its library: pip install 'memnets[spm]'. "
            f"Received: {error}"
        ) from error
    data = pathlib.Path(path).read_bytes()
    processor = sentencepiece.SentencePieceProcessor()
    try:
        processor.LoadFromSerializedProto(data)
    except RuntimeError as error:
        raise ValueError(
            f"`tokenizer` must be a SentencePiece model. Received: {path!r}"
        ) from error
    return processor, hashlib.sha256(data).hexdigest()
