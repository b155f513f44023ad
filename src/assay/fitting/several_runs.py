"""Several runs of one machine as one document: each figure with the launches of all, which keep their run.

A figure's value is the median of its runs' values. Of runs that were disturbed, or have bounds alone, only what no
clean run has is taken. A launch of the run in place `at` has its own number plus `at` times RUN.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from assay.document.reported_figure import FigureKey, ReportedFigure
from assay.document.run_document import Document
from assay.document.section import Section
from assay.errors import InputError

RUN = 1_000_000  # launches of a run have smaller numbers
STATES = ("clean", "disturbed", "bound")


def pooled(documents: Sequence[Document]) -> Document:
    """One document of several runs; a single one is itself.

    InputError where they are of several machines, one is given twice, or a benchmark has other lengths in another run,
    since half of the lengths are fitted.
    """
    first, *others = documents
    if not others:
        return first
    for at, each in enumerate(others, 1):
        if each.machine != first.machine:
            wanted = f"runs of one machine, here {first.machine}"
            raise InputError("is of another machine", key=f"run {each.run}", value=each.machine, accepted=wanted)
        if each.run in {other.run for other in documents[:at]}:
            raise InputError("is given twice", key="fit", value=each.run, accepted="each run once")
    _same_lengths(documents)
    sections = [
        _section(name, documents) for name in dict.fromkeys(s.benchmark for d in documents for s in d.benchmarks)
    ]
    return replace(first, run=", ".join(each.run for each in documents), benchmarks=sections)


def _same_lengths(documents: Sequence[Document]) -> None:
    known: dict[tuple[object, ...], tuple[str, set[float]]] = {}
    for document in documents:
        lengths: dict[tuple[object, ...], set[float]] = {}
        for section in document.benchmarks:
            for each in section.figures:
                if each.main and "bytes" in each.params:
                    kind = (each.benchmark, each.name, each.host, each.params.without(("bytes",)))
                    lengths.setdefault(kind, set()).add(float(each.params["bytes"] or 0))
        for family, found in lengths.items():
            run, before = known.setdefault(family, (document.run, found))
            if found != before:
                length = min(found ^ before)
                has, lacks = (document.run, run) if length in found else (run, document.run)
                raise InputError(
                    f"has {family[0]} of {length:.0f} B, and run {lacks} has none",
                    key=f"run {has}",
                    value=f"{length:.0f} B",
                    accepted="runs with the same lengths of messages, as half of them are fitted",
                )


def _section(name: str, documents: Sequence[Document]) -> Section:
    figures: dict[tuple[FigureKey, str, str | None], list[tuple[int, ReportedFigure]]] = {}
    sections = [(at, s) for at, document in enumerate(documents) for s in document.benchmarks if s.benchmark == name]
    for at, section in sections:
        for each in section.figures:
            kind = "main" if each.main else each.statistic
            figures.setdefault((each.key, kind, each.host), []).append((at, each))
    return replace(sections[0][1], figures=[_figure(of) for of in figures.values()])


def _figure(of: Sequence[tuple[int, ReportedFigure]]) -> ReportedFigure:
    """One figure of all runs that have a value of the best state among them."""
    usable = [(at, each) for at, each in of if each.shown is not None]
    if not usable:
        return of[0][1]
    best = min(usable, key=lambda each: _order(each[1]))[1].state
    kept = [(at, each) for at, each in usable if each.state == best]
    values = [each.shown for _, each in kept if each.shown is not None]
    last = kept[0][1]
    extreme = max if last.better == "higher" else min
    value = extreme(values) if best == "bound" else median(values)
    moved = [each.disturbance for _, each in kept]
    worst = (
        None if None in moved else max((m for m in moved if m is not None), key=lambda m: m.most or 0.0, default=None)
    )
    return replace(
        last,
        value=value,
        disturbance=worst,
        launches=sum(each.launches for _, each in kept),
        by_launch=[[at * RUN + launch, value] for at, each in kept for launch, value in each.by_launch],
    )


def _order(of: ReportedFigure) -> int:
    return STATES.index(of.state) if of.state in STATES else len(STATES)
