"""The tasks of the Neural Turing Machine paper: sequences of bits."""
