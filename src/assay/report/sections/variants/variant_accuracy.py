"""How right the variants of a run are: the greatest errors of functions beside one another, where these differ.

A time that falls with -ffast-math says nothing of the digits that went with it: the errors stand in a table of their
own beside the times (report/sections/variants/variant_tables.py), of what a record states by `[accuracy]`.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.benchmark.record import benchmark
from assay.document.build_variants import BuildVariants
from assay.document.grid import Grid, grid
from assay.document.run_document import Document
from assay.report.derive import variants
from assay.report.sections import accuracy

DIGITS, MOST_DIGITS = 3, 10  # of an error


def tables(document: Document, found: BuildVariants, letters: Sequence[str], most: int | None) -> list[Grid]:
    """Greatest errors in ulp by variant, a table for each benchmark with errors; at most `most` rows of each."""
    made = []
    for section in document.benchmarks:
        if section.accuracy is None or not variants.is_varied(section):
            continue
        usual = str(benchmark(section.benchmark).parameters[section.accuracy.over].choices[0])
        by_build: list[dict[tuple[str, ...], accuracy.Entry]] = []
        for build in found.builds:
            (of_build,) = [
                each
                for each in variants.of_variant(document, variants.parts(build)).benchmarks
                if each.benchmark == section.benchmark
            ]
            entries = accuracy.entries(of_build, section.accuracy, usual)
            by_build.append({(*of, name): entry for of, row in entries.items() for name, entry in row.items()})
        cases = list(dict.fromkeys(case for each in by_build for case in each))
        rows = [[each.get(case) for each in by_build] for case in cases]
        unlike = [
            (" ".join(case), *_texts(row))
            for case, row in zip(cases, rows, strict=True)
            if len(set(map(_found, row))) > 1
        ]
        if len(found.builds) < 2:
            continue  # there is nothing to differ from
        if rows and not unlike:
            alike = (f"all {len(rows)} measured", *("the same" for _ in found.builds))
            made.append(grid("Errors of build variants", ("function", *letters), [alike], "The greatest error in ulp."))
            continue
        kept = unlike[:most]
        note = "The greatest error of all ranges in ulp, its range in brackets "
        note += f"where it is more than {accuracy.FAR:g} times that in range {usual}, or where that has none; "
        note += "–: no valid result. "
        note += f"{len(unlike)} of {len(rows)} differ" + (f": the first {len(kept)}." if kept != unlike else ".")
        if rows:
            made.append(grid("Errors of build variants", ("function", *letters), kept, note))
    return made


def _found(entry: accuracy.Entry | None) -> tuple[float | None, bool]:
    """What a build has that another may not have: the error as it was found, not as it is written."""
    return (None, False) if entry is None else (entry.error, bool(entry.wrong))


def _texts(row: Sequence[accuracy.Entry | None]) -> list[str]:
    """A row's errors with as many digits as tell them apart."""
    apart = len(set(map(_found, row)))
    for digits in range(DIGITS, MOST_DIGITS + 1):
        texts = ["–" if entry is None else entry.error_text(digits) for entry in row]
        if len(set(texts)) >= apart:
            break
    return texts
