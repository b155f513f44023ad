"""What a contract has measured, fixed before the first launch: benchmarks, cases, launches and when it is looked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from assay.analysis.acceptance import launches_needed
from assay.analysis.spending import looks_of
from assay.decide.contract import Contract, Requirement
from assay.decide.contract_verdict import levels_of_test
from assay.errors import InputError


@dataclass(frozen=True)
class PlannedBenchmark:
    """One benchmark: the settings that give its requirements' cases, and after how many launches it is looked."""

    name: str
    settings: Mapping[str, str]
    looks: tuple[int, ...]

    def to_dict(self) -> dict[str, object]:
        """Give it as plain data."""
        return {"benchmark": self.name, "settings": dict(self.settings), "looks": list(self.looks)}


def plan_contract(contract: Contract, nodes: int, launches: int | None = None) -> tuple[PlannedBenchmark, ...]:
    """Plan each benchmark on `nodes` nodes; `launches`: at most so many, in the place of those that the risks need.

    InputError at the line of a requirement that needs too many launches, or whose case contradicts another one's.
    """
    by_benchmark: dict[str, list[tuple[int, Requirement]]] = defaultdict(list)
    for at, each in enumerate(contract.requirements):
        by_benchmark[each.record.name].append((at, each))
    made = []
    for name, of in by_benchmark.items():
        most = launches or max(_needed(contract, at, each, _tests(each, nodes)) for at, each in of)
        made.append(PlannedBenchmark(name, _settings(contract, of), looks_of(most)))
    return tuple(made)


def _tests(requirement: Requirement, nodes: int) -> int:
    """How many tests a requirement has: one on each node; of parts as many as there may be, at least of two nodes."""
    if not requirement.parts:
        return nodes if requirement.record.kind == "node" else 1
    ranks = max(2, nodes)
    tree = requirement.switches
    switches = ranks if tree is None else len({*tree.switch_of.values(), *tree.upper.values()})
    most = {"links": 2 * switches, "switches": switches, "nodes": 3 * ranks, "pairs": ranks * (ranks - 1) // 2}
    return sum(most[name] for name in requirement.parts)


def _needed(contract: Contract, at: int, requirement: Requirement, nodes: int) -> int:
    buyer, vendor = levels_of_test(contract, requirement, nodes)
    risks = (vendor, contract.buyer)  # all requirements on all nodes together are to be accepted
    # a part that is as fast as others is below its limit by no more than that
    shortfall = min(requirement.indifference, requirement.limit) if requirement.parts else requirement.indifference
    try:
        return launches_needed(requirement.spread, shortfall, buyer, vendor, risks)
    except ValueError as error:
        keys = ("requirement", at, "indifference")
        accepted = "more, or a smaller spread of launches"
        value = requirement.indifference
        problem = f"a shortfall of {value:.3g} needs {error} that differ by {requirement.spread:.3g}"
        raise contract.source.error(keys, problem, value=value, accepted=accepted) from None


def _settings(contract: Contract, of: list[tuple[int, Requirement]]) -> dict[str, str]:
    """The values of each parameter that the cases of one benchmark state, with commas between."""
    found: dict[str, str] = {}
    record = of[0][1].record
    for key in dict.fromkeys(key for _, each in of for key in each.case if key in record.parameters):
        lacking = next((at for at, each in of if key not in each.case), None)
        if lacking is not None:
            problem = f"has no {key}, which another requirement of {record.name} sets"
            raise contract.source.error(("requirement", lacking, "case"), problem, accepted=f"a case with {key}")
        found[key] = ",".join(dict.fromkeys(str(each.case[key]) for _, each in of))
        try:
            record.settings({key: found[key]})
        except InputError:
            keys = ("requirement", of[-1][0], "case", key)
            accepted = "the same value in each requirement, as one launch has only one"
            problem = f"is another value than in another requirement of {record.name}"
            raise contract.source.error(keys, problem, value=of[-1][1].case[key], accepted=accepted) from None
    return found
