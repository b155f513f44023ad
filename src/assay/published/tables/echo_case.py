"""Which of a run's echoes is shown in a paper's table, whose machines had one rank per node and one way between two."""

from __future__ import annotations

from assay.document.params import WITHIN_A_NODE, Parameters
from assay.document.run_document import Document


def echo_case(document: Document) -> tuple[Parameters, str]:
    """The parameters that choose it among those of a run, and a sentence on what was chosen of several, if any.

    The fewest ranks per node; one hop where there is one, else the nearest rank of another node, else the nearest.
    """
    cases = [
        figure.params
        for section in document.benchmarks
        if section.benchmark == "echo"
        for figure in section.figures
        if figure.name == "half_round_trip" and figure.statistic == "median"
    ]
    chosen: dict[str, object] = {}
    words = []
    per_node = sorted({case["ppn"] for case in cases if case.get("ppn") is not None})
    if per_node:
        chosen["ppn"] = per_node[0]
        cases = [case for case in cases if case.get("ppn") == per_node[0]]
    if len(per_node) > 1:
        words.append(f"{per_node[0]} per node (of {' and '.join(map(str, per_node))})")
    ways = {(case.get("hops"), case.get("placement")): None for case in cases}
    if len(ways) > 1:
        between = [way for way in ways if way[1] not in WITHIN_A_NODE] or list(ways)
        hops, near = next((way for way in between if way[0] == 1), None) or min(between, key=lambda way: way[0] or 0)
        chosen |= {"hops": hops, "placement": near}
        away = "" if hops is None else ", one hop" if hops == 1 else f", {hops} hops"
        words.append((near or "other node") + away)
    return chosen, f" The echo: {'; '.join(words)}." if words else ""
