"""Guidelines of collectives: the maximum cost of an operation relative to others that give the same or more.

An operation of p ranks is broken up into others that together do its work (a mock-up): a library whose own is slower
could have done it so. Lengths are those of `assay run collective`: n is a block, what a rank gives to each. A guideline
that needs a length which was not measured takes the nearest one that only makes it weaker: the work does not shrink
with the length, so the left side may be shorter and the right side longer.

Sources: Traeff, Gropp and Thakur 2010, Self-consistent MPI performance guidelines; Hunold and Carpen-Amarie 2018,
Autotuning MPI collectives using performance guidelines.
"""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Side:
    """An operation whose block is n bytes, or n for each rank (`whole`)."""

    operation: str
    whole: bool = False

    def block(self, n: int, ranks: int) -> int:
        """Give the block in bytes."""
        return n * ranks if self.whole else n


@dataclass(frozen=True)
class Guideline:
    """`left` is no slower than `right` one after the other."""

    left: Side
    right: tuple[Side, ...]


BARRIER = "barrier"
GUIDELINES = (
    Guideline(Side("reduce"), (Side("allreduce"),)),
    Guideline(Side("allreduce"), (Side("reduce"), Side("broadcast"))),
    Guideline(Side("allreduce", whole=True), (Side("reduce-scatter"), Side("allgather"))),
    Guideline(Side("reduce", whole=True), (Side("reduce-scatter"), Side("gather"))),
    Guideline(Side("reduce-scatter"), (Side("reduce", whole=True), Side("scatter"))),
    Guideline(Side("reduce-scatter"), (Side("allreduce", whole=True),)),
    Guideline(Side("gather"), (Side("allgather"),)),
    Guideline(Side("gather"), (Side("reduce", whole=True),)),
    Guideline(Side("allgather"), (Side("gather"), Side("broadcast", whole=True))),
    Guideline(Side("allgather"), (Side("alltoall"),)),
    Guideline(Side("allgather"), (Side("allreduce", whole=True),)),
    Guideline(Side("scatter"), (Side("broadcast", whole=True),)),
    Guideline(Side("broadcast", whole=True), (Side("scatter"), Side("allgather"))),
    Guideline(Side("barrier"), (Side("allreduce"),)),
)


@dataclass(frozen=True)
class Mockup:
    """One test: the operation and block of the left side, and those of the right: `repeated` times one after another.

    `kind`: instead (other operations do its work), longer (the same with a longer block) or split (the same with a
    shorter block, several times).
    """

    kind: str
    operation: str
    block: int
    right: tuple[tuple[str, int], ...]
    repeated: int = 1


def mockups(measured: Mapping[str, set[int]], ranks: int) -> Iterator[Mockup]:
    """Give every test that the blocks measured of each operation allow; a barrier's block is any one number.

    Lengths between the measured ones are replaced by the next shorter one on the left and the next longer one on the
    right; each pair of sides occurs once, with the least weakening.
    """
    for rule in GUIDELINES:
        yield from _instead(rule, measured, ranks)
    for operation, blocks in measured.items():
        if operation == BARRIER:
            continue
        ordered = sorted(blocks)
        for short, long in itertools.pairwise(ordered):
            yield Mockup("longer", operation, short, ((operation, long),))
            yield Mockup("split", operation, long, ((operation, short),), -(-long // short))


def _instead(rule: Guideline, measured: Mapping[str, set[int]], ranks: int) -> Iterator[Mockup]:
    sides = (rule.left, *rule.right)
    every = {n // (ranks if side.whole else 1) for side in sides for n in measured.get(side.operation, ())}
    left = measured.get(rule.left.operation, set())
    by_left: dict[int, Mockup] = {}
    for n in sorted(every - {0}, reverse=True):  # the last one for a block on the left has the shortest right side
        right = []
        for side in rule.right:
            enough = [each for each in measured.get(side.operation, ()) if each >= side.block(n, ranks)]
            right += [(side.operation, min(enough))] if enough else []
        known = left if rule.left.operation == BARRIER else {each for each in left if each <= rule.left.block(n, ranks)}
        if known and len(right) == len(rule.right):
            by_left[max(known)] = Mockup("instead", rule.left.operation, max(known), tuple(right))
    by_right = {each.right: each for _, each in sorted(by_left.items())}  # of one right side the longest left one
    yield from by_right.values()
