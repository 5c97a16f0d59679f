"""Tasks that read characters and then write characters."""
