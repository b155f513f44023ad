"""The papers' figures redrawn: what the described machines do as lines, published cells as dots, this machine dashed.

`PICTURES` is a table in the papers' order: each record defines the axes and the curves; a curve
defines benchmark, figure and parameter. Hypercubes: Figures 2 to 10; DELTA: 3.1 to 3.6;
Paragon MP: 4.1 to 4.3. The images are not in the papers' text, so that only tables and the text give dots.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from assay.machine import catalogue
from assay.published.cells.answers import Answers
from assay.published.cells.file_twins import CALL, LARGE, SECTION
from assay.published.cells.twins import LENGTHS
from assay.validation.claims.quantities import INSIDE, LOOP, MESH_SENDERS

CUBES = ("ipsc860", "ipsc2", "ipsc1", "ncube6400", "ncube3200")
FINE = tuple(range(8, 121, 4))
DETAIL = tuple(sorted({*range(5200, 6301, 20), 5236, 5237, 5712, 5713, 6188, 6189}))
DECADES = (8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1000000)
LOADS = (0, 25, 50, 75, 100)
CUBE_SENDERS = (1, 2, 4, 6)


@dataclass(frozen=True)
class Series:
    """One curve: points (x, y) in SI; `group` shares a colour, `style` is a line's or `dots`."""

    label: str
    points: tuple[tuple[float, float], ...]
    group: str
    style: str = "-"


@dataclass(frozen=True)
class Simulated:
    """A curve to be simulated: `figure` of a benchmark on a machine over the parameter `x`, with these settings.

    `apart`: `x` is no factor of cases (or how many ranks), and each of its values is played by itself.
    """

    label: str
    group: str
    machine: str
    benchmark: str
    figure: str
    x: str
    settings: Mapping[str, Any]
    style: str = "-"
    apart: bool = False


@dataclass(frozen=True)
class PublishedDots:
    """Published rates of a machine over the parameter `x`, as dots; `time`: the time of the message instead.

    `group`: whose colour they have, by default the machine's own; `unit`: of `x`, where that is no SI one;
    `in_text`: what the text prints counts as well as tables.
    """

    machine: str
    benchmark: str
    x: str
    params: Mapping[str, Any] = field(default_factory=dict)
    time: bool = False
    metric: str = "rate"
    group: str = ""
    unit: float = 1.0
    in_text: bool = False


@dataclass(frozen=True)
class PublishedLevel:
    """A published rate of a machine that the paper gives for no one place on the axis, from `low` to `high`."""

    label: str
    machine: str
    benchmark: str
    low: float
    high: float


Curve = Simulated | PublishedDots | PublishedLevel


@dataclass(frozen=True)
class Picture:
    """One figure of a paper: its axes, what it draws, and once drawn, its series."""

    name: str
    title: str
    source: str
    x: str
    y: str
    curves: tuple[Curve, ...] = ()
    log_x: bool = True
    log_y: bool = False
    note: str = ""
    zero: bool = True
    series: tuple[Series, ...] = ()


def drawn(answers: Answers) -> list[Picture]:
    """Every picture with anything to draw, with its series; what could not be played is left out."""
    found = (
        replace(one, series=tuple(made for each in one.curves if (made := _series(answers, each)).points))
        for one in (*PICTURES, overlay())
    )
    return [one for one in found if one.series]


def _series(answers: Answers, curve: Curve) -> Series:
    if isinstance(curve, Simulated):
        if curve.apart:
            apart = sorted(
                (float(value), answer.value)
                for value in curve.settings[curve.x]
                for answer in answers.ask(
                    curve.machine, curve.benchmark, curve.figure, **{**curve.settings, curve.x: (value,)}
                )
            )
            return Series(curve.label, tuple(apart), curve.group, curve.style)
        found = answers.ask(curve.machine, curve.benchmark, curve.figure, **curve.settings)
        points = sorted((float(a.params[curve.x]), a.value) for a in found if a.params.get(curve.x) is not None)
        return Series(curve.label, tuple(points), curve.group, curve.style)
    if isinstance(curve, PublishedLevel):
        levels = [c.value for c in catalogue.cells(machine=curve.machine, benchmark=curve.benchmark, metric="rate")]
        ends = tuple((x, value) for value in levels for x in (curve.low, curve.high))
        return Series(curve.label, ends, curve.label, ":")
    of = {"machine": curve.machine, "benchmark": curve.benchmark, "metric": curve.metric}
    cells = catalogue.cells(**of, params=dict(curve.params))
    points = sorted(
        (curve.unit * c.params[curve.x], c.params["message_B"] / c.value if curve.time else c.value)
        for c in cells
        if isinstance(c.params.get(curve.x), int | float) and (c.table or curve.in_text)
    )
    return Series("", tuple(points), curve.group or curve.machine, "dots")


def _hops(machine: str, hops: int) -> str:
    return f"{machine}, {hops} hop{'s' * (hops > 1)}"


def _near_and_far(far: Mapping[str, int], figure: str, lengths: tuple[int, ...], dots: bool) -> Iterator[Curve]:
    """The echo of each machine over one hop (solid) and over its longest way (dotted)."""
    for machine, most in far.items():
        for hops, style in ((1, "-"), (most, ":")):
            parameters = {"bytes": lengths, "hops": (hops,)}
            yield Simulated(_hops(machine, hops), machine, machine, "echo", figure, "bytes", parameters, style)
        for hops in (1, 6) if dots else ():
            yield PublishedDots(machine, "echo", "message_B", {"hops": hops})


def _over_hops() -> Iterator[Curve]:
    for machine in ("ncube6400", "ipsc860"):
        for size, style in ((8, "-"), (1024, "--")):
            parameters = {"bytes": (size,), "hops": (1, 2, 3, 4, 5, 6)}
            label = f"{machine}, {size} bytes"
            yield Simulated(label, machine, machine, "echo", "half_round_trip", "hops", parameters, style)
            yield PublishedDots(machine, "echo", "hops", {"message_B": size}, time=True)


def _alone(benchmark: str, published: str) -> Iterator[Curve]:
    """A benchmark without partners, by length."""
    for machine in CUBES:
        yield Simulated(machine, machine, machine, benchmark, "rate", "bytes", {"bytes": LENGTHS})
        yield PublishedDots(machine, published, "message_B")


def _contention(*machines: str) -> Iterator[Curve]:
    """Rates with a load: of one machine a colour for each load, of several a colour for each machine."""
    several = len(machines) > 1
    for machine in machines:
        for load in LOADS:
            label = f"{machine}, load {load}%" if several else f"load {load}%"
            style = ":" if several and load else "-"
            parameters = {"bytes": LENGTHS, "load": (load,), "load_by": "length"}
            yield Simulated(
                label, machine if several else str(load), machine, "contention", "rate", "bytes", parameters, style
            )


def _fan_in(machines: Mapping[str, tuple[int, ...]]) -> Iterator[Curve]:
    """Rates at which one node receives from so many neighbours."""
    for machine, senders in machines.items():
        for count, style in zip(senders, ("-", "--", "-.", ":"), strict=False):
            where = {"middle": INSIDE[machine]} if machine in INSIDE else {}
            parameters = {"bytes": LENGTHS, "neighbours": (count,), **where}
            label = f"{machine}, {count} sender{'s' * (count > 1)}"
            yield Simulated(label, machine, machine, "fan-in", "rate", "bytes", parameters, style)


def _times(machines: Mapping[str, str], lengths: tuple[int, ...]) -> Iterator[Curve]:
    """One-way times of neighbours, of variants of a machine by label."""
    for label, machine in machines.items():
        yield Simulated(label, label, machine, "echo", "half_round_trip", "bytes", {"bytes": lengths, "hops": (1,)})


def _posted() -> Curve:
    parameters = {"bytes": DETAIL, "send": "ready"}
    return Simulated("FORCE_TYPE", "forced", "delta", "forced", "half_round_trip", "bytes", parameters, "--")


def _host_files() -> Iterator[Curve]:
    """One node that reads a file of the host, and one of the concurrent file system."""
    for label, machine in HOST_FILES.items():
        settings = {"on_ranks": 1, "bytes": (CALL,), "section": FILE_SIZES}
        yield Simulated(label, label, machine, "parallel-files", "rate", "section", settings, apart=True)


def _by_compute_nodes(machines: Mapping[str, tuple[str, int]], ranks: tuple[int, ...], **more: Any) -> Iterator[Curve]:
    """What so many compute nodes read together, each its own data, through so many I/O nodes."""
    for label, (machine, io_nodes) in machines.items():
        settings = {"bytes": (CALL,), "io_nodes": io_nodes, "on_ranks": ranks, **more}
        yield Simulated(label, label, machine, "parallel-files", "rate_aggregate", "on_ranks", settings, apart=True)


def _printed(machine: str, benchmark: str, group: str, **params: Any) -> Curve:
    """What the text prints of compute nodes together."""
    return PublishedDots(machine, benchmark, "compute_nodes", params, False, "rate_aggregate", group, in_text=True)


def _by_records() -> Iterator[Curve]:
    """One node that reads and writes the parallel file system, by the length of its records."""
    for operation in ("read", "write"):
        label = f"PFS {operation}, 64 I/O nodes"
        settings = {"on_ranks": 1, "io_nodes": 64, "bytes": RECORDS, "section": 32 << 20, "layout": "records"}
        yield Simulated(label, label, LARGE, "parallel-files", "rate", "bytes", {**settings, "direction": operation})
        of = {"operation": operation, "compute_nodes": 1}
        yield PublishedDots("paragon-mp", "pfs", "record_MB", of, group=label, unit=1 << 20, in_text=True)
    yield PublishedLevel("NORMA IPC at its peak (published)", "paragon-mp", "norma-ipc", RECORDS[0], RECORDS[-1])


def _slowdown() -> Iterator[Curve]:
    for machine in CUBES:
        parameters = {"bytes": LENGTHS, "loop": LOOP}
        yield Simulated(machine, machine, machine, "spin", "slowdown", "bytes", parameters)


LOADED = "The load is set by the length of the loading messages, as in the reports."
SIZE, RATE, TIME, TOGETHER = "message, bytes", "rate, B/s", "one way, s", "rate together, B/s"
READINGS = {"a request every six segments": "delta", "one request, after six segments": "delta:text"}
SYSTEMS = {"OSF": "paragon-mp", "SUNMOS": "paragon-mp:sunmos", "turbo OSF": "paragon-mp:turbo"}
HOST_FILES = {
    "iPSC/860: host's SCSI disk": "ipsc860:host-disk",
    "iPSC/860: host's NFS": "ipsc860:host-nfs",
    "Ncube 6400: host's disk": "ncube6400",
    "iPSC/860: concurrent file system": "ipsc860",
}
CFS = {
    "iPSC/860, 10 I/O nodes": ("ipsc860", 10),
    "DELTA, 10 I/O nodes": ("delta", 10),
    "DELTA, 32 I/O nodes": ("delta", 32),
}
PFS = {f"{nodes} I/O nodes": (LARGE, nodes) for nodes in (16, 32, 64)}
RECORDS = tuple(1 << power for power in range(16, 23))  # B: from a stripe on
FILE_SIZES = tuple(1 << power for power in range(10, 22))  # B
LONGEST_WAYS = {"delta": 14, "ipsc860": 6, "ncube6400": 6}


def _picture(name: str, title: str, source: str, x: str, y: str, curves: Iterable[Curve], **more: Any) -> Picture:
    return Picture(name, title, source, x, y, tuple(curves), **more)


PICTURES: tuple[Picture, ...] = (
    _picture(
        *("fig2", "Echo between nodes, one hop (solid) and six (dotted); dots: published", "hypercubes, Figure 2"),
        *(SIZE, RATE, _near_and_far(dict.fromkeys(CUBES, 6), "rate", LENGTHS, dots=True)),
        log_y=True,
    ),
    _picture(
        *("fig3", "Message latency against hops; dots: published", "hypercubes, Figure 3"),
        *("hops", TIME, _over_hops()),
        log_x=False,
    ),
    _picture(
        *("fig4", "A node to itself; dots: published", "hypercubes, Figure 4"),
        *(SIZE, RATE, _alone("self", "echo-self")),
        log_y=True,
    ),
    _picture(
        *("fig5", "Host to node 0; dots: published", "hypercubes, Figure 5"),
        *(SIZE, RATE, _alone("host", "echo-host")),
        log_y=True,
    ),
    _picture(
        *("fig6", "By how much a loop on a routing node is slower", "hypercubes, Figure 6"),
        *("message of the two-hop echo, bytes", "slowdown", _slowdown()),
    ),
    _picture(
        *("fig7", "iPSC/860: rate beside a load on its channel", "hypercubes, Figure 7"),
        *(SIZE, RATE, _contention("ipsc860")),
        note=LOADED,
    ),
    _picture(
        *("fig8", "Ncube 6400: rate beside a load on its channel", "hypercubes, Figure 8"),
        *(SIZE, RATE, _contention("ncube6400")),
        note=LOADED,
    ),
    _picture(
        *("fig9", "One node receives from 1, 2, 4 and 6 neighbours", "hypercubes, Figure 9"),
        *(SIZE, TOGETHER, _fan_in({"ipsc860": CUBE_SENDERS, "ncube6400": CUBE_SENDERS})),
    ),
    _picture(
        *("fig10", "A node reads a file through its host, by the file's size", "hypercubes, Figure 10"),
        *("file, bytes", RATE, _host_files()),
        log_y=True,
        note="Open and close included. The hosts' disks and NFS are assumed: the text prints no number of them.",
    ),
    _picture(
        "cfs",
        "The concurrent file system read by compute nodes; dot: published",
        "hypercubes, Figure 11; DELTA, Figure 4.1",
        *("compute nodes", TOGETHER),
        (
            *_by_compute_nodes(CFS, (1, 2, 4, 8, 10, 16, 32, 64), section=SECTION),
            _printed("delta", "cfs-read", "DELTA, 32 I/O nodes"),
        ),
        note="Each reads 16 MiB of its own, as in the printed test.",
    ),
    _picture(
        *("fig3.1", "Echo, one hop (solid) and the longest way in 64 nodes (dotted)", "DELTA, Figure 3.1"),
        *(SIZE, RATE, _near_and_far(LONGEST_WAYS, "rate", LENGTHS, dots=True)),
    ),
    _picture(
        "fig3.2",
        "Latency of small messages, one hop (solid) and the longest way in 64 nodes (dotted)",
        "DELTA, Figure 3.2",
        *(SIZE, TIME, _near_and_far(LONGEST_WAYS, "half_round_trip", FINE, dots=False)),
        log_x=False,
    ),
    _picture(
        *("fig3.3", "DELTA: segments and buffer requests", "DELTA, Figure 3.3"),
        *(SIZE, TIME, (*_times(READINGS, DETAIL), _posted())),
        log_x=False,
        note="Two readings: the printed rates ask for a request every six segments, the text for one after the sixth.",
        zero=False,
    ),
    _picture(
        *("fig3.4", "DELTA: rate beside a load on its channel", "DELTA, Figure 3.4"),
        *(SIZE, RATE, _contention("delta")),
        note=LOADED,
    ),
    _picture(
        *("fig3.5", "iPSC/860 and Ncube 6400: rate beside a load (dotted: 25 to 100%)", "DELTA, Figure 3.5"),
        *(SIZE, RATE, _contention("ipsc860", "ncube6400")),
        note=LOADED,
    ),
    _picture(
        *("fig3.6", "One node receives from its neighbours", "DELTA, Figure 3.6"),
        *(SIZE, TOGETHER, _fan_in({"delta": MESH_SENDERS, "ipsc860": CUBE_SENDERS})),
        log_y=True,
    ),
    _picture(
        *("fig4.1", "Paragon MP: transfer time", "Paragon MP, Figure 4.1"),
        *(SIZE, TIME, _times(SYSTEMS, DECADES)),
        log_y=True,
    ),
    _picture(
        *("fig4.2", "Paragon MP: one node's files, by the record; dots: published", "Paragon MP, Figure 4.2"),
        *("record, bytes", RATE, _by_records()),
        log_x=False,
        note="The IPC's rate is an input: what a compute node copies at.",
    ),
    _picture(
        *("pfs", "The parallel file system read by compute nodes; dot: published", "Paragon MP, Figure 4.3"),
        *("compute nodes", TOGETHER),
        (
            *_by_compute_nodes(PFS, (1, 4, 16, 32, 64, 128), section=32 << 20, layout="records"),
            _printed("paragon-mp", "pfs", "64 I/O nodes", operation="read"),
        ),
        note="In turn from one file (M_RECORD), calls of 64 KiB; each reads 32 MiB, as in the printed test.",
    ),
)


def overlay() -> Picture:
    """Every described machine's rate against length, which is no figure of a paper."""
    from assay.described.shipped import shipped

    parameters = {"bytes": DECADES[:-2], "partner": 1}
    curves = (Simulated(name, name, name, "echo", "rate", "bytes", parameters) for name in shipped())
    title = "Rate against length, every described machine, neighbours"
    return _picture("overlay", title, "", SIZE, RATE, curves, log_y=True)
