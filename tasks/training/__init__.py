"""Training a model on a task."""
