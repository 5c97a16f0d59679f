"""The options of training, importable without Keras."""
