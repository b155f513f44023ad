"""How far a number may be trusted, in one word, and how a program's own notes begin that bear on it."""

from __future__ import annotations

DOUBTED = "doubted: "  # what the program itself does not trust
LEFT_OUT = "left out: "  # why a case, or all of them, cannot be done here
WORST = {"clean": 0, "disturbed": 1, "invalid": 2}


def worse(one: str, other: str) -> str:
    """Return the worse of two states."""
    return max(one, other, key=WORST.__getitem__)
