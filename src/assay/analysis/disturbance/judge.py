"""The judge: all rules over the blocks of each host, then a verdict for each case."""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from assay.analysis.disturbance.accounts import accounts, frequency, reference
from assay.analysis.disturbance.block import AccountedBlock, cases_of
from assay.analysis.disturbance.devices import devices
from assay.analysis.disturbance.findings import Findings, Reason
from assay.analysis.disturbance.levels import LaunchLevel, levels
from assay.analysis.disturbance.shapes import shapes
from assay.analysis.disturbance.steps import midway
from assay.analysis.disturbance.verdict import BETWEEN, State, Verdict, invalid, settle, wander
from assay.analysis.disturbance.waiting import waiting
from assay.analysis.result import AnalysisResult

WORST = (State.CLEAN, State.DISTURBED, State.BOUND, State.INVALID)


@dataclass(frozen=True)
class Disturbance(AnalysisResult):
    """The verdicts of a benchmark's cases.

    `reasons`: what touched blocks; `remarks`: what the readings look like, which no account explains; `marked`: the
    indices of marked blocks; `cases`: by metric and case.
    """

    reasons: tuple[Reason, ...]
    remarks: tuple[Reason, ...]
    marked: tuple[int, ...]
    cases: Mapping[tuple[str, Hashable], Verdict] = field(repr=False)

    @property
    def state(self) -> State:
        """The worst case's."""
        return max((verdict.state for verdict in self.cases.values()), key=WORST.index, default=State.INVALID)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The sentences of the reasons that touch a case that is not clean."""
        unclean = {
            rule for verdict in self.cases.values() if verdict.state is not State.CLEAN for rule in verdict.reasons
        }
        return tuple(reason.text for reason in self.reasons if reason.rule in unclean)


def judge(
    blocks: Sequence[AccountedBlock],
    processors: int | Mapping[str, int],
    ranks: int | Mapping[str, int] = 1,
    threads: Mapping[str, int] | None = None,
) -> Disturbance:
    """Judge `blocks`, case by case, on hosts of so many usable `processors`, measured by so many `ranks` on each.

    `threads`: how many hardware threads each host has, where we may use only some of them.

    Blocks may come in any order and from any number of launches, metrics, cases and hosts; what disturbed one host
    is no evidence for another. A host that a mapping does not name has one hardware thread, or one rank.
    """
    by_host: dict[str, list[int]] = defaultdict(list)
    for i, block in enumerate(blocks):
        by_host[block.host].append(i)
    found: dict[tuple[str, Hashable], list[list[LaunchLevel]]] = defaultdict(list)
    rules: dict[tuple[str, Hashable], dict[str, None]] = defaultdict(dict)
    broken = {(block.metric, block.case): text for block in blocks if (text := _unusable(block))}
    reasons: list[Reason] = []
    remarks: list[Reason] = []
    remainder: list[Reason] = []
    marked: list[int] = []
    for host, indices in sorted(by_host.items()):
        usable = [i for i in indices if (blocks[i].metric, blocks[i].case) not in broken]
        if not usable:
            continue
        findings = Findings([blocks[i] for i in usable])
        ours = _of(processors, host)
        accounts(findings, ours, _of(ranks, host), max(ours, (threads or {}).get(host, ours)))
        waiting(findings, ours, _of(ranks, host))
        frequency(findings)
        reference(findings)
        devices(findings)
        midway(findings)
        before = len(findings.reasons)
        shapes(findings)
        reasons += [_numbered(reason, usable) for reason in findings.reasons[:before]]
        remarks += [_numbered(reason, usable) for reason in findings.reasons[before:]]
        remainder += [_numbered(reason, usable) for reason in findings.remainder]
        marked += [usable[i] for i in sorted(findings.marked)]
        for members in cases_of(findings.blocks).values():
            key = findings.blocks[members[0]].metric, findings.blocks[members[0]].case
            found[key].append(levels(findings, members))
            inside = set(members)
            rules[key] |= {r.rule: None for r in findings.reasons[:before] if inside.intersection(r.blocks)}
    senses = {(block.metric, block.case): block.sense for block in blocks}
    natural = {(block.metric, block.case) for block in blocks if block.natural}
    every = [level for key, of in found.items() if key not in natural for host in of for level in host]
    differ = wander(every, least=1) or 0.0
    cases = {key: settle(of, senses[key], list(rules[key]), differ, key in natural) for key, of in found.items()}
    reasons += _explained(blocks, cases, remainder)
    for key in broken:
        cases[key] = invalid(sum((block.metric, block.case) == key for block in blocks), ["samples"])
    reasons += [Reason("samples", text, (), 1.0) for text in dict.fromkeys(broken.values())]
    return Disturbance(tuple(reasons), tuple(remarks), tuple(sorted(marked)), cases)


def _explained(
    blocks: Sequence[AccountedBlock], cases: dict[tuple[str, Hashable], Verdict], remainder: Sequence[Reason]
) -> list[Reason]:
    """Give each of the `cases` that is not clean and for which no rule marked a block what remains as its reason.

    Returns these findings, of the blocks of such cases only.
    """
    open_ = {k for k, v in cases.items() if v.state in (State.DISTURBED, State.BOUND) and not {*v.reasons} - {BETWEEN}}
    made = []
    for reason in remainder:
        of = tuple(i for i in reason.blocks if (blocks[i].metric, blocks[i].case) in open_)
        if not of:
            continue
        begin, end = min(blocks[i].t0 for i in of), max(blocks[i].t1 for i in of)
        made.append(
            replace(reason, blocks=of, launches=tuple(sorted({blocks[i].launch for i in of})), begin=begin, end=end)
        )
        for key in {(blocks[i].metric, blocks[i].case) for i in of}:
            if reason.rule not in cases[key].reasons:
                cases[key] = replace(cases[key], reasons=(*cases[key].reasons, reason.rule))
    return made


def _numbered(reason: Reason, usable: Sequence[int]) -> Reason:
    """Number the blocks of a reason as the caller does, not within their host."""
    return replace(reason, blocks=tuple(usable[i] for i in reason.blocks))


def _of(given: int | Mapping[str, int], host: str) -> int:
    return given if isinstance(given, int) else given.get(host, 1)


def _unusable(block: AccountedBlock) -> str:
    """Why a block cannot be judged; empty where it can."""
    if len(block.values) == 0:
        return "a block holds no reading"
    if not np.isfinite(block.values).all() or (np.asarray(block.values) < 0).any():
        return "a reading is negative or not a finite number"
    return ""
