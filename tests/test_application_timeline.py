"""Calls of an application over MPI over time: against its own account, the simulator's messages, and its file."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from application_runs import built, constant_with, events, on_machine, over_mpi, sets
from assay.execute.measured_timeline import draw
from command_line import assay
from mpis_here import MPI
from started import words

pytestmark = [pytest.mark.mpi, pytest.mark.skipif(MPI is None, reason="no MPI here")]
RANKS = 2
LAST_TAG = 29999  # of a program; those above are the sampling loop's (ranks/communicator.hpp)
CASE = ("kernel=cg,ft", "class=S")
NAMES = ("rank", "name", "from", "to", "to_rank", "to_tag", "sent", "from_rank", "from_tag", "received")


@pytest.fixture(scope="module")
def lines() -> str:
    """Of one launch, with the timelines of two cases."""
    return over_mpi("nas", built("nas"), RANKS, *CASE, options=("--timeline", "--repetitions", "1"))


def spans(event: dict[str, Any]) -> list[dict[str, Any]]:
    found = [dict(zip(NAMES, row, strict=True)) for row in event["spans"]]
    return [each | {"name": event["names"][each["name"]]} for each in found]


def test_spans_are_the_calls_that_the_account_counts(lines: str) -> None:
    """As many of each kind, as many bytes, as long in all; of a rank none overlaps the next or is behind its end."""
    accounts = {event["case"]["kernel"]: event for event in events(lines, "account")}
    timelines = events(lines, "timeline")
    assert {event["case"]["kernel"] for event in timelines} == accounts.keys() == {"cg", "ft"}
    for event in timelines:
        account = accounts[event["case"]["kernel"]]
        assert event["passed"] == [0, 0] and event["own_clock"] == [False, False] and event["nodes"] == [0, 0]
        by_name: dict[str, list[float]] = defaultdict(lambda: [0.0, 0, 0])
        by_rank: dict[int, list[dict[str, Any]]] = defaultdict(list)
        for each in spans(event):
            of = by_name[each["name"]]
            of[0] += 1e-9 * (each["to"] - each["from"])
            of[1] += 1
            of[2] += each["sent"] if each["name"] in ("send", "isend", "sendrecv") else each["received"]
            by_rank[each["rank"]].append(each)
        for name, (seconds, calls, amount) in account["calls"].items():
            assert by_name[name] == pytest.approx([seconds, calls, amount])
        for name, (seconds, calls, _) in account["kernels"].items():
            assert by_name[name][:2] == pytest.approx([seconds, calls])
        for rank, of_rank in by_rank.items():
            of_rank.sort(key=lambda each: each["from"])
            assert all(one["to"] <= next_["from"] for one, next_ in pairwise(of_rank))
            assert of_rank[-1]["to"] - of_rank[0]["from"] <= 1e9 * account["ended"][rank] + 1


def test_messages_are_those_of_the_simulated_program(lines: str, tmp_path: Path) -> None:
    """The same program on a described machine sends the same, by the simulator's own log; none is there before sent."""
    from assay._core import ranks as core

    machine = constant_with(tmp_path, "cg")
    given = words("nas", *sets(("kernel=cg", "class=S")))
    launch, log = core.logged("nas", machine, RANKS, [*given, "--unchecked"])
    (block,) = events(launch.lines, "block")
    sent = log["sent"]
    rows = zip(*(sent[key] for key in ("source", "destination", "tag", "bytes", "called")), strict=True)
    wanted = Counter(row[:4] for row in rows if row[4] < block["values"][0] and row[2] <= LAST_TAG)
    (cg,) = [event for event in events(lines, "timeline") if event["case"]["kernel"] == "cg"]
    (tmp_path / "lines").write_text(json.dumps(cg, separators=(",", ":")) + "\n")
    draw(tmp_path / "lines", tmp_path / "trace.json")
    written = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    begun = {each["id"]: each for each in written if each["ph"] == "b"}
    found = Counter(
        (*map(int, each["name"].split(" to ")), each["args"]["tag"], each["args"]["bytes"]) for each in begun.values()
    )
    assert found == wanted
    ends = {each["id"]: each["ts"] for each in written if each["ph"] == "e"}
    assert all(begun[at]["ts"] <= end for at, end in ends.items())


def test_a_run_writes_it_and_says_whom_a_rank_waited_for(own_folder: None) -> None:
    given = ("--set", "kernel=mg", "--set", "class=S", "--set", "repetitions=1", "-n", "2", "--launches", "2")
    answer = assay("run", "nas", *given, "--out", "run", "--timeline", "trace.json", "-q")
    assert answer.status == 0, answer.err
    written = json.loads(Path("trace.json").read_text())["traceEvents"]
    tracks = [each["args"]["name"] for each in written if each["name"] == "thread_name"]
    assert tracks == ["rank 0 on node 0", "rank 1 on node 0"]
    calls = [each for each in written if each["ph"] == "X" and "for rank" in each.get("args", {})]
    assert {(each["tid"], each["args"]["for rank"]) for each in calls} == {(1, 1), (2, 0)}
    kernels = {each["args"]["kernel"] for each in written if each["ph"] == "X" and each["name"] == "compute"}
    assert kernels == {"mg"}
    launches = [path.read_text() for path in sorted(Path("run/launches").glob("*.jsonl"))]
    assert ['"timeline"' in text for text in launches] == [True, False]  # of the first launch alone


def test_of_a_long_run_the_first_calls_are_kept() -> None:
    """30,000 of each of two ranks; the file says how many are left out."""
    given = ("flow=taylor-green", "size=12", "steps=11000")
    text = over_mpi("lattice", built("lattice"), RANKS, *given, options=("--timeline", "--repetitions", "1"))
    (event,) = events(text, "timeline")
    kept = Counter(each["rank"] for each in spans(event))
    assert kept == {0: 30000, 1: 30000}
    (account,) = events(text, "account")
    made = sum(of[1] for of in [*account["calls"].values(), *account["kernels"].values()])
    assert sum(event["passed"]) + 60000 == made


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (("echo", "--timeline", "t.json"), "an application over MPI"),
        (("nas", "-n", "1,2", "--timeline", "t.json"), "-n has 2 numbers of ranks"),
    ],
)
def test_what_has_no_timeline_is_refused(given: tuple[str, ...], problem: str, own_folder: None) -> None:
    answer = assay("run", *given)
    assert answer.status == 2 and problem in answer.err and len(answer.err.splitlines()) == 1
    assert not list(Path().iterdir())


def test_without_the_option_nothing_is_noted(lines: str) -> None:
    plain = over_mpi("nas", built("nas"), RANKS, "kernel=ep", "class=S", options=("--repetitions", "1"))
    assert not events(plain, "timeline") and events(plain, "account")
    assert not events(on_machine("nas", constant_machine(), 2, "kernel=ep", "class=S"), "timeline")


def constant_machine() -> dict[str, Any]:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        return constant_with(Path(folder), "ep")
