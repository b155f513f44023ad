"""What our threads waited for a processor marks the blocks in which they did, and no others."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.analysis.disturbance import AccountedBlock, State, judge

SHORT = 0.006  # s: less than a clock tick


def run(waited: list[float], threads: int = 1, slower: float = 1.0) -> list[AccountedBlock]:
    """Blocks of a case, each of whose threads waited for such shares of the time; where they did, times are longer."""
    rng = np.random.default_rng(1)
    made = []
    for block, share in enumerate(waited):
        values = 1e-4 * np.exp(0.005 * rng.standard_normal(60)) * (slower if share else 1.0)
        accounting = {"wall": SHORT, "own": SHORT * threads, "others": 0.0, "steal": 0.0, "involuntary": 0.0}
        t0 = 0.01 * block
        made.append(
            AccountedBlock(
                "time", "only", 0, block, 1, values, {**accounting, "waited": share * SHORT}, t0, t0 + SHORT,
                threads=threads,
            )
        )  # fmt: skip
    return made


@given(st.lists(st.sampled_from([0.0, 0.02, 0.3, 1.2]), min_size=5, max_size=20))
def test_the_blocks_in_which_threads_waited_are_marked(waited: list[float]) -> None:
    assert judge(run(waited), 2).marked == tuple(i for i, share in enumerate(waited) if share > 0.05)


def test_a_process_in_our_place_is_seen_in_blocks_shorter_than_a_tick() -> None:
    verdict = judge(run([1.0] * 6, threads=2, slower=10.0), 2)
    assert verdict.state is State.BOUND
    [warning] = verdict.warnings
    assert warning == "our threads waited for a processor up to 100% of the time, all together, all the while"


def test_the_median_of_the_blocks_without_stays() -> None:
    """Nine of twenty blocks are ten times as long, by all that their threads waited: the others give the figure."""
    verdict = judge(run([0.9] * 9 + [0.0] * 11, slower=10.0), 2)
    [case] = verdict.cases.values()
    assert case.marked == 9
    assert case.disturbance is not None and case.disturbance.most < 0.02


def test_more_threads_than_processors_take_turns_by_themselves() -> None:
    assert judge(run([1.0] * 6, threads=4), 2).marked == ()
    assert judge(run([1.0] * 6), 2, ranks=3).marked == ()


def test_an_account_that_was_not_taken_is_not_judged() -> None:
    blocks = run([1.0] * 6)
    unknown = [AccountedBlock(**{**vars(b), "accounting": {**b.accounting, "waited": None}}) for b in blocks]
    assert judge(blocks, 2).marked and not judge(unknown, 2).marked
