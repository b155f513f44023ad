"""The tables of a run: its main figures, each benchmark's figures, its fits, what is doubted."""

from __future__ import annotations

import time
from typing import Any

from assay.report.bounds import percent, share
from assay.report.grid import Grid, grid
from assay.report.states import displaced, shown, words
from assay.report.units import human, params, unit_of

Document = dict[str, Any]


def headlines(document: Document) -> Grid:
    """The main figures of a run, each with its interval or range and its share of a bound."""
    rows = []
    for section in document["benchmarks"]:
        if section["historical"]:
            continue
        for figure in section["headlines"]:
            bound = share(figure, section, document)
            rows.append(
                (
                    figure["title"],
                    human(shown(figure), unit_of(figure)),
                    spread(figure),
                    "–" if bound is None else bound.text,
                    words(figure),
                )
            )
    note = "Across launches: the least and the greatest; (95%) marks an interval, which needs six launches."
    return grid("Main figures", ("figure", "median", "across launches", "share of its bound", "state"), rows, note)


def figures(section: Document, narrow: bool = False) -> Grid:
    """Every figure of one benchmark, case by case; `narrow` leaves out the counts, to fit a terminal."""
    every = listed(section)
    several = len({(f["name"], f["statistic"]) for f in every}) > 1
    common = alike([figure["params"] for figure in every])
    rows = []
    for figure in every:
        name = figure["name"].replace("_", " ") + (
            "" if figure["statistic"] == "median" else f", {figure['statistic']}"
        )
        case = params({key: v for key, v in figure["params"].items() if key not in common}) or "–"
        state = "" if figure["state"] == "clean" else words(figure)
        counts = () if narrow else (str(figure["launches"]), str(figure["samples"]))
        rows.append(
            (name if several else "", case, human(shown(figure), unit_of(figure)), spread(figure), *counts, state)
        )
    counted = () if narrow else ("launches", "samples")
    note = f"All with {params(common)}." if params(common) else ""
    headings = ("figure", "case", "median", "across launches", *counted, "state")
    return grid(section["title"], headings, rows, note, left=2)


def listed(section: Document) -> list[Document]:
    """The figures that a benchmark's table shows, in order of name, case and statistic."""
    return sorted((f for f in section["figures"] if f["statistic"] in STATISTICS), key=_place)


def alike(cases: list[dict[str, Any]]) -> dict[str, Any]:
    """What all of several cases have alike: it is said once, and not in every row."""
    if len({str(case) for case in cases}) < 2:
        return {}
    return {key: value for key, value in cases[0].items() if all(case.get(key) == value for case in cases)}


STATISTICS = ("median", "best", "p99")


def _place(figure: Document) -> tuple[Any, ...]:
    """Order figures by name, case (numbers as numbers) and statistic."""
    case = tuple((0, v, "") if isinstance(v, int | float) else (1, 0, str(v)) for v in figure["params"].values())
    return figure["name"], case, STATISTICS.index(figure["statistic"])


def fits(section: Document) -> Grid | None:
    """The laws fitted to one benchmark's figures, with their residuals' worst and what they say of held-out sizes."""
    rows = []
    for fit in section["fits"]:
        lack, held = fit.get("lack_of_fit"), fit.get("holdout")
        rows.append(
            (
                fit["text"],
                params(fit["params"]) or "–",
                _ends(fit, "alpha", "s"),
                _ends(fit, "beta", "s/B"),
                _ends(fit, "gamma", "s"),
                "–" if not fit.get("residuals") else f"{100 * max(map(abs, fit['residuals'])):.1f}%",
                "–" if not held else f"{100 * held[0]:.1f}% / {100 * held[1]:.1f}%",
                "–" if not lack or lack["f"] is None else f"F {lack['f']:.3g}, p {lack['p']:.2g}",
            )
        )
    headings = (
        "law",
        "case",
        "start-up across launches",
        "time per byte across launches",
        "time per hop across launches",
        "worst residual",
        "held out: median / worst",
        "lack of fit",
    )
    kept = [i for i in range(len(headings)) if i < 2 or any(row[i] != "–" for row in rows)]
    shown = [[row[i] for i in kept] for row in rows]
    return grid("Fits", [headings[i] for i in kept], shown, left=2) if rows else None


def _ends(fit: Document, name: str, unit: str) -> str:
    """Write a coefficient's interval, else the range of the lines fitted to each launch by itself."""
    pair = fit.get(f"{name}_ci95") or fit.get(f"{name}_range")
    alike = human(pair[0], unit, 3) if pair else "–"  # every launch gives the same line
    return spread({"ci95": fit.get(f"{name}_ci95"), "range": fit.get(f"{name}_range"), "unit": unit}) or alike


def levels(section: Document) -> Grid | None:
    """Where the spread comes from: each level's standard deviation over the median, in the middle of the cases."""
    names = dict.fromkeys(entry["metric"] for entry in section["variance"])
    rows = []
    for name in names:
        entries = [entry for entry in section["variance"] if entry["metric"] == name]
        cells = []
        for level in ("launch", "block", "repetition"):
            known = sorted(
                value for e in entries if level not in e["unsampled"] and (value := e["relative"][level]) is not None
            )
            cells.append(f"{100 * known[len(known) // 2]:.2g}%" if known else "not sampled")
        rows.append((name.replace("_", " "), *cells, str(len(entries)), str(sum(e["readings"] for e in entries))))
    headings = ("metric", "between launches", "between blocks", "between readings", "cases", "readings")
    note = "Standard deviation over the median, by level, robust; the middle of the cases."
    return grid("Where the spread comes from", headings, rows, note) if rows else None


def nodes(document: Document) -> Grid | None:
    """The nodes that differ from the others, by name; None where one node was measured."""
    rows = [
        (section["benchmark"], odd["host"], odd["figure"], human(odd["value"], odd["unit"]), odd["text"])
        for section in document["benchmarks"]
        for odd in section.get("odd_nodes", ())
    ]
    headings = ("benchmark", "node", "figure", "value", "against the others")
    return grid("Nodes that differ", headings, rows, left=3) if rows else None


def causes(document: Document) -> Grid | None:
    """What disturbed the run: each cause, from when to when, which figures it moved the most, what to do."""
    rows = []
    for cause in document.get("causes") or ():
        hit = [figure for figure in cause["figures"] if figure.get("state") != "clean"]
        named = [f"{figure['benchmark']} {figure['figure']} ({_moved(figure)})" for figure in hit[:3]]
        more = [f"{len(hit) - 3} more"] if len(hit) > 3 else []
        when = " – ".join(_clock(cause[end]) for end in ("from", "to"))
        rows.append((cause["text"], when, ", ".join([*named, *more]) or "none", cause["advice"].replace("`", "")))
    headings = ("cause", "from, to (UTC)", "figures moved", "what to do")
    return grid("What disturbed it", headings, rows, left=4) if rows else None


def _moved(figure: Document) -> str:
    moved = displaced({"disturbance": figure})
    return "by how much is not known" if moved is None else f"by at most {percent(moved)}"


def _clock(seconds: float | None) -> str:
    return "–" if seconds is None else time.strftime("%H:%M:%S", time.gmtime(seconds))


def spread(figure: Document) -> str:
    """Write the interval where there is one, else the range over launches."""
    pair = figure.get("ci95") or figure.get("range")
    if not pair or figure.get("state") == "invalid":
        return ""
    low, high = (human(end, unit_of(figure), 3) for end in pair)
    if low == high:
        return ""  # a simulated machine's launches, or readings that a clock rounds alike
    if low.split()[1:] == high.split()[1:]:
        low = low.split()[0]  # one unit is enough for both ends
    return f"{low} – {high}{' (95%)' if figure.get('ci95') else ''}"
