"""The tokens that every vocabulary of words or pieces begins with."""

PAD, UNKNOWN, START, END = range(4)
SPECIAL = ("<pad>", "<unknown>", "<start>", "<end>")
# Tokens that are never written.
NEVER_WRITTEN = (PAD, UNKNOWN, START)
