"""Which cells of a run are fitted: of each benchmark one family, which differs by length."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from assay.document.params import WITHIN_A_NODE, Parameters, Params
from assay.document.reported_figure import ReportedFigure
from assay.document.section import Section
from assay.fitting.halves import fitted

OF_LENGTH = ("bytes", "hops")


def cells(
    sections: Sequence[Section], benchmark: str, figure: str, where: Callable[[Parameters], bool] = lambda case: True
) -> list[ReportedFigure]:
    """The cells that may be fitted of a benchmark's figure, held-out ones left out; all main ones count in the rule."""
    found = [
        each
        for section in sections
        if section.benchmark == benchmark
        for each in section.figures
        if each.name == figure and each.main and where(each.params)
    ]
    return [cell for cell, kept in zip(found, fitted(found), strict=True) if kept]


def largest(found: Sequence[ReportedFigure]) -> list[ReportedFigure]:
    """Of these cells those of the family with the most lengths that differ in length and hops alone."""
    families: dict[tuple[str | None, Params], list[ReportedFigure]] = defaultdict(list)
    for each in found:
        families[each.host, each.params.without(OF_LENGTH)].append(each)
    ordered = sorted(families.values(), key=lambda of: (len({each.params.get("bytes") for each in of}), _plain(of[0])))
    return ordered[-1] if ordered else []


def echoes(sections: Sequence[Section]) -> tuple[list[ReportedFigure], list[ReportedFigure]]:
    """The fitted cells of the echo between nodes, and those within one; of a run on one node all, and none."""
    between = cells(sections, "echo", "half_round_trip", between_nodes)
    if not between:
        return largest(cells(sections, "echo", "half_round_trip")), []
    return largest(between), largest(cells(sections, "echo", "half_round_trip", within_a_node))


def _plain(cell: ReportedFigure) -> bool:
    return cell.params.get("cache") in (None, "same")


def within_a_node(case: Parameters) -> bool:
    """Whether a case's two ranks are known to be on one node of a real machine."""
    return case.get("placement") in WITHIN_A_NODE


def between_nodes(case: Parameters) -> bool:
    """Whether a case's two ranks are known to be on different nodes of a real machine."""
    return case.get("placement") is not None and not within_a_node(case)


def words(found: Sequence[ReportedFigure]) -> str:
    """What all of these cells are of: "placement same node, ranks 2"; empty where that is nothing."""
    if not found:
        return ""
    shared = found[0].params.without((*OF_LENGTH, "cache"))
    return ", ".join(f"{key} {value}" for key, value in shared.items() if value not in (None, 0, ""))
