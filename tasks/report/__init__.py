"""Reports of a run: evaluation, figures, pages, watching."""
