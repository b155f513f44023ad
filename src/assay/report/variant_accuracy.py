"""How right the variants of a run are: the greatest errors of functions beside one another, where these differ.

A time that falls with -ffast-math says nothing of the digits that went with it: the errors stand in a table of their
own beside the times (report/variant_tables.py), of what a record states by `[accuracy]`.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.document.build_variants import BuildVariants
from assay.document.grid import Grid, grid
from assay.document.run_document import Document
from assay.report import accuracy, variants


def tables(document: Document, found: BuildVariants, letters: Sequence[str], most: int | None) -> list[Grid]:
    """Greatest errors in ulp by variant, a table for each benchmark with errors; at most `most` rows of each."""
    made = []
    for section in document.benchmarks:
        if section.accuracy is None or not variants.is_varied(section):
            continue
        by_build: list[dict[tuple[str, ...], str]] = []
        for build in found.builds:
            (of_build,) = [
                each
                for each in variants.of_variant(document, variants.parts(build)).benchmarks
                if each.benchmark == section.benchmark
            ]
            entries = accuracy.entries(of_build, section.accuracy)
            by_build.append({(*of, name): e.error_text for of, row in entries.items() for name, e in row.items()})
        cases = list(dict.fromkeys(case for each in by_build for case in each))
        rows = [(" ".join(case), *(each.get(case, "–") for each in by_build)) for case in cases]
        unlike = [row for row in rows if len(set(row[1:])) > 1]
        if len(found.builds) < 2:
            continue  # there is nothing to differ from
        if rows and not unlike:
            alike = (f"all {len(rows)} measured", *("the same" for _ in found.builds))
            made.append(grid("Errors of build variants", ("function", *letters), [alike], "The greatest error in ulp."))
            continue
        kept = unlike[:most]
        note = "The greatest error of all ranges in ulp, its range in brackets where it is not the first; "
        note += "–: no valid result. "
        note += f"{len(unlike)} of {len(rows)} differ" + (f": the first {len(kept)}." if kept != unlike else ".")
        if rows:
            made.append(grid("Errors of build variants", ("function", *letters), kept, note))
    return made
