"""A run beside a published machine: own cases that are the published ones, and their ratios."""

from __future__ import annotations

import pytest

from assay.document.comparison import PublishedRow
from assay.document.run_document import Document
from assay.document.section import Section
from assay.published.tables.ratios import against_machine
from assay.report.render.comparison_tables import ratio_text, table_of_machine
from made_documents import document, figure, section


def threads_of(*counts: int) -> Document:
    """Barriers and locks as a run has them, in no useful order."""
    barriers = [
        figure("time", 1e-9 * threads * place, "s", kind=kind, threads=threads)
        for threads in counts
        for place, kind in enumerate(("openmp", "dissemination", "central"), 1)
    ]
    locks = [
        figure("time", 1e-9 * threads * place, "s", kind=kind, sharing=sharing, threads=threads)
        for threads in counts
        for place, (kind, sharing) in enumerate((("openmp", "own"), ("mutex", "own"), ("mutex", "one")), 1)
    ]
    return document(published("thread-barrier", barriers), published("lock", locks))


def published(name: str, figures: list[dict[str, object]]) -> Section:
    from assay.benchmark.record import benchmarks

    return section(name, figures, published=list(benchmarks()[name].published))


def own(rows: list[PublishedRow]) -> dict[tuple[str, object], dict[str, object]]:
    return {(row.benchmark, row.b.params.get("cpus")): row.params for row in rows}


def test_a_published_count_of_processors_stands_beside_as_many_threads_and_the_same_operation() -> None:
    rows, lacking = against_machine(threads_of(1, 2, 3), "ksr")
    assert own(rows) == {
        ("thread-barrier", 1): {"kind": "central", "threads": 1},
        ("thread-barrier", 3): {"kind": "central", "threads": 3},
        ("lock", 1): {"kind": "mutex", "sharing": "one", "threads": 1},
        ("lock", 3): {"kind": "mutex", "sharing": "one", "threads": 3},
    }
    assert lacking == []
    (barrier,) = [row for row in rows if row.benchmark == "thread-barrier" and row.b.params["cpus"] == 3]
    assert barrier.a.value == pytest.approx(9e-9) and barrier.ratio == pytest.approx(119e-6 / 9e-9)


def test_where_the_run_has_no_such_case_there_is_no_row_and_the_table_says_so() -> None:
    rows, lacking = against_machine(threads_of(2, 1), "ksr")
    assert {row.b.params["cpus"] for row in rows} == {1} and {row.params["threads"] for row in rows} == {1}
    table = " ".join(table_of_machine(rows, "mine", "ksr", lacking).markdown().split())
    assert "No row for lock time: no case of the run is as published for cpus 3." in table
    assert "own case" in table and "kind mutex, sharing one, threads 1" in table and "published / own" in table


def test_a_published_rate_without_a_length_stands_beside_no_length() -> None:
    echo = published("echo", [figure("rate", 1e6 * size, "B/s", bytes=size, hops=1) for size in (8, 1024)])
    rows, lacking = against_machine(document(echo), "paragon-mp")
    assert rows == [] and any("OSF" in text for text in lacking)
    rows, _ = against_machine(document(echo), "ipsc860")
    assert {(row.params["bytes"], row.b.params["message_B"], row.b.params["hops"]) for row in rows} == {
        (8, 8, 1),
        (1024, 1024, 1),
    }


def test_an_own_figure_that_is_not_clean_says_so_and_an_invalid_one_has_no_row() -> None:
    figures = [
        figure("time", 1e-9, "s", kind="central", threads=1) | {"state": "disturbed"},
        figure("time", 3e-9, "s", kind="central", threads=3) | {"state": "invalid"},
    ]
    rows, lacking = against_machine(document(published("thread-barrier", figures)), "ksr")
    table = table_of_machine(rows, "mine", "ksr", lacking).markdown()
    assert [row.params["threads"] for row in rows] == [1] and "1 ns *" in table and "*: disturbed" in table


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(1.0034, "1.003"), (0.973, "0.973"), (0.000418, "0.000418"), (0.0312, "0.0312"), (510_512.0, "511,000")],
)
def test_a_small_ratio_keeps_its_digits(ratio: float, text: str) -> None:
    assert ratio_text(ratio) == text
