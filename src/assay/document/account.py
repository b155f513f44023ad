"""Where an application's time went, by rank, call and kernel, in one run that was made for it."""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.document.params import Params

Three = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class TimeAccount:
    """One case on `ranks` ranks: `time` (s) from the common start to the last rank's end.

    By rank, s: `computing` outside calls, `communicating` in them, `ended`: when it was done, so that it idled for
    time - ended; `user` and `system`: processor time; `memory`: the most that it ever had, B. These last three are
    empty on a described machine. `calls`: seconds, calls and bytes of each kind of call, of all ranks; `kernels`:
    seconds, calls and amount (in the unit of `[compute]`). `lengths`: sent messages of L to 2 L - 1 bytes (L 0: of
    none) as (L, messages, bytes). `waits`: rank, for which, seconds in calls that a message of that one ended, longest
    first. `messages`: bytes and seconds one way between the first and the last rank, measured in the same run.
    `launches`: how many made an account; this is that of median time.
    """

    params: Params
    ranks: int
    time: float
    computing: list[float]
    communicating: list[float]
    ended: list[float]
    user: list[float]
    system: list[float]
    memory: list[float]
    calls: dict[str, Three]
    kernels: dict[str, Three]
    lengths: list[Three]
    waits: list[tuple[int, int, float]]
    messages: list[tuple[float, float]] = field(default_factory=list)
    launches: int = 1

    @property
    def share(self) -> float:
        """The part of all ranks' time that is in calls."""
        return sum(self.communicating) / (self.ranks * self.time) if self.time > 0 else 0.0

    @property
    def idle(self) -> float:
        """The part of all ranks' time after their own end."""
        return sum(self.time - each for each in self.ended) / (self.ranks * self.time) if self.time > 0 else 0.0

    @property
    def imbalance(self) -> float:
        """The longest computing of a rank over the mean of all, less 1."""
        mean = sum(self.computing) / self.ranks
        return max(self.computing) / mean - 1 if mean > 0 else 0.0
