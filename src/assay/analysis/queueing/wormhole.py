"""The method of section 6 (Ghosh, Goveas and Draper) for any network: adjusted service times from exact channel rates.

A blocked worm counts as queued at the channel that blocks it. A link of one channel is M/G/1, of several M/M/m. The
service of link i is the message's length and the waits at the links after it: D_i = sum over j of P(j follows i)
(W_j + D_j), each kind of message with its own P, taken from how much of its flow turns from i to j. W and D are one
fixed point, reached from below: where some utilisation passes 1 on the way there is none, and the network saturates.
Valid, as the paper says, where messages have more flits than their way has links; waits are taken as independent, and
arrivals at every link as Poisson.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, identity
from scipy.sparse.linalg import splu

from assay.analysis.queueing.queues import Service, waits

Floats = NDArray[np.float64]
Spread = Literal["lengths", "exponential", "blocking"]


@dataclass(frozen=True)
class Flow:
    """One kind of message: by link the `rate` of its messages at unit load; `turns` (from, to, rate) in the same unit;
    `sent`, all messages of the kind at unit load; `length`, a channel's service when nothing blocks, in cycles.
    """

    name: str
    length: Service
    sent: float
    rate: Floats
    turns: tuple[NDArray[np.int64], NDArray[np.int64], Floats]

    @cached_property
    def follows(self) -> Any:
        """Sparse P(j follows i), links by links."""
        start, to, rate = self.turns
        own = self.rate[start]
        share = np.divide(rate, own, out=np.zeros_like(rate), where=own > 0)
        return csc_array((share, (start, to)), shape=(len(self.rate), len(self.rate)))

    @cached_property
    def _downstream(self) -> Any:
        return splu(csc_array(identity(len(self.rate), format="csc") - self.follows))

    def after(self, wait: Floats) -> Floats:
        """D by link: expected waits of this kind of message at all links after it."""
        found: Floats = self._downstream.solve(self.follows @ wait)
        return found


@dataclass(frozen=True)
class Channels:
    """Links with `servers` channels each, and the kinds of messages on them.

    spread, of the adjusted service: `lengths`, the variance of the messages' lengths; `exponential`, C^2 = 1;
    `blocking`, that variance and the square of the mean time blocked. scaled: see `queues.waits`.
    """

    servers: NDArray[np.int64]
    flows: Sequence[Flow]
    spread: Spread = "lengths"
    scaled: bool = False

    def busiest(self) -> float:
        """The load at which the busiest channel is always busy, blocking neglected: an upper bound of saturation."""
        work = sum((flow.rate * flow.length.mean for flow in self.flows), np.zeros(len(self.servers)))
        return float(1 / (work / self.servers).max())

    def solve(self, load: float) -> Floats | None:
        """Waits by link in cycles at a load (times the flows' rates); None where there is no fixed point."""
        wait = np.zeros(len(self.servers))
        rate = sum((flow.rate for flow in self.flows), np.zeros(len(self.servers)))
        share = [np.divide(f.rate, rate, out=np.zeros_like(rate), where=rate > 0) for f in self.flows]
        for _ in range(2000):
            blocked = [flow.after(wait) for flow in self.flows]
            times = [flow.length.mean + time for flow, time in zip(self.flows, blocked, strict=True)]
            mean = sum((p * x for p, x in zip(share, times, strict=True)), np.zeros_like(rate))
            match self.spread:
                case "exponential":
                    variance = mean**2
                case "lengths" | "blocking":
                    length = sum((p * f.length.mean for p, f in zip(share, self.flows, strict=True)), 0 * rate)
                    square = sum(
                        (p * (f.length.mean**2 + f.length.variance) for p, f in zip(share, self.flows, strict=True)),
                        0 * rate,
                    )
                    variance = square - length**2 + ((mean - length) ** 2 if self.spread == "blocking" else 0)
            found = waits(load * rate, mean, variance, self.servers, self.scaled)
            if not np.isfinite(found).all():
                return None
            if np.allclose(found, wait, rtol=1e-9, atol=1e-9):
                return found
            wait = found
        return None

    def latency(self, wait: Floats, name: str | None = None) -> float:
        """Mean header latency in cycles, of all messages or of one kind: sum of P_i (W_i + 1)."""
        chosen = [flow for flow in self.flows if name in (None, flow.name)]
        total = sum(float((flow.rate * (wait + 1)).sum()) for flow in chosen)
        sent = sum(flow.sent for flow in chosen)
        return total / sent if sent else math.nan

    def saturation(self) -> float:
        """The load at which the model's network saturates, to one part in 10^5."""
        low, high = 0.0, self.busiest()
        while high - low > 1e-5 * high:
            middle = (low + high) / 2
            low, high = (middle, high) if self.solve(middle) is not None else (low, middle)
        return low
