"""The method of section 6 (Ghosh, Goveas and Draper) for any network: adjusted service times from exact channel rates.

A blocked worm counts as queued at the channel that blocks it. A link of one channel is M/G/1, of several M/M/m. The
service of link i is the message's length and the waits at the links after it: D_i = sum over j of P(j follows i)
(W_j + D_j), each kind of message with its own P, taken from how much of its flow turns from i to j. W and D are one
fixed point, reached from below: where some utilisation passes 1 on the way there is none, and the network saturates.
Valid, by the paper, where messages have more flits than their way has links; waits are taken as independent, and
arrivals at every link as Poisson.

Beyond the paper, `apart`: messages that come over the same channel i never wait for each other at j, since the first
still holds i; of W_j counts the share of j's messages that come from elsewhere (Draper and Ghosh, A comprehensive
analytical model for wormhole routing, J. Parallel Distrib. Comput. 23, 1994, have the same correction).
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
ITERATIONS = 400  # routes that go round need so many only a fraction of a percent short of saturation


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

    def after(self, wait: Floats, felt: Any = None) -> Floats:
        """D by link: expected waits of this kind of message at all links after it; `felt`: share of W_j from link i."""
        next_wait = self.follows @ wait if felt is None else (self.follows * felt) @ wait
        found: Floats = self._downstream.solve(next_wait)
        return found


@dataclass(frozen=True)
class Channels:
    """Links with `servers` channels each, and the kinds of messages on them.

    head: cycles in which a head passes each link, h; 1 unless given.
    spread, of the adjusted service: `lengths`, the variance of the messages' lengths; `exponential`, C^2 = 1;
    `blocking`, that variance and the square of the mean time blocked. scaled: `queues.waits`. `apart`: see above; the
    paper's method is without.
    """

    servers: NDArray[np.int64]
    flows: Sequence[Flow]
    spread: Spread = "lengths"
    scaled: bool = False
    apart: bool = False
    head: Floats | float = 1.0

    @cached_property
    def felt(self) -> Any:
        """By (i, j), the share of the messages on j that do not come over i; None where that is not requested.

        A link of several channels passes its messages side by side, so they do wait for each other.
        """
        if not self.apart:
            return None
        rate = sum((flow.rate for flow in self.flows), np.zeros(len(self.servers)))
        start, to, turn = (np.concatenate([flow.turns[part] for flow in self.flows]) for part in range(3))
        together = csc_array((turn, (start, to)), shape=(len(rate), len(rate))).tocoo()
        a, b = together.coords
        share = np.where(self.servers[a] == 1, 1 - together.data / np.maximum(rate[b], 1e-300), 1.0)
        return csc_array((np.maximum(share, 0.0), (a, b)), shape=together.shape)

    def busiest(self) -> float:
        """The load at which the busiest channel is always busy, blocking neglected: an upper bound of saturation."""
        work = sum((flow.rate * flow.length.mean for flow in self.flows), np.zeros(len(self.servers)))
        return float(1 / (work / self.servers).max())

    def solve(self, load: float) -> Floats | None:
        """Waits by link in cycles at a load (times the flows' rates); None where there is no fixed point."""
        wait = np.zeros(len(self.servers))
        rate = sum((flow.rate for flow in self.flows), np.zeros(len(self.servers)))
        share = [np.divide(f.rate, rate, out=np.zeros_like(rate), where=rate > 0) for f in self.flows]
        for _ in range(ITERATIONS):
            blocked = [flow.after(wait, self.felt) for flow in self.flows]
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
            if np.allclose(found, wait, rtol=1e-8, atol=1e-9):
                return found
            wait = found
        return None

    def latency(self, wait: Floats, name: str | None = None) -> float:
        """Mean header latency in cycles, of all messages or of one kind: the sum of P_i (W_i + h_i).

        That is until the head is inside the destination, A_H + h_H, as `simulate` counts it.
        """
        chosen = [flow for flow in self.flows if name in (None, flow.name)]
        total = 0.0
        for flow in chosen:
            entered = flow.rate.copy()  # what does not come from another link: a message's first
            np.subtract.at(entered, flow.turns[1], flow.turns[2])
            entered[entered < 1e-12 * flow.rate] = 0.0
            total += float((entered * (wait + flow.after(wait, self.felt))).sum() + (flow.rate * self.head).sum())
        sent = sum(flow.sent for flow in chosen)
        return total / sent if sent else math.nan

    def saturation(self) -> float:
        """The load at which the model's network saturates, to one part in 10^4."""
        low, high = 0.0, self.busiest()
        while high - low > 1e-4 * high:
            middle = (low + high) / 2
            low, high = (middle, high) if self.solve(middle) is not None else (low, middle)
        return low
