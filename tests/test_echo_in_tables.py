"""Which of a run's echoes stands in the papers' tables: chosen by a rule, and said."""

from __future__ import annotations

from typing import Any

import pytest

from assay.document.run_document import Document
from assay.published.tables import hypercubes
from assay.published.tables.echo_case import echo_case
from made_documents import document, figure, section

Way = tuple[int | None, str | None, int | None]


def made(*ways: Way) -> Document:
    """Echoes of 8 and 8192 bytes for each of these hops, placements and ranks per node: the later the slower."""
    figures = []
    for at, (hops, placement, ppn) in enumerate(ways):
        case: dict[str, Any] = {"hops": hops, "placement": placement} | ({} if ppn is None else {"ppn": ppn})
        figures.append(figure("half_round_trip", (at + 1) * 1e-6, "s", bytes=8, **case))
        figures.append(figure("rate", 1e9 / (at + 1), "B/s", bytes=8192, **case))
    return document(section("echo", figures))


@pytest.mark.parametrize(
    ("ways", "time", "words"),
    [
        ([(None, None, 2), (None, None, 1)], "2 µs", "The echo: 1 per node (of 1 and 2)."),
        ([(None, None, 2)], "1 µs", None),
        ([(None, "same node", 4), (None, "other node", 4)], "2 µs", "The echo: other node."),
        ([(3, None, None), (2, None, None), (1, None, None)], "3 µs", "The echo: other node, one hop."),
        ([(2, "other node", 2), (0, "same node", 2), (0, "other node", 2), (0, None, 1)], "4 µs", "1 per node (of 1"),
        ([(2, "other node", 2), (0, "same node", 2), (0, "other node", 2)], "3 µs", "other node, 0 hops."),
        ([(1, None, None)], "1 µs", None),
    ],
)
def test_of_several_echoes_one_is_chosen_and_said(ways: list[Way], time: str, words: str | None) -> None:
    table, *of_the_delta = hypercubes.tables(made(*ways))
    assert [each.title.split(",")[0] for each in of_the_delta] == ["DELTA"]
    (row,) = (row for row in table.rows if row[0] == "time 8 B")
    assert row[1] == time
    note = echo_case(made(*ways))[1]
    assert note == "" if words is None else words in note
    assert table.note is not None and table.note.endswith(note or "ratio.")
