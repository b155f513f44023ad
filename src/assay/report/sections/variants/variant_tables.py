"""Variants in words and tables: side by side, wrong results first, and what compilers made of kernels."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Set
from statistics import median
from string import ascii_uppercase

from assay.benchmark.record import among
from assay.benchmark.variants import USUAL, WITHOUT_ISA
from assay.case import Case
from assay.document.build_variants import BuildVariants, VariantBuild, VectorisedKernel
from assay.document.comparison import FigureRow, FigureSide
from assay.document.grid import Grid, grid
from assay.document.run_document import Document
from assay.report.judge.comparison import ZERO
from assay.report.render.comparison_tables import few_launches
from assay.report.render.tables import alike
from assay.report.sections.variants import variant_accuracy
from assay.report.units import human, params

MARKS = {"equal": " =", "inconclusive": " ?"}


def lines(found: BuildVariants) -> list[str]:
    """Wrong results, what each variant is, and how it stands to the first one, in one line each."""
    written = [f"wrong result: {each.text}" for each in found.wrong]
    for letter, build in zip(letters(found), found.builds, strict=True):
        written.append(f"{letter}: {_what(build)}" + _gist(found, build, letter))
    return written


def title(found: BuildVariants) -> str:
    """What the variants of a run are: builds, or MPIs."""
    kind = "MPI variant" if is_mpi(found) else "Build variant"
    return kind + "s" * (len(found.builds) > 1)


def is_mpi(found: BuildVariants) -> bool:
    """Whether the variants are MPIs and transports, and no builds."""
    return any(build.mpi is not None for build in found.builds)


def _what(build: VariantBuild) -> str:
    if build.mpi is not None:
        by = build.mpi if build.by is None else f"{build.by} {build.version}"
        named = "" if build.mpi == USUAL or build.by is None else f" ({build.mpi})"
        return f"{by}{named}, transport {build.transport}" + (f", by {build.compiler}" if build.compiler else "")
    isa = "" if build.isa == WITHOUT_ISA else f" -march={build.isa}"
    level = "" if re.search(r"(^| )-O", build.flags or "") else ", without -O, so not optimised"
    return f"{build.by or build.compiler}{isa} {build.flags}{level}"


def first(found: BuildVariants) -> str:
    """The first variant by its letter and by what it is: its MPI, with transport and compiler where these vary."""
    build = found.builds[0]
    if build.mpi is None:
        return f"A ({_what(build)})"
    words = [build.mpi if build.by is None else f"{build.by} {build.version}"]
    if len({each.transport for each in found.builds}) > 1:
        words.append(f"transport {build.transport}")
    if build.compiler and len({each.compiler for each in found.builds}) > 1:
        words.append(f"by {build.compiler}")
    return f"A ({', '.join(words)})"


def wrapped(found: BuildVariants, width: int) -> list[str]:
    """The same lines, indented and of at most `width` columns."""
    made = []
    for line in lines(found):
        made += textwrap.wrap(line, width, initial_indent="  ", subsequent_indent="    ")
    return made


def _gist(found: BuildVariants, build: VariantBuild, letter: str) -> str:
    rows = [row for row in main_rows(found) if row.b.run == build.label]
    ratios = [_gain(row) for row in rows if row.ratio]
    if not ratios:
        return "" if letter == "A" else ": nothing to compare with A"
    counts = {verdict: sum(row.verdict == verdict for row in rows) for verdict in ("differs", "equal")}
    unknown = len(rows) - sum(counts.values())
    counted = f"{counts['differs']} differ, {counts['equal']} are equal, {unknown} are inconclusive"
    few = few_launches(row.reason for row in rows)
    counted += f" ({few})" if few else ""
    span = f", from {min(ratios):.2f} to {max(ratios):.2f}" if len(ratios) > 1 else ""
    return f": {median(ratios):.2f} times the speed of A{span}; of {len(rows)} cases {counted}"


def _gain(row: FigureRow) -> float:
    """How many times as fast B is: the ratio of rates, the inverse of that of times."""
    assert row.ratio is not None
    return row.ratio if row.better == "higher" else 1 / row.ratio


def letters(found: BuildVariants) -> list[str]:
    """A, B, …: columns are narrow."""
    count = len(found.builds)
    return [ascii_uppercase[i] if count <= len(ascii_uppercase) else f"V{i + 1}" for i in range(count)]


def main_rows(found: BuildVariants) -> list[FigureRow]:
    """The rows of each benchmark's main figure, and of figures with parameters of their own, such as single loops.

    A second formula of the same readings says nothing new. Results that are no speed, such as errors, are left to
    tables of their own.
    """
    kept: list[FigureRow] = []
    for name, record in among({row.benchmark for row in found.rows}).items():
        rows = [row for row in found.rows if row.benchmark == name]
        figures = sorted(record.figures.values(), key=lambda each: not each.headline)  # the main one first
        metrics: set[str] = set()
        known: set[str] = set()
        for figure in figures:
            of = [row for row in rows if row.figure == figure.name]
            keys = {key for row in of for key in row.params}
            if of and figure.metric not in metrics | record.exact and (not metrics or keys - known):
                kept += of
                metrics.add(figure.metric)
                known |= keys
    return kept


def tables(document: Document, most: int | None = None) -> list[Grid]:
    """Side by side, then what compilers made of kernels; `most` rows of each. [] where a run has no variants."""
    found = document.variants
    if found is None:
        return []
    made = [_side_by_side(found, most)] if main_rows(found) else []
    made += variant_accuracy.tables(document, found, letters(found), most)
    return made if is_mpi(found) else [*made, _vectorised(document, found, most)]


def _side_by_side(found: BuildVariants, most: int | None) -> Grid:
    rows = main_rows(found)
    cases: dict[tuple[str, str, Case], dict[str, FigureRow]] = {}
    for row in rows:
        cases.setdefault((row.benchmark, row.figure, row.params), {})[row.b.run] = row
    kept = list(cases.items())
    if most is not None and len(kept) > most:
        far = sorted(kept, key=lambda each: -max((_distance(row) for row in each[1].values()), default=0))[:most]
        kept = [each for each in kept if each in far]
    several = len({benchmark for benchmark, _, _ in cases}) > 1
    figures = {benchmark: {figure for of, figure, _ in cases if of == benchmark} for benchmark, _, _ in cases}
    common = alike([next(iter(of.values())).params for of in cases.values()])
    shown = []
    for (benchmark, figure, _), of in kept:
        first = next(iter(of.values()))
        own = params({key: value for key, value in first.params.items() if key not in common}) or "–"
        if len(figures[benchmark]) > 1:
            own = figure.replace("_", " ") + ("" if own == "–" else f" {own}")
        cells = [_ratio(of.get(build.label)) for build in found.builds[1:]]
        shown.append(((f"{benchmark} " if several else "") + own, _value(first.a, first.unit), *cells))
    names = letters(found)
    headings = ("case", "A", *(f"{letter} / A" for letter in names[1:]))
    kinds = "; ".join(dict.fromkeys(f"{row.benchmark}: {row.figure.replace('_', ' ')}" for row in rows))
    note = f"{kinds}. In brackets the 95% interval, of six launches or more. =: equal within {rows[0].margin:.0%}; "
    note += "?: inconclusive."
    note += f" All with {params(common)}." if params(common) else ""
    note += f" The {len(kept)} of {len(cases)} cases that differ the most." if len(kept) < len(cases) else ""
    return grid(f"{title(found)} side by side", headings, shown, note)


def _distance(row: FigureRow) -> float:
    """How far B is from A, as a ratio's logarithm: nothing where both are zero, most where there is no ratio."""
    if row.reason == ZERO:
        return 0.0
    return abs(math.log(row.ratio)) if row.ratio else math.inf


def _ratio(row: FigureRow | None) -> str:
    if row is None:
        return "–"
    if row.b.state == "invalid":
        return "invalid"
    if row.ratio is None:
        return f"both zero{MARKS['equal']}" if row.reason == ZERO else "–"
    interval = "" if row.ci95 is None else f" [{row.ci95[0]:.2f}, {row.ci95[1]:.2f}]"
    return f"{row.ratio:.2f}{interval}{MARKS.get(row.verdict, '')}"


def _value(side: FigureSide, unit: str) -> str:
    return "invalid" if side.state == "invalid" else human(side.value, unit, 3)


def _vectorised(document: Document, found: BuildVariants, most: int | None) -> Grid:
    title = "What the compilers made of the kernels"
    headings = ("kernel", *letters(found))
    if found.vectorised is None:
        note = "Not known: no disassembler is here (objdump, of binutils) that knows this processor."
        return grid(title, headings, [], note)
    several = len({each.benchmark for each in found.vectorised}) > 1
    kernels = _chosen(document, found, most)
    rows = [
        ((f"{each.benchmark} " if several else "") + each.kernel, *(_width(text) for text in each.texts))
        for each in kernels
    ]
    note = "Bits of the widest vector register of packed arithmetic in the function's code; where it has none, in "
    note += "brackets of its loads and stores, or what it calls. –: part of another function."
    every = _chosen(document, found, None)
    note += f" {len(kernels)} of {len(every)} functions." if len(rows) < len(every) else ""
    return grid(title, headings, rows, note)


def _unmeasured(found: BuildVariants, named: Set[tuple[str, str]]) -> Callable[[VectorisedKernel], bool]:
    """Whether a function is of a choice that no case has: its name, or what stands in brackets behind it."""
    records = among({each.benchmark for each in found.vectorised or ()})
    choices = {
        (name, _plain(choice))
        for name, record in records.items()
        for parameter in record.parameters.values()
        for choice in parameter.choices
    }
    left = choices - named

    def unmeasured(each: VectorisedKernel) -> bool:
        return any((each.benchmark, _plain(part)) in left for part in each.kernel.split(" (", 1))

    return unmeasured


def _plain(text: object) -> str:
    """A name without what functions and choices write differently: `strided 3)` is `stride3`, `log_of` is `log`."""
    return re.sub(r"[^a-z0-9]", "", str(text).lower().removesuffix("_of")).replace("strided", "stride")


def _width(text: str | None) -> str:
    """Bits without the word, for narrow columns."""
    if text is None:
        return "–"
    return re.sub(r"^(\d+) bits( \(moves\))?$", lambda found: f"({found[1]})" if found[2] else found[1], text)


def _chosen(document: Document, found: BuildVariants, most: int | None) -> list[VectorisedKernel]:
    """Functions that are named as a measured case's parameter is (`axpy (contiguous)` of kernel axpy), then all others.

    A unit holds every kernel of its benchmark, of which a run may measure one: of those that are named as a choice of a
    parameter is, what was not measured is left out, and beside measured ones what is scalar in every variant: it is no
    kernel, such as the function that gives the program its table of loops. Where they are more than `most`, of the
    others those are left first of which the variants' compilers made the same.
    """
    cases = [(section.benchmark, figure.params) for section in document.benchmarks for figure in section.figures]
    named = {(name, _plain(value)) for name, case in cases for value in case.values() if isinstance(value, str)}

    def is_other(each: VectorisedKernel) -> bool:
        word = re.match(r"\w+", each.kernel)
        return word is None or (each.benchmark, _plain(word[0])) not in named

    unmeasured = _unmeasured(found, named)
    kept = [each for each in found.vectorised or () if not unmeasured(each)]
    with_kernels = {each.benchmark for each in kept if not is_other(each)}

    def is_helper(each: VectorisedKernel) -> bool:
        return is_other(each) and each.benchmark in with_kernels and {*each.texts} <= {"scalar", None}

    kernels = sorted((each for each in kept if not is_helper(each)), key=is_other)
    telling = sorted(kernels, key=lambda each: (is_other(each), len(set(each.texts)) < 2))[:most]
    return [each for each in kernels if each in telling]
