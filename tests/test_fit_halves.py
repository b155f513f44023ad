"""The rule by which cells of a run are fitted or held out."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from assay.case import Case
from assay.document.reported_figure import ReportedFigure
from assay.fitting.halves import fitted


def cell(size: int, state: str = "clean", benchmark: str = "echo", **params: int) -> ReportedFigure:
    return ReportedFigure(
        benchmark=benchmark, name="half_round_trip", value=1e-6, unit="s", statistic="median", state=state,
        params=Case({"bytes": size, **params}), reasons=[], by_launch=[],
    )  # fmt: skip


def test_every_second_length_and_both_ends() -> None:
    assert fitted([cell(size) for size in (0, 8, 64, 512, 4096)]) == [True, False, True, False, True]
    assert fitted([cell(size) for size in (0, 8, 64, 512)]) == [True, False, True, True]
    assert fitted([cell(8)]) == [True]
    assert fitted([]) == []


@given(st.sets(st.integers(0, 10**7), min_size=1, max_size=40), st.randoms())
def test_neither_order_nor_state_nor_other_families_matter(sizes: set[int], chance: random.Random) -> None:
    ordered = sorted(sizes)
    cells = [cell(size) for size in ordered]
    plain = dict(zip(ordered, fitted(cells), strict=True))
    assert plain[ordered[0]] and plain[ordered[-1]]
    assert len(sizes) / 2 <= sum(plain.values()) <= len(sizes) / 2 + 1
    changed = [replace(each, state=chance.choice(["clean", "disturbed", "bound", "invalid"])) for each in cells]
    mixed = [*changed, *(cell(size + 1, hops=2) for size in ordered), *(cell(5, benchmark="self") for _ in range(3))]
    chance.shuffle(mixed)
    own = [
        (each, kept) for each, kept in zip(mixed, fitted(mixed), strict=True)
        if each.benchmark == "echo" and "hops" not in each.params
    ]  # fmt: skip
    assert {each.params["bytes"]: kept for each, kept in own} == plain
