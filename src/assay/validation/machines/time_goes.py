"""Where a message's time goes on each described machine: start-up, copying, waiting, transport, protocol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.document.grid import Grid, grid
from assay.published.cells.answers import Played

KINDS = ("startup", "copying", "waiting", "transport", "protocol")
CASES = (8, 1024, 8192)  # B, echo between neighbours


def time_goes(answers: Played, machines: Sequence[str]) -> Grid:
    """A table by machine and length, microseconds per message; no rows where the simulator gives no account."""
    rows = []
    for machine in machines:
        for size in CASES:
            found = answers.account(machine, "echo", bytes=(size,), partner=1)
            if found:
                total = sum(found.get(kind, 0.0) for kind in KINDS)
                parts = (f"{1e6 * found.get(kind, 0.0):.4g}" for kind in KINDS)
                rows.append((machine, f"{size}", *parts, f"{1e6 * total:.4g}"))
    note = (
        "Protocol: the receiver's processor, and request and reply before the data. Of packets one behind the other "
        "each counts until it has left, the last until all are there: the sum is half the round trip."
    )
    headings = ("machine", "bytes", *KINDS, "sum")
    return grid("Where the time goes: echo between neighbours, us per message", headings, rows, note)


def where(answers: Played, machines: Sequence[str]) -> Iterator[str]:
    """The page's section."""
    made = time_goes(answers, machines)
    if made.rows:
        yield "## Where the time goes\n"
        yield made.markdown()
