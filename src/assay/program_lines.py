"""The lines of JSON that programs write, as they are meant; `samples` checks each value before it becomes a row.

A line's `event` distinguishes them; keys that a program need not write may be missing. Of a line that several hosts
wrote into one file, `host` names the one.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict, TypeGuard, final

from assay.case import ParameterValue


class PlacedRank(TypedDict, total=False):
    """Where a rank was: its host, its process, the processors that it may use and the one that it was on."""

    rank: int | None
    host: str | None
    pid: int
    cpus: list[int]
    cpu: int | None
    cores: int
    sockets: int
    threads: int


class ProgramClock(TypedDict):
    """The clock of a program: its resolution and what reading it takes (s)."""

    name: str
    resolution: float
    overhead: float


class LaunchEvent(TypedDict):
    """A program has started; `reference`: s that a fixed piece of work took; `node`: of a file that one node wrote."""

    event: Literal["launch"]
    version: NotRequired[int]
    program: NotRequired[str]
    launch: NotRequired[int]
    seed: NotRequired[int]
    t: NotRequired[float | None]
    ranks: NotRequired[int]
    placement: NotRequired[list[PlacedRank]]
    hosts: NotRequired[list[dict[str, object]]]
    node: NotRequired[str]
    host: NotRequired[str]
    pid: NotRequired[int]
    cpus: NotRequired[list[int]]
    transport: NotRequired[str | None]
    compiler: NotRequired[str | None]
    flags: NotRequired[str | None]
    library: NotRequired[str | None]
    clock: NotRequired[ProgramClock | None]
    reference: NotRequired[float | None]


class BlockAccounting(TypedDict, total=False):
    """What the kernel and the counters of energy counted in a block: fields of `samples.Block`."""

    steal: float | None
    others: float | None
    own: float | None
    wall: float | None
    waited: float | None
    involuntary: int | None
    voluntary: int | None
    minor_faults: int | None
    major_faults: int | None
    frequency: float | None
    energy_package: float | None
    energy_memory: float | None
    energy_platform: float | None
    energy_source: str | None


class BlockEvent(TypedDict):
    """Readings of a case one after the other, between `t0` and `t1`; `first`: the first call."""

    event: Literal["block"]
    case: NotRequired[dict[str, ParameterValue]]
    metric: str
    block: NotRequired[int]
    order: NotRequired[int]
    batch: NotRequired[int]
    first: NotRequired[float | None]
    values: list[float]
    ended: NotRequired[str]
    t0: NotRequired[float]
    t1: NotRequired[float]
    cache: NotRequired[str | None]
    host: NotRequired[str]
    accounting: NotRequired[BlockAccounting | None]


class CheckEvent(TypedDict):
    """A program's own verification of a case."""

    event: Literal["check"]
    case: NotRequired[dict[str, ParameterValue]]
    passed: bool
    detail: NotRequired[str]
    host: NotRequired[str]


class NoteEvent(TypedDict):
    """A remark for people."""

    event: Literal["note"]
    text: NotRequired[str]
    host: NotRequired[str]


class DoneEvent(TypedDict):
    """A program has ended by itself; `user`, `system`: its processor time (s)."""

    event: Literal["done"]
    reference: NotRequired[float | None]
    user: NotRequired[float | None]
    system: NotRequired[float | None]
    host: NotRequired[str]


class PairsCase(TypedDict):
    """The case of a tournament's pass."""

    ranks: int
    bytes: int


@final
class PairTimesEvent(TypedDict):
    """A pass of a tournament: the time (s) of every directed pair, and each rank's place in the circle."""

    event: Literal["pairs"]
    case: PairsCase
    seconds: list[float]
    places: list[int]


LinkEnds = tuple[str, str, int, int]  # name, kind, and the ends


@final
class PairWaysEvent(TypedDict):
    """Where ranks are: `ways` has `hops` links of each pair, numbers into `links`; `alike` as `described.ways` has it.

    `nodes`: of each rank.
    """

    event: Literal["pairs"]
    nodes: list[int]
    ways: NotRequired[list[int]]
    hops: NotRequired[int]
    links: NotRequired[list[LinkEnds]]
    alike: NotRequired[list[int]]


PairsEvent = PairTimesEvent | PairWaysEvent


class RemarkEvent(TypedDict):
    """What decides on cases (`remarks`): a doubt, a skip or a cut, of all cases or of one."""

    event: Literal["doubt", "skip", "cut"]
    text: str
    case: NotRequired[dict[str, ParameterValue] | None]
    host: NotRequired[str]


ProgramEvent = LaunchEvent | BlockEvent | CheckEvent | NoteEvent | RemarkEvent | DoneEvent


def is_event(line: object) -> TypeGuard[ProgramEvent]:
    """Whether a line is one of a program, of a kind that is known here or of another: an object."""
    return isinstance(line, dict)
