"""Workloads drawn from the model of Lublin and Feitelson (2003), with its published parameters.

U. Lublin and D. G. Feitelson, The workload on parallel supercomputers: modeling the characteristics of rigid jobs,
Journal of Parallel and Distributed Computing 63 (2003): sizes are two-stage uniform in their logarithm, serial jobs and
powers of two preferred; the logarithm of run times is hyper-gamma, its mixture a linear function of the size; the
logarithm of the gaps between arrivals is gamma, and arrivals follow a daily cycle. Parameters are those of the model
without job types, for a machine of 128 processors; for others the logarithm's upper end, and with it the middle, moves.
Requested times are no part of the model: a job requests what it runs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.throughput.workload import Workload

NAME = "lublin"
PREFIX = f"{NAME}."
MOST_JOBS = 2_000_000
SERIAL, POWER_OF_TWO = 0.244, 0.576  # shares of jobs of one processor, and of a power of two of them
LOW, MEDIUM, HIGH, LOWER = 0.8, 4.5, 7.0, 0.86  # log2 of sizes: the ends of two stages, and the share of the first
RUN_1, RUN_2 = (4.2, 0.94), (312.0, 0.03)  # shape and scale of the logarithm of run times
FIRST = (-0.0054, 0.78)  # the share of RUN_1: so much for each processor, and a constant
LONGEST_RUN = 12.0  # logarithm of seconds; beyond it another is drawn
GAP = (10.2303 * 1.0225, 0.4871)  # of the logarithm of gaps: in rush hours, and the ratio of all hours to these
LONGEST_GAP = 13.0
DAY = (8.1737, 3.9631)  # shape and scale of arrivals over half hours of the day, which begins at DAY_BEGINS
SLOTS, SLOT, DAY_BEGINS = 48, 1800.0, 11
USERS = 64  # our choice: the model has no users
Reals = NDArray[np.float64]


@dataclass(frozen=True)
class LublinSettings:
    """What is drawn. `load`: arrivals are stretched so that so much is offered; 0: as the model has it."""

    jobs: int = 10_000
    processors: int = 128
    load: float = 0.0
    seed: int = 1


ACCEPTED = f"{', '.join(PREFIX + each.name for each in fields(LublinSettings))}"
RANGES: dict[str, tuple[float, float]] = {
    "jobs": (1, MOST_JOBS),
    "processors": (8, 2**24),
    "load": (0, 100),
    "seed": (0, 2**63 - 1),
}


def as_the_model_has_it(key: str, text: str) -> bool:
    """Whether a setting is a load of 0, which leaves arrivals as they are drawn."""
    try:
        return key == f"{PREFIX}load" and float(text) == 0
    except ValueError:
        return False


def parse_settings(settings: Mapping[str, str]) -> LublinSettings:
    """The settings of `--set lublin.KEY=VALUE`. InputError for a key or a value that is none."""
    whole: dict[str, int] = {}
    load = LublinSettings.load
    for key, text in settings.items():
        name = key.removeprefix(PREFIX)
        if name not in RANGES:
            raise InputError("there is no such key of the workload", key="--set", value=key, accepted=ACCEPTED)
        low, high = RANGES[name]
        try:
            value = float(text) if name == "load" else int(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            accepted = f"{low:,.0f} to {high:,.0f}"
            if name == "load":
                accepted += "; 0: arrivals as the model draws them"
            raise InputError("is no value of it", key=f"--set {key}", value=text, accepted=accepted)
        if name == "load":
            load = value
        else:
            whole[name] = int(value)
    return LublinSettings(load=load, **whole)


def drawn(wanted: LublinSettings) -> Workload:
    """Draw a workload; the same request give the same jobs."""
    rng = np.random.default_rng(wanted.seed)
    sizes = _sizes(rng, wanted)
    runs = np.exp(_log_runs(rng, sizes)).astype(np.int64)  # whole seconds, as the model has them
    submitted = _arrivals(rng, wanted.jobs)
    begins = submitted[0]
    submitted -= begins
    requested = np.maximum(runs, 1)
    if wanted.load and submitted[-1] > 0:
        submitted *= float(np.sum(runs * sizes)) / wanted.processors / wanted.load / submitted[-1]
    return Workload(
        number=np.arange(1, wanted.jobs + 1),
        submitted=submitted.astype(np.int64),
        runs=runs,
        requested=requested,
        processors=sizes,
        user=rng.integers(1, USERS + 1, wanted.jobs),
        priority=np.zeros(wanted.jobs),
        source=f"{NAME} (seed {wanted.seed})",
        begins=int(begins),
    )


def _sizes(rng: np.random.Generator, wanted: LublinSettings) -> NDArray[np.int64]:
    high = math.log2(wanted.processors)
    medium = high - (HIGH - MEDIUM)
    kind, stage, at = rng.uniform(size=(3, wanted.jobs))
    low = min(LOW, medium)
    logarithm = np.where(stage <= LOWER, low + at * (medium - low), medium + at * (high - medium))
    logarithm = np.where(kind <= SERIAL + POWER_OF_TWO, np.floor(logarithm + 0.5), logarithm)
    sizes = np.where(kind <= SERIAL, 1, np.floor(np.exp2(logarithm) + 0.5)).astype(np.int64)
    return np.minimum(sizes, wanted.processors)


def _log_runs(rng: np.random.Generator, sizes: NDArray[np.int64]) -> Reals:
    share = np.clip(FIRST[0] * sizes + FIRST[1], 0, 1)
    found = np.full(len(sizes), np.inf)
    while (again := found > LONGEST_RUN).any():  # the share remains, the component is drawn again
        first = rng.uniform(size=int(again.sum())) <= share[again]
        short, long = rng.gamma(*RUN_1, size=len(first)), rng.gamma(*RUN_2, size=len(first))
        found[again] = np.where(first, short, long)
    return found


def slot_weights() -> Reals:
    """Arrivals in each half hour of a day from midnight on, over their mean."""
    from scipy.special import gammainc

    at = np.arange(DAY_BEGINS, SLOTS + DAY_BEGINS)
    share = gammainc(DAY[0], (at + 0.5) / DAY[1]) - gammainc(DAY[0], (at - 0.5) / DAY[1])
    weights: Reals = np.empty(SLOTS)
    weights[(at - 1) % SLOTS] = share
    weights /= weights.mean()
    return weights


def _arrivals(rng: np.random.Generator, jobs: int) -> Reals:
    """Seconds from a midnight: gaps are paid for in the slots that they pass, a slot's price its weight."""
    gaps = np.full(jobs, np.inf)
    while (again := gaps > LONGEST_GAP).any():
        gaps[again] = rng.gamma(*GAP, size=int(again.sum()))
    paid = np.cumsum(np.exp(gaps) / SLOT)
    prices = np.concatenate([[0.0], np.cumsum(slot_weights())])
    days, rest = np.divmod(paid, prices[-1])
    at: Reals = (days * SLOTS + np.interp(rest, prices, np.arange(SLOTS + 1))) * SLOT
    return at
