"""Verdicts of a contract: of each requirement on each node, of each requirement, and of the whole.

A contract is accepted where all its requirements are, so that the buyer's risk needs no share-out among them; it is
rejected where one is, so that each test has its part of the vendor's. Of n nodes k must meet the limit: to be accepted
wrongly, one of at least n - k + 1 that miss it must be, and each test has that part of the buyer's risk.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.analysis.acceptance import AcceptancePlan, AcceptanceVerdict
from assay.analysis.intervals import median_interval
from assay.case import Case
from assay.decide.contract import Contract, Requirement
from assay.decide.evidence import NodeEvidence
from assay.document.acceptance import NodeVerdict, RequirementVerdict
from assay.document.reported_figure import Moved, ReportedFigure

ACCEPTED, REJECTED, NOT_SHOWN = (verdict.value for verdict in AcceptanceVerdict)
INTERVAL = 0.95


def needed_of(share: float, nodes: int) -> int:
    """How many nodes must meet the limit."""
    return max(1, math.ceil(share * nodes - 1e-9))


def levels_of_test(contract: Contract, requirement: Requirement, nodes: int) -> tuple[float, float]:
    """The buyer's and the vendor's level of the test of one requirement on one of `nodes`."""
    buyer = contract.buyer / (nodes - needed_of(requirement.share, nodes) + 1)
    return buyer, contract.vendor / (len(contract.requirements) * nodes)


def judged_requirement(
    contract: Contract, requirement: Requirement, found: Sequence[NodeEvidence], looks: tuple[int, ...] | None = None
) -> RequirementVerdict:
    """Judge a requirement by what was measured; `looks` None: the launches that there are, at one look."""
    buyer, vendor = levels_of_test(contract, requirement, len(found))
    nodes = [_of_node(requirement, each, looks, buyer, vendor) for each in found]
    needed = needed_of(requirement.share, len(nodes))
    accepted, rejected = (sum(node.verdict == each for node in nodes) for each in (ACCEPTED, REJECTED))
    verdict = NOT_SHOWN
    if accepted >= needed:
        verdict = ACCEPTED
    elif rejected > len(nodes) - needed:
        verdict = REJECTED
    of = _deciding(nodes, requirement.higher, needed)
    reason = None if verdict == ACCEPTED else _reason(nodes, verdict)
    return RequirementVerdict(
        name=requirement.name,
        verdict=verdict,
        value=of.value,
        interval=of.interval,
        limit=requirement.limit,
        launches=of.launches,
        nodes=nodes,
        benchmark=requirement.record.name,
        figure=requirement.figure.name,
        params=Case(requirement.case),
        unit=requirement.figure.unit,
        better=requirement.figure.better,
        share=requirement.share,
        indifference=requirement.indifference,
        reason=reason,
        parts=[*requirement.parts] or None,
    )


def whole_verdict(requirements: Sequence[RequirementVerdict]) -> str:
    """The verdict of the contract."""
    verdicts = {each.verdict for each in requirements}
    if REJECTED in verdicts:
        return REJECTED
    return ACCEPTED if verdicts == {ACCEPTED} else NOT_SHOWN


def _of_node(
    requirement: Requirement, found: NodeEvidence, looks: tuple[int, ...] | None, buyer: float, vendor: float
) -> NodeVerdict:
    figure = found.figure
    if figure is None or figure.state == "invalid":
        state, launches = (None, 0) if figure is None else (figure.state, figure.launches)
        reason = found.note or "has no valid value"
        return NodeVerdict(found.node, NOT_SHOWN, None, None, launches, 0, state, reason)
    values = launch_values(figure)
    meets = [_meets(value, requirement.limit, requirement.higher) for value in values]
    met = sum(meets)
    plan = AcceptancePlan(looks or (max(1, len(values)),), buyer, vendor)
    why = found.note
    if found.note is not None:
        verdict = judged_in_doubt(figure, requirement.limit, higher=requirement.higher, plan=plan)
    elif found.exact:
        verdict = AcceptanceVerdict.ACCEPTED if met == len(values) else AcceptanceVerdict.REJECTED
    else:
        verdict = plan.decide(meets)
    if why is None and verdict is not AcceptanceVerdict.ACCEPTED:
        why = f"{met} of {len(values)} launches met the limit"
    bracket = (values[0], values[0]) if found.exact else median_interval(values, INTERVAL)
    interval = None if bracket is None or figure.state == "bound" else list(bracket)
    return NodeVerdict(found.node, verdict.value, figure.shown, interval, len(values), met, figure.state, why)


def judged_in_doubt(figure: ReportedFigure, limit: float, *, higher: bool, plan: AcceptancePlan) -> AcceptanceVerdict:
    """Reject what misses the limit even where the disturbance did its most; accept nothing."""
    best = [most_favourable(value, higher, figure.disturbance) for value in launch_values(figure)]
    known = [value for value in best if value is not None]
    verdict = plan.decide([_meets(value, limit, higher) for value in known])
    shown = len(known) == len(best) and verdict is AcceptanceVerdict.REJECTED
    return verdict if shown else AcceptanceVerdict.NOT_SHOWN


def launch_values(figure: ReportedFigure) -> list[float]:
    """A figure's value of each launch; of a bound each launch's best reading."""
    return [value for _, value in figure.by_launch or figure.best_by_launch or []]


def most_favourable(value: float, higher: bool, moved: Moved | None) -> float | None:
    """The best value that an undisturbed launch can have had; None where that is not known."""
    if moved is None or moved.low is None or moved.high is None:
        return None
    factor = 1 + (moved.low if higher else moved.high)
    return value / factor if factor > 0 else None


def _meets(value: float, limit: float, higher: bool) -> bool:
    return value >= limit if higher else value <= limit


def _deciding(nodes: Sequence[NodeVerdict], higher: bool, needed: int) -> NodeVerdict:
    """The worst of the nodes that must meet the limit, where so many have a value; else the worst one that has."""
    measured = [(node.value, node) for node in nodes if node.value is not None]
    if not measured:
        return nodes[0]
    ordered = sorted(measured, key=lambda each: each[0], reverse=higher)
    return ordered[min(needed, len(ordered)) - 1][1]


def _reason(nodes: Sequence[NodeVerdict], verdict: str) -> str | None:
    concerned = [node for node in nodes if node.verdict == verdict]
    texts = [f"{node.node}: {node.reason}" if len(nodes) > 1 else node.reason for node in concerned if node.reason]
    more = f"; and {len(texts) - 3} more" if len(texts) > 3 else ""
    return "; ".join(texts[:3]) + more if texts else None
