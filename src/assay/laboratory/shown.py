"""A laboratory as it is shown: a line for people, and the entry of `assay lab --json`."""

from __future__ import annotations

from dataclasses import dataclass

from assay.laboratory.running import Laboratory
from assay.laboratory.twin import title


@dataclass(frozen=True)
class LinkCounts:
    """What the links' process counted: frames handed on, dropped for a full queue, and handed on more than 0.1 ms
    late; mean and maximum of lateness in s.
    """

    frames: int
    dropped: int
    late: int
    mean_lateness: float
    most_lateness: float


@dataclass(frozen=True)
class LaboratoryShown:
    """A laboratory: rate of each link in B/s, delay in s, `slow`: by link, the part of the rate that it has."""

    name: str
    topology: str
    hosts: list[str]
    switches: list[str]
    links: list[str]
    rate: float
    delay: float
    slow: dict[str, float]
    holder: int
    counts: LinkCounts | None


def shown(laboratory: Laboratory, *, up: bool) -> LaboratoryShown:
    """Describe a laboratory; `up`: its links' process can be asked."""
    made = laboratory.specification
    layout = made.layout
    counted = laboratory.counts() if up else {}
    counts = None
    if counted:
        frames, dropped, late = (int(counted[key]) for key in ("frames", "dropped", "late"))
        counts = LinkCounts(frames, dropped, late, counted["lateness"], counted["worst"])
    return LaboratoryShown(
        name=made.name,
        topology=made.topology,
        hosts=layout.hosts,
        switches=layout.switches,
        links=[cable.name for cable in layout.cables],
        rate=made.rate,
        delay=made.delay,
        slow=made.slow,
        holder=laboratory.holder,
        counts=counts,
    )


def line(laboratory: Laboratory, *, up: bool) -> str:
    """A laboratory in a line."""
    made = shown(laboratory, up=up)
    switches = f", {len(made.switches)} switches" if made.switches else ""
    slow = "".join(f"; {name} at {share:.0%}" for name, share in made.slow.items())
    text = f"{made.name}: {title(laboratory.specification)}, {len(made.hosts)} hosts{switches}, {len(made.links)} links"
    if not up:
        return f"{text}: down"
    counts = made.counts
    counted = "" if counts is None or not counts.frames else (
        f"; {counts.frames} frames, {counts.dropped} dropped, {counts.late} more than 0.1 ms late "
        f"(mean {counts.mean_lateness * 1e6:.0f} us)"
    )  # fmt: skip
    return f"{text}{slow}{counted}; use: --via lab:{made.name}"
