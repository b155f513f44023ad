"""Main figures whose launches lie far apart, and those far ahead of every earlier run: lines on the first screen."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from assay.analysis.disturbance import Estimator, State, Verdict
from assay.analysis.figures import CaseSamples, figures
from assay.benchmark.record import benchmark
from assay.case import Case
from assay.document.json_form import from_json, to_json
from assay.document.run_document import Document
from assay.document.section import Section
from assay.report.derive.case_verdicts import Judged, Reason
from assay.report.derive.causes import causes
from assay.report.judge import launch_modes
from assay.report.judge.history import EarlierLine, EarlierRun
from assay.report.judge.verdict import verdict
from assay.report.render import summary
from made_documents import Json, document, figure, headline, section


def _part(title: str, value: float, unit: str = "s", **more: Any) -> Section:
    made = headline(title, value, unit, better="lower" if unit == "s" else "higher") | more
    return section("echo", [made], part="messages", headlines=[made], title="Echo")


def _texts(run: Document, *before: EarlierRun) -> list[str]:
    return [each.text for each in verdict(run, None, before).findings]


def test_two_modes_of_launches_are_said_with_how_many_launches_each_has() -> None:
    """128 ns in one launch and 550 ns in two: the median is of either by chance. 550 / 128 = 4.3."""
    times = [[0, 128e-9], [1, 550e-9], [2, 551e-9]]
    (text,) = _texts(document(_part("8 bytes", 550e-9, by_launch=times)))
    assert text == "8 bytes: launches differ by a factor of 4.3: 128 ns in 1, 550 ns to 551 ns in 2"
    run = document(_part("8 bytes", 128e-9, state="bound", best_by_launch=times))
    assert "differ by a factor of 4.3 by the best reading of each: 128 ns in 1" in _texts(run)[0]
    shown = " ".join(" ".join(summary.terminal(run)).split())
    assert "Limits and anomalies - 8 bytes: launches differ by a factor of 4.3" in shown
    assert _texts(document(_part("8 bytes", 1e-7, by_launch=[[0, 1e-7], [1, 1.9e-7]]))) == []


@pytest.mark.parametrize(("low", "said"), [(-0.6, False), (-0.4, True)])
def test_what_disturbance_may_have_set_apart_is_not_said_again(low: float, said: bool) -> None:
    """4.8 times apart: of it 1 / (1 - 0.6) = 2.5 may be others' work, which leaves less than twice."""
    rates = [[0, 1e9], [1, 4.8e9], [2, 1.1e9]]
    moved = {"state": "disturbed", "disturbance": {"low": low, "high": 0.0}}
    found = _texts(document(_part("rate", 1e9, "B/s", by_launch=rates, **moved)))
    assert any("differ by a factor of 4.8: 1 GB/s to 1.1 GB/s in 2, 4.8 GB/s in 1" in text for text in found) is said


def test_launches_without_a_gap_are_a_range() -> None:
    assert launch_modes.modes([1.0, 2.0, 4.0, 8.0], "s") == "from 1 s to 8 s"
    assert launch_modes.modes([1.0, 1.1, 8.0], "s") == "1 s to 1.1 s in 2, 8 s in 1"


def test_a_bound_keeps_the_best_reading_of_each_launch() -> None:
    """Against the least of each launch's own numbers, and of a rate the greatest: bytes over the least time."""
    times = {("here", 0): np.array([3e-6, 1e-6, 2e-6]), ("here", 1): np.array([5e-6, 4e-6])}
    cell = CaseSamples("round_trip", Case({"bytes": 8, "ranks": 2}), times, [], 1)
    bound = Verdict(State.BOUND, Estimator.BEST, None)
    key = ("round_trip", cell.case)
    found = {each.name: each for each in figures(benchmark("echo"), [cell], {key: bound}) if each.statistic == "best"}
    assert found["half_round_trip"].best_by_launch == [[0, pytest.approx(0.5e-6)], [1, pytest.approx(2e-6)]]
    assert found["rate"].best_by_launch == [[0, pytest.approx(8 / 0.5e-6)], [1, pytest.approx(8 / 2e-6)]]


@pytest.mark.parametrize(
    ("value", "state", "said"), [(33e-9, "bound", True), (33e-9, "clean", True), (90e-9, "clean", False)]
)
def test_what_is_far_faster_than_every_earlier_run_is_said(value: float, state: str, said: bool) -> None:
    """170 / 33 = 5.2 times; less than twice the best one before is no news."""
    run = document(_part("barrier", value, state=state))
    line = to_json(verdict(run))["lines"][0]
    times = {"r0": 226e-9, "r1": 170e-9, "r2": 216e-9}
    before = [EarlierRun(name, [from_json(EarlierLine, {**line, "value": of})]) for name, of in times.items()]
    found = [text for text in _texts(run, *before) if "far faster" in text]
    assert bool(found) is said
    if said:
        assert re.search(r"all of 3 or more earlier runs here: barrier \(5\.2 times, best before 170 ns\)", found[0])
    assert not any("far faster" in text for text in _texts(run, before[0]))


def test_a_cause_names_how_far_an_estimate_was_moved_though_a_best_reading_stands_beside_it() -> None:
    """That it is not known stood beside a table that said "disturbed by at most 50%" of the same figure."""
    moved = {"state": "disturbed", "disturbance": {"low": -0.5, "high": 0.0}}
    both: list[Json] = [figure("frequency", 4e9, "Hz") | moved, figure("frequency", 4.3e9, "Hz", "best")]
    both[1] |= {"state": "disturbed"}
    only = figure("width", 4.0, "1", "best") | {"metric": "frequency", "state": "disturbed"}
    reason = Reason("others", "others worked", (0,), 1.0)
    (cause,) = causes([(section("clock", [*both, only]), Judged(touched=[(reason, [("frequency", Case())])]))])
    assert [(each.figure, each.most) for each in cause.figures] == [("width", None), ("frequency", 0.5)]
