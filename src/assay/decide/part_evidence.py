"""A run's evidence for a requirement on parts of a machine: of each link, node or pair what its messages take longer.

What is slow is localised first (analysis/slow_pairs.py, with its rate of false names): the readings that a part so
named explains are no evidence about other parts, so that a slow link does not make the node behind it a slow one. A
part of which more than half of the readings are explained so is not shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from assay.analysis.part_effects import effects_by_launch, readings_left
from assay.analysis.slow_pairs import FALSE_ALARMS, CandidateKind, SlowPart, localise
from assay.decide.contract import Requirement
from assay.decide.evidence import NodeEvidence, SectionsByNode, evidence
from assay.document.reported_figure import ReportedFigure
from assay.report.sections.pairs.tournament import (
    PairReadings,
    Passes,
    groups,
    part_name,
    readings,
    stated_switches,
)
from assay.store import Run

KINDS: Mapping[str, tuple[str, ...]] = {
    "links": ("link",),
    "switches": ("switch",),
    "nodes": ("node", "node, sending", "node, receiving"),
    "pairs": ("pair",),
}
LEAST_LEFT = 0.5  # of a part's readings: with fewer, what is left is no evidence


def part_evidence(requirement: Requirement, run: Run, found: SectionsByNode) -> list[NodeEvidence]:
    """Give the evidence of each part, or one that names why there is none."""
    (whole, *more) = evidence(requirement, found)
    if whole.figure is None or more:
        return [whole, *more]
    made = [
        readings(each, requirement.switches or stated_switches(run)) for each in groups(run, requirement.record.name)
    ]
    fitting = [
        each for each in made if all(each.params.get(key, value) == value for key, value in requirement.case.items())
    ]
    if len(fitting) != 1:
        return [
            NodeEvidence(whole.node, None, f"{len(fitting)} groups of ranks fit: the case must give ranks, ppn or mpi")
        ]
    passes = next((each for each in fitting[0].passes if each.bytes == whole.figure.params["bytes"]), None)
    if passes is None:
        return [NodeEvidence(whole.node, None, f"no pass has messages of {whole.figure.params['bytes']} B")]
    return evidence_of_passes(requirement, fitting[0], passes, whole)


def evidence_of_passes(
    requirement: Requirement, read: PairReadings, passes: Passes, whole: NodeEvidence
) -> list[NodeEvidence]:
    """Give the evidence of each part by the passes of one length; `whole`: the evidence of the median of all."""
    wanted = [kind for name in requirement.parts for kind in read.kinds if kind.name in KINDS[name]]
    lacking = [
        name for name in requirement.parts if not any(kind.name in KINDS[name] and kind.count for kind in read.kinds)
    ]
    if lacking:
        reason = f"no {lacking[0]} can be judged: too few nodes, or no topology is known"
        return [NodeEvidence(whole.node, None, reason)]
    classes = read.classes(passes)
    alone = read.alone(classes)
    slow = localise(passes.logs, classes, passes.launch_of, read.kinds, FALSE_ALARMS, alone).parts
    beyond = [part for part in slow if not part.shared and part.effect > requirement.limit]
    made = []
    for kind in wanted:
        made += _of_kind(kind, read, passes, classes, alone, (slow, beyond), whole)
    return made


def _of_kind(
    kind: CandidateKind,
    read: PairReadings,
    passes: Passes,
    classes: NDArray[np.int64],
    alone: NDArray[np.bool_] | None,
    found: tuple[Sequence[SlowPart], Sequence[SlowPart]],
    whole: NodeEvidence,
) -> list[NodeEvidence]:
    slow, beyond = found
    by_name = {each.name: each for each in read.kinds}
    explained = np.zeros(passes.logs.shape[1], bool)
    for part in beyond:
        explained |= (by_name[part.kind].of == part.number).any(axis=0)
    usable = ~explained
    effects = effects_by_launch(passes.logs, classes, passes.launch_of, kind, usable)
    left = readings_left(kind, usable)
    named = {part.number: part for part in slow if part.kind == kind.name}
    made = []
    for number in np.flatnonzero(~np.isnan(left)).tolist():
        name = part_name(kind.name, number, read.layout).name
        own = named.get(number)
        values = effects[:, number]
        if own is not None and (own in beyond or own.shared):
            values = _own_effects(kind, number, passes, classes, alone if own.shared else None, explained)
        elif left[number] < LEAST_LEFT:
            made.append(NodeEvidence(name, None, f"its messages are mostly those of {_names(beyond, read)}"))
            continue
        if np.isnan(values).any():
            made.append(NodeEvidence(name, None, "no comparable messages"))
            continue
        made.append(NodeEvidence(name, _figure(whole, values), whole.note, whole.exact))
    return made


def _own_effects(
    kind: CandidateKind,
    number: int,
    passes: Passes,
    classes: NDArray[np.int64],
    alone: NDArray[np.bool_] | None,
    explained: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Of a part that was named itself: by all of its readings, or those that shared no link (`alone`)."""
    own = (kind.of == number).any(axis=0)
    usable = np.broadcast_to(own | ~explained, classes.shape)
    if alone is not None:
        usable = usable & (alone | ~own)
    only = CandidateKind(kind.name, np.where(own, 0, -1)[None])
    return effects_by_launch(passes.logs, classes, passes.launch_of, only, usable)[:, 0]


def _names(parts: Sequence[SlowPart], read: PairReadings) -> str:
    return ", ".join(part_name(part.kind, part.number, read.layout).name for part in parts[:3])


def _figure(whole: NodeEvidence, values: NDArray[np.float64]) -> ReportedFigure:
    """The excess of one part, as a figure with a value for each launch; how far disturbances moved it is not known."""
    assert whole.figure is not None
    excess = np.expm1(values)
    return ReportedFigure(
        benchmark=whole.figure.benchmark,
        name=whole.figure.name,
        value=float(np.median(excess)),
        unit="1",
        statistic="median",
        params=whole.figure.params,
        launches=len(values),
        state=whole.figure.state,
        reasons=whole.figure.reasons,
        better="lower",
        by_launch=[[float(at), float(value)] for at, value in enumerate(excess)],
    )
