"""Pictures of rate and latency over time: the cases with stalls first, then those that lasted longest."""

from __future__ import annotations

from collections.abc import Sequence

from assay.document.over_time import TimeSeries
from assay.document.params import Parameters, Plot
from assay.document.section import Section
from assay.report.render.axes import finish
from assay.report.render.plots import COLOURS, label, layout
from assay.report.units import params

LEAST_SLOTS = 4  # fewer make no curve
MOST_CASES = 4  # in one picture
MOST_TICKS = 10  # along the time
BAND = 0.15  # how much of its colour the range of the passes has: four of them lie over one another


def plots(section: Section) -> list[Plot]:
    """Rate over time with the range of the passes, and latency over time; none of passes that are too short."""
    known = [each for each in section.over_time or () if len(each.seconds) >= LEAST_SLOTS]
    known.sort(key=lambda each: (-sum(stall.seconds for stall in each.stalls), -len(each.seconds)))
    shown = known[:MOST_CASES]
    if not shown:
        return []
    among = [each.params for each in known]
    rates = [trace for i, each in enumerate(shown) for trace in _rate(each, _name(each, among), COLOURS[i])]
    times = [trace for i, each in enumerate(shown) for trace in _latency(each, _name(each, among), COLOURS[i])]
    more = f" ({len(known) - len(shown)} more cases in the JSON)" if len(known) > len(shown) else ""
    of = _common(among, [figure.params for figure in section.figures])
    drawn = (
        (rates, layout(f"rate over time{of}{more}", "since the pass began", "rate", False), "B/s"),
        (times, layout(f"latency over time{of}{more}", "since the pass began", "latency", True), "s"),
    )
    made = []
    for traces, about, unit in drawn:
        about["xaxis"] |= {"type": "linear", "rangemode": "tozero"}
        about["yaxis"]["rangemode"] = "tozero"  # a stall is seen as one; a logarithmic axis takes no notice
        made.append(finish({"data": traces, "layout": about}, "s", unit, MOST_TICKS))
    return made


def _common(among: Sequence[Parameters], cases: Sequence[Parameters]) -> str:
    """What the cases that are drawn have in common while the run's cases differ in it."""
    apart = {key for case in cases for key, value in case.items() if any(other.get(key) != value for other in cases)}
    shared = {key: value for key, value in among[0].items()
              if key in apart and all(each.get(key) == value for each in among)}  # fmt: skip
    return f": {params(shared)}" if shared else ""


def _name(series: TimeSeries, among: Sequence[Parameters]) -> str:
    return label(series.params, among) or str(series.params.get("source", "this case"))


def _rate(series: TimeSeries, name: str, colour: str) -> list[Plot]:
    middles = [second + series.slot / 2 for second in series.seconds]
    edge = {"width": 0, "color": colour}
    band = {"type": "scatter", "mode": "lines", "x": middles, "line": edge, "showlegend": False, "hoverinfo": "skip"}
    curve = {"type": "scatter", "mode": "lines", "name": name, "x": middles, "y": series.rate}
    stalls = {
        "type": "scatter",
        "mode": "markers",
        "name": "stall",
        "showlegend": False,
        "x": [stall.begin + stall.seconds / 2 for stall in series.stalls],
        "y": [stall.rate for stall in series.stalls],
        "hovertext": [stall.text for stall in series.stalls],
        "marker": {"size": 10, "symbol": "x", "color": colour},
    }
    return [
        band | {"y": series.rate_low},
        band | {"y": series.rate_high, "fill": "tonexty", "fillcolor": _pale(colour)},
        curve | {"line": {"color": colour, "width": 2}},
        *((stalls,) if series.stalls else ()),
    ]


def _pale(colour: str) -> str:
    """A colour, given as #rrggbb, of which little covers what lies behind it."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},{BAND})"


def _latency(series: TimeSeries, name: str, colour: str) -> list[Plot]:
    middles = [second + series.slot / 2 for second in series.seconds]
    made = []
    for what, values, dash in (("median", series.p50, "solid"), ("p99", series.p99, "dash"),
                               ("longest", series.longest, "dot")):  # fmt: skip
        pairs = [(x, y) for x, y in zip(middles, values, strict=True) if y]
        if pairs:
            x, y = [list(each) for each in zip(*pairs, strict=True)]
            line = {"color": colour, "width": 2 if what == "median" else 1, "dash": dash}
            made.append({"type": "scatter", "mode": "lines", "name": f"{name}, {what}", "x": x, "y": y, "line": line})
    return made
