"""The interval of a predicted median of launches: what the parameters and what launches add, by their logarithms.

Both are relative errors, so that they add as variances of logarithms: of the draws of the model's parameters around
the prediction, and of a median of n launches, each of which has the model's relative spread s. The variance of a
median of n normal values is close to pi s^2 / (2 n + pi - 2): exact for one, within 1% of the deviation for odd n, and
up to a tenth wider for even n. The limit is pi s^2 / 2 n.

The interval's end is Student's t with the degrees of freedom of the sum (Satterthwaite 1946): the draws' variance is
known from as many draws, the launches' is the model's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def median_deviation(spread: float, launches: int) -> float:
    """The relative standard deviation of a median of `launches` launches; `spread`: of one."""
    return spread * math.sqrt(math.pi / (2 * max(1, launches) + math.pi - 2))


def interval(
    predicted: float, draws: Sequence[float], spread: float, launches: int, level: float
) -> tuple[float, float]:
    """The interval of `level` for a median of `launches`; `draws`: what other draws of the parameters predict."""
    from scipy.special import stdtrit

    logs = [math.log(each / predicted) for each in draws if each > 0]
    own = sum(each**2 for each in logs) / len(logs) if logs else 0.0
    between = median_deviation(spread, launches) ** 2
    total = own + between
    if total == 0:
        return predicted, predicted
    freedom = len(logs) * (total / own) ** 2 if own else math.inf
    half = float(stdtrit(min(freedom, 1e6), 0.5 + level / 2)) * math.sqrt(total)
    return predicted * math.exp(-half), predicted * math.exp(half)


def repeat_error(values: Sequence[float]) -> float | None:
    """How far the median of the even launches is from that of the odd ones, relative; None with fewer than four."""
    if len(values) < 4:
        return None
    from statistics import median

    even, odd = median(values[0::2]), median(values[1::2])
    return abs(even / odd - 1) if odd else None
