"""The smallest networks in which an engine once differed from the model's rules, with the ticks worked out by hand.

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


@pytest.mark.nightly
@pytest.mark.parametrize(
    "topology", [{"topology": "hypercube", "dimension": "1"}, {"topology": "mesh", "extents": "2"}]
)
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
    for engine in ({}, {"engine": "packet"}):
        case.keys = keys | engine
        for program in (twin_cases.twin(), twin_cases.engine()):
            assert twin_cases.play(program, [case], tmp_path).splitlines()[1] == "0 1 12 2"


def test_a_sink_behind_first_in_first_out_buffers_takes_one_packet_at_a_time(tmp_path: Path) -> None:
    """Message 0 sinks at 2, 4, 6 and 8 and stands in the way of 1, in the second place from 5: 2 has none till 8."""
    keys = CROSSBAR | {"switching": "cut-through", "buffers": "fifo", "buffer_packets": "2", "sink_ticks": "2"}
    rows = [(0, 0, 0, 2, 4), (1, 0, 1, 2, 1), (2, 1, 1, 2, 1)]
    agree(keys, rows, [(1, 4), (5, 5), (8, 8)], ("default", "packet"), tmp_path)


def test_such_a_sink_keeps_its_pace_from_one_packet_to_the_next(tmp_path: Path) -> None:
    """The sink takes message 0 at 2 and 5 and message 1 at 8, not 6: 2 has a place at 5, 3 at 8."""
    keys = CROSSBAR | {"switching": "cut-through", "buffers": "fifo", "buffer_packets": "2", "sink_ticks": "3"}
    rows = [(0, 0, 0, 2, 2), (1, 0, 1, 2, 1), (2, 0, 1, 2, 1), (3, 0, 1, 2, 1)]
    agree(keys, rows, [(1, 2), (3, 3), (5, 5), (8, 8)], ("default", "packet"), tmp_path)


def test_a_store_and_forward_sink_waits_for_the_whole_packet(tmp_path: Path) -> None:
    """Message 0 crosses the last link from 4 to 7, sinks from 8 to 11, and only then is there a place for 1."""
    keys = CROSSBAR | {"switching": "store-and-forward", "buffer_packets": "1"}
    agree(keys, [(0, 0, 0, 2, 4), (1, 0, 1, 2, 4)], [(4, 7), (11, 14)], ("default", "packet"), tmp_path)


def test_packets_keep_their_order_in_a_buffer_when_several_are_granted_channels_at_once(tmp_path: Path) -> None:
    """Message 10 stands behind 7 in the first router and goes on when 7 has; the link it wants is free before."""
    keys = {"topology": "mesh", "extents": "4", "switching": "cut-through", "buffers": "fifo", "buffer_packets": "2"}
    keys |= {"channels": "2", "injection_channels": "2", "credit_ticks": "2", "flit_ticks": "3"}
    rows = [(1, 2, 1, 3, 1), (0, 4, 3, 3, 8), (3, 19, 0, 3, 2), (5, 20, 1, 2, 4), (6, 21, 1, 3, 1), (7, 24, 0, 3, 3)]
    rows += [(8, 25, 2, 3, 2), (9, 26, 1, 3, 1), (10, 28, 0, 2, 1)]
    expected = [(29, 29), (5, 26), (38, 41), (22, 31), (53, 53), (44, 50), (32, 35), (56, 56), (46, 46)]
    agree(keys, rows, expected, ("default", "packet"), tmp_path)


def test_a_slot_is_free_when_the_tail_is_in_the_output_queue_and_a_place_when_it_goes_on(tmp_path: Path) -> None:
    """One slot, one place: 0 is on the last link from 1 to 5. 1 has the place from 4, its tail is in the queue at 7.

    Only then does 2, of the same source, cross the first link (7 to 10). The queue's place is free when 1's tail goes
    on at 9, and 2 takes it then: 10 is the first tick in which the last link is free.
    """
    keys = CROSSBAR | {"switching": "cut-through", "buffers": "output", "output_packets": "1", "buffer_packets": "1"}
    rows = [(0, 0, 0, 2, 5), (1, 3, 1, 2, 4), (2, 3, 1, 2, 4)]
    agree(keys, rows, [(1, 5), (6, 9), (10, 13)], ("default", "packet"), tmp_path)


@pytest.mark.parametrize("switching", ["wormhole", "circuit", "cut-through", "store-and-forward"])
def test_a_message_before_a_dead_link_is_unroutable_and_in_nobodys_way(switching: str, tmp_path: Path) -> None:
    """Nodes 0, 1, 2 in a row, 1 and 2 cut apart: 0 to 2 is never sent, and 0 and 1 go on as if it had never been."""
    keys = {"topology": "mesh", "extents": "3", "switching": switching, "failed_links": "1 2"}
    rows = [(0, 0, 0, 2, 1), (1, 0, 0, 1, 1), (2, 0, 1, 2, 1), (3, 9, 1, 0, 1)]
    tail = 8 if switching == "circuit" else 2  # in at 3, acknowledged at 6, the flit over the third link at 8
    engines = {"wormhole": ("default", "worm", "flit"), "circuit": ("default", "worm")}
    names = engines.get(switching, ("default", "packet"))
    agree(keys, rows, [(-1, -1), (2, tail), (-1, -1), (11, 9 + tail)], names, tmp_path)
