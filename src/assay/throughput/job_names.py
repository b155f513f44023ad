"""Names of jobs, and how many there are: each is a name of the table of jobs, with its number among those of it."""

from __future__ import annotations

from collections.abc import Sequence


def counted(names: Sequence[str]) -> list[str]:
    """Names with the number of each among those of its name: maya5_run.1, maya5_run.2."""
    counts: dict[str, int] = {}
    found = []
    for name in names:
        counts[name] = counts.get(name, 0) + 1
        found.append(f"{name}.{counts[name]}")
    return found


def kind_of(name: str) -> str:
    """A job's name without its number; itself where it has none."""
    return name.rpartition(".")[0] or name
