"""Collective algorithms: right data for every number of ranks and root, closed-form costs, the library's own on MPI."""

from __future__ import annotations

import itertools
import json
import math
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

from assay.benchmark.record import benchmark
from assay.benchmark.resolved import program_words
from assay.described.machine_file import DescribedMachine
from assay.described.shipped import open_described
from assay.execute.build import build
from assay.execute.mpi import launch_environment
from command_line import assay
from compiled import compile_to
from mpis_here import MPI, yielding
from started import play, words

PROGRAMS = Path(__file__).resolve().parent.parent / "programs"
A, B = 1e-5, 1e-9
MACHINE = DescribedMachine.model_validate(
    {"name": "m", "messages": {"startup": "10 us", "per_byte": "1 ns/B"}}
).for_core()
TREE = {"network.children": "[4,2]", "network.parents": "[2]", "node.processors": "3"}
TABLE = {
    "barrier": ("linear", "binomial", "recursive-doubling", "dissemination", "dimension-exchange"),
    "broadcast": ("linear", "binomial", "scatter-allgather"),
    "reduce": ("linear", "binomial", "rabenseifner"),
    "allreduce": ("binomial", "recursive-doubling", "rabenseifner", "ring"),
    "gather": ("linear", "binomial"),
    "scatter": ("linear", "binomial"),
    "allgather": ("linear", "ring", "bruck"),
    "reduce-scatter": ("recursive-halving", "pairwise", "ring"),
    "alltoall": ("linear", "pairwise", "bruck"),
    "alltoallv": ("linear", "pairwise"),
    "scan": ("linear", "recursive-doubling"),
}
ROOTED = ("broadcast", "reduce", "gather", "scatter")
ALL = [(operation, algorithm) for operation, algorithms in TABLE.items() for algorithm in algorithms]
OWN = {(operation, "library") for operation in TABLE}
TWO_LEVEL = [(operation, "two-level") for operation in TABLE]


def events(ranks: int, *given: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in play("collective", MACHINE, ranks, list(given)).splitlines()]


def named(found: list[dict[str, Any]], kind: str) -> dict[tuple[str, str, int, int], dict[str, Any]]:
    return {
        (e["case"]["operation"], e["case"]["algorithm"], e["case"]["bytes"], e["case"]["root"]): e
        for e in found
        if e["event"] == kind and e.get("metric", "time") == "time"
    }


def up_a_tree(ranks: int, n: float) -> float:
    """A binomial tree's blocks of n bytes to the root: a subtree is sent when its own subtrees have come."""
    bits = [1 << k for k in range(ranks.bit_length()) if 1 << k < ranks]
    below = [(bit, min(bit, ranks - bit)) for bit in bits]
    return max((up_a_tree(size, n) + A + B * n * size for _, size in below), default=0)


def down_a_tree(ranks: int, n: float) -> float:
    """The same from the root, which sends the largest subtree first and one after the other."""
    return max(sent_on(ranks, n))


def sent_on(ranks: int, n: float) -> list[float]:
    """When each rank of that tree has its block and has sent the others on."""
    return unlike_sent_on([n] * ranks)


def unlike_sent_on(lengths: Sequence[float]) -> list[float]:
    """The same of blocks of unlike lengths, the root's first."""
    ranks = len(lengths)
    bits = [1 << k for k in reversed(range(ranks.bit_length())) if 1 << k < ranks]
    sent, others = 0.0, list[float]()
    end = ranks
    for bit in bits:  # the subtrees from the last on
        sent += A + B * sum(lengths[bit:end])
        others = [sent + each for each in unlike_sent_on(lengths[bit:end])] + others
        end = bit
    return [sent, *others]


def halving(p: int, n: float) -> float:
    """Reduce-scatter of blocks of n bytes: ranks below a power of two stand for one block or, the first, for two."""
    cube = 1 << math.floor(math.log2(p))
    pairs = p - cube
    stands_for = [2] * pairs + [1] * (cube - pairs)
    at = [A + B * n * p] * pairs + [0.0] * (cube - pairs)
    step = cube // 2
    while step:
        sends = [sum(stands_for[(v & ~(step - 1) ^ step) + i] for i in range(step)) for v in range(cube)]
        at = [max(at[w] + A + B * n * sends[w] for w in (v, v ^ step)) for v in range(cube)]
        step //= 2
    return max([*at, *(at[v] + A + B * n for v in range(pairs))])


def uneven(p: int, n: int, source: int, to: int) -> int:
    """What alltoallv's ranks send one another: n bytes in the mean, 0 to 2 n."""
    return 2 * n * ((2 * source + to) % p) // (p - 1)


def uneven_pairs(p: int, n: int) -> float:
    at = [0.0] * p
    for k in range(1, p):
        to = [r ^ k if p & (p - 1) == 0 else (r + k) % p for r in range(p)]
        sent = [at[r] + A + B * uneven(p, n, r, to[r]) for r in range(p)]
        at = [max(sent[r], sent[to.index(r)]) for r in range(p)]
    return max(at)


def uneven_by_node(nodes: int, node: int, n: int) -> float:
    """A rank's messages to its leader, leaders pairwise what their nodes have for one another, and each its own."""
    p = nodes * node
    length = [[uneven(p, n, source, to) for to in range(p)] for source in range(p)]
    ranks = [range(k * node, (k + 1) * node) for k in range(nodes)]
    at = [up_a_tree(node, sum(length[0]))] * nodes
    for k in range(1, nodes):
        to = [r ^ k if nodes & (nodes - 1) == 0 else (r + k) % nodes for r in range(nodes)]
        between = [sum(length[i][j] for i in ranks[r] for j in ranks[to[r]]) for r in range(nodes)]
        sent = [at[r] + A + B * between[r] for r in range(nodes)]
        at = [max(sent[r], sent[to.index(r)]) for r in range(nodes)]
    due = [[sum(row[to] for row in length) for to in each] for each in ranks]
    return max(begun + max(unlike_sent_on(each)) for begun, each in zip(at, due, strict=True))


def cost(operation: str, algorithm: str, p: int, n: int) -> float:
    """Seconds where a message takes A + B n, a rank sends one at a time and the network is in nobody's way."""
    up, down = math.floor(math.log2(p)), math.ceil(math.log2(p))  # a subtree cut short is ready earlier
    whole = p == 1 << up
    doubling = up if whole else up + 2  # the surplus ranks fold in and out
    halves = up * A + B * n * (1 - 2**-up)  # a half, a quarter …
    one = A + B * n
    rounds = [1 << k for k in range(down)]
    return {
        ("barrier", "linear"): A * (1 + p - 1),
        ("barrier", "binomial"): A * (up + down),
        ("barrier", "recursive-doubling"): A * doubling,
        ("barrier", "dissemination"): A * down,
        ("barrier", "dimension-exchange"): A * (2 * up + (0 if whole else 2)),
        ("barrier", "library"): A * down,
        ("broadcast", "linear"): (p - 1) * one,
        ("broadcast", "binomial"): down * one,
        ("broadcast", "scatter-allgather"): 2 * (p - 1) * (A + B * n / p),
        ("reduce", "linear"): one,
        ("reduce", "binomial"): up * one,
        ("allreduce", "binomial"): (up + down) * one,
        ("allreduce", "recursive-doubling"): doubling * one,
        ("reduce", "rabenseifner"): 2 * halves + (0 if whole else one),
        ("allreduce", "rabenseifner"): 2 * halves + (0 if whole else 2 * one),
        ("gather", "linear"): one,
        ("gather", "binomial"): up_a_tree(p, n),
        ("scatter", "linear"): (p - 1) * one,
        ("scatter", "binomial"): down_a_tree(p, n),
        ("reduce-scatter", "recursive-halving"): halving(p, n),
        ("reduce-scatter", "pairwise"): (p - 1) * one,
        ("reduce-scatter", "ring"): (p - 1) * one,
        ("alltoallv", "linear"): max(
            sum(A + B * uneven(p, n, rank, to) for to in range(p) if to != rank) for rank in range(p)
        ),
        ("alltoallv", "pairwise"): uneven_pairs(p, n),
        ("scan", "linear"): (p - 1) * one,
        ("scan", "recursive-doubling"): down * one,
        ("allreduce", "ring"): 2 * (p - 1) * (A + B * n / p),
        ("allgather", "linear"): (p - 1) * one,
        ("allgather", "ring"): (p - 1) * one,
        ("allgather", "bruck"): sum(A + B * n * min(have, p - have) for have in rounds),
        ("alltoall", "linear"): (p - 1) * one,
        ("alltoall", "pairwise"): (p - 1) * one,
        ("alltoall", "bruck"): sum(A + B * n * sum(k & bit != 0 for k in range(p)) for bit in rounds),
    }[operation, algorithm]


@pytest.mark.parametrize("ranks", range(1, 34))
def test_every_algorithm_gives_right_data_for_every_root(ranks: int) -> None:
    every = range(ranks) if ranks < 17 or ranks == 33 else (0, 1, ranks // 2, ranks - 1)
    given = ("bytes=8,104", "root=" + ",".join(map(str, every)), "node_ranks=3")
    checks = named(events(ranks, *(word for each in given for word in ("--set", each))), "check")
    assert all(check["passed"] for check in checks.values())
    assert all(check["detail"].startswith(f"{ranks} rank") for check in checks.values())
    for operation, algorithm in [*ALL, *(TWO_LEVEL if ranks > 3 else ())]:  # more than one node
        lengths = {length for o, a, length, _ in checks if (o, a) == (operation, algorithm)}
        assert lengths == ({8} if operation == "barrier" else {8, 104})
        seen = {root for o, a, _, root in checks if (o, a) == (operation, algorithm)}
        assert seen == (set(every) if operation in ROOTED else {0})


def test_non_blocking_operations_give_right_data_from_1_to_33_ranks() -> None:
    for ranks in range(1, 34):
        roots = ",".join(map(str, sorted({0, ranks - 1})))
        given = ("call=non-blocking", "bytes=104", f"root={roots}", "node_ranks=3")
        found = events(ranks, *(word for each in given for word in ("--set", each)))
        checks = [each for each in found if each["event"] == "check"]
        assert all(check["passed"] and check["case"]["call"] == "non-blocking" for check in checks)
        seen = {key[:2] for key in named(found, "check")}
        assert seen == {*ALL, *(TWO_LEVEL if ranks > 3 else ())}, ranks


@hypothesis.settings(max_examples=20, deadline=None)
@hypothesis.given(data=st.data())
def test_nodes_with_any_ranks_of_them_in_any_order_give_right_data(data: st.DataObject) -> None:
    """Ranks of a node need be neither neighbours nor as many as another's: a job at places drawn at random.

    A scan, which depends on the order of ranks, has two levels where two of a node's ranks are neighbours.
    """
    from assay._core import ranks as core

    ranks = data.draw(st.integers(3, 14))
    places = data.draw(st.permutations(range(24)))[:ranks]  # of eight nodes of three processors
    shared = len({place // 3 for place in places})
    hypothesis.assume(1 < shared < ranks)
    machine = open_described("fat-tree-hdr", TREE).for_core(3)
    given_words = ("--set", "algorithm=two-level", "--set", "bytes=104", "--set", f"root=0,{ranks - 1}")
    resolved = program_words(benchmark("collective"), given_words, simulated=True)
    world = core.Jobs(machine)
    job = world.begin("collective", list(resolved), places)
    while world.drain():
        pass
    found = world.job(job)
    assert (found["state"], found["failure"]) == ("completed", "")
    checks = named([json.loads(line) for line in found["launch"].lines.splitlines()], "check")
    neighbours = any(a // 3 == b // 3 for a, b in itertools.pairwise(places))
    assert {key[0] for key in checks} == set(TABLE) - (set() if neighbours else {"scan"})
    assert all(check["passed"] for check in checks.values())


@pytest.mark.parametrize("call", ["blocking", "non-blocking"])
@pytest.mark.parametrize("ranks", [2, 3, 4, 5, 7, 8, 12, 16, 33])
def test_times_are_the_closed_forms_where_nobody_is_in_the_way(ranks: int, call: str) -> None:
    """Also of an operation that is begun and waited for at once: no call of this machine goes on in the background."""
    length = 8 * ranks * (1 << math.floor(math.log2(ranks)))  # whole words for every rank of a ring and of a cube
    found = named(events(ranks, "--set", f"bytes={length}", "--set", f"call={call}"), "block")
    own = {("barrier", "library")} if call == "blocking" else set()
    assert {key[:2] for key in found} == {*ALL, *own}
    for (operation, algorithm, *_), block in found.items():
        expected = cost(operation, algorithm, ranks, length)
        assert block["values"] == [pytest.approx(expected)], (operation, algorithm)


@pytest.mark.parametrize(("ranks", "node"), [(4, 2), (6, 3), (12, 4), (15, 5), (32, 8), (33, 11)])
def test_two_levels_cost_a_tree_in_the_node_and_the_leaders_algorithm(ranks: int, node: int) -> None:
    nodes, n = ranks // node, 8000
    up, down = math.floor(math.log2(node)), math.ceil(math.log2(node))
    further, wider = math.floor(math.log2(nodes)), math.ceil(math.log2(nodes))
    doubling = further if further == wider else further + 2
    one = A + B * n
    bruck = sum(A + B * n * node * min(1 << k, nodes - (1 << k)) for k in range(wider))
    words = ("algorithm=two-level", f"bytes={n}", f"node_ranks={node}", "root=0,1")
    found = named(events(ranks, *(word for each in words for word in ("--set", each))), "block")
    assert {key[:2] for key in found} == set(TWO_LEVEL)
    for (operation, _, _, root), block in found.items():
        expected = {
            "barrier": (up + wider + down) * A,
            "broadcast": (root + wider + down) * one,  # rank 1 gives its leader the block first
            "reduce": (up + further + root) * one,
            "allreduce": (up + doubling + down) * one,
            "gather": up_a_tree(node, n) + up_a_tree(nodes, n * node) + root * (A + B * n * ranks),
            "scatter": root * (A + B * n * ranks) + down_a_tree(nodes, n * node) + down_a_tree(node, n),
            "allgather": up_a_tree(node, n) + bruck + down * (A + B * n * ranks),
            "alltoall": up_a_tree(node, n * ranks)
            + (nodes - 1) * (A + B * n * node * node)
            + down_a_tree(node, n * ranks),
            "alltoallv": uneven_by_node(nodes, node, n),
            "reduce-scatter": up * (A + B * n * ranks) + (nodes - 1) * (A + B * n * node) + down_a_tree(node, n),
            "scan": (2 * down + wider) * one,  # the last ranks double among themselves and tell their nodes
        }[operation]
        assert block["values"] == [pytest.approx(expected)], (operation, root)


def test_some_ranks_alone_take_as_long_as_a_machine_of_so_many() -> None:
    given = ("--set", "bytes=800", "--set", "node_ranks=2")
    many = events(12, *given, "--set", "ranks=5,12")
    for ranks in (5, 12):
        alone = named(events(ranks, *given), "block")
        among = named([each for each in many if each.get("case", {}).get("ranks") == ranks], "block")
        assert {key: block["values"] for key, block in among.items()} == {
            key: [pytest.approx(block["values"][0])] for key, block in alone.items()
        }
    assert all(each["passed"] for each in many if each["event"] == "check")


def lateness(rank: int, reading: int, skew: float) -> float:
    """splitmix64 of rank and reading, as a part of the skew (Steele, Lea and Flood 2014)."""
    mask = (1 << 64) - 1
    bits = (rank * 1000003 + reading + 0x9E3779B97F4A7C15) & mask
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9 & mask
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EB & mask
    return skew * ((bits ^ bits >> 31) >> 11) / 2**53


@pytest.mark.parametrize("skew", [5e-6, 3e-5, 1e-3])
def test_ranks_that_enter_late_are_waited_for_and_the_time_counts_from_the_last(skew: float) -> None:
    """A twin of the rounds: each rank goes on when its own message is away and its partner's has come."""
    given = ("operation=barrier,allreduce", "algorithm=dissemination,recursive-doubling", "bytes=8", f"skew=0,{skew}")
    found = events(8, *(word for each in given for word in ("--set", each)), "--repetitions", "3")
    blocks = [e for e in found if e["event"] == "block" and e["metric"] == "time" and "skew" in e["case"]]
    assert len(blocks) == 3
    for block in blocks:
        doubling = block["case"]["algorithm"] == "recursive-doubling"
        one = A + B * (8 if block["case"]["operation"] == "allreduce" else 0)
        for reading, time in enumerate(block["values"]):
            entered = at = [lateness(rank, reading, skew) for rank in range(8)]
            for step in (1, 2, 4):
                at = [max(at[r], at[r ^ step if doubling else (r - step) % 8]) + one for r in range(8)]
            assert time == pytest.approx(max(at) - max(entered), abs=1e-8)


def test_what_is_left_out_does_not_depend_on_which_rank_asks_first() -> None:
    """Ranks share one list of cases, whose first one is left out here."""
    found = events(4, "--set", "operation=reduce,barrier", "--set", "bytes=9,16")
    lengths = {key[0]: key[2] for key in named(found, "block")}
    assert lengths == {"reduce": 16, "barrier": 9}


def test_a_described_machine_has_no_library_but_its_barrier_and_that_is_said() -> None:
    found = events(4, "--set", "algorithm=library", "--set", "bytes=64")
    assert {key[:2] for key in named(found, "block")} == {("barrier", "library")}
    assert [e["text"] for e in found if e["event"] == "skip" and "no library's own" in e["text"]]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            ("operation=barrier", "algorithm=ring"),
            "no such algorithm of operation=barrier; got 'ring', expected library, linear, binomial, "
            "recursive-doubling, dissemination, dimension-exchange, two-level",
        ),
        (("operation=reduce", "bytes=9"), "whole 8-byte words"),
        (("operation=broadcast", "root=4"), "root: no such rank; got '4', expected 0 to 3"),
        (("operation=alltoall", "algorithm=library"), "no library's own on this machine"),
        (("operation=scan", "algorithm=library", "call=non-blocking"), "no non-blocking operations of a library"),
        (("operation=scan", "ranks=5"), r"ranks: more than there are; got '5', expected 0 \(all\) to 4"),
        (("operation=reduce", "algorithm=two-level"), "two levels need two nodes, one of them with two ranks"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(given: tuple[str, ...], said: str) -> None:
    with pytest.raises(ValueError, match=said) as caught:
        events(4, *(word for each in given for word in ("--set", each)))
    assert "\n" not in str(caught.value)


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_what_cannot_be_done_ends_a_run_at_its_first_launch(tmp_path: Path) -> None:
    """In one line, by MPI: a combination, a root, and what needs more than one node."""
    for given, said in (
        (
            "operation=gather algorithm=ring",
            "algorithm: no such algorithm of operation=gather; got 'ring', expected library, ",
        ),
        ("operation=gather root=2", "root: no such rank; got '2', expected 0 to 1"),
        ("operation=reduce algorithm=two-level", "algorithm: two levels need two nodes, one of them with two ranks"),
    ):
        settings = [word for each in given.split() for word in ("--set", each)]
        run = tmp_path / given.split("=")[-1]
        made = assay("run", "collective", *settings, "-n", "2", "--quiet", "--out", str(run))
        assert made.status == 2 and f"assay: collective: {said}" in made.err, made.err
        assert not run.exists()  # of what is refused no run is kept


def test_a_run_shows_the_time(tmp_path: Path) -> None:
    machine = PROGRAMS.parent / "examples" / "constant.toml"
    given = ("--set", "operation=allreduce", "--set", "algorithm=ring", "--set", "bytes=65536", "-n", "4")
    made = assay("run", "collective", "--on", str(machine), *given, "--out", str(tmp_path / "run"), "--json")
    assert made.status == 0
    figures = {figure["name"]: figure["value"] for figure in made.document["figures"]}
    assert figures == {"time": pytest.approx(6 * (70e-6 + 0.4e-6 * 16384))}


def launch(program: Path, ranks: int, *given: str, patience: int = 100) -> tuple[int, dict[tuple[str, str], bool]]:
    assert MPI is not None
    few = ["--blocks", "1", "--repetitions", "2", "--deadline", str(patience), "--set", "bytes=1000"]
    command = [MPI.mpiexec, "-n", str(ranks), str(program), *words("collective", *few, *given)]
    environment = launch_environment(os.environ) | yielding()
    ended = subprocess.run(command, capture_output=True, text=True, timeout=patience + 20, env=environment)
    found = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    passed: dict[tuple[str, str], bool] = {}
    for key, check in named(found, "check").items():
        passed[key[:2]] = passed.get(key[:2], True) and check["passed"]
    return ended.returncode, passed


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize("call", ["blocking", "non-blocking"])
@pytest.mark.parametrize(("ranks", "among", "roots"), [(1, 1, "0"), (6, 5, "2")])
def test_algorithms_and_the_library_give_right_data_on_mpi(ranks: int, among: int, roots: str, call: str) -> None:
    program = build([benchmark("collective")], mpi=MPI)["collective"].path
    cases = {*ALL, *OWN, *(TWO_LEVEL if ranks > 3 else ())}
    given = ("--set", f"root={roots}", "--set", f"ranks={among}", "--set", "node_ranks=3", "--set", f"call={call}")
    assert launch(program, ranks, *given) == (0, dict.fromkeys(cases, True))


@pytest.mark.mpi
@pytest.mark.nightly
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize("call", ["blocking", "non-blocking"])
@pytest.mark.parametrize("among", [2, 3, 5, 8, 16, 31, 32, 33])
def test_groups_of_33_ranks_give_right_data_on_mpi(among: int, call: str) -> None:
    program = build([benchmark("collective")], mpi=MPI)["collective"].path
    given = ("--set", f"ranks={among}", "--set", "node_ranks=2", "--repetitions", "1", "--set", f"call={call}")
    cases = {*ALL, *OWN, *(TWO_LEVEL if among > 2 else ())}
    assert launch(program, 33, *given, patience=900) == (0, dict.fromkeys(cases, True))


@pytest.mark.nightly
@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_wrong_data_and_early_exits_are_seen(tmp_path: Path) -> None:
    """All but the library's own barrier, which the saboteur cannot touch."""
    broken = tmp_path / "broken"
    source = PROGRAMS / "ranks" / "collective.hpp"
    compile_to(broken, PROGRAMS / "mpi" / "main.cpp", f'-DASSAY_PROGRAM="{source}"', "-DASSAY_BREAK", "-O0", mpi=MPI)
    status, passed = launch(broken, 3)
    assert status == 1 and {key for key, right in passed.items() if right} == {("barrier", "library")}
