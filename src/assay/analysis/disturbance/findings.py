"""What the rules have found: reasons in words, marked blocks, and how far each block can have been moved."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from assay.analysis.disturbance.block import AccountedBlock, Floats
from assay.analysis.result import AnalysisResult


@dataclass(frozen=True)
class Reason(AnalysisResult):
    """One finding.

    The `rule`, a sentence with the finding, the launches it touches, the share of the host's blocks, the
    greatest `amount` (in the rule's own unit), from when to when (Unix s), the host, and the indices of its `blocks`.
    """

    rule: str
    text: str
    launches: tuple[int, ...]
    share: float
    amount: float = 0.0
    begin: float = 0.0
    end: float = 0.0
    host: str = ""
    blocks: tuple[int, ...] = field(default=(), repr=False)


@dataclass
class Events:
    """Of each block (n,): the `share` of its readings that events of one kind met, how much `longer` each can be."""

    share: Floats
    longer: Floats


class Findings:
    """What the rules have found so far on one host.

    `reasons` mark blocks or speak of all; `remainder` are reasons that mark none and that only a figure has which they
    moved. `marked` and `contended` are sets of indices; `events` gives by kind what can have met the readings of each
    block; the arrays `even_low` and `even_high` (n,) by how much all readings of it can have been moved (relative).
    """

    def __init__(self, blocks: Sequence[AccountedBlock]) -> None:
        """Start with nothing found of these blocks."""
        self.blocks = blocks
        self.reasons: list[Reason] = []
        self.remainder: list[Reason] = []
        self.marked: set[int] = set()
        self.contended: set[int] = set()
        self.events: dict[str, Events] = {}
        self.even_low: Floats = np.zeros(len(blocks))
        self.even_high: Floats = np.zeros(len(blocks))

    def add(self, rule: str, text: str, indices: Sequence[int], mark: bool = True, amount: float = 0.0) -> None:
        """Add one finding over the blocks of these indices; `mark` them unless it speaks of no single block."""
        self.reasons.append(self._reason(rule, text, indices, amount))
        if mark:
            self.marked.update(indices)

    def remain(self, rule: str, text: str, indices: Sequence[int], amount: float) -> None:
        """Add a finding of what is too little to mark blocks."""
        self.remainder.append(self._reason(rule, text, indices, amount))

    def _reason(self, rule: str, text: str, indices: Sequence[int], amount: float) -> Reason:
        which = tuple(sorted(set(indices)))
        of = [self.blocks[i] for i in which]
        launches = tuple(sorted({block.launch for block in of}))
        begin, end = min(block.t0 for block in of), max(block.t1 for block in of)
        share = len(which) / len(self.blocks)
        return Reason(rule, text, launches, share, amount, begin, end, of[0].host, which)

    def met(self, kind: str, indices: Sequence[int], share: Sequence[float], longer: float) -> None:
        """Record that events met such a `share` of each block's readings, which can each be so much `longer`.

        Several accounts of one `kind` are the same event: the greater counts. Kinds multiply.
        """
        n = len(self.blocks)
        of = self.events.setdefault(kind, Events(np.zeros(n), np.zeros(n)))
        which = list(indices)
        of.share[which] = np.maximum(of.share[which], np.minimum(1.0, share))
        of.longer[which] = np.maximum(of.longer[which], longer)

    def evenly(self, indices: Sequence[int], low: float, high: float) -> None:
        """Record that all readings of these blocks can have been moved by `low` (at most 0) to `high`."""
        which = list(indices)
        self.even_low[which] = (1 + self.even_low[which]) * (1 + min(low, 0.0)) - 1
        self.even_high[which] = (1 + self.even_high[which]) * (1 + max(high, 0.0)) - 1
