"""Does a machine meet a limit? A sign test over launches, at looks fixed beforehand, with a stated error rate each way.

Of a machine whose median launch is at the limit, each launch meets the limit with probability 1/2, whatever the
distribution of launches is: skewed, with outliers, or of a coarse clock. So the number of launches that meet the
limit decides, and its distribution is exact:

* *accepted* rejects that the median is worse than the limit, wrongly at most at the buyer's level;
* *rejected* rejects that the median meets the limit, wrongly at most at the vendor's level;
* *not shown* is all else.

Each look may spend what O'Brien and Fleming's function gives it (analysis/spending.py); what it may spend and, as
counts are whole, does not, is left to the next one. Each boundary ignores the other, which only lowers both rates.

Source: Hollander and Wolfe, section 3.4 (sign test); Armitage, McPherson and Rowe 1969 (the recursion).
"""

from __future__ import annotations

import enum
import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.analysis.spending import looks_of, spent

Floats = NDArray[np.float64]
MOST_LAUNCHES = 10_000
LEAST_RISK, MOST_RISK = 1e-6, 0.25


class AcceptanceVerdict(enum.StrEnum):
    """What is shown of a requirement."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    NOT_SHOWN = "not shown"


@dataclass(frozen=True)
class AcceptancePlan:
    """What was fixed before the first launch: the looks, and the level of each error (1).

    Raises ValueError where no look is planned or a level is no small probability.
    """

    looks: tuple[int, ...]
    buyer: float
    vendor: float

    def __post_init__(self) -> None:
        if not self.looks or min(self.looks) < 1:
            raise ValueError("a plan has a look after at least one launch")
        if not all(0 < level <= MOST_RISK for level in (self.buyer, self.vendor)):
            raise ValueError(f"a risk lies above 0 and up to {MOST_RISK:g}")

    def look(self, met: int, launches: int) -> AcceptanceVerdict:
        """Judge after `launches`, `met` of which meet the limit; between the looks nothing is shown."""
        if launches in self.looks:
            at = self.looks.index(launches)
            accepted, rejected = (cuts(self.looks, level)[at] for level in (self.buyer, self.vendor))
            if accepted is not None and met >= accepted:
                return AcceptanceVerdict.ACCEPTED
            if rejected is not None and launches - met >= rejected:
                return AcceptanceVerdict.REJECTED
        return AcceptanceVerdict.NOT_SHOWN

    def decide(self, meets: Sequence[bool]) -> AcceptanceVerdict:
        """Judge launches in their order, each meets the limit or not: the first look that decides counts."""
        for look in self.looks:
            if look <= len(meets):
                verdict = self.look(sum(meets[:look]), look)
                if verdict is not AcceptanceVerdict.NOT_SHOWN:
                    return verdict
        return AcceptanceVerdict.NOT_SHOWN

    def chances(self, share: float) -> tuple[float, float]:
        """Return how probably it is accepted, and rejected, where each launch meets the limit with this probability."""
        alive, before = np.ones(1), 0  # by how many met it, of what no look has ended
        found = [0.0, 0.0]
        for look in self.looks:
            alive = np.convolve(alive, _binomial(look - before, share))
            for met in range(look + 1):
                verdict = self.look(met, look)
                if verdict is not AcceptanceVerdict.NOT_SHOWN:
                    found[verdict is AcceptanceVerdict.REJECTED] += float(alive[met])
                    alive[met] = 0.0
            before = look
        return found[0], found[1]


@functools.cache
def cuts(looks: tuple[int, ...], level: float) -> tuple[int | None, ...]:
    """Return of how many launches on one side each look decides, such that at 1/2 any look does at most at `level`.

    None where so few launches decide nothing.
    """
    alive, before, used = np.ones(1), 0, 0.0
    found: list[int | None] = []
    for look, allowed in zip(looks, spent(looks, level), strict=True):
        alive = np.convolve(alive, _binomial(look - before, 0.5))
        tails = np.cumsum(alive[::-1])[::-1]
        fitting = np.flatnonzero(tails <= allowed - used + 1e-15)
        cut = int(fitting[0]) if len(fitting) else None
        if cut is not None and cut <= look:
            used += float(tails[cut])
            alive[cut:] = 0.0
        found.append(cut)
        before = look
    return tuple(found)


def _binomial(count: int, share: float) -> Floats:
    from scipy import stats

    return np.asarray(stats.binom.pmf(np.arange(count + 1), count, share))


def launches_needed(
    spread: float,
    indifference: float,
    buyer: float,
    vendor: float,
    risks: tuple[float, float],
    most: int = MOST_LAUNCHES,
) -> int:
    """Return the fewest launches with which both risks are met, launches being log-normal about the machine's median.

    A machine that is better than the limit by `indifference` (relative) is then accepted, and one that is worse by it
    rejected, each with 1 less its risk in `risks` (vendor's, buyer's). `spread`: the standard deviation of ln(value) of
    launches; `buyer`, `vendor`: the levels of the test. ValueError beyond `most`.
    """
    from scipy import stats

    share = 1.0 if spread <= 0 else float(stats.norm.cdf(math.log1p(indifference) / spread))
    launches = 1
    while launches <= most:
        plan = AcceptancePlan(looks_of(launches), buyer, vendor)
        if plan.chances(share)[0] >= 1 - risks[0] and plan.chances(1 - share)[1] >= 1 - risks[1]:
            return launches
        launches += 1 if launches < 100 else launches // 20
    raise ValueError(f"more than {most} launches")


def planning_spread(values: Sequence[float], indifference: float) -> float:
    """Return the standard deviation of ln(value) by which launches like these (at least two) are to be planned.

    Where some are further from the median than `indifference` (relative), that of the normal distribution which has as
    many there: noise with a long tail needs more launches than its core suggests, and fewer than its variance suggests.
    """
    from scipy import stats

    logs = np.log(np.asarray(values, float) / np.median(values))
    edge = math.log1p(indifference)
    inside = min(int(np.sum(logs <= edge)), int(np.sum(logs >= -edge)))
    if inside == len(logs):
        return float(np.std(logs, ddof=1))
    return edge / float(stats.norm.ppf(max(inside / len(logs), 0.51)))
