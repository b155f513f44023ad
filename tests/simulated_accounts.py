"""Runs whose truth is known: readings of an undisturbed machine, what disturbed them, and the accounts of both.

Time passes block by block; a competitor is a list of intervals in which it has a processor. Counters grow with them and
are read as the kernel's are, in whole ticks. What would have been measured without it is kept beside each block.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from assay.analysis.disturbance import AccountedBlock, Disturbance, Estimator, Verdict

Floats = NDArray[np.float64]
TICK = 0.01  # s


@dataclass
class Shape:
    """How a run looks: a virtual machine of `processors`, launches apart by `apart` (standard deviation) for no cause.

    `reading` (s) and `wall` (s) of each case's blocks, `noise` of single readings, `wander` of blocks.
    """

    rng: np.random.Generator
    processors: int = 2
    launches: int = 3
    blocks: int = 5
    cases: int = 4
    wall: float = 0.1
    reading: float = 1e-3
    apart: float = 0.06
    noise: float = 0.01
    wander: float = 0.005
    idle: float = 0.03
    stolen: float = 0.01


def drawn(rng: np.random.Generator) -> Shape:
    """Draw a shape: what the suite's programs look like on machines of 2 to 16 processors."""
    wall = float(10 ** rng.uniform(-1.7, -0.3))
    return Shape(
        rng,
        processors=int(rng.choice([2, 4, 16])),
        launches=int(rng.choice([3, 3, 6, 10])),
        blocks=int(rng.integers(3, 7)),
        cases=int(rng.integers(1, 7)),
        wall=wall,
        reading=float(10 ** rng.uniform(-4.3, np.log10(wall / 10))),
        apart=float(rng.uniform(0.02, 0.08)),
        noise=float(rng.uniform(0.003, 0.04)),
        wander=float(rng.uniform(0.001, 0.01)),
        idle=float(rng.uniform(0.005, 0.06)),
        stolen=float(rng.uniform(0.0, 0.02)),
    )


@dataclass
class Competitor:
    """Who disturbs: `intervals` (n, 2) in which it works, and what it does to a reading that meets it.

    `slows`: the reading takes so much longer while it works (memory, caches); `takes`: of each processor that we use it
    takes this share, in slices of `slice` s. `steal`: the hypervisor's doing, accounted so. `clock`: the processor's
    frequency falls by it; `hidden`: no account shows it, only the reference loop of the launch.
    """

    intervals: Callable[[float, float], Floats]
    slows: float = 0.0
    takes: float = 0.0
    slice: float = 3e-3
    steal: bool = False
    clock: float = 0.0
    hidden: float = 0.0
    busy: float = 1.0


@dataclass
class Known:
    """Blocks, and what each of them would have been undisturbed."""

    blocks: list[AccountedBlock] = field(default_factory=list)
    undisturbed: list[Floats] = field(default_factory=list)

    def truth(self, case: int) -> float:
        """The median of launch medians that the run would have given."""
        return self._median({i: self.undisturbed[i] for i, block in enumerate(self.blocks) if block.case == case})

    def stated(self, case: int, found: Disturbance) -> float:
        """The value that the verdict's estimator gives."""
        verdict = found.cases["time", case]
        of = {i: block.values for i, block in enumerate(self.blocks) if block.case == case}
        if verdict.estimator is Estimator.BEST:
            return float(min(values.min() for values in of.values()))
        if verdict.estimator is Estimator.UNMARKED:
            of = {i: values for i, values in of.items() if i not in set(found.marked)}
        return self._median(of)

    def _median(self, of: dict[int, Floats]) -> float:
        launches: dict[int, list[Floats]] = {}
        for i, values in of.items():
            launches.setdefault(self.blocks[i].launch, []).append(values)
        return float(np.median([np.median(np.concatenate(values)) for values in launches.values()]))

    def covered(self, case: int, found: Disturbance, slack: float = 0.005) -> bool:
        """Whether the true value lies where the verdict says, give or take `slack`."""
        verdict: Verdict = found.cases["time", case]
        if verdict.disturbance is None:
            return True
        moved = self.stated(case, found) / self.truth(case) - 1
        return verdict.disturbance.low - slack <= moved <= verdict.disturbance.high + slack


def overlap(intervals: Floats, begin: Floats, end: Floats) -> Floats:
    """How much of each [begin, end) (n,) lies in the disjoint `intervals` (m, 2), s."""
    if not len(intervals):
        return np.zeros(len(begin))
    met = np.minimum(end[:, None], intervals[None, :, 1]) - np.maximum(begin[:, None], intervals[None, :, 0])
    return np.maximum(met, 0.0).sum(axis=1)


def play(shape: Shape, competitor: Competitor | None = None) -> Known:
    """Play a run: launches of shuffled blocks, with or without a competitor."""
    rng, known = shape.rng, Known()
    levels = 2.0 ** rng.uniform(-1, 1, shape.cases)
    counters = dict.fromkeys(("busy", "steal", "own", "involuntary"), 0.0)
    phase = rng.uniform(0, TICK, 2)
    for launch in range(shape.launches):
        t = 1000.0 * launch + rng.uniform(0, 2)
        length = shape.blocks * shape.cases * shape.wall * 1.3
        intervals = competitor.intervals(t, t + 3 * length) if competitor else np.zeros((0, 2))
        shift = np.exp(shape.apart * rng.standard_normal())
        hidden = bool(competitor and competitor.hidden and overlap(intervals, np.array([t]), np.array([t + length]))[0])
        for block in range(shape.blocks):
            for case in rng.permutation(shape.cases):
                n = max(10, round(shape.wall / shape.reading))
                calm = shift * levels[case] * np.exp(shape.wander * rng.standard_normal())
                calm = shape.reading * calm * np.exp(shape.noise * np.abs(rng.standard_normal(n)))
                begin = t + np.concatenate([[0.0], np.cumsum(calm)[:-1]])
                seen = calm.copy()
                met = overlap(intervals, begin, begin + calm)
                switches = float(rng.poisson(15 * calm.sum()))
                lost = 0.0
                if competitor:
                    seen += competitor.slows * met
                    seen *= 1 / (1 - competitor.clock * (met > 0))
                    seen *= 1 + competitor.hidden * hidden
                    if competitor.takes:
                        # slices that a round robin gives away: as many as its share of the time asks for
                        rate = competitor.takes / (1 - competitor.takes) / competitor.slice
                        slices = rng.poisson(rate * met)
                        lost = float((slices * competitor.slice).sum())
                        seen += slices * competitor.slice
                        switches += float(slices.sum()) * (not competitor.steal)
                ticks = rng.poisson(shape.stolen * calm.sum() / 1e-3)  # the hypervisor's own, a millisecond each
                np.add.at(seen, rng.integers(0, n, ticks), 1e-3)
                wall = float(seen.sum()) * 1.001
                before = dict(counters)
                worked = float(overlap(intervals, np.array([t]), np.array([t + wall]))[0])
                own = wall - lost
                counters["own"] += own
                counters["steal"] += 1e-3 * ticks + (lost if competitor and competitor.steal else 0.0)
                counters["busy"] += own + shape.idle * wall
                if competitor and not (competitor.steal or competitor.clock or competitor.hidden):
                    counters["busy"] += competitor.busy * worked if not competitor.takes else max(lost, 0.0)
                    if competitor.takes and shape.processors > 1:  # it runs on beside us when it is not in our place
                        counters["busy"] += competitor.busy * max(0.0, worked - lost)
                known.undisturbed.append(calm)
                known.blocks.append(
                    AccountedBlock(
                        "time",
                        int(case),
                        launch,
                        block,
                        1,
                        seen,
                        {
                            "wall": wall,
                            "own": own,
                            "others": max(0.0, _ticked(counters["busy"], before["busy"], phase[0]) - own),
                            "steal": _ticked(counters["steal"], before["steal"], phase[1]),
                            "involuntary": switches,
                            "waited": 0.0 if competitor and competitor.steal else lost,
                            "major_faults": 0.0,
                            "frequency": 3e9 * (1 - (competitor.clock * (worked > 0.5 * wall) if competitor else 0.0)),
                        },
                        t,
                        t + wall,
                        reference=hidden * competitor.hidden if competitor and competitor.hidden else None,
                    )
                )
                t += wall * 1.1
    return known


def _ticked(now: float, before: float, phase: float) -> float:
    """What a counter of whole ticks shows of the time between."""
    return float((np.floor((now + phase) / TICK) - np.floor((before + phase) / TICK)) * TICK)


def always(begin: float, end: float) -> Floats:
    """All the while."""
    return np.array([[begin - 1, end + 1]])


def bursts(length: float, period: float) -> Callable[[float, float], Floats]:
    """Bursts of `length` every `period`, s."""

    def intervals(begin: float, end: float) -> Floats:
        starts = np.arange(begin - period * 0.37, end, period)
        return np.stack([starts, starts + length], axis=1)

    return intervals


def part(rng: np.random.Generator) -> Callable[[float, float], Floats]:
    """From somewhere in a launch to its end, in about every second launch."""

    def intervals(begin: float, end: float) -> Floats:
        if rng.random() < 0.5:
            return np.zeros((0, 2))
        return np.array([[begin + rng.uniform(0, (end - begin) / 4), end + 1]])

    return intervals
