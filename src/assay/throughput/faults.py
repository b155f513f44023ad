"""What goes otherwise than planned: nodes that fail and return, jobs that fail, requested times that are wrong.

[failures]
every = "43200 min"     # mean time between failures of each node
shape = 0.7           # of its Weibull distribution; 1: exponential
repair = "240 min"        # mean of its exponential distribution
jobs = 0.02           # the share of jobs that fail by themselves, at a uniformly distributed moment of their run
seed = 1

[estimates]
factor = 5            # jobs request their run time times 1 to 5, uniformly (Mu'alem and Feitelson 2001, section 4)
distribution = "exponential"    # times 1 and an exponential number, so that the mean is 5: some are far off
round = "15 min"      # requests are whole multiples of it, as people choose them
seed = 1
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator

from assay.machine.units import quantity
from assay.throughput.node_layout import NodeClosure
from assay.throughput.workload import Workload, rounded
from assay.toml.checking import Table

LONGEST = 2**31 - 2  # seconds


class BatchFailures(Table):
    """[failures]."""

    every: str | None = Field(default=None, description='mean time between failures of each node, such as "43200 min"')
    shape: float = Field(default=1.0, ge=0.1, le=10, description="of the Weibull distribution of that time")
    repair: str = Field(default="60 min", description="mean time until the node returns; exponential")
    jobs: float = Field(default=0.0, ge=0, le=1, description="share of jobs that fail by themselves")
    seed: int = Field(default=1, ge=0, description="of what is drawn")

    @field_validator("every", "repair")
    @classmethod
    def _is_a_time(cls, value: str | None) -> str | None:
        if value is not None and not 1 <= quantity(value, "s") <= LONGEST:
            raise ValueError(f"{value!r} is not between 1 s and 68 years")
        return value


class BatchEstimates(Table):
    """[estimates]."""

    factor: float = Field(default=1.0, ge=1, le=1e6, description="requests are up to so many times the run time")
    distribution: Literal["uniform", "exponential"] = Field(default="uniform", description="of the factor")
    round: str | None = Field(default=None, description='requests are whole multiples of it, such as "15 min"')
    seed: int = Field(default=1, ge=0, description="of what is drawn")

    @field_validator("round")
    @classmethod
    def _is_a_step(cls, value: str | None) -> str | None:
        if value is not None and not 1 <= quantity(value, "s") <= LONGEST:
            raise ValueError(f"{value!r} is not between 1 s and 68 years")
        return value


def estimated(workload: Workload, estimates: BatchEstimates) -> Workload:
    """The workload whose jobs request their run time times a number that is drawn.

    It is uniform from 1 to `factor`, or 1 and an exponential number of the mean `factor` - 1; never below 1, so that no
    request ends a job. The same seed draws the same numbers on any machine.
    """
    rng = np.random.default_rng(estimates.seed)
    if estimates.distribution == "uniform":
        wrong = rng.uniform(1, estimates.factor, len(workload))
    else:
        wrong = 1 + rng.exponential(estimates.factor - 1, len(workload))
    step = 1.0 if estimates.round is None else float(quantity(estimates.round, "s")) * workload.ticks  # in ticks
    requested = np.ceil(step * np.maximum(1, np.ceil(workload.runs * wrong * workload.ticks / step))) / workload.ticks
    return replace(workload, requested=rounded(np.minimum(requested, LONGEST), workload.ticks))


def failing(workload: Workload, failures: BatchFailures) -> Workload:
    """The workload whose failing jobs run for a uniform part of their time only."""
    rng = np.random.default_rng(failures.seed)
    which: NDArray[np.bool_] = rng.uniform(size=len(workload)) < failures.jobs
    part = np.ceil(workload.runs * rng.uniform(size=len(workload)) * workload.ticks) / workload.ticks
    runs = rounded(np.where(which, part, workload.runs), workload.ticks)
    return replace(workload, runs=runs, fails=which)


def log_of_tries(failures: BatchFailures, seconds: NDArray[Any]) -> NDArray[np.float64]:
    """Logarithm of how many tries a run of so many seconds on one node takes on average until it comes to its end.

    Of a node at any moment of its life (shape up to 1), or that has just returned (above 1): the better case.
    """
    from scipy.special import gammaincc

    assert failures.every is not None
    scale = quantity(failures.every, "s") / math.gamma(1 + 1 / failures.shape)
    passed = (np.asarray(seconds, dtype=np.float64) / scale) ** failures.shape
    if failures.shape > 1:
        return passed
    with np.errstate(divide="ignore"):
        found: NDArray[np.float64] = -np.log(gammaincc(1 / failures.shape, passed))
    return found


def outages(failures: BatchFailures, nodes: int, until: int) -> tuple[NodeClosure, ...]:
    """When each node is down, up to a second; a longer time begins with the same outages."""
    if failures.every is None:
        return ()
    scale = quantity(failures.every, "s") / math.gamma(1 + 1 / failures.shape)
    repair = quantity(failures.repair, "s")
    found = []
    for node in range(nodes):
        rng = np.random.default_rng([failures.seed, node])
        at = 0
        while True:
            begins = at + max(1, round(scale * float(rng.weibull(failures.shape))))
            at = begins + max(1, round(float(rng.exponential(repair))))
            if begins >= until:
                break
            found.append(NodeClosure((node,), begins, at, known=False))
    return tuple(found)
