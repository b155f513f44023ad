"""A described rank whose processor is taken by others' messages faster than it computes: an error, not a hang."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.described.machine_file import DescribedMachine
from started import play


def machine(forwarding: str) -> dict[str, Any]:
    """A ring of nine whose nodes forward others' messages, at so much a message and 20 ns a byte."""
    table = {
        "name": "ring",
        "network": {
            "topology": "ring", "nodes": 9, "switching": "store-and-forward", "buffer_packets": 0, "cycle": "10 ns",
            "flit_bytes": 2,
        },
        "protocol": [
            {"up_to": "100 B", "startup": "5 us", "receive": "1.5 us", "copy": "10 ns/B", "buffered": True},
            {"startup": "9 us", "receive": "2.5 us", "packet": "100 B", "packet_startup": "0.7 us"},
        ],
        "progress": {"kind": "calls"},
        "node": {"forwarding": {"startup": forwarding, "per_byte": "20 ns/B"}},
        "compute": {"time": {"turn": "1 ns"}},
    }  # fmt: skip
    return DescribedMachine.model_validate(table).for_core()


def spun(forwarding: str, length: int) -> tuple[float, float]:
    """How much longer the loop of the rank in the middle took, and how many messages went to and fro in a second."""
    found = {}
    for line in play("spin", machine(forwarding), 9, ["--set", f"bytes={length}"]).splitlines():
        event = json.loads(line)
        if event["event"] == "block":
            (found[event["metric"]],) = event["values"]
    return found["slowdown"], found["echoes"]


def test_a_rank_that_forwards_faster_than_it_can_never_ends_its_loop() -> None:
    with pytest.raises(RuntimeError, match=r"rank 1 computes for ever: the messages that it receives or forwards take"):
        spun("4 us", 4096)


def test_one_that_has_time_left_ends_it_late() -> None:
    """Of each second it forwards two messages for each that went to and fro, and computes in what is left."""
    (less, echoes), (more, _) = spun("1 us", 8), spun("3 us", 8)
    taken = [1 - 1 / (1 + slowdown) for slowdown in (less, more)]
    assert taken[1] - taken[0] == pytest.approx(2 * echoes * 2e-6, rel=1e-3)
