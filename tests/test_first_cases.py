"""What a run of a benchmark without main figures opens with: what its record names first, at one length."""

from __future__ import annotations

from typing import Any

import pytest

from assay.report import bounds, reached
from made_documents import document, figure, headline, section

PATTERNS = ("neighbour-2d", "broadcast", "pingpong", "transposition")  # by no order of anybody's


def titles(name: str, figures: list[dict[str, Any]], **more: Any) -> list[tuple[str, float | None]]:
    made = document(section(name, figures, part="messages", title=name, **more))
    return [(line.title, line.value) for line in reached.lines(made, [])]


def test_patterns_come_in_the_papers_order_at_their_longest_length_without_what_was_counted() -> None:
    derived: dict[str, dict[str, Any]] = {"neighbour-2d": {"crossed": 4}, "transposition": {"matrix": 64800}}
    figures = [
        figure("rate", 1e6 * length * (1 + at), "B/s", pattern=name, bytes=length, ranks=8, **derived.get(name, {}))
        for length in (1024, 65536)
        for at, name in enumerate(PATTERNS)
    ]
    expected = [("pingpong", 3), ("broadcast", 2), ("transposition", 4), ("neighbour-2d", 1)]
    assert titles("patterns", figures) == [(f"{name}, 64 KiB", 1e6 * 65536 * of) for name, of in expected]
    assert titles("patterns", figures[:4]) == [(name, 1e6 * 1024 * of) for name, of in expected]


def test_a_time_is_that_of_the_shortest_length_and_a_librarys_come_first() -> None:
    """Bounds only, so that no choice of the library is judged."""
    figures = [
        figure("time", 1e-6 * length * (1 + at), "s", "best", operation=operation, algorithm=way, bytes=length, ranks=4)
        | {"estimator": "best", "state": "bound"}
        for length in (1024, 8)
        for operation in ("scan", "allreduce")
        for at, way in enumerate(("binomial", "library"))
    ]
    wanted = {"figure": "time", "across": "algorithm", "own": "library"}
    assert titles("collective", figures, choice=wanted) == [
        ("allreduce, 8 B: library", 16e-6),
        ("scan, 8 B: library", 16e-6),
    ]


def test_what_is_neither_a_rate_nor_a_time_is_named() -> None:
    """A gap, an overlap: beside a length alone nobody could tell what 50% is."""
    shares = [figure("overlap", 0.5, "1", bytes=length) for length in (8, 16)]
    assert [title for title, _ in titles("overlap", shares)] == ["overlap, bytes 8 B", "overlap, bytes 16 B"]


@pytest.mark.parametrize(("value", "share"), [(5e8, 0.5), (1e9, 1.0), (1.02e9, 1.0), (1.2e9, 1.2)])
def test_a_pair_in_random_pairings_is_beside_one_alone_of_the_same_case(value: float, share: float) -> None:
    """By no more than a measured clock is off, it may be as fast."""
    about: dict[str, Any] = {"bytes": 1024, "ranks": 8}
    main = headline("pair", value, "B/s", bound="pair_alone", better="higher") | {"params": about}
    alone = [figure("alone", rate, "B/s", bytes=length, ranks=8) for length, rate in ((1024, 1e9), (8, 9e9))]
    made = document(section("bisection", alone, headlines=[main], part="messages"))
    found = bounds.share(made.benchmarks[0].headlines[0], made)
    assert found is not None and found.share == pytest.approx(share)
