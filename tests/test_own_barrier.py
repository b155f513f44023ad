"""Barriers that a machine makes of its own messages: as many one after the other as their algorithm has."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.described.machine_file import DescribedMachine
from assay.published.cells.answers import Played
from started import play

STEP = 10e-6  # s: one-way time between any two nodes, whose processors take nothing else
ALGORITHMS = ("messages", "dissemination", "tree", "tree-exchange", "linear")


def machine(algorithm: str, nodes: int = 64) -> dict[str, Any]:
    network = {"topology": "crossbar", "nodes": nodes, "cycle": "1 ns", "flit_ticks": 1, "head_ticks": 1}
    given = {"name": "m", "network": network, "protocol": [{"startup": "7 us", "receive": "3 us"}]}
    return DescribedMachine.model_validate({**given, "barrier": {"algorithm": algorithm}}).for_core()


def lasts(algorithm: str, ranks: int) -> float:
    words = ["--set", "algorithm=library", "--set", f"ranks={ranks}"]
    lines = play("barrier", machine(algorithm), ranks, words).splitlines()
    events = [json.loads(line) for line in lines]
    assert [event["passed"] for event in events if event["event"] == "check"] == [True]
    (block,) = (event for event in events if event["event"] == "block")
    return float(block["values"][0])


@settings(max_examples=30, deadline=None)
@given(ranks=st.integers(2, 64), algorithm=st.sampled_from(ALGORITHMS))
def test_nobody_leaves_before_the_last_has_come_and_messages_follow_each_other(ranks: int, algorithm: str) -> None:
    """The check of the benchmark has one rank come late. A message's network time, some ns, is left open."""
    rounds = (ranks - 1).bit_length()
    exact = {"messages": rounds, "dissemination": rounds}
    most = {"tree": 2 * rounds, "tree-exchange": 2 * rounds - 1}
    found = lasts(algorithm, ranks) / STEP
    if algorithm in exact:
        assert found == pytest.approx(exact[algorithm], rel=0.01)
    elif algorithm in most:
        assert rounds * 0.99 < found <= most[algorithm] * 1.01
        if ranks == 1 << rounds:
            assert found == pytest.approx(most[algorithm], rel=0.01)
    else:  # rank 0 receives from each and sends to each: 3 and 7 us, and the way there and back
        assert found == pytest.approx(((ranks - 1) * 10 + 10) / 10, rel=0.01)


@pytest.mark.parametrize("nodes", [2, 4, 8, 16, 64])
def test_the_barrier_of_the_ipsc860_takes_two_log_n_less_one_of_its_own_one_way_times(nodes: int) -> None:
    played = Played()
    (one_way,) = played.ask("ipsc860", "echo", "half_round_trip", bytes=(0,), hops=(1,))
    (barrier,) = played.ask("ipsc860", "barrier", "time", ranks=(nodes,), algorithm="library", timing="window")
    assert barrier.value == pytest.approx((2 * (nodes.bit_length() - 1) - 1) * one_way.value, rel=0.01)
