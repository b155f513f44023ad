"""Rates of arithmetic beside the peak, case by case: by code, precision and size a row, by threads a column.

A record asks for it by `[peak_share] figure = "…"`, a figure in flop/s. The peak is that of as many threads as the case
has, in its precision (`type`, else double): what this run measured of one thread, else lanes, units and clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from assay.benchmark.record import Benchmark
from assay.document.grid import Grid, grid
from assay.document.run_document import Document
from assay.document.section import PeakShare, Section
from assay.report.derive.case_order import by_value
from assay.report.judge.bounds import DOUBLE, TOLERANCE, passed_by, peak_measured, percent
from assay.report.registry import BenchmarkView, Place, ReportSection, RunSource
from assay.report.units import human


def with_shares(document: Document, records: Mapping[str, Benchmark]) -> Document:
    """Give the document with the shares of those sections whose records ask for them."""
    having = {name: record for name, record in records.items() if "peak_share" in record.extra}
    wanted = {name: str(record.extra["peak_share"]["figure"]) for name, record in having.items()}
    sections = [
        replace(section, peak_shares=shares(document, section, wanted[section.benchmark]) or None)
        if section.benchmark in wanted
        else section
        for section in document.benchmarks
    ]
    return replace(document, benchmarks=sections)


def shares(document: Document, section: Section, name: str) -> list[PeakShare]:
    """Return the share of each valid case; [] where no peak is known. A peak that a case passed is none of others."""
    made = []
    for figure in section.figures:
        value = figure.shown if figure.name == name and figure.main else None
        bound = None if value is None else peak_measured(document, figure)
        if value and bound is not None:
            made.append(
                PeakShare(
                    figure=name,
                    params=figure.params,
                    value=value,
                    peak=bound[0],
                    share=value / bound[0],
                    basis=bound[1],
                    state=figure.state,
                    passed_by=passed_by(document, figure, bound="peak_measured"),
                )
            )
    beyond = {_precision(each) for each in made if each.share > TOLERANCE}
    return [replace(each, passed_by=each.passed_by or ABOVE) if _precision(each) in beyond else each for each in made]


def _precision(of: PeakShare) -> str:
    return str(of.params.get("type") or DOUBLE)


ABOVE = "a case of this table"


def tables(section: Section) -> list[Grid]:
    """The one table of a section that has shares; [] of any other."""
    found = section.peak_shares or []
    if not found:
        return []
    keys = [key for key in found[0].params if key != "threads"]
    keys.sort(key=lambda key: not isinstance(found[0].params[key], str))  # words first, numbers behind them
    counts = sorted({int(each.params.get("threads") or 1) for each in found})
    rows: dict[tuple[object, ...], dict[int, str]] = {}
    for each in sorted(found, key=lambda each: [by_value(each.params.get(key)) for key in keys]):
        row = rows.setdefault(tuple(each.params.get(key) for key in keys), {})
        row[int(each.params.get("threads") or 1)] = _cell(each)
    cells = [(*map(str, row), *(of.get(count, "–") for count in counts)) for row, of in rows.items()]
    headings = (*keys, *(f"{count} thread{'s' * (count > 1)}" for count in counts))
    left = sum(isinstance(value, str) for value in next(iter(rows)))
    title = f"{section.title}: share of the arithmetic peak"
    return [grid(title, headings, cells, _note(found), left=left)]


def _cell(of: PeakShare) -> str:
    """The rate with its share; the best reading where no estimate stands, and what passed the peak as such."""
    share = "above the peak" if of.share > TOLERANCE else "" if of.passed_by else percent(min(of.share, 1.0))
    state = "" if of.state == "clean" else "best reading" if of.state == "bound" else of.state
    about = ", ".join(text for text in (share, state) if text)
    return human(of.value, "flop/s", 3) + (f" ({about})" if about else "")


def _note(found: list[PeakShare]) -> str:
    """Say the peak of the fewest threads in each precision, and what it rests on."""
    peaks: dict[str, PeakShare] = {}
    for each in sorted(found, key=lambda each: int(each.params.get("threads") or 1)):
        peaks.setdefault(_precision(each), each)
    words = [
        f"{kind} {human(each.peak, 'flop/s', 3)} ({each.basis})"
        + (f", which is no bound here: {each.passed_by} passed it" if each.passed_by else "")
        for kind, each in sorted(peaks.items())
    ]
    return f"In brackets: share of the peak of so many threads. Peak: {'; '.join(words)}."


def _complete(source: RunSource, document: Document) -> Document:
    return with_shares(document, source.records)


SECTION = ReportSection(
    order=130,
    complete=_complete,
    of_benchmark=BenchmarkView(
        place=Place.ANALYSIS,
        tables=lambda document, section: tables(section),
        replaces=lambda section: bool(section.peak_shares),
    ),
)
