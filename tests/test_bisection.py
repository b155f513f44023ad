"""Effective bisection bandwidth: closed forms, every pairing of a network with one link between its halves, and MPI."""

from __future__ import annotations

import json
import math
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.benchmark.record import benchmark
from assay.benchmark.resolved import program_words
from assay.described.machine_file import DescribedMachine
from assay.described.shipped import open_described
from command_line import assay
from compiled import compile_to
from mpis_here import MPI, start_ranks
from started import words

A, B, LONG = 1e-5, 1e-9, 65536
EXCHANGE = 24  # the tag of messages that are timed
MACHINE = DescribedMachine.model_validate(
    {"name": "m", "messages": {"startup": "10 us", "per_byte": "1 ns/B"}}
).for_core()
# Two switches with four nodes each and one link between: a message is one packet, passed on when it is whole.
LINK = 1e-9  # s/B of every link
SWITCHES = DescribedMachine.model_validate(
    {
        "name": "switches",
        "network": {
            "topology": "fat-tree",
            "children": [4, 2],
            "parents": [1],
            "switching": "store-and-forward",
            "buffer_packets": 0,
            "cycle": "1 ns",
            "flit_bytes": 64.0,
            "flit_ticks": "64 ns",
            "body_ticks": "64 ns",
            "head_ticks": "1 ns",
        },
        "protocol": [{"startup": "1 us", "packet": "1 MiB"}],
    }
).for_core()


def played(
    machine: dict[str, Any], ranks: int, *given_words: str
) -> tuple[dict[str, list[float]], list[dict[int, int]]]:
    """Values by metric on a described machine, and the partners of each pairing that is timed; its checks pass."""
    from assay._core import ranks as core

    resolved = program_words(benchmark("bisection"), given_words, simulated=True)
    launch, log = core.logged("bisection", machine, ranks, list(resolved))
    events = [json.loads(line) for line in launch.lines.splitlines()]
    assert all(event["passed"] for event in events if event["event"] == "check")
    rows = zip(*(log["sent"][key] for key in ("tag", "called", "source", "destination")), strict=True)
    pairings: dict[int, dict[int, int]] = {}
    for tag, called, source, destination in rows:
        if tag == EXCHANGE:
            pairings.setdefault(called, {})[source] = destination
    return {event["metric"]: event["values"] for event in events if event["event"] == "block"}, [
        pairings[at] for at in sorted(pairings)
    ]


def matchings(ranks: Sequence[int]) -> Iterator[list[tuple[int, int]]]:
    """Every way to pair all of them."""
    if not ranks:
        yield []
        return
    first, *rest = ranks
    for other in rest:
        for more in matchings([each for each in rest if each != other]):
            yield [(first, other), *more]


def test_where_nothing_is_shared_it_is_the_closed_form_of_one_pair() -> None:
    found, pairings = played(MACHINE, 9, "--set", "pairings=12")
    rate = LONG / (A + B * LONG)
    assert found["pairing"] == pytest.approx([rate] * 12)
    for metric in ("effective", "alone", "low", "high", "slowest_pair"):
        assert found[metric] == [pytest.approx(rate)], metric
    assert found["share"] == [pytest.approx(1)] and found["pairings"] == [12]
    assert len(pairings) == 12 + 12  # of each one pair is also measured alone
    assert sorted(len(each) for each in pairings) == [2] * 12 + [8] * 12  # of nine ranks one rests


@settings(max_examples=25, deadline=None)
@given(ranks=st.integers(2, 17), seed=st.integers(0, 10**6))
def test_each_pairing_is_a_matching_drawn_anew(ranks: int, seed: int) -> None:
    _, pairings = played(MACHINE, ranks, "--seed", str(seed), "--set", "pairings=9", "--set", "bytes=8")
    whole = [each for each in pairings if len(each) > 2] if ranks > 3 else pairings
    for pairing in pairings:
        assert all(pairing[other] == rank != other for rank, other in pairing.items())
    if ranks > 3:
        assert {len(each) for each in whole} == {ranks // 2 * 2} and len(whole) == 9
    if ranks > 8:
        assert len({tuple(sorted(each.items())) for each in whole}) == 9


def test_pairs_of_ranks_on_one_node_are_never_drawn() -> None:
    """Two ranks on each of eight nodes: the nodes are halved, so that every pair has the network between its ends."""
    machine = open_described("fat-tree-hdr", {"network.children": "[2,4]", "network.parents": "[2]"}).for_core(2)
    _, pairings = played(machine, 16, "--set", "bytes=64")
    assert all(rank // 2 != other // 2 for each in pairings for rank, other in each.items())
    for each in pairings:  # nodes that halves of whole nodes could not tell apart would close an odd circle
        assert networkx.is_bipartite(networkx.Graph((rank // 2, other // 2) for rank, other in each.items()))


def of_pairing(crossing: int, pairs: int) -> float:
    """Mean rate of a pairing: pairs within a switch cross two links; of those between, one after the other crosses the
    link that all share, the third and last of four links following at once.
    """
    link, startup = LINK * LONG, 1e-6
    within = [LONG / (startup + 2 * link)] * (pairs - crossing)
    between = [LONG / (startup + (2 + place + 1) * link) for place in range(1, crossing + 1)]
    return fmean([*within, *between])


def test_pairings_over_one_shared_link_are_the_closed_form_and_their_mean_is_that_of_all_pairings() -> None:
    count = 600
    found, pairings = played(SWITCHES, 8, "--set", f"pairings={count}", "--set", f"bytes={LONG}")
    drawn = [each for each in pairings if len(each) == 8]
    crossing = [sum(rank < 4 <= other for rank, other in each.items()) for each in drawn]
    assert found["pairing"] == pytest.approx([of_pairing(each, 4) for each in crossing], rel=1e-3)
    assert found["effective"] == [pytest.approx(fmean(found["pairing"]))]
    ordered = sorted(found["pairing"])
    assert found["low"] == [ordered[math.ceil(0.1 * count) - 1]] and found["high"] == [
        ordered[math.ceil(0.9 * count) - 1]
    ]
    assert found["slowest_pair"] == [pytest.approx(LONG / (1e-6 + 7 * LINK * LONG), rel=1e-3)]
    every = [of_pairing(sum(a < 4 <= b for a, b in pairs), 4) for pairs in matchings(range(8))]
    assert len(every) == 105
    expected = fmean(every)
    error = math.sqrt(fmean((each - expected) ** 2 for each in every) / count)
    assert abs(found["effective"][0] - expected) < 4 * error
    assert Counter(crossing).keys() == {0, 2, 4}
    # what is left of the k-th pair over the shared link is 4 link times, alone, of the 3 + k that it takes among all
    left = [
        [1.0] * (4 - count) + [4 / (3 + place) for place in range(1, count + 1)]
        for count in (sum(a < 4 <= b for a, b in pairs) for pairs in matchings(range(8)))
    ]
    of_pairs = [each for pairing in left for each in pairing]
    error = math.sqrt(fmean((each - fmean(of_pairs)) ** 2 for each in of_pairs) / 20)  # 20 pairs are measured alone
    assert abs(found["share"][0] - fmean(of_pairs)) < 4 * error


def test_unlike_pairs_on_a_network_that_blocks_nothing_keep_all_that_they_have() -> None:
    """One node's link is half as fast: which pairs are measured alone, as the seed draws them, makes no difference."""
    link = {"node": 3, "slower": 2}
    network = {"topology": "crossbar", "nodes": 8, "links": [link], "cycle": "1 ns", "flit_bytes": 1.0}
    protocol = [{"startup": "1 us", "packet": "1 MiB"}]
    unlike = DescribedMachine.model_validate({"name": "unlike", "network": network, "protocol": protocol}).for_core()
    alone = set()
    for seed in range(1, 6):
        found, _ = played(unlike, 8, "--seed", str(seed), "--set", "pairings=12")
        assert found["share"] == [pytest.approx(1, rel=1e-3)], seed
        alone.add(round(found["alone"][0] / 1e6))
    assert len(alone) > 1


def test_a_person_sees_mean_spread_and_how_many_were_drawn(tmp_path: Path) -> None:
    where = ("--on", "fat-tree-hdr", "-n", "16", "--set", "machine.network.children=[4,4]")
    more = ("--set", "machine.network.parents=[1]", "--out", str(tmp_path / "run"))
    answer = assay("run", "bisection", *where, *more, "--json")
    assert answer.status == 0, answer.err
    of = {each["name"]: each["value"] for each in answer.document["figures"] if each["statistic"] == "median"}
    assert of["slowest_pair"] <= of["low"] <= of["pairing"] <= of["high"] <= of["alone"]
    assert of["low"] < of["effective"] < of["high"] and of["pairings"] == 40
    assert 0.2 < of["share"] < 0.9
    (line,) = assay("report", str(tmp_path / "run"), "--json").document["summary"]["lines"]
    assert line["bound"]["share"] == pytest.approx(of["share"])
    assert "a pair while all others wait" in line["bound_text"]


needs_mpi = pytest.mark.skipif(MPI is None, reason="no MPI here")


def on_mpi(folder: Path, ranks: int, *flags: str) -> tuple[list[dict[str, Any]], subprocess.CompletedProcess[str]]:
    """Events of a few pairings of messages of 4096 bytes on ranks of this host."""
    assert MPI is not None
    root = Path(__file__).resolve().parent.parent / "programs"
    about = f'-DASSAY_PROGRAM="{root / "ranks" / "bisection.hpp"}"'
    program = compile_to(folder / "bisection", root / "mpi" / "main.cpp", about, "-O0", *flags, mpi=MPI)
    given_words = ("--set", "bytes=4096", "--set", "pairings=3", "--blocks", "2")
    ended = start_ranks(MPI, ranks, program, *words("bisection", *given_words, "--deadline", "100"))
    return [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")], ended


@pytest.mark.mpi
@needs_mpi
def test_on_mpi_an_odd_number_of_ranks_passes_its_check_and_gives_every_figure(tmp_path: Path) -> None:
    events, ended = on_mpi(tmp_path, 5)
    assert ended.returncode == 0, ended.stderr
    blocks = [event for event in events if event["event"] == "block"]
    assert Counter(event["metric"] for event in blocks) == dict.fromkeys(benchmark("bisection").metrics, 2)
    for block in (0, 1):
        of = {event["metric"]: event["values"] for event in blocks if event["block"] == block}
        assert of["pairings"] == [3] and len(of["pairing"]) == 3
        assert of["effective"] == [pytest.approx(fmean(of["pairing"]))]
        # the mean of r / a is at least the least r over the mean a, but for which end of a pair has read its clock
        assert of["share"][0] >= 0.5 * of["slowest_pair"][0] / of["alone"][0]
        assert of["slowest_pair"][0] <= min(of["pairing"]) == of["low"][0]
    assert [event["passed"] for event in events if event["event"] == "check"] == [True]
    assert any("no network" in event["text"] for event in events if event["event"] == "note")


@pytest.mark.nightly
@pytest.mark.mpi
@needs_mpi
def test_a_wrong_byte_fails_the_check(tmp_path: Path) -> None:
    events, _ = on_mpi(tmp_path, 4, "-DASSAY_BREAK")
    assert [event["passed"] for event in events if event["event"] == "check"] == [False]
