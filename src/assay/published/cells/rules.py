"""Where the rules of published benchmarks are registered: how a cell finds its simulated twin (`twins`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay.machine.catalogue import PublishedCell
from assay.published.cells.answers import Answers

Pairs = list[tuple[PublishedCell, float]]
Rule = Callable[[Answers, str, Sequence[PublishedCell]], Pairs]
RULES: dict[str, Rule] = {}


def rule(*benchmarks: str) -> Callable[[Rule], Rule]:
    """Register a rule for published benchmarks."""

    def keep(made: Rule) -> Rule:
        RULES.update(dict.fromkeys(benchmarks, made))
        return made

    return keep
