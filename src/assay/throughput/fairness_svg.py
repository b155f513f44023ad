"""The mean bounded slowdown of users or programs as bars, and where all of them would be equal."""

from __future__ import annotations

from html import escape

from assay.throughput.fairness import Fairness

WIDTH, LEFT, ROW, HEIGHT = 640, 170, 18, 12
MOST_BARS = 40  # the worst served
FOOT = 20  # of the words below the mean
STYLE = (
    ".fair text{font:12px system-ui,sans-serif;fill:#333}.fair rect{fill:#3567a8}.fair line{stroke:#d02020}"
    ".fair .value{paint-order:stroke;stroke:#fff;stroke-width:3px}"
)


def fairness_svg(found: Fairness) -> str:
    """Bars, the worst served first; nothing where there are no groups. The red line: the mean over the groups."""
    groups = found.groups[:MOST_BARS]
    if not groups:
        return ""
    most = max(group.bounded_slowdown for group in groups)
    mean = sum(group.bounded_slowdown for group in found.groups) / len(found.groups)
    scale = (WIDTH - LEFT - 60) / most
    rows = []
    for at, group in enumerate(groups):
        top, width = at * ROW, group.bounded_slowdown * scale
        title = f"{group.name}: {group.jobs:,} jobs, mean wait {group.mean_wait:,.0f} s"
        rows.append(
            f'<text x="{LEFT - 8}" y="{top + HEIGHT - 2}" text-anchor="end">{escape(group.name)}</text>'
            f'<rect x="{LEFT}" y="{top}" width="{width:.1f}" height="{HEIGHT}"><title>{escape(title)}</title></rect>'
            f'<text class="value" x="{LEFT + width + 5:.1f}" y="{top + HEIGHT - 2}">'
            f"{figure(group.bounded_slowdown)}</text>"
        )
    height, at_mean = len(groups) * ROW, LEFT + mean * scale
    side = "end" if at_mean > 0.7 * WIDTH else "start"
    return (
        f'<svg class="fair" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height + FOOT}" width="{WIDTH}">'
        f'<style>{STYLE}</style><line x1="{at_mean:.1f}" x2="{at_mean:.1f}" y1="0" y2="{height + 4}"/>'
        f'<text x="{at_mean:.1f}" y="{height + 16}" text-anchor="{side}">mean of all {len(found.groups):,}: '
        f"{figure(mean)}</text>{''.join(rows)}</svg>"
    )


def figure(value: float) -> str:
    """Three figures, or a whole number."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
