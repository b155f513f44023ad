"""Lines of a device's state during a launch (event `device`; their form: programs/devices/state_watch.hpp)."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass

REASONS = ("power", "temperature", "hardware")
LATEST = 1e11  # s since 1970
MOST = 1e15  # Hz, W


@dataclass(frozen=True)
class DeviceLook:
    """A device's state at `time` (s since 1970): clock (Hz), power (W), other processes, and what slowed it down.

    None: not known.
    """

    time: float
    clock: float
    power: float | None
    others: int | None
    limits: tuple[str, ...] | None


@dataclass(frozen=True)
class DeviceStates:
    """The looks at one device during one launch, in order of time; `most`: its highest clock, Hz, 0 if not stated."""

    host: str
    device: str
    name: str
    most: float
    looks: tuple[DeviceLook, ...]

    @property
    def highest(self) -> float:
        """The highest clock that was stated or seen, Hz."""
        return max([self.most, *(look.clock for look in self.looks)])

    def within(self, begin: float, end: float) -> tuple[DeviceLook, ...]:
        """The looks from `begin` to `end`; where there is none between them, the nearest one."""
        times = [look.time for look in self.looks]
        first, behind = bisect_left(times, begin), bisect_left(times, end)
        if first < behind or not self.looks:
            return self.looks[first:behind]
        middle = (begin + end) / 2
        return (min(self.looks[max(0, first - 1) : first + 1], key=lambda look: abs(look.time - middle)),)


def device_states(event: Mapping[str, object]) -> DeviceStates:
    """Read a line. ValueError for impossible values."""
    texts = {key: event.get(key) for key in ("host", "device", "name")}
    for key, value in texts.items():
        if not isinstance(value, str):
            raise ValueError(f"{key}: got {value!r}, expected a text")
    times, clocks = _known("time", event.get("time"), LATEST), _known("clock", event.get("clock"), MOST)
    powers, others = (_perhaps(key, event.get(key), MOST) for key in ("power", "others"))
    listed = event.get("limits")
    if not isinstance(listed, list):
        raise ValueError(f"limits: got {listed!r}, expected a list of reasons")
    reasons = [None if each is None else _reasons(each) for each in listed]
    if len({len(reasons), len(times), len(clocks), len(powers), len(others)}) > 1:
        raise ValueError(f"limits: got {len(reasons)} values, expected as many as in time, clock, power and others")
    (most,) = _known("most", [event.get("most")], MOST)
    looks = [
        DeviceLook(time, clock, power, None if count is None else int(count), why)
        for time, clock, power, count, why in zip(times, clocks, powers, others, reasons, strict=True)
    ]
    looks.sort(key=lambda look: look.time)
    return DeviceStates(**{key: str(value) for key, value in texts.items()}, most=most, looks=tuple(looks))


def _known(key: str, values: object, most: float) -> list[float]:
    if not isinstance(values, list):
        raise ValueError(f"{key}: got {str(values)[:40]!r}, expected a list of numbers")
    for value in values:
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
            or not 0 <= value <= most
        ):
            raise ValueError(f"{key}: got {value!r}, expected a number of 0 to {most:g}")
    return [float(value) for value in values]


def _perhaps(key: str, values: object, most: float) -> list[float | None]:
    """The same, in which null is what was not known."""
    known = iter(_known(key, [v for v in values if v is not None] if isinstance(values, list) else values, most))
    return [None if value is None else next(known) for value in values] if isinstance(values, list) else []


def _reasons(text: object) -> tuple[str, ...]:
    found = tuple(text.split(",")) if isinstance(text, str) and text else ()
    if not isinstance(text, str) or any(each not in REASONS for each in found):
        raise ValueError(f"limits: got {text!r}, expected some of {', '.join(REASONS)}")
    return found
