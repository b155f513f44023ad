"""How a message's time divides between its sender, the network and its receiver, by benchmarks that show it.

Messages that follow one another pass as the slowest of the three lets them (LogGP's gap; Alexandrov and others 1995):

    gap(N) = max(startup + copy N, wire N, receive + receive_copy N)

while one message takes their sum. So `message-rate`, `bandwidth` one way and `loggp`'s gap show how much of the sum its
slowest part is; `loggp`'s overheads show sender and receiver by themselves; `fan-in` shows the receiver's part, as
several senders work at once; `bandwidth` both ways at once shows what both ends take together, since a processor then
sends and receives in turn. What the sender and the receiver leave of the sum is the way's own delay.

A gap shows how long the slower end takes, not which end that is: the sender, unless the receiver is known to take as
long. A send may return when the last byte has left, so that its overhead shows the sender's part of short messages
alone; that of long ones shows whether it does. A gap of long messages that is less than what the echo's bytes take is
the network's part of that, the rest copying (`wire_parts`). Where the receiver's processor moves in what comes, a gap
is the network's part and its own (`intake`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.fitting.length_lines import LengthLine, LengthLines
from assay.fitting.resampled import DRAWS
from assay.fitting.shown_parts import Part, Shown, line_of

Floats = NDArray[np.float64]
CLEAR = 1.05  # times the network's part, so that a gap is of a processor
SHORT = 0.1  # of the processors' part: what the network takes of a message whose overhead is the processor's
AS_SLOW = 0.9  # of the gap: a receiver that takes as long is the slower end
LEAST, MOST = 0.02, 0.98  # of the sum, that an end has


@dataclass(frozen=True)
class Division:
    """What part of a message's processor time its sender and its receiver spend, with draws; the rest is delay.

    `known`: the benchmarks; empty where it is assumed. Only where it is known draws are there. `buffered`: a send
    returns before the last byte has left. `receive`: what a receiver that moves in what comes takes of each message
    (s), with draws; the sender has the rest then. `answer`: by how much each draw of what an answer to a request takes
    is off its estimate (s), where messages ask first.
    """

    sender: float = 0.5
    receiver: float = 0.5
    senders: Floats | None = None
    receivers: Floats | None = None
    known: str = ""
    buffered: bool = False
    receive: tuple[float, Floats] | None = None
    answer: Floats | None = None


def divisions(
    found: LengthLines, per_byte: float, all_shown: Sequence[Shown], both_copy: bool = False
) -> list[Division]:
    """One for each range of lengths; a range of which nothing is shown has that of the nearest one with something.

    `both_copy`: how copying divides is known by itself (`wire_parts`), so that messages of which it is the smaller part
    decide where there are any.
    """
    made: list[Division | None] = []
    for line in found.lines:
        own = [each for each in all_shown if line_of(found.lines, each.length) is line and line.determined]
        if both_copy:
            short = [each for each in own if (line.beta - per_byte) * each.length < SHORT * line.alpha]
            own = short or own
        made.append(_division(line, per_byte, own))
    return of_nearest(made)


def of_nearest(made: Sequence[Division | None]) -> list[Division]:
    """The divisions with those that are missing filled in by the nearest one, or halves."""
    known = [at for at, each in enumerate(made) if each is not None]
    if not known:
        return [Division() for _ in made]
    nearest = [min(known, key=lambda at, of=place: (abs(at - of), at)) for place in range(len(made))]  # type: ignore[misc]
    return [made[at] or Division() for at in nearest]


def _division(line: LengthLine, per_byte: float, own: Sequence[Shown]) -> Division | None:
    """The shares of a range; None where nothing shows them."""
    shares: dict[Part, list[tuple[float, float]]] = {"slowest": [], "sender": [], "receiver": [], "both ends": []}
    for each in own:
        way = per_byte * each.length
        processors = line.alpha + line.beta * each.length - way
        clear = way < SHORT * processors if each.part == "sender" else each.seconds > CLEAR * way
        if processors > 0 and clear:
            shares[each.part].append((each.seconds / processors, each.sigma))
    if not any(shares.values()):
        return None
    random = np.random.default_rng((len(own), int(line.greatest)))
    slowest, sender, receiver = (_share(shares[part], random) for part in ("slowest", "sender", "receiver"))
    both = _share(shares["both ends"], random)
    if sender is None and receiver is not None:
        faster = slowest is None or float(receiver[0]) > AS_SLOW * float(slowest[0])
        sender = 1 - receiver if faster or slowest is None else slowest
    if sender is None:
        half = np.full(DRAWS + 1, 0.5) if both is None else both / 2
        sender = slowest if slowest is not None else half
    sender = np.clip(sender, LEAST, MOST)
    if receiver is None and both is not None:
        receiver = np.minimum(both - sender, sender)
    if receiver is None:
        receiver = np.minimum(sender, 1 - sender)
    receiver = np.clip(receiver, LEAST, 1 - sender)
    known = " and ".join(dict.fromkeys(each.benchmark for each in own))
    return Division(
        float(sender[0]), float(receiver[0]), sender[1:], receiver[1:], known, _buffered(line, per_byte, own)
    )


def _buffered(line: LengthLine, per_byte: float, own: Sequence[Shown]) -> bool:
    """Whether sends of messages whose bytes take longer than all else return long before these have passed."""
    long = [each for each in own if each.part == "sender" and per_byte * each.length > line.alpha]
    return bool(long) and float(np.median([each.seconds / (per_byte * each.length) for each in long])) < 0.5


def _share(found: Sequence[tuple[float, float]], random: np.random.Generator) -> Floats | None:
    """The median of shares, with draws behind it; None without any."""
    if not found:
        return None
    values = np.array([share for share, _ in found])
    scatter = float(np.std(values) / np.sqrt(max(1, len(values) - 1)) / np.median(values)) if len(values) > 1 else 0.0
    sigma = float(np.hypot(np.median([sigma for _, sigma in found]), scatter))
    middle = float(np.median(values))
    return np.asarray(np.concatenate([[middle], middle * np.exp(sigma * random.standard_normal(DRAWS))]))


def delay(found: LengthLines, network: tuple[float, Floats], shares: Sequence[Division]) -> float:
    """Seconds of every range's constant part that neither end spends: the least of them, which all messages share.

    No more than the slower end takes, since the description's network is busy as long.
    """
    rests = []
    for line, share in zip(found.lines, shares, strict=True):
        constant = line.alpha + (line.beta - network[0]) * line.least
        if line.determined:
            rests.append(constant * min(1 - share.sender - share.receiver, max(share.sender, share.receiver)))
    return max(min(rests, default=0.0), 0.0)
