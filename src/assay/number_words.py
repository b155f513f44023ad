"""Numbers of things as text: 1 job, 2,000 jobs, 2 launches."""

from __future__ import annotations


def number_of(count: int, noun: str) -> str:
    """So many of something, in the singular or the plural: `1 job`, `2 jobs`, `2 launches`."""
    plural = f"{noun}es" if noun.endswith(("s", "ch")) else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"
