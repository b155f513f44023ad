"""What `assay simulate` does with one description: warm-up, replications until the interval is as wanted, figures.

A generator: it yields lists of tasks, is sent their results in the same order, and returns the document. Its driver
(`sweep.drive`) decides where the runs are made; the document does not depend on that.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.network import engine, figures, method, relaxation
from assay.network.description import NetworkDescription
from assay.network.engine import Latency, SimulationRun
from assay.network.network_tables import Method
from assay.network.relaxation import Relaxation
from assay.toml.source import Source

DEFAULT_CYCLES = 20_000
VERSION = 2  # of the documents; 1 had the estimates, by name, where the list of figures is now
PILOT = 2**32  # random stream of pilot runs: no replication has it
BYTES_WAITING, MOST_BYTES = 100, 4e9
LENGTHENED = 4  # times as long, a pilot run that does not know its autocorrelation time
GROWN = 3  # pilot runs in a row whose backlog grew, each longer: once or twice can be a long queue's chance
# Cycles, whatever they cost; messages, no more; and no more where it can say neither that it settled nor that it grew.
LEAST_PILOT, MOST_PILOT, LONGEST_PILOT = 80_000, 16_000_000, 64_000_000
SHORT_PILOT = 1_000_000  # messages, or what the runs themselves took, where the warm-up is given: less than a second
LONGEST = 2**62  # cycles of a run
RUN = 50  # autocorrelation times: a replication's length unless the file says it
ALONE = method.LEAST_MERGED * method.BATCH  # of a run by itself, to have an interval
FIRST_LOOK = 10  # five alike can be chance; ten seldom are


@dataclass(frozen=True)
class SimulationTask:
    """One run of the core, to be made; can be sent to another process."""

    source: Source
    config: dict[str, Any]
    purpose: str = ""  # in words, for those who wait

    @property
    def cycles(self) -> int:
        """Cycles that it simulates; 0 (not known) where a number of messages ends it."""
        how = self.config["method"]
        return 0 if how["messages"] or how["warmup_messages"] else int(how["warmup_cycles"] + how["cycles"])

    def make(self) -> SimulationRun:
        """Run it here."""
        return engine.run(self.source, self.config)


Steps = Generator[list[SimulationTask], list[SimulationRun], dict[str, Any]]


def task(description: NetworkDescription, stream: int, warmup: int, cycles: int, purpose: str = "") -> SimulationTask:
    """The description's replication number `stream`."""
    return SimulationTask(description.source, engine.configuration(description, stream, warmup, cycles), purpose)


def pilot_task(description: NetworkDescription, cycles: int, purpose: str) -> SimulationTask:
    """A pilot run from empty, of so many cycles: nothing else ends it, and what the links do is not asked of it."""
    alike = description.method.model_copy(update={"messages": 0, "warmup_messages": 0, "utilisation": False})
    return task(description.but(method=alike), PILOT, 0, cycles, purpose)


@dataclass(frozen=True)
class Warmup:
    """How long a run is before anything is measured, and how that was found.

    `memory`: the autocorrelation time (cycles) that the pilot run showed, None where there was none; `settles`: whether
    a pilot run long enough to know it was in balance; `relaxation`: all that the pilot run said.
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
    """A warm-up with what a pilot run says, of this length at first, made longer until it knows the memory.

    `most`: messages of the longest; `enough`: autocorrelation times (cycles) so long need not be known any better.
    `cycles` becomes what the pilot run says; of one that did not settle the eighth of it.
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
            longer = min(longer, int(length * most / max(pilot.generated, 1)))
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
    no more than they did, or than SHORT_PILOT messages; a run by itself may be long enough to say it.
    """
    if any(run.deadlock for run in runs):
        return before
    if saturated(runs, before):
        return replace(before, settles=False, relaxation=Relaxation(0.0, 0.0, False, False, True))
    if alone and (own := relaxation.of_itself(runs[0])):
        return replace(before, memory=own.cycles, relaxation=own)
    cycles = max(runs[0].measured_cycles, 1)
    most = max(SHORT_PILOT, sum(run.generated * run.simulated_cycles / cycles for run in runs))
    first = min(max(2_000, min(cycles, 50_000)), math.ceil(most * cycles / max(runs[0].generated, 1)))
    enough = cycles / ALONE if alone else math.inf
    found = yield from piloted(description, before, first, most, enough)
    return replace(found, cycles=before.cycles)


def steps(description: NetworkDescription) -> Steps:
    """The whole simulation: the document of `assay simulate`."""
    how = description.method
    cycles = how.cycles or DEFAULT_CYCLES
    feasible(description, cycles)
    before = yield from warmup(description, cycles)
    if how.cycles is not None and how.replications is None:
        alone = yield [task(description, 0, before.cycles, cycles)]
        if before.memory is None:
            before = yield from remembered(description, before, alone, alone=True)
        header = batches(alone[0], "header_latency", how.confidence, before)
        return document(description, alone, before, header, ended="cycles simulated")
    if how.cycles is None and before.settles:
        cycles = max(cycles, math.ceil(RUN * (before.memory or 0.0)))
    runs: list[SimulationRun] = []
    stops = [how.replications or FIRST_LOOK]
    while len(runs) < stops[-1]:
        stop = next(stop for stop in stops if stop > len(runs))
        most = stops[-1] if runs or how.replications else how.max_replications
        purpose = f"replications {len(runs) + 1} to {stop} of {most} at most"
        runs += yield [task(description, stream, before.cycles, cycles, purpose) for stream in range(len(runs), stop)]
        if before.memory is None:
            before = yield from remembered(description, before, runs, alone=False)
        if how.replications is None and stop == FIRST_LOOK:
            stops = method.looks(FIRST_LOOK, affordable(how, runs))
        found = replicated(runs, "header_latency", how.confidence, before, len(stops))
        ended = "replications made" if how.replications else f"{stop} replications, not as precise as asked"
        if any(run.deadlock for run in runs) or saturated(runs, before):
            ended = "deadlock" if any(run.deadlock for run in runs) else "saturated: no mean to be precise about"
        elif how.replications is None and not before.settles:
            ended = "no steady state in the pilot run: more replications would not give an interval"
        elif how.replications is None and found.precise(how.precision):
            ended = f"within {how.precision:.2%} of the mean"
        elif stop < stops[-1]:
            continue
        break
    if "not as precise" in ended and len(runs) < how.max_replications:
        ended += f": more would simulate more than {how.max_messages:,} messages (method.max_messages)"
    return document(description, runs, before, found, ended)


def affordable(how: Method, runs: Sequence[SimulationRun]) -> int:
    """Replications at most, by what these simulated, so that the later looks are fixed at the first one."""
    messages = sum(run.generated * run.simulated_cycles / max(run.measured_cycles, 1) for run in runs) / len(runs)
    return max(len(runs), min(how.max_replications, int(how.max_messages / max(messages, 1.0))))


def feasible(description: NetworkDescription, cycles: int) -> None:
    """Refuse loads that would exhaust the memory: more than the sources' channels can ever take."""
    traffic, channels = description.traffic, int(getattr(description.network, "injection_channels", 1))
    surplus = traffic.load - channels
    if description.io is not None or surplus <= 0:
        return
    waiting = surplus / traffic.mean_flits * engine.nodes(description) * cycles
    if waiting * BYTES_WAITING > MOST_BYTES:
        raise description.source.error(
            ("traffic", "load"),
            f"leaves at least {waiting:.3g} messages waiting at their sources after {cycles} cycles",
            value=traffic.load,
            accepted=f"a load near {channels}, what the injection channels take, or fewer method.cycles",
        )


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
        note = f"{short} {before.pilot_cycles} cycles of pilot runs do not tell how long the network remembers, "
        note += f"{max(least, LENGTHENED * cycles)} cycles or more would do"
    elif cycles < least:
        note = f"{short} {cycles} cycles, {least} would do ({ALONE} autocorrelation times)"
    elif delivered < relaxation.MESSAGES:
        longer = math.ceil(cycles * relaxation.MESSAGES / max(delivered, 1))
        note = f"{short} {delivered} messages, {relaxation.MESSAGES} would do ({longer} cycles)"
    return replace(found, half=None, note=note) if note else warmed(found, [run], before)


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


def saturated(runs: Sequence[SimulationRun], before: Warmup) -> bool:
    """Whether the backlog, summed over all runs, still grows at their end."""
    if not runs or any(len(run.backlog) != len(runs[0].backlog) for run in runs):
        return False
    cycles = runs[0].measured_cycles
    early, late, stretch = method.growth_of(np.sum([run.backlog for run in runs], axis=0), before.cycles, cycles)
    return method.backlog_grows(early, late, stretch, sum(run.generated for run in runs) * (1 - 1 / max(stretch, 1.0)))


def pooled(runs: Sequence[SimulationRun], name: str) -> Latency:
    """The histograms of several runs in one."""
    parts = [run.latencies[name] for run in runs if name in run.latencies]
    values, where = np.unique(np.concatenate([part.values for part in parts]), return_inverse=True)
    counts = np.bincount(where, np.concatenate([part.frequencies for part in parts]), len(values)).astype(np.float64)
    sums = np.array([part.sums.sum() for part in parts])
    return Latency(sums, np.array([part.counts.sum() for part in parts]), values, counts)


def document(
    description: NetworkDescription,
    runs: Sequence[SimulationRun],
    before: Warmup,
    header: method.MeanEstimate,
    ended: str,
) -> dict[str, Any]:
    """The JSON document; counts and CPU seconds are sums over the replications."""
    how = description.method
    deadlocks = [run.deadlock for run in runs if run.deadlock]
    estimates: dict[str, Any] = {}
    steady = not deadlocks and not saturated(runs, before)
    about = figures.params(description)
    listed = []
    for name in runs[0].latencies:
        latency = pooled(runs, name)
        estimate = header
        if name != "header_latency":
            estimate = (
                batches(runs[0], name, how.confidence, before)
                if len(runs) == 1
                else replicated(runs, name, how.confidence, before)
            )
        estimates[name] = _latency(latency, estimate, how.quantiles, description.cycle)
        means = [run.latencies[name].mean for run in runs if name in run.latencies]
        listed.append(figures.estimated(name, estimate, description.cycle, "s", about, means, steady))
        for share, value in estimates[name]["seconds"]["quantiles"].items():
            listed.append(
                figures.figure(name, value, "s", about, statistic=f"q{share}", estimator="quantile", valid=steady)
            )
    if shares := engine.hit_rates(runs):
        found = method.replication_interval(shares, how.confidence)
        estimates["hit_rate"] = found.document()
        listed.append(figures.estimated("hit_rate", found, 1.0, "1", about, shares, steady))
    rate = _accepted(description, runs, before)
    estimates["throughput"] = _throughput(runs, rate, description.cycle)
    rates = [run.throughput for run in runs]
    listed.append(figures.estimated("throughput", rate, 1.0, "flit/cycle", about, rates, not deadlocks))
    to_bytes = description.network.flit_bytes / description.cycle
    listed.append(figures.estimated("bandwidth", rate, to_bytes, "B/s", about, rates, not deadlocks))
    utilisation = {"utilisation": _utilisation(description, runs)} if how.utilisation else {}
    return {
        "engine": runs[0].engine,
        "simulated_cycles": sum(run.simulated_cycles for run in runs),
        "measured_cycles": sum(run.measured_cycles for run in runs),
        "cpu_seconds": sum(run.cpu_seconds for run in runs),
        "replications": len(runs),
        "ended": ended,
        "warmup": {
            "cycles": before.cycles,
            "how": before.how,
            "pilot_cycles": before.pilot_cycles,
            "pilot_cpu_seconds": before.pilot_cpu_seconds,
            "correlation_cycles": before.memory,
        },
        "messages": sum(run.messages for run in runs),
        "unroutable": sum(run.unroutable for run in runs),
        "generated": sum(run.generated for run in runs),
        "head_hops": sum(run.head_hops for run in runs),
        "saturated": not steady,
        "deadlock": deadlocks[0] if deadlocks else None,
        "seed": how.seed,
        "cycle_seconds": description.cycle,
        "version": VERSION,
        "definitions": figures.DEFINITIONS,
        "figures": listed,
        "estimates": estimates,
        **utilisation,
    }


def _latency(latency: Latency, estimate: method.MeanEstimate, shares: Sequence[float], cycle: float) -> dict[str, Any]:
    found = method.quantiles(latency.values, latency.frequencies, shares)
    seconds = {share: None if value is None else value * cycle for share, value in found.items()}
    return {
        "messages": int(latency.counts.sum()),
        "cycles": {**estimate.document(), "quantiles": found},
        "seconds": {**estimate.document(cycle), "quantiles": seconds},
    }


def _accepted(description: NetworkDescription, runs: Sequence[SimulationRun], before: Warmup) -> method.MeanEstimate:
    """Flits per node per cycle; a rate that is known where the network saturates, too."""
    rates, confidence = [run.throughput for run in runs], description.method.confidence
    if before.relaxation is not None and before.relaxation.saturated:
        before = replace(before, relaxation=None)
    if len(runs) > 1:
        return warmed(method.replication_interval(rates, confidence), runs, before)
    if description.io is not None or not isinstance(description.traffic.flits, int):
        # A run counts its messages by time, not their flits.
        note = "no interval: messages are of several lengths, which takes replications"
        return method.MeanEstimate(rates[0], None, confidence, 1, note)
    counts = runs[0].latencies["header_latency"].counts
    parts = by_itself(runs[0], counts, np.ones(len(counts)), confidence, before)
    scale = rates[0] / parts.mean if parts.mean else 1.0
    half = None if parts.half is None else parts.half * scale
    return method.MeanEstimate(rates[0], half, confidence, parts.parts, parts.note)


def _throughput(runs: Sequence[SimulationRun], estimate: method.MeanEstimate, cycle: float) -> dict[str, Any]:
    return {
        "flits_per_node_per_cycle": estimate.document(),
        "flits_per_node_per_second": estimate.document(1 / cycle),
        "worst_node": finite(sum(run.worst_node for run in runs) / len(runs)),
        "offered": finite(sum(run.offered for run in runs) / len(runs)),
    }


def finite(value: float) -> float | None:
    """Replace what is not finite by None, for JSON."""
    return value if math.isfinite(value) else None


def _utilisation(description: NetworkDescription, runs: Sequence[SimulationRun]) -> list[dict[str, Any]]:
    """Busy share of every link's channels, mean over the runs, the busiest first."""
    known = [run.utilisation for run in runs if run.utilisation is not None]
    if not known:
        return []
    busy = np.mean(known, axis=0)
    links = engine.channels(description)
    order = np.argsort(-busy, kind="stable")
    return [
        {"link": int(at), **links[at], "name": engine.link_name(links[at]), "busy": float(busy[at])} for at in order
    ]
