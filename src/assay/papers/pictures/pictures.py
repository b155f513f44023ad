"""The papers' figures redrawn: what the described machines do as lines, published cells as dots, this machine dashed.

Each picture is one function that asks for its series; `PICTURES` holds them in the papers' order. Hypercubes: Figures 2
to 9; DELTA: 3.1 to 3.6; Paragon MP: 4.1. The images are not in the papers' text, so that only tables give dots.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.machine import catalogue
from assay.papers.cells.answers import Answers
from assay.papers.cells.twins import LENGTHS
from assay.papers.claims.quantities import INSIDE, LOOP, MESH_SENDERS

CUBES = ("ipsc860", "ipsc2", "ipsc1", "ncube6400", "ncube3200")
FINE = tuple(range(8, 121, 4))
DETAIL = tuple(sorted({*range(5200, 6301, 20), 5236, 5237, 5712, 5713, 6188, 6189}))
DECADES = (8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1000000)
LOADS = (0, 25, 50, 75, 100)


@dataclass(frozen=True)
class Series:
    """One curve: points (x, y) in SI; `group` shares a colour, `style` is a line's or `dots`."""

    label: str
    points: tuple[tuple[float, float], ...]
    group: str
    style: str = "-"


@dataclass(frozen=True)
class Picture:
    """One figure of a paper, redrawn."""

    name: str
    title: str
    source: str
    x: str
    y: str
    series: tuple[Series, ...]
    log_x: bool = True
    log_y: bool = False
    note: str = ""
    zero: bool = True


Maker = Callable[[Answers], Picture]
PICTURES: dict[str, Maker] = {}


def picture(name: str) -> Callable[[Maker], Maker]:
    """Register a picture under the name of its file."""

    def keep(made: Maker) -> Maker:
        PICTURES[name] = made
        return made

    return keep


@dataclass
class Curves:
    """Collects series; what could not be played is left out."""

    answers: Answers
    made: list[Series] = field(default_factory=list)

    def line(
        self,
        label: str,
        group: str,
        machine: str,
        benchmark: str,
        figure: str,
        x: str,
        style: str = "-",
        **settings: Any,
    ) -> None:
        """A simulated curve of `figure` over the parameter `x`."""
        found = self.answers.ask(machine, benchmark, figure, **settings)
        points = sorted((float(a.params[x]), a.value) for a in found if a.params.get(x) is not None)
        if points:
            self.made.append(Series(label, tuple(points), group, style))

    def dots(self, machine: str, benchmark: str, x: str, group: str, time: bool = False, **params: Any) -> None:
        """The published cells of the same, as dots."""
        found = catalogue.cells(machine=machine, benchmark=benchmark, metric="rate", params=params)
        points = [
            (float(c.params[x]), c.params["message_B"] / c.value if time else c.value)
            for c in found
            if isinstance(c.params.get(x), int | float) and c.table
        ]
        if points:
            self.made.append(Series("", tuple(sorted(points)), group, "dots"))


def drawn(answers: Answers) -> list[Picture]:
    """Every picture of which there is anything to draw."""
    return [made for each in PICTURES.values() if (made := each(answers)).series]


def _rates(answers: Answers, machines: Sequence[str], far: dict[str, int]) -> tuple[Series, ...]:
    curves = Curves(answers)
    for machine in machines:
        for hops, style in ((1, "-"), (far.get(machine, 6), ":")):
            label = f"{machine}, {hops} hop{'s' * (hops > 1)}"
            curves.line(label, machine, machine, "echo", "rate", "bytes", style, bytes=LENGTHS, hops=(hops,))
        curves.dots(machine, "echo", "message_B", machine, hops=1)
        curves.dots(machine, "echo", "message_B", machine, hops=6)
    return tuple(curves.made)


@picture("fig2")
def fig2(answers: Answers) -> Picture:
    """Echo rates at one and six hops."""
    title = "Echo between nodes, one hop (solid) and six (dotted); dots: published"
    return Picture(
        "fig2", title, "hypercubes, Figure 2", "message, bytes", "rate, B/s", _rates(answers, CUBES, {}), log_y=True
    )


@picture("fig3")
def fig3(answers: Answers) -> Picture:
    """Time against hops."""
    curves = Curves(answers)
    for machine in ("ncube6400", "ipsc860"):
        for size, style in ((8, "-"), (1024, "--")):
            label = f"{machine}, {size} bytes"
            hops = (1, 2, 3, 4, 5, 6)
            curves.line(label, machine, machine, "echo", "half_round_trip", "hops", style, bytes=(size,), hops=hops)
            curves.dots(machine, "echo", "hops", machine, time=True, message_B=size)
    title = "Message latency against hops; dots: published"
    return Picture("fig3", title, "hypercubes, Figure 3", "hops", "one way, s", tuple(curves.made), log_x=False)


def _alone(answers: Answers, benchmark: str, published: str) -> tuple[Series, ...]:
    curves = Curves(answers)
    for machine in CUBES:
        curves.line(machine, machine, machine, benchmark, "rate", "bytes", bytes=LENGTHS)
        curves.dots(machine, published, "message_B", machine)
    return tuple(curves.made)


@picture("fig4")
def fig4(answers: Answers) -> Picture:
    """A node to itself."""
    series = _alone(answers, "self", "echo-self")
    return Picture(
        "fig4",
        "A node to itself; dots: published",
        "hypercubes, Figure 4",
        "message, bytes",
        "rate, B/s",
        series,
        log_y=True,
    )


@picture("fig5")
def fig5(answers: Answers) -> Picture:
    """Host to node."""
    series = _alone(answers, "host", "echo-host")
    return Picture(
        "fig5",
        "Host to node 0; dots: published",
        "hypercubes, Figure 5",
        "message, bytes",
        "rate, B/s",
        series,
        log_y=True,
    )


@picture("fig6")
def fig6(answers: Answers) -> Picture:
    """What routing costs a computing node."""
    curves = Curves(answers)
    for machine in CUBES:
        curves.line(machine, machine, machine, "spin", "slowdown", "bytes", bytes=LENGTHS, loop=LOOP)
    title = "By how much a loop on a routing node is slower"
    return Picture(
        "fig6", title, "hypercubes, Figure 6", "message of the two-hop echo, bytes", "slowdown", tuple(curves.made)
    )


def _contention(answers: Answers, machines: Sequence[str]) -> tuple[Series, ...]:
    curves = Curves(answers)
    for machine in machines:
        for load in LOADS:
            label = f"{machine}, load {load}%" if len(machines) > 1 else f"load {load}%"
            group = machine if len(machines) > 1 else str(load)
            style = "-" if len(machines) == 1 or load == 0 else ":"
            curves.line(label, group, machine, "contention", "rate", "bytes", style, bytes=LENGTHS, load=(load,))
    return tuple(curves.made)


@picture("fig7")
def fig7(answers: Answers) -> Picture:
    """Contention, iPSC/860."""
    return Picture(
        "fig7",
        "iPSC/860: rate beside a load on its channel",
        "hypercubes, Figure 7",
        "message, bytes",
        "rate, B/s",
        _contention(answers, ("ipsc860",)),
    )


@picture("fig8")
def fig8(answers: Answers) -> Picture:
    """Contention, Ncube 6400."""
    return Picture(
        "fig8",
        "Ncube 6400: rate beside a load on its channel",
        "hypercubes, Figure 8",
        "message, bytes",
        "rate, B/s",
        _contention(answers, ("ncube6400",)),
    )


def _fan_in(answers: Answers, machines: dict[str, tuple[int, ...]]) -> tuple[Series, ...]:
    curves = Curves(answers)
    styles = ("-", "--", "-.", ":")
    for machine, senders in machines.items():
        for count, style in zip(senders, styles, strict=False):
            label = f"{machine}, {count} sender{'s' * (count > 1)}"
            where = {"middle": INSIDE[machine]} if machine in INSIDE else {}
            asked = {"bytes": LENGTHS, "neighbours": (count,), **where}
            curves.line(label, machine, machine, "fan-in", "rate", "bytes", style, **asked)
    return tuple(curves.made)


@picture("fig9")
def fig9(answers: Answers) -> Picture:
    """Fan-in."""
    series = _fan_in(answers, {"ipsc860": (1, 2, 4, 6), "ncube6400": (1, 2, 4, 6)})
    return Picture(
        "fig9",
        "One node receives from 1, 2, 4 and 6 neighbours",
        "hypercubes, Figure 9",
        "message, bytes",
        "rate together, B/s",
        series,
    )


@picture("fig3.1")
def fig31(answers: Answers) -> Picture:
    """Echo rates with the DELTA."""
    series = _rates(answers, ("delta", "ipsc860", "ncube6400"), {"delta": 14})
    return Picture(
        "fig3.1",
        "Echo, one hop (solid) and the longest way in 64 nodes (dotted)",
        "DELTA, Figure 3.1",
        "message, bytes",
        "rate, B/s",
        series,
    )


@picture("fig3.2")
def fig32(answers: Answers) -> Picture:
    """Latency of small messages."""
    curves = Curves(answers)
    for machine, far in (("delta", 14), ("ipsc860", 6), ("ncube6400", 6)):
        for hops, style in ((1, "-"), (far, ":")):
            label = f"{machine}, {hops} hop{'s' * (hops > 1)}"
            curves.line(label, machine, machine, "echo", "half_round_trip", "bytes", style, bytes=FINE, hops=(hops,))
    title = "Latency of small messages, one hop (solid) and the longest way in 64 nodes (dotted)"
    return Picture(
        "fig3.2", title, "DELTA, Figure 3.2", "message, bytes", "one way, s", tuple(curves.made), log_x=False
    )


@picture("fig3.3")
def fig33(answers: Answers) -> Picture:
    """Segments and buffer requests."""
    curves = Curves(answers)
    for label, machine in (
        ("a request every six segments", "delta"),
        ("one request, after six segments", "delta:text"),
    ):
        curves.line(label, label, machine, "echo", "half_round_trip", "bytes", bytes=DETAIL, hops=(1,))
    curves.line("FORCE_TYPE", "forced", "delta", "forced", "half_round_trip", "bytes", "--", bytes=DETAIL, send="ready")
    note = "Two readings: the printed rates ask for a request every six segments, the text for one after the sixth."
    return Picture(
        "fig3.3",
        "DELTA: segments and buffer requests",
        "DELTA, Figure 3.3",
        "message, bytes",
        "one way, s",
        tuple(curves.made),
        log_x=False,
        note=note,
        zero=False,
    )


@picture("fig3.4")
def fig34(answers: Answers) -> Picture:
    """Contention on the mesh."""
    return Picture(
        "fig3.4",
        "DELTA: rate beside a load on its channel",
        "DELTA, Figure 3.4",
        "message, bytes",
        "rate, B/s",
        _contention(answers, ("delta",)),
    )


@picture("fig3.5")
def fig35(answers: Answers) -> Picture:
    """Contention on the cubes."""
    series = _contention(answers, ("ipsc860", "ncube6400"))
    return Picture(
        "fig3.5",
        "iPSC/860 and Ncube 6400: rate beside a load (dotted: 25 to 100%)",
        "DELTA, Figure 3.5",
        "message, bytes",
        "rate, B/s",
        series,
    )


@picture("fig3.6")
def fig36(answers: Answers) -> Picture:
    """Fan-in with the mesh."""
    series = _fan_in(answers, {"delta": MESH_SENDERS, "ipsc860": (1, 2, 4, 6)})
    return Picture(
        "fig3.6",
        "One node receives from its neighbours",
        "DELTA, Figure 3.6",
        "message, bytes",
        "rate together, B/s",
        series,
        log_y=True,
    )


@picture("fig4.1")
def fig41(answers: Answers) -> Picture:
    """Transfer times of the Paragon MP."""
    curves = Curves(answers)
    for label, machine in (("OSF", "paragon-mp"), ("SUNMOS", "paragon-mp:sunmos"), ("turbo OSF", "paragon-mp:turbo")):
        curves.line(label, label, machine, "echo", "half_round_trip", "bytes", bytes=DECADES, hops=(1,))
    return Picture(
        "fig4.1",
        "Paragon MP: transfer time",
        "Paragon MP, Figure 4.1",
        "message, bytes",
        "one way, s",
        tuple(curves.made),
        log_y=True,
    )


@picture("overlay")
def overlay(answers: Answers) -> Picture:
    """Every described machine's rate against length."""
    from assay.described.shipped import shipped

    curves = Curves(answers)
    for machine in shipped():
        curves.line(machine, machine, machine, "echo", "rate", "bytes", bytes=DECADES[:-2], partner=1)
    return Picture(
        "overlay",
        "Rate against length, every described machine, neighbours",
        "",
        "message, bytes",
        "rate, B/s",
        tuple(curves.made),
        log_y=True,
    )
