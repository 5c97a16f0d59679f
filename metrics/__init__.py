"""Text metrics. Empty for now: BLEU and METEOR come next."""
