"""METEOR: its alignments, resources and scores."""

from .meteor import METEOR, corpus_meteor, sentence_meteor

__all__ = ["METEOR", "corpus_meteor", "sentence_meteor"]
