"""What described clusters rest on, against closed forms: interfaces, shared memory, ranks per node, MPICH."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from assay.described.machine_file import DescribedMachine
from assay.verbs._run_request import evaluation
from command_line import assay
from started import play

FLIT = 10e-9  # s, of 1 byte: 100 MB/s
NETWORK = {"topology": "crossbar", "nodes": 8, "cycle": "0.1 ns", "flit_ticks": 100, "body_ticks": 100,
           "head_ticks": 1, "buffer_flits": 0}  # fmt: skip
PROTOCOL = {"startup": "2 us", "receive": "3 us", "packet": "1000 B"}
PLAIN: dict[str, Any] = {"name": "m", "network": NETWORK, "protocol": [PROTOCOL], "self": [{"startup": "0 us"}]}


def described(**tables: Any) -> DescribedMachine:
    return DescribedMachine.model_validate({**PLAIN, **tables})


def values(machine: DescribedMachine, program: str, ranks: int, *settings: str, per_node: int | None = None) -> Any:
    """The first sample of each case, in the order of the cases; every check has passed."""
    given = [word for each in settings for word in ("--set", each)]
    lines = [json.loads(line) for line in play(program, machine.for_core(per_node), ranks, given).splitlines()]
    assert lines[-1]["event"] == "done"
    assert all(line["passed"] for line in lines if line["event"] == "check")
    return [
        line["values"][0] for line in lines if line["event"] == "block" and line["metric"] in ("time", "round_trip")
    ]


@pytest.mark.parametrize("share", [0.25, 0.8, 1.0, 2.5])
def test_a_message_crosses_both_interfaces_packet_by_packet(share: float) -> None:
    """One packet: interface, wire, interface. Many: the slowest of the three carries the rate, the others fill it."""
    piece, wire = share * FLIT * 1000, FLIT * 1000
    machine = described(node={"interface": f"{share * FLIT} s/B"})
    (one,) = values(machine, "fine-echo", 2, "bytes=1000")
    assert one / 2 == pytest.approx(5e-6 + 2 * piece + wire, rel=1e-3)
    (many,) = values(machine, "fine-echo", 2, "bytes=50000")
    assert many / 2 == pytest.approx(5e-6 + 2 * piece + wire + 49 * max(piece, wire), rel=1e-3)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.7, 1.0])
def test_out_and_in_take_turns_at_a_node_s_interface(share: float) -> None:
    """In an exchange each way has half of the interface, or the wire where that is slower."""
    length = 1_000_000
    machine = described(node={"interface": f"{share * FLIT} s/B"})
    (time,) = values(machine, "patterns", 2, "pattern=neighbour-1d", f"bytes={length}")
    assert time / 2 == pytest.approx(length * FLIT * max(1.0, 2 * share), rel=0.02)  # two directions in turn


def test_two_ranks_of_a_node_share_its_wire_and_its_interface() -> None:
    length = 1_000_000
    machine = described(node={"processors": 2, "interface": f"{0.7 * FLIT} s/B"})
    settings = ("pattern=bisection-regular", f"bytes={length}")
    (apart,) = values(machine, "patterns", 4, *settings, per_node=1)
    (together,) = values(machine, "patterns", 4, *settings, per_node=2)
    assert apart / 2 == pytest.approx(length * FLIT, rel=0.01)
    assert together / 2 == pytest.approx(2 * length * FLIT, rel=0.01)


RATE, SHARED = 50e6, 80e6  # flop/s of a rank alone, of a node
MEMORY = {"compute": {"rate": {"dot": f"{RATE} flop/s"}, "shared": {"dot": f"{SHARED} flop/s"}}, "protocol": [{}],
          "node": {"processors": 4}}  # fmt: skip


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_the_ranks_of_a_node_share_its_memory(ranks: int) -> None:
    length = 12_000_000
    (time,) = values(described(**MEMORY), "distributed-dot", ranks, "implementation=tree", f"length={length}")
    assert time == pytest.approx(2 * length / ranks / min(RATE, SHARED / ranks), rel=1e-3)


def test_who_is_left_alone_computes_at_its_own_rate_again() -> None:
    """Five elements on two ranks: two and three; the third is computed alone."""
    (time,) = values(described(**MEMORY), "distributed-dot", 2, "implementation=tree", "length=5")
    assert time == pytest.approx(2 * (2 * 2 / SHARED + 1 / RATE), abs=2e-9)


def test_ranks_of_other_nodes_share_nothing() -> None:
    (time,) = values(described(**MEMORY), "distributed-dot", 4, "implementation=tree", "length=8000000", per_node=1)
    assert time == pytest.approx(2 * 2_000_000 / RATE, rel=1e-3)


# --- MPICH 1.2's collectives ----------------------------------------------------------------------------------------

TWINS = {"broadcast": "binomial", "reduce": "binomial", "allreduce": "binomial", "gather": "linear",
         "scatter": "linear", "allgather": "ring", "alltoall": "linear", "scan": "linear",
         "barrier": "recursive-doubling"}  # fmt: skip
MPICH = {"mpi": {"personality": "mpich-1.2"}}


@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("operation", [*TWINS, "alltoallv", "reduce-scatter"])
def test_the_library_s_collectives_deliver_the_right_data(operation: str, ranks: int) -> None:
    roots = range(ranks) if operation in ("broadcast", "reduce", "gather", "scatter") else (0,)
    for root in roots:
        settings = (f"operation={operation}", "algorithm=library", "bytes=8,1000", f"root={root}")
        assert values(described(**MPICH), "collective", ranks, *settings)


@pytest.mark.parametrize("operation", TWINS)
def test_the_library_s_collectives_take_the_time_of_the_algorithm_that_they_are(operation: str) -> None:
    def time(algorithm: str) -> float:
        settings = (f"operation={operation}", f"algorithm={algorithm}", "bytes=4000")
        (found,) = values(described(**MPICH), "collective", 6, *settings)
        return float(found)

    assert time("library") == pytest.approx(time(TWINS[operation]))


def test_the_library_s_broadcast_and_allreduce_are_the_closed_forms() -> None:
    message = 5e-6 + 1000 * FLIT
    for operation, rounds in (("broadcast", 3), ("reduce", 3), ("allreduce", 6), ("allgather", 7)):
        settings = (f"operation={operation}", "algorithm=library", "bytes=1000")
        (time,) = values(described(**MPICH), "collective", 8, *settings)
        assert time == pytest.approx(rounds * message, rel=0.01)


CHARGED = {"compute": {"rate": {"maximum": "50 MB/s", "gather": "20 MB/s"}}}


@pytest.mark.parametrize("library", [True, False])
@pytest.mark.parametrize(("operation", "sums"), [("reduce", 3), ("allreduce", 3), ("scan", 7)])
def test_sums_are_charged_where_they_are_described(operation: str, sums: int, library: bool) -> None:
    """Of 8 ranks so many sums one behind the other, of 8,000 bytes at 50 MB/s each."""
    algorithm = "library" if library else TWINS[operation]
    settings = (f"operation={operation}", f"algorithm={algorithm}", "bytes=8000")
    (free,) = values(described(**MPICH), "collective", 8, *settings)
    (charged,) = values(described(**MPICH, **CHARGED), "collective", 8, *settings)
    assert charged - free == pytest.approx(sums * 8000 / 50e6, rel=1e-3)  # a wait for the wire less


@pytest.mark.parametrize("library", [True, False])
@pytest.mark.parametrize(("operation", "pattern"), [("reduce", "reduction"), ("gather", "collect")])
def test_a_collective_takes_what_the_pattern_of_the_same_messages_takes(
    operation: str, pattern: str, library: bool
) -> None:
    algorithm = "library" if library else TWINS[operation]
    machine = described(**MPICH, **CHARGED)
    (found,) = values(machine, "collective", 8, f"operation={operation}", f"algorithm={algorithm}", "bytes=8000")
    (expected,) = values(machine, "patterns", 8, f"pattern={pattern}", "bytes=8000")
    assert found == pytest.approx(expected, rel=1e-9)


def test_without_a_personality_the_library_s_collectives_are_not_described() -> None:
    with pytest.raises(ValueError, match="no library's own on this machine"):
        values(described(), "collective", 4, "operation=broadcast", "algorithm=library", "bytes=8")


# --- ranks per node, as a person asks for them ----------------------------------------------------------------------


def run_on(machine: str, *words: str) -> Any:
    """The figure `rate` of a long bisection, by ranks per node."""
    made = assay("run", "patterns", "--on", machine, "--set", "pattern=bisection-regular", "--set", "bytes=1000000",
                 *words, "--json")  # fmt: skip
    assert made.status == 0, made.err
    return {
        each["params"].get("ppn"): each["value"]
        for each in json.loads(made.out)["figures"]
        if each["name"] == "rate" and each["statistic"] == "median"
    }


def test_ppn_places_the_ranks_of_a_described_machine(tmp_path: Path) -> None:
    both = run_on("sgi-l1200-cluster", "-n", "4", "--ppn", "1,2", "--out", str(tmp_path / "both"))
    assert set(both) == {1, 2} and both[2] == pytest.approx(both[1] / 2, rel=0.02)
    assert run_on("sgi-l1200-cluster", "-n", "4", "--out", str(tmp_path / "own")) == {None: both[1]}
    (packed,) = run_on("ibm-netfinity-cluster", "-n", "4", "--out", str(tmp_path / "ibm")).values()
    assert packed == pytest.approx(both[2], rel=0.02)


@pytest.mark.parametrize(
    ("on", "words", "ranks"),
    [
        ("ibm-netfinity-cluster", ("-N", "2"), 4),  # two on a node, as it was measured
        ("compaq-alphaserver-sc", ("-N", "2"), 8),  # of four processors each
        ("sgi-l1200-cluster", ("-N", "2"), 2),  # its description says one
        ("sgi-l1200-cluster", ("-N", "2", "--ppn", "2"), 4),
    ],
)
def test_nodes_are_counted_as_nodes(on: str, words: tuple[str, ...], ranks: int, tmp_path: Path) -> None:
    answer = assay("run", "barrier", "--on", on, *words, "--json", "--out", str(tmp_path / "run"))
    assert answer.status == 0, answer.err
    assert {figure["params"]["ranks"] for figure in answer.document["figures"]} >= {ranks}
    assert max(figure["params"]["ranks"] for figure in answer.document["figures"]) == ranks


def test_ranks_are_spread_over_the_nodes_that_are_named(tmp_path: Path) -> None:
    """Four ranks on two nodes of two processors share a wire, where four nodes would give each its own."""

    def bisection(*words: str) -> float:
        chosen = ("--set", "pattern=bisection-regular", "--set", "bytes=1048576", "-n", "4", *words)
        out = str(tmp_path / "".join(words).replace("-", ""))
        answer = assay("run", "patterns", "--on", "sgi-l1200-cluster", *chosen, "--out", out, "--json")
        assert answer.status == 0, answer.err
        (time, *_) = [each["value"] for each in answer.document["figures"] if each["name"] == "time"]
        return float(time)

    four, two = bisection("-N", "4"), bisection("-N", "2")
    assert four == bisection("--ppn", "1") and two == bisection("--ppn", "2")
    assert two > 1.5 * four


@pytest.mark.parametrize(
    ("words", "key", "seen", "accepted"),
    [
        (("-N", "9"), "-N", "9", "1 to 8"),
        (("-N", "3", "-n", "8"), "-n", "8", "up to 6"),
        (("-N", "3", "--ppn", "1", "-n", "4"), "-n", "4", "up to 3"),
    ],
)
def test_more_nodes_than_there_are_and_more_ranks_than_they_hold_are_refused(
    words: tuple[str, ...], key: str, seen: str, accepted: str
) -> None:
    answer = assay("run", "patterns", "--on", "sgi-l1200-cluster", *words)
    assert answer.status == 2
    assert f"sgi-l1200-cluster {key}: " in answer.err and f"got {seen}, expected {accepted}" in answer.err


@pytest.mark.parametrize(
    ("on", "ppn", "most"), [("ibm-netfinity-cluster", "1", 8), ("compaq-alphaserver-sc", "1,4", 16)]
)
def test_an_evaluation_with_ranks_per_node_takes_all_nodes(on: str, ppn: str, most: int, tmp_path: Path) -> None:
    """Those that measure nothing there are of no interest here: their sizes are chosen before."""
    names = ("via", "nodes", "placement", "launches", "within", "budget", "compilers", "flags", "isas", "mpis")
    options = dict.fromkeys(names)
    made = evaluation({**options, "transports": None, "on": on, "ppn": ppn, "profile": "quick", "only": "messages",
                       "seed": 1})  # fmt: skip
    assert made.request is not None
    tasks = made.request.plan().tasks
    assert max(task.ranks or 0 for task in tasks if task.benchmark == "barrier") == most


def test_more_ranks_than_nodes_go_two_on_a_node(tmp_path: Path) -> None:
    (crowded,) = run_on("sgi-l1200-cluster", "-n", "16", "--out", str(tmp_path / "all")).values()
    (apart,) = run_on("sgi-l1200-cluster", "-n", "8", "--out", str(tmp_path / "eight")).values()
    assert crowded == pytest.approx(apart / 2, rel=0.02)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--ppn", "3"), "--ppn: more ranks per node than it has processors; got 3, expected up to 2"),
        (
            ("--ppn", "1", "-n", "9"),
            "-n: more ranks than there is room for; got 9, expected 1 to 8: 8 nodes, 1 rank on each",
        ),
        (("--ppn", "x"), "--ppn: are not counts; got 'x'"),
    ],
)
def test_what_cannot_be_placed_is_refused_in_one_line(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    made = assay("run", "patterns", "--on", "sgi-l1200-cluster", "--set", "pattern=broadcast", *words, "--out",
                 str(tmp_path / "run"))  # fmt: skip
    assert made.status == 2 and said in made.err, made.err
    assert made.err.strip().count("\n") == 0


def test_a_closed_form_of_the_naive_dot_product() -> None:
    """The root takes p - 1 sums one after another and sends as many, each with a start-up; the last rank waits."""
    ranks, startup, receive = 8, 2e-6, 3e-6
    machine = described(
        protocol=[{"startup": f"{startup} s", "receive": f"{receive} s"}], compute={"rate": {"dot": "1e15 flop/s"}}
    )
    (naive,) = values(machine, "distributed-dot", ranks, "implementation=naive", "length=8")
    (tree,) = values(machine, "distributed-dot", ranks, "implementation=tree", "length=8")
    wire = 8 * FLIT
    assert naive == pytest.approx(startup + wire + (ranks - 1) * (receive + startup) + wire + receive, rel=0.1)
    assert tree == pytest.approx(2 * math.log2(ranks) * (startup + wire + receive), rel=0.1)


# --- which ranks share a node ----------------------------------------------------------------------------------------


def test_two_levels_are_those_of_the_nodes_behind_one_switch(tmp_path: Path) -> None:
    """A crossbar has no channels between routers: its nodes are told apart all the same."""
    settings = ("operation=allreduce", "algorithm=two-level", "bytes=8000")
    machine = described(node={"processors": 2})
    (found,) = values(machine, "collective", 8, *settings, per_node=2)
    (expected,) = values(machine, "collective", 8, *settings, "node_ranks=2", per_node=2)
    assert found == expected
    (four,) = values(described(node={"processors": 4}), "collective", 8, *settings, per_node=4)
    assert four != found
    made = assay("run", "collective", "--on", "fat-tree-hdr", "-n", "32", "--set", "operation=reduce", "--set",
                 "algorithm=two-level", "--set", "bytes=8", "--out", str(tmp_path / "run"))  # fmt: skip
    assert made.status == 2 and "two levels need two nodes" in made.err  # one rank on each: a switch is no node


def test_neighbours_behind_one_switch_are_the_ranks_of_other_nodes() -> None:
    """Three ranks of the two other nodes' four send to rank 0 at once, or all four; its own node's rank does not."""
    machine = described(node={"processors": 2, "ranks": 2})
    three, four = sorted(values(machine, "fan-in", 6, "bytes=1000", "neighbours=3,4", per_node=2))
    assert four == pytest.approx(4 / 3 * three, rel=0.01)
    with pytest.raises(Exception, match="neighbours"):
        values(machine, "fan-in", 6, "bytes=1000", "neighbours=5", per_node=2)


def test_a_node_has_no_more_ranks_than_processors(tmp_path: Path) -> None:
    """They would be placed on processors that are not there."""
    made = assay(
        "run", "echo", "--on", "sgi-l1200-cluster", "--set", "machine.node.ranks=3", "--out", str(tmp_path / "r")
    )
    assert made.status == 2 and "node.ranks" in made.err, made.err
    assert "ranks: are more than the processors" in made.err and "expected 1 to 2, the processors of a node" in made.err
