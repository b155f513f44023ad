"""Mean waits in a queue, in the unit of the service time; infinite where the queue cannot keep up.

Sources: Kleinrock, Queueing Systems (1975), 5.6 (Pollaczek and Khinchine) and 3.5 (Erlang C), in the forms that Ghosh,
Goveas and Draper print in section 6.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Service:
    """Two moments of a service time: `mean`, and `variance` in its square."""

    mean: float
    variance: float = 0.0

    @property
    def scv(self) -> float:
        """C_b^2, the squared coefficient of variation; 0 for no service at all."""
        return self.variance / self.mean**2 if self.mean else 0.0


def mixture(weights: Sequence[float], times: Sequence[float]) -> Service:
    """A service that takes one of the `times`, with `weights` in any scale."""
    w, x = np.asarray(weights, float), np.asarray(times, float)
    if not w.sum() > 0:
        return Service(0.0)
    mean = float((w * x).sum() / w.sum())
    return Service(mean, float((w * (x - mean) ** 2).sum() / w.sum()))


def mg1(rate: float, service: Service) -> float:
    """W = rho x (1 + C^2) / (2 (1 - rho)), rho = rate x: one server, Poisson arrivals, any service."""
    rho = rate * service.mean
    return rho * service.mean * (1 + service.scv) / (2 * (1 - rho)) if rho < 1 else math.inf


def erlang_c(offered: float, servers: int) -> float:
    """Probability that an arrival finds all servers busy; `offered` = rate x in Erlang. 1 from saturation on.

    By the recursion of Erlang B, which overflows for no number of servers.
    """
    if offered >= servers:
        return 1.0
    blocked = 1.0
    for n in range(1, servers + 1):
        blocked = offered * blocked / (n + offered * blocked)
    return blocked / (1 - offered / servers * (1 - blocked))


def mmm(rate: float, mean: float, servers: int) -> float:
    """W of M/M/m as the paper prints it: p0 rho (m rho)^m / (m! (1 - rho)^2 rate), rho = rate x / m."""
    rho = rate * mean / servers
    if rho >= 1:
        return math.inf
    return erlang_c(rate * mean, servers) * mean / (servers * (1 - rho)) if rho > 0 else 0.0


def waits(rate: ArrayLike, mean: ArrayLike, variance: ArrayLike, servers: ArrayLike, scaled: bool) -> Floats:
    """The same for arrays of links: M/G/1 where there is one channel, M/M/m where there are more.

    `scaled`: multiply M/M/m by (1 + C^2) / 2, the approximation of M/G/m by Lee and Longton (1959); the paper does not.
    """
    lam, x, v = (np.asarray(part, float) for part in (rate, mean, variance))
    m = np.asarray(servers, int)
    scv = np.divide(v, x**2, out=np.zeros_like(x), where=x > 0)
    rho = lam * x / m
    queued = np.ones_like(rho)  # Erlang B by recursion over all links at once, then C
    for n in range(1, int(m.max(initial=1)) + 1):
        more = n <= m
        queued = np.where(more, lam * x * queued / (n + lam * x * queued), queued)
    queued = queued / (1 - np.minimum(rho, 1) * (1 - queued))
    with np.errstate(divide="ignore", invalid="ignore"):
        exponential = np.where(rho < 1, queued * x / (m * (1 - rho)), math.inf)
    spread = np.where((m == 1) | scaled, (1 + scv) / 2, 1.0)
    found: Floats = np.where(lam > 0, exponential * spread, 0.0)
    return found
