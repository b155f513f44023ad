"""The mean of runs of the simulated network with its interval, or why it has none: too short, too cold, no balance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assay.network import deadlocking, method, relaxation
from assay.network.engine import Latency, SimulationRun
from assay.network.warming import ALONE, LENGTHENED, Warmup

SPREADS = 3.0  # standard deviations of the count of messages that a run's advised length leaves room for
ROOM = {True: 2.0, False: 3.0}  # length in units of what an autocorrelation time needs that is known, and barely known
DEADLOCKS = "no interval: the network deadlocks, and its means depend on the length of the deadlock"


def batches(run: SimulationRun, name: str, confidence: float, before: Warmup) -> method.MeanEstimate:
    """A latency of a single run, by batch means; without an interval where the run or its warm-up is too short."""
    latency = run.latencies[name]
    return by_itself(run, latency.sums, latency.counts, confidence, before)


def by_itself(
    run: SimulationRun, sums: NDArray[np.float64], counts: NDArray[np.float64], confidence: float, before: Warmup
) -> method.MeanEstimate:
    """The mean of sums over counts of equal parts of a single run, by batch means."""
    known = before.relaxation
    if known is None:
        return method.batch_interval(sums, counts, confidence)
    cycles = run.measured_cycles
    found = method.batch_interval(sums, counts, confidence, known.cycles * len(sums) / max(cycles, 1))
    delivered = int(run.latencies["header_latency"].counts.sum())
    least = math.ceil(ALONE * known.cycles)
    short = "too short for an interval:"
    note = ""
    if found.parts == 0:
        return found
    if known.saturated:
        note = unsteady(before)
    elif not before.settles:
        longer = max(needed(cycles, delivered, known), LENGTHENED * cycles)
        note = f"{short} {before.pilot_cycles} cycles of pilot runs do not show how long the network remembers, "
        note += f"{longer} cycles or more would do"
    elif cycles < least or delivered < relaxation.MESSAGES:
        would = "would do" if known.known else "or more would do"
        note = f"{short} {cycles} cycles with {delivered} messages, about {needed(cycles, delivered, known)} cycles "
        note += f"{would} ({ALONE} autocorrelation times and {relaxation.MESSAGES} messages)"
    return replace(found, half=None, note=note) if note else warmed(found, [run], before)


def needed(cycles: int, delivered: int, known: relaxation.Relaxation) -> int:
    """Cycles of a run by itself that has an interval, from one that is too short: rounded up, with room for chance.

    How many messages come is known from those of the run, and varies in the next one too; the autocorrelation time is
    an estimate, and the next run's pilot run makes another one.
    """
    chance = SPREADS * math.sqrt(1 / max(delivered, 1) + 1 / relaxation.MESSAGES)
    messages = cycles * relaxation.MESSAGES / max(delivered, 1) * (1 + chance)
    longer = max(messages, ROOM[known.known] * ALONE * known.cycles)
    unit: int = 10 ** max(math.floor(math.log10(max(longer, 1))) - 1, 0)
    return math.ceil(longer / unit) * unit


def unsteady(before: Warmup) -> str:
    """Why no mean of runs that may not be in balance has an interval."""
    pilot = f"the pilot run of {before.pilot_cycles} cycles found no steady state"
    return f"no interval: {pilot if before.pilot_cycles else 'the backlog still grows at the end'}"


def warmed(found: method.MeanEstimate, runs: Sequence[SimulationRun], before: Warmup) -> method.MeanEstimate:
    """Without an interval where a warm-up that the file gives may leave more in the mean than the interval allows.

    The warm-up is what the runs have simulated and not measured: one that is given in deliveries has no cycles before.
    """
    known, warm = before.relaxation, min(run.simulated_cycles - run.measured_cycles for run in runs)
    if known is None or found.half is None or not before.settles or warm >= known.warmup:
        return found
    cycles = sum(run.measured_cycles for run in runs) / len(runs)
    if known.left(warm, cycles) * abs(found.mean) <= relaxation.LEFT * found.half:
        return found
    would = f"{warm} cycles, {math.ceil(known.warmup)} would do"
    return replace(found, half=None, note=f"no interval: the warm-up is too short, {would}")


def replicated(
    runs: Sequence[SimulationRun], name: str, confidence: float, before: Warmup, number_of_looks: int = 1
) -> method.MeanEstimate:
    """A latency's mean over replications; without an interval where they did not start in balance."""
    parts = [run.latencies[name] for run in runs if name in run.latencies]
    means, counts = [part.mean for part in parts], [float(part.counts.sum()) for part in parts]
    found = method.replication_interval(means, confidence, number_of_looks, counts)
    if not before.settles:
        note = unsteady(before)
        return replace(found, half=None, note=note)
    if method.drifts([part.sums for part in parts], [part.counts for part in parts]):
        note = f"no interval: replications still drift after {before.cycles} cycles of warm-up, simulate longer"
        return replace(found, half=None, note=note)
    return warmed(found, runs, before)


def stopped(found: method.MeanEstimate, runs: Sequence[SimulationRun]) -> method.MeanEstimate:
    """Without an interval where any of the runs deadlocked: the length of the deadlock decides its means."""
    return unsure(found) if deadlocking.count(runs) else found


def unsure(found: method.MeanEstimate) -> method.MeanEstimate:
    """A mean of runs with deadlocks among them."""
    return replace(found, half=None, note=DEADLOCKS)


def pooled(runs: Sequence[SimulationRun], name: str) -> Latency:
    """The histograms of several runs in one."""
    parts = [run.latencies[name] for run in runs if name in run.latencies]
    values, where = np.unique(np.concatenate([part.values for part in parts]), return_inverse=True)
    counts = np.bincount(where, np.concatenate([part.frequencies for part in parts]), len(values)).astype(np.float64)
    sums = np.array([part.sums.sum() for part in parts])
    return Latency(sums, np.array([part.counts.sum() for part in parts]), values, counts)
