"""Tasks whose outputs are symbols: formal languages, graphs, stories, classes."""
