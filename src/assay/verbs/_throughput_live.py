"""`assay throughput --via SYSTEM`: a workload on a real batch system, and what it comes to."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from assay.throughput.batch_system import BatchSystem
    from assay.throughput.dry_run import DryRun
    from assay.throughput.live_jobs import LiveJob
    from assay.throughput.live_results import LiveThroughput
    from assay.throughput.printed_totals import PrintedTotal
    from assay.throughput.submission_lines import PlanOfTest

MOST_REFUSED, MOST_KINDS = 20, 40  # of a dry run, on a terminal


@dataclass(frozen=True)
class LiveRequest:
    """The options of a live test."""

    workload: str
    jobs: str | None
    via: str | None
    policy: str | None
    slots: int | None
    compress: float
    out: Path | None
    resume: bool
    exports: tuple[Path, ...] = ()
    beside: tuple[Path, ...] = ()
    alone: bool = False


def run_live(request: LiveRequest, progress: Callable[[str], None]) -> LiveThroughput:
    """Run the test, or resume it; result, page and files lie in its folder, too."""
    from assay.throughput import (
        alone,
        batch_system,
        experiment,
        exports,
        job_programs,
        live_jobs,
        live_rules,
        submission_log,
    )
    from assay.throughput.live_results import live_result
    from assay.verbs import _throughput_shown as shown

    exports.check(request.exports)
    others = [shown.load_other_test(folder) for folder in request.beside]
    compress = live_jobs.compression(request.compress)
    if request.resume and request.out is None:
        raise InputError("is missing: which test is to be resumed", key="--out", accepted="the folder of a test")
    jobs = plan(request, compress)
    system_request = batch_system.SystemRequest(policy=request.policy, slots=request.slots, compress=compress)

    def opened() -> BatchSystem:
        return batch_system.opened(request.via or "local", system_request)

    system = opened()
    facts = system.facts()
    live_rules.check(jobs, facts.name, system.rules, rules_file(request))
    if not any(job.processors <= facts.processors for job in jobs):
        narrowest = min(jobs, key=lambda job: job.processors)
        raise InputError(
            f"holds no job that {facts.name} can run; the narrowest is {narrowest.name}", file=request.workload,
            key="processors", value=narrowest.processors, accepted=f"up to {facts.processors:,}",
        )  # fmt: skip
    out = (request.out or Path("runs") / time.strftime("throughput-%Y%m%d-%H%M%S")).resolve()
    about: PlanOfTest = {
        "workload": request.workload,
        "jobs": request.jobs,
        "via": request.via,
        "policy": facts.policy,
        "processors": facts.whole,  # whatever nodes are down when the test is resumed
        "slots": request.slots,
        "compress": compress,
    }
    if request.alone:
        about["alone"] = True
    submission_log.refuse_others(out, request.resume)
    fits = [job for job in jobs if job.processors <= facts.processors]
    programs = job_programs.compiled(progress, fits, here=facts.nodes == (os.uname().nodename,))
    single: dict[str, float | None] = {}
    if request.alone:
        single = alone.run_alone(opened, jobs, programs, out, about, progress)
    log = submission_log.opened(out, about, jobs, request.resume)
    try:
        followed = experiment.follow(system, facts, jobs, programs, log, progress)
        found = live_result(followed, facts, _title(request), compress, str(out), single)
        found = replace(found, printed=_printed(found, jobs, request) or None)
        shown.write_live(found, others, request.exports)
    finally:
        log.close()
    return found


def dry(request: LiveRequest, on: str | None, settings: list[str]) -> DryRun:
    """What the test would be, on a real batch system or a described machine; nothing is started."""
    from assay.throughput import batch_system, live_jobs, live_rules, machine_file
    from assay.throughput.dry_run import dry_run

    compress = live_jobs.compression(request.compress)
    jobs = plan(request, compress)
    if on is not None:
        machine = machine_file.open_machine(on, settings)
        return dry_run(jobs, machine.processors, machine.name, _title(request))
    system_request = batch_system.SystemRequest(policy=request.policy, slots=request.slots, compress=compress)
    system = batch_system.opened(request.via or "local", system_request)
    facts = system.facts()
    live_rules.check(jobs, facts.name, system.rules, rules_file(request))
    return dry_run(jobs, facts.processors, facts.name, _title(request))


def show_dry(found: DryRun, quiet: bool) -> None:
    """One line, and unless `quiet` the jobs by name and the ideal by policy."""
    from assay.document.grid import grid
    from assay.number_words import number_of
    from assay.report.render.console import listing
    from assay.verbs._throughput_words import time_of

    print(
        f"{number_of(found.jobs, 'job')}, {found.processor_hours:,.4g} processor hours, on "
        f"{number_of(found.processors, 'processor')} of {found.system}: at least {time_of(found.least_makespan)}"
        + (f"; {number_of(len(found.refused), 'job')} would be refused" if found.refused else "")
    )
    for job in found.refused[:MOST_REFUSED]:
        print(f"  {job.name}: would be refused: needs {job.processors} processors")
    if (more := len(found.refused) - MOST_REFUSED) > 0:
        print(f"  and {more:,} more would be refused")
    if quiet:
        return
    kinds = [
        (kind.name, f"{kind.jobs:,}", f"{kind.processors:,}", time_of(kind.expected))
        for kind in found.kinds[:MOST_KINDS]
    ]
    more = found.jobs - sum(kind.jobs for kind in found.kinds[:MOST_KINDS])
    note = f"And {more:,} more jobs, of other names, processors or times." if more else ""
    listing().print(grid("Jobs", ("name", "jobs", "processors", "expected time"), kinds, note).rich())
    rows = [(policy, time_of(makespan)) for policy, makespan in found.ideal.items()]
    listing().print(grid("Makespan by expected times, without any cost", ("policy", "makespan"), rows).rich())


def plan(request: LiveRequest, compress: float) -> list[LiveJob]:
    """The jobs of the workload."""
    from assay.throughput import job_table, live_jobs, schedule_file, swf

    path, waits = Path(request.workload), request.slots is not None
    if swf.is_workload(path):
        if request.jobs is not None:
            raise InputError("has no use with a Standard Workload Format file", key="--jobs", value=request.jobs)
        return live_jobs.of_workload(swf.read(path), compress, waits)
    batches = schedule_file.named(request.workload)
    table = job_table.of_schedule(request.workload, request.jobs).path
    return live_jobs.of_schedule(batches, job_table.load(table), path, table.resolve().parent, compress, waits)


def rules_file(request: LiveRequest) -> Path:
    """The file that has the rules of jobs: the table of a schedule."""
    from assay.throughput import job_table, swf

    path = Path(request.workload)
    return path if swf.is_workload(path) else job_table.of_schedule(request.workload, request.jobs).path


def _title(request: LiveRequest) -> str:
    """What the workload is called."""
    from assay.throughput import job_table, swf

    if swf.is_workload(Path(request.workload)):
        return request.workload
    return job_table.of_schedule(request.workload, request.jobs).title


def _printed(found: LiveThroughput, jobs: Sequence[LiveJob], request: LiveRequest) -> list[PrintedTotal]:
    """Totals that the paper prints of its own test, where this is one, its times compressed."""
    from assay.throughput import job_table, schedule_file
    from assay.throughput.printed_totals import SUITE, Schedule, printed_totals

    if not schedule_file.is_published(request.workload):
        return []
    ran = {each.name for each in found.jobs if each.started is not None and each.ended is not None}
    suites = [each.expected * found.compress for each in jobs if each.name in ran and each.name.startswith(SUITE)]
    table = job_table.of_schedule(request.workload, request.jobs).path.stem
    numbers = frozenset(each.number for each in jobs if each.name in ran)
    makespan = found.makespan * found.compress
    return printed_totals(Schedule(request.workload, table, numbers, tuple(suites), found.processors, makespan))


def show_live(found: LiveThroughput, quiet: bool) -> None:
    """One line, and unless `quiet` the results, remarks on jobs, and the ideal."""
    from assay.document.grid import grid
    from assay.number_words import number_of
    from assay.report.render.console import listing
    from assay.throughput import processor_time
    from assay.verbs._throughput_shown import verdict
    from assay.verbs._throughput_words import (
        counted_words,
        machine_rows,
        result_rows,
        slowdown_words,
        time_of,
    )

    print(verdict(found))
    for finding in found.findings:
        print(f"  {finding.job}: {finding.kind}: {finding.text}")
    for job in found.refused:
        print(f"  {job.name}: refused: needs {job.processors} processors")
    if found.interrupted:
        times, late = number_of(found.interrupted, "time"), time_of(found.longest_delay)
        print(f"  resumed {times}; a submission was late by up to {late}")
    if quiet:
        return
    idle = ((f"idle: {each.text}", f"{100 * each.share:.1f}%") for each in found.idle.values())
    rows = [("times and ratios are of", counted_words(found)), *result_rows(found, [*idle, *machine_rows(found)])]
    on = f" on {found.ideal_processors:,} processors" if found.ideal_processors is not None else ""
    for name, ideal in found.ideal.items():
        rows.append(
            (f"makespan, {name} without any cost{on}", f"{time_of(ideal.makespan)} ({100 * ideal.overhead:+.1f}%)")
        )
    if found.predicted is not None:
        twin = found.predicted
        words = f"{time_of(twin.makespan)} (predicted {100 * twin.difference:+.1f}%)"
        rows.append((f"makespan, {twin.policy} with the measured delays", words))
    rows += [(f"{each.name} alone, and in the mix", f"{slowdown_words(each)}") for each in found.alone]
    if found.rates.submit_rate is not None:
        rows.append(("submissions", f"{found.rates.submit_rate:,.0f} per second"))
    if found.rates.reaction_median is not None and found.rates.reaction_longest is not None:
        longest = time_of(found.rates.reaction_longest)
        rows.append(("from an event to a start", f"{time_of(found.rates.reaction_median)}; longest {longest}"))
    note = f"Seconds as measured, time compressed {found.compress:g} times; page and files: {found.out}/report.html."
    listing().print(grid("Throughput", ("", "value"), rows, note).rich())
    if found.processor_time:
        spent = processor_time.rows(found.processor_time)
        listing().print(grid(processor_time.TITLE, processor_time.HEAD, spent, processor_time.NOTE).rich())
