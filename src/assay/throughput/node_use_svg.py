"""What the nodes did, under an activity graph: a row per node for processors, memory and network, darker where more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from assay.analysis.node_use import NodeUse

ROW, BETWEEN = 9.0, 8.0
PALEST = 0.1  # of what is more than nothing
KINDS = (("processors", "#3567a8"), ("memory", "#3f8f5b"), ("network", "#8a5aa8"))


def use_rows(
    use: Sequence[NodeUse], end: float, top: float, x_of: Callable[[float, float], float]
) -> tuple[str, float]:
    """The rows, and how high they are; `x_of(seconds, end)` places a time.

    Processors and memory are shares of the node's; network is a share of the most that any of the nodes had.
    """
    if not use:
        return "", 0.0
    most = max((rate for each in use for rate in each.network), default=0.0)
    left_of = x_of(0.0, end) - 8
    first, last = use[0].node, use[-1].node
    names = first if len(use) == 1 else f"{first} to {last}"
    parts, at = [], top
    for kind, colour in KINDS:
        words = kind if kind != "network" else f"network, to {rate_of(most)}" if most else "network: none"
        parts.append(f'<text x="{left_of:.1f}" y="{at + ROW:.1f}" text-anchor="end">{escape(words)}</text>')
        if kind == "network" and not most:
            at += ROW + BETWEEN
            continue
        if len(use) > 1:  # in two lines next to the rows
            parts.append(f'<text x="{left_of:.1f}" y="{at + 2.4 * ROW:.1f}" text-anchor="end" fill-opacity=".6">'
                         f"{escape(names[:22])}</text>")  # fmt: skip
        cells, begin_of_kind = [], at
        for each in use:
            values = each.processor if kind == "processors" else each.memory if kind == "memory" else each.network
            for begin, stop, value in zip(each.begins, each.ends, values, strict=True):
                share = value / most if kind == "network" and most else value
                left, right = x_of(max(0.0, begin), end), x_of(min(stop, end), end)
                if right <= left or share <= 0:
                    continue
                ink = PALEST + (1 - PALEST) * min(1.0, share)
                text = f"{value / 1e6:.3g} MB/s" if kind == "network" else f"{100 * value:.0f}%"
                cells.append(
                    f'<rect x="{left:.2f}" y="{at:.1f}" width="{right - left:.2f}" height="{ROW - 1:.1f}" '
                    f'fill="{colour}" fill-opacity="{ink:.2f}"><title>{escape(each.node)}: {kind} {text}'
                    "</title></rect>"
                )
            at += ROW
        at = max(at, begin_of_kind + 2.6 * ROW if len(use) > 1 else at)
        parts.append(f'<g class="zoomed use">{"".join(cells)}</g>')
        at += BETWEEN
    return "".join(parts), at - top + BETWEEN


def rate_of(value: float) -> str:
    """Bytes per second as the label has them."""
    return f"{value / 1e6:.3g} MB/s" if value >= 1e5 else f"{value / 1e3:.3g} kB/s"
