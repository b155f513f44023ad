"""Lines of rate and latency over time (event `over_time`; their form: programs/timing/over_time.hpp)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from assay.case import Case
from assay.samples import Circumstance, case_of

MOST_BUCKET = 58 * 64 - 1  # of 63 bits of nanoseconds
MOST = 1e15  # of a whole number in them
LEAST_SLOT, LONGEST = 0.1, 1e6  # s; of a slot, of a pass


@dataclass(frozen=True)
class TimeSlot:
    """What one process's operations did that ended in one slot of a pass: `second` to `second` + `slot`, s.

    `ended`: when the process's last operation of the pass had, s; None in lines of earlier versions. `counts`: of
    latencies by bucket.
    """

    case: Case
    host: str
    pass_: int
    process: int
    ended: float | None
    second: float
    slot: float
    bytes: int
    counts: dict[int, int]


def time_slot(event: Mapping[str, object], about: Circumstance) -> TimeSlot:
    """Read a line of a launch that is `about`. ValueError for impossible values."""
    latencies = event.get("latencies")
    if not isinstance(latencies, dict):
        raise ValueError(f"latencies: got {str(latencies)[:40]!r}, expected an object")
    buckets, counts = _wholes("buckets", latencies.get("buckets")), _wholes("counts", latencies.get("counts"))
    if (
        len(buckets) != len(counts)
        or len(set(buckets)) < len(buckets)
        or any(bucket > MOST_BUCKET for bucket in buckets)
    ):
        raise ValueError(f"latencies: got {len(buckets)} buckets, {len(counts)} counts, expected as many, known ones")
    slot = _number("slot", event.get("slot", 1.0))
    if slot < LEAST_SLOT:
        raise ValueError(f"slot: got {slot}, expected {LEAST_SLOT} or more")
    ended = event.get("ended")
    return TimeSlot(
        case=case_of(event, about),
        host=str(event.get("host") or ""),
        pass_=_whole("pass", event.get("pass", 0)),
        process=_whole("process", event.get("process")),
        ended=None if ended is None else _number("ended", ended),
        second=_number("second", event.get("second")),
        slot=slot,
        bytes=_whole("bytes", event.get("bytes")),
        counts=dict(zip(buckets, counts, strict=True)),
    )


def _whole(key: str, value: object) -> int:
    if type(value) is not int or not 0 <= value <= MOST:
        raise ValueError(f"{key}: got {value!r}, expected a whole number from 0")
    return value


def _wholes(key: str, values: object) -> list[int]:
    if not isinstance(values, list):
        raise ValueError(f"{key}: got {values!r}, expected a list of whole numbers")
    return [_whole(key, value) for value in values]


def _number(key: str, value: object) -> float:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not math.isfinite(value)
        or not 0 <= value <= LONGEST
    ):
        raise ValueError(f"{key}: got {value!r}, expected a number of 0 to {LONGEST:g}")
    return float(value)
