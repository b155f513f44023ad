"""`assay throughput`: a workload of many users' jobs under a batch system."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.verbs._options import Json, On, Quiet

if TYPE_CHECKING:
    from assay.throughput.results import ThroughputResult
    from assay.throughput.what_if import WhatIf
    from assay.throughput.workload import Workload


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def throughput(
        workload: Annotated[
            str,
            typer.Argument(
                metavar="JOBS", help="a workload: FILE.swf, FILE.swf.gz, a schedule, or eurobench2000 (the paper's)"
            ),
        ],
        on: On = None,
        via: Annotated[
            str | None, typer.Option(metavar="SYSTEM", help="run it on a real batch system: local or slurm[:OPTIONS]")
        ] = None,
        policy: Annotated[
            str | None,
            typer.Option(
                metavar="NAME",
                help="fcfs (default), firstfit, easy, conservative, priority, fairshare",
            ),
        ] = None,
        jobs: Annotated[
            str | None,
            typer.Option(
                metavar="TABLE.toml", help="what each name of a schedule needs; or eurobench2000-compaq, -ibm, -sgi"
            ),
        ] = None,
        settings: Annotated[
            list[str] | None,
            typer.Option(
                "--set", metavar="KEY=V1,…", help="a key of MACHINE.toml, or policy; several values are compared"
            ),
        ] = None,
        schedule: Annotated[
            Path | None, typer.Option("--schedule", metavar="OUT.swf", help="write when every job waited and ran")
        ] = None,
        slots: Annotated[
            int | None,
            typer.Option(
                metavar="N", min=1, max=2**20, help="--via: N virtual processors; jobs wait for their time, not compute"
            ),
        ] = None,
        compress: Annotated[
            float, typer.Option(metavar="FACTOR", help="--via: all times of the schedule and the table over this")
        ] = 1.0,
        out: Annotated[
            Path | None,
            typer.Option("-o", "--out", metavar="DIR", help="--via: its folder; the same command resumes"),
        ] = None,
        resume: Annotated[bool, typer.Option("--resume", help="--via: DIR must hold a test that was begun")] = False,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Put a workload of many users' jobs on a batch system, simulated or real."""
        import resource

        from assay.cli import emit
        from assay.document.json_form import to_json
        from assay.errors import InputError
        from assay.throughput import machine_file, results, swf, what_if

        if via is not None:
            _live(via, on, settings, schedule, workload, jobs, policy, slots, compress, out, resume, quiet, json)
            return
        for key, given in (("--slots", slots), ("--out", out), ("--resume", resume or None)):
            if given is not None:
                raise InputError(
                    "is of a test on a real batch system", key=key, value=str(given), accepted="with --via"
                )
        if compress != 1.0:
            raise InputError("is of a test on a real batch system", key="--compress", value=compress)
        axes = what_if.axes(settings or [], policy or "fcfs")
        if on is None:
            accepted = f"{machine_file.ACCEPTED}; or --via SYSTEM"
            raise InputError("is missing", key="--on", accepted=accepted)
        keys = [f"{key}={values[0]}" for key, values in axes.items() if key != what_if.POLICY]
        if what_if.several(axes):
            if schedule is not None:
                raise InputError("is of one schedule, not of several", key="--schedule", value=str(schedule))
            compared = what_if.points(_read(workload, jobs), on, axes)
            if json:
                emit(to_json(compared))
            else:
                _show_points(compared, quiet)
            return
        machine = machine_file.open_machine(on, keys)
        found = what_if.schedule(_read(workload, jobs), machine, axes[what_if.POLICY][0])
        if schedule is not None:
            try:
                swf.write(schedule, found.workload, found.started, machine.name, machine.processors)
            except OSError as error:
                raise InputError(f"cannot be written: {error.strerror or error}", file=schedule) from None
        used = resource.getrusage(resource.RUSAGE_SELF)
        document = results.result(found, machine.name, used.ru_utime + used.ru_stime)
        if json:
            emit(to_json(document))
        else:
            _show(document, quiet)


def _live(
    via: str,
    on: str | None,
    settings: list[str] | None,
    schedule: Path | None,
    workload: str,
    jobs: str | None,
    policy: str | None,
    slots: int | None,
    compress: float,
    out: Path | None,
    resume: bool,
    quiet: bool,
    json: bool,
) -> None:
    """Run it on a real batch system; exit status 1 unless every job ended well."""
    from assay.cli import emit
    from assay.document.json_form import to_json
    from assay.errors import InputError
    from assay.verbs import _throughput_live as live

    for key, given in (("--on", on), ("--set", settings or None), ("--schedule", schedule)):
        if given is not None:
            raise InputError("is of a simulated batch system", key=key, value=str(given), accepted="without --via")
    wishes = live.LiveWishes(workload, jobs, via, policy, slots, compress, out, resume)
    found = live.run_live(wishes, live.progress_line(quiet or json))
    if json:
        emit(to_json(found))
    else:
        live.show_live(found, quiet)
    if not found.good:
        raise typer.Exit(1)


def _read(workload: str, jobs: str | None) -> Workload:
    from assay.errors import InputError
    from assay.throughput import job_table, schedule_file, swf

    path = Path(workload)
    if swf.is_workload(path):
        if jobs is not None:
            raise InputError("has no use with a Standard Workload Format file", key="--jobs", value=jobs)
        return swf.read(path)
    batches = schedule_file.named(workload)
    if jobs is None:
        accepted = "TABLE.toml with a table [NAME] for each job"
        raise InputError("is missing: a schedule has names only", key="--jobs", accepted=accepted)
    return job_table.workload(batches, job_table.load(job_table.find(jobs)), path)


def _show(found: ThroughputResult, quiet: bool) -> None:
    """One line, and unless `quiet` the table of what it comes to."""
    from rich.console import Console

    from assay.document.grid import grid
    from assay.verbs._throughput_words import time_of

    wait = f"mean wait {time_of(found.mean_wait)}"
    line = (
        f"{found.scheduled:,} jobs on {found.processors:,} processors of {found.machine}, {found.policy}: "
        f"makespan {time_of(found.makespan)}, utilisation {100 * found.utilisation:.1f}%, {wait}"
    )
    print(line)
    for why, count in {**found.ignored, **found.changed}.items():
        print(f"  {count:,} records: {why}")
    if found.refused_jobs:
        names = ", ".join(f"{job.name} ({job.processors})" for job in found.refused[:4])
        more = f" and {found.refused_jobs - 4:,} more" if found.refused_jobs > 4 else ""
        print(f"  {found.refused_jobs:,} wider than the machine, refused: {names}{more}")
    if quiet:
        return
    rows = [
        ("makespan", time_of(found.makespan)),
        ("least possible, by work and arrivals", time_of(found.least_makespan)),
        ("efficiency: least over makespan", f"{100 * found.efficiency:.1f}%"),
        ("utilisation", f"{100 * found.utilisation:.1f}%"),
        *((f"idle: {each.text}", f"{100 * each.share:.1f}%") for each in found.idle.values()),
        ("wait, mean", time_of(found.mean_wait)),
        ("wait, median", time_of(found.median_wait)),
        ("wait, longest", time_of(found.longest_wait)),
        ("response, mean", time_of(found.mean_response)),
        ("bounded slowdown, mean", f"{found.bounded_slowdown:.4g}"),
    ]
    Console().print(grid("Throughput", ("", "value"), rows).rich())


def _show_points(found: WhatIf, quiet: bool) -> None:
    """One line, and unless `quiet` a row for each combination."""
    from rich.console import Console

    from assay.document.grid import grid
    from assay.verbs._throughput_words import time_of

    best = min(found.points, key=lambda point: point.result.mean_wait)
    words = ", ".join(f"{key}={value}" for key, value in best.setting.items())
    print(f"{len(found.points)} combinations; least mean wait {time_of(best.result.mean_wait)}: {words}")
    if quiet:
        return
    keys = list(best.setting)
    rows = [
        (
            *(point.setting[key] for key in keys),
            time_of(point.result.makespan),
            f"{100 * point.result.utilisation:.1f}%",
            time_of(point.result.mean_wait),
            time_of(point.result.longest_wait),
            f"{point.result.bounded_slowdown:.4g}",
        )
        for point in found.points
    ]
    names = (key.rpartition(".")[2] for key in keys)
    headings = (*names, "makespan", "in use", "mean wait", "longest", "slowdown")
    Console().print(grid("What if", headings, rows, "Slowdown: bounded, the mean.", len(keys)).rich())
