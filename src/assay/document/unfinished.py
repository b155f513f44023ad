"""How far a run came that has not ended by itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Unfinished:
    """Launches that ended, of those planned (`most`: at most so many), and benchmarks that were not begun.

    `state`: "interrupted", or "running" while a process measures.
    """

    state: str
    launches: int
    planned: int
    most: bool
    never_begun: list[str]
