"""GOAL schedules on described machines: against times worked out by hand, and against the programs they come from."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay._core import goal as core
from assay.described.machine_file import load
from command_line import assay

CONSTANT = 'name = "constant"\n[messages]\nstartup = "10 us"\nper_byte = "1 ns/B"\n'
STARTUP, NS = 10_000_000, 1_000  # ps
PAIR = """num_ranks 2
// rank 0 computes, then sends
rank 0 {
first: calc 100
l2: send 8b to 1 tag 70000 cpu 0 nic 0
l2 requires first
}
/* the other
   one */
rank 1 {
recv 8 b from -1 tag -1
}
"""


@pytest.fixture
def constant(tmp_path: Path) -> Path:
    file = tmp_path / "constant.toml"
    file.write_text(CONSTANT)
    return file


def played(text: str | bytes, machine: dict[str, Any]) -> tuple[int, int]:
    schedule = core.Schedule(text.encode() if isinstance(text, str) else text)
    makespan, waiting, _ = core.play(schedule, machine)
    assert waiting == []
    return makespan, core.first_order(schedule, machine)


def test_a_message_behind_computing(constant: Path, tmp_path: Path) -> None:
    (tmp_path / "pair.goal").write_text(PAIR)
    answer = assay("replay", "--goal", str(tmp_path / "pair.goal"), "--on", str(constant), "--json")
    assert answer.status == 0, answer.err
    document = answer.document
    assert document["makespan"] == pytest.approx(100e-9 + 10e-6 + 8e-9, abs=1e-18)
    assert document["first_order"] == document["makespan"]
    assert [figure["name"] for figure in document["figures"]] == ["makespan", "first_order"]
    assert (document["ranks"], document["operations"], document["messages"], document["unreceived"]) == (2, 3, 1, 0)
    shown = assay("replay", "--goal", str(tmp_path / "pair.goal"), "--on", str(constant))
    assert "1.0108e-05 s" in shown.out


@pytest.mark.parametrize(
    ("word", "expected"),
    [("requires", 2 * STARTUP + 50_000 * NS), ("irequires", 2 * STARTUP), (None, 2 * STARTUP)],
)
def test_what_begins_when(word: str | None, expected: int, constant: Path) -> None:
    """The second send requires a receive of what comes after 50 us, or the start of that receive only."""
    needs = "" if word is None else f"c {word} b\n"
    text = f"num_ranks 2\nrank 0 {{\na: send 0b to 1 tag 1\nb: recv 0b from 1 tag 2\nc: send 0b to 1 tag 3\n{needs}}}\n"
    text += "rank 1 {\nx: calc 50000\ny: send 0b to 0 tag 2\ny requires x\n"
    text += "recv 0b from 0 tag 1\nrecv 0b from 0 tag 3\n}\n"
    late = 50_000 * NS + STARTUP  # rank 1's own end
    assert played(text, load(constant).for_core())[0] == max(late, expected)


def packed(ranks: list[list[tuple[int, int, int, int, list[int], list[int]]]]) -> bytes:
    """The binary form, of operations (kind, peer, size, tag, waiting for its end, for its start)."""
    parts = []
    for ops in ranks:
        needs = [0] * len(ops)
        listed: list[int] = []
        body = b""
        for *_, ends, starts in ops:
            for later in [*ends, *starts]:
                needs[later] += 1
        for (kind, peer, size, tag, ends, starts), waits in zip(ops, needs, strict=True):
            body += struct.pack("<IBIQIBB", waits, kind, peer, size, tag, 0, 0)
            body += struct.pack("<II", len(ends), len(listed))
            listed += ends
            body += struct.pack("<II", len(starts), len(listed))
            listed += starts
        roots = [op for op, waits in enumerate(needs) if waits == 0]
        head = struct.pack("<II", len(ops), len(roots)) + struct.pack(f"<{len(roots)}I", *roots)
        parts.append(head + body + struct.pack(f"<{len(listed)}I", *listed))
    place = 6 + 16 * len(parts)
    table = b""
    for part in parts:
        table += struct.pack("<QQ", place, place + len(part))
        place += len(part)
    return struct.pack("<QIBB", 4223, len(parts), 0, 0) + table + b"".join(parts)


BINARY = packed(
    [[(3, 0, 100, 0, [1], []), (1, 1, 8, 70000, [], [])], [(2, 0xFFFFFFFF, 8, 0xFFFFFFFF, [], [])]]
)  # fmt: skip


def test_binary_and_text_say_the_same(constant: Path) -> None:
    machine = load(constant).for_core()
    assert played(BINARY, machine) == played(PAIR, machine)


@given(st.integers(0, len(BINARY) - 1), st.integers(0, 255))
@settings(max_examples=200, deadline=None)
def test_a_broken_binary_file_is_refused_or_read(place: int, byte: int) -> None:
    """No broken file ends the process: a cut one is refused; one with a wrong byte may be a schedule."""
    for broken in (BINARY[:place], BINARY[:place] + bytes([byte]) + BINARY[place + 1 :]):
        try:
            core.Schedule(broken)
        except ValueError as error:
            assert len(error.args) == 4
        else:
            assert len(broken) == len(BINARY)


@st.composite
def schedules(draw: st.DrawFn) -> str:
    """Programs of sends, receives and computing in random partial orders, which cannot wait for each other for ever."""
    ranks = draw(st.integers(2, 4))
    made: list[list[str]] = [[] for _ in range(ranks)]
    for message in range(draw(st.integers(1, 12))):
        source, to = draw(st.permutations(range(ranks)))[:2]
        size = draw(st.sampled_from([0, 8, 5000]))
        for rank, text in ((source, f"send {size}b to {to}"), (to, f"recv {size}b from {source}")):
            ops = made[rank]
            number = len([line for line in ops if ":" in line])
            ops.append(f"l{number}: {text} tag {message}")
            if number and draw(st.booleans()):  # on what is above: the messages are in one order everywhere
                word = draw(st.sampled_from(["requires", "irequires"]))
                ops.append(f"l{number} {word} l{draw(st.integers(0, number - 1))}")
    return f"num_ranks {ranks}\n" + "".join(f"rank {r} {{\n" + "\n".join(ops) + "\n}\n" for r, ops in enumerate(made))


# Rank 0's fourth send is first of those that may begin when its receive has been posted.
EARLIER = """num_ranks 3
rank 0 {
l0: send 0b to 1 tag 0
l1: send 0b to 2 tag 1
l2: recv 0b from 1 tag 4
l3: send 0b to 1 tag 5
l3 requires l0
l4: send 0b to 2 tag 6
}
rank 1 {
l0: recv 0b from 0 tag 0
l1: send 0b to 0 tag 4
l2: recv 0b from 0 tag 5
l3: recv 8b from 2 tag 10
}
rank 2 {
l0: recv 0b from 0 tag 1
l1: recv 0b from 0 tag 6
l2: send 8b to 1 tag 10
l2 requires l1
}
"""


@given(schedules())
@example(EARLIER)
@settings(max_examples=150, deadline=None)
def test_without_a_network_loggops_says_the_machine_s_own_time(text: str) -> None:
    """On the constant machine nothing is in anybody's way, so that both evaluations agree to the picosecond."""
    machine = {"name": "constant", "nodes": 0, "messages": {"startup": 10e-6, "per_byte": 1e-9}}
    makespan, first_order = played(text, machine)
    assert makespan == first_order


OPERATIONS = [
    ("barrier", "dissemination"), ("broadcast", "binomial"), ("broadcast", "scatter-allgather"), ("reduce", "binomial"),
    ("allreduce", "recursive-doubling"), ("allreduce", "rabenseifner"), ("allreduce", "ring"), ("gather", "linear"),
    ("scatter", "binomial"), ("allgather", "ring"), ("reduce-scatter", "recursive-halving"), ("alltoall", "pairwise"),
    ("alltoall", "bruck"), ("alltoallv", "pairwise"), ("scan", "linear"),
]  # fmt: skip


@pytest.mark.parametrize("machine", ["examples/constant.toml", "dragonfly-slingshot", "fat-tree-hdr", "ipsc860"])
@pytest.mark.parametrize(("operation", "algorithm"), OPERATIONS)
def test_a_collective_s_schedule_takes_the_collective_s_time(
    machine: str, operation: str, algorithm: str, tmp_path: Path
) -> None:
    file = tmp_path / "one.goal"
    words = f"run collective --on {machine} -n 8 --set operation={operation} --set algorithm={algorithm} --json"
    answer = assay(*words.split(), "--set", "bytes=1024", "--goal", str(file), "--out", str(tmp_path / "run"))
    assert answer.status == 0, answer.err
    [time] = [figure["value"] for figure in answer.document["figures"] if figure["name"] == "time"]
    replayed = assay("replay", "--goal", str(file), "--on", machine, "--json")
    assert replayed.status == 0, replayed.err
    assert replayed.document["makespan"] == pytest.approx(time, abs=0.5e-12)


def test_many_short_messages_to_one_are_where_first_order_fails(tmp_path: Path) -> None:
    """On the iPSC/860, whose circuits hold their path while the receiver takes a message in (docs/traces.md)."""
    receives = "".join(f"recv 8b from {rank}\n" for rank in range(1, 64))
    sends = "".join(f"rank {rank} {{\nsend 8b to 0\n}}\n" for rank in range(1, 64))
    file = tmp_path / "incast.goal"
    file.write_text(f"num_ranks 64\nrank 0 {{\n{receives}}}\n{sends}")
    document = assay("replay", "--goal", str(file), "--on", "ipsc860", "--json").document
    assert document["makespan"] > 8 * document["first_order"]


BAD = [
    ("rank 0 {\n}\n", 1, "num_ranks is missing"),
    ("num_ranks 0\n", 1, "no number"),
    ("num_ranks 1\nrank 1 {\n}\n", 2, "no such rank"),
    ("num_ranks 2\nrank 0 {\n}\n", 3, "without rank 1"),
    ("num_ranks 1\nrank 0 {\ncalc 5\n", 3, "ends inside rank 0"),
    ("num_ranks 1\nrank 0 {\ncalc x\n}\n", 3, "no number"),
    ("num_ranks 1\nrank 0 {\ncalc -5\n}\n", 3, "no number"),
    ("num_ranks 1\nrank 0 {\na: calc 5\na: calc 5\n}\n", 4, "twice"),
    ("num_ranks 1\nrank 0 {\na: calc 5\na requires b\n}\n", 4, "no operation"),
    ("num_ranks 1\nrank 0 {\na: calc 5\nb: calc 5\na requires b\nb requires a\n}\n", 3, "waits for itself"),
    ("num_ranks 1\nrank 0 {\ncalc 5 cpu 1\n}\n", 3, "one processor"),
    ("num_ranks 1\nrank 0 {\nsend 5b to 0 nic 1\n}\n", 3, "one interface"),
    ("num_ranks 1\nrank 0 {\nsend 5b to 7\n}\n", 3, "no such rank"),
    ("num_ranks 1\nrank 0 {\nsend 5b to -1\n}\n", 3, "no number"),
    ("num_ranks 1\nrank 0 {\nsend 5 to 0\n}\n", 3, "not understood"),
    ("num_ranks 1\nrank 0 {\nput 5b to 0\n}\n", 3, "not understood"),
    ("num_ranks 1\nrank 0 {\n}\nrank 0 {\n}\n", 4, "twice"),
    ("", 1, "num_ranks is missing"),
]


@pytest.mark.parametrize(("text", "line", "problem"), BAD)
def test_bad_schedules_name_the_line(text: str, line: int, problem: str, constant: Path, tmp_path: Path) -> None:
    file = tmp_path / "bad.goal"
    file.write_text(text)
    answer = assay("replay", "--goal", str(file), "--on", str(constant))
    assert answer.status == 2
    assert answer.err.startswith(f"assay: {file}:{line}: ")
    assert problem in answer.err
    assert answer.err.count("\n") == 1


def test_what_does_not_fit_is_refused(constant: Path, tmp_path: Path) -> None:
    file = tmp_path / "pair.goal"
    file.write_text(PAIR)
    assert assay("replay", "--goal", str(file)).status == 2
    assert assay("replay", "--on", str(constant)).status == 2
    assert assay("replay").status == 2
    assert assay("replay", "--goal", str(file), "--on", str(constant), "-o", str(tmp_path / "x.csv")).status == 2
    assert assay("replay", "--goal", str(tmp_path / "none"), "--on", str(constant)).status == 2
    file.write_text("num_ranks 200\n" + "".join(f"rank {rank} {{\n}}\n" for rank in range(200)))
    answer = assay("replay", "--goal", str(file), "--on", "ipsc860")
    assert (answer.status, "1 to 128" in answer.err) == (2, True)
    file.write_text("num_ranks 2\nrank 0 {\nrecv 8b from 1 tag 3\n}\nrank 1 {\n}\n")
    answer = assay("replay", "--goal", str(file), "--on", str(constant))
    assert answer.status == 1
    assert "deadlock at 0 s: rank 0" in answer.err
    for words in ("run echo --goal {}", "run vectors --on ipsc860 --goal {}", "run put --on ipsc860 --goal {}"):
        assert assay(*words.format(tmp_path / "no.goal").split()).status == 2
        assert not (tmp_path / "no.goal").exists()
