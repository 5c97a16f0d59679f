"""Damaged files: flipped bits, and ends that are cut off."""


def damage(data: bytes, rng) -> bytes:
    """The data with one to three bits flipped, or cut short."""
    if rng.random() < 0.25:
        return data[: rng.integers(len(data))]
    changed = bytearray(data)
    for bit in rng.choice(8 * len(data), rng.integers(1, 4), replace=False):
        changed[bit // 8] ^= 1 << (bit % 8)
    return bytes(changed)
