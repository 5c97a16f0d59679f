"""What all memories share: state, heads, cell, layer."""
