"""Launches go where intervals are wide: each stop is written down, and an interrupted run goes on with the same."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.benchmark.record import Benchmark, benchmark
from assay.benchmark.variants import Variant
from assay.errors import InputError
from assay.execute import plan as planning
from assay.execute import session
from assay.execute.job import Job, Outcome
from assay.execute.plan import Plan, Spending, Task
from assay.report.derive.stopping_figures import watched
from assay.report.sections.launch_counts import launches_spent, lines
from assay.samples import Circumstance
from assay.store import Run
from assay.stored import launch_file
from assay.stored.launch_file import Content
from assay.verbs._stopping_rule import Spent
from command_line import assay
from made_documents import as_json as document

pytestmark = pytest.mark.measures

SPREAD = {"sieve": 0.001, "lock": 0.05}  # of the launches, relative


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))


class Machine:
    """A machine without a clock: a launch takes a second, and its times vary by the benchmark's spread."""

    machine = "clockless"

    def __init__(self, most: int = 10**6, job: str = "one job", cost: float = 1.0) -> None:
        self.left, self.job_name, self.cost = most, job, cost

    def admit(self, records: Sequence[Benchmark]) -> None:
        """Refuse nothing."""

    def prepare(self, records: list[Benchmark], say: Callable[[str], None]) -> None:
        """Compile nothing."""

    def job(self, record: Benchmark, task: Task, out: Path, log: Path) -> Job:
        return Job(task.name, (record.name, str(task.launch)), None, None, None, out, log, 1.0)

    def perform(self, record: Benchmark, job: Job) -> Outcome:
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        dice = random.Random(f"{record.name}{job.command[1]}")
        metric = next(iter(record.metrics))
        case = {p.name: p.default[0] if isinstance(p.default, tuple) else p.default for p in record.parameters.values()}
        values = [1e-6 * (1 + SPREAD.get(record.name, 0.01) * dice.uniform(-1, 1))] * 4
        block = {"event": "block", "metric": metric, "case": case, "block": 0, "batch": 4, "values": values}
        begun = {"event": "launch", "seed": 1, "ranks": 1, "host": "n1", "t": 1e9 + 3600 * int(job.command[1])}
        done = [begun, {**block, "first": None, "t0": 1.0, "t1": 2.0}, {"event": "done"}]
        job.out.write_text("".join(json.dumps(line) + "\n" for line in done))
        return Outcome(0, None, self.cost, job.command, ("n1",))

    def circumstances(self) -> dict[str, Any]:
        return {}

    def describe(self) -> dict[str, Any]:
        return {}

    def compiled(self) -> list[dict[str, Any]]:
        return []

    def allocation(self) -> str:
        return self.job_name

    def close(self) -> None:
        """Nothing is held."""


def plan(spending: Spending) -> Plan:
    return planning.make([benchmark(name) for name in SPREAD], profile="standard", spending=spending)


def made(folder: Path, of: Plan) -> Run:
    about = {"machine": "clockless", "host": {"usable_cpus": 4}, "wishes": {}, "plan": of.to_dict()}
    return Run.create(folder, about)


def launches(run: Run) -> Counter[str]:
    return Counter(e["about"]["benchmark"] for e in run.entries() if e.get("event") == "begun")


def looks(run: Run) -> list[dict[str, Any]]:
    return [{k: v for k, v in e.items() if k != "t"} for e in run.entries() if e.get("event") == "look"]


def test_a_look_reads_no_launch_of_another_benchmark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of = plan(Spending((10, 15, 20), 0.02, 1000.0))
    session.do(made(tmp_path / "run", of), of, Machine())
    opened: list[str] = []
    whole = launch_file.content

    def seen(path: Path, about: Circumstance) -> Content:
        opened.append(path.stem.partition("-")[2])
        return whole(path, about)

    monkeypatch.setattr(launch_file, "content", seen)
    assert watched(Run.load(tmp_path / "run"), "lock")
    assert set(opened) == {"lock"}


def test_the_launches_go_to_the_benchmark_that_varies(tmp_path: Path) -> None:
    of = plan(Spending((10, 15, 20), 0.02, 1000.0))
    run = made(tmp_path / "run", of)
    assert session.do(run, of, Machine(), looks=Spent.of(of)) == []
    assert launches(run) == {"sieve": 10, "lock": 20}
    ended = {entry["benchmark"]: entry for entry in looks(run) if entry["stop"]}
    assert ended["sieve"]["reached"] and ended["sieve"]["launches"] == 10
    assert not ended["lock"]["reached"] and ended["lock"]["reason"].startswith("last look: +-")
    spent = document(run)["spent"]
    assert spent["within"] == 0.02 and spent["level"] == pytest.approx(1 - 0.05 / 3)
    assert lines(launches_spent(run))[0].startswith("Launches: 1 of 2 benchmarks are within ±2.0%")
    assert any(line.strip().startswith("lock: ") for line in lines(launches_spent(run))[1:])
    shown = assay("report", str(run.folder), "--markdown").out
    assert all(line.strip() in shown for line in lines(launches_spent(run)))


def test_an_interval_of_several_looks_is_drawn_at_its_share_of_the_five_percent(tmp_path: Path) -> None:
    widths = []
    for looked in ((20,), (10, 12, 14, 16, 20)):
        of = plan(Spending(looked, 0.0001, 1000.0))
        run = made(tmp_path / str(len(looked)), of)
        session.do(run, of, Machine(), looks=Spent.of(of))
        (lock,) = (section for section in document(run)["benchmarks"] if section["benchmark"] == "lock")
        median = next(f for f in lock["figures"] if f["statistic"] == "median" and f["ci95"])
        widths.append(median["ci95"][1] - median["ci95"][0])
    assert widths[0] < widths[1]


@pytest.mark.parametrize("killed_after", [7, 20, 24, 33])
def test_a_run_that_was_interrupted_goes_on_with_the_same_launches(tmp_path: Path, killed_after: int) -> None:
    of = plan(Spending((10, 15, 20), 0.02, 1000.0))
    whole, cut = made(tmp_path / "whole", of), made(tmp_path / "cut", of)
    session.do(whole, of, Machine(), looks=Spent.of(of))
    if killed_after < sum(launches(whole).values()):
        with pytest.raises(KeyboardInterrupt):
            session.do(cut, of, Machine(most=killed_after), looks=Spent.of(of))
    again = Plan.from_dict(json.loads(json.dumps(of.to_dict())))  # as run.json gives it back
    session.do(cut, again, Machine(), looks=Spent.of(again))
    ended = [[e["task"] for e in run.entries() if e.get("event") == "ended"] for run in (whole, cut)]
    assert ended[0] == ended[1] and looks(whole) == looks(cut)


def test_a_spent_budget_ends_the_launches_and_is_named(tmp_path: Path) -> None:
    of = plan(Spending((10, 15, 20), 0.02, 23.5))  # twenty launches of a second, and three more
    run = made(tmp_path / "run", of)
    session.do(run, of, Machine(), looks=Spent.of(of))
    assert launches(run) == {"sieve": 10, "lock": 13}
    (end,) = (entry for entry in looks(run) if entry["benchmark"] == "lock" and entry["stop"])
    assert end["launches"] == 13 and not end["reached"] and "budget of 23.5 s" in end["reason"]
    assert any("budget" in line for line in lines(launches_spent(run)))


def test_without_a_budget_the_launches_take_twice_the_first_ones_at_most(tmp_path: Path) -> None:
    of = plan(Spending((10, 40, 60), 0.01))
    run = made(tmp_path / "run", of)
    session.do(run, of, Machine(), looks=Spent.of(of))
    assert sum(launches(run).values()) == 40


def test_launches_in_another_job_are_another_allocation(tmp_path: Path) -> None:
    of = planning.make([benchmark("sieve")], profile="quick", launches=8)
    run = made(tmp_path / "run", of)
    with pytest.raises(KeyboardInterrupt):
        session.do(run, of, Machine(most=3))
    session.do(run, of, Machine(job="another job"))
    found = dict(run.connect().execute("SELECT allocation, count(DISTINCT launch) FROM samples GROUP BY 1").fetchall())
    assert found == {0: 3, 1: 5}
    figure = next(f for f in document(run)["benchmarks"][0]["figures"] if f["statistic"] == "median")
    assert "in 2 allocations" in figure["scope"] and "another allocation" not in figure["scope"]


def test_what_a_person_may_ask_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert planning.spend("quick", None, None, None) is None and planning.spend("standard", 12, None, None) is None
    assert planning.spend("standard", None, None, None) == Spending((10, 15, 20, 30), 0.02)
    assert planning.spend("standard", 17, 0.05, 60.0) == Spending((10, 15, 17), 0.05, 60.0)
    assert planning.spend("full", None, None, None) == Spending((30, 40, 60), 0.01)
    for words, said in (
        (("--within", "2%"), "--profile standard or full"),
        (("--profile", "standard", "--within", "two"), "--within: is no share"),
        (("--profile", "standard", "--budget", "20"), "90s, 20min, 2h"),
        (("--profile", "standard", "--within", "2%", "--on", "ipsc860"), "--within"),
    ):
        answer = assay("run", "echo", *words)
        assert answer.status == 2 and said in answer.err, answer.err
    assert planning.spend("quick", None, None, 60.0) is None  # a budget bounds any profile (execute/budget.py)


class Refusing(Machine):
    """On which `lock` ends with what it says of its input, from a launch on."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.after = after

    def perform(self, record: Benchmark, job: Job) -> Outcome:
        if record.name == "lock" and int(job.command[1]) >= self.after:
            said = "parameter 'kind': 'x'; expected spin"
            return Outcome(2, f"exit status 2: {said}; log: l", 1.0, job.command, ("n1",), refused=said)
        return super().perform(record, job)


def test_what_a_program_refuses_is_not_tried_again_and_of_several_the_others_go_on(tmp_path: Path) -> None:
    of = plan(Spending((10,), 0.02, 1000.0))
    run = made(tmp_path / "several", of)
    failures = session.do(run, of, Refusing(after=0))
    assert launches(run) == {"sieve": 10, "lock": 1}
    assert failures[0].reason == "lock: parameter 'kind': 'x'; expected spin"
    assert [each.benchmark for each in failures] == ["lock"] * 10

    alone = planning.make([benchmark("lock")], profile="standard", spending=Spending((10,), 0.02, 1000.0))
    with pytest.raises(InputError, match="lock: parameter 'kind': 'x'; expected spin"):
        session.do(made(tmp_path / "alone", alone), alone, Refusing(after=0))
    later = made(tmp_path / "later", alone)  # a folder that went away meanwhile, say: what was measured stands
    assert len(session.do(later, alone, Refusing(after=3))) == 7
    assert sum(entry["status"] == 0 for entry in later.entries() if entry["event"] == "ended") == 3


class RefusingVariant(Machine):
    """On which programs whose flags are among `refused` end with what they say of their input."""

    def __init__(self, refused: frozenset[str]) -> None:
        super().__init__()
        self.refused = refused

    def job(self, record: Benchmark, task: Task, out: Path, log: Path) -> Job:
        job = super().job(record, task, out, log)
        return replace(job, command=(*job.command, str(task.factors["flags"])))

    def perform(self, record: Benchmark, job: Job) -> Outcome:
        if job.command[-1] in self.refused:
            said = "nothing to measure: exp: no vector form; expected what can be measured here"
            return Outcome(2, f"exit status 2: {said}; log: l", 1.0, job.command, ("n1",), refused=said)
        return super().perform(record, job)


def test_what_one_variant_refuses_ends_no_other_and_what_all_refuse_ends_the_run(tmp_path: Path) -> None:
    variants = [Variant("g++", flags, "native") for flags in ("-O2", "-O3")]
    spending = Spending((4,), 0.02, 1000.0)
    of = planning.make([benchmark("vectors")], profile="standard", spending=spending, variants=variants)
    refused = str(of.tasks[0].factors["flags"])  # by the first launch of all, before any ended well
    run = made(tmp_path / "one", of)
    failures = session.do(run, of, RefusingVariant(frozenset({refused})))
    assert launches(run) == {"vectors": 5} and len(failures) == 4
    with pytest.raises(InputError, match="vectors: nothing to measure: exp"):
        session.do(made(tmp_path / "both", of), of, RefusingVariant(frozenset({"-O2", "-O3"})))


def test_launches_of_each_benchmark_are_spread_over_the_whole_run() -> None:
    """Round by round: each benchmark has its n-th launch before any has its next one, in an order of its own."""
    records = [benchmark(name) for name in ("echo", "sieve", "clock")]
    made = planning.make(records, profile="standard", launches=10)
    rounds = [made.tasks[at : at + 3] for at in range(0, 30, 3)]
    assert [{task.launch for task in each} for each in rounds] == [{at} for at in range(10)]
    assert {frozenset(task.benchmark for task in each) for each in rounds} == {frozenset(("echo", "sieve", "clock"))}
    assert len({tuple(task.benchmark for task in each) for each in rounds}) > 1
