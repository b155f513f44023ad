"""The smallest networks in which an engine once differed from SIMULATOR's rules, with the ticks worked out by hand.

Rows are (id, cycle, source, destination, flits); expected are head and tail of each: the ticks in which they start to
cross the ejection link.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import twin_cases

CROSSBAR = {"topology": "crossbar", "nodes": "3"}
Rows = list[tuple[int, int, int, int, int]]
Ticks = list[tuple[int, int]]


def arrivals(program: Path, keys: dict[str, str], rows: Rows, folder: Path) -> Ticks:
    case = twin_cases.Case("smallest", keys, np.array(rows))
    lines = twin_cases.play(program, [case], folder).splitlines()[1:]
    return [(int(line.split()[1]), int(line.split()[2])) for line in lines]


def agree(keys: dict[str, str], rows: Rows, expected: Ticks, engines: tuple[str, ...], folder: Path) -> None:
    assert arrivals(twin_cases.twin(), keys, rows, folder) == expected, "the twin"
    for name in engines:
        own = keys if name == "default" else keys | {"engine": name}
        assert arrivals(twin_cases.engine(), own, rows, folder) == expected, name


@pytest.mark.parametrize("topology", [{"topology": "hypercube", "dimension": "1"}, {"topology": "mesh", "extents": "2"}])
def test_a_slow_sink_holds_back_the_tail_in_a_unit_cube_too(topology: dict[str, str], tmp_path: Path) -> None:
    """The head crosses three links; the sink takes flits at 3, 6 and 9, and the tail crosses when the second is in."""
    keys = topology | {"sink_ticks": "3"}
    agree(keys, [(0, 0, 0, 1, 3)], [(2, 6)], ("default", "worm", "flit"), tmp_path)


@pytest.mark.parametrize("switching", ["cut-through", "store-and-forward"])
def test_a_message_of_one_flit_is_its_own_tail(switching: str, tmp_path: Path) -> None:
    keys = CROSSBAR | {"switching": switching, "head_ticks": "1", "body_ticks": "2"}
    agree(keys, [(0, 0, 0, 2, 1)], [(1, 1)], ("default", "packet"), tmp_path)


def test_the_second_flit_may_be_what_a_fast_head_leaves_behind(tmp_path: Path) -> None:
    """Head 1 and body 9: the head crosses at 0, 1; the body at 1, 2 and, nine later, at 10, 12 on a slower link."""
    keys = CROSSBAR | {"switching": "cut-through", "head_ticks": "1", "body_ticks": "9"}
    case = twin_cases.Case("second", keys, np.array([(0, 0, 0, 2, 3)]), ["ejection 2 flit=2 head=1 body=9 credit=0"])
    for keys in (keys, keys | {"engine": "packet"}):
        case.keys = keys
        for program in (twin_cases.twin(), twin_cases.engine()):
            assert twin_cases.play(program, [case], tmp_path).splitlines()[1] == "0 1 12 2"
