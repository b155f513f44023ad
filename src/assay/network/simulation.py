"""What `assay simulate` does with one description: warm-up, replications until the interval is as wanted, figures.

A generator: it yields lists of tasks, is sent their results in the same order, and returns the document. Its driver
(`sweep.drive`) decides where the runs are made; the document does not depend on that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from assay.network import deadlocking, engine, figures, method
from assay.network.description import NetworkDescription
from assay.network.documents import LatencyEstimate, LinkBusy, MeanFound, Simulation, ThroughputEstimate
from assay.network.engine import Latency, SimulationRun
from assay.network.intervals import batches, by_itself, pooled, replicated, stopped, warmed
from assay.network.network_tables import Method
from assay.network.tasks import Steps, task
from assay.network.warming import Warmup, remembered, saturated, warmup

DEFAULT_CYCLES = 20_000
# Of the documents; 1 had the estimates, by name, where the list of figures is now; 2 had no interval of another
# confidence than 95% in its figures, and left "per node" out of their units; 3 gave intervals of runs that deadlock.
VERSION = 4
BYTES_WAITING, MOST_BYTES = 100, 4e9
RUN = 50  # autocorrelation times: a replication's length unless the file has it
FIRST_LOOK = 10  # five that agree can be chance; ten seldom are


def steps(description: NetworkDescription) -> Steps[Simulation]:
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
        ended = "all requested cycles are simulated (method.cycles)"
        if how.messages:
            ended = "all requested messages are delivered (method.messages)"
        return document(description, alone, before, header, "deadlock" if alone[0].deadlock else ended)
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
        ended, imprecise = f"{stop} replications, less precise than requested", False
        if how.replications:
            ended = "all requested replications are made (method.replications)"
        if any(run.deadlock for run in runs) or saturated(description, runs, before):
            ended = "deadlock" if any(run.deadlock for run in runs) else "saturated: no mean to be precise about"
        elif how.replications is None and not before.settles:
            ended = "no steady state in the pilot run: more replications would not give an interval"
        elif how.replications is None and found.precise(how.precision):
            ended = f"the interval is within {how.precision:.2%} of the mean"
        elif stop < stops[-1]:
            continue
        else:
            imprecise = how.replications is None
        break
    if imprecise and len(runs) < how.max_replications:
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


def document(
    description: NetworkDescription,
    runs: Sequence[SimulationRun],
    before: Warmup,
    header: method.MeanEstimate,
    ended: str,
) -> Simulation:
    """The JSON document; counts and CPU seconds are sums over the replications; `ended` is why no more was made."""
    how = description.method
    deadlocks = [run.deadlock for run in runs if run.deadlock]
    estimates: dict[str, LatencyEstimate | ThroughputEstimate | MeanFound] = {}
    steady = not deadlocks and not saturated(description, runs, before)
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
        estimate = stopped(estimate, runs)
        estimates[name] = stated = _latency(latency, estimate, how.quantiles, description.cycle)
        means = [run.latencies[name].mean for run in runs if name in run.latencies]
        listed.append(figures.estimated(name, estimate, description.cycle, "s", about, means, steady))
        for share, value in stated["seconds"]["quantiles"].items():
            listed.append(
                figures.figure(name, value, "s", about, statistic=f"q{share}", estimator="quantile", valid=steady)
            )
    if shares := engine.hit_rates(runs):
        found = stopped(method.replication_interval(shares, how.confidence), runs)
        estimates["hit_rate"] = found.document()
        listed.append(figures.estimated("hit_rate", found, 1.0, "1", about, shares, steady))
    rate = stopped(_accepted(description, runs, before), runs)
    estimates["throughput"] = _throughput(runs, rate, description.cycle)
    rates = [run.throughput for run in runs]
    listed.append(figures.estimated("throughput", rate, 1.0, figures.FLITS_PER_CYCLE, about, rates, not deadlocks))
    to_bytes = description.network.flit_bytes / description.cycle
    listed.append(figures.estimated("bandwidth", rate, to_bytes, figures.BYTES_PER_SECOND, about, rates, not deadlocks))
    made: Simulation = {
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
        "deadlocked": len(deadlocks),
        "last_delivery": None if how.messages else deadlocking.last_delivery(runs),
        "seed": how.seed,
        "cycle_seconds": description.cycle,
        "version": VERSION,
        "definitions": figures.DEFINITIONS,
        "figures": listed,
        "estimates": estimates,
    }
    if how.utilisation:
        made["utilisation"] = _utilisation(description, runs)
    return made


def _latency(latency: Latency, estimate: method.MeanEstimate, shares: Sequence[float], cycle: float) -> LatencyEstimate:
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


def _throughput(runs: Sequence[SimulationRun], estimate: method.MeanEstimate, cycle: float) -> ThroughputEstimate:
    return {
        "flits_per_node_per_cycle": estimate.document(),
        "flits_per_node_per_second": estimate.document(1 / cycle),
        "worst_node": finite(sum(run.worst_node for run in runs) / len(runs)),
        "offered": finite(sum(run.offered for run in runs) / len(runs)),
    }


def finite(value: float) -> float | None:
    """Replace what is not finite by None, for JSON."""
    return value if math.isfinite(value) else None


def _utilisation(description: NetworkDescription, runs: Sequence[SimulationRun]) -> list[LinkBusy]:
    """Busy share of every link's channels, mean over the runs, the busiest first."""
    known = [run.utilisation for run in runs if run.utilisation is not None]
    if not known:
        return []
    busy = np.mean(known, axis=0)
    links = engine.channels(description)
    order = np.argsort(-busy, kind="stable")
    return [
        {"link": at, **links[at], "name": engine.link_name(links[at]), "busy": float(busy[at])}
        for at in map(int, order)
    ]
