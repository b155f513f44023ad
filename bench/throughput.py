"""`./x bench throughput`: the simulated batch system's speed, by policy and by how many jobs wait.

Jobs drawn at random (widths of powers of two to 4,096, log-normal run times, requests of one to ten times these) for
10,000 processors, offered a share of what these can do; more than all of it makes the queue grow until the last job is
submitted. Processor time of the simulation alone, and of the whole verb with reading the workload; peak memory of the
latter. Then a live test: how many submissions and decisions per second the local batch system does with jobs that
do nothing, and how long after an event it starts one. What the policies start is held to their twins in
`tests/test_batch_policies.py`.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from assay.throughput import simulated, swf
from assay.throughput.workload import Workload

PROCESSORS = 10_000
CASES = [
    *(("easy", jobs, load) for jobs in (100_000, 1_000_000) for load in (0.9, 1.8)),
    ("easy", 1_000_000, 10.0),
    *(("firstfit", 1_000_000, load) for load in (0.9, 1.8)),
    ("fcfs", 1_000_000, 0.9),
    ("priority", 1_000_000, 0.9),
    ("conservative", 100_000, 0.9),
    ("conservative", 1_000_000, 0.9),
    ("fairshare", 50_000, 0.9),
]


def main(arguments: Sequence[str]) -> int:
    """Print a line for each case."""
    parser = argparse.ArgumentParser(prog="./x bench throughput")
    parser.add_argument("--jobs", type=int, help="as many instead of each case's own")
    given = parser.parse_args(arguments)
    print(f"{'policy':<13}{'jobs':>10}{'load':>6}{'most waiting':>14}{'CPU s':>9}{'jobs/s':>12}{'us/decision':>13}")
    spans: dict[str, list[tuple[int, float]]] = {}
    for policy, jobs, load in CASES:
        made = drawn(given.jobs or jobs, load)
        began = time.process_time()
        found = simulated.schedule(made, PROCESSORS, policy)
        spent = time.process_time() - began
        waited, rate = _most_waiting(found), len(made) / spent
        each = 1e6 * spent / max(1, found.decisions)
        spans.setdefault(policy, []).append((waited, each))
        line = f"{policy:<13}{len(made):>10,}{load:>6}{waited:>14,}{spent:>9.2f}{rate:>12,.0f}{each:>13.2f}"
        print(line, flush=True)
    for policy, measured in spans.items():
        print(_bound(policy, measured))
    _whole(drawn(given.jobs or 1_000_000, 0.9))
    _live()
    return 0


def _bound(policy: str, measured: Sequence[tuple[int, float]]) -> str:
    """What bounds a policy: the events themselves, or the search among the jobs that wait."""
    (least, quick), (most, slow) = min(measured), max(measured)
    if slow < 2 * quick:
        return f"{policy}: bound by its events, {quick:.2f} us for each decision, however many wait"
    return (
        f"{policy}: bound by the search among those that wait: {quick:.2f} us for each decision with up to {least:,} "
        f"waiting, {slow:.2f} us with up to {most:,}"
    )


def drawn(jobs: int, load: float) -> Workload:
    """Jobs whose work is `load` of what the machine can do until the last submission."""
    rng = np.random.default_rng(1)
    width = np.round(2 ** rng.uniform(0, 12, jobs)).astype(np.int64)
    runs = np.exp(rng.normal(7, 1.8, jobs)).astype(np.int64).clip(1, 5 * 86400)
    requested = np.maximum(runs, (runs * rng.uniform(1, 10, jobs)).astype(np.int64))
    span = float((width * runs).sum()) / PROCESSORS / load
    submitted = np.sort(rng.uniform(0, span, jobs)).astype(np.int64)
    return Workload(
        number=np.arange(1, jobs + 1),
        submitted=submitted - submitted[0],
        runs=runs,
        requested=requested,
        processors=width,
        user=rng.integers(0, 200, jobs),
        priority=np.zeros(jobs),
    )


def _most_waiting(found: simulated.Scheduled) -> int:
    times = np.concatenate([found.workload.submitted, found.started])
    steps = np.concatenate([np.ones(len(found.started)), -np.ones(len(found.started))])
    return int(np.cumsum(steps[np.argsort(times, kind="stable")]).max())


def _live(jobs: int = 400, slots: int = 16) -> None:
    """The local batch system with jobs that end at once: what it and the submitter can do."""
    with tempfile.TemporaryDirectory() as folder:
        table, schedule = Path(folder) / "jobs.toml", Path(folder) / "mix"
        table.write_text('[nothing]\nprocessors = 1\ntime = "1 s"\ncommand = "true"\n')
        schedule.write_text(f"0: {jobs} * nothing\n")
        words = ["throughput", str(schedule), "--jobs", str(table), "--via", "local", "--slots", str(slots), "--json"]
        command = [sys.executable, "-m", "assay", *words, "--policy", "easy", "--out", f"{folder}/out"]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    rates = found["rates"]
    print(
        f"live, local, {jobs} jobs that end at once on {slots} slots: {jobs / found['makespan']:.0f} jobs/s, "
        f"{rates['submit_rate']:.0f} submissions/s, {rates['decision_rate']:.0f} decisions/s, "
        f"a start {1000 * rates['reaction_median']:.1f} ms after an event"
    )


def _whole(workload: Workload) -> None:
    """The verb as a process of its own: a file read, simulated and reported."""
    with tempfile.TemporaryDirectory() as folder:
        jobs, machine = Path(folder) / "jobs.swf", Path(folder) / "machine.toml"
        begun_at_once = simulated.Scheduled(workload, workload, PROCESSORS, "fcfs", workload.submitted, {}, 0)
        jobs.write_text(swf.written(begun_at_once, "bench"))
        machine.write_text(f"[machine]\nnodes = {PROCESSORS}\n")
        words = ["throughput", str(jobs), "--on", str(machine), "--policy", "easy", "-q"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "assay", *words], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"the whole verb, reading included: {spent:.2f} CPU s, {after.ru_maxrss / 1024:.0f} MiB")
