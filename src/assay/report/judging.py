"""Whether a benchmark's measurements are clean, disturbed or invalid: its blocks, handed to the judge of blocks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.analysis import disturbance
from assay.benchmark.record import Benchmark
from assay.report.readings import Readings, Told
from assay.report.states import LEFT_OUT, worse
from assay.samples import ACCOUNTING
from assay.store import Run


def judged(run: Run, lines: Told, record: Benchmark, found: Sequence[Readings]) -> tuple[str, list[str]]:
    """Judge each host's blocks by themselves: what disturbed one node says nothing of another."""
    processors = int((run.about.get("host") or {}).get("usable_cpus") or 1)
    by_host = _blocks(lines, record, found)
    state, warnings = "clean", list[str]()
    for host, (blocks, ranks) in sorted(by_host.items()):
        verdict = disturbance.judge(blocks, processors, ranks)
        state = worse(state, verdict.state.value)
        warnings += [f"{host}: {text}" if len(by_host) > 1 else text for text in verdict.warnings]
    if by_host:
        return state, warnings
    if any(launch.complete and LEFT_OUT in launch.notes for launch in lines.launches):
        return "clean", []  # nothing here to measure, and said
    return "invalid", ["no block was finished"]


def _blocks(
    lines: Told, record: Benchmark, found: Sequence[Readings]
) -> dict[str, tuple[list[disturbance.Block], int]]:
    """Blocks and ranks of a benchmark by host, in order of time."""
    differences = {name for name, metric in record.metrics.items() if metric.difference}
    values = {of.key: np.asarray(of.values, dtype=float) for of in found if not of.first}
    for key in values:
        if key[0] in differences:  # a difference below zero is noise around nothing: judged as nothing
            values[key] = np.maximum(values[key], 0.0)
    # what varies by its nature is no sign of a disturbance
    unjudged = record.errors.union(record.extra.get("unjudged", ()))
    by_host: dict[str, tuple[list[disturbance.Block], int]] = {}
    for measured, ranks in sorted(lines.blocks, key=lambda each: each[0].block.t0):
        of = measured.block
        if of.metric in unjudged:
            continue
        block = disturbance.Block(
            metric=of.metric,
            case=of.case,
            launch=of.launch,
            block=of.block,
            batch=of.batch,
            values=values.get((of.metric, of.case, of.host, of.launch, of.attempt, of.block), np.empty(0)),
            accounting={name: getattr(of, name) for name in ACCOUNTING if name not in unjudged},
            t0=of.t0,
            t1=of.t1,
        )
        by_host.setdefault(of.host, ([], ranks))[0].append(block)
    return by_host
