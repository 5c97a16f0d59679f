"""Word vectors: GloVe from counting to training, analogies and similarity."""
