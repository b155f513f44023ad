"""The readings of one benchmark, block by block: read once, for figures, disturbance and variance alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from assay.analysis.figures import Cell, cells

_BLOCKS = """
    SELECT s.metric, s.case, s.host, s.launch, s.attempt, s.block, s.first, max(s.batch),
        list(s.value ORDER BY s.repetition)
    FROM samples s JOIN launches l USING (benchmark, launch, attempt, host)
    WHERE s.benchmark = ? AND l.complete
    GROUP BY ALL ORDER BY s.launch, min(s.t), s.block, s.first DESC
"""


@dataclass(frozen=True)
class Readings:
    """The readings of one block, in the metric's SI unit, in order of time; `first`: the first call, kept apart."""

    metric: str
    case: str
    host: str
    launch: int
    attempt: int
    block: int
    first: bool
    batch: int
    values: list[float]

    @property
    def key(self) -> tuple[str, str, str, int, int, int]:
        """What names a block of a benchmark."""
        return self.metric, self.case, self.host, self.launch, self.attempt, self.block


def readings(connection: Any, benchmark: str) -> list[Readings]:
    """Give the blocks of a benchmark's complete launches, in order of launch and time."""
    rows = connection.execute(_BLOCKS, [benchmark]).fetchall()
    return [Readings(*row) for row in rows]


def gathered(found: Sequence[Readings]) -> list[Cell]:
    """Gather blocks into the cells that figures are made from."""

    def rows() -> Iterator[tuple[Any, ...]]:
        for of in found:
            for value in of.values:
                yield of.metric, of.case, of.host, of.launch, value, of.batch, of.first

    return cells(rows())
