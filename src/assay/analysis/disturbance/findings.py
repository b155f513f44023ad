"""What the rules have found, and how they say it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.analysis.disturbance.block import Block
from assay.analysis.result import Result


@dataclass(frozen=True)
class Reason(Result):
    """One finding.

    The `rule`, a sentence in plain words, the launches and cases it touches, the share of blocks marked.
    """

    rule: str
    text: str
    launches: tuple[int, ...]
    share: float


@dataclass
class Findings:
    """What the rules have found so far: reasons, marked blocks, and blocks in which processors were contended for."""

    blocks: Sequence[Block]
    reasons: list[Reason] = field(default_factory=list)
    marked: set[int] = field(default_factory=set)
    contended: set[int] = field(default_factory=set)

    def add(self, rule: str, text: str, indices: Sequence[int], mark: bool = True) -> None:
        """Add one finding over the blocks of these indices; `mark` them unless it speaks of no single block."""
        launches = tuple(sorted({self.blocks[i].launch for i in indices}))
        self.reasons.append(Reason(rule, text, launches, len(set(indices)) / len(self.blocks)))
        if mark:
            self.marked.update(indices)
