"""GOAL schedules of MPI programs: replayed on the machine they come from, they take the program's own time."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay._core import goal as core
from assay.mpi.fabric import provider
from assay.mpi.launch import MpiLaunch, Request, launch
from command_line import assay
from mpi_programs import asked, compiled, ran
from mpich_wheel import mpich, needs_mpich

RANKS = 5
LENGTHS = st.sampled_from([0, 8, 400, 5000, 70_000])
MACHINES = ("examples/constant.toml", "ipsc860", "delta", "dragonfly-slingshot", "fat-tree-hdr")


@st.composite
def messages(draw: st.DrawFn, kind: str) -> str:
    source, to = draw(st.permutations(range(RANKS)))[:2]
    return f"{kind}:{source}:{to}:{draw(LENGTHS)}:{draw(st.integers(0, 3))}"


STEPS = st.one_of(
    messages("m"),
    messages("w"),
    st.builds("{}:{}".format, st.sampled_from("xatgdif"), st.sampled_from([4, 400, 40_000])),
    st.just("b"),
)
IN_ORDER = "examples/constant.toml"  # its messages arrive in the order of their sends
ANY_TAG = "receives of any tag are written with the tag that they took"


def traced(machine: str, *steps: str) -> tuple[Request, MpiLaunch]:
    wish = asked(machine, RANKS, "steps", *steps, traced=True)
    made, _ = ran(wish)
    assert made.exit_status == 0 and not made.served.failure and not made.served.waiting
    return wish, made


def replayed(wish: Request, made: MpiLaunch) -> int:
    makespan, waiting, _ = core.play(core.Schedule(made.served.goal.encode()), wish.machine)
    assert waiting == []
    return int(makespan)


@pytest.mark.parametrize("machine", MACHINES)
@given(steps=st.lists(STEPS, min_size=1, max_size=12))
@example(steps=["x:40000", "i:40000", "f:400", "x:400", "t:4", "i:4", "a:40000"])
@settings(max_examples=8, deadline=None)
def test_a_program_s_schedule_takes_the_program_s_time(machine: str, steps: list[str]) -> None:
    """Messages and blocking collectives: to the picosecond, where no reason for another time is reported."""
    wish, made = traced(machine, *steps)
    if machine != IN_ORDER and any(step.startswith("w") for step in steps):
        assert [ANY_TAG in line for line in made.served.unlike] == [True]
    else:
        assert made.served.unlike == []
        assert replayed(wish, made) == made.served.makespan


def test_messages_wait_for_no_earlier_ones_in_a_replay_of_a_receive_of_any_tag() -> None:
    steps = ["b", "i:40000", "x:40000", "a:4"]
    for before in ("w:3:0:5000:0", "m:3:0:5000:0"):
        wish, made = traced("dragonfly-slingshot", before, *steps)
        same = replayed(wish, made) == made.served.makespan
        assert same is (made.served.unlike == []) is before.startswith("m")


@pytest.mark.parametrize("length", [4, 400])
def test_a_collective_call_that_goes_on_by_itself_is_written_on_the_rank_s_one_processor(length: int) -> None:
    """Of two ranks that exchange messages and reduce meanwhile: in the program at once, in the file one by one."""
    wish = asked("examples/constant.toml", 2, "steps", f"j:{length}", traced=True)
    made, _ = ran(wish)
    one = 70_000_000 + length * 400_000  # ps: the start-up and the bytes of a message
    assert made.served.makespan == one
    assert replayed(wish, made) == 2 * one
    assert made.served.unlike == [
        "2 collective calls that go on by themselves are written as calls on the rank's one processor"
    ]


def test_a_receive_is_written_with_what_it_took() -> None:
    wish, made = traced("ipsc860", "w:3:1:400:2", "c:16")
    received = re.findall(r"\brecv 400b from .*", made.served.goal)
    assert len(received) == 1 and received[0].startswith("recv 400b from 3 tag ")
    assert "from -1" not in made.served.goal and "tag -1" not in made.served.goal
    assert replayed(wish, made) == made.served.makespan


@pytest.mark.parametrize(
    ("step", "why"),
    [
        ("s:0:1:400:2", "1 synchronous sends are written as standard ones"),
        ("r:400", "1 ready sends are written as standard ones"),
        ("p:4000", "calls that asked in vain are not written"),
    ],
)
def test_why_a_replay_takes_another_time_is_said(step: str, why: str) -> None:
    wish, made = traced("ipsc860", step)
    (line,) = made.served.unlike
    assert why in line
    assert replayed(wish, made) > 0


def test_the_command_writes_what_the_loop_reads(tmp_path: Path) -> None:
    file = tmp_path / "steps.goal"
    words = ["mpirun", "--on", "fat-tree-hdr", "-n", "6", "--goal", str(file), "--out", str(tmp_path / "run"), "--json"]
    answer = assay(*words, str(compiled("steps")), "t:1024", "m:0:5:70000:1", "b")
    assert answer.status == 0, answer.err
    (own,) = (each["value"] for each in answer.document["figures"] if each["name"] == "makespan")
    replay = assay("replay", "--goal", str(file), "--on", "fat-tree-hdr", "--json")
    assert replay.status == 0, replay.err
    assert replay.document["makespan"] == pytest.approx(own, abs=0.5e-12)


def test_placed_ranks_are_replayed_in_order_which_is_said(tmp_path: Path) -> None:
    file = tmp_path / "steps.goal"
    words = ["mpirun", "--on", "ipsc860", "-n", "4", "--goal", str(file), "--out", str(tmp_path / "run")]
    answer = assay(*words, "--placement", "9,8,7,6", str(compiled("steps")), "x:100")
    assert answer.status == 0, answer.err
    assert f"{file}: replaying it may take another time than this run: --placement, as" in answer.err


@pytest.mark.mpi
@needs_mpich
@pytest.mark.parametrize("machine", ["ipsc860", "dragonfly-slingshot"])
@pytest.mark.parametrize("step", ["x:400", "i:40000", "a:40000", "j:400"])
def test_a_schedule_of_mpich_s_messages_lacks_only_the_asking_in_vain(machine: str, step: str) -> None:
    """Which each rank does once, at the start."""
    wish = replace(asked(machine, RANKS, "steps", step, "b", traced=True), mpich=mpich(), marks=False, output=2)
    made = launch(wish, provider())
    assert made.exit_status == 0 and not made.served.failure
    assert f"{RANKS} calls that asked in vain are not written" in made.served.unlike
    assert made.served.makespan - replayed(wish, made) == 100_000  # ps


def test_no_schedule_is_written_of_one_sided_calls(tmp_path: Path) -> None:
    file = tmp_path / "windows.goal"
    words = ["mpirun", "-q", "--on", "ipsc860", "-n", "4", "--goal", str(file), "--out", str(tmp_path / "run")]
    answer = assay(*words, str(compiled("windows")))
    assert answer.status == 1 and not file.exists()
    assert f"{file}: not written, as a GOAL schedule does not have one-sided messages" in answer.err


def test_no_schedule_is_written_of_a_program_that_did_not_end_well(tmp_path: Path) -> None:
    file = tmp_path / "ends.goal"
    words = ["mpirun", "-q", "--on", "ipsc860", "-n", "3", "--goal", str(file), "--out", str(tmp_path / "run")]
    assert assay(*words, str(compiled("ends")), "deadlock").status == 1
    assert not file.exists()
    assert assay(*words, str(compiled("ends"))).status == 2  # --out has a run already
    answer = assay(*words[:-2], "--goal", str(tmp_path / "x.csv"), str(compiled("ends")))
    assert answer.status == 2


def test_computing_is_written_in_whole_nanoseconds() -> None:
    wish = asked("ipsc860", 2, "computes", traced=True, factor=10.0)
    made, _ = ran(wish)
    assert abs(replayed(wish, made) - made.served.makespan) < 100_000  # ps
