"""Which engine simulates a network: chosen by itself, named in the result, refused in words where it does not hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay._core import network as core

METHOD = {"seed": 1, "warmup_cycles": 100, "cycles": 2000, "batches": 8}
MESH = {"topology": "mesh", "extents": [3, 3]}
TORUS = {"topology": "torus", "extents": [4, 3]}
CUT = {"switching": "cut-through"}
LARGE = {"topology": "crossbar", "nodes": 1536}  # of 3,072 links


def simulate(network: dict[str, Any]) -> dict[str, Any]:
    traffic = {"load": 0.1, "flits": [[4, 1.0]]}
    found: dict[str, Any] = core.simulate({"network": network, "traffic": traffic, "method": METHOD})
    return found


@pytest.mark.parametrize(
    ("network", "engine"),
    [
        ({"topology": "hypercube", "dimension": 3}, "worm"),
        (MESH, "worm"),
        (MESH | {"switching": "circuit"}, "worm"),
        (MESH | CUT, "worm"),
        (MESH | {"lanes": 2}, "flit"),
        (MESH | {"header_flits": 2}, "flit"),
        (MESH | {"engine": "flit"}, "flit"),
        (TORUS, "flit"),
        (TORUS | {"dateline": "none"}, "worm"),
        (TORUS | CUT, "packet"),
        (MESH | CUT | {"buffers": "output"}, "packet"),
        (MESH | CUT | {"header_flits": 2}, "packet"),
        (MESH | CUT | {"engine": "packet"}, "packet"),
        (LARGE | CUT, "packet"),
        (LARGE | CUT | {"engine": "worm"}, "worm"),
        (LARGE | CUT | {"nodes": 1535}, "worm"),
        (LARGE | CUT | {"injection_channels": 2, "credit_ticks": 1}, "worm"),
        (LARGE | CUT | {"equals": "adaptive"}, "worm"),
    ],
)
def test_the_engine_is_chosen_and_named(network: dict[str, Any], engine: str) -> None:
    found = simulate(network)
    assert found["engine"] == engine
    assert found["messages"] > 50
    assert not found["saturated"]


@pytest.mark.parametrize("switching", ["cut-through", "store-and-forward"])
def test_a_large_network_of_packets_is_simulated_to_the_tick_of_the_worm_engine(switching: str) -> None:
    network = {"topology": "mesh", "extents": [64, 48], "switching": switching, "buffer_packets": 2, "head_ticks": 3}
    random = np.random.default_rng(13)
    source, destination = random.integers(0, 64 * 48, (2, 20_000))
    trace = {"id": np.arange(20_000), "cycle": random.integers(0, 2000, 20_000), "source": source}
    trace |= {"destination": destination, "flits": random.integers(1, 12, 20_000)}
    found, worm = (core.replay({"network": network | engine}, **trace) for engine in ({}, {"engine": "worm"}))
    assert (found["engine"], worm["engine"]) == ("packet", "worm")
    for what in ("head", "tail", "hops"):
        assert np.array_equal(found[what], worm[what])


@pytest.mark.parametrize(
    ("network", "load", "most"),
    [
        ({"topology": "torus", "extents": [16, 16]}, 0.2, 400),
        ({"topology": "dragonfly", "p": 2, "a": 4, "h": 2, "routing": "ugal"}, 0.3, 400),
        ({"topology": "hypercube", "dimension": 10}, 0.2, 400),
        ({"topology": "mesh", "extents": [16, 16]}, 0.1, 1000),  # the worm engine
    ],
)
def test_what_packets_take_of_memory_for_each_node(network: dict[str, Any], load: float, most: int) -> None:
    traffic = {"load": load, "flits": [[32, 1.0]]}
    method = METHOD | {"cycles": 5000}
    found = core.simulate({"network": network | CUT | {"buffer_packets": 2}, "traffic": traffic, "method": method})
    nodes = {"torus": 256, "dragonfly": 72, "hypercube": 1024, "mesh": 256}[network["topology"]]
    assert not found["saturated"]
    assert found["memory_bytes"] <= most * nodes


IO = {"nodes": [0, 4, 8], "b": 1}


@pytest.mark.parametrize("pattern", ["uniform", "tornado"])
def test_no_engine_has_io_nodes_send_or_receive_a_pattern(pattern: str) -> None:
    """Elements alone keep to it, as on the network without I/O nodes; these stand beside it, idle."""
    traffic = {"load": 0.2, "flits": [[4, 1.0]], "pattern": pattern}
    method = METHOD | {"utilisation": True}
    for how in ({}, {"engine": "flit"}, CUT, CUT | {"engine": "packet"}):
        plain = core.simulate({"network": MESH | how, "traffic": traffic, "method": method})
        found = core.simulate({"network": MESH | how | {"io": IO}, "traffic": traffic, "method": method})
        assert found["messages"] == plain["messages"] > 100
        assert found["head_hops"] == plain["head_hops"]
        links = core.build_network(MESH | {"io": IO}).links
        busy = {link["to"] for link, share in zip(links, found["utilisation"], strict=True) if share and _into(link)}
        assert busy == set(range(9))
    rates = core.build_network(MESH | {"io": IO}).channel_rates(pattern)["rate"]
    assert {link["to"] for link, rate in zip(links, rates, strict=True) if rate and _into(link)} == set(range(9))


@pytest.mark.parametrize("how", [{}, {"engine": "flit"}, CUT, CUT | {"engine": "packet"}, {"packet_flits": 2}])
def test_a_dead_node_is_sent_nothing_and_the_others_go_on(how: dict[str, Any]) -> None:
    """Of 9 nodes one is dead: 1/9 of the messages are its own, 1/9 for it; none of them stands in anybody's way."""
    traffic = {"load": 0.2, "flits": [[4, 1.0]]}
    found = core.simulate({"network": MESH | how | {"failed_nodes": [4]}, "traffic": traffic, "method": METHOD})
    assert not found["saturated"] and found["deadlock"] is None
    assert found["unroutable"] / (found["unroutable"] + found["simulated_messages"]) == pytest.approx(2 / 9, rel=0.25)
    assert found["backlog"][-1] < 20


@pytest.mark.parametrize("how", [{}, {"engine": "flit"}, CUT, CUT | {"engine": "packet"}, {"packet_flits": 2}])
def test_what_a_dead_link_cuts_off_is_counted_and_the_rest_goes_on(how: dict[str, Any]) -> None:
    """A mesh's own routing does not go round the link from 3 to 4 and back: 6 ways one way, 6 the other, of 72."""
    traffic = {"load": 0.2, "flits": [[4, 1.0]]}
    network = MESH | how | {"failed_links": [[3, 4]]}
    found = core.simulate({"network": network, "traffic": traffic, "method": METHOD})
    assert not found["saturated"] and found["deadlock"] is None
    assert found["unroutable"] / (found["unroutable"] + found["simulated_messages"]) == pytest.approx(1 / 6, rel=0.25)
    assert found["backlog"][-1] < 20


@pytest.mark.parametrize("how", [{}, {"engine": "flit"}, CUT, CUT | {"engine": "packet"}])
def test_a_message_of_which_one_packet_has_no_way_is_lost_whole(how: dict[str, Any]) -> None:
    """Half way round a ring each packet draws one of two ways, of which one is dead for 4 of the 12 pairs.

    Over the dead link go 2 more of the pairs whatever is drawn: 2 + 4 (1 - 1/2^4) of 12 are lost.
    """
    network = {"topology": "ring", "nodes": 4, "dateline": "none", "tie": "random", "failed_links": [[0, 1]]}
    traffic = {"load": 0.1, "flits": [[8, 1.0]]}
    method = METHOD | {"cycles": 20000}
    found = core.simulate({"network": network | how | {"packet_flits": 2}, "traffic": traffic, "method": method})
    assert not found["saturated"] and found["deadlock"] is None
    lost = found["unroutable"] / (found["unroutable"] + found["simulated_messages"])
    assert lost == pytest.approx((2 + 4 * 15 / 16) / 12, rel=0.1)
    assert found["backlog"][-1] < 20


def _into(link: dict[str, Any]) -> bool:
    return bool(link["kind"] == "ejection")


@pytest.mark.parametrize(
    ("network", "key", "words"),
    [
        (TORUS | {"engine": "worm"}, "network.engine", ["one lane", "auto, flit"]),
        (TORUS | CUT | {"engine": "flit"}, "network.engine", ["wormhole", "auto, packet"]),
        (MESH | {"engine": "packet"}, "network.engine", ["cut-through", "auto, worm"]),
        (MESH | {"engine": "worm", "header_flits": 1}, "network.engine", ["headers"]),
        (TORUS | {"switching": "circuit"}, "network.lanes", ["circuit"]),
        (TORUS | {"lanes": 1}, "network.lanes", ["needs 2"]),
        (TORUS | {"head_ticks": 0}, "network.head_ticks", ["from 1 "]),
        (MESH | {"buffers": "fofi"}, "network.buffers", ["output"]),
    ],
)
def test_what_no_engine_holds_is_refused_with_what_is_accepted(
    network: dict[str, Any], key: str, words: list[str]
) -> None:
    with pytest.raises(ValueError) as raised:
        simulate(network)
    assert str(raised.value).startswith(f"{key}: ")
    for word in words:
        assert word in str(raised.value)


@pytest.mark.parametrize("network", [TORUS, TORUS | CUT, TORUS | CUT | {"buffers": "output", "output_packets": 2}])
def test_the_same_seed_gives_the_same_bits(network: dict[str, Any]) -> None:
    one, other = simulate(network), simulate(network)
    assert (one["messages"], one["head_hops"]) == (other["messages"], other["head_hops"])
    for kind in ("header", "network", "queueing"):
        assert (one["latencies"][kind]["counts"] == other["latencies"][kind]["counts"]).all()
        assert (one["latencies"][kind]["batch_sums"] == other["latencies"][kind]["batch_sums"]).all()


@pytest.mark.parametrize("topology", [MESH, {"topology": "k-ary-n-tree", "radix": 3, "levels": 2, "up": "random"}])
def test_engines_give_the_same_figures_where_both_apply(topology: dict[str, Any]) -> None:
    cut = topology | CUT | {"buffer_packets": 2}
    worm, packet = simulate(cut | {"engine": "worm"}), simulate(cut | {"engine": "packet"})
    assert (worm["engine"], packet["engine"]) == ("worm", "packet")
    assert worm["head_hops"] == packet["head_hops"]
    assert (worm["latencies"]["header"]["counts"] == packet["latencies"]["header"]["counts"]).all()
    # The flit engine counts a message when its tail is in, the worm engine when its head is.
    worm, flit = simulate(topology | {"engine": "worm"}), simulate(topology | {"engine": "flit"})
    assert (worm["engine"], flit["engine"]) == ("worm", "flit")
    assert abs(worm["messages"] - flit["messages"]) < 9
    assert flit["latencies"]["header"]["mean"] == pytest.approx(worm["latencies"]["header"]["mean"], rel=0.01)
