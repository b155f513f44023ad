"""How a message's time divides between its sender, the network and its receiver, by benchmarks that show it.

Messages that follow one another pass as the slowest of the three lets them (LogGP's gap; Alexandrov and others 1995):

    gap(N) = max(startup + copy N, wire N, receive + receive_copy N)

while one message takes their sum. So `message-rate`, `bandwidth` one way and `loggp`'s gap show how much of the sum its
slowest part is; `loggp`'s overheads show sender and receiver by themselves; `fan-in` shows the receiver's part, as
several senders work at once. What the sender and the receiver leave of the sum is the way's own delay.

A gap shows how long the slower end takes, not which end that is: the sender, unless the receiver is known to take as
long. A send may return when the last byte has left, so that its overhead shows the sender's part of short messages
alone; that of long ones shows whether it does. A gap of long messages that is less than what the echo's bytes take is
the network's part of that, the rest copying.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.document.params import Parameters
from assay.document.section import Section
from assay.fitting import families
from assay.fitting.length_lines import LengthLine, LengthLines
from assay.fitting.measured_cells import MeasuredCells, times
from assay.fitting.resampled import DRAWS, launch_deviation, widening

Floats = NDArray[np.float64]
Part = Literal["slowest", "sender", "receiver"]
CLEAR = 1.05  # times the network's part, so that a gap is of a processor
LONG = 4.0  # times the start-up: what the bytes of a message take whose gap is theirs
SHORT = 0.1  # of the processors' part: what the network takes of a message whose overhead is the processor's
AS_SLOW = 0.9  # of the gap: a receiver that takes as long is the slower end
LEAST, MOST = 0.02, 0.98  # of the sum, that an end has


@dataclass(frozen=True)
class Shown:
    """What a benchmark shows of messages of `length` B: `seconds` of a part of the sum, relative deviation `sigma`."""

    benchmark: str
    part: Part
    length: float
    seconds: float
    sigma: float


@dataclass(frozen=True)
class Division:
    """What part of a message's processor time its sender and its receiver spend, with draws; the rest is delay.

    `known`: the benchmarks; empty where it is assumed. Only where it is known draws are there. `buffered`: a send
    returns before the last byte has left.
    """

    sender: float = 0.5
    receiver: float = 0.5
    senders: Floats | None = None
    receivers: Floats | None = None
    known: str = ""
    buffered: bool = False


def shown(sections: Sequence[Section], found: LengthLines, ranks: int) -> list[Shown]:
    """All that the run's fitted cells show; no bounds, and no fan-in of more ranks than there are processors."""

    def one_pair(case: Parameters) -> bool:
        plain = case.get("means", "message") == "message" and case.get("directions", 1) == 1
        return bool(case.get("pairs") == 1 and plain)

    made: list[Shown] = []
    windows = (("message-rate", "message_rate", 64), ("bandwidth", "rate", 16))
    for benchmark, figure, window in windows:
        bytes_a_message = benchmark == "bandwidth"
        cells = times(
            families.largest(families.cells(sections, benchmark, figure, one_pair)),
            lambda cell, rate, many=window, of_bytes=bytes_a_message: (  # type: ignore[misc]
                many * (float(cell.params["bytes"]) if of_bytes else 1.0) / rate
            ),
        )
        for length, seconds, sigma in _values(cells):
            gap = (seconds - time_of(found, length) - time_of(found, 0.0)) / (window - 1)
            made += [Shown(benchmark, "slowest", length, gap, sigma)] if gap > 0 else []
    parts: tuple[tuple[str, Part], ...] = (
        ("gap", "slowest"), ("send_overhead", "sender"), ("receive_overhead", "receiver"),
    )  # fmt: skip
    for figure, part in parts:
        cells = times(families.largest(families.cells(sections, "loggp", figure)))
        made += [Shown("loggp", part, *each) for each in _values(cells)]
    several = families.cells(sections, "fan-in", "rate", lambda case: 2 <= int(case.get("neighbours") or 0) < ranks)
    for each in {cell.params.get("neighbours") for cell in several}:
        of = families.largest([cell for cell in several if cell.params.get("neighbours") == each])
        cells = times(of, lambda cell, rate: float(cell.params["bytes"]) / rate)
        made += [Shown("fan-in", "receiver", *value) for value in _values(cells)]
    return made


def _values(cells: MeasuredCells) -> list[tuple[float, float, float]]:
    """Length, time and relative deviation of each value that is no bound."""
    deviation = max(launch_deviation(cells) * widening(cells.launches) / np.sqrt(max(cells.launches, 1)), 0.01)
    rows = zip(cells.length, cells.value, cells.slack, cells.bound, strict=True)
    return [(float(n), float(v), float(np.hypot(deviation, slack))) for n, v, slack, bound in rows if not bound]


def time_of(found: LengthLines, length: float) -> float:
    """One message's time (s) by the lines, to the nearest partner."""
    line = line_of(found.lines, length)
    return line.alpha + line.beta * length


def line_of(lines: Sequence[LengthLine], length: float) -> LengthLine:
    """The line of a length."""
    return next((each for each in lines if each.up_to is None or length <= each.up_to), lines[-1])


def divisions(found: LengthLines, per_byte: float, all_shown: Sequence[Shown]) -> list[Division]:
    """One for each range of lengths; a range of which nothing is shown has that of the nearest one with something."""
    made: list[Division | None] = []
    for line in found.lines:
        own = [each for each in all_shown if line_of(found.lines, each.length) is line and line.determined]
        made.append(_division(line, per_byte, own))
    known = [at for at, each in enumerate(made) if each is not None]
    if not known:
        return [Division() for _ in made]
    nearest = [min(known, key=lambda at, of=place: (abs(at - of), at)) for place in range(len(made))]  # type: ignore[misc]
    return [made[at] or Division() for at in nearest]


def _division(line: LengthLine, per_byte: float, own: Sequence[Shown]) -> Division | None:
    """The shares of a range; None where nothing shows them."""
    shares: dict[Part, list[tuple[float, float]]] = {"slowest": [], "sender": [], "receiver": []}
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
    if sender is None and receiver is not None:
        faster = slowest is None or float(receiver[0]) > AS_SLOW * float(slowest[0])
        sender = 1 - receiver if faster or slowest is None else slowest
    if sender is None:
        sender = slowest if slowest is not None else np.full(DRAWS + 1, 0.5)
    sender = np.clip(sender, LEAST, MOST)
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


def wire_by_gaps(found: LengthLines, network: tuple[float, Floats], all_shown: Sequence[Shown]) -> tuple[float, Floats]:
    """Seconds per byte of the network, with draws: no more than the gap of long messages, which is the slowest part."""
    per_byte, draws = network
    long = [
        (each.seconds / each.length, each.sigma)
        for each in all_shown
        if (each.part == "slowest" or each.benchmark == "fan-in")
        and per_byte * each.length > LONG * line_of(found.lines, each.length).alpha
    ]
    if not long:
        return network
    values, sigmas = np.array(long).T
    middle = float(np.median(values))
    if middle >= per_byte / CLEAR:
        return network
    sigma = float(np.hypot(np.median(sigmas), np.std(values) / middle / np.sqrt(len(values))))
    return middle, middle * np.exp(sigma * np.random.default_rng(len(long)).standard_normal(len(draws)))


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
