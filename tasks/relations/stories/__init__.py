"""Stories: sentences, a question about them, and its answer."""
