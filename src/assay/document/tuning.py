"""What `assay tune` answers: the rules that it wrote, and the same operations measured without and with them."""

from __future__ import annotations

from dataclasses import dataclass

from assay.document.comparison import FigureRow, JudgedRow


@dataclass(frozen=True, kw_only=True)
class TunedRule:
    """One choice that was shown slower, replaced: `number` is the library's own of the `algorithm`.

    `message` is the length by which the library decides; the rule holds from there to `below` (None: without an end) on
    `ranks` ranks. `ratio` is the choice's time over the algorithm's in the run, with its interval.
    """

    operation: str
    ranks: int
    bytes: int
    message: int
    below: int | None
    algorithm: str
    number: int
    ratio: float
    ci95: list[float] | None


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """`assay tune`. `rules` are in `file`; `left`: choices that were shown slower and have
    no rule, and why. `remeasured`: the run in which the library was measured without and with the file, in turn, in so
    many `launches` of each, None where there is no rule; `rows` compare them by case, ratios with over without.
    """

    run: str
    library: str
    file: str
    rules: list[TunedRule]
    left: list[str]
    launches: int
    via: str | None
    remeasured: str | None
    rows: list[JudgedRow | FigureRow]
