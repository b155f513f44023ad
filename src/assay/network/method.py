"""Statistics of simulated figures: autocorrelation, batch means, replications, growth of a backlog. Pure functions on
arrays.

Sources: Sokal, Monte Carlo Methods in Statistical Mechanics (1997), section 3, for the autocorrelation time; Law,
Simulation Modeling and Analysis (2015), sections 9.4 and 9.5; Schmeiser, batch size effects (1982): more than 30
batches gain little; ratio estimators as in Cochran, Sampling Techniques, 6.3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

if TYPE_CHECKING:
    from assay.network.documents import MeanFound

Floats = NDArray[np.float64]

WINDOW = 5.0  # the sum of an autocorrelation time ends at so many times itself
LONG = 50  # a run of fewer of its own autocorrelation times has no interval
# Autocorrelation times in a batch, from another run: it can be wrong by a factor of two, and eight means of
# fewer than ten cover too seldom where queues are long, whose means are far from normal.
BATCH = 20
DRIFT = 0.001  # how seldom replications in balance may seem to drift
BATCHES = 1024  # what a run records; merged for the interval
MERGED = 32
LEAST_MERGED = 8


@dataclass(frozen=True)
class MeanEstimate:
    """A mean with the half-width of its interval; `half` is None where there are too few parts."""

    mean: float
    half: float | None
    confidence: float
    parts: int  # batches or replications behind the interval
    note: str = ""

    def precise(self, share: float) -> bool:
        """Whether the interval is within this share of the mean."""
        return self.half is not None and self.half <= share * abs(self.mean)

    def document(self, scale: float = 1.0) -> MeanFound:
        """For JSON, in other units by `scale`."""
        half = None if self.half is None or not math.isfinite(self.half) else self.half * scale
        mean = self.mean * scale if math.isfinite(self.mean) else None
        interval = None if half is None or mean is None else [mean - half, mean + half]
        return {
            "mean": mean,
            "interval": interval,
            "confidence": self.confidence,
            "parts": self.parts,
            "note": self.note,
        }


def correlation_time(values: ArrayLike) -> float:
    """Integrated autocorrelation time of a series, 1/2 + the sum over lags, in steps; 1/2 of one without memory.

    The sum ends at the first lag that is WINDOW times the sum so far: further lags add only noise.
    """
    x = np.asarray(values, float)
    n = len(x)
    if n < 2:
        return 0.5
    x = x - x.mean()
    power = np.fft.irfft(np.abs(np.fft.rfft(x, 2 * n)) ** 2)[:n]
    if power[0] <= 0:
        return 0.5
    sums = np.cumsum(power / power[0]) - 0.5
    inside = np.flatnonzero(np.arange(n) >= WINDOW * sums)
    return float(max(sums[inside[0] if len(inside) else n - 1], 0.5))


def batch_interval(sums: ArrayLike, counts: ArrayLike, confidence: float, memory: float | None = None) -> MeanEstimate:
    """Mean of a run's observations, from sums and counts of equal stretches of time, with the interval by batch means.

    Batches are merged, 32 at first, then fewer while neighbours are still correlated; the mean is a ratio of sums, so
    its error is that of the residuals. `memory`: the autocorrelation time, in stretches, that another run has shown: no
    batch is shorter than BATCH of it, and what has not eight such batches has no interval. Without it a run of fewer
    than LONG of its own has none; those of short runs that seem to be long enough are the ones that vary too little.
    """
    s, n = np.asarray(sums, float), np.asarray(counts, float)
    total = n.sum()
    if total == 0:
        return MeanEstimate(math.nan, None, confidence, 0, "no message was delivered")
    mean = float(s.sum() / total)
    own = correlation_time(s - mean * n) if memory is None else 0.0
    shortest = LONG * own if memory is None else LEAST_MERGED * BATCH * memory
    if len(s) < shortest:
        longer = math.ceil(shortest / len(s) * (2 if memory is None else 1))
        return MeanEstimate(
            mean, None, confidence, len(s), f"too short for an interval: simulate {longer} times as long"
        )
    merged = MERGED
    while memory is not None and merged > LEAST_MERGED and len(s) < merged * BATCH * memory:
        merged //= 2
    while True:
        if len(s) < merged:
            return MeanEstimate(mean, None, confidence, len(s), f"fewer than {merged} batches")
        residuals = _merge(s, merged) - mean * _merge(n, merged)
        correlation = _lag_one(residuals)
        if correlation < 1.645 / math.sqrt(merged) or merged == LEAST_MERGED:
            break
        merged //= 2
    used = _merge(n, merged)
    error = math.sqrt(float((residuals**2).sum()) / (merged - 1) / merged) / float(used.mean())
    half = float(stdtrit(merged - 1, 0.5 + confidence / 2)) * error
    note = (
        "neighbouring batches are still correlated: simulate longer" if correlation >= 1.645 / math.sqrt(merged) else ""
    )
    return MeanEstimate(mean, half, confidence, merged, note)


def _merge(values: Floats, parts: int) -> Floats:
    edges = np.linspace(0, len(values), parts + 1).astype(int)
    return np.add.reduceat(values, edges[:-1])


def _lag_one(residuals: Floats) -> float:
    power = float((residuals**2).sum())
    return float((residuals[1:] * residuals[:-1]).sum()) / power if power > 0 else 0.0


def looks(first: int, most: int) -> list[int]:
    """After how many replications to look, fixed beforehand: `first`, twice as many, … and `most`."""
    found = []
    count = min(first, most)
    while count < most:
        found.append(count)
        count *= 2
    return [*found, most]


def replication_interval(
    means: ArrayLike, confidence: float, number_of_looks: int = 1, weights: ArrayLike | None = None
) -> MeanEstimate:
    """Mean of replications' means with its Student interval.

    `weights`: how many observations each mean is of; the mean is then that of all observations, a ratio of sums, and
    its error that of the residuals. `number_of_looks`: how often one might have stopped; the error probability is
    shared among them (Bonferroni), so that the interval at which one does stop still holds its confidence.
    """
    x = np.asarray(means, float)
    w = np.ones(len(x)) if weights is None else np.asarray(weights, float)
    known = np.isfinite(x) & (w > 0)
    x, w = x[known], w[known]
    if len(x) == 0:
        return MeanEstimate(math.nan, None, confidence, 0, "no message was delivered")
    mean = float((w * x).sum() / w.sum())
    if len(x) < 2:
        return MeanEstimate(mean, None, confidence, len(x), "one replication")
    tail = (1 - confidence) / 2 / number_of_looks
    residuals = w * (x - mean) / w.mean()
    error = math.sqrt(float((residuals**2).sum()) / (len(x) - 1) / len(x))
    return MeanEstimate(mean, float(stdtrit(len(x) - 1, 1 - tail)) * error, confidence, len(x))


def drifts(sums: Sequence[Floats], counts: Sequence[Floats]) -> bool:
    """Whether replications' second halves differ from their first ones by more than chance: their warm-up is too short.

    `sums` and `counts` by equal stretches of time, of each replication. A paired Student test at DRIFT.
    """
    if len(sums) < 4:
        return False
    parts = [(len(s) // 2, s, n) for s, n in zip(sums, counts, strict=True)]
    mean = sum(s.sum() for s in sums) / max(sum(n.sum() for n in counts), 1)
    residuals = [s - mean * n for s, n in zip(sums, counts, strict=True)]
    rise = np.array([r[half:].sum() - r[:half].sum() for r, (half, _, _) in zip(residuals, parts, strict=True)])
    error = float(rise.std(ddof=1)) / math.sqrt(len(rise))
    return error > 0 and abs(float(rise.mean())) > float(stdtrit(len(rise) - 1, 1 - DRIFT / 2)) * error


def backlog_grows(early: float, late: float, stretch: float, offered: float) -> bool:
    """Whether a backlog still grows when a run is made `stretch` times as long (four, where it can be), which is
    saturation.

    `early`, `late`: messages waiting when the shorter and the longer run end, each averaged over a stretch of time;
    `offered`: messages generated between. A backlog in balance stays as it was, one that grows without end is
    `stretch` times as large: it must have made more than half that way, by more than chance moves it, and by 0.2
    percent of what was offered.
    """
    growth = late - early
    return growth > early * (stretch - 1) / 3 and growth > 0.002 * offered and growth > 4 * math.sqrt(max(early, 1.0))


def growth_of(backlog: ArrayLike, warmup: int, cycles: int) -> tuple[float, float, float]:
    """Early and late backlog of one run and how many times later the late one is: the end against a quarter of the
    time.

    `backlog` is sampled at the ends of equal parts of the measured `cycles`; the network was empty `warmup` cycles
    before.
    """
    b = np.asarray(backlog, float)
    times = warmup + (np.arange(len(b)) + 1) * cycles / max(len(b), 1)
    if len(b) < 16:
        return 0.0, 0.0, 1.0
    width = len(b) // 16
    middle = max(int(np.searchsorted(times, times[-1] / 4)), width)
    late = b[-width:]
    early = b[middle - width : middle]
    stretch = float(times[-width:].mean() / times[middle - width : middle].mean())
    return float(early.mean()), float(late.mean()), stretch


def growth_by_chance(growth: Sequence[float], backlogs: Sequence[ArrayLike]) -> float:
    """How much the summed growth of runs' backlogs can be without any trend: at DRIFT, by how replications differ; of
    fewer than four runs by how their backlogs scatter about lines.
    """
    runs = len(growth)
    if runs >= 4:
        return float(stdtrit(runs - 1, 1 - DRIFT)) * float(np.std(growth, ddof=1)) * math.sqrt(runs)
    scatter = 0.0
    for backlog in backlogs:
        values = np.asarray(backlog, float)
        if len(values) > 2:
            at = np.arange(len(values))
            scatter += float(np.mean((values - np.polyval(np.polyfit(at, values, 1), at)) ** 2))
    return 4 * math.sqrt(2 * scatter)  # of the difference between two of its values


def quantiles(values: ArrayLike, counts: ArrayLike, shares: Sequence[float]) -> dict[str, float | None]:
    """Quantiles of a histogram; None where fewer than ten observations lie beyond (method.md, rule 6)."""
    v, n = np.asarray(values, float), np.asarray(counts, float)
    order = np.argsort(v, kind="stable")
    reached = np.cumsum(n[order])
    found: dict[str, float | None] = {}
    for share in shares:
        known = len(v) > 0 and reached[-1] * min(share, 1 - share) >= 10
        at = int(np.searchsorted(reached, share * reached[-1] * (1 - 1e-12))) if known else 0
        found[f"{share:g}"] = float(v[order][min(at, len(v) - 1)]) if known else None
    return found
