"""The colours of lines in pictures."""

# Colours that are told apart also by those who do not see all colours.
COLORS = ("#0072b2", "#d55e00", "#666666", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
