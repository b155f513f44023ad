"""How sure a share is that was counted: the exact 95% interval of a binomial share (Clopper and Pearson 1934)."""

from __future__ import annotations

LEVEL = 0.95


def share_interval(found: int, of: int, level: float = LEVEL) -> tuple[float, float]:
    """Bracket the share whose `found` of `of` independent trials came true; ValueError without a trial."""
    if not 0 <= found <= of or of < 1:
        raise ValueError(f"{found} of {of} trials is no share")
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = float(betaincinv(found, of - found + 1, tail)) if found else 0.0
    high = float(betaincinv(found + 1, of - found, 1 - tail)) if found < of else 1.0
    return low, high
