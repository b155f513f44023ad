"""Rate and latency over time of one case, and its stalls."""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.document.params import Params


@dataclass(frozen=True, kw_only=True)
class SeenStall:
    """A stall (`analysis.over_time.Stall`: s since the pass began, s, B/s, B/s, s) of one pass.

    `process`: the one that stalled while others went on; None where all of them did. `text`: the same in words.
    """

    launch: int
    block: int
    process: int | None
    begin: float
    seconds: float
    rate: float
    usual: float
    waited: float
    text: str


@dataclass(frozen=True, kw_only=True)
class TimeSeries:
    """One case: by slot of `slot` seconds since a pass began, the median, least and greatest rate of its passes (B/s).

    Latencies (s) are of the operations of all passes that ended in the slot: None where none did. `first_done` and
    `last_done`: when the first and the last process had done their operations, s, medians of the passes;
    `latest`: the process that was last in most passes, in `latest_in` of them. None with one process.
    """

    params: Params
    host: str
    slot: float
    launches: int
    passes: int
    seconds: list[float]
    rate: list[float]
    rate_low: list[float]
    rate_high: list[float]
    p50: list[float | None]
    p99: list[float | None]
    longest: list[float | None]
    first_done: float | None = None
    last_done: float | None = None
    latest: int | None = None
    latest_in: int | None = None
    stalls: list[SeenStall] = field(default_factory=list)
