"""What a figure of a described machine could be at most (or least), by the numbers of its description.

The same keys as of a measured machine (`judge/bounds.py`), each with what it means where nothing but messages exists:
start-ups and receipts are processor time that nothing overlaps, and channels carry so many bytes per second
(`described/limits.py`). No bound says how much of it a program could reach.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from pydantic import ValidationError

from assay.document.json_form import from_json
from assay.document.message_limits import MessageLimits, ProtocolLimits
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document

STEPS: Mapping[str, Callable[[int], int]] = {
    "hardware": lambda ranks: 1,
    "dissemination": lambda ranks: math.ceil(math.log2(ranks)),
    "tree": lambda ranks: 2 * math.ceil(math.log2(ranks)),
    "tree-exchange": lambda ranks: 2 * math.ceil(math.log2(ranks)) - 1,
    "linear": lambda ranks: ranks,
}


def message_steps(document: Document, figure: ReportedFigure) -> tuple[float, str] | None:
    """Seconds that a message takes of the two processors; a barrier's by the machine's own steps, or by messages.

    Of messages, what one rank knows is known after k start-ups to 2^k ranks at most (each that knows it sends), and the
    last one has it received: ceil(log2 ranks) start-ups and a receipt bound every barrier of messages. Ranks that share
    a node have other messages within it, and none is given.
    """
    limits, ranks = _limits(document), int(figure.params.get("ranks") or 2)
    if limits is None or ranks < 2:
        return None
    own = limits.barrier
    if own and figure.params.get("algorithm"):
        steps = STEPS[own.algorithm](ranks)
        return steps * own.step, f"{_several(steps, 'step')} of the machine's own barrier ({own.algorithm})"
    protocol = _protocol(limits, figure)
    if protocol is None or _share_nodes(document, limits, figure):
        return None
    count = math.ceil(math.log2(ranks))
    return count * protocol.startup + protocol.receive, f"{_several(count, 'start-up')} and a receipt"


def message_rate(document: Document, figure: ReportedFigure) -> tuple[float, str] | None:
    """Messages per second: each pair's processors have a start-up or a receipt of each, whichever is longer."""
    limits, pairs = _limits(document), figure.params.get("pairs")
    protocol = None if limits is None or not pairs else _protocol(limits, figure)
    longest = 0.0 if protocol is None else max(protocol.startup, protocol.receive)
    if not pairs or not longest:
        return None
    assert protocol is not None
    what = "start-up" if longest == protocol.startup else "receipt"
    return pairs / longest, f"a {what} per message of each of {_several(int(pairs), 'pair')}"


def byte_rate(document: Document, figure: ReportedFigure) -> tuple[float, str] | None:
    """B/s of the slowest part of its way that each byte of a message crosses."""
    limits = _limits(document)
    return None if limits is None or not limits.rate else (limits.rate, f"what {limits.rate_by} carries")


def not_slowed(document: Document, figure: ReportedFigure) -> tuple[float, str] | None:
    """Of a slowdown, on any machine: what others do at best leaves a time as it is."""
    return 1.0, "not slowed at all"


def _limits(document: Document) -> MessageLimits | None:
    """What the description allows at best; None where a run of an older version does not say it, or it is damaged."""
    stated = next((facts.limits for facts in document.provenance.values() if facts.limits), None)
    try:
        return None if stated is None else from_json(MessageLimits, stated)
    except ValidationError:
        return None


def _share_nodes(document: Document, limits: MessageLimits, figure: ReportedFigure) -> bool:
    """Whether some of a case's ranks are on one node: as many as were asked for, or as the ranks of the run need."""
    of_run = [each for each in document.benchmarks if each.benchmark == figure.benchmark]
    asked_for = figure.params.get("ppn") or next((each.ppn for each in of_run), None)
    if asked_for:
        return int(asked_for) > 1
    ranks = max((int(each.params.get("ranks") or 0) for of in of_run for each in of.figures), default=0)
    return limits.per_node > 1 or (limits.nodes is not None and ranks > limits.nodes)


def _protocol(limits: MessageLimits, figure: ReportedFigure) -> ProtocolLimits | None:
    """The protocol of messages as long as the figure's; a barrier's are empty."""
    length = figure.params.get("bytes") or 0
    fitting = (each for each in limits.protocols if each.up_to is None or length <= each.up_to)
    return next((each for each in fitting if each.startup + each.receive > 0), None)


def _several(count: int, noun: str) -> str:
    return f"{'one' if count == 1 else count} {noun}{'s' * (count != 1)}"


DESCRIBED_BOUNDS: dict[str, Callable[[Document, ReportedFigure], tuple[float, str] | None]] = {
    "line_transfers": message_steps,
    "copy_rate": byte_rate,
    "start_ups": message_rate,
    "not_slowed": not_slowed,
}
