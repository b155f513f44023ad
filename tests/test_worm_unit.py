"""The worm engine on the hypercube against what is known without it: closed forms, conservation, determinism."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from assay._core import network as core


def config(dimension: int = 5, **changes: Any) -> dict[str, Any]:
    tables: dict[str, Any] = {
        "network": {"topology": "hypercube", "dimension": dimension, "injection_channels": 1, "ejection_channels": 1},
        "traffic": {"flits": [[32, 1.0]], "load": 0.2},
        "method": {"seed": 1, "warmup_cycles": 2000, "cycles": 100_000},
    }
    for name, change in changes.items():
        tables[name] = {**tables[name], **change}
    return tables


def random_trace(rng: np.random.Generator, messages: int, nodes: int, flits: int, cycles: int) -> dict[str, Any]:
    return {
        "id": rng.permutation(messages),
        "cycle": rng.integers(0, cycles, messages),
        "source": rng.integers(0, nodes, messages),
        "destination": rng.integers(0, nodes, messages),
        "flits": rng.integers(1, flits + 1, messages),
    }


@pytest.mark.parametrize("buffer", [1, 2, 5])
def test_a_lone_message_crosses_a_link_a_cycle(buffer: int) -> None:
    rng = np.random.default_rng(2)
    trace = random_trace(rng, 300, 32, 50, 1)
    trace["cycle"] = trace["id"] * 1000 + 7
    found = core.replay(config(network={"buffer_flits": buffer}), **trace)
    hops = np.bitwise_count(trace["source"] ^ trace["destination"]).astype(int) + 2
    assert (found["hops"] == hops).all()
    assert (found["head"] == trace["cycle"] + hops - 1).all()
    assert (found["tail"] == found["head"] + trace["flits"] - 1).all()


def test_one_link_under_poisson_traffic_is_m_d_1() -> None:
    # On the 1-cube each node's injection channel serves messages of L cycles, and nothing blocks them further on. The
    # mean wait, rho L / (2 (1 - rho)), holds for whole cycles too, where arrivals of one cycle queue up.
    load, flits = 0.6, 16
    found = core.simulate(config(1, traffic={"flits": [[flits, 1.0]], "load": load}, method={"cycles": 4_000_000}))
    batches = found["latencies"]["queueing"]
    means = batches["batch_sums"] / batches["batch_counts"]
    error = means.std(ddof=1) / math.sqrt(len(means))
    assert abs(batches["mean"] - load * flits / (2 * (1 - load))) < 5 * error
    assert error < 0.1


@pytest.mark.parametrize("channels", [(1, 1), (2, 1), (1, 3), (9, 9)])
def test_every_message_of_a_trace_arrives_once_and_no_channel_carries_more_than_a_flit_a_cycle(
    channels: tuple[int, int],
) -> None:
    rng = np.random.default_rng(3)
    trace = random_trace(rng, 4000, 32, 40, 6000)
    ends = {"injection_channels": channels[0], "ejection_channels": channels[1]}
    found = core.replay(config(network=ends), **trace)
    assert (found["head"] >= trace["cycle"] + found["hops"] - 1).all()
    for node in range(32):  # tails of one node: never more under way at once than channels
        mine = trace["destination"] == node
        starts, ends_ = found["head"][mine], found["tail"][mine]
        assert max(((starts <= t) & (t <= ends_)).sum() for t in starts) <= channels[1]
    assert found["messages"] == 4000


def test_the_order_of_rows_does_not_matter_but_the_ids_do() -> None:
    rng = np.random.default_rng(4)
    trace = random_trace(rng, 3000, 32, 40, 3000)
    shuffled = rng.permutation(3000)
    one = core.replay(config(), **trace)
    other = core.replay(config(), **{name: column[shuffled] for name, column in trace.items()})
    assert (one["head"][shuffled] == other["head"]).all()
    reversed_ids = core.replay(config(), **{**trace, "id": trace["id"].max() - trace["id"]})
    assert (one["head"] != reversed_ids["head"]).any()


@pytest.mark.parametrize("buffer", [1, 3])
def test_the_same_seed_gives_the_same_bits(buffer: int) -> None:
    def key(**method: int) -> tuple[Any, ...]:
        found = core.simulate(config(network={"buffer_flits": buffer}, method=method))
        latency = found["latencies"]["header"]
        return found["messages"], found["head_hops"], tuple(latency["batch_sums"]), tuple(latency["counts"])

    assert key() == key()
    assert key() != key(seed=2)
    assert key() != key(stream=1)


def test_kept_crossings_give_the_same_bits_as_rigid_trains() -> None:
    # One message shorter than the path makes the engine keep every crossing; without any it walks routes only.
    rng = np.random.default_rng(5)
    trace = random_trace(rng, 4000, 32, 40, 4000)
    trace["flits"] += 7
    last = {"id": 4000, "cycle": 10**6, "source": 0, "destination": 1, "flits": 1}
    longer = {name: np.append(column, last[name]) for name, column in trace.items()}
    assert (core.replay(config(), **trace)["head"] == core.replay(config(), **longer)["head"][:-1]).all()


def test_beyond_saturation_the_backlog_grows_and_is_said() -> None:
    calm = core.simulate(config(traffic={"load": 0.1}))
    assert not calm["saturated"]
    flooded = core.simulate(config(traffic={"load": 0.9}))
    assert flooded["saturated"]
    assert flooded["backlog"][-1] > 2 * flooded["backlog"][len(flooded["backlog"]) // 4]
    assert flooded["throughput"] < 0.9


def test_a_long_gap_in_a_trace_costs_nothing() -> None:
    trace = {
        "id": [0, 1, 2],
        "cycle": [5, 3 << 40, 1 << 61],
        "source": [1, 2, 3],
        "destination": [2, 3, 3],
        "flits": [4, 1, 90],
    }
    found = core.replay(config(), **{name: np.array(column, np.int64) for name, column in trace.items()})
    assert list(found["head"]) == [5 + 3, (3 << 40) + 2, (1 << 61) + 1]


@pytest.mark.parametrize("channels", [1, 2])
def test_messages_older_than_the_origin_of_time_still_count(channels: int) -> None:
    # Engines move the origin of their 32-bit times every 2^30 cycles; here messages wait longer than that.
    ends = {"injection_channels": channels, "ejection_channels": channels}
    found = core.simulate(
        config(
            1,
            network=ends,
            traffic={"flits": [[1 << 21, 1.0]], "load": 1.4},
            method={"warmup_cycles": 0, "cycles": 5 << 30},
        )
    )
    batches = found["latencies"]["header"]
    assert found["messages"] > 5000
    assert sum(batches["batch_counts"]) == found["messages"]
    assert found["throughput"] == pytest.approx(1, abs=0.01)
    assert found["backlog"][-1] > 1000


def test_wrong_input_names_its_key() -> None:
    for changes, key in [
        ({"traffic": {"load": -1.0}}, "traffic.load"),
        ({"traffic": {"pattern": "uniformly"}}, "traffic.pattern"),
        ({"traffic": {"pattern": "transpose"}}, "traffic.pattern"),
        ({"method": {"cycles": 0}}, "method.cycles"),
        ({"method": {"cyles": 1}}, "method.cyles"),
    ]:
        with pytest.raises(ValueError) as raised:
            core.simulate(config(**changes))
        assert str(raised.value).startswith(f"{key}: ")
