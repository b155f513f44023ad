"""The tables that every benchmark has: main figures, figures case by case, fits, and the levels of their spread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.document.fits import Fit, LineFit, Pair, PlaneFit, SpeedupLawFit
from assay.document.grid import Grid, grid
from assay.document.params import Parameters
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.document.section import Section
from assay.report.derive.case_order import record_of
from assay.report.derive.states import words
from assay.report.judge.bounds import percent, share
from assay.report.render.case_words import case_words
from assay.report.units import human, unit_of


def headlines(document: Document) -> Grid:
    """The main figures of a run, each with its interval or range and its share of a bound."""
    rows = []
    for section in document.benchmarks:
        if section.historical:
            continue
        for main in section.headlines:
            figure, bound = main.figure, share(main, document)
            rows.append(
                (
                    main.title,
                    human(figure.shown, unit_of(figure)),
                    spread(figure) or ("best reading" if figure.state == "bound" else ""),
                    "–" if bound is None else bound.text,
                    words(figure),
                )
            )
    note = "Across launches: the least and the greatest; (95%) marks an interval, which needs six launches."
    headings = ("figure", "median", "across launches", "share of its bound in this run", "state")
    return grid("Main figures", headings, rows, note)


def figures(section: Section, narrow: bool = False, only: Sequence[ReportedFigure] | None = None) -> Grid:
    """Every figure of one benchmark (or `only` some), case by case; `narrow` has no counts, to fit a terminal.

    Where all are one figure, the column of values is called by its name.
    """
    every = listed(section) if only is None else only
    names = {(f.name, f.statistic) for f in every}
    statistics = {figure.statistic for figure in every}
    common = alike([figure.params for figure in every])
    record = record_of(section)
    rows = []
    for figure in every:
        name = figure.name.replace("_", " ") + (f", {figure.statistic}" if statistics != {"median"} else "")
        own = {key: value for key, value in figure.params.items() if key not in common}
        case = case_words(own, record, section.guest) or "–"
        state = "" if figure.state == "clean" else words(figure)
        counts = () if narrow else (str(figure.launches), str(figure.samples))
        value = human(figure.shown, unit_of(figure))
        rows.append((*((name,) if len(names) > 1 else ()), case, value, spread(figure), *counts, state))
    counted = () if narrow else ("launches", "samples")
    alike_words = case_words(common, record, section.guest)
    note = f"All with {alike_words}." if alike_words else ""
    column = "median" if statistics <= {"median"} else "value"
    if len(names) == 1:
        ((only_name, statistic),) = names
        headings = ("case", f"{only_name.replace('_', ' ')}, {statistic}", "across launches", *counted, "state")
        return grid(section.title, headings, rows, note)
    headings = ("figure", "case", column, "across launches", *counted, "state")
    return grid(section.title, headings, rows, note, left=2)


def listed(section: Section) -> list[ReportedFigure]:
    """The figures that a benchmark's table shows: its main ones first, in order of name, case and statistic.

    A best reading that is the median itself, as of what is judged once, would say the same twice.
    """
    medians = {(f.name, str(f.params)): f.value for f in section.figures if f.statistic == "median"}
    return sorted(
        (
            f
            for f in section.figures
            if f.statistic in STATISTICS
            and not (f.statistic == "best" and f.value is not None and medians.get((f.name, str(f.params))) == f.value)
        ),
        key=_place,
    )


def alike(cases: Sequence[Parameters]) -> Parameters:
    """What all of several cases have alike: it is said once, and not in every row."""
    if len({str(case) for case in cases}) < 2:
        return {}
    return {key: value for key, value in cases[0].items() if all(case.get(key) == value for case in cases)}


STATISTICS = ("median", "best", "p99", "p1")


def _place(figure: ReportedFigure) -> tuple[Any, ...]:
    """Order figures by name, case (numbers as numbers) and statistic."""
    case = tuple((0, v, "") if isinstance(v, int | float) else (1, 0, str(v)) for v in figure.params.values())
    return not figure.headline, figure.name, case, STATISTICS.index(figure.statistic)


def fits(section: Section) -> Grid | None:
    """The laws fitted to one benchmark's figures, with their residuals' worst and what they say of held-out sizes."""
    rows, record = [], record_of(section)
    for fit in section.fits:
        lack = fit.lack_of_fit if isinstance(fit, LineFit | SpeedupLawFit) else None
        held = fit.holdout if isinstance(fit, LineFit | PlaneFit) else None
        left = fit.residuals if isinstance(fit, LineFit) else []
        rows.append(
            (
                fit.text,
                case_words(fit.params, record, section.guest) or "–",
                _ends(fit, "alpha", "s"),
                _ends(fit, "beta", "s/B"),
                _ends(fit, "gamma", "s"),
                "–" if not left else f"{100 * max(map(abs, left)):.1f}%",
                "–" if not held else f"{100 * held[0]:.1f}% / {100 * held[1]:.1f}%",
                "–" if not lack or lack.f is None or lack.p is None else f"F {lack.f:.3g}, p {lack.p:.2g}",
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
    title = f"Fits{fitted_figure(section)}"
    return grid(title, [headings[i] for i in kept], shown, left=2) if rows else None


def fitted_figure(section: Section) -> str:
    """Which time a law's T is, behind a title, where a benchmark has several; "" where it has one."""
    times = {figure.name for figure in section.figures if figure.unit == "s"}
    fitted = dict.fromkeys(fit.figure for fit in section.fits if fit.text.startswith("T = "))
    return f": T is the {' or '.join(name.replace('_', ' ') for name in fitted)}" if fitted and len(times) > 1 else ""


def _ends(fit: Fit, name: str, unit: str) -> str:
    """Write a coefficient's interval, else the range of the lines fitted to each launch by itself."""
    found = _coefficients(fit).get(name)
    if found is None:
        return "–"
    ci95, over_launches = found
    text = between(ci95, over_launches, unit) or human(over_launches[0], unit, 3)  # every launch gives the same line
    below = name == "alpha" and isinstance(fit, LineFit | PlaneFit) and fit.alpha < 0
    return f"{text} (below zero: none)" if below else text


def _coefficients(fit: Fit) -> dict[str, tuple[Pair | None, Pair]]:
    """Interval and range over launches of each coefficient of a line or a plane."""
    if not isinstance(fit, LineFit | PlaneFit):
        return {}
    found = {"alpha": (fit.alpha_ci95, fit.alpha_range), "beta": (fit.beta_ci95, fit.beta_range)}
    return found | ({"gamma": (fit.gamma_ci95, fit.gamma_range)} if isinstance(fit, PlaneFit) else {})


def levels(section: Section) -> Grid | None:
    """Where the spread comes from: each level's standard deviation over the median, median of the cases."""
    names = dict.fromkeys(entry.metric for entry in section.variance)
    rows = []
    for name in names:
        entries = [entry for entry in section.variance if entry.metric == name]
        cells = []
        for level in ("launch", "block", "repetition"):
            known = sorted(
                value for e in entries if level not in e.unsampled and (value := e.relative[level]) is not None
            )
            cells.append(percent(known[len(known) // 2]) if known else "not sampled")
        if set(cells) != {"not sampled"}:  # as a simulated launch has it, of which there is one block
            rows.append((name.replace("_", " "), *cells, str(len(entries)), str(sum(e.readings for e in entries))))
    headings = ("metric", "between launches", "between blocks", "between readings", "cases", "readings")
    note = "Robust standard deviation over the median, by level; median of the cases."
    return grid("Where the spread comes from", headings, rows, note) if rows else None


def spread(figure: ReportedFigure) -> str:
    """Write the interval where there is one, else the range over launches."""
    return "" if figure.state == "invalid" else between(figure.ci95, figure.range, unit_of(figure))


DIGITS = (3, 4, 5, 6)  # of the ends of a range: as many as tell them apart


def between(ci95: Sequence[float] | None, over_launches: Sequence[float] | None, unit: str) -> str:
    """Write the ends of an interval, marked as such, else of the range over launches; "" where they are the same.

    Ends that three digits write alike have more of them.
    """
    pair = ci95 or over_launches
    if not pair:
        return ""
    if pair[0] == pair[1]:
        return ""  # a simulated machine's launches, or readings that a clock rounds alike
    written = ([human(end, unit, digits) for end in pair] for digits in DIGITS)
    low, high = next((ends for ends in written if ends[0] != ends[1]), ("", ""))
    if low == high:
        return "all equal"
    if low.split()[1:] == high.split()[1:]:
        low = low.split()[0]  # one unit is enough for both ends
    return f"{low} – {high}{' (95%)' if ci95 else ''}"
