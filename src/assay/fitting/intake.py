"""Whether the receiver's processor moves in what comes (`node.intake`), by gaps that are longer than any part alone.

Where an interface moves it in, the gap of messages is the slowest part's, no more than the network's or all that the
processors spend. Where the processor does, it can do its own part of a receive only before or after:

    gap(N) = wire N + receive

So a clear rest above both is the processor's. One message alone takes the same time either way.

The processor also answers requests, where messages ask first. A blocking send returns then once the answer has come and
the data have left, so that the sender's time and the receiver's add up to more than the message alone takes, by what
both have of the answer: that is `progress.interrupt`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assay.fitting.divisions import Division, of_nearest
from assay.fitting.length_lines import LengthLine, LengthLines
from assay.fitting.resampled import DRAWS
from assay.fitting.shown_parts import Shown, line_of

Floats = NDArray[np.float64]
Drawn = tuple[float, Floats]
SURE = 3.0  # standard deviations of the rest of some cell
ALL = 0.9  # of all that is not the network's part: a gap with more of it is the sender's, which then does all
TWICE = 0.1  # of a message's constant part, by which sender and receiver have more than that


@dataclass(frozen=True)
class TakenIn:
    """The divisions with what the receiver takes; by range whether a request goes first; seconds of an answer."""

    divisions: list[Division]
    requests_first: list[bool]
    interrupt: Drawn | None


def taken_in(
    found: LengthLines, network: Drawn, divided: Sequence[Division], all_shown: Sequence[Shown]
) -> TakenIn | None:
    """What shows that the receiver's processor moves in what comes; None where nothing does."""
    per_byte = network[0]
    unsure = float(np.std(network[1])) / per_byte
    streams = [each for each in all_shown if each.benchmark != "loggp" and each.part in ("slowest", "receiver")]
    rests, shares = [], []
    for each in streams:
        way, line = per_byte * each.length, line_of(found.lines, each.length)
        if line.determined:
            sigma = float(np.hypot(each.noise * each.seconds, unsure * way))
            whole = _constant(line, per_byte, each.length)
            shares.append(((each.seconds - way) / whole, each.noise * each.seconds / whole))
            rests.append((each.seconds - max(way, _constant(line, per_byte, each.length)), sigma))
    clear = [(rest, sigma) for rest, sigma in rests if rest > 0]
    share, unsure_of_share = np.array(shares).T if shares else (np.ones(1), np.ones(1))
    if not clear or float(np.average(share, weights=unsure_of_share**-2)) > ALL:
        return None
    if max(rest / sigma for rest, sigma in clear) < SURE:
        return None
    # The shortest messages wait for no answer, so that a burst of blocking sends has the same gap as a stream.
    bursts = [each for each in all_shown if each.benchmark == "loggp" and each.part == "slowest"]
    received = [
        _middle(_rests(line, found, per_byte, [*streams, *bursts] if _plain(found, at) else streams), at)
        for at, line in enumerate(found.lines)
    ]
    rows = list(zip(found.lines, received, strict=True))
    answers = [_answers(line, found, per_byte, all_shown, of_line) for line, of_line in rows]
    requests_first: list[bool] = []
    for line, of in zip(found.lines, answers, strict=True):  # longer than one with a request: one too
        requests_first.append(line.crossings > 1 or _clear(line, per_byte, of) or any(requests_first))
    requests_first[0] = not _plain(found, 0)  # one range shows nothing
    sure = [each for of, requests in zip(answers, requests_first, strict=True) if requests for each in of]
    interrupt = _middle(sure, len(sure))
    if interrupt is None and any(requests_first) and not all(requests_first):
        known = [(each[0], first) for each, first in zip(received, requests_first, strict=True) if each is not None]
        longer = [each for each, first in known if first]
        plain = [each for each, first in known if not first]
        if longer and plain and min(longer) > plain[-1]:
            interrupt = _middle([(min(longer) - plain[-1], 0.1 * min(longer))], 0)
    made: list[Division | None] = []
    for found_receive, requests, share in zip(received, requests_first, divided, strict=True):
        if found_receive is None:
            made.append(None)
            continue
        own, draws = found_receive
        beside: Floats | None = None
        if requests and interrupt is not None:
            own, draws = max(own - interrupt[0], 0.05 * own), np.maximum(draws - interrupt[1], 0.05 * draws)
            beside = interrupt[1] - interrupt[0]
        made.append(replace(share, receive=(own, draws), answer=beside, known=share.known or "message-rate"))
    return TakenIn(of_nearest(made), requests_first, interrupt)


def _plain(found: LengthLines, at: int) -> bool:
    """Whether no request surely goes before a range's messages: the shortest, as far as hops do not show one."""
    return at == 0 and found.lines[0].crossings == 1


def _constant(line: LengthLine, per_byte: float, length: float) -> float:
    """What a message takes (s) besides the network's part: all that processors and the way spend."""
    return line.alpha + max(line.beta - per_byte, 0.0) * length


def _rests(line: LengthLine, found: LengthLines, per_byte: float, of: Sequence[Shown]) -> list[tuple[float, float]]:
    """What of each gap in a range is not the network's, with its standard deviation (s)."""
    if not line.determined:
        return []
    own = [each for each in of if line_of(found.lines, each.length) is line]
    return [(each.seconds - per_byte * each.length, each.sigma * each.seconds) for each in own]


def _answers(
    line: LengthLine, found: LengthLines, per_byte: float, of: Sequence[Shown], received: Drawn | None
) -> list[tuple[float, float]]:
    """Seconds that both the sender's and the receiver's time have of an answer, with their deviations, by length."""
    if received is None or not line.determined:
        return []
    unsure = float(np.std(received[1]))
    return [
        (
            each.seconds - per_byte * each.length + received[0] - _constant(line, per_byte, each.length),
            float(np.hypot(each.sigma * each.seconds, unsure)),
        )
        for each in of
        if each.part == "sender" and line_of(found.lines, each.length) is line
    ]


def _clear(line: LengthLine, per_byte: float, answers: Sequence[tuple[float, float]]) -> bool:
    """Whether there surely is an answer in a range's messages."""
    if not answers:
        return False
    both, sigma = np.array(answers).T
    weights = 1 / sigma**2
    middle = float((weights * both).sum() / weights.sum())
    return middle > SURE / np.sqrt(weights.sum()) and middle > TWICE * _constant(line, per_byte, line.least)


def _middle(own: Sequence[tuple[float, float]], at: int) -> Drawn | None:
    """The mean of some rests by their weights, with draws; None without any, or where it is not above 0."""
    if not own:
        return None
    rest, sigma = np.array(own).T
    weights = 1 / sigma**2
    middle = float((weights * rest).sum() / weights.sum())
    if middle <= 0:
        return None
    deviation = float(1 / np.sqrt(weights.sum()))
    if len(rest) > 1:
        deviation = max(deviation, float(np.sqrt((weights * (rest - middle) ** 2).sum() / weights.sum() / len(rest))))
    random = np.random.default_rng((at, len(rest)))
    return middle, np.maximum(middle + deviation * random.standard_normal(DRAWS), 0.05 * middle)
