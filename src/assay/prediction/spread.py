"""The interval of a predicted median of launches: what the parameters and what launches add, by their logarithms.

Each draw of the model's parameters predicts a value; launches spread around it with the model's relative deviation s.
The deviation s is estimated from a few launches, all cells of which deviate together, so that a new launch is Student's
with as many degrees of freedom. Normal 90% intervals from eight launches would cover 86% of the next ones, those from
four 80%.

The variance of a median of n normal values is close to pi s^2 / (2 n + pi - 2): exact for one, within 1% of the
deviation for odd n, and up to a tenth wider for even n. The limit is pi s^2 / 2 n. The interval is cut from the mixture
of all draws' distributions, equal tails on both sides: a draw that takes another protocol is one of many, and no
normal distribution is assumed of the draws.

Of K draws the p-quantile is the (K + 1) p-th in order, which a new value falls below with probability p. As a
probability of the mixture, in which the i-th draw stands at (i - 1/2) / K, that is p + (p - 1/2) / K. The launches'
spread is no sample, so that the correction is weighed by the draws' share of the variance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

import numpy as np


def median_deviation(spread: float, launches: int) -> float:
    """The relative standard deviation of a median of `launches` launches; `spread`: of one."""
    return spread * math.sqrt(math.pi / (2 * max(1, launches) + math.pi - 2))


def interval(
    predicted: float,
    draws: Sequence[float],
    spread: float,
    launches: int,
    level: float,
    of_runs: float = 0.0,
    freedom: float | None = None,
) -> tuple[float, float]:
    """The interval of `level` for a median of `launches`; `draws`: what draws of the parameters predict, if any.

    `of_runs`: the deviation between runs, which more launches do not reduce. `freedom`: degrees of freedom of `spread`;
    None where it is exact. It always holds `predicted`.
    """
    logs = np.log([each / predicted for each in draws if each > 0] or [1.0])
    of_launches = median_deviation(spread, launches)
    between = math.hypot(of_launches, of_runs)
    whole = math.inf if freedom is None or not of_launches else freedom * (between / of_launches) ** 4  # Satterthwaite
    own = float(np.mean(logs**2))
    weight = own / (own + between**2) / len(logs) if own else 0.0
    tail = 0.5 - level / 2
    tail = max(tail - (0.5 - tail) * weight, tail / 5)
    low, high = (_quantile(logs, between, p, whole) for p in (tail, 1 - tail))
    return predicted * math.exp(min(low, 0.0)), predicted * math.exp(max(high, 0.0))


def _quantile(logs: np.ndarray[tuple[int], np.dtype[np.float64]], deviation: float, p: float, freedom: float) -> float:
    """The p-quantile of a mixture of Student's distributions around `logs`, normal ones with infinite `freedom`."""
    if deviation < 1e-12:
        return float(np.quantile(logs, p, method="hazen"))
    from scipy.optimize import brentq
    from scipy.special import stdtr, stdtrit

    reach = deviation * (1 + abs(float(stdtrit(freedom, p))))
    ends = logs.min() - reach, logs.max() + reach
    return float(brentq(lambda x: float(np.mean(stdtr(freedom, (x - logs) / deviation))) - p, *ends))


def repeat_error(values: Sequence[float]) -> float | None:
    """How far the median of the even launches is from that of the odd ones, relative; None with fewer than four."""
    if len(values) < 4:
        return None
    even, odd = median(values[0::2]), median(values[1::2])
    return abs(even / odd - 1) if odd else None
