"""The results of a tournament of all pairs: times of the pairs, and what is slow among them, by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from assay.document.json_form import WRITTEN_IF_SET
from assay.document.params import Params


@dataclass(frozen=True, kw_only=True)
class PairTimes:
    """Times of messages of `bytes` bytes one way (s), from row to column; null on the diagonal.

    A row is one rank, or so many (`ranks_per_row`), with the median of all their pairs. `slower` is each
    time over the median of comparable ones (same node, or like ways and messages over the busiest link), less 1.
    """

    bytes: int
    median: float
    ranks_per_row: int
    seconds: list[list[float | None]]
    slower: list[list[float | None]]


@dataclass(frozen=True, kw_only=True)
class SlowThing:
    """A node, rank, link, cable, pair or one direction of it: its messages take `slower` longer (0.1: 10%).

    `interval`: of all that are stated at most 5% miss (analysis/slow_pairs.py); `p` before Holm's correction;
    `readings`: directed pairs that it rests on. `ranks` and `nodes` name its ends, a direction's from and to; `link`
    the routers of a link. `shared`: only where its messages share links with others, so that it is not slow itself,
    unless none of its readings was of a message that shared none (`alone`: how many were).
    `but_for`: nodes with which a slow node exchanges as fast as others do, so that it may be behind another switch.
    """

    kind: str
    text: str
    bytes: int
    slower: float
    interval: list[float]
    p: float
    readings: int
    ranks: list[int] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)
    link: str | None = None
    shared: bool = False
    alone: int = 0
    but_for: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class TournamentFound:
    """What was judged: so many `candidates` by `passes` of `launches`, and what is `slow`, the most telling first.

    `replicates` are launches or passes; `routes` is whether the way of each message is known, as on a described
    machine: then links are among the candidates. `too_many`: pairs or directions that are slow, where they are
    too many to be named one by one. `params`, where a run's passes were of several numbers of ranks, ranks per node or
    MPIs and each was judged separately, as a run of its own (`false_alarms`): what these are of, and `label`, what
    distinguishes them.
    """

    params: Annotated[Params | None, WRITTEN_IF_SET] = None
    label: Annotated[str | None, WRITTEN_IF_SET] = None

    ranks: int
    nodes: int
    launches: int
    passes: int
    replicates: str
    routes: bool
    candidates: int
    false_alarms: float
    too_many: int
    lengths: list[PairTimes]
    slow: list[SlowThing]
    text: list[str]
