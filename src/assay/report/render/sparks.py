"""Values over time in one line of text: a bar for each."""

from __future__ import annotations

from collections.abc import Sequence

BARS = "▁▂▃▄▅▆▇█"


def spark(values: Sequence[float | None], width: int) -> str:
    """Draw the last `width` values, each from 0 to 1, as bars; a missing one as a gap."""
    tops = [None if v is None else min(1.0, max(0.0, v)) for v in values[-width:]]
    return "".join(" " if v is None else BARS[min(len(BARS) - 1, int(v * len(BARS)))] for v in tops)
