"""The general worm engine: the unit engine's bits where both apply, and the closed forms of each switching."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay._core import network as core

Arrays = dict[str, Any]


def trace(seed: int, messages: int, nodes: int, flits: int, cycles: int) -> Arrays:
    rng = np.random.default_rng(seed)
    return {
        "id": rng.permutation(messages),
        "cycle": rng.integers(0, cycles, messages),
        "source": rng.integers(0, nodes, messages),
        "destination": rng.integers(0, nodes, messages),
        "flits": rng.integers(1, flits + 1, messages),
    }


def cube(**more: Any) -> dict[str, Any]:
    return {"network": {"topology": "hypercube", "dimension": 5} | more}


def through_fabric(**more: Any) -> dict[str, Any]:
    """The same network, with a key that the engine without tables leaves to the general one."""
    return cube(packet_flits=1000, **more)


@pytest.mark.parametrize("buffer", [1, 2, 7])
@pytest.mark.parametrize("ends", [(1, 1), (3, 2)])
@pytest.mark.parametrize("longest", [6, 60])
def test_the_two_engines_agree_on_every_message(buffer: int, ends: tuple[int, int], longest: int) -> None:
    messages = trace(buffer + longest, 5000, 32, longest, 200 * longest)
    keys = {"buffer_flits": buffer, "injection_channels": ends[0], "ejection_channels": ends[1]}
    fast, general = core.replay(cube(**keys), **messages), core.replay(through_fabric(**keys), **messages)
    for name in ("head", "tail", "hops"):
        assert (fast[name] == general[name]).all()
    assert (fast["head"] >= 0).all()


def lonely(**keys: Any) -> tuple[int, int, int]:
    """Head, tail and hops of one message of 10 flits over 2 dimensions, generated in cycle 100."""
    one = {"id": [0], "cycle": [100], "source": [0], "destination": [3], "flits": [10]}
    found = core.replay(cube(**keys), **{name: np.array(column, np.int64) for name, column in one.items()})
    return int(found["head"][0]), int(found["tail"][0]), int(found["hops"][0])


@pytest.mark.parametrize("buffer", [1, 3, 0])
def test_zero_load_wormhole_and_cut_through(buffer: int) -> None:
    # With a single place the second flit cannot enter the last buffer before the head has left it, 3 cycles after 109.
    assert lonely(buffer_flits=buffer, head_ticks=3) == (109, 120 if buffer == 1 else 118, 4)
    assert lonely(switching="cut-through", head_ticks=3) == (109, 118, 4)
    # Twice as long on the wire; the sink keeps up.
    assert lonely(buffer_flits=buffer, flit_ticks=2, body_ticks=2, head_ticks=2) == (106, 106 + 18, 4)


def test_zero_load_store_and_forward_waits_for_the_tail_at_each_router() -> None:
    assert lonely(switching="store-and-forward") == (100 + 3 * 10, 100 + 3 * 10 + 9, 4)


def test_zero_load_circuit_sends_after_the_acknowledgement() -> None:
    # Header in at 104, acknowledgement over 4 links, then 3 cycles for the first flit to the last link, 9 for the tail.
    assert lonely(switching="circuit", acknowledgement=2) == (103, 104 + 8 + 3 + 9, 4)


@pytest.mark.parametrize(("buffer", "round_trip"), [(1, 4), (2, 4), (3, 5), (4, 4), (8, 4)])
def test_a_link_with_credits_delivers_its_buffer_each_round_trip(buffer: int, round_trip: int) -> None:
    # body_ticks until a flit can leave the buffer, credit_ticks until its place is known to be free again.
    flits = 4000
    one = {"id": [0], "cycle": [0], "source": [0], "destination": [0], "flits": [flits]}
    keys = {"buffer_flits": buffer, "credit_ticks": round_trip - 2, "body_ticks": 2, "head_ticks": 2}
    found = core.replay(cube(**keys), **{name: np.array(column, np.int64) for name, column in one.items()})
    rate = flits / (found["tail"][0] - found["head"][0])
    assert rate == pytest.approx(min(1, buffer / round_trip), rel=0.01)


def test_a_message_through_short_buffers_costs_the_same_whatever_its_length() -> None:
    """Two places and a round trip of 4 ticks: 2 ticks per flit, over 2^29 flits that are not simulated one by one."""
    flits = 1 << 29
    one = {"id": [0], "cycle": [0], "source": [0], "destination": [3], "flits": [flits]}
    keys = {"buffer_flits": 2, "credit_ticks": 2, "body_ticks": 2, "head_ticks": 2}
    found = core.replay(cube(**keys), **{name: np.array(column, np.int64) for name, column in one.items()})
    assert abs(found["tail"][0] - found["head"][0] - 2 * flits) < 16
    assert found["cpu_seconds"] < 0.5
    assert found["memory_bytes"] < 1_000_000


def test_a_hop_through_short_buffers_costs_the_same_whatever_the_length_of_the_path() -> None:
    """Heads that go on alone: on a line of 16 nodes, and on one of 256, where 100 links lie behind most heads."""

    def per_hop(nodes: int) -> float:
        number = np.arange(2048 // nodes)
        line = {"topology": "mesh", "extents": [nodes], "buffer_flits": 2}
        network = line | {"head_ticks": 3, "body_ticks": 2, "credit_ticks": 2}
        rows = {"id": number, "cycle": 100_000 * number, "source": 0 * number, "destination": 0 * number + nodes - 1}
        runs = [core.replay({"network": network}, **rows, flits=0 * number + 64) for _ in range(3)]
        return min(float(run["cpu_seconds"] / run["head_hops"]) for run in runs)

    assert per_hop(256) < 4 * per_hop(16)


def test_a_link_that_very_many_wait_for_costs_no_more_per_message() -> None:
    def per_hop(messages: int) -> float:
        number = np.arange(messages)
        network = {"topology": "mesh", "extents": [16, 16], "switching": "cut-through", "buffer_packets": 2}
        rows = {"id": number, "cycle": 0 * number, "source": 1 + number % 255, "destination": 0 * number}
        runs = [core.replay({"network": network}, **rows, flits=0 * number + 8) for _ in range(3)]
        return min(float(run["cpu_seconds"] / run["head_hops"]) for run in runs)

    assert per_hop(24_000) < 4 * per_hop(2_000)


def test_packets_of_a_message_follow_one_another() -> None:
    # 10 flits in packets of 4, 4 and 2, each asking one cycle after the injection channel of the one before is free.
    head, tail, hops = lonely(packet_flits=4)
    assert (head, hops) == (103, 4)
    assert tail == 100 + 2 * (4 + 1) + 3 + 1


@pytest.mark.parametrize("switching", ["wormhole", "cut-through", "store-and-forward", "circuit"])
@pytest.mark.parametrize(
    "topology", [{"topology": "mesh", "extents": [4, 3]}, {"topology": "hypercube", "dimension": 4}]
)
def test_whatever_the_switching_every_message_arrives(switching: str, topology: Arrays) -> None:
    network = {**topology, "switching": switching, "buffer_flits": 3, "flit_ticks": 2, "body_ticks": 3, "head_ticks": 4}
    messages = trace(7, 3000, 12, 30, 60_000)
    found = core.replay({"network": network}, **messages)
    assert (found["head"] >= messages["cycle"] + 4 * (found["hops"] - 1)).all()
    assert (found["tail"] >= found["head"] + 2 * (messages["flits"] - 1)).all()
    assert found["deadlock"] is None


def test_an_input_queued_crossbar_saturates_at_karols_limit() -> None:
    # Karol, Hluchyj and Morgan 1987: 0.618 for 8 ports with first-in-first-out inputs; 32 ports: 0.59.
    star = {
        "topology": "crossbar",
        "nodes": 8,
        "switching": "store-and-forward",
        "buffers": "fifo",
        "buffer_packets": 0,
    }
    if "crossbar" not in {record["name"] for record in core.topologies()}:
        pytest.skip("no crossbar yet")
    traffic = {"pattern": "uniform", "self": True, "arrivals": "bernoulli", "flits": [[1, 1.0]], "load": 1.0}
    method = {"seed": 3, "warmup_cycles": 2000, "cycles": 40_000}
    found = core.simulate({"network": star, "traffic": traffic, "method": method})
    assert found["saturated"]
    assert found["throughput"] == pytest.approx(0.618, abs=0.01)


def test_the_same_seed_gives_the_same_bits_and_busiest_channels_show() -> None:
    config = {
        "network": {"topology": "mesh", "extents": [4, 4]},
        "traffic": {"load": 0.1},
        "method": {"seed": 5, "warmup_cycles": 500, "cycles": 20_000, "utilisation": True},
    }
    one, other = core.simulate(config), core.simulate(config)
    assert one["head_hops"] == other["head_hops"]
    assert (one["latencies"]["header"]["counts"] == other["latencies"]["header"]["counts"]).all()
    assert (one["utilisation"] == other["utilisation"]).all()
    assert 0.1 < one["utilisation"].max() < 0.3  # uniform: 4/3 of the load crosses a middle link, k/4 of it
