"""Tasks on text, and the models of text that they train and compare with."""
