"""Launches that lie apart for another cause (which pages a launch was given) are not called disturbed by as much.

Readings and accounts are made: a case at the edge of a cache has two levels, by launch; competitors mark whole launches
or parts of them. The accounts allow one competitor of a reading here: twice its time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence

import pytest

from assay.analysis.disturbance import BETWEEN, State, Verdict, judge
from assay.document.reported_figure import Moved, ReportedFigure
from assay.report.derive.states import words
from made_documents import bare
from simulated_accounts import Known
from test_analysis_disturbance import late, quiet_run

FAST, SLOW = 1.0, 4.5  # the two levels that pages bring, as seen at 1.5 to 2 MiB


def edge(
    levels: Sequence[float], marked: Collection[int], half: Collection[int] = (), longer: float = 1.0, seed: int = 0
) -> Verdict:
    """The verdict of a case with these levels by launch; a competitor is there all of some launches, half of others.

    What it states holds of the same readings without the competitor.
    """
    known = Known()
    for block in quiet_run(seed, launches=len(levels)):
        calm = block.values * (levels[block.launch] if block.case == 0 else 1.0)
        there = block.launch in marked or (block.launch in half and late(block))
        accounting = block.accounting | ({"others": block.wall} if there else {})
        values = calm * longer if there and block.case == 0 else calm
        known.blocks.append(dataclasses.replace(block, values=values, accounting=accounting))
        known.undisturbed.append(calm)
    found = judge(known.blocks, 2)
    assert known.covered(0, found)
    return found.cases["time", 0]


def most(verdict: Verdict) -> float:
    assert verdict.disturbance is not None
    return verdict.disturbance.most


@pytest.mark.parametrize("seed", range(5))
def test_a_level_that_unmarked_launches_reach_too_is_no_disturbance(seed: int) -> None:
    """Four unmarked launches show both levels: of the two marked ones the accounts alone speak."""
    found = edge([FAST, SLOW, FAST, SLOW, SLOW, SLOW], {4, 5}, seed=seed)
    assert found.marked == 10 and BETWEEN not in found.reasons
    assert most(found) <= 1.05  # one competitor; down to the lowest launch it would be 350%


@pytest.mark.parametrize("seed", range(5))
def test_blocks_of_the_same_launch_say_how_long_the_competitor_makes_them(seed: int) -> None:
    """Marked and unmarked blocks of the first launch are alike: the marked launch is apart for another cause."""
    found = edge([FAST, SLOW, SLOW], {1, 2}, half={0}, seed=seed)
    assert BETWEEN not in found.reasons and most(found) <= 1.05


@pytest.mark.parametrize("seed", range(5))
def test_a_competitor_that_does_more_than_accounts_allow_is_stated_in_full(seed: int) -> None:
    """In the launch with both kinds of blocks the marked ones take 4.5 times as long: so can those of the others."""
    found = edge([FAST, FAST, FAST], {1, 2}, half={0}, longer=SLOW, seed=seed)
    assert BETWEEN not in found.reasons and found.state in (State.DISTURBED, State.BOUND) and most(found) > 2


@pytest.mark.parametrize("longer", [2.3, 14.0])
@pytest.mark.parametrize("sense", [1, -1])
def test_a_bound_is_not_refuted_by_the_case_s_own_readings(longer: float, sense: int) -> None:
    """All blocks are marked, the accounts allow twice the time; two launches take longer than that beside the third.

    Within what a value may be off by to stand, what is stated reaches to that launch; beyond, its best reading bounds.
    """
    levels = [FAST, longer, longer]
    known = [
        dataclasses.replace(block, accounting=block.accounting | {"others": block.wall}, sense=sense,
                            values=(block.values * levels[block.launch]) ** sense)
        for block in quiet_run(launches=3)
    ]  # fmt: skip
    for (_, case), found in judge(known, 2).cases.items():
        if longer > 2.5:
            assert found.state is State.BOUND
            continue
        of = [block for block in known if block.case == case]
        times = [sorted(time for b in of if b.launch == launch for time in b.times) for launch in range(3)]
        value = sorted(each[len(each) // 2] for each in times)[1]
        assert found.state is State.DISTURBED and found.disturbance is not None
        moved = found.disturbance.high if sense > 0 else 1 / (1 + found.disturbance.low) - 1
        assert moved >= 0.99 * (value / min(map(min, times)) - 1)


def test_where_only_launches_can_be_compared_it_is_said() -> None:
    """Unmarked launches are fast, marked ones slow: it may be the competitor, and is not known to be."""
    found = edge([FAST, SLOW, SLOW], {1, 2})
    assert BETWEEN in found.reasons and found.disturbance is not None and found.state is not State.CLEAN
    assert found.disturbance.low <= FAST / SLOW - 1 + 0.1  # the unmarked launch stands, the others are 4.5 times it
    text = words(shown("disturbed", found))
    assert text.startswith("disturbed by at most") and text.endswith(", as launches differ")
    assert not words(shown("disturbed", dataclasses.replace(found, reasons=("others",)))).endswith("differ")


def shown(state: str, verdict: Verdict) -> ReportedFigure:
    assert verdict.disturbance is not None
    moved = Moved(verdict.disturbance.low, verdict.disturbance.high)
    return bare("latency", "time", 1.0, "s", {}, state=state, reasons=list(verdict.reasons), disturbance=moved)
