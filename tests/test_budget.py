"""A budget bounds a command: what does not fit is cut and named, or refused with the least that would do."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.benchmark.record import Benchmark, benchmark, benchmarks
from assay.errors import InputError, MeasurementError, NotGrantedError
from assay.execute import plan as planning
from assay.execute import session
from assay.execute.budget import AFTER, BEFORE, EACH, LEAST, TimeBound, by_priority, first_look, fitted
from assay.execute.compiler import find_compiler
from assay.execute.job import Job, Outcome
from assay.execute.plan import Plan, Size, Spending, Task
from assay.execute.process_tree import ask
from assay.machine.program_query import answer
from assay.report.derive.budget import words
from assay.report.derive.document import document
from assay.report.judge.findings import findings
from assay.since_start import MOST, ending_at, within
from assay.store import Run
from assay.verbs._stopping_rule import Spent
from command_line import assay

NAMES = ["sieve", "lock", "stream", "echo", "peak", "handover", "matrix-vector"]


@st.composite
def planned(draw: st.DrawFn) -> tuple[Plan, dict[str, Benchmark], dict[str, float]]:
    """A plan with a budget, its records, and the seconds that each task of the first look takes."""
    records = [benchmark(name) for name in draw(st.lists(st.sampled_from(NAMES), min_size=1, unique=True))]
    spending = draw(st.none() | st.just(Spending((10, 15, 20), 0.02)))
    made = planning.make(
        records,
        profile=draw(st.sampled_from(["quick", "standard"])),
        launches=draw(st.none() | st.integers(1, 12)),
        sizes={"echo": [Size(2, 1), Size(2, 2)]},
        spending=spending,
    )
    each = {name: draw(st.floats(0.01, 30)) for name in NAMES}
    takes = {task.name: each[task.benchmark] for task in made.tasks if task.launch < first_look(made)}
    budget = draw(st.floats(0.1, 1.2)) * (BEFORE + AFTER + sum(takes.values()))
    return replace(made, budget=budget), {record.name: record for record in records}, takes


def needs(plan: Plan, takes: dict[str, float]) -> float:
    """Seconds of a command that makes all launches of a plan's first look."""
    launches = sum(takes[task.name] for task in plan.tasks if task.launch < first_look(plan))
    return BEFORE + AFTER + EACH * len({task.benchmark for task in plan.tasks}) + launches


@given(planned())
def test_what_is_left_fits_and_what_is_not_left_is_named(
    made: tuple[Plan, dict[str, Benchmark], dict[str, float]],
) -> None:
    plan, records, takes = made
    assert plan.budget is not None
    try:
        left, cut = fitted(plan, records, takes)
    except InputError as error:
        least = int(re.search(r"at least (\d+)s", str(error))[1])  # type: ignore[index]
        assert plan.budget < least
        assert fitted(replace(plan, budget=float(least)), records, takes)[0].tasks
        assert needs(plan, takes) > plan.budget
        return
    assert needs(left, takes) <= plan.budget
    assert {task.name for task in left.tasks} <= {task.name for task in plan.tasks}
    kept = {task.benchmark for task in left.tasks}
    assert {*cut.left_out} == records.keys() - kept
    assert (cut.planned, cut.launches) == (first_look(plan), first_look(left))
    assert all(name in words(cut.to_dict()) for name in cut.left_out)
    whole = left.tasks == plan.tasks
    assert whole == (not words(cut.to_dict())) == (needs(plan, takes) <= plan.budget)
    if cut.left_out:  # what comes first is left out only where it alone does not fit
        order = by_priority(list(records.values()))
        first = order[0]
        alone = replace(plan, tasks=tuple(task for task in plan.tasks if task.benchmark == first))
        rounds = min(first_look(plan), LEAST)
        cost = BEFORE + AFTER + EACH + sum(takes[task.name] for task in alone.tasks if task.launch < rounds)
        assert (first in kept) == (cost <= plan.budget)


def test_first_looks_come_first_and_each_part_has_its_turn() -> None:
    order = by_priority([record for record in benchmarks().values() if record.kind == "node"])
    looks = [benchmarks()[name].first_look for name in order]
    assert looks == sorted(looks, reverse=True)
    parts = [benchmarks()[name].part for name in order if benchmarks()[name].first_look]
    count = len(set(parts))
    assert len(set(parts[:count])) == count


class Machine:
    """A machine with a clock of its own: a launch takes what `true` says, or ends at its timeout."""

    machine = "clocked"

    def __init__(self, true: Callable[[str], float], compiling: float = 0.0) -> None:
        self.now, self.true, self.compile_takes = 0.0, true, compiling

    def clock(self) -> float:
        return self.now

    def admit(self, records: Sequence[Benchmark]) -> None:
        """Refuse nothing."""

    def prepare(self, records: list[Benchmark], say: Callable[[str], None]) -> None:
        for record in records:
            if self.compile_takes:
                say(f"compiling {record.name}")
            self.now += self.compile_takes

    def job(self, record: Benchmark, task: Task, out: Path, log: Path) -> Job:
        return Job(task.name, (record.name, str(task.launch)), None, None, None, out, log, task.timeout)

    def perform(self, record: Benchmark, job: Job) -> Outcome:
        takes = self.true(record.name)
        if takes > job.timeout:
            self.now += job.timeout
            raise MeasurementError(f"timed out after {job.timeout:g} s")  # as launchers do
        self.now += takes
        metric = next(iter(record.metrics))
        case = {p.name: p.default[0] if isinstance(p.default, tuple) else p.default for p in record.parameters.values()}
        block = {"event": "block", "metric": metric, "case": case, "block": 0, "batch": 4, "values": [1e-6] * 4}
        begun = {"event": "launch", "seed": 1, "ranks": 1, "host": "n1", "t": 1e9 + self.now}
        done = [begun, {**block, "first": None, "t0": 1.0, "t1": 2.0}, {"event": "done"}]
        job.out.write_text("".join(json.dumps(line) + "\n" for line in done))
        return Outcome(0, None, takes, job.command, ("n1",))

    def circumstances(self) -> dict[str, Any]:
        return {}

    def describe(self) -> dict[str, Any]:
        return {}

    def compiled(self) -> list[dict[str, Any]]:
        return []

    def allocation(self) -> str:
        return "one job"

    def close(self) -> None:
        """Nothing is held."""


def measured(folder: Path, plan: Plan, machine: Machine, expected: float) -> tuple[Run, list[session.Failure]]:
    """What `evaluate` does with a plan whose tasks are all expected to take as long."""
    records = {name: benchmark(name) for name in dict.fromkeys(task.benchmark for task in plan.tasks)}
    takes = {task.name: expected for task in plan.tasks if task.launch < first_look(plan)}
    fitting, cut = fitted(plan, records, takes)
    bound = TimeBound(fitting, records, takes, clock=machine.clock)
    about = {"machine": "clocked", "host": {}, "wishes": {}, "plan": fitting.to_dict(), "budget": cut.to_dict()}
    run = Run.create(folder, about)
    failures = session.do(run, fitting, machine, looks=Spent.of(fitting, bound), bound=bound)
    run.finish("done")
    return run, failures


NODES = ["sieve", "lock", "dhrystone", "whetstone"]


@pytest.mark.parametrize("true", [0.5, 2.0, 5.0, 11.0, 1e4])
@pytest.mark.parametrize("compiling", [0.0, 3.0])
@pytest.mark.parametrize("profile", ["quick", "standard"])
def test_the_bound_holds_while_it_runs_whatever_was_expected(
    tmp_path: Path, true: float, compiling: float, profile: str
) -> None:
    """Each launch was expected to take 2 s. A launch that hangs is ended, and has not failed."""
    spending = Spending((10, 15, 20), 0.02, 60.0) if profile == "standard" else None
    plan = planning.make([benchmark(name) for name in NODES], profile=profile, spending=spending)
    machine = Machine(lambda name: true, compiling)
    run, failures = measured(tmp_path / "run", replace(plan, budget=60.0), machine, 2.0)
    assert machine.now <= 60.0 - AFTER and not failures
    whole = document(run)
    assert whole.budget is not None and run.about["state"] == "done"
    made = {section.benchmark: section.launches for section in whole.benchmarks}
    lacking = [name for name in NODES if made.get(name, 0) < (3 if profile == "quick" else 10)]
    assert bool(whole.budget.text) == bool(lacking)
    assert {*whole.budget.left_out} == {*NODES} - made.keys() == {each.benchmark for each in whole.left_out}
    assert [each.text for each in findings(whole, [], []) if each.text == whole.budget.text] == (
        [whole.budget.text] if lacking else []
    )
    assert not [text for text in whole.warnings if "timed out" in text]
    assert all(name in whole.budget.text for name in whole.budget.left_out)


def test_a_wait_for_nodes_that_outlasts_the_budget_has_failed(tmp_path: Path) -> None:
    """Nothing was started: its reason is in the report, and the run is not done."""

    class Waiting(Machine):
        def perform(self, record: Benchmark, job: Job) -> Outcome:
            assert within(math.inf) <= 60.0 - AFTER  # what waits inside a launch knows the budget's end
            self.now += 60.0
            raise NotGrantedError("the budget ended while Slurm had not granted 8 nodes (Resources)")

    plan = planning.make([benchmark(name) for name in NODES], profile="quick")
    machine = Waiting(lambda name: 1.0)
    run, failures = measured(tmp_path / "run", replace(plan, budget=60.0), machine, 2.0)
    assert machine.now == 60.0  # later launches are not begun
    assert [each.reason for each in failures] == ["the budget ended while Slurm had not granted 8 nodes (Resources)"]
    assert any("had not granted 8 nodes" in text for text in document(run).warnings)


def test_what_compiling_leaves_no_time_for_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    plan = planning.make([benchmark(name) for name in NODES], profile="quick")
    machine = Machine(lambda name: 1.0, 30.0)
    with pytest.raises(session.SetUpError, match=r"--budget: has no time for a launch left .*the same command reuses"):
        measured(tmp_path / "run", replace(plan, budget=20.0), machine, 1.0)
    assert machine.now <= 30.0  # nothing was compiled after the budget's end
    assert not list((tmp_path / "run" / "launches").glob("*"))


def test_compiling_may_take_all_but_what_one_benchmark_needs_on_a_host_under_load(tmp_path: Path) -> None:
    """Where the end takes four times as long, 51 s of 60 may go into compiling: after 48, one benchmark still fits."""
    plan = replace(planning.make([benchmark(name) for name in NODES], profile="quick"), budget=60.0)
    records, takes = {name: benchmark(name) for name in NODES}, {task.name: 1.0 for task in plan.tasks}
    machine = Machine(lambda name: 1.0, 12.0)
    bound = TimeBound(plan, records, takes, slowed=4.0, clock=machine.clock)
    run = Run.create(tmp_path / "run", {"machine": "clocked", "host": {}, "wishes": {}, "plan": plan.to_dict()})
    session.do(run, plan, machine, bound=bound)
    assert len([entry for entry in run.entries() if entry["event"] == "begun"]) == 3
    assert 48.0 < machine.now <= 60.0 - 4 * (AFTER + EACH)


class Compiling(Machine):
    """One whose compiler never ends by itself, by the real clock."""

    def __init__(self, folder: Path) -> None:
        super().__init__(lambda name: 1.0)
        self.folder = folder

    def clock(self) -> float:
        return time.monotonic()

    def prepare(self, records: list[Benchmark], say: Callable[[str], None]) -> None:
        find_compiler(mpi=None).make("endless", ("sleep", "3000"), self.folder / "endless", 3000.0)


def test_what_is_being_compiled_is_ended_with_the_budget(tmp_path: Path) -> None:
    """Else this test times out."""
    plan = replace(planning.make([benchmark(name) for name in NODES], profile="quick"), budget=30.0)
    bound = TimeBound(plan, {}, {}, began=time.monotonic() - 29.9 + AFTER + EACH)
    run = Run.create(tmp_path / "run", {"machine": "clocked", "host": {}, "wishes": {}, "plan": plan.to_dict()})
    with pytest.raises(session.SetUpError, match=r"--budget: has no time for a launch left before everything was"):
        session.do(run, plan, Compiling(tmp_path), bound=bound)
    compiler = find_compiler(mpi=None)
    with pytest.raises(MeasurementError, match="the compiler timed out"), ending_at(time.monotonic()):
        compiler.make("endless", ("sleep", "3000"), tmp_path / "endless", 3000.0)


ASKED = {
    "a compiler": ("CXX", ("evaluate", "--only", "processor")),
    "a compiler of one benchmark": ("CXX", ("run", "sieve")),
    "MPI": ("MPIEXEC", ("evaluate", "--only", "messages")),
    "MPI of a plan": ("MPIEXEC", ("plan", "--only", "messages")),
    "a library": ("PATH", ("run", "gemm", "--set", "code=library")),
}


def asked_in_vain(asked: str, folder: Path) -> tuple[subprocess.CompletedProcess[str], float]:
    """How a command ends whose question is never answered, and the seconds that it took."""
    variable, words = ASKED[asked]
    silent = folder / "bin" / {"CXX": "g++", "MPIEXEC": "mpiexec", "PATH": "pkg-config"}[variable]
    silent.parent.mkdir()
    silent.write_text(f"#!/bin/sh\n: {folder}\nexec sleep 300\n")
    silent.chmod(0o755)
    value = f"{silent.parent}:{os.environ['PATH']}" if variable == "PATH" else str(silent)
    given = {variable: value, "ASSAY_RUNS": str(folder / "state"), "ASSAY_CACHE": str(folder / "cache")}
    command = [sys.executable, "-P", "-m", "assay", *words, "--budget", "8s"]
    began = time.monotonic()
    ended = subprocess.run(command, cwd=folder, env=os.environ | given, capture_output=True, text=True, timeout=60)
    return ended, time.monotonic() - began


@pytest.mark.measures
def test_what_is_asked_at_the_start_is_ended_with_the_budget(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A program that never answers: each may take 15 to 60 s by itself. Nothing of it is left.

    All at a time, as they wait.
    """
    folders = [tmp_path_factory.mktemp("asked") for _ in ASKED]
    with ThreadPoolExecutor(len(ASKED)) as pool:
        for folder, (ended, took) in zip(folders, pool.map(asked_in_vain, ASKED, folders), strict=True):
            assert ended.returncode == 2 and "--budget: has no time for a launch left" in ended.stderr, ended
            assert took <= 8.0 + 10.0  # as stated in docs/comparing.md
            assert {path.name for path in folder.iterdir()} <= {"bin", "state", "cache"}


def test_a_query_of_a_thread_ends_with_the_budget() -> None:
    """As those of drivers, compilers and the linker at the start; else this test times out."""
    assert within(5.0) == 5.0
    with ending_at(time.monotonic() + 0.2):
        assert 0 < within(5.0) <= 0.2
        with ThreadPoolExecutor() as pool:
            asked = [pool.submit(answer, ["sleep", "3000"]), pool.submit(ask, ["sleep", "3000"], timeout=3000.0)]
            (status, said), (ended, _) = (each.result() for each in asked)
    assert (status, said) == (124, "") and ended.timed_out
    assert within(5.0) == 5.0


def test_a_command_begins_with_its_process() -> None:
    """And one that waits for long is slowed: its time over its processor time, at most MOST."""
    code = "import time; time.sleep(0.5); from assay import since_start; since_start.this_process_is_it();"
    code += "print(time.monotonic() - since_start.command_began(), since_start.slowed())"
    began = time.monotonic()
    said = subprocess.run([sys.executable, "-P", "-c", code], check=True, capture_output=True, text=True).stdout
    tick = 0.01  # s, of the kernel's count
    age, slowed = map(float, said.split())
    assert 0.5 <= age <= time.monotonic() - began + 2 * tick and 1 < slowed <= MOST


def test_what_the_end_takes_on_a_host_under_load_is_kept_for_it(tmp_path: Path) -> None:
    """Three times as long as on a quiet one: so much less is measured, and nothing later is begun."""
    plan = replace(planning.make([benchmark(name) for name in NODES], profile="quick"), budget=60.0)
    records, takes = {name: benchmark(name) for name in NODES}, {task.name: 2.0 for task in plan.tasks}
    quiet, loaded = (TimeBound(plan, records, takes, slowed=each) for each in (1.0, 3.0))
    assert quiet.seconds - loaded.seconds == pytest.approx(2 * (AFTER + EACH * len(NODES)))
    machine = Machine(lambda name: 5.0)
    bound = TimeBound(plan, records, takes, slowed=3.0, clock=machine.clock)
    run = Run.create(tmp_path / "run", {"machine": "clocked", "host": {}, "wishes": {}, "plan": plan.to_dict()})
    session.do(run, plan, machine, bound=bound)
    assert 0 < machine.now <= 60.0 - 3 * (AFTER + EACH * len(NODES))


def test_a_run_that_is_resumed_after_its_budget_makes_no_launch(tmp_path: Path) -> None:
    plan = replace(planning.make([benchmark(name) for name in NODES], profile="quick"), budget=30.0)
    run, _ = measured(tmp_path / "run", plan, Machine(lambda name: 5.0), 2.0)
    before = len(run.entries())
    again = Run.load(run.folder)
    machine = Machine(lambda name: 5.0)
    records = {name: benchmark(name) for name in NODES}
    of = Plan.from_dict(again.about["plan"])
    bound = TimeBound(of, records, {task.name: 2.0 for task in of.tasks}, spent=29.0, clock=machine.clock)
    assert session.do(again, of, machine, bound=bound) == []
    assert machine.now == 0.0
    assert not [entry for entry in again.entries()[before:] if entry["event"] == "begun"]


def test_plan_names_what_a_budget_cuts_or_the_least_one(own_folder: None) -> None:
    given = ("--only", "processor,memory", "--profile", "standard")
    refused = assay("plan", *given, "--budget", "1s")
    assert (
        refused.status == 2
        and "--budget: is too short for a single benchmark; got '1s', expected at least" in refused.err
    )
    least = re.search(r"at least (\d+s)", refused.err)
    assert least is not None and assay("plan", *given, "--budget", least[1]).status == 0
    whole = assay("plan", *given, "--json").document["expected"]["seconds"]
    for seconds in (math.ceil(whole / 20), math.ceil(whole / 3)):
        found = assay("plan", *given, "--budget", f"{seconds}s", "--json").document
        assert found["expected"]["seconds"] <= found["expected"]["most"] <= seconds
        left = {task["benchmark"] for task in found["tasks"]}
        assert not left & {*found["cut"]["left_out"]}
        said = assay("plan", *given, "--budget", f"{seconds}s").out
        assert all(name in said for name in found["cut"]["left_out"]) and "the budget of" in said


@pytest.mark.parametrize("verb", [("run", "sieve"), ("evaluate", "--only", "processor")])
def test_a_budget_that_holds_nothing_is_refused_before_anything_is_made(
    verb: tuple[str, ...], own_folder: None
) -> None:
    ended = assay(*verb, "--budget", "1s")
    assert ended.status == 2 and "expected at least" in ended.err and "Traceback" not in ended.err
    assert not Path("runs").exists()


@pytest.mark.measures
def test_a_command_beside_busy_processes_ends_within_the_stated_bound(own_folder: None) -> None:
    """At most 10 s after its budget (docs/comparing.md), refused or not: what has to be compiled is no excuse."""
    command = [sys.executable, "-P", "-m", "assay", "evaluate", "--budget", "20s", "--out", "here", "--json"]
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        began = time.monotonic()
        ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
        took = time.monotonic() - began
    finally:
        for each in busy:
            each.kill()
            each.wait()
    assert took <= 20.0 + 10.0, ended.stderr
    if ended.returncode == 2:
        assert "has no time for a launch left" in ended.stderr and not Path("here").exists()
    else:
        assert ended.returncode == 0, ended.stderr[-3000:]
        assert "the budget of 20 s" in json.loads(ended.stdout)["budget"]["text"]


@pytest.mark.measures
def test_a_run_ends_within_its_budget(own_folder: None) -> None:
    """By its own journal, as speed is not asserted: with launches that take half a second each."""
    assert assay("run", "sieve", "--launches", "1").status == 0  # compiled
    began = time.time()
    ended = assay("run", "sieve", "--launches", "400", "--budget", "10s", "--out", "here", "--json")
    assert ended.status == 0, ended.err
    last = max(json.loads(line)["t"] for line in Path("here/journal.jsonl").read_text().splitlines() if "{" in line)
    assert last - began <= 10.0
    budget = ended.document["budget"]
    assert budget["launches"] < 400 or budget["cut"] > 0
    assert "the budget of 10 s" in budget["text"]
