"""How good a run is: its grade by thresholds that are stated, criterion by criterion; the worst of them is the grade.

Criteria: spread of the main figures between launches, how far disturbance can have moved them, missing results, and
the number of launches. Of many main figures a quarter may be worse than the grade says: those are named, and each part
has a grade of its own, in which every one of its figures counts but for a quarter of them. A simulated machine gives
the same at every repetition, so that only what is missing counts; of a run that measured nothing only that is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.analysis.median import median
from assay.document.run_document import Document
from assay.document.run_verdict import Criterion, Grade, PartGrade, ReachedLine
from assay.report.judge.bounds import percent
from assay.report.units import few

GRADES = "ABCD"
MIDDLE = (0.02, 0.05, 0.15)  # width of the interval or range over launches, median of the main figures: A, B, C
WORST_LINE = (0.06, 0.15, 0.45)  # and of the widest one, a quarter of them left out
MOVED = (0.02, 0.05, 0.15)  # how far disturbance can have moved a main figure
MISSING = (0.0, 0.05, 0.2)  # share of the benchmarks without a valid result
LAUNCHES = (10, 3, 2)
FEW = "of four or more main figures a quarter may be worse"
MEANING = {
    "A": "quotable",
    "B": "good for a first comparison",
    "C": "indicative only",
    "D": "not reliable",
}


def grade(document: Document, lines: Sequence[ReachedLine]) -> Grade:
    """Grade a run by its document and the main figures of its verdict."""
    criteria = _criteria(document, lines)
    worst = max(each.grade for each in criteria)
    meaning = "simulated: the same at every repetition of its seed" if document.described else MEANING[worst]
    return Grade(grade=worst, meaning=meaning, criteria=criteria, parts=_parts(document, lines))


def _criteria(document: Document, lines: Sequence[ReachedLine]) -> list[Criterion]:
    criteria = [_missing(document)]
    if not document.described and any(section.launches for section in document.benchmarks):
        main = [_spread(lines), _disturbance(lines)] if lines else []
        criteria = [*main, *criteria, _launches(document)]
    return criteria


def _parts(document: Document, lines: Sequence[ReachedLine]) -> list[PartGrade]:
    """Grade each part alone, by the criterion that is the worst; nothing where there is one part."""
    names = list(dict.fromkeys(section.part for section in document.benchmarks))
    if len(names) < 2 or document.described:
        return []
    made = []
    for name in names:
        own = [section for section in document.benchmarks if section.part == name]
        alone = replace(document, benchmarks=own, unfinished=None)
        found = _criteria(alone, [line for line in lines if line.part == name])
        worst = max(found, key=lambda each: each.grade)
        made.append(PartGrade(part=str(name), grade=worst.grade, text=f"{worst.name}: {worst.text}"))
    return made


def _of_most(letters: Sequence[str]) -> str:
    """The letter that all but a quarter of the main figures reach."""
    return sorted(letters, reverse=True)[len(letters) // 4]


def _letter(value: float, thresholds: tuple[float, ...]) -> str:
    return GRADES[sum(value > limit for limit in thresholds)]


def _limits(thresholds: tuple[float, ...]) -> str:
    return ", ".join(f"{letter} {percent(limit)}" for letter, limit in zip(GRADES, thresholds, strict=False))


def _spread(lines: Sequence[ReachedLine]) -> Criterion:
    known = [(line.spread, line.title) for line in lines if line.spread is not None]
    limits = f"up to {_limits(MIDDLE)} (median) and {_limits(WORST_LINE)} (worst; {FEW})"
    if not known:
        return _criterion(
            "spread between launches", "D", "no main figure has an estimate from several launches", limits
        )
    middle, (worst, title) = median([spread for spread, _ in known]), max(known)
    letter = max(_letter(middle, MIDDLE), _of_most([_letter(spread, WORST_LINE) for spread, _ in known]))
    text = f"{percent(middle)} of the value (median of the main figures), worst {percent(worst)} ({title})"
    return _criterion("spread between launches", letter, text, limits)


def _disturbance(lines: Sequence[ReachedLine]) -> Criterion:
    limits = f"a main figure moved by at most {_limits(MOVED)}; D where a main figure is only a bound; {FEW}"
    letter = _of_most([_moved(line) for line in lines])
    bad = [line.title for line in lines if line.state in ("bound", "invalid")]
    if bad:
        text = f"no estimate, only a bound or nothing: {few(bad)} ({len(bad)} of {len(lines)} main figures)"
        return _criterion("disturbance", letter, text, limits)
    unknown = [line.title for line in lines if line.state != "clean" and line.displaced is None]
    if unknown:
        return _criterion("disturbance", letter, f"disturbed, by how much is not known: {few(unknown)}", limits)
    moved = [(line.displaced or 0.0, line.title) for line in lines if line.state != "clean"]
    if not moved:
        return _criterion("disturbance", letter, "every main figure is clean", limits)
    worst, title = max(moved)
    text = f"{len(moved)} of {len(lines)} main figures disturbed, by at most {percent(worst)} ({title})"
    return _criterion("disturbance", letter, text, limits)


def _moved(line: ReachedLine) -> str:
    """The letter of one main figure: how far disturbance can have moved it."""
    if line.state in ("bound", "invalid"):
        return "D"
    if line.state != "clean" and line.displaced is None:
        return "C"
    return "A" if line.state == "clean" else _letter(line.displaced or 0.0, MOVED)


def _missing(document: Document) -> Criterion:
    sections = document.benchmarks
    bad = [section.benchmark for section in sections if section.state == "invalid"]
    never = [] if document.unfinished is None else document.unfinished.never_begun  # which have no section
    limits = f"benchmarks without a valid result: {_limits(MISSING)} of all"
    if not sections:
        return _criterion("missing", "D", "nothing was measured", limits)
    lacking, of = len(bad) + len(never), len(sections) + len(never)
    named = "; ".join([*([few(bad)] if bad else []), *([f"never begun: {few(never)}"] if never else [])])
    text = f"{lacking} of {of} benchmarks: {named}" if lacking else f"none of {of} benchmarks"
    return _criterion("missing", _letter(lacking / of, MISSING), text, limits)


def _launches(document: Document) -> Criterion:
    counts = [section.launches for section in document.benchmarks if section.launches]
    least = min(counts, default=0)
    letter = next((letter for letter, limit in zip(GRADES, LAUNCHES, strict=False) if least >= limit), GRADES[-1])
    claim = "" if least >= 6 else ": a range, no interval" if least > 1 else ": neither range nor interval"
    limits = ", ".join(f"{letter} {limit}" for letter, limit in zip(GRADES, LAUNCHES, strict=False))
    return _criterion("launches", letter, f"{least} per benchmark{claim}", f"at least {limits}")


def _criterion(name: str, letter: str, text: str, thresholds: str) -> Criterion:
    return Criterion(name=name, grade=letter, text=text, thresholds=thresholds)
