"""What separates a cell from the cells that a model was fitted to, and which kind of number its prediction is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from assay.case import Case
from assay.document.model_prediction import Transfer
from assay.kinds import NumberKind
from assay.prediction.subjects import LENGTH, Subject

Group = tuple[str, str, Case]  # benchmark, figure, all parameters but length and ranks
BESIDE = (LENGTH, "ranks")


class UsedCells:
    """The cells that a model was fitted to, by what they have in common with others."""

    def __init__(self, used: Iterable[Subject]) -> None:
        """Group them."""
        self.keys: set[tuple[str, str, Case]] = set()
        self.ranks: set[int | None] = set()
        self.benchmarks: set[str] = set()
        self.alike: dict[Group, list[Subject]] = defaultdict(list)
        for each in used:
            self.keys.add(each.key)
            self.ranks.add(each.ranks)
            self.benchmarks.add(each.figure.benchmark)
            self.alike[_group(each)].append(each)

    def siblings(self, of: Subject) -> list[Subject]:
        """The others that differ from a cell in nothing but the length."""
        return [each for each in self.alike.get(_group(of), ()) if each.ranks == of.ranks and each.key != of.key]

    def transfer(self, of: Subject) -> Transfer:
        """The class of a cell that was not used; "another run" where a used cell is the same but for the run."""
        if of.key in self.keys:
            return "another run"
        if self.siblings(of):
            return "other length"
        if _group(of) in self.alike:
            return "other number of ranks"
        if of.figure.benchmark in self.benchmarks:
            return "other parameters"
        return "other benchmark" if of.ranks in self.ranks else "other benchmark and ranks"


def kind_of(of: Subject, transfer: Transfer, siblings: Sequence[Subject]) -> NumberKind:
    """The kind of a prediction (method.md, rule 13): inside the used lengths it is interpolated."""
    if transfer == "fitted":
        return NumberKind.FITTED
    if transfer == "another run":
        return NumberKind.INTERPOLATED
    if transfer == "other length":
        lengths = [each.length for each in siblings if each.length is not None]
        inside = of.length is not None and bool(lengths) and min(lengths) <= of.length <= max(lengths)
        return NumberKind.INTERPOLATED if inside else NumberKind.EXTRAPOLATED
    if transfer in ("other number of ranks", "other parameters"):
        return NumberKind.EXTRAPOLATED
    return NumberKind.TRANSFERRED


def _group(of: Subject) -> Group:
    benchmark, figure, case = of.key
    return benchmark, figure, case.without(BESIDE)
