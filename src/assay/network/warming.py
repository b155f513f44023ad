"""How long a run of the simulated network is before anything is measured, and its memory by pilot runs."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

from assay.network import method, relaxation
from assay.network.description import NetworkDescription
from assay.network.engine import SimulationRun
from assay.network.offered import bottleneck
from assay.network.relaxation import Relaxation
from assay.network.tasks import SimulationTask, pilot_task

LENGTHENED = 4  # times as long, a pilot run that does not know its autocorrelation time
GROWN = 3  # pilot runs in a row whose backlog grew, each longer: once or twice can be a long queue's chance
# Cycles, whatever they cost; messages, no more; and no more where it shows neither that it settled nor that it grew.
LEAST_PILOT, MOST_PILOT, LONGEST_PILOT = 80_000, 16_000_000, 64_000_000
HOPS = 8  # of a message: what a longer way costs counts as more messages
SHORT_PILOT = 1_000_000  # messages, or what the runs themselves took, where the warm-up is given: less than a second
LONGEST = 2**62  # cycles of a run
ALONE = method.LEAST_MERGED * method.BATCH  # autocorrelation times of a run by itself, to have an interval


@dataclass(frozen=True)
class Warmup:
    """How long a run is before anything is measured, and how that was found.

    `memory`: the autocorrelation time (cycles) that the pilot run showed, None where there was none; `settles`: whether
    a pilot run long enough to know it was in balance; `relaxation`: all results of the pilot run.
    """

    cycles: int
    how: str
    pilot_cycles: int = 0
    pilot_cpu_seconds: float = 0.0
    memory: float | None = None
    settles: bool = True
    relaxation: Relaxation | None = None


def warmup(
    description: NetworkDescription, cycles: int
) -> Generator[list[SimulationTask], list[SimulationRun], Warmup]:
    """Fixed by the file, or ten autocorrelation times of a pilot run, made longer until it knows them."""
    fixed = description.method.warmup_cycles
    if description.method.warmup_messages:
        return Warmup(0, f"{description.method.warmup_messages} deliveries")
    if fixed != "detect":
        return Warmup(int(fixed), "fixed")
    found = yield from piloted(description, Warmup(0, ""), max(2_000, min(cycles, 50_000)))
    assert found.relaxation is not None
    words = f"{relaxation.WARMUP:g} autocorrelation times" if found.settles else "no steady state in the pilot run"
    return replace(found, cycles=max(found.cycles, 100), how=words)


def piloted(
    description: NetworkDescription, before: Warmup, length: int, most: float | None = None, enough: float = math.inf
) -> Generator[list[SimulationTask], list[SimulationRun], Warmup]:
    """A warm-up by a pilot run, of this length at first, made longer until it knows the memory.

    `most`: messages of the longest; `enough`: autocorrelation times (cycles) so long need not be known any better.
    `cycles` becomes the pilot run's; of one that did not settle the eighth of it.
    """
    spent, simulated, grown, turn = 0.0, 0, 0, 0
    while True:
        turn += 1
        purpose = f"pilot run {turn} (how long does the network remember?)"
        (pilot,) = yield [pilot_task(description, length, purpose)]
        spent, simulated = spent + pilot.cpu_seconds, simulated + pilot.simulated_cycles
        found = relaxation.of_pilot(pilot)
        grown = grown + 1 if found.saturated else 0
        if ((found.known or (found.settled and found.cycles > enough)) and not grown) or grown == GROWN:
            break
        longer = length * LENGTHENED
        if most is None:
            limit = MOST_PILOT if grown or found.settled else LONGEST_PILOT
            ends = longer > LEAST_PILOT and pilot.generated * LENGTHENED > limit
        else:
            longer = min(longer, int(length * most / work(pilot)))
            ends = longer < 2 * length
        if ends or pilot.deadlock or longer > LONGEST:
            break
        length = longer
    settles = found.settled and not found.saturated
    cycles = math.ceil(found.warmup) if settles else length // 8  # of the first look, which takes little more then
    return Warmup(cycles, before.how, simulated, spent, found.cycles, settles, found)


def remembered(
    description: NetworkDescription, before: Warmup, runs: Sequence[SimulationRun], alone: bool
) -> Generator[list[SimulationTask], list[SimulationRun], Warmup]:
    """What must be known of the memory to judge these runs where the file gives the warm-up: of a pilot run that costs
    no more than they did, or than SHORT_PILOT messages; a run by itself may be long enough to know it.
    """
    if any(run.deadlock for run in runs):
        return before
    if saturated(description, runs, before):
        return replace(before, settles=False, relaxation=Relaxation(0.0, 0.0, False, False, True))
    if alone and (own := relaxation.of_itself(runs[0])):
        return replace(before, memory=own.cycles, relaxation=own)
    cycles = max(runs[0].measured_cycles, 1)
    most = max(SHORT_PILOT, sum(map(work, runs)))
    first = min(max(2_000, min(cycles, 50_000)), math.ceil(most * runs[0].simulated_cycles / work(runs[0])))
    enough = cycles / ALONE if alone else math.inf
    found = yield from piloted(description, before, first, most, enough)
    return replace(found, cycles=before.cycles)


def saturated(description: NetworkDescription, runs: Sequence[SimulationRun], before: Warmup) -> bool:
    """Whether more is offered than accepted: the backlog, summed over all runs, still grows at their end, or grew in
    pilot runs. The network was empty when the warm-up began, whether cycles or deliveries ended it.
    """
    if before.relaxation is not None and before.relaxation.saturated:
        return True
    if not runs:
        return False
    found = [method.growth_of(run.backlog, _warm(run), run.measured_cycles) for run in runs]
    early, late, stretch = (float(sum(one[i] for one in found)) for i in range(3))
    stretch /= len(runs)
    offered = sum(map(offered_by, runs))
    if not method.backlog_grows(early, late, stretch, bottleneck(description) * offered * (1 - 1 / stretch)):
        return False
    growth = [late - early for early, late, _ in found]
    return sum(growth) > method.growth_by_chance(growth, [run.backlog for run in runs])


def offered_by(run: SimulationRun) -> float:
    """Messages generated in a run, its warm-up included."""
    return run.generated * run.simulated_cycles / max(run.measured_cycles, 1)


def work(run: SimulationRun) -> float:
    """What a run cost, in messages of HOPS hops: most of the time goes into hops, where ways are long."""
    return max(offered_by(run), run.head_hops / HOPS, 1.0)


def _warm(run: SimulationRun) -> int:
    """Cycles before anything was measured."""
    return run.simulated_cycles - run.measured_cycles
