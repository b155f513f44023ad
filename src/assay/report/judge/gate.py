"""The threshold of `assay compare --margin`: met only where every figure that it rests on was judged, and is equal.

It is not met where nothing could be judged: too few launches, a bound instead of a value, no figure in common.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from assay import former_names
from assay.benchmark.record import among
from assay.document.comparison import FigureRow, Gate
from assay.document.params import Parameters
from assay.document.run_document import Document
from assay.errors import InputError
from assay.report.judge.comparison import Key, compared, identity, outcomes_of
from assay.report.units import params

UNKNOWN = (
    "; how far equal runs differ here is not known: two earlier runs of this machine, or `compare --live`, "
    "would show it"
)


def named(names: str, documents: Sequence[Document]) -> list[str]:
    """Read `--figures`: BENCHMARK, FIGURE or BENCHMARK.FIGURE with commas between; InputError for what no run has."""
    words = _words(names)
    known = {key[:2] for document in documents for key in compared(document)}
    for word in words or [names]:
        if not any(means(word, pair) for pair in known):
            accepted = ", ".join(sorted(f"{benchmark}.{figure}" for benchmark, figure in known)) or "nothing was valid"
            raise InputError("no run here has this figure", key="--figures", value=word, accepted=accepted)
    return words


def _words(names: str) -> list[str]:
    """The words of `--figures`, with the names that benchmarks have now."""
    words = (word.strip().partition(".") for word in names.split(",") if word.strip())
    return [former_names.accepted(name) + point + figure for name, point, figure in words]


def known_to_records(names: str, benchmarks: Iterable[str], key: str = "--figures") -> None:
    """InputError for a name (of the option `key`) that no record of these benchmarks has, before a run is read.

    Where a benchmark has no record here any more, nothing is said.
    """
    run = set(benchmarks)
    records = among(run)
    if len(records) < len(run):
        return
    known = {(name, figure) for name, record in records.items() for figure in record.figures}
    for word in _words(names):
        if not any(means(word, pair) for pair in known):
            accepted = ", ".join(sorted(f"{benchmark}.{figure}" for benchmark, figure in known))
            raise InputError("no run here has this figure", key=key, value=word, accepted=accepted)


def required(
    a: Document, b: Document, words: Sequence[str] | None, planned: Sequence[Set[str]] = (frozenset(), frozenset())
) -> set[Key]:
    """Give the figures of A that the threshold rests on: those named, else the headlines; without headlines, all.

    A named figure counts with all its cases, also those that only one of the runs has. A headline counts where both
    have it, and where the other run tried the benchmark, or was `planned` to, and lost that headline.
    """
    first, second = compared(a), compared(b)
    alike = a.described == b.described  # else cases are matched, not identical
    if words is not None:
        keys = {*first, *(second if alike else ())}
        return {key for key in keys if any(means(word, key[:2]) for word in words)}
    heads = headlines(a) & set(first) | (headlines(b) if alike else set()) & set(second)
    if not alike:
        return heads
    return {
        key
        for key in heads
        if (key in first and key in second) or _lost(key, a, planned[0]) or _lost(key, b, planned[1])
    }


def judge(
    rows: Sequence[FigureRow],
    a: Document,
    b: Document,
    wanted: Set[Key],
    *,
    only: bool,
    alone: Set[Key] = frozenset(),
    only_worse: bool = False,
) -> Gate:
    """Judge the threshold by the rows of a comparison; unless `only` those `wanted` count, any that differs misses.

    `alone`: figures that only the launches of both runs judged; that shows nothing of a difference between runs.
    `only_worse`: a figure that differs for the better misses nothing.
    """
    found = {(row.benchmark, row.figure, row.params): row for row in rows}
    rests = wanted or set(found)
    unjudged = []
    for key in sorted(rests):
        if key not in found:
            there, lacking = (a, b) if key in compared(a) else (b, a)
            unjudged.append(f"{_text(key, compared(there)[key].params)}: not measured in {lacking.run}")
        elif found[key].verdict == "inconclusive" or key in alone:
            unjudged.append(f"{_text(key, found[key].params)}: {found[key].reason}{UNKNOWN * (key in alone)}")
    if not found:
        unjudged = [f"{a.run} and {b.run} have nothing in common"]
    missed = [
        f"{_text(key, row.params)}: {row.reason}"
        for key, row in found.items()
        if row.verdict == "differs" and key not in alone and (key in rests or not only)
        if not (only_worse and _is_better(row))
    ]
    passed = not unjudged and not missed
    return Gate(judged=not unjudged, passed=passed, figures=len(rests), missed=missed, unjudged=unjudged)


def _is_better(row: FigureRow) -> bool:
    """Whether B is better than A, by the ratio that decided or, of what has none, by both values."""
    if row.shift is not None:
        return not is_worse(row.shift, row.better)
    one, other = row.a.value or 0.0, row.b.value or 0.0  # of what is exact and has no ratio, one is zero
    return other > one if row.better == "higher" else other < one


def is_worse(ratio: float, better: str) -> bool:
    """Whether B is worse than A by the ratio B / A."""
    return ratio < 1 if better == "higher" else ratio > 1


def means(word: str, pair: tuple[str, ...]) -> bool:
    """Whether a word of `--figures` means this benchmark and figure."""
    return word in (pair[0], pair[1], f"{pair[0]}.{pair[1]}")


def headlines(document: Document) -> set[Key]:
    """Give the main figures of a run."""
    return {
        (section.benchmark, each.figure.name, identity(each.figure.params, outcomes))
        for section, outcomes in ((each, outcomes_of(each.benchmark)) for each in document.benchmarks)
        for each in section.headlines
    }


def _lost(key: Key, document: Document, planned: Set[str]) -> bool:
    """Whether a run measured a benchmark, or was to, and has no headline of this figure.

    A benchmark that found nothing to measure on its machine is not lost.
    """
    skipped = {each.benchmark for each in document.left_out}
    sections = [section for section in document.benchmarks if section.benchmark == key[0]]
    names = [{each.figure.name for each in section.headlines} for section in sections]
    return any(key[1] not in of for of in names) or (not names and key[0] in planned - skipped)


def _text(key: Key, of: Parameters) -> str:
    case = params(of)
    return f"{key[0]} {key[1].replace('_', ' ')}{f' ({case})' if case else ''}"
