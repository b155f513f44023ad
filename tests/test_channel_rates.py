"""Exact channel rates: textbook bounds, conservation, and the sum over all ways of all pairs as a brute-force twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay._core import network

TORUS = {"topology": "torus", "radix": 8, "dimensions": 2, "tie": "random"}
VALIANT = {"topology": "torus", "radix": 8, "dimensions": 2, "routing": "valiant", "base_keys": {"tie": "alternate"}}


def bound(config: dict[str, Any], pattern: str, *, oneself: bool = False) -> float:
    """Flits a node a cycle that the busiest network channel allows."""
    net = network.build_network(config)
    rates = net.channel_rates(pattern, oneself)["rate"]
    return float(1 / max(rate for rate, link in zip(rates, net.links, strict=True) if link["kind"] == "network"))


@pytest.mark.parametrize(
    ("config", "pattern", "oneself", "expected"),
    [
        # Dally and Towles (2004), chapters 3 and 4
        (TORUS, "uniform", True, 1),
        (TORUS, "uniform", False, 63 / 64),
        (TORUS | {"tie": "alternate"}, "uniform", True, 1),
        ({"topology": "torus", "radix": 8, "dimensions": 2}, "uniform", False, 63 / 64),  # as it comes
        (TORUS, "bit-complement", False, 1 / 2),
        (TORUS, "tornado", False, 1 / 3),
        (VALIANT, "tornado", True, 1 / 2),
        (VALIANT, "bit-complement", True, 1 / 2),
        # ties all one way: (1 + 2 + 3 + 4) / 8 hops on the plus links
        (TORUS | {"tie": "plus"}, "uniform", True, 0.8),
    ],
)
def test_bounds_of_the_8_ary_2_cube(config: dict[str, Any], pattern: str, oneself: bool, expected: float) -> None:
    assert bound(config, pattern, oneself=oneself) == pytest.approx(expected)


@pytest.mark.parametrize("dimension", [3, 7, 10])
def test_uniform_traffic_loads_every_channel_of_a_hypercube_alike(dimension: int) -> None:
    net = network.build_network({"topology": "hypercube", "dimension": dimension})
    rates = net.channel_rates("uniform")["rate"]
    network_rates = rates[: dimension << dimension]
    assert network_rates == pytest.approx([2 ** (dimension - 1) / (2**dimension - 1)] * (dimension << dimension))
    assert rates[dimension << dimension :] == pytest.approx([1.0] * 2 ** (dimension + 1))


def test_dragonfly_next_group_is_held_by_one_global_link() -> None:
    # Kim et al. (2008): all a p nodes of a group send to the next over a single link
    config = {"topology": "dragonfly", "p": 2, "a": 4, "h": 2}
    net = network.build_network(config)
    traffic = np.zeros((net.nodes, net.nodes))
    for source in range(net.nodes):
        group = (source // 8 + 1) % 9
        traffic[source, 8 * group : 8 * group + 8] = 1 / 8
    assert max(net.channel_rates(traffic)["rate"]) == pytest.approx(8)
    around = network.build_network(config | {"routing": "valiant"})
    rates = around.channel_rates(traffic)["rate"]
    spread = [rate for rate, link in zip(rates, around.links, strict=True) if link["dimension"] == 1]
    # each message crosses two global links but for one in nine intermediate groups at each end
    assert sum(spread) == pytest.approx(72 * 2 * 8 / 9)
    assert max(spread) < 2


@pytest.mark.parametrize(
    "config",
    [
        {"topology": "hypercube", "dimension": 3, "routing": "valiant"},
        {"topology": "torus", "extents": [4, 3], "tie": "random"},
        {"topology": "torus", "extents": [4, 3], "routing": "shortest-path", "equals": "random"},
        {"topology": "k-ary-n-tree", "radix": 2, "levels": 3, "up": "random"},
        {"topology": "k-ary-n-tree", "radix": 2, "levels": 3, "up": "s-mod-k"},
        {"topology": "graph", "links": [[0, 1], [1, 2], [2, 0], [2, 3], [3, 0]], "equals": "adaptive"},
        {"topology": "hyperx", "extents": [3, 2], "routing": "ugal"},
        {"topology": "mesh", "extents": [3, 3], "failed_links": [[0, 1]]},
        {"topology": "hyperx", "extents": [3, 3], "routing": "valiant", "failed_links": [[0, 1]]},
        {"topology": "hypercube", "dimension": 3, "io": {"b": 1}},
        {
            "topology": "torus",
            "extents": [4, 3],
            "routing": "shortest-path",
            "equals": "random",
            "io": {"nodes": [0, 7]},
        },
    ],
    ids=str,
)
def test_rates_are_the_sum_over_all_ways(config: dict[str, Any]) -> None:
    net = network.build_network(config)
    links = net.links
    traffic = np.random.default_rng(1).random((net.nodes, net.nodes))
    expected = np.zeros(len(links))
    lost = 0.0
    for source in range(net.nodes):
        for destination in range(net.nodes):
            for probability, way in net.routes(source, destination):
                flow = probability * traffic[source, destination]
                for link, _ in way:
                    expected[link] += flow
                if not way or links[way[-1][0]]["kind"] != "ejection":
                    lost += flow
    found = net.channel_rates(traffic)
    assert found["rate"] == pytest.approx(expected.tolist())
    assert found["unroutable"] == pytest.approx(lost)
    # what comes into a router leaves it, but for what was lost there
    balance = np.zeros(net.routers)
    for rate, link in zip(found["rate"], links, strict=True):
        if link["kind"] != "injection":
            balance[link["from"]] -= rate
        if link["kind"] != "ejection":
            balance[link["to"]] += rate
    assert balance.sum() == pytest.approx(lost)
    assert balance.min() > -1e-9


def test_a_matrix_of_the_wrong_shape_or_sign_is_refused() -> None:
    net = network.build_network({"topology": "ring", "nodes": 3})
    with pytest.raises(ValueError, match="nodes by nodes"):
        net.channel_rates(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="negative"):
        net.channel_rates(-np.ones((3, 3)))
