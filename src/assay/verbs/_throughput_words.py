"""How the throughput verb writes times."""

from __future__ import annotations


def time_of(seconds: float) -> str:
    """A time as a user of a batch system reads it."""
    for name, length in (("days", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.1f} {name}"
    return f"{seconds:.3g} s"
