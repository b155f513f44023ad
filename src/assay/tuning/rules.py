"""Rules of Open MPI's component `tuned`: which of its algorithms a collective takes, by ranks and length.

The file that `coll_tuned_dynamic_rules_filename` names has, for each collective, numbers of ranks, and for each of
these lengths with an algorithm; an entry holds from its own number on to the next one. A choice that a run shows to be
slower is replaced for its number of ranks, from its length to the next one that was measured; all else has algorithm 0,
the library's own decision. Source: Open MPI 5.0, ompi/mca/coll/tuned (coll_tuned_dynamic_file.c and the decision
functions); `ompi_info --param coll tuned --level 9` lists the algorithms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.document.choice import Choice
from assay.document.tuning import TunedRule


@dataclass(frozen=True)
class TunedCollective:
    """A collective of Open MPI: its number, algorithms by Assay's names; whether lengths count all ranks' blocks."""

    number: int
    algorithms: Mapping[str, int]
    all_blocks: bool = False


COLLECTIVES: Mapping[str, TunedCollective] = {
    "allgather": TunedCollective(0, {"linear": 1, "bruck": 2, "ring": 4}, all_blocks=True),
    "allreduce": TunedCollective(2, {"binomial": 2, "recursive-doubling": 3, "ring": 4, "rabenseifner": 6}),
    "alltoall": TunedCollective(3, {"linear": 1, "pairwise": 2, "bruck": 3}, all_blocks=True),
    "barrier": TunedCollective(6, {"linear": 1, "recursive-doubling": 3, "dissemination": 4, "binomial": 6}),
    "broadcast": TunedCollective(7, {"linear": 1, "binomial": 6, "scatter-allgather": 9}),
    "gather": TunedCollective(9, {"linear": 1, "binomial": 2}, all_blocks=True),
    "reduce": TunedCollective(11, {"linear": 1, "binomial": 5, "rabenseifner": 7}),
    "reduce-scatter": TunedCollective(13, {"recursive-halving": 3}),  # of equal blocks
    "scan": TunedCollective(14, {"linear": 1, "recursive-doubling": 2}),
    "scatter": TunedCollective(15, {"linear": 1, "binomial": 2}, all_blocks=True),
}
BARRIER = "barrier"


def rules(choices: Sequence[Choice]) -> tuple[list[TunedRule], list[str]]:
    """The rules for choices that are shown slower, after the correction of their family; and why others have none."""
    made: dict[tuple[str, int, int], TunedRule] = {}
    left = []
    for each in choices:
        if not each.slower:
            continue
        operation, ranks = str(each.params["operation"]), int(each.params["ranks"])
        known = COLLECTIVES.get(operation)
        name = f"{operation} of {each.params.get('bytes', 0)} B on {ranks} ranks"
        if each.params.get("call", "blocking") != "blocking" or each.params.get("skew"):
            left.append(f"{name}: rules are for blocking calls of ranks that enter at once")
        elif known is None:
            left.append(f"{name}: tuned decides it without regard to the length")
        elif each.best not in known.algorithms:
            left.append(f"{name}: Open MPI has no algorithm like {each.best}")
        else:
            rule = _rule(each, operation, ranks, known, choices)
            before = made.get((operation, ranks, rule.message))
            if before is None or rule.ratio > before.ratio:  # of several roots
                made[operation, ranks, rule.message] = rule
    return sorted(made.values(), key=lambda one: (COLLECTIVES[one.operation].number, one.ranks, one.message)), left


def _rule(of: Choice, operation: str, ranks: int, known: TunedCollective, choices: Iterable[Choice]) -> TunedRule:
    lengths = sorted(
        {
            _message(operation, int(each.params.get("bytes") or 0), ranks)
            for each in choices
            if each.params["operation"] == operation and each.params["ranks"] == ranks
        }
    )
    own = int(of.params.get("bytes") or 0)
    message = _message(operation, own, ranks)
    return TunedRule(
        operation=operation,
        ranks=ranks,
        bytes=own,
        message=message,
        below=next((each for each in lengths if each > message), None),
        algorithm=of.best,
        number=known.algorithms[of.best],
        ratio=of.ratio,
        ci95=of.ci95,
    )


def _message(operation: str, block: int, ranks: int) -> int:
    """The length by which the library decides."""
    if operation == BARRIER:
        return 0
    return block * ranks if COLLECTIVES[operation].all_blocks else block


def text(found: Sequence[TunedRule], heading: str) -> str:
    """The rules' file."""
    operations = list(dict.fromkeys(each.operation for each in found))
    lines = [f"# {heading}", f"{len(operations)} # collectives"]
    for operation in operations:
        own = [each for each in found if each.operation == operation]
        counts = sorted({each.ranks for each in own})
        sizes = sorted({1, *counts, *(count + 1 for count in counts)})
        lines += [f"{COLLECTIVES[operation].number} # {operation}", f"{len(sizes)} # numbers of ranks"]
        for ranks in sizes:
            entries = _entries([each for each in own if each.ranks == ranks])
            lines += [f"{ranks} # ranks and more", f"{len(entries)} # lengths"]
            lines += [f"{message} {number} 0 0 # {name}" for message, (number, name) in sorted(entries.items())]
    return "\n".join(lines) + "\n"


def _entries(found: Sequence[TunedRule]) -> dict[int, tuple[int, str]]:
    """By length from which it holds an algorithm's number and name; 0 is the library's own decision."""
    default = (0, "the library's own decision")
    entries = {0: default}
    for each in found:
        entries[each.message] = (each.number, each.algorithm)
        if each.below is not None:
            entries.setdefault(each.below, default)
    for each in found:  # a length where one rule ends may be where the next begins
        entries[each.message] = (each.number, each.algorithm)
    return entries
