"""Queues against closed forms; section 6's printed numbers; the general method against section 6 and enumeration."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay._core import network
from assay.analysis.queueing import section6
from assay.analysis.queueing.queues import Service, erlang_c, mg1, mixture, mmm, waits
from assay.analysis.queueing.wormhole import Channels, Flow


@pytest.mark.parametrize("rho", [0.05, 0.5, 0.9, 0.99])
def test_one_server_is_pollaczek_khinchine(rho: float) -> None:
    assert mg1(rho / 3, Service(3, 9)) == pytest.approx(3 * rho / (1 - rho))  # M/M/1
    assert mg1(rho / 3, Service(3)) == pytest.approx(3 * rho / (2 * (1 - rho)))  # M/D/1
    assert mmm(rho / 3, 3, 1) == pytest.approx(3 * rho / (1 - rho))
    assert mg1(1 / 3, Service(3)) == mmm(1.0, 2, 2) == math.inf


@given(st.floats(0.001, 0.99), st.integers(1, 60), st.floats(0.1, 1e4))
def test_several_servers_are_the_printed_sum(rho: float, m: int, mean: float) -> None:
    a = m * rho
    p0 = 1 / (sum(a**k / math.factorial(k) for k in range(m)) + a**m / (math.factorial(m) * (1 - rho)))
    rate = a / mean
    printed = rho * a**m * p0 / (math.factorial(m) * (1 - rho) ** 2 * rate)
    assert mmm(rate, mean, m) == pytest.approx(printed, rel=1e-9)


def test_erlang_c_is_that_of_the_tables() -> None:
    assert erlang_c(1, 2) == pytest.approx(1 / 3)
    assert erlang_c(8, 10) == pytest.approx(0.409, abs=5e-4)
    assert erlang_c(95, 100) == pytest.approx(0.5066, abs=2e-3)
    assert erlang_c(10, 10) == 1


def test_links_in_an_array_are_the_single_queues() -> None:
    rate, mean, variance, servers = [0.3, 0.0, 0.5, 2.0], [2.0, 3.0, 3.0, 0.7], [1.0, 1.0, 4.0, 0.0], [1, 1, 2, 1]
    found = waits(rate, mean, variance, servers, scaled=False)
    assert found == pytest.approx([mg1(0.3, Service(2, 1)), 0, mmm(0.5, 3, 2), math.inf])
    assert waits([0.5], [3.0], [4.5], [2], scaled=True)[0] == pytest.approx(mmm(0.5, 3, 2) * 0.75)


def test_section_6_gives_its_own_numbers() -> None:
    machine = section6.CubeModel()
    assert machine.io_rate_per_channel() == pytest.approx(0.32)
    assert machine.io_service().mean == 2064
    assert machine.io_service().scv == pytest.approx(1, abs=0.04)
    assert machine.pe_service().mean == pytest.approx(419, abs=0.5)
    assert machine.pe_service().scv == pytest.approx(8.1, abs=0.05)
    assert section6.per_ms(section6.control_bound(machine, 8 / 15)) == pytest.approx(26.3, abs=0.05)
    assert section6.per_ms(section6.control_bound(machine)) == pytest.approx(27.9, abs=0.05)
    shares = [share for share, _ in section6.categories(machine, section6.waits(machine, 1e-4, section6.PLAINEST))]
    assert sum(shares) == pytest.approx(1)
    pe, io = section6.bisection_bandwidths(machine)
    assert pe / io == 128 / 16


def test_no_reading_gives_table_2_to_the_digit_and_the_nearest_is_close() -> None:
    table = section6.table2()
    assert not any(abs(one - 11.3) < 0.05 and abs(two - 23.7) < 0.05 for _, one, two in table)
    miss = {reading: abs(one / 11.3 - 1) + abs(two / 23.7 - 1) for reading, one, two in table}
    assert min(miss, key=miss.__getitem__) is section6.NEAREST
    bound = section6.per_ms(section6.control_bound(section6.CubeModel(), 8 / 15))
    assert all(one < bound for reading, one, _ in table if reading.follow != "none")  # b = 1 goes before b = 0


def test_blocking_neglected_is_the_busiest_channel() -> None:
    one, two = section6.table2((section6.READINGS[0],))[0][1:]
    assert one == pytest.approx(20000 / 0.32 / 2064)
    assert two == pytest.approx(2 * one)


def test_the_bisection_argument_has_the_ratio_printed_and_misses_what_was_simulated() -> None:
    control, narrow = section6.bisection_saturation(section6.CubeModel())
    # it would have b = 0 saturate 6 times later than b = 1 (simulated: less than twice), b = 1 beyond twice 12.8
    assert control / narrow > 5
    assert section6.per_ms(narrow) > 2 * 12.8


def uniform(dimension: int, flits: float = 32) -> tuple[Channels, list[int]]:
    """A cube of single channels, and the dimension of each link, -1 at the ends."""
    net = network.build_network({"topology": "hypercube", "dimension": dimension})
    found = net.channel_rates("uniform", turns=True)
    turns = tuple(np.asarray(part, kind) for part, kind in zip(found["turns"], (int, int, float), strict=True))
    flow = Flow("all", Service(flits), net.nodes, np.asarray(found["rate"]), turns)  # type: ignore[arg-type]
    dimensions = [link["dimension"] if link["kind"] == "network" else -1 for link in net.links]
    return Channels(np.full(len(flow.rate), 1), [flow]), dimensions


def test_turns_are_those_of_all_ways() -> None:
    config = {"topology": "torus", "extents": [4, 3], "tie": "random"}
    net = network.build_network(config)
    found = net.channel_rates("uniform", turns=True)
    counted: dict[tuple[int, int], float] = {}
    for source in range(12):
        for destination in set(range(12)) - {source}:
            for share, way in net.routes(source, destination):
                links = [link for link, _ in way]
                for turn in pairwise(links):
                    counted[turn] = counted.get(turn, 0) + share / 11
    assert {(a, b): rate for a, b, rate in zip(*found["turns"], strict=True)} == pytest.approx(counted)


@pytest.mark.parametrize(
    "config",
    [
        {"topology": "hypercube", "dimension": 3, "routing": "valiant"},
        {"topology": "torus", "extents": [4, 4], "routing": "valiant", "base_keys": {"tie": "random"}},
        {"topology": "dragonfly", "p": 1, "a": 2, "h": 1},
        {"topology": "k-ary-n-tree", "radix": 2, "levels": 3, "up": "random"},
        {"topology": "hypercube", "dimension": 3, "io": {"b": 1}},
    ],
)
def test_what_enters_a_link_goes_on_from_it(config: dict[str, object]) -> None:
    net = network.build_network(config)
    found = net.channel_rates(np.ones((net.nodes, net.nodes)) - np.eye(net.nodes), turns=True)
    into, out = np.zeros(len(net.links)), np.zeros(len(net.links))
    for a, b, rate in zip(*found["turns"], strict=True):
        assert net.links[a]["to"] == net.links[b]["from"]
        out[a] += rate
        into[b] += rate
    rate = np.asarray(found["rate"])
    kinds = np.array([link["kind"] for link in net.links])
    assert into[kinds != "injection"] == pytest.approx(rate[kinds != "injection"])
    assert out[kinds != "ejection"] == pytest.approx(rate[kinds != "ejection"])


def test_a_cube_under_uniform_traffic_is_section_6_with_one_half_for_each_lower_dimension() -> None:
    channels, dimension = uniform(4, 2064)
    ends = np.array(dimension) < 0
    channels = Channels(np.where(ends, 60, 1), channels.flows)  # no waits at the ends, as the paper has it
    load = 1e-4
    wait = channels.solve(load)
    assert wait is not None
    # section 6's recursion by hand: the wait in dimension 0 first; 8/15 of what a node sends crosses a dimension; then
    # among the destinations other than the node itself dimension j comes after i with exactly one half
    expected: list[float] = []
    for _ in range(4):
        expected.append(mg1(load * 8 / 15, Service(2064 + sum(expected) / 2)))
    for d in range(4):
        assert wait[np.array(dimension) == d] == pytest.approx([expected[d]] * 16, rel=1e-6)
    hops = 4 * 8 / 15
    latency = 2 + sum(8 / 15 * w for w in expected) + hops
    assert channels.latency(wait) == pytest.approx(latency, rel=1e-6)


def test_adjusted_service_is_the_mean_over_all_ways() -> None:
    channels, _ = uniform(3)
    load = 0.2 / 32
    wait = channels.solve(load)
    assert wait is not None
    net = network.build_network({"topology": "hypercube", "dimension": 3})
    later, seen = np.zeros(len(wait)), np.zeros(len(wait))
    for source in range(8):
        for destination in set(range(8)) - {source}:
            links = [link for link, _ in net.routes(source, destination)[0][1]]
            for position, link in enumerate(links):
                later[link] += sum(wait[other] for other in links[position + 1 :])
                seen[link] += 1
    assert channels.flows[0].after(wait) == pytest.approx(later / seen)


def test_messages_over_one_channel_do_not_wait_for_each_other_at_the_next() -> None:
    # everything that enters router 1 of a line comes over one link and goes on over one link: nothing to wait for there
    line = network.build_network({"topology": "graph", "links": [[0, 1], [1, 2]]})
    traffic = np.zeros((3, 3))
    traffic[0, 2] = 1.0
    found = line.channel_rates(traffic, turns=True)
    turns = tuple(np.asarray(part, kind) for part, kind in zip(found["turns"], (int, int, float), strict=True))
    flow = Flow("all", Service(32), 1.0, np.asarray(found["rate"]), turns)  # type: ignore[arg-type]
    servers = np.ones(len(flow.rate), int)
    apart, together = Channels(servers, [flow], apart=True), Channels(servers, [flow])
    load = 0.15 / 32
    wait, others = apart.solve(load), together.solve(load)
    assert wait is not None and others is not None
    # with nothing but the source's queue this is M/D/1 (0.15 32 / (2 0.85)) and four links
    assert apart.latency(wait) == pytest.approx(0.15 * 32 / 1.7 + 4)
    assert together.latency(others) > 1.5 * apart.latency(wait)


def test_saturation_lies_below_the_busiest_channel_and_short_of_it_there_is_a_fixed_point() -> None:
    channels, _ = uniform(5)
    found = channels.saturation()
    assert 0.25 * channels.busiest() < found < channels.busiest()
    assert channels.solve(found) is not None
    assert channels.solve(found * 1.002) is None
    assert channels.busiest() == pytest.approx(1 / 32)  # the ends carry 1, the network 16/31


def test_mixtures_have_the_moments_of_their_parts() -> None:
    found = mixture([3, 1], [10, 50])
    values = np.repeat([10.0, 10, 10, 50], 5)
    assert (found.mean, found.variance) == pytest.approx((values.mean(), values.var()))
    assert mixture([0], [5]).mean == 0
