"""A tournament where people read: a heat map for each length, a table of what is slow, a line of the first screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.document.grid import Grid, grid
from assay.document.params import Plot
from assay.document.section import Section
from assay.document.tournament import SlowThing, TournamentFound
from assay.report.render.plots import layout
from assay.report.units import human

MOST_ROWS = 24
MOST_LENGTHS = 4  # drawn of what was judged together
MOST_BESIDE = 3  # nodes named as those that a slow one is as fast with
CABLE = "look at that cable, its ports and that node"
FURTHER = "it may only be further away, on another switch than most: else look at the cables between"
WAITS = "no message that had its way to itself took longer: the network is shared most there"
UNTRIED = "no message had its way to itself there: whether it is slow itself cannot be determined"
FAST_TO_SLOW = [[0, "#1d4ed8"], [0.5, "#f8fafc"], [1, "#b91c1c"]]
LEAST_SCALE = 0.05  # of the colours: smaller differences look alike
MOST_SCALE = 1.0  # what takes twice as long and longer looks alike


def judged(section: Section) -> list[TournamentFound]:
    """Give what was judged: none, one, or one for each number of ranks, ranks per node and MPI."""
    return [section.tournament] if section.tournament else section.tournaments or []


def plots(section: Section) -> list[Plot]:
    """Draw each length's pairs, the longest first: how much longer each takes than what is alike."""
    return [plot for found in judged(section) for plot in _plots(found)[:MOST_LENGTHS]]


def _plots(found: TournamentFound) -> list[Plot]:
    made = []
    for each in sorted(found.lengths, key=lambda one: -one.bytes):
        step, rows = each.ranks_per_row, len(each.slower)
        names = [str(at * step) if step == 1 else f"{at * step}–{at * step + step - 1}" for at in range(rows)]
        known = [abs(value) for row in each.slower for value in row if value is not None]
        scale = min(MOST_SCALE, max(LEAST_SCALE, *known))
        written = [
            [_written(time, more) for time, more in zip(times, mores, strict=True)]
            for times, mores in zip(each.seconds, each.slower, strict=True)
        ]
        trace = {
            "type": "heatmap",
            "x": names,
            "y": names,
            "z": each.slower,
            "zmin": -scale,
            "zmax": scale,
            "text": written,
            "hovertemplate": "rank %{y} to %{x}: %{text}<extra></extra>",
            "colorscale": FAST_TO_SLOW,
            "colorbar": {"tickformat": "+.0%"},
        }
        drawn = layout(
            f"pairs{_of(found)}, {human(float(each.bytes), 'B')}: longer than comparable pairs", "to", "from", False
        )
        drawn["xaxis"] |= {"type": "category", "side": "bottom", "constrain": "domain", "tickangle": -90}
        drawn["yaxis"] |= {"type": "category", "autorange": "reversed", "scaleanchor": "x", "constrain": "domain"}
        drawn["height"] = min(620, 220 + 40 * rows)
        drawn["switch"] = False
        made.append({"data": [trace], "layout": drawn})
    return made


def _written(time: float | None, more: float | None) -> str:
    return "" if time is None or more is None else f"{human(time, 's', 3)}, {more:+.1%}"


def _of(found: TournamentFound) -> str:
    return f", {found.label}" if found.label else ""


def tables(section: Section) -> list[Grid]:
    """Lay out what is slow, and where messages wait for others: a table for each that has any."""
    return [_table(found) for found in judged(section) if found.slow]


def _table(found: TournamentFound) -> Grid:
    mixed = not all(each.shared for each in found.slow)
    rows = [
        (
            f"{_name(each.text)}{_besides(each, mixed)}",
            human(float(each.bytes), "B"),
            *longer(each.slower, each.interval),
            str(each.readings),
        )
        for each in found.slow[:MOST_ROWS]
    ]
    left = len(found.slow) - len(rows)
    note = found.text[-1] + (f"; {left} more are in the JSON" if left else "")
    title = "Slow pairs, nodes and links" if mixed else "Where messages wait for others that share their links"
    return grid(f"{title}{_of(found)}", ("what", "bytes", "messages take", "between", "readings"), rows, note, left=1)


def but_for_words(nodes: Sequence[str]) -> str:
    """With whom a slow node is as fast as others are, at the end of a line; a table has less room."""
    if len(nodes) > MOST_BESIDE:
        return f", but not those with {len(nodes)} other nodes"
    return f", but not those with node{'s' * (len(nodes) > 1)} {', '.join(nodes)}" if nodes else ""


def _besides(each: SlowThing, mixed: bool) -> str:
    but_for = f", but not with {', '.join(each.but_for[:MOST_BESIDE])}" if each.but_for else ""
    more = " …" if len(each.but_for) > MOST_BESIDE else ""
    return f"{but_for}{more}{', where links are shared' if mixed and each.shared else ''}"


def longer(effect: float, interval: Sequence[float]) -> tuple[str, str]:
    """Say by how much messages take longer (0.1: 10%), and between which bounds where these are known."""
    if effect >= 1:
        text, low, high = f"{1 + effect:.3g} times as long", *(f"{1 + each:.3g}" for each in interval)
    else:
        text, low, high = f"{effect:.1%} longer", *(f"{each:.1%}" for each in interval)
    if interval[0] <= 0:
        return text, "by how much is not sure"
    return text, "" if low == high else f"{low} to {high}"  # on a described machine all repetitions may be the same


def _name(text: str) -> str:
    return text.partition(": messages of ")[0]


def slow(section: Section) -> Iterator[tuple[float, str, str]]:
    """A line of the first screen where something is slow: how much, what, with how many more, and what to look at."""
    for found in judged(section):
        things = [each for each in found.slow if not each.shared]
        if things:
            yield things[0].slower, f"slow: {_with_more(things)}", FURTHER if things[0].but_for else CABLE
        elif found.too_many:
            yield 0.0, next(text for text in found.text if text.startswith("slow: ")), CABLE


def waiting(section: Section) -> Iterator[tuple[str, str]]:
    """A line where messages wait for others more than elsewhere: where, and what that means."""
    for found in judged(section):
        things = [each for each in found.slow if each.shared]
        if things:
            yield f"all pairs at once: {_with_more(things)}", WAITS if things[0].alone else UNTRIED


def _with_more(things: Sequence[SlowThing]) -> str:
    others = {_name(each.text) for each in things} - {_name(things[0].text)}
    return things[0].text + (f"; {len(others)} more in the part on messages" if others else "")
