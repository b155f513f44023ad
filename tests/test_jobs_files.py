"""Files of jobs in one simulated world: each its own, on I/O nodes that all share, so that jobs slow one another."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay._core import ranks as core
from assay.benchmark.record import benchmark
from assay.described.machine_file import DescribedMachine
from assay.throughput.job_world import JobRun, JobWorld
from command_line import assay
from compiled import SANITIZERS, WORLD_SOURCES, compile_to
from small_mixes import BUFFERS, CROSSBAR, DEVICE, STORAGE, described
from test_jobs_beside import results

ROOT = Path(__file__).resolve().parent.parent
NATIVE = ROOT / "tests" / "native"
CORE = ROOT / "core"
STRIPE, ACCESS, BYTE = 4096, 1e-3, 20e-9  # s, s/B
DISK = ACCESS + STRIPE * BYTE  # s, of a stripe
FREE = list(range(10))  # nodes without an I/O node

SETTINGS = {
    "reads": ("bytes=4096", "section=49152", "repetitions=1"),
    "writes": ("bytes=5000", "section=20000", "repetitions=2", "direction=write", "preallocate=no"),
    "sections": ("bytes=9000", "section=18000", "repetitions=1", "layout=sections"),
    "one server": ("bytes=4096", "section=131072", "repetitions=1", "io_nodes=1"),
}


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> dict[str, DescribedMachine]:
    texts = {"plain": CROSSBAR + STORAGE + DEVICE, "buffered": CROSSBAR + STORAGE + DEVICE + BUFFERS}
    return {name: described(tmp_path_factory.mktemp(name), text) for name, text in texts.items()}


def words(name: str) -> list[str]:
    return [word for each in SETTINGS[name] for word in ("--set", each)]


def in_the_world(machine: DescribedMachine, jobs: list[tuple[str, list[int]]], when: int = 0) -> list[JobRun]:
    """What jobs (name, places) do that begin at one time (ps)."""
    world = JobWorld(machine)
    while world.now < when:
        world.advance(when)
    numbers = [world.begin("parallel-files", words(name), places) for name, places in jobs]
    while world.advance():
        pass
    return [world.run(number) for number in numbers]


@pytest.mark.parametrize("storage", ["plain", "buffered"])
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_alone_a_job_takes_what_run_takes_whenever_and_wherever(
    machines: Any, storage: str, data: st.DataObject
) -> None:
    name, ranks = data.draw(st.sampled_from(["reads", "writes", "sections"])), data.draw(st.integers(1, 4))
    places = data.draw(st.permutations(FREE))[:ranks]
    machine = machines[storage]
    (run,) = in_the_world(machine, [(name, list(places))], data.draw(st.integers(0, 10**13)))
    resolved = list(JobWorld(machine).words(benchmark("parallel-files"), words(name)))
    assert run.state == "completed", run.why
    assert results(run.lines) == results(core.play("parallel-files", machine.for_core(1), ranks, resolved).lines)


@settings(max_examples=8, deadline=None)
@given(st.integers(2, 5))
def test_jobs_that_want_one_disk_wait_for_one_another(machines: Any, count: int) -> None:
    """All data of all on one disk: together they take no less than its accesses, no more than one after the other."""
    alone = in_the_world(machines["plain"], [("one server", [0])])[0].seconds
    calls = 131072 // STRIPE
    assert calls * DISK < alone
    together = in_the_world(machines["plain"], [("one server", [at]) for at in FREE[:count]])
    assert {run.state for run in together} == {"completed"}
    longest = max(run.seconds for run in together)
    assert count * calls * DISK < longest < count * alone
    assert min(run.seconds for run in together) > 0.8 * longest, "the disk serves them in turn"


def test_messages_on_other_links_are_not_slowed_by_files(machines: Any) -> None:
    """On a crossbar a job without files shares nothing with I/O nodes and who uses them."""
    times = []
    for beside in (False, True):
        world = JobWorld(machines["plain"])
        if beside:
            world.begin("parallel-files", words("reads"), [0, 1, 2])
        number = world.begin("alltoall", ["--set", "bytes=64,2048"], [4, 5, 6, 7])
        while world.advance():
            pass
        times.append(world.run(number).seconds)
    assert times[0] == times[1]


@settings(max_examples=10, deadline=None)
@given(st.data())
def test_who_is_ended_while_a_disk_works_for_it_is_in_no_deadlock(machines: Any, data: st.DataObject) -> None:
    machine = machines[data.draw(st.sampled_from(["plain", "buffered"]))]
    world = JobWorld(machine)
    number = world.begin("parallel-files", words(data.draw(st.sampled_from(["reads", "writes"]))), [0, 1])
    until = data.draw(st.integers(1, 15_000_000_000))
    while world.now < until:
        assert world.advance(until) == []
    world.end(number)
    assert world.run(number).state == "time limit"
    after = world.begin("parallel-files", words("sections"), [1, 0])
    while world.advance():
        pass
    assert world.run(after).state == "completed", world.run(after).why


ROUND = '[storage.disk]\ncylinders = 64\nheads = 1\nsectors = 8\nrevolution = "1 ms"\n'  # 64 stripes


@pytest.mark.parametrize("more", ["", BUFFERS, "copies = 2\n"])
def test_a_full_disk_fails_the_job_that_wrote_and_no_other(tmp_path: Path, more: str) -> None:
    """Two disks of 64 stripes, of which one job reads 8 and another writes 400."""
    parts = (more, ROUND) if more.startswith("copies") else ("", ROUND + more)
    machine = described(tmp_path, CROSSBAR + STORAGE + parts[0] + parts[1])

    def begun(world: JobWorld, stripes: int, places: list[int], *words: str) -> int:
        given = ("repetitions=1", "bytes=16384", f"section={stripes * STRIPE}", *words)
        return world.begin("parallel-files", [word for each in given for word in ("--set", each)], places)

    def until_all_ended(world: JobWorld) -> None:
        while world.advance():
            pass

    world = JobWorld(machine)
    begun(world, 8, [0], "direction=read")
    until_all_ended(world)
    alone, world = world.now, JobWorld(machine)
    reads = begun(world, 8, [0], "direction=read")
    world.advance(int(0.7 * alone))  # it has opened its last file
    fills = begun(world, 400, [1], "direction=write", "preallocate=no")
    messages = world.begin("alltoall", ["--set", "bytes=64"], [2, 3])
    until_all_ended(world)
    again = begun(world, 4, [1], "direction=read")  # where the one was that failed; nothing has room by now
    beside = world.begin("alltoall", ["--set", "bytes=64"], [0, 2, 3])
    until_all_ended(world)
    found = [world.run(each) for each in (reads, messages, fills, again, beside)]
    assert [each.state for each in found] == ["completed", "completed", "failed", "failed", "completed"]
    for each in (found[2], found[3]):
        assert "a disk is full: it has room for 64 units of 4096 bytes" in each.why
    assert found[2].why.startswith("I/O node "), "found by a write, not by an allocation ahead of it"


@pytest.mark.nightly
def test_files_that_come_and_go_natively(tmp_path: Path) -> None:
    """Everybody finds the own data, whoever is ended at whatever moment: under the sanitizers."""
    storage = ("block_server", "disk", "drive", "solid_state", "storage_parameters")
    more = [*WORLD_SOURCES, CORE / "ranks" / "file_system.cpp", *(CORE / "storage" / f"{name}.cpp" for name in storage)]
    more += [CORE / "network" / f"{name}.cpp" for name in ("fields", "parameters")]
    flags = ("-O0", f"-I{CORE}", f"-I{NATIVE}")
    program = compile_to(tmp_path / "job_files_test", NATIVE / "job_files.test.cpp", *flags, base=SANITIZERS, more=more)
    ended = subprocess.run([program], capture_output=True, text=True, timeout=300)
    assert (ended.stderr, ended.returncode) == ("", 0)


TABLE = """
[scan]
processors = 2
time = "1 s"
limit = "5 s"
program = "parallel-files"
set = ["bytes=4096", "section=65536", "repetitions=2"]
[pair]
processors = 2
time = "1 s"
limit = "5 s"
program = "echo"
set = ["bytes=64", "repetitions=5"]
"""


def test_a_mix_with_files_and_a_machine_without_storage(tmp_path: Path) -> None:
    """They slow one another down, which the result says; where no storage is described, that is said."""
    machine, table, schedule = (tmp_path / name for name in ("machine.toml", "jobs.toml", "schedule"))
    table.write_text(TABLE)
    schedule.write_text("0: 3 * scan\n0: 1 * pair\n")
    machine.write_text(CROSSBAR + STORAGE + DEVICE)
    command = ("throughput", str(schedule), "--jobs", str(table), "--on", str(machine))
    answer = assay(*command, "--set", "batch.allocation=contiguous", "--json")
    assert answer.status == 0, answer.err
    played = {job["name"]: job for job in answer.document["played"]}
    assert {job["state"] for job in played.values()} == {"completed"}
    assert all(played[f"scan.{at}"]["interference"] > 1.5 for at in (1, 2, 3)) and "held" not in answer.document
    assert played["pair.1"]["interference"] == 1.0
    machine.write_text(CROSSBAR)
    answer = assay(*command)
    assert answer.status == 0, answer.err
    line = (
        "scan (3): not run, parallel-files uses files, and bars has no [storage], what its I/O nodes and disks take; "
        "its nodes were occupied"
    )
    assert line in " ".join(answer.out.split())
    schedule.write_text("0: 3 * scan\n")  # nothing else that runs
    answer = assay(*command)
    assert answer.status == 0 and line in " ".join(answer.out.split())
