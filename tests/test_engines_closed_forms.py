"""The packet and the flit engine against closed forms: credits, crossbars, tori, dragonfly, Clos, busiest channels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay._core import network as core
from assay.network import network_tables

Table = dict[str, Any]
OPEN = {"switching": "cut-through", "buffer_packets": 0, "engine": "packet"}  # ideal routers: only wires hold back


def simulate(network: Table, load: float, *, flits: int = 4, cycles: int = 16_000, **traffic: Any) -> Table:
    """A run with batches enough to judge saturation."""
    tables = {
        "network": network,
        "traffic": {"load": load, "flits": [[flits, 1.0]]} | traffic,
        "method": {"seed": 7, "warmup_cycles": cycles // 4, "cycles": cycles, "utilisation": True},
    }
    found: Table = core.simulate(tables)
    return found


def fabric(network: Table) -> Table:
    """The keys that describe the network itself, without how messages move on it."""
    moving = set(network_tables.NetworkTable.model_fields) - {"topology", "routing"}
    return {key: value for key, value in network.items() if key not in moving}


def replay(network: Table, source: Any, destination: Any, flits: Any, cycle: Any = 0) -> Table:
    rows = len(source)
    columns = {"id": np.arange(rows), "cycle": cycle, "source": source, "destination": destination, "flits": flits}
    arrays = {name: np.array(np.broadcast_to(column, rows), np.int64) for name, column in columns.items()}
    found: Table = core.replay({"network": network}, **arrays)
    return found


@pytest.mark.parametrize(
    ("buffer", "body", "credit"), [(1, 2, 3), (2, 2, 3), (3, 1, 4), (5, 2, 3), (9, 3, 4), (7, 3, 4)]
)
def test_a_lone_link_delivers_its_buffer_each_credit_round_trip(buffer: int, body: int, credit: int) -> None:
    network = {"topology": "crossbar", "nodes": 2, "engine": "flit", "buffer_flits": buffer}
    network |= {"body_ticks": body, "head_ticks": body, "credit_ticks": credit}
    found = replay(network, [0], [1], 6000)
    rate = 6000 / (found["tail"][0] - found["head"][0])
    assert found["engine"] == "flit"
    assert rate == pytest.approx(min(1, buffer / (body + credit)), rel=0.01)


@pytest.mark.parametrize(
    ("slots", "flits", "head", "credit"), [(1, 4, 1, 0), (1, 4, 10, 6), (2, 4, 10, 6), (4, 4, 10, 6), (8, 4, 10, 6)]
)
def test_a_lone_link_delivers_its_packets_each_credit_round_trip(
    slots: int, flits: int, head: int, credit: int
) -> None:
    # A slot is lent for the head's way, the body behind it and the credit's way back.
    network = {"topology": "crossbar", "nodes": 2, "switching": "cut-through", "engine": "packet"}
    network |= {"buffer_packets": slots, "head_ticks": head, "credit_ticks": credit}
    count = 1000
    found = replay(network, [0] * count, [1] * count, flits)
    rate = flits * (count - 1) / (found["head"][-1] - found["head"][0])
    assert rate == pytest.approx(min(1, slots * flits / (head + flits - 1 + credit)), rel=0.01)


@pytest.mark.parametrize(("ports", "limit"), [(2, 0.75), (3, 0.6825), (8, 0.6184), (64, 2 - 2**0.5)])
@pytest.mark.parametrize("engine", ["packet", "flit"])
def test_input_queued_crossbars_saturate_at_karols_limit(ports: int, limit: float, engine: str) -> None:
    # Karol, Hluchyj and Morgan (1987), Table I; the last is the limit for many ports.
    network: Table = {"topology": "crossbar", "nodes": ports, "engine": engine}
    if engine == "packet":
        network |= {"switching": "store-and-forward", "buffers": "fifo", "buffer_packets": 0}
    cycles = 60_000 if ports < 8 else 12_000
    found = simulate(network, 1.0, flits=1, cycles=cycles, arrivals="bernoulli", self=True)
    assert found["engine"] == engine
    assert found["saturated"]
    assert found["throughput"] == pytest.approx(limit, abs=0.008)


@pytest.mark.parametrize("buffers", ["output", "shared"])
def test_output_queued_crossbars_carry_all_that_is_offered(buffers: str) -> None:
    network = {"topology": "crossbar", "nodes": 8, "switching": "store-and-forward", "engine": "packet"}
    network |= {"buffers": buffers, "buffer_packets": 0}
    found = simulate(network, 0.97, flits=1, cycles=60_000, arrivals="bernoulli", self=True)
    assert not found["saturated"]
    assert found["throughput"] == pytest.approx(0.97, abs=0.005)
    # Their wait is that of M/D/1 less what one's own port cannot send at once: (n-1)/n rho / (2 (1 - rho)).
    header = found["latencies"]["header"]
    at_half = simulate(network, 0.5, flits=1, cycles=60_000, arrivals="bernoulli", self=True)["latencies"]["header"]
    assert at_half["mean"] == pytest.approx(2 + 7 / 8 * 0.5 / (2 * 0.5), rel=0.02)
    assert header["mean"] > at_half["mean"]


TORUS = {"topology": "torus", "radix": 8, "dimensions": 2}
AROUND = TORUS | {"routing": "valiant", "base_keys": {"tie": "alternate"}}


@pytest.mark.parametrize(
    ("network", "pattern", "oneself", "bound"),
    [
        (TORUS | {"tie": "alternate"}, "uniform", True, 1),
        (TORUS | {"tie": "alternate"}, "uniform", False, 63 / 64),
        (TORUS | {"tie": "alternate"}, "bit-complement", False, 1 / 2),
        (TORUS, "tornado", False, 1 / 3),
        (AROUND, "tornado", False, 1 / 2),
        (AROUND, "bit-complement", False, 1 / 2),
    ],
)
def test_the_8_ary_2_cube_saturates_at_its_bounds(network: Table, pattern: str, oneself: bool, bound: float) -> None:
    # Dally and Towles (2004), chapters 3 and 4. Ideal routers reach the bound of the busiest channel.
    below = simulate(network | OPEN, 0.93 * bound, pattern=pattern, self=oneself)
    assert not below["saturated"]
    assert below["throughput"] == pytest.approx(0.93 * bound, rel=0.02)
    above = simulate(network | OPEN, 1.15 * bound, pattern=pattern, self=oneself)
    assert above["saturated"]
    assert above["worst_node"] <= 1.01 * bound


def shares(network: Table, source: Any, destination: Any, flits: int) -> float:
    """Flits a node a cycle, when every node has the same to send from cycle 0 on."""
    found = replay(network, source, destination, flits)
    assert (found["tail"] >= 0).all()
    nodes = len(set(source.tolist()))
    return float(len(source) * flits / nodes / found["tail"].max())


def test_a_dragonfly_under_next_group_traffic_minimal_and_valiant() -> None:
    # Kim, Dally, Scott and Abts (2008): the a p nodes of a group share the one link to the next, 1/(a h) of the
    # bandwidth with p = h; two phases load every global link twice, and about a half is left.
    p, a, h = 2, 4, 2
    dragonfly = {"topology": "dragonfly", "p": p, "a": a, "h": h} | OPEN
    nodes, group = p * a * (a * h + 1), p * a
    random = np.random.default_rng(3)
    source = np.tile(np.arange(nodes), 400)
    destination = ((source // group + 1) % (nodes // group)) * group + random.integers(0, group, len(source))
    minimal = shares(dragonfly, source, destination, 4)
    assert minimal == pytest.approx(1 / (a * h), rel=0.02)
    around = shares(dragonfly | {"routing": "valiant"}, source, destination, 4)
    assert 0.42 < around <= 0.57


def test_effective_bisection_of_a_fat_tree_static_against_adaptive() -> None:
    # Hoefler, Schneider and Lumsdaine (2008): random pairs collide on static routes though the tree is full.
    # Choosing by credits spreads them; a packet sees how full the next buffers are, not what lies behind.
    tree = {"topology": "k-ary-n-tree", "radix": 8, "levels": 2} | OPEN | {"buffer_packets": 8}
    random = np.random.default_rng(5)
    static, adaptive = [], []
    for _ in range(6):
        order = random.permutation(64)
        pairs = np.concatenate([order.reshape(2, 32), order.reshape(2, 32)[::-1]], 1)
        matrix = np.zeros((64, 64))
        matrix[pairs[0], pairs[1]] = 1
        congestion = max(core.build_network(fabric(tree)).channel_rates(matrix)["rate"])
        flits = 4000
        found = {}
        for up in ("d-mod-k", "adaptive"):
            played = replay(tree | {"up": up, "packet_flits": 16}, pairs[0], pairs[1], flits)
            found[up] = played["tail"].max() / flits
        # The busiest link carries `congestion` messages, one after the other's packets.
        assert found["d-mod-k"] == pytest.approx(congestion, rel=0.1)
        static.append(1 / found["d-mod-k"])
        adaptive.append(1 / found["adaptive"])
    assert max(static) < 0.55
    assert min(adaptive) > 0.75


@pytest.mark.parametrize(("packets", "limit"), [(1, 8 / 15), (2, 1.0), (0, 1.0)])
def test_a_destination_that_stores_a_packet_takes_the_next_when_a_place_is_free(packets: int, limit: float) -> None:
    """Of 8 flits: with one place a packet comes in for 8 cycles and, once whole, leaves for 7 more: 15 in all."""
    network = {"topology": "crossbar", "nodes": 4, "switching": "store-and-forward", "buffers": "output"}
    found = simulate(network | {"buffer_packets": packets}, 0.99, flits=8, cycles=60_000, pattern="neighbour")
    assert found["throughput"] == pytest.approx(min(limit, 0.99), abs=0.01)


@pytest.mark.parametrize(
    "network",
    [
        TORUS | {"engine": "flit", "buffer_flits": 4},
        TORUS | {"lanes": 4, "buffer_flits": 4},
        TORUS | {"switching": "cut-through", "buffer_packets": 2},
        TORUS | {"switching": "cut-through", "buffers": "output", "output_packets": 3},
        {"topology": "mesh", "extents": [5, 4], "lanes": 3, "buffer_flits": 3},
        {"topology": "dragonfly", "p": 2, "a": 4, "h": 2, "routing": "ugal", "buffer_flits": 8},
        {"topology": "fat-tree", "children": [4, 4], "taper": 2.0, "up": "adaptive", "switching": "cut-through"},
        {"topology": "hyperx", "extents": [4, 4], "concentration": 4, "engine": "flit", "buffer_flits": 4},
    ],
)
def test_throughput_never_passes_the_busiest_channels_bound(network: Table) -> None:
    built = core.build_network(fabric(network))
    bound = 1 / max(built.channel_rates("uniform")["rate"])
    found = simulate(network, 1.3 * bound, cycles=8000)
    assert found["saturated"]
    assert found["deadlock"] is None
    assert found["utilisation"].max() <= 1
    if network.get("routing") != "ugal":  # which leaves its minimal rates when they are loaded
        assert found["worst_node"] <= 1.03 * bound
    assert found["throughput"] > 0.3 * bound


@pytest.mark.parametrize(
    "keys",
    [{"engine": "flit", "buffer_flits": 2}, {"engine": "packet", "switching": "cut-through", "buffer_packets": 1}],
)
def test_a_ring_without_datelines_deadlocks_and_the_circle_is_named(keys: Table) -> None:
    # Everybody sends half way round the same way at once; each holds a link that the one behind it wants.
    ring = {"topology": "ring", "nodes": 8, "tie": "plus"} | keys
    nodes = np.arange(8)
    found = replay(ring | {"dateline": "none"}, nodes, (nodes + 4) % 8, 40)
    assert (found["tail"] == -1).all()
    assert found["deadlock"]["messages"] == 8
    circle = found["deadlock"]["cycle"]
    assert {one["message"] for one in circle} == set(range(8))
    for one, following in zip(circle, circle[1:] + circle[:1], strict=True):
        assert one["waits_for"] == following["holds"]
    freed = replay(ring, nodes, (nodes + 4) % 8, 40)
    assert (freed["tail"] > 0).all()
    assert freed["deadlock"] is None
