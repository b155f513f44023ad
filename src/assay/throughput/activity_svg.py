"""The activity graph as SVG: a row per job, waiting dotted, running solid, processors in use below; and a Gantt chart.

Several systems share one time axis (van der Steen 2000, figures 6.2, 6.4 and 6.7, is one of them).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from assay.throughput.activity import ActiveJob, JobActivity, placed
from assay.throughput.node_use_svg import use_rows
from assay.throughput.played import COMPLETED

WIDTH, LEFT, RIGHT, TOP = 960, 150, 16, 22
LOAD_HEIGHT, GAP, AXIS = 56, 12, 34
MOST_KINDS = 60  # of jobs in the legend
COLOURS = ("#3567a8", "#8a6242", "#3f8f5b", "#8a5aa8", "#b8862b", "#2f8f9d", "#b78bc9", "#6b6b6b")  # none near BAD
BAD = "#d02020"  # of a job that did not complete, whatever its kind
NOT_COMPLETED = "did not complete"
STYLE = (
    ".activity text{font:12px system-ui,sans-serif;fill:#333}.activity .axis{stroke:#999;stroke-width:1}"
    ".activity .wait{stroke-dasharray:2 3;stroke-width:1.2;fill:none}.activity .load{fill:#3567a8;fill-opacity:.25;"
    "stroke:#3567a8;stroke-width:1}.activity .all{stroke:#333;stroke-dasharray:5 3}.activity .grid{stroke:#e4e4e4}"
    ".activity .mark{stroke:#d02020;stroke-width:1.5}"
)


def ticks(end: float, most: int = 9) -> list[float]:
    """Round times from 0 to at most `end`."""
    if end <= 0:
        return [0.0]
    raw = end / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw * (1 - 1e-9))
    return [step * at for at in range(int(end / step * (1 + 1e-9)) + 1)]


def time_axis(end: float) -> tuple[float, str]:
    """The unit of an axis up to `end` seconds: its length in seconds, and its name."""
    return next(
        (length, name)
        for length, name, most in (
            (1.0, "seconds", 40_000.0),
            (3600.0, "hours", 864_000.0),
            (86_400.0, "days", math.inf),
        )
        if end <= most
    )


def colours(activities: Sequence[JobActivity]) -> dict[str, str]:
    """A colour for each kind of job, the same in all systems."""
    kinds = dict.fromkeys(job.kind for activity in activities for job in activity.jobs)
    return {kind: COLOURS[at % len(COLOURS)] for at, kind in enumerate(kinds)}


def activity_svg(activities: Sequence[JobActivity]) -> str:
    """The activity graph of some systems on one time axis; of very many jobs the first ones."""
    activities = [activity.drawn() for activity in activities]
    end = max((activity.end for activity in activities), default=0.0) or 1.0
    painted = colours(activities)
    parts, at = [], 0.0
    for activity in activities:
        text, height = _panel(activity, end, painted, at)
        parts.append(text)
        at += height
    parts.append(_axis(end, at))
    shown = _shown(painted, activities)
    return _document("".join(parts) + _legend(shown, at + AXIS), at + AXIS + _legend_height(shown))


def gantt_svg(activity: JobActivity) -> str:
    """Jobs over processors and time, the first ones of very many; which processors is a drawing, how many is not."""
    activity = activity.drawn()
    end = activity.end or 1.0
    painted = colours([activity])
    height = max(80.0, min(900.0, 14.0 * activity.processors))
    each = height / max(1, activity.processors)
    parts = [_title(activity, 0.0), _grid(end, TOP, TOP + height)]
    for job, runs in placed(activity):
        for first, count in runs:
            parts.append(_bar(job, end, TOP + each * first, each * count - min(1.0, each / 8), painted))
    label = f'<text x="{LEFT - 8}" y="{TOP + height / 2:.1f}" text-anchor="end">{activity.processors} processors</text>'
    shown = _shown(painted, [activity])
    body = "".join(parts) + label + _axis(end, TOP + height) + _legend(shown, TOP + height + AXIS)
    return _document(body, TOP + height + AXIS + _legend_height(shown))


def _document(body: str, height: float) -> str:
    return (
        f'<svg class="activity" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" '
        f'width="{WIDTH}" height="{height:.0f}" data-left="{LEFT}" data-right="{WIDTH - RIGHT}">'
        f"<style>{STYLE}</style>{body}</svg>"
    )


def _x(seconds: float, end: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * seconds / end


def _panel(activity: JobActivity, end: float, painted: dict[str, str], at: float) -> tuple[str, float]:
    row = max(0.15, min(9.0, 320.0 / max(1, len(activity.jobs))))
    top = at + TOP
    height = row * len(activity.jobs)
    parts = [_title(activity, at), _grid(end, top, top + height + GAP + LOAD_HEIGHT), '<g class="zoomed">']
    for place, job in enumerate(activity.jobs):
        y = top + row * (place + 0.5)
        stop = job.started if job.started is not None else job.ended if job.ended is not None else activity.end
        if stop > job.submitted:
            colour = painted[job.kind] if job.started is not None else BAD
            parts.append(
                f'<line class="wait" x1="{_x(job.submitted, end):.2f}" x2="{_x(stop, end):.2f}" y1="{y:.2f}" '
                f'y2="{y:.2f}" stroke="{colour}"><title>{_words(job)}</title></line>'
            )
        parts.append(_bar(job, end, y - 0.4 * row, 0.8 * row, painted))
    load_top = top + height + GAP
    for when, words in activity.marks:
        x, right = _x(when, end), when > 0.6 * end
        parts.append(
            f'<line class="mark" x1="{x:.2f}" x2="{x:.2f}" y1="{top - 4:.1f}" y2="{load_top + LOAD_HEIGHT:.1f}"/>'
            f'<text x="{x - 5 if right else x + 5:.2f}" y="{top + 8:.1f}" text-anchor="{"end" if right else "start"}">'
            f"{escape(words)}</text>"
        )
    parts += [_load(activity, end, load_top), "</g>"]
    parts.append(
        f'<text x="{LEFT - 8}" y="{top + height / 2 + 4:.1f}" text-anchor="end">{len(activity.jobs)} jobs</text>'
    )
    middle = load_top + LOAD_HEIGHT / 2 + 4
    parts.append(f'<text x="{LEFT - 8}" y="{middle:.1f}" text-anchor="end">of {activity.processors} processors</text>')
    used, more = use_rows(activity.use, end, load_top + LOAD_HEIGHT + GAP, _x)
    return "".join(parts) + used, TOP + height + GAP + LOAD_HEIGHT + GAP + more


def _title(activity: JobActivity, at: float) -> str:
    more = f"; {activity.left_out:,} more jobs are not drawn" if activity.left_out else ""
    return f'<text x="{LEFT}" y="{at + 15:.1f}" font-weight="bold">{escape(activity.title)}{more}</text>'


def _bar(job: ActiveJob, end: float, y: float, height: float, painted: dict[str, str]) -> str:
    if job.started is None:
        return ""
    ended = job.ended if job.ended is not None else job.started
    width = max(0.3, _x(ended, end) - _x(job.started, end))
    colour = painted[job.kind] if job.state == COMPLETED else BAD
    return (
        f'<rect class="run" x="{_x(job.started, end):.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" '
        f'fill="{colour}"><title>{_words(job)}</title></rect>'
    )


def _load(activity: JobActivity, end: float, top: float) -> str:
    points, before = [], 0
    scale = LOAD_HEIGHT / max(1, activity.processors)
    bottom = top + LOAD_HEIGHT
    for when, busy in activity.busy():
        x = _x(when, end)
        points += [f"{x:.2f},{bottom - scale * before:.2f}", f"{x:.2f},{bottom - scale * busy:.2f}"]
        before = busy
    line = f'<line class="all" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{top:.2f}" y2="{top:.2f}"/>'
    return f'{line}<polygon class="load" points="{LEFT},{bottom:.2f} {" ".join(points)}"/>'


def _grid(end: float, top: float, bottom: float) -> str:
    lines = (f'<line class="grid" x1="{_x(t, end):.2f}" x2="{_x(t, end):.2f}" y1="{top:.1f}" y2="{bottom:.1f}"/>'
             for t, _ in _marks(end))  # fmt: skip
    return f'<g class="zoomed">{"".join(lines)}</g>'


def _marks(end: float) -> list[tuple[float, str]]:
    """Seconds at which the axis is marked, and their labels."""
    length, _ = time_axis(end)
    return [(length * t, f"{t:g}") for t in ticks(end / length)]


def _axis(end: float, at: float) -> str:
    marks = "".join(
        f'<text class="tick" x="{_x(t, end):.2f}" y="{at + 14:.1f}" text-anchor="middle" '
        f'data-x="{_x(t, end):.2f}">{text}</text>'
        for t, text in _marks(end)
    )
    middle = (LEFT + WIDTH - RIGHT) / 2
    words = f"{time_axis(end)[1]} from the first submission"
    name = f'<text x="{middle}" y="{at + 28:.1f}" text-anchor="middle">{words}</text>'
    return f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>{marks}{name}'


def _shown(painted: dict[str, str], activities: Sequence[JobActivity]) -> dict[str, str]:
    """What the legend explains: the colours of kinds, after that of jobs that did not complete where any is drawn."""
    bad = any(job.state != COMPLETED for activity in activities for job in activity.jobs)
    return {NOT_COMPLETED: BAD, **painted} if bad else painted


def _legend_height(painted: dict[str, str]) -> float:
    return 20 * (1 + (min(len(painted), MOST_KINDS) - 1) // 6)


def _legend(painted: dict[str, str], at: float) -> str:
    parts = []
    for place, (kind, colour) in enumerate(list(painted.items())[:MOST_KINDS]):
        x, y = LEFT + 132 * (place % 6), at + 20 * (place // 6)
        parts.append(f'<rect x="{x}" y="{y:.1f}" width="10" height="10" fill="{colour}"/>')
        parts.append(f'<text x="{x + 14}" y="{y + 9:.1f}">{escape(kind[:18])}</text>')
    return "".join(parts)


def _words(job: ActiveJob) -> str:
    words = [job.name, f"{job.processors} processors", f"submitted {job.submitted:.6g} s"]
    if job.started is not None:
        words.append(f"started {job.started:.6g} s, waited {job.started - job.submitted:.4g} s")
    if job.ended is not None and job.started is not None:
        words.append(f"ran {job.ended - job.started:.4g} s")
    return escape("; ".join([*words, job.state, *job.nodes[:8]]))
