"""Files on a described machine of which something failed, with copies and without, and files on a part of the I/O
nodes: against closed forms of who does how much.
"""

from __future__ import annotations

from typing import Any

import pytest

from test_storage_machine import STRIPE, machine, message, time

ACCESS = 10e-3 + STRIPE * 1e-6  # of a disk, for a stripe
LONG = {"bytes": 96 * STRIPE, "section": 96 * STRIPE}  # 24 stripes on each of four I/O nodes


def took(direction: str = "read", **storage: Any) -> float:
    return time(machine(outstanding=64, **storage), 1, direction=direction, **LONG)


@pytest.mark.parametrize(("failed", "accesses"), [
    ({}, 24), ({"failed": 2}, 48), ({"failed_disk": [2, 0]}, 48), ({"failed_link": 2}, 24),
])  # fmt: skip
@pytest.mark.parametrize("direction", ["read", "write"])
def test_a_neighbour_does_what_failed(failed: dict[str, Any], accesses: int, direction: str) -> None:
    """Disks are the bound: the neighbour's has twice the work, unless it reaches those of the one that is cut off."""
    assert took(direction, **failed) == pytest.approx(accesses * ACCESS, rel=0.1)


@pytest.mark.parametrize(("failed", "requests"), [
    ({}, 24), ({"failed": 2}, 48), ({"failed_link": 2}, 48), ({"failed_disk": [2, 0]}, 48),
])  # fmt: skip
def test_a_neighbour_s_processor_does_it_too(failed: dict[str, Any], requests: int) -> None:
    """Processors are the bound."""
    found = took(request="20 ms", device={"per_byte": "1 ps/B"}, **failed)
    assert found == pytest.approx(requests * 20e-3, rel=0.1)


def test_what_a_disk_s_node_passes_on_costs_it_a_request_and_a_message() -> None:
    """One stripe at a time: those of the failed disk take a request and a message more than the others."""
    kept = {"bytes": STRIPE, "section": 16 * STRIPE}
    whole, passed = (time(machine(request="3 ms", **failed), 1, **kept) for failed in ({}, {"failed_disk": [1, 0]}))
    assert passed - whole == pytest.approx(4 * (3e-3 + message(0)), rel=1e-9)


def test_one_of_several_disks_fails_alone() -> None:
    """Two disks on each I/O node: half of the stripes of one go to the neighbour, whose disk has half as much more."""
    assert took(disks=2) == pytest.approx(12 * ACCESS, rel=0.15)
    assert took(disks=2, failed_disk=[0, 1]) == pytest.approx(24 * ACCESS, rel=0.1)
    assert took(disks=2, failed_link=0) == pytest.approx(12 * ACCESS, rel=0.15)


@pytest.mark.parametrize("io_nodes", [4, 7])
@pytest.mark.parametrize("failed", ["failed", "failed_link"])
def test_with_copies_all_others_share_the_reads(failed: str, io_nodes: int) -> None:
    """Chained declustering: n / (n - 1) of the work for each, where without copies one has twice as much. A file of as
    many runs on each I/O node as are shared out.
    """
    stripes = 4 * (io_nodes - 1) * io_nodes * 2
    on = machine(io_nodes=io_nodes, outstanding=256, copies=2, **{failed: 1})
    found = time(on, 1, bytes=stripes * STRIPE, section=stripes * STRIPE)
    assert found == pytest.approx(stripes / (io_nodes - 1) * ACCESS, rel=0.05)


def test_readers_side_by_side_share_at_once_what_is_left() -> None:
    """Ten readers in step, a few stripes under way each: no neighbour is asked by all at the same time."""
    kept = {"bytes": 8 * STRIPE, "section": 96 * STRIPE}
    whole, left = (
        time(machine(io_nodes=4, outstanding=8, copies=2, **each), 10, **kept) for each in ({}, {"failed": 1})
    )
    assert left == pytest.approx(whole * 4 / 3, rel=0.1)


def test_copies_are_written_twice_and_read_once() -> None:
    assert took("write", copies=2) == pytest.approx(48 * ACCESS, rel=0.1)
    assert took("write", copies=2, failed=1) == pytest.approx(48 * ACCESS, rel=0.1)  # 1's neighbours keep two halves
    assert took("read", copies=2) == pytest.approx(24 * ACCESS, rel=0.1)
    assert took("read", copies=2, failed_disk=[1, 0]) == pytest.approx(48 * ACCESS, rel=0.1)


@pytest.mark.parametrize("declustering", [1, 2, 4])
def test_a_file_lies_on_some_io_nodes_and_the_next_on_the_next(declustering: int) -> None:
    """One reader gets the disks of its file alone; four readers all of them, whatever a file lies on."""
    kept = {"bytes": 32 * STRIPE, "section": 32 * STRIPE}
    more = {"declustering": declustering} if declustering < 4 else {}
    alone = time(machine(outstanding=64, **more), 1, **kept)
    assert alone == pytest.approx(32 / declustering * ACCESS, rel=0.1)
    assert time(machine(outstanding=64, **more), 4, **kept) == pytest.approx(32 * ACCESS, rel=0.1)


@pytest.mark.parametrize("layout", ["own", "records"])
@pytest.mark.parametrize("storage", [
    {"copies": 2}, {"copies": 2, "failed": 1}, {"copies": 2, "failed_disk": [3, 1], "disks": 2}, {"failed_link": 3},
    {"failed_disk": [0, 1], "disks": 2}, {"declustering": 3}, {"declustering": 2, "copies": 2, "failed": 0},
])  # fmt: skip
def test_what_is_written_is_read_whatever_failed(layout: str, storage: dict[str, Any]) -> None:
    """The program compares every byte of a pattern; calls cross the stripes' edges."""
    cache = {"size": "64 KiB", "write_behind": True, "read_ahead": "32 KiB"}
    time(machine(cache=cache, **storage), 3, bytes=10000, section=50000, layout=layout, direction="write")
    time(machine(cache=cache, **storage), 3, bytes=10000, section=50000, layout=layout, preallocate="no")
