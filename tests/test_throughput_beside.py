"""Jobs that are message-passing programs on a described machine: placed by the policy, they really run there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay._core import batch
from assay.errors import InputError
from assay.throughput import job_table, machine_file, mix, placed, schedule_file
from assay.throughput.simulated import AGEING, HALF_LIFE, Scheduled
from assay.throughput.workload import Workload
from command_line import assay
from small_mixes import CROSSBAR, LINE, written

ROOT = Path(__file__).resolve().parent.parent
TABLE = """
[pair]
processors = 2
time = "2 ms"
limit = "5 ms"
program = "echo"
set = ["bytes=64,4096", "repetitions=5"]
[all]
processors = 5
time = "3 ms"
limit = "4 ms"
program = "alltoall"
set = ["bytes=2048"]
[ring]
processors = 7
time = "3 ms"
limit = "20 ms"
program = "collective"
set = ["operation=allreduce", "algorithm=ring", "bytes=7000"]
[quiet]
processors = 3
time = "1.5 ms"
"""
POLICIES = ("fcfs", "firstfit", "easy", "conservative", "priority", "fairshare")
NANO = 10**9  # cycles of these machines per second


def workload(folder: Path, schedule: str, table: str = TABLE) -> Workload:
    jobs, path = folder / "jobs.toml", folder / "schedule"
    jobs.write_text(table)
    return job_table.workload(schedule_file.parsed(schedule, path), job_table.load(jobs), path)


def played(folder: Path, text: str, schedule: str, policy: str, *request: str, table: str = TABLE) -> Scheduled:
    machine = machine_file.open_machine(str(written(folder, text)), request)
    return mix.schedule_mix(workload(folder, schedule, table), machine, policy)


# at least one has a program: others are for the batch simulation alone (mix.wanted)
mixed = st.lists(
    st.tuples(st.integers(0, 60), st.sampled_from(["pair", "all", "ring", "quiet"])), min_size=2, max_size=9
).filter(lambda rows: any(name != "quiet" for _, name in rows))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=mixed,
    policy=st.sampled_from(POLICIES),
)
def test_where_nothing_is_shared_it_is_the_batch_simulation_with_the_times_alone(
    tmp_path: Path, rows: list[tuple[int, str]], policy: str
) -> None:
    """On a crossbar jobs on different nodes share nothing: starts and places exactly those of the simulated policy."""
    found = played(tmp_path, CROSSBAR, "".join(f"{at / 10_000:.4f}: 1 * {name}\n" for at, name in rows), policy)
    jobs = found.workload
    alone = [None if job is None else job.alone for job in found.played]
    for at, job in enumerate(found.played):
        if job is not None:
            assert (job.state, job.slowdown, job.interference, job.placement) == ("completed", 1.0, 1.0, 1.0)
            assert job.run == pytest.approx((found.ended - found.started)[at], abs=1e-9)
    ticks = [[round(value * NANO) for value in column] for column in (jobs.submitted, jobs.requested)]
    runs = [
        round(jobs.plays[at].time * NANO) if each is None else -(-round(each * 1e12) // 1000)
        for at, each in enumerate(alone)
    ]
    machine = machine_file.open_machine(str(tmp_path / "machine.toml"))
    needs, limits = placed.needs_rows(jobs, machine.queue_rules)
    columns = [ticks[0], runs, ticks[1], jobs.processors.tolist(), jobs.user.tolist()]
    expected = batch.place(
        placed.layout_row(machine), policy, columns, jobs.priority.tolist(), needs, limits, [], True,
        AGEING / NANO, HALF_LIFE * NANO,
    )  # fmt: skip
    assert [round(start * NANO) for start in found.started] == list(expected["starts"])
    assert [list(place) for place in found.places] == [[node for node, _ in place] for place in expected["places"]]
    work = float(np.sum(jobs.runs * jobs.processors))
    assert work + sum(found.idle.values()) == pytest.approx(12 * float(found.ended.max()))


def test_policies_differ_and_overtake_as_they_say(tmp_path: Path) -> None:
    """The ring (7 of 12 nodes) runs; a second waits at the head; a pair, requesting less, overtakes only by EASY."""
    schedule = "0: 2 * ring\n0.0001: 1 * pair\n"
    starts = {policy: played(tmp_path, CROSSBAR, schedule, policy).started for policy in ("fcfs", "easy")}
    assert starts["fcfs"][2] == starts["fcfs"][1] > 0
    assert starts["easy"][2] == pytest.approx(0.0001) and starts["easy"][1] == starts["fcfs"][1]


def test_who_outlives_its_limit_is_ended_and_named_and_its_nodes_are_free_again(tmp_path: Path) -> None:
    table = TABLE.replace('limit = "20 ms"', 'limit = "0.2 ms"')
    found = played(tmp_path, CROSSBAR, "0: 1 * ring\n0: 1 * ring\n", "fcfs", table=table)
    assert [job.state for job in found.played if job] == ["time limit", "time limit"]
    assert found.started[1] == pytest.approx(0.0002, rel=1e-9) and found.ended[1] == pytest.approx(0.0004, rel=1e-9)
    assert all(job is not None and job.run is None and job.alone is not None for job in found.played)
    (tmp_path / "schedule").write_text("0: 1 * ring\n")
    words = ("--jobs", str(tmp_path / "jobs.toml"), "--on", str(tmp_path / "machine.toml"))
    answer = assay("throughput", str(tmp_path / "schedule"), *words)
    assert answer.status == 1 and "ring.1: time limit" in answer.out and "slowed down" not in answer.out
    (tmp_path / "schedule").write_text("0: 1 * pair\n")
    answer = assay("throughput", str(tmp_path / "schedule"), *words, "-q")
    assert answer.status == 0 and answer.out.endswith("; no job slowed down by the others\n")


def test_a_list_of_nodes_and_what_the_others_on_its_links_cost(tmp_path: Path) -> None:
    """On a line of six nodes 0 with 3, and 1 with 4, share the links between 1 and 3; 5 with 2 goes the other way."""
    table = "".join(
        f'[{name}]\nprocessors = 2\ntime = "1 s"\nprogram = "echo"\nset = ["bytes=64000", "repetitions=4"]\non = {on}\n'
        for name, on in {"far": [0, 3], "across": [1, 4], "near": [5, 2]}.items()
    )
    found = played(tmp_path, LINE, "0: 1 * far\n0: 1 * across\n", "fcfs", table=table)
    assert found.places == ((0, 3), (1, 4))
    for job in found.played:
        assert job is not None and job.state == "completed" and job.interference is not None
        assert job.interference > 1.2 and job.slowdown == job.interference and job.placement == 1.0


def test_allocation_decides_what_jobs_cost_one_another(tmp_path: Path) -> None:
    """Adjacent nodes share no link of a line; scattered over what is left free between others they do."""
    table = (
        TABLE + '[wide]\nprocessors = 4\ntime = "2 ms"\nlimit = "90 ms"\nprogram = "alltoall"\nset = ["bytes=2048"]\n'
    )
    schedule = "0: 3 * pair\n0.0003: 1 * wide\n"
    scattered, contiguous = (
        played(tmp_path, LINE, schedule, "fcfs", f"batch.allocation={how}", table=table)
        for how in ("scattered", "contiguous")
    )
    for found in (scattered, contiguous):
        assert all(job is not None and job.state == "completed" for job in found.played)
    assert all(job is not None and job.interference == 1.0 for job in contiguous.played)


def test_the_example_in_terminal_json_and_page(tmp_path: Path) -> None:
    here = ROOT / "examples" / "beside"
    words = ("throughput", str(here / "mix"), "--jobs", str(here / "jobs.toml"), "--on", str(here / "mesh.toml"))
    page = tmp_path / "page.html"
    answer = assay(*words, "--export", str(page))
    assert answer.status == 0, answer.err
    assert "slowed down most by others: " in answer.out and "Concurrent jobs, each" in answer.out
    document = assay(*words, "--json").document
    assert {job["state"] for job in document["jobs"]} == {"completed"} and len(document["played"]) == 15
    assert all(job["answer"] is True for job in document["jobs"])
    for job in document["played"]:
        assert job["run"] >= job["alone_there"] * (1 - 1e-9)
        assert job["slowdown"] == pytest.approx(job["placement"] * job["interference"])
    assert max(job["interference"] for job in document["played"]) > 1.01
    named = {(figure["name"], figure["params"].get("job")) for figure in document["figures"]}
    assert {("interference", "reduce"), ("slowdown", "pair")} <= named
    text = page.read_text()
    assert "Concurrent jobs by name" in text and "transpose.1" in text


def test_what_cannot_be_simulated_so_is_one_line(tmp_path: Path) -> None:
    machine = written(tmp_path, CROSSBAR)
    workload(tmp_path, "0: 1 * pair\n")
    (tmp_path / "schedule").write_text("0: 1 * pair\n")
    words = ("throughput", str(tmp_path / "schedule"), "--jobs", str(tmp_path / "jobs.toml"), "--on", str(machine))
    answer = assay(*words, "--set", "batch.decision_cost=0.1")
    assert answer.status == 2 and "is not simulated where programs run" in answer.err and answer.err.count("\n") == 1


def test_a_mix_that_is_too_large_says_how_large_and_what_to_do(tmp_path: Path) -> None:
    machine = written(tmp_path, CROSSBAR)
    (tmp_path / "jobs.toml").write_text(TABLE)
    (tmp_path / "schedule").write_text("0: 1500 * pair\n")
    words = ("throughput", str(tmp_path / "schedule"), "--jobs", str(tmp_path / "jobs.toml"), "--on", str(machine))
    answer = assay(*words)
    assert answer.status == 2 and "1500" in answer.err and "batch.programs=time" in answer.err
    answer = assay(*words, "--set", "batch.programs=time", "--json")
    assert answer.status == 0 and "played" not in answer.document and answer.document["scheduled"] == 1500


def test_a_key_of_the_description_is_set_with_and_without_the_word_machine() -> None:
    """As on every other verb; the programs then run on the machine that the key makes."""
    name = str(Path(__file__).resolve().parent.parent / "examples" / "beside" / "mesh.toml")
    plain, prefixed = (machine_file.open_machine(name, [f"{word}protocol.0.startup=3 us"]) for word in ("", "machine."))
    usual = machine_file.open_machine(name)
    assert plain.described is not None and prefixed.described is not None and usual.described is not None
    found = [each.described.for_core() for each in (plain, prefixed, usual) if each.described is not None]
    assert found[0] == found[1] and found[0] != found[2]
    with pytest.raises(InputError, match="there is no such key"):
        machine_file.open_machine(name, ["machine.nonsense.key=1"])


def test_parts_run_one_after_the_other_and_what_cannot_run_is_said(tmp_path: Path) -> None:
    """Two parts take what they take by themselves, the second from the next whole cycle on, on fewer nodes."""
    part = '[[two.part]]\nprogram = "{}"\nprocessors = {}\nset = [{}]\n'
    table = (
        TABLE + '[two]\nprocessors = 5\ntime = "9 ms"\n'
        + part.format("alltoall", 5, '"bytes=2048"') + part.format("echo", 2, '"bytes=64,4096", "repetitions=5"')
        + '[files]\nprocessors = 2\ntime = "1 ms"\nprogram = "parallel-files"\n'
        + '[alone]\nprocessors = 1\ntime = "1 ms"\n[[alone.part]]\nprogram = "sieve"\n'
    )  # fmt: skip
    found = played(tmp_path, CROSSBAR, "0: 1 * two\n0: 1 * all\n0: 1 * pair\n", "fcfs", table=table)
    two, all_, pair = found.played
    assert two is not None and all_ is not None and pair is not None and two.program == "alltoall, echo"
    assert two.state == "completed" and two.interference == 1.0 and two.run == two.alone and two.alone is not None
    assert all_.alone is not None and pair.alone is not None
    assert 0 <= two.alone - (all_.alone + pair.alone) < 1e-9
    wrong = table.replace('limit = "5 ms"', 'limit = "0.1 ms"').replace('time = "9 ms"', f'time = "{all_.alone:.9f} s"')
    late = played(tmp_path, CROSSBAR, "0: 1 * two\n", "fcfs", table=wrong).played[0]
    assert late is not None and late.state == "time limit" and late.run is None
    (tmp_path / "schedule").write_text("0: 1 * pair\n0: 2 * files\n0: 1 * alone\n")
    (tmp_path / "jobs.toml").write_text(table)
    words = ("--jobs", str(tmp_path / "jobs.toml"), "--on", str(tmp_path / "machine.toml"))
    answer = assay("throughput", str(tmp_path / "schedule"), *words, "--export", str(tmp_path / "page.html"))
    assert answer.status == 0, answer.err
    lines = (
        "files (2): not run, parallel-files uses files, and bars has no [storage], what its I/O nodes and disks take; "
        "its nodes were occupied",
        "alone (1): not run, sieve passes no messages; its nodes were occupied",
    )
    page = (tmp_path / "page.html").read_text()
    assert all(line in " ".join(answer.out.split()) and line in page for line in lines)
