"""Clock and power of each device while it was measured, what slowed it down, and other processes on it.

From the looks of all launches of a benchmark (stored/device_states.py), 20 per second, gathered into slots of equal
width. Where a device was slowed down its blocks are marked (analysis/disturbance/devices.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from statistics import fmean, median

from assay.analysis.disturbance.devices import LIMITS
from assay.document.grid import Grid, grid
from assay.document.json_form import from_json, to_json
from assay.document.params import Plot
from assay.document.section import Section
from assay.report.registry import BenchmarkSource, BenchmarkView, Derived, Place, ReportSection
from assay.report.render.axes import finish
from assay.report.render.plots import COLOURS, layout
from assay.report.units import human
from assay.stored.device_states import DeviceLook, DeviceStates

KEY = "device_states"
MOST_SLOTS = 400  # of one device
UNKNOWN = "not known"
PALE = "rgba(217,98,43,0.16)"


@dataclass(frozen=True, kw_only=True)
class DeviceSeries:
    """One device of one host over all launches, by slots of `slot` seconds from `begun` (s since 1970) on.

    By slot: `seconds` since then, the median `clock` (Hz), the mean `power` (W) and the share of looks at which the
    device was `slowed` down. Of all looks: `limits`, the share of each reason, and the most `others` (processes).
    None: not known.
    """

    host: str
    device: str
    name: str
    launches: int
    highest_clock: float
    begun: float
    slot: float
    seconds: list[float]
    clock: list[float]
    power: list[float | None]
    slowed: list[float]
    limits: dict[str, float] | None
    others: int | None


def gathered(found: Sequence[DeviceStates]) -> list[DeviceSeries]:
    """One series for each device of each host: by slot median clock, mean power, and the share of looks slowed down."""
    devices: dict[tuple[str, str], list[DeviceStates]] = defaultdict(list)
    for each in found:
        if each.looks:
            devices[each.host, each.device].append(each)
    return [_series(host, device, states) for (host, device), states in sorted(devices.items())]


def _series(host: str, device: str, states: Sequence[DeviceStates]) -> DeviceSeries:
    looks = sorted((look for each in states for look in each.looks), key=lambda look: look.time)
    begun = looks[0].time
    width = max(0.05, (looks[-1].time - begun) / MOST_SLOTS)
    slots: dict[int, list[DeviceLook]] = defaultdict(list)
    for look in looks:
        slots[int((look.time - begun) / width)].append(look)
    limits = [look.limits for look in looks if look.limits is not None]
    powers = [[look.power for look in slots[at] if look.power is not None] for at in sorted(slots)]
    others = [look.others for look in looks if look.others is not None]
    return DeviceSeries(
        host=host,
        device=device,
        name=states[0].name,
        launches=len(states),
        highest_clock=max(each.highest for each in states),
        begun=begun,
        slot=width,
        seconds=[at * width for at in sorted(slots)],
        clock=[median(look.clock for look in slots[at]) for at in sorted(slots)],
        power=[fmean(of) if of else None for of in powers],
        slowed=[sum(bool(look.limits) for look in slots[at]) / len(slots[at]) for at in sorted(slots)],
        limits={why: sum(why in of for of in limits) / len(limits) for why in sorted({*chain.from_iterable(limits)})}
        if limits
        else None,
        others=max(others, default=None),
    )


def _derive(source: BenchmarkSource) -> Derived:
    found = [each for about, file in source.lines.tasks if not about.superseded for each in file.content.devices]
    series = gathered(found)
    return Derived(values={KEY: [to_json(each) for each in series]} if series else {})


def _of(section: Section) -> list[DeviceSeries]:
    return [from_json(DeviceSeries, each) for each in (section.derived or {}).get(KEY, ())]


def tables(section: Section) -> list[Grid]:
    """Clock, power and limits of each device; [] where none was looked at."""
    rows = []
    for each in _of(section):
        powers = [watts for watts in each.power if watts is not None]
        power = (human(median(powers), "W", 3), human(max(powers), "W", 3)) if powers else (UNKNOWN, UNKNOWN)
        limits = [f"{LIMITS[f'device_{why}']} {share:.0%}" for why, share in (each.limits or {}).items()]
        rows.append(
            (
                each.device,
                each.name,
                human(each.highest_clock, "Hz", 3),
                human(min(each.clock), "Hz", 3),
                *power,
                UNKNOWN if each.limits is None else ", ".join(limits) or "nothing",
                UNKNOWN if each.others is None else str(each.others or "none"),
            )
        )
    if not rows:
        return []
    headings = (
        "device",
        "name",
        "highest clock",
        "lowest",
        "power, median",
        "most",
        "slowed down by",
        "other processes",
    )
    note = "By the vendor's accounting, 20 looks per second; shares of looks. Blocks that were slowed down are marked."
    return [grid(f"{section.title}: the devices meanwhile", headings, rows, note, left=2)]


def plots(section: Section) -> list[Plot]:
    """Clock and power over time; a pale band where a device was slowed down."""
    series = _of(section)
    if not series:
        return []
    made = []
    for key, unit in (("clock", "Hz"), ("power", "W")):
        about = layout(f"{key} of the device", "since the first look", key, False)
        about["yaxis"]["rangemode"] = "tozero"
        about["switch"] = False
        about["shapes"] = [band for each in series for band in _bands(each)]
        known = [each for each in series if any(value is not None for value in getattr(each, key))]
        traces = [_curve(each, getattr(each, key), COLOURS[i % len(COLOURS)]) for i, each in enumerate(known)]
        if not traces:
            continue
        made.append(finish({"data": traces, "layout": about}, "s", unit, 10))
    return made


def _curve(each: DeviceSeries, values: Sequence[float | None], colour: str) -> Plot:
    """A curve that is broken where no launch ran, and where nothing is known."""
    x: list[float | None] = []
    y: list[float | None] = []
    for (second, value), (behind, _) in pairwise([*zip(each.seconds, values, strict=True), (float("inf"), 0.0)]):
        x.append(second)
        y.append(value)
        if behind - second > 4 * max(each.slot, 0.05):
            x.append(None)
            y.append(None)
    line = {"color": colour, "width": 1.5}
    return {
        "type": "scatter",
        "mode": "lines",
        "name": f"{each.device} ({each.name})",
        "x": x,
        "y": y,
        "line": line,
    }


def _bands(each: DeviceSeries) -> list[Plot]:
    """Rectangles over the time in which the device was slowed down; neighbours are one."""
    spans: list[list[float]] = []
    for second, share in zip(each.seconds, each.slowed, strict=True):
        if share and spans and second - spans[-1][1] < 0.5 * each.slot:
            spans[-1][1] = second + each.slot
        elif share:
            spans.append([second, second + each.slot])
    edges = {"type": "rect", "xref": "x", "yref": "paper", "y0": 0, "y1": 1, "line": {"width": 0}, "layer": "below"}
    return [{**edges, "x0": begin, "x1": end, "fillcolor": PALE} for begin, end in spans]


SECTION = ReportSection(
    order=152,
    derive=_derive,
    of_benchmark=BenchmarkView(
        place=Place.DETAIL,
        tables=lambda document, section: tables(section),
        terminal_tables=lambda document, section: [],
        plots=plots,
        constant_plots=True,
    ),
)
