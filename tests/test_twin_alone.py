"""The twin alone: messages that meet nobody, one channel that many want, lanes that keep a ring from deadlock."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import twin_cases


def arrivals(case: twin_cases.Case, folder: Path) -> np.ndarray:
    text = twin_cases.play(twin_cases.twin(), [case], folder)
    return np.array([line.split() for line in text.splitlines()[1:]], np.int64)


@pytest.mark.parametrize("kind", [*twin_cases.KINDS, *twin_cases.LANES])
def test_a_lone_message_takes_a_cycle_a_link_and_a_cycle_a_flit(kind: str, tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    for number in range(5):
        keys, nodes = twin_cases.topology(random, kind)
        keys = {"topology": kind} | keys | {"switching": "wormhole"}
        count = 20
        rows = np.stack(
            [
                np.arange(count),
                10_000 * np.arange(count),
                random.integers(0, nodes, count),
                random.integers(0, nodes, count),
                random.integers(1, 90, count),
            ],
            1,
        )
        found = arrivals(twin_cases.Case(str(number), keys, rows), tmp_path)
        assert (found[:, 3] >= 2).all()
        assert (found[:, 1] == rows[:, 1] + found[:, 3] - 1).all()
        assert (found[:, 2] == found[:, 1] + rows[:, 4] - 1).all()


def test_a_channel_serves_those_of_one_cycle_by_number(tmp_path: Path) -> None:
    """Four elements send to the fifth of a crossbar at once: its channel passes one message after the other, by id."""
    rows = np.array([[40, 0, 0, 4, 6], [10, 0, 1, 4, 6], [30, 0, 2, 4, 6], [20, 0, 3, 4, 6]])
    found = arrivals(twin_cases.Case("c", {"topology": "crossbar", "nodes": "5"}, rows), tmp_path)
    head = dict(zip(found[:, 0].tolist(), found[:, 1].tolist(), strict=True))
    assert [head[i] for i in (10, 20, 30, 40)] == [1, 7, 13, 19]


@pytest.mark.parametrize(("dateline", "stuck"), [("none", True), ("wrap", False)])
def test_datelines_keep_a_ring_from_deadlock(dateline: str, stuck: bool, tmp_path: Path) -> None:
    """Everybody sends half way round at once, in one direction: each worm holds a link that the one behind it wants."""
    rows = np.array([[node, 0, node, (node + 4) % 8, 100] for node in range(8)])
    keys = {"topology": "ring", "nodes": "8", "dateline": dateline, "credit_ticks": "1"}
    found = arrivals(twin_cases.Case("r", keys, rows), tmp_path)
    assert (found[:, 1] < 0).all() == stuck
