"""A picture of the network (SVG) in which each link is coloured by its load: one arc per direction of a link.

A link's load is the share of the time in which its channels are busy: simulated (`method.utilisation`), or, where
nothing is simulated (networks with [io]), computed from the offered traffic and the routes. The topology gives the
routers' positions. Idle links are light grey; colours run over green and orange to dark red for the busiest link.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from assay import output_file
from assay._core import network as core
from assay.network import prediction
from assay.network.description import NetworkDescription
from assay.network.documents import CoreLink, LinkBusy
from assay.network.engine import call_core

COLOURS = ((237, 242, 247), (168, 208, 141), (250, 204, 21), (234, 88, 12), (127, 29, 29))
WIDTH = 760.0
APART = 90.0  # between rows of routers, where the height allows it
LABELLED = 64  # routers; beyond that numbers hide the picture


def colour(share: float) -> str:
    """The colour of a load between 0 and 1; beyond them the nearest."""
    at = min(max(share, 0.0), 1.0) * (len(COLOURS) - 1)
    low = min(int(at), len(COLOURS) - 2)
    part = at - low
    return "#" + "".join(
        f"{round(a + (b - a) * part):02x}" for a, b in zip(COLOURS[low], COLOURS[low + 1], strict=True)
    )


def write(path: Path, description: NetworkDescription, simulated: Sequence[LinkBusy] | None) -> None:
    """Draw a description's loads: `simulated`, the utilisation of `assay simulate`; else the offered ones, exactly."""
    if simulated:
        network = call_core(description.source, core.build_network, description.fabric())
        load = [0.0] * len(network.links)
        for one in simulated:
            load[one["link"]] = one["busy"]
        how = "simulated"
    else:
        network, load = offered(description)
        how = "offered, by the routes"
    words = f"{description.network.topology}, {network.processors} nodes: load of the links, {how}"
    output_file.write_text(path, svg(network.router_at, network.links, load, words))


def offered(description: NetworkDescription) -> tuple[Any, list[float]]:
    """The network, and by link the busy share of a channel if everything offered were carried."""
    model = prediction.channels(description)
    load = prediction.unit_load(description)
    busy = sum((flow.rate * flow.length.mean for flow in model.flows), 0.0 * model.servers) * load / model.servers
    if description.io is not None:
        return prediction.joined(description), [float(share) for share in busy]
    network = call_core(description.source, core.build_network, description.fabric())
    return network, [float(share) for share in busy]


def svg(
    routers: Sequence[tuple[float, float]],
    links: Sequence[CoreLink],
    load: Sequence[float],
    title: str,
    top: float | None = None,
) -> str:
    """The picture. `load` by link in busy shares; `top`: the load with the darkest colour, the largest by default."""
    shown = [(link, value) for link, value in zip(links, load, strict=True) if link["kind"] == "network"]
    most = top or max((value for _, value in shown), default=0.0) or 1.0
    left, right = min((x for x, _ in routers), default=0.0), max((x for x, _ in routers), default=1.0)
    low, high = min((y for _, y in routers), default=0.0), max((y for _, y in routers), default=1.0)
    scale = (WIDTH - 60) / max(right - left, (high - low) / 1.5, 1e-9)
    upward = _upward(sorted({y for _, y in routers}), scale)
    height = (high - low) * upward + 150  # room above for the title and for the links that bulge
    place = [(30 + (x - left) * scale, height - 80 - (y - low) * upward) for x, y in routers]
    radius = max(2.0, min(9.0, 0.12 * scale))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:.0f} {height:.0f}" font-family="sans-serif">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="30" y="20" font-size="13">{html.escape(title)}</text>',
        *_links(shown, place, most, max(1.0, min(4.0, 0.05 * scale))),
        *_routers(place, radius),
        *_scale(height, most),
        "</svg>\n",
    ]
    return "\n".join(parts)


def _upward(rows: Sequence[float], scale: float) -> float:
    """The scale of y: that of x, or more where rows (such as the levels of a tree) would lie too close together."""
    if len(rows) < 2:
        return scale
    wanted = APART / min(above - below for below, above in pairwise(rows))
    return max(scale, min(wanted, 0.75 * (WIDTH - 60) / (rows[-1] - rows[0])))


def _links(
    shown: Sequence[tuple[CoreLink, float]], place: Sequence[tuple[float, float]], most: float, width: float
) -> Iterator[str]:
    for link, value in sorted(shown, key=lambda one: one[1]):
        (x1, y1), (x2, y2) = place[link["from"]], place[link["to"]]
        length = math.hypot(x2 - x1, y2 - y1) or 1.0
        bend = 0.08 * length + 3  # to the right of the way, so that both directions are seen
        cx, cy = (x1 + x2) / 2 - (y2 - y1) / length * bend, (y1 + y2) / 2 + (x2 - x1) / length * bend
        name = f"{link['from']} to {link['to']}: {value:.1%}"
        dashes = ' stroke-dasharray="3 3"' if link.get("failed") else ""
        yield (
            f'<path d="M{x1:.1f} {y1:.1f}Q{cx:.1f} {cy:.1f} {x2:.1f} {y2:.1f}" fill="none" '
            f'stroke="{colour(value / most)}" stroke-width="{width:.1f}"{dashes}><title>{name}</title></path>'
        )


def _routers(place: Sequence[tuple[float, float]], radius: float) -> Iterator[str]:
    for router, (x, y) in enumerate(place):
        title = f"<title>router {router}</title>"
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="#1f2937">{title}</circle>'
        if len(place) <= LABELLED and radius > 5:
            yield (
                f'<text x="{x:.1f}" y="{y + radius * 0.35:.1f}" font-size="{radius:.1f}" fill="white" '
                f'text-anchor="middle">{router}</text>'
            )


def _scale(height: float, most: float) -> Iterator[str]:
    steps = 40
    for step in range(steps):
        x = 30 + step * 6
        yield f'<rect x="{x}" y="{height - 40:.0f}" width="6.5" height="10" fill="{colour((step + 0.5) / steps)}"/>'
    for share in (0.0, 0.5, 1.0):
        place = f'x="{30 + share * steps * 6:.0f}" y="{height - 16:.0f}"'
        yield f'<text {place} font-size="11" text-anchor="middle">{share * most:.1%}</text>'
    words = "of the time that a channel is busy"
    yield f'<text x="{30 + steps * 6 + 24}" y="{height - 31:.0f}" font-size="11">{words}</text>'
