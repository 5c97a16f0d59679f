"""Text metrics: BLEU, METEOR and their neighbours."""
