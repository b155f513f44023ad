"""The shared bus on described machines: what its interface takes of the stream, closed forms, what is left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.described.machine_file import DescribedMachine
from assay.described.shipped import open_described
from command_line import assay
from remarked import texts
from started import play

STREAM, BUS = 200e6, 800e6  # B/s


def machine(processors: int, bus: float = BUS) -> dict[str, Any]:
    table = {
        "name": "m",
        "network": {
            "topology": "hypercube",
            "dimension": 2,
            "switching": "wormhole",
            "cycle": "1 ns",
            "flit_bytes": 1,
            "flit_ticks": 5,
            "head_ticks": 100,
            "body_ticks": 5,
        },
        "protocol": [{"startup": "20 us"}],
        "node": {"processors": processors, "bus": f"{bus / 1e6} MB/s"},
        "self": [{"startup": "1 us"}],
        "one_sided": {},
    }
    return DescribedMachine.model_validate(table).for_core()


def run(on: dict[str, Any], ranks: int, *arguments: str) -> list[dict[str, Any]]:
    given = (f"stream={STREAM:g}", "window=0.5", "bytes=100000", *arguments)
    words = [word for each in given for word in ("--set", each)]
    return [json.loads(line) for line in play("bus", on, ranks, words).splitlines()]


def values(events: list[dict[str, Any]], metric: str, load: str) -> float:
    (found,) = (e["values"][0] for e in events if e["event"] == "block" and e["metric"] == metric
                and e["case"]["load"] == load)  # fmt: skip
    return float(found)


@pytest.mark.parametrize(("form", "processors"), [("put", 1), ("echo", 2)])
def test_the_stream_loses_what_the_messages_take_of_the_bus(form: str, processors: int) -> None:
    """Of a second, messages hold the bus for their rate over the bus's; the stream has what is left. A message's byte
    waits for one of the stream's, at rank 0's node alone.
    """
    events = run(machine(processors), 3, f"form={form}")
    assert all(event["passed"] for event in events if event["event"] == "check")
    assert values(events, "stream", "alone") == pytest.approx(STREAM, rel=1e-9)
    rate = values(events, "messages", "alone")
    beside = values(events, "messages", "both")
    assert beside == pytest.approx(1 / (1 / rate + 1 / BUS), rel=0.01)
    assert values(events, "stream", "both") == pytest.approx(STREAM * (1 - beside / BUS), rel=0.01)
    kept = values(events, "stream_kept", "both")
    assert kept == pytest.approx(values(events, "stream", "both") / STREAM)
    assert values(events, "sum", "both") == pytest.approx(values(events, "stream", "both") + beside, rel=0.01)


def test_a_message_put_takes_its_start_up_its_bytes_and_a_word_back() -> None:
    events = run(machine(1), 3, "form=put")
    link = 5e-9
    one = 20e-6 + 100000 * link + 1 * link
    assert 100000 / values(events, "messages", "alone") == pytest.approx(one, rel=0.01)


def test_an_echo_needs_a_node_that_two_share() -> None:
    events = run(machine(1), 3)
    assert {e["case"]["form"] for e in events if e["event"] == "block"} == {"put"}
    assert any("ranks 0 and 1 are on nodes of their own" in text for text in texts(events))


def test_where_nothing_says_how_fast_a_stream_is_the_benchmark_is_left_out_with_its_reason(tmp_path: Path) -> None:
    done = assay("run", "bus", "--on", "ipsc860", "-n", "3", "--out", str(tmp_path / "run"), "--json")
    assert done.status == 2 and done.err.startswith("assay: bus: nothing was measured: not described: [node] bus and")
    (left_out,) = done.document["left_out"]
    assert left_out["benchmark"] == "bus"
    assert "not described: [node] bus and [compute] rate.stream" in left_out["reason"]
    assert done.document["figures"] == []


def test_puts_are_left_out_where_the_description_does_not_say_what_they_take() -> None:
    silent = machine(2) | {"one_sided": []}
    events = run(silent, 3)
    assert {e["case"]["form"] for e in events if e["event"] == "block"} == {"echo"}
    assert any("form put: not described: [one_sided]" in text for text in texts(events))


def test_the_paragons_bus_is_one_number() -> None:
    """Table 3.1: 251 MB/s for one processor and no more for three; stream and messages share it, and nothing is lost.

    Printed are 146 and 31 (section 3). No bus that is never idle gives both beside 252 and 119 alone.
    """
    described = open_described("paragon-mp:threads")
    assert described.node is not None and described.node.bus == pytest.approx(1 / 251e6)
    words = ["--set", "form=echo", "--set", "bytes=1048576", "--set", "window=1"]
    events = [json.loads(line) for line in play("bus", described.for_core(), 3, words).splitlines()]
    assert values(events, "stream", "alone") == pytest.approx(251e6, rel=1e-6)
    assert values(events, "stream", "both") == pytest.approx(146e6, rel=0.05)
    alone = values(events, "messages", "alone")
    assert values(events, "messages", "both") == pytest.approx(1 / (1 / alone + 1 / 251e6), rel=0.01)
    assert 146 / 252 + 31 / 119 < 0.85
    assert values(events, "sum", "both") == pytest.approx(251e6, rel=0.02)


@pytest.mark.parametrize(("rate", "alone"), [("100 MB/s", 100e6), ("5 GB/s", BUS)])
def test_a_stream_goes_at_the_description_s_rate_and_no_faster_than_the_bus(rate: str, alone: float) -> None:
    described = DescribedMachine.model_validate(
        {
            "name": "m",
            "network": {"topology": "ring", "nodes": 3, "cycle": "1 ns", "flit_ticks": 5},
            "protocol": [{"startup": "20 us"}],
            "node": {"bus": f"{BUS / 1e6} MB/s"},
            "one_sided": {},
            "compute": {"rate": {"stream": rate}},
        }
    )
    words = ["--set", "form=put", "--set", "bytes=1000", "--set", "window=0.1"]
    events = [json.loads(line) for line in play("bus", described.for_core(), 3, words).splitlines()]
    assert values(events, "stream", "alone") == pytest.approx(alone, rel=1e-6)
