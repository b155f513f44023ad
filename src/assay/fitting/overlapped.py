"""How a library's messages progress while their ranks compute, by the benchmark overlap.

An exchange that a loop of the same length hides goes on without the processor. One that takes as long as both alone
does not: a library that gives a long message's data away once the other side has answered, and answers only inside of
its calls. So ranges of lengths whose exchanges are not hidden begin with a request and a reply, and `progress.kind` is
"calls".
Messages of which the processors' own part is the larger one show nothing of this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.document.reported_figure import ReportedFigure
from assay.fitting.length_lines import LengthLines
from assay.fitting.shown_parts import line_of

HIDDEN = 0.5  # of the exchange, that a loop hides: as good as all or nothing


@dataclass(frozen=True)
class Progress:
    """`kind` of [progress]; of each range whether its messages begin with a request; `hidden`: the share by length."""

    kind: str
    requests_first: tuple[bool, ...]
    hidden: dict[float, float]


def progress(overlap: Mapping[str, Sequence[ReportedFigure]], found: LengthLines, per_byte: float) -> Progress | None:
    """What the chosen cells of the benchmark overlap show; None without any. `per_byte`: the network's, s/B."""
    hidden: dict[float, float] = {}
    values = {
        name: {float(each.params.get("bytes") or 0): each.shown for each in of if each.shown and each.state != "bound"}
        for name, of in overlap.items()
    }
    for length, together in values.get("together", {}).items():
        alone, loop = values["communicating"].get(length), values["computing"].get(length)
        line = line_of(found.lines, length)
        if alone and loop and together and per_byte * length > HIDDEN * (line.alpha + line.beta * length):
            hidden[length] = (alone + loop - together) / min(alone, loop)
    if not hidden:
        return None
    requests = [line.crossings > 1 for line in found.lines]
    for at, line in enumerate(found.lines):
        own = [share for length, share in hidden.items() if line_of(found.lines, length) is line]
        if own and sum(own) / len(own) < HIDDEN:
            requests[at] = True
    calls = any(share < HIDDEN for share in hidden.values())
    return Progress("calls" if calls else "hardware", tuple(requests), hidden)
