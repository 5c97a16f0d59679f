"""ROUGE-N, ROUGE-L and ROUGE-Lsum."""

from .rouge import ROUGEL, ROUGEN, ROUGELsum
from .subsequences import longest_common_subsequence

__all__ = ["ROUGEL", "ROUGEN", "ROUGELsum", "longest_common_subsequence"]
