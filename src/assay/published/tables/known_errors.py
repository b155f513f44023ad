"""Errors of mathematical functions that are published, beside those that a run finds.

Gladman, Innocente, Mather, Ozaki and Zimmermann (2026), whose table ships as data (catalogue/accuracy).
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from assay.document.grid import Grid, grid
from assay.document.run_document import Document
from assay.published.tables.registry import PublishedTables

TITLE = "Published errors of float64 functions"
FORMS = ("SSE4", "AVX2", "AVX-512")


@dataclass(frozen=True)
class KnownError:
    """The greatest error known of one function, ulp: of its scalar form at `argument`, and by vector form."""

    scalar: float | None
    argument: str | None
    vector: tuple[float, float, float]


@dataclass(frozen=True)
class KnownErrors:
    """A published table: its source, edition and errors, the library, and the releases for which they were found."""

    source: str
    edition: str
    library: str
    releases: tuple[str, ...]
    errors: dict[str, KnownError]


@cache
def published() -> KnownErrors:
    """The shipped table."""
    found = tomllib.loads((files("assay.catalogue") / "accuracy" / "gladman2026.toml").read_text())
    errors = {}
    for function, each in found["float64"].items():
        scalar = each.get("scalar", {})
        errors[function] = KnownError(scalar.get("ulp"), scalar.get("argument"), tuple(each["vector"]))
    paper = found["paper"]
    return KnownErrors(paper["source"], paper["edition"], paper["library"], tuple(paper["releases"]), errors)


def tables(document: Document) -> list[Grid]:
    """A row for each function whose float64 error this run found; [] where there is none."""
    known = published()
    found: dict[tuple[str, str], float] = {}
    for section in document.benchmarks:
        for each in section.figures if section.benchmark == "intrinsics" else ():
            if each.name != "ulp_max" or each.value is None or each.params.get("type") != "float64":
                continue
            case = (str(each.params["function"]), str(each.params["variant"]))
            found[case] = max(each.value, found.get(case, 0.0))
    rows = []
    for function, of in known.errors.items():
        scalar, vector = found.get((function, "scalar")), found.get((function, "vector"))
        if scalar is not None or vector is not None:
            forms = " / ".join(f"{error:.2f}" for error in of.vector)
            rows.append((function, _ulp(of.scalar), _ulp(scalar), forms, _ulp(vector)))
    note = (
        f"In ulp, of the {known.library} (they hold for {', '.join(known.releases)}): {known.source}, {known.edition}; "
        "the authors round up. Here: the greatest of the ranges that were measured, a lower bound."
    )
    headings = ("function", "scalar, published", "here", f"vector, published ({' / '.join(FORMS)})", "here")
    return [grid(TITLE, headings, rows, note)] if rows else []


def _ulp(error: float | None) -> str:
    return "–" if error is None else f"{error:.3f}"


ENTRY = PublishedTables(order=120, tables=tables)
