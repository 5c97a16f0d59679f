"""Tokenizers, one a file, and their registry."""

from .tokenizers import Tokenizer, get_tokenizer, tokenizer_name

__all__ = ["Tokenizer", "get_tokenizer", "tokenizer_name"]
