"""What a byte takes of the network, and what of the sender's and the receiver's copying, by long messages in streams.

A message's byte takes b seconds alone. In a stream one way it takes g, the slowest of network and copying; both ways at
once it takes h, of a processor that copies for what it sends and for what it receives. Where h is no more than g the
network has g and the sender copies in what is left of b. Where it is more both ends copy, h together, and the network
has what is left of b.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.fitting.length_lines import LengthLines
from assay.fitting.shown_parts import Part, Shown, line_of

Floats = NDArray[np.float64]
CLEAR = 1.05  # times the other: more than noise
LONG = 4.0  # times the start-up: what the bytes of a message take whose gap is theirs
LEAST = 0.02  # of a byte's time alone, that the network has at least


@dataclass(frozen=True)
class WireParts:
    """Seconds per byte of the `network` with draws; which part of the copying is the receiver's, with draws.

    `both_ways`: seconds per byte that both directions at once take, where that was measured; `explained`: whether the
    parts give as much.
    """

    network: tuple[float, Floats]
    receiver: float = 0.0
    receivers: Floats | None = None
    both_ways: float | None = None
    explained: bool = True


def wire_parts(found: LengthLines, network: tuple[float, Floats], all_shown: Sequence[Shown]) -> WireParts:
    """The parts of a byte's time; `network`: a byte's least time alone, with draws."""
    alone, draws = network
    one_way, both_ways = (_long(found, alone, all_shown, part) for part in ("slowest", "both ends"))
    gap = None if one_way is None else _drawn(*one_way, len(draws))
    if both_ways is None or both_ways[0] <= CLEAR * min(alone, alone if one_way is None else one_way[0]):
        known = None if both_ways is None else both_ways[0]
        if one_way is None or gap is None or one_way[0] >= alone / CLEAR:
            return WireParts(network, both_ways=known)
        return WireParts((one_way[0], gap), both_ways=known)
    both = _drawn(*both_ways, len(draws))
    slower = one_way[0] if one_way is not None else alone
    slowers = gap if gap is not None else draws
    whole = min(both_ways[0], (1 - LEAST) * alone)
    sender = min(slower, (1 - LEAST) * whole)
    if sender >= whole / CLEAR:  # one end does it all: nothing that a description has takes more both ways
        return WireParts(network, both_ways=both_ways[0], explained=False)
    wholes, senders = np.minimum(both, (1 - LEAST) * draws), np.minimum(slowers, (1 - LEAST) * both)
    receiver = min(whole - sender, sender)
    receivers = np.clip(np.minimum(wholes - senders, senders) / np.maximum(wholes, 1e-300), 0.0, 1.0)
    left, lefts = alone - sender - receiver, draws - np.minimum(senders + wholes * receivers, (1 - LEAST) * draws)
    explained = sender + receiver >= both_ways[0] / CLEAR
    return WireParts(
        (left, lefts * left / float(np.median(lefts))),
        receiver / (sender + receiver),
        receivers,
        both_ways[0],
        explained,
    )


def _long(found: LengthLines, per_byte: float, all_shown: Sequence[Shown], part: Part) -> tuple[float, float] | None:
    """Seconds per byte that a part takes of long messages, and their relative deviation; None without any."""
    long = [
        (each.seconds / each.length, each.sigma)
        for each in all_shown
        if (each.part == part or (part == "slowest" and each.benchmark == "fan-in"))
        and per_byte * each.length > LONG * line_of(found.lines, each.length).alpha
    ]
    if not long:
        return None
    values, sigmas = np.array(long).T
    middle = float(np.median(values))
    return middle, float(np.hypot(np.median(sigmas), np.std(values) / middle / np.sqrt(len(values))))


def _drawn(middle: float, sigma: float, count: int) -> Floats:
    random = np.random.default_rng((count, int(1e15 * middle) % 2**31))
    return np.asarray(middle * np.exp(sigma * random.standard_normal(count)))
