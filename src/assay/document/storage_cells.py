"""The rates of a run's files as cells of `analysis.storage_law`, by direction and source."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from assay.analysis.storage_law import RateCell, StorageLaw, storage_law
from assay.document.reported_figure import ReportedFigure
from assay.document.section import Section

RANKS = "ranks"  # in place of an engine: POSIX's calls by ranks, each its own file (parallel-files)
ENGINES = ("direct", "uring", "buffered", "mmap", RANKS)  # the plainest evidence first
Family = tuple[str, str, str, str]  # direction, source, engine, access


def laws(sections: Sequence[Section]) -> dict[Family, StorageLaw]:
    """One law for each direction and source: of the engine and access with the most cells, O_DIRECT first; and one of
    ranks, whose operations in flight are the ranks that work.
    """
    return {family: law for family, (law, _) in _laws_and_figures(sections).items()}


def fitted_figures(sections: Sequence[Section]) -> list[ReportedFigure]:
    """The figures that these laws are fitted to; those that judge them are left out."""
    return [
        figures[cell.bytes, cell.flight]
        for law, figures in _laws_and_figures(sections).values()
        for cell in law.cells
        if cell.fitted
    ]


def _laws_and_figures(
    sections: Sequence[Section],
) -> dict[Family, tuple[StorageLaw, dict[tuple[int, int], ReportedFigure]]]:
    """Each law with its figures by block size and operations in flight."""
    found: dict[Family, dict[tuple[int, int], ReportedFigure]] = defaultdict(dict)
    _by_ranks(sections, found)
    for figure in (each for section in sections if section.benchmark == "file-rate" for each in section.figures):
        about = figure.params
        if figure.name != "rate" or figure.statistic not in ("median", "best") or not figure.value:
            continue
        if about.get("direction") == "mixed":  # reads and writes wait for one another there
            continue
        if about.get("source") == "unknown" or figure.state == "invalid" or about.get("layout", "own") != "own":
            continue
        family = (str(about["direction"]), str(about["source"]), str(about["engine"]), str(about["access"]))
        cell = (int(about["bytes"]), int(about["processes"]) * int(about["depth"]))
        if cell not in found[family] or figure.statistic == "median":
            found[family][cell] = figure
    made: dict[Family, StorageLaw] = {}
    best: dict[tuple[str, str, bool], Family] = {}
    for family, cells in found.items():
        law = storage_law([
            RateCell(size, flight, of.value or 0.0, {int(launch): value for launch, value in of.by_launch})
            for (size, flight), of in cells.items()
        ])  # fmt: skip
        if law is None:
            continue
        made[family] = law
        kind = (*family[:2], family[2] == RANKS)
        other = best.get(kind)
        if other is None or _order(family, made) > _order(other, made):
            best[kind] = family
    return {family: (made[family], found[family]) for family in sorted(best.values(), key=_place)}


def _by_ranks(sections: Sequence[Section], found: dict[Family, dict[tuple[int, int], ReportedFigure]]) -> None:
    """Rates of all ranks by their calls, without opening and closing; of writes to the storage with fsync and both."""
    for figure in (each for section in sections if section.benchmark == "parallel-files" for each in section.figures):
        about = figure.params
        if figure.statistic not in ("median", "best") or not figure.value or figure.state == "invalid":
            continue
        if about.get("layout") != "own" or about.get("interface") != "posix" or about.get("preallocate") == "yes":
            continue
        if about.get("direction") == "mixed":
            continue
        source = str(about.get("source"))
        stored_by_fsync = about.get("direction") == "write" and source != "cache"
        if source == "unknown" or figure.name != ("rate_aggregate" if stored_by_fsync else "rate_last"):
            continue
        family = (str(about["direction"]), source, RANKS, "sequential")
        cell = (int(about["bytes"]), int(about["active"]))
        if cell not in found[family] or figure.statistic == "median":
            found[family][cell] = figure


def _order(family: Family, made: dict[Family, StorageLaw]) -> tuple[int, int]:
    return len(made[family].cells), -ENGINES.index(family[2])


def _place(family: Family) -> tuple[bool, bool, Family]:
    """What is storage before what is memory, reading before writing."""
    return family[1] == "cache", family[0] != "read", family
