"""Fairness: Jain's index by closed form; fair start times by hand and by what is proven of policies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.throughput import fairness, simulated, what_if
from assay.throughput.machine_file import JobMachine
from assay.throughput.workload import Workload
from assay.verbs._throughput_words import fairness_rows
from command_line import assay


def workload(*rows: tuple[int, int, int, int]) -> Workload:
    """Jobs by submission, run, request and processors; each of a user of its own."""
    columns = np.array(rows, dtype=np.int64).T
    count = len(rows)
    return Workload(
        number=np.arange(1, count + 1), submitted=columns[0], runs=columns[1], requested=columns[2],
        processors=columns[3], user=np.arange(count), priority=np.zeros(count),
    )  # fmt: skip


def schedule(policy: str, processors: int, *rows: tuple[int, int, int, int]) -> simulated.Scheduled:
    return what_if.schedule(workload(*rows), JobMachine("m", processors, nodes=processors), policy)


@pytest.mark.parametrize("count", [2, 3, 10])
def test_the_index_is_one_for_equals_and_one_of_n_for_one_who_has_all(count: int) -> None:
    assert fairness.jain([3.5] * count) == pytest.approx(1)
    assert fairness.jain([1.0] + [0.0] * (count - 1)) == pytest.approx(1 / count)


@given(st.lists(st.floats(1, 1e6), min_size=1, max_size=20), st.floats(0.5, 100))
def test_the_index_is_one_over_one_plus_the_squared_variation(values: list[float], scale: float) -> None:
    """Jain, Chiu and Hawe: 1 / (1 + the square of the coefficient of variation); no unit changes it."""
    variation = float(np.std(values) / np.mean(values))
    assert fairness.jain(values) == pytest.approx(1 / (1 + variation**2))
    assert fairness.jain([scale * each for each in values]) == pytest.approx(fairness.jain(values))


def test_users_by_hand() -> None:
    """Two users of one processor, first come first served: 100 s each, the second waits: slowdowns 1, 2."""
    found = schedule("fcfs", 1, (0, 100, 100, 1), (0, 100, 100, 1))
    made = fairness.fairness(found, np.array([1.0, 2.0]))
    assert made is not None and made.of == "user" and made.index == pytest.approx(9 / (2 * 5)) and made.spread == 2
    assert [(group.name, group.mean_wait) for group in made.groups] == [("user 1", 100), ("user 0", 0)]


@pytest.mark.parametrize(("count", "all_named"), [(2, True), (3, True), (6, True), (7, False)])
def test_no_program_is_left_out_of_the_line_unless_it_says_so(count: int, all_named: bool) -> None:
    """As a chart of three programs stands beside it; slowdowns of 1 to `count`."""
    names = [f"{letter}job" for letter in "abcdefg"[:count]]
    waits, slowdowns = np.arange(count), np.arange(1.0, count + 1)
    ((_, words),) = fairness_rows(fairness.of_programs(names, waits, slowdowns))
    named = [f"{name} {at}" in words for at, name in enumerate(names, 1)]
    assert named[0] and named[-1] and all(each == all_named for each in named[1:-1])
    assert (f"the greatest and the least of {count}: " in words) == (not all_named)


def test_a_job_that_a_later_one_passes_at_its_cost() -> None:
    """First fit, two processors: job 2 needs both from 10 on, when job 1 ends; job 3 takes one at 1 and holds it to 31.

    Without job 3 job 2 starts at 10; with it at 31. EASY keeps job 3 back, as it would delay job 2.
    """
    rows = ((0, 10, 10, 1), (0, 5, 5, 2), (1, 30, 30, 1))
    for policy, late, miss in (("firstfit", 1, 21.0), ("easy", 0, 0.0), ("fcfs", 0, 0.0)):
        made = fairness.fairness(schedule(policy, 2, *rows), np.ones(3))
        assert made is not None and made.fair_starts is not None
        starts = made.fair_starts
        assert (starts.jobs, starts.late, starts.longest_miss) == (3, late, miss), policy
        assert starts.mean_miss == pytest.approx(miss / 3) and starts.latest == ("job 2" if late else None)
        assert starts.mean_miss_of_late == (miss if late else None), policy


ROWS = st.lists(st.tuples(st.integers(0, 20), st.integers(1, 9), st.integers(0, 9), st.integers(1, 4)), min_size=1,
                max_size=9)  # fmt: skip


@given(ROWS, st.booleans())
@settings(max_examples=80, deadline=None)
def test_who_is_never_passed(rows: list[tuple[int, int, int, int]], exact: bool) -> None:
    """FCFS starts nobody after its fair start time, whatever is requested; conservative where requests are exact."""
    jobs = [(at, run, run if exact else run + more, wide) for at, run, more, wide in sorted(rows)]
    first = jobs[0][0]
    jobs = [(at - first, *rest) for at, *rest in jobs]  # type: ignore[misc]
    for policy in ("fcfs", *(("conservative",) if exact else ())):
        found = schedule(policy, 4, *jobs)
        assert found.again is not None
        assert fairness.fair_starts(found, found.again).late == 0


TABLE = """
[wide]
processors = 2
time = "10 s"
user = "ann"
[long]
processors = 1
time = "100 s"
user = "<bob>"
"""


def run(folder: Path, *more: str) -> Any:
    (folder / "jobs.toml").write_text(TABLE)
    (folder / "mix").write_text("0: 1 * long\n1: 1 * wide\n2: 1 * long\n")
    (folder / "machine.toml").write_text("[machine]\nnodes = 2\n")
    words = ("throughput", str(folder / "mix"), "--jobs", str(folder / "jobs.toml"), "--on")
    return assay(*words, str(folder / "machine.toml"), "--policy", "firstfit", *more)


def test_it_is_seen_in_the_answer_the_terminal_and_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """wide waits to 102 as the second long passes it, without which it would start at 100; slowdown (101 + 10) / 10."""
    found = run(tmp_path, "--json").document
    fair = found["fairness"]
    slow = [(101 + 10) / 10, 1.0]
    assert [(group["name"], group["bounded_slowdown"]) for group in fair["groups"]] == [("ann", slow[0]), ("<bob>", 1)]
    assert fair["index"] == pytest.approx(sum(slow) ** 2 / (2 * (slow[0] ** 2 + slow[1] ** 2)))
    assert fair["fair_starts"] == {
        "jobs": 3, "late": 1, "mean_miss": pytest.approx(2 / 3), "mean_miss_of_late": 2, "longest_miss": 2,
        "latest": "wide.1",
    }  # fmt: skip
    assert {each["name"]: each["value"] for each in found["figures"]}["fairness"] == fair["index"]
    said = run(tmp_path, "--export", str(tmp_path / "page.html"))
    assert "Jain's index" in said.out and "1 of 3 jobs" in said.out
    assert "mean miss 0.667 s over all jobs, 2 s over the late ones; longest 2 s: wide.1" in " ".join(said.out.split())
    page = (tmp_path / "page.html").read_text()
    assert 'class="fair"' in page and "&lt;bob&gt;" in page and "<bob>" not in page and "Fairness" in page
    monkeypatch.setattr(fairness, "MOST_JOBS", 2)
    assert run(tmp_path, "--json").document["fairness"]["fair_starts_up_to"] == 2
    assert "sought for up to 2 jobs" in run(tmp_path).out
    swept = run(tmp_path, "--json", "--set", "machine.nodes=2,3").document
    assert [point["result"]["fairness"]["fair_starts"] for point in swept["points"]] == [None, None]
