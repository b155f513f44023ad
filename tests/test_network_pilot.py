"""Pilot runs near saturation: a load below it is found in balance, one above it soon is not, and the whole ends.

The network is a queue of one server and fixed service (Lindley's recursion), simulated here: of its load all is known.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.network import description, engine, progress, relaxation, simulation, sweep, warming
from assay.network.tasks import SimulationTask, Steps, pilot_task
from made_runs import answer

SEEDS = range(16)


def queue(load: float, seed: int, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Arrivals in each cycle, Poisson, and how many wait when it ends; one is served per cycle."""
    arrivals = np.random.default_rng(seed).poisson(load, length).astype(np.int32)
    free = np.cumsum(arrivals - 1)
    return arrivals, free - np.minimum.accumulate(np.minimum(free, 0))


def run(arrivals: np.ndarray, waiting: np.ndarray, length: int) -> engine.SimulationRun:
    """What the core says of the first `length` cycles."""
    edges = np.linspace(0, length, 1025).astype(int)
    counts = np.add.reduceat(arrivals[:length], edges[:-1]).astype(float)
    sums = np.add.reduceat((arrivals * waiting)[:length], edges[:-1]).astype(float)
    return engine.SimulationRun(
        engine="queue",
        measured_cycles=length,
        simulated_cycles=length,
        cpu_seconds=0.0,
        generated=int(counts.sum()),
        messages=int(counts.sum()),
        head_hops=0,
        throughput=0.0,
        worst_node=0.0,
        offered=0.0,
        latencies={"header_latency": engine.Latency(sums, counts, np.zeros(0), np.zeros(0))},
        backlog=waiting[edges[1:] - 1].astype(float),
        deadlock=None,
        utilisation=None,
        unroutable=0,
    )


@pytest.fixture
def described(tmp_path: Path) -> description.NetworkDescription:
    file = tmp_path / "queue.toml"
    file.write_text('[network]\ntopology = "hypercube"\ndimension = 1\n[traffic]\nload = 0.5\n')
    return description.load(file)


def piloted(found: description.NetworkDescription, load: float, seed: int) -> warming.Warmup:
    steps = warming.warmup(found, 20_000)
    (task,) = next(steps)
    try:
        while True:
            (task,) = steps.send([run(*queue(load, seed, task.cycles), task.cycles)])
    except StopIteration as end:
        answer: warming.Warmup = end.value
        return answer


@pytest.mark.parametrize("load", [0.5, 0.9, 0.95, 0.97])
def test_a_load_below_saturation_settles(described: description.NetworkDescription, load: float) -> None:
    """In every seed; near saturation it remembers load / (1 - load)^2 / 2 cycles, and is warmed up ten times that."""
    found = [piloted(described, load, seed) for seed in SEEDS]
    assert all(one.settles for one in found)
    assert load < 0.9 or 2 < np.median([one.cycles for one in found]) * (1 - load) ** 2 / load < 10


@pytest.mark.parametrize("load", [1.05, 1.2, 3.0])
def test_a_load_above_saturation_is_recognised_soon(described: description.NetworkDescription, load: float) -> None:
    found = [piloted(described, load, seed) for seed in SEEDS]
    assert not any(one.settles for one in found)
    assert all(one.pilot_cycles <= 20_000 * (1 + 4 + 16 + 64) for one in found)
    assert all(simulation.FIRST_LOOK * one.cycles <= 2 * one.pilot_cycles for one in found)


@pytest.mark.parametrize("key", ["messages", "warmup_messages", "utilisation"])
def test_a_pilot_run_is_as_long_as_it_must_be(described: description.NetworkDescription, key: str) -> None:
    """How the measured runs end, and what they record of the links, changes neither its length nor what it sees."""
    method = described.method.model_copy(update={key: 5})
    task, usual = (pilot_task(of, 3000, "") for of in (described.but(method=method), described))
    assert task.config == usual.config and task.make().simulated_cycles == 3000


def test_runs_that_end_by_messages_have_a_pilot_run(described: description.NetworkDescription) -> None:
    method = described.method.model_copy(update={"messages": 100, "replications": 2})
    steps, longest = simulation.steps(described.but(method=method)), 0
    tasks = next(steps)
    try:
        while True:
            longest = max(longest, *(task.config["method"]["cycles"] for task in tasks))
            assert longest < 10**7
            tasks = steps.send([task.make() for task in tasks])
    except StopIteration as end:
        assert end.value["warmup"]["correlation_cycles"] > 0 and end.value["messages"] >= 200


def test_a_pilot_run_costs_no_more_than_the_runs_or_a_second(described: description.NetworkDescription) -> None:
    """Of a large network 100 cycles were measured, with a million messages: a pilot run has as many."""
    alone = [replace(run(*queue(0.5, 1, 100), 100), generated=10**6)]
    (task,) = next(warming.remembered(described, warming.Warmup(0, "fixed"), alone, alone=True))
    assert task.cycles == 100 and warming.SHORT_PILOT == 10**6


def test_a_long_run_needs_no_pilot_run(described: description.NetworkDescription) -> None:
    method = described.method.model_copy(update={"cycles": 2_000_000, "warmup_cycles": 100})
    found = answer(simulation.steps(described.but(method=method)))
    assert found["warmup"]["pilot_cycles"] == 0 and found["warmup"]["correlation_cycles"] < 2_000_000 / 1024
    assert found["estimates"]["header_latency"]["cycles"]["interval"] is not None


@pytest.mark.parametrize("flits", [32, {"lengths": [1, 63]}])
def test_a_rate_has_an_interval_where_messages_tell_its_flits(flits: Any, tmp_path: Path) -> None:
    file = tmp_path / "queue.toml"
    file.write_text(
        '[network]\ntopology = "hypercube"\ndimension = 1\n[method]\ncycles = 2000000\nwarmup_cycles = 1000\n'
        f"[traffic]\nload = 0.5\nflits = {flits if isinstance(flits, int) else '{ lengths = [1, 63] }'}\n"
    )
    found = answer(simulation.steps(description.load(file)))["estimates"]["throughput"]["flits_per_node_per_cycle"]
    assert (found["interval"] is not None) == isinstance(flits, int)


def series(values: np.ndarray) -> engine.SimulationRun:
    """A run whose batches have these mean latencies and backlogs, a hundred messages each."""
    made = run(np.ones(1024, np.int32), np.zeros(1024, np.int32), 1024)
    latency = engine.Latency(100 * values, np.full(1024, 100.0), np.zeros(0), np.zeros(0))
    return type(made)(**{**vars(made), "latencies": {"header_latency": latency}, "backlog": values})


@pytest.mark.parametrize(("times", "known", "settled"), [(400, True, True), (58, False, True), (6, False, False)])
def test_how_long_a_pilot_run_must_be(times: int, known: bool, settled: bool) -> None:
    """An autoregression whose second half is so many of its autocorrelation times long, in most of a hundred trials."""
    steps = 512 / times
    memory = (steps - 0.5) / (steps + 0.5)
    random, found = np.random.default_rng(7), []
    for _ in range(100):
        noise, values = random.normal(size=2048), [0.0]
        for each in noise:
            values.append(memory * values[-1] + each)
        found.append(relaxation.of_pilot(series(100 + np.array(values[-1024:]))))
    assert np.mean([one.known == known for one in found]) > 0.75
    assert np.mean([one.settled == settled for one in found]) > 0.75


def test_what_grows_has_not_settled() -> None:
    """Neither in proportion to time nor as its square root, the growth of a queue at its capacity."""
    noise = np.random.default_rng(3).normal(size=1024)
    for power in (1.0, 0.5):
        found = relaxation.of_pilot(series(1000 * np.arange(1, 1025) ** power + 100 * noise))
        assert not found.settled and found.saturated == (power == 1.0)


def replicated(found: description.NetworkDescription, settles: bool, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The document of a description whose pilot run settled, or did not."""

    def warmup(*_: object) -> Any:
        yield []
        return warming.Warmup(500, "", 1000, 0.0, 10.0, settles)

    monkeypatch.setattr(simulation, "warmup", warmup)
    documents: list[dict[str, Any]] = []
    sweep.drive([simulation.steps(found)], None, lambda _, one: documents.append(one))
    return documents[0]


def test_no_replications_are_made_that_could_not_give_an_interval(
    described: description.NetworkDescription, monkeypatch: pytest.MonkeyPatch
) -> None:
    precise = described.but(method=described.method.model_copy(update={"precision": 1e-6}))
    found = replicated(precise, False, monkeypatch)
    assert found["replications"] == simulation.FIRST_LOOK and "no steady state" in found["ended"]


def test_replications_end_at_so_many_messages(
    described: description.NetworkDescription, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two nodes send load / flits messages a cycle; the interval is given all the same."""
    traffic = described.traffic
    each = 2 * traffic.load / traffic.mean_flits * (20_000 + 500)
    update = {"precision": 1e-6, "max_messages": math.ceil(24.5 * each)}
    found = replicated(described.but(method=described.method.model_copy(update=update)), True, monkeypatch)
    assert found["replications"] in (23, 24, 25) and "max_messages" in found["ended"]
    assert found["estimates"]["header_latency"]["cycles"]["interval"] is not None


def test_progress_says_what_is_being_done(described: description.NetworkDescription) -> None:
    meter, seen = progress.Meter(of=1), []

    class Watched(SimulationTask):
        def make(self) -> engine.SimulationRun:
            seen.append(meter.reading().text)
            return super().make()

    def watched() -> Steps:
        steps = simulation.steps(described)
        tasks = next(steps)
        try:
            while True:
                tasks = steps.send((yield [Watched(task.source, task.config, task.purpose) for task in tasks]))
        except StopIteration as end:
            document: dict[str, Any] = end.value
            return document

    sweep.drive([watched()], None, lambda *_: None, meter)
    assert seen[0].startswith("pilot run 1 ") and any(line.startswith("replications 1 to 10 of ") for line in seen)


@pytest.mark.parametrize(("load", "grows"), [(0.7, False), (1.3, True)])
def test_a_backlog_is_taken_from_the_empty_network_on_and_not_from_the_warm_up(
    load: float, grows: bool, described: description.NetworkDescription
) -> None:
    """4,000 cycles after 200,000: of a queue that grows from the start the measured part shows a growth of 2%."""
    warm, measured = 200_000, 4_000
    before = warming.Warmup(warm, "fixed")
    for seed in SEEDS:
        arrivals, waiting = queue(load, seed, warm + measured)
        last = replace(run(arrivals[warm:], waiting[warm:], measured), simulated_cycles=warm + measured)
        assert warming.saturated(described, [last], before) == grows, seed
        together = [replace(last, simulated_cycles=measured)]  # the same backlog, had it come in the measured cycles
        assert not warming.saturated(described, together, before), seed
