"""The twin of a test on a real batch system: its policy, simulated for the same jobs, with the delays that it had.

A real batch system decides a while after something happened. How long is measured: from the first moment at which there
was room for a job (it was submitted, and processors enough were free) to its start. In the twin every decision comes
such a delay, drawn from those measured, after the first event that it has not seen, and knows all that happened until
then. Run times are those measured. What differs from the measured makespan is what policy and delays do not explain.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.throughput import simulated
from assay.throughput.live_idle import Spell

TICKS = 1000  # per second: simulated policies count whole ticks
MOST, WORK = 100, 20_000  # simulations of a twin; jobs of all of them together
POLICIES = {"backfill": "easy"} | {name: name for name in ("fcfs", "firstfit", "easy", "conservative")}


@dataclass(frozen=True, kw_only=True)
class PredictedTest:
    """What the twin makes of a test: the mean and the range (s) of `simulations` draws of the delays.

    `difference`: by how much the predicted makespan is longer than the measured one (negative: shorter).
    `decision_delay`: the median of those measured (s).
    """

    policy: str
    decision_delay: float
    makespan: float
    least: float
    longest: float
    mean_wait: float
    difference: float
    simulations: int


def decision_delays(jobs: Sequence[Spell], processors: int) -> list[float]:
    """Seconds from the first moment at which each job had room until its start, without a break."""
    found = []
    for submitted, started, _, width in jobs:
        room = submitted
        changes: dict[float, int] = {}
        for _, begun, over, taken in jobs:
            if begun < started:  # what started with it or later took no room before
                changes[begun] = changes.get(begun, 0) + taken
                changes[over] = changes.get(over, 0) - taken
        busy = 0
        for when in sorted(when for when in changes if when <= started):
            was = busy
            busy += changes[when]
            if processors - was < width <= processors - busy:
                room = max(room, when)
        found.append(started - room)
    return found


def predicted(
    jobs: Sequence[Spell], requested: Sequence[float], processors: int, policy: str, measured: float, seed: int = 1
) -> PredictedTest | None:
    """The twin of a test of makespan `measured` (s); `requested`: seconds of each job that it decided by.

    None where the policy is none that is simulated, or nothing ran.
    """
    name = POLICIES.get(policy)
    if name is None or not jobs or measured <= 0:
        return None
    order = sorted(range(len(jobs)), key=lambda at: jobs[at][0])
    spells, limits = [jobs[at] for at in order], [requested[at] for at in order]
    delays = decision_delays(spells, processors)
    draws = random.Random(seed)
    count = max(1, min(MOST, WORK // len(jobs)))
    found = [played(spells, limits, processors, name, delays, draws) for _ in range(count)]
    makespans = [makespan for makespan, _ in found]
    mean = sum(makespans) / count
    return PredictedTest(
        policy=name,
        decision_delay=float(np.median(delays)),
        makespan=mean,
        least=min(makespans),
        longest=max(makespans),
        mean_wait=sum(wait for _, wait in found) / count,
        difference=mean / measured - 1,
        simulations=count,
    )


def played(
    jobs: Sequence[Spell],
    requested: Sequence[float],
    processors: int,
    policy: str,
    delays: Sequence[float],
    draws: random.Random,
) -> tuple[float, float]:
    """Makespan and mean wait (s) of one simulation; `jobs` in order of submission."""
    from assay._core import batch

    def ticks(values: Sequence[float]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.array([round(value * TICKS) for value in values], dtype=np.int64)

    came = ticks([job[0] for job in jobs])
    runs = np.maximum(ticks([over - begun for _, begun, over, _ in jobs]), 1)
    stepper = batch.Stepper(
        processors,
        policy,
        came,
        np.maximum(ticks(requested), 1),
        np.array([job[3] for job in jobs], dtype=np.int64),
        np.zeros(len(jobs), dtype=np.int64),
        np.zeros(len(jobs)),
        simulated.AGEING / TICKS,
        simulated.HALF_LIFE * TICKS,
    )
    events = [(int(when), 1, at) for at, when in enumerate(came)]
    heapq.heapify(events)
    ended: list[int] = []
    submitted: list[int] = []
    last = waited = 0
    answer = wakes = -1  # when the policy decides next: on what happened, by itself
    while events or answer >= 0 or wakes >= 0:
        nexts = [when for when in (answer, wakes) if when >= 0]
        if events and (not nexts or events[0][0] <= min(nexts)):
            when, kind, at = heapq.heappop(events)
            (submitted if kind else ended).append(at)
            last = max(last, when)
            if answer < 0:
                answer = when + round(draws.choice(delays) * TICKS)
            continue
        now = min(nexts)
        for at in stepper.step(now, ended, [], submitted):
            waited += now - int(came[at])
            heapq.heappush(events, (now + int(runs[at]), 0, at))
        ended, submitted, answer = [], [], -1
        wakes = stepper.wakes
        wakes = -1 if wakes <= now or wakes > 2**60 else wakes
    return last / TICKS, waited / TICKS / len(jobs)
