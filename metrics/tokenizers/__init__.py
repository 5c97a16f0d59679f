"""Tokenizers: one a file, and the registry of their names."""

from .registry import (
    TOKENIZERS,
    Tokenizer,
    get_tokenizer,
    tokenizer_name,
    tokens_of,
)

__all__ = ["TOKENIZERS", "Tokenizer", "get_tokenizer", "tokenizer_name", "tokens_of"]
