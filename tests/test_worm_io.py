"""The paper's machine (Ghosh, Goveas and Draper): published latencies and saturation, and what holds of any such."""

from __future__ import annotations

from typing import Any

import pytest

from assay._core import network as core
from assay.network import network_tables

CYCLE = 0.05  # us


def run(dimension: int = 7, messages: int = 300_000, seed: int = 1, **io: Any) -> dict[str, Any]:
    config = {
        "network": {"topology": "hypercube", "dimension": dimension},
        "traffic": {},
        "io": network_tables.InputOutput(**io).model_dump(exclude_none=True),
        "method": {"seed": seed, "warmup_messages": 50_000, "messages": messages, "batches": 32},
    }
    return dict(core.simulate(config))


def mean(found: dict[str, Any], name: str) -> float:
    """In us."""
    return float(found["latencies"][name]["mean"]) * CYCLE


@pytest.mark.parametrize(("dimension", "published"), [(3, 3.3), (4, 3.5), (5, 3.6), (6, 3.8)])
def test_pe_pe_latency_of_the_small_cubes_is_the_published_one(dimension: int, published: float) -> None:
    found = run(dimension, 1_000_000, interval=3120.0)
    assert mean(found, "pe_pe") == pytest.approx(published, rel=0.05)


@pytest.mark.parametrize(("b", "below", "above"), [(1, 11, 12.8), (2, 22.2, 25), (0, 18, 22.2)])
def test_saturation_lies_where_the_paper_and_the_trial_have_it(b: int, below: float, above: float) -> None:
    # Judged by a run four times as long: the backlog stays, or grows with it. Rates in messages per ms and element.
    for rate, grows in ((below, False), (above, True)):
        short, long = (run(messages=count, b=b, interval=20_000 / rate) for count in (500_000, 2_000_000))
        assert (long["backlog"][-8:].mean() > 2 * short["backlog"][-8:].mean()) == grows


def test_a_read_without_an_io_network_is_faster_than_with_a_narrow_one_and_slower_than_with_a_wide_one() -> None:
    narrow, none, wide = (mean(run(b=b), "read") for b in (1, 0, 2))
    assert wide < none < narrow


def test_at_locality_one_all_machines_answer_alike() -> None:
    reads = [mean(run(b=b, locality=1.0), "read") for b in (0, 1, 2, 4)]
    assert max(reads) == pytest.approx(min(reads), rel=0.05)


def test_a_lone_read_takes_its_hops() -> None:
    # At hardly any traffic the header latencies are the numbers of links: on the 3-cube with I/O nodes at 0 and 7 a
    # request crosses 3/4 of a link between routers on average, a local reply the same, besides both ends.
    found = run(3, 60_000, interval=1e8, io_rate=1.0, locality=1.0)
    assert found["latencies"]["pe_io"]["mean"] == pytest.approx(2.75, abs=0.05)
    assert found["latencies"]["read"]["mean"] == pytest.approx(5.5, abs=0.05)
    remote = run(3, 60_000, interval=1e8, io_rate=1.0, locality=0.0)
    assert remote["latencies"]["io_io"]["mean"] == pytest.approx(3, abs=0.05)
    assert remote["latencies"]["io_pe"]["mean"] == pytest.approx(4.75, abs=0.05)


def test_writes_are_one_message_and_misses_do_not_change_the_network() -> None:
    written = run(read_ratio=0.0)
    assert written["latencies"]["write"]["count"] > 0
    assert written["latencies"]["io_io"]["count"] == written["latencies"]["io_pe"]["count"] == 0
    hit, miss = run(b=2), run(b=2, hit_rate=0.7)
    assert mean(miss, "read") == pytest.approx(mean(hit, "read"), rel=0.1)


def test_the_same_seed_gives_the_same_bits() -> None:
    one, other = run(interval=1560.0), run(interval=1560.0)
    for name in ("pe_pe", "read"):
        assert (one["latencies"][name]["counts"] == other["latencies"][name]["counts"]).all()
    assert one["head_hops"] == other["head_hops"] != run(seed=2, interval=1560.0)["head_hops"]


def test_the_core_has_no_defaults_of_its_own_for_io_nodes() -> None:
    given = network_tables.InputOutput().model_dump(exclude_none=True)
    for key in given:
        rest = {name: value for name, value in given.items() if name != key}
        with pytest.raises(ValueError, match="is missing") as raised:
            core.simulate({"network": {"topology": "hypercube", "dimension": 3}, "io": rest})
        assert str(raised.value).startswith(f"io.{key}: ")


def test_wrong_placements_name_their_key() -> None:
    for nodes in ([0, 7, 9], [0, 0], [0, 128]):
        with pytest.raises(ValueError) as raised:
            run(nodes=nodes)
        assert str(raised.value).startswith("io.nodes: ")


def test_the_worst_node_is_the_element_least_served() -> None:
    found = run(5, 400_000, interval=3120.0)
    # Some 12,000 messages an element; the I/O of one, a tenth as many and long, scatters by a tenth.
    assert 0.7 * found["throughput"] < found["worst_node"] < found["throughput"]


@pytest.mark.parametrize("dimension", [2, 4, 5, 6])
def test_of_equally_near_io_nodes_that_over_the_lowest_dimension_serves(dimension: int) -> None:
    # In these cubes, put together of smaller ones, elements have two near I/O nodes; their own part's is the one.
    net = core.build_network({"topology": "hypercube", "dimension": dimension, "io": {"b": 1}})
    at, elements = list(core.hamming_placement(dimension)), 1 << dimension
    for element in range(elements):
        best = min(range(len(at)), key=lambda a: ((at[a] ^ element).bit_count(), at[a] ^ element))
        for a in range(len(at)):
            [(_, way)] = net.routes(elements + a, element)
            links = [net.links[link] for link, _ in way[1:-1]]
            if a != best:  # over the I/O network, and in at the home's router
                into = next(link for link in links if link["to"] < elements)
                assert into["from"] - elements == best and into["to"] == at[best]


def test_a_failed_node_s_elements_and_blocks_go_to_the_one_that_works() -> None:
    """Two I/O nodes, one failed: all that the 3-cube asks crosses 12/8 links to element 0, and nothing is forwarded."""
    found = run(3, 60_000, interval=1e8, io_rate=1.0, locality=0.3, nodes=[0, 7], failed=[1], reply_flits=32)
    assert found["latencies"]["pe_io"]["mean"] == pytest.approx(3.5, abs=0.05)
    assert found["latencies"]["read"]["mean"] == pytest.approx(7.0, abs=0.1)
    assert found["latencies"]["io_io"]["count"] == 0


@pytest.mark.parametrize("failed", [[], [2], [0, 3]])
def test_failed_nodes_requests_are_forwarded_by_brute_force_counts(failed: list[int]) -> None:
    at, elements = [0, 7, 9, 14], 16
    works = [address for address in range(4) if address not in failed]
    home = [min(works, key=lambda a: ((at[a] ^ e).bit_count(), at[a] ^ e)) for e in range(elements)]
    serves = [min(works, key=lambda a: ((a ^ block).bit_count(), a ^ block)) for block in range(4)]
    asked = [(e, block) for e in range(elements) for block in range(4) if block != home[e]]
    share = 0.6 * sum(serves[block] != home[e] for e, block in asked) / len(asked)
    links = sum((at[home[e]] ^ e).bit_count() for e in range(elements)) / elements
    found = run(4, 200_000, interval=1e8, io_rate=1.0, locality=0.4, nodes=at, **({"failed": failed} if failed else {}))
    forwarded = found["latencies"]["io_io"]["count"] / found["latencies"]["read"]["count"]
    assert forwarded == pytest.approx(share, abs=0.01)  # three standard deviations of 60,000 reads: 0.006
    assert found["latencies"]["pe_io"]["mean"] == pytest.approx(2 + links, abs=0.03)
    flits = 32 + share * 32 + 4096
    assert found["offered"] * 1e8 == pytest.approx(flits, rel=1e-9)


@pytest.mark.parametrize(("io", "words"), [
    ({"failed": [2]}, "names I/O address 2, accepted are 0 to 1"), ({"failed": [0, 1]}, "names all I/O nodes"),
    ({"failed": [0], "b": 0}, "needs an I/O network"),
])  # fmt: skip
def test_nodes_that_cannot_fail_name_their_key(io: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words) as raised:
        run(3, nodes=[0, 7], **io)
    assert str(raised.value).startswith("io.failed: ")


def lone(**io: Any) -> dict[str, Any]:
    """One I/O node at element 0 of a 3-cube, asked for reads alone, whose messages are short beside the intervals."""
    short = {"message_flits": 8, "request_flits": 8, "forward_flits": 8, "reply_flits": 8, "write_flits": 8}
    return run(3, nodes=[0], b=0, k=9, io_rate=1.0, startup=1, access=1, **short | io)


def count(found: dict[str, Any], name: str) -> int:
    return int(found["latencies"][name]["count"])


@pytest.mark.parametrize("read_ratio", [1.0, 0.3])
@pytest.mark.parametrize("busy", [0.3, 0.7, 0.9])
def test_an_io_node_of_finite_rate_waits_as_an_m_d_1_queue(busy: float, read_ratio: float) -> None:
    """Pollaczek and Khinchin: mean waiting rho s / (2 (1 - rho)); the network moves arrivals by tens of cycles."""
    service = 4000
    found = lone(messages=1_000_000, service=service, interval=8 * service / busy, read_ratio=read_ratio)
    expected = busy * service / (2 * (1 - busy))
    assert float(found["latencies"]["service_waiting"]["mean"]) == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize("busy", [1.5, 4.0])
def test_an_io_node_serves_no_more_than_its_rate(busy: float) -> None:
    """Beyond it reads come at one a service, whatever is asked, and the backlog grows: the network is saturated."""
    service = 2000
    found = lone(messages=400_000, service=service, interval=8 * service / busy)
    rate = count(found, "read") / found["measured_cycles"]
    assert rate == pytest.approx(1 / service, rel=0.01)
    backlog = found["backlog"]
    assert backlog[-1] > 1.3 * backlog[len(backlog) // 2] > 1.3 * backlog[0]


def test_without_a_service_time_nothing_waits_and_nothing_is_counted() -> None:
    assert "service_waiting" not in run()["latencies"]


@pytest.mark.parametrize("read_ratio", [0.0, 0.25, 1.0])
def test_the_overall_latency_of_transactions_is_that_of_reads_and_writes_in_their_proportion(read_ratio: float) -> None:
    found = run(read_ratio=read_ratio, interval=1560.0, locality=0.4, b=2)
    reads, writes, every = (count(found, name) for name in ("read", "write", "transaction"))
    assert every == reads + writes and (reads == 0) == (read_ratio == 0)
    total = sum(count(found, name) * mean(found, name) for name in ("read", "write") if count(found, name))
    assert mean(found, "transaction") == pytest.approx(total / every, rel=1e-9)


def test_a_service_time_is_refused_beside_files() -> None:
    with pytest.raises(ValueError) as raised:
        run(service=10, files=network_tables.IoFiles())
    assert str(raised.value).startswith("io.service: ")
