"""Tasks on relations: graphs, stories, classes."""
