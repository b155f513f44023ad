"""Message-passing programs beside plain C twins of their inner loops (twins.c, operations.c, probes.c)."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench._jobs import Counts, Jobs
from bench._pairs import Trio, Unit


def midmean(readings: Sequence[float]) -> float:
    """The mean of the middle half: not tied to the clock's steps, which may be 10 ns where an operation takes 200."""
    from scipy import stats

    return float(stats.trim_mean(readings, 0.25))


REDUCED: dict[str, Callable[[Sequence[float]], float]] = {"median": statistics.median, "midmean": midmean}


@dataclass(frozen=True)
class Twin:
    """One comparison: the twin's mode; our program, its settings; bytes, readings per block, operations per reading.

    Both have their buffers at the same offsets from a page's start, drawn by the launch, or at a fixed one where ours
    takes them as the allocator gives them. `seats`: which processor each rank keeps to (pair.cpp). `less`: what the
    metric lacks to what the twin stores. `source`: the C file with the mode. `name`: where several have one mode.
    `statistic`: what a launch's readings are reduced to (REDUCED).
    """

    mode: str
    program: str
    settings: tuple[str, ...]
    size: int
    readings: int
    batch: int
    metric: str = "time"
    offset: int | None = None
    blocks: int = 8
    ranks: int = 2
    seats: str = ""
    less: float = 0.0
    source: str = "twins.c"
    name: str = ""
    statistic: str = "median"

    @property
    def title(self) -> str:
        """What it is called: as its mode, where it has no name of its own."""
        return self.name or self.mode

    @property
    def processors(self) -> int:
        """How many it keeps busy: as many as its seats name, else two."""
        return max(map(int, self.seats), default=1) + 1

    @property
    def unit(self) -> Unit:
        """What a launch's numbers are printed in: us, or as they are where they are no times."""
        return (1.0, "") if self.less else (1e6, "us")

    def options(self) -> list[str]:
        """Our program's settings and batch as its command line takes them."""
        settings = [word for setting in self.settings for word in ("--set", setting)]
        return [*settings, "--batch", str(self.batch)]

    def launch(self, jobs: Jobs, number: int) -> Trio:
        """One job: the medians, in seconds per operation, of the twin, of the twin again, and of ours."""
        places = offsets(number) if self.offset is None else [str(self.offset)] * 4
        words = [self.mode, str(self.size), str(self.batch), *places]
        counts = Counts(self.blocks, self.readings, number, self.ranks, self.seats)
        plain, again, ours = jobs.launch(self.program, words, self.options(), self.metric, counts)
        reduced = REDUCED[self.statistic]
        return reduced(plain), reduced(again), reduced(ours) + self.less


def offsets(seed: int) -> list[str]:
    """The seeded offsets of our programs' buffers (programs/ranks/buffers.hpp), so that both have the same."""
    found = []
    for rank in (0, 1):
        state = (seed * 2654435761 + rank) % 2**64
        for _ in ("out", "in"):
            state = (state + 0x9E3779B97F4A7C15) % 2**64
            bits = state
            bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
            bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB % 2**64
            found.append(str(8 * ((bits ^ (bits >> 31)) % 512)))
    return found
