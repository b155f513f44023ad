"""What may be claimed of each case of a benchmark: its blocks, handed to the judge of blocks, and what stands."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from assay.analysis import disturbance
from assay.analysis.disturbance import Estimator, Reason, State, Verdict
from assay.benchmark.record import Benchmark
from assay.case import Case
from assay.document.params import Facts
from assay.report.derive.device_accounts import device_accounts
from assay.report.derive.launch_notes import has_skip
from assay.report.derive.readings import BlockName, LaunchLines, Readings
from assay.report.derive.references import Launched, slower_by
from assay.report.derive.usable_processors import usable_processors
from assay.samples import ACCOUNTING
from assay.store import Run

# A cause, and the word by which a sentence names it.
UNMEASURED = {"quota": "quota", "shared processors": "oversubscribed", "stopped": "SIGSTOP"}


@dataclass
class Judged:
    """The verdicts by metric and case, and what goes with them.

    `standing`: the readings that figures are made from; `touched`: each reason with the cases that it touched;
    `unmeasured`: cause and text of what launcher or program report of all cases, and no account measures;
    `warnings`: sentences that bear on what is not clean; `remarks`: what the readings look like, unexplained;
    `lasted`: from the first block to the last (Unix s).
    """

    verdicts: dict[tuple[str, Case], Verdict] = field(default_factory=dict)
    standing: list[Readings] = field(default_factory=list)
    touched: list[tuple[Reason, list[tuple[str, Case]]]] = field(default_factory=list)
    unmeasured: list[tuple[str, str]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    lasted: tuple[float, float] = (0.0, 0.0)

    def add_unmeasured(self, texts: Sequence[str]) -> None:
        """Add disturbances of unknown size that touch all cases: no figure is clean."""
        if texts:
            self.worsen(State.DISTURBED)
            self.unmeasured += [
                (next((cause for cause, word in UNMEASURED.items() if word in of), "doubt"), of) for of in texts
            ]
            self.warnings += texts

    def worsen(self, state: State, metric: str | None = None, case: Case | None = None) -> bool:
        """Make a case (of one metric, or of all; or every case) at least as bad as `state`; whether any was meant.

        A case covers those with the same parameters and further ones (the load beside which it was measured).
        """
        order = list(State)
        meant = False
        for key, verdict in self.verdicts.items():
            if metric in (None, key[0]) and (case is None or case.covers(key[1])):
                meant = True
                if order.index(verdict.state) < order.index(state):
                    self.verdicts[key] = worse(verdict, state)
        return meant


def worse(verdict: Verdict, state: State) -> Verdict:
    """Give a verdict a worse state for a reason without a number: how far the value was moved is unknown."""
    if state is State.INVALID:
        return replace(disturbance.invalid(verdict.blocks, verdict.reasons), marked=verdict.marked)
    return replace(verdict, state=state, disturbance=None)


def judged(
    run: Run,
    lines: LaunchLines,
    record: Benchmark,
    found: Sequence[Readings],
    usual: Mapping[str, float] | None = None,
    measured: Mapping[str, Facts] | None = None,
) -> Judged:
    """Judge a benchmark's blocks case by case; simulated time has no neighbours.

    `usual`: the median time of the reference loop on each host over the run. `measured`: the facts of the hosts by
    name (report/derive/hosts.py); of one that stated none, this run's own are taken.
    """
    result = Judged(standing=list(found))
    keys = {(of.metric, of.case): None for of in found}
    result.verdicts = dict.fromkeys(keys, Verdict(State.CLEAN, Estimator.MEDIAN, None))
    if run.about.get("described"):
        return result
    if on_laboratory(run):
        blocks, names, ranks = _blocks(lines, record, found, {}, accounted=False)
    else:
        slower = slower_by(lines.launches, usual or {})
        limited = {host for host, facts in (measured or {}).items() if facts.get("cpu_quota")}
        blocks, names, ranks = _blocks(lines, record, found, slower, limited=limited)
    if not blocks:
        if not any(launch.complete and has_skip(launch) for launch in lines.launches):
            result.warnings.append("no block was finished")
        return result
    result.lasted = min(block.t0 for block in blocks), max(block.t1 for block in blocks)
    about = lines.launches, measured or {}, run.about.get("host") or {}
    usable, threads = usable_processors(*about), usable_processors(*about, key="threads")
    verdict = disturbance.judge(blocks, usable, ranks, threads)
    result.verdicts |= {name[:2]: verdict.cases[name[:2]] for name in names if name[:2] in verdict.cases}
    hosts = len(ranks) > 1
    unclean = set(verdict.warnings)
    for reason in verdict.reasons:
        cases = list(dict.fromkeys(names[i][:2] for i in reason.blocks))
        result.touched.append((reason, cases))
        if reason.text in unclean:
            result.warnings.append(f"{reason.host}: {reason.text}" if hosts else reason.text)
    result.remarks = [f"{of.host}: {of.text}" if hosts else of.text for of in verdict.remarks]
    marked = {names[i] for i in verdict.marked}
    result.standing = [
        of
        for of in found
        if of.first or of.key not in marked or result.verdicts[of.metric, of.case].estimator is not Estimator.UNMARKED
    ]
    return result


def on_laboratory(run: Run) -> bool:
    """Whether a run was made on hosts of a laboratory (`assay lab`).

    Its times are those of the links, and its hosts share the processors of one machine: what others do there, which the
    hosts' accounts show, is no measure of what they move. Late frames are (execute/lab.py), and the readings.
    """
    stated = [about.get("launchers") for about in run.provenance().values()]
    launchers = [each for of in stated if isinstance(of, Mapping) for each in of.values()]
    return any(isinstance(each, Mapping) and "laboratory" in each for each in launchers)


def _blocks(
    lines: LaunchLines,
    record: Benchmark,
    found: Sequence[Readings],
    slower: Mapping[Launched, float],
    *,
    accounted: bool = True,
    limited: Collection[str] = (),
) -> tuple[list[disturbance.AccountedBlock], list[BlockName], dict[str, int]]:
    """Blocks of a benchmark in order of time, what names each, and how many ranks each host had.

    `accounted`: whether what the kernel counted says what disturbed them. `limited`: hosts with a quota of CPU time,
    which has threads wait as well, and which the program reports by itself.
    """
    accounts = ACCOUNTING if accounted else ("wall",)
    differences = {name for name, metric in record.metrics.items() if metric.difference}
    values = {of.key: np.asarray(of.values, dtype=float) for of in found if not of.first}
    for key in values:
        if key[0] in differences:  # a difference below zero is noise around nothing: judged as nothing
            values[key] = np.maximum(values[key], 0.0)
    unjudged = record.unjudged  # what varies by its nature is no sign of a disturbance
    results = {figure.metric for figure in record.figures.values()}
    senses = {metric: sense(record, metric) for metric in record.metrics}
    made, names, by_host = [], [], dict[str, int]()
    of_device = device_accounts(lines.tasks)
    for measured, ranks in sorted(lines.blocks, key=lambda each: each[0].block.t0):
        of = measured.block
        if of.metric in record.errors or of.metric in record.undisturbed:
            continue
        key = of.metric, of.case, of.host, of.launch, of.attempt, of.block
        names.append(key)
        by_host[of.host] = max(ranks, by_host.get(of.host, 1))
        made.append(
            disturbance.AccountedBlock(
                metric=of.metric,
                case=of.case,
                launch=of.launch,
                block=of.block,
                batch=of.batch,
                values=values.get(key, np.empty(0)),
                accounting={
                    name: getattr(of, name)
                    for name in accounts
                    if name not in unjudged and not (name == "waited" and of.host in limited)
                }
                | of_device(of),
                t0=of.t0,
                t1=of.t1,
                host=of.host,
                sense=senses.get(of.metric, 1),
                reference=slower.get((of.host, of.launch, of.attempt)),
                natural=of.metric in unjudged,
                helper=bool(results) and of.metric not in results,
                threads=_threads(of.case),
            )
        )
    return made, names, by_host


def _threads(case: Case) -> int:
    """How many threads a case is about; one where it has no such parameter."""
    stated = case.get("threads")
    return stated if isinstance(stated, int) else 1


def sense(record: Benchmark, metric: str) -> int:
    """Which way a disturbance moves a metric's values: 1 up (times), -1 down (rates), 0 either way (ratios)."""
    about = record.metrics[metric]
    if about.difference:
        return 0
    if about.unit in ("s", "s/B"):
        return 1
    return -1 if about.unit.endswith("/s") or about.unit in ("Hz", "DMIPS", "MWIPS") else 0
