"""`assay throughput`: a workload of many users' jobs under a batch system."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay import output_file
from assay.verbs._options import BESIDE, Json, On, Quiet, named_path

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from assay.throughput.activity import JobActivity
    from assay.throughput.printed_totals import PrintedTotal
    from assay.throughput.results import ThroughputResult
    from assay.throughput.simulated import Scheduled
    from assay.throughput.what_if import SimulatedPoint, WhatIf
    from assay.throughput.workload import Workload
    from assay.verbs._throughput_live import LiveRequest


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def throughput(
        workload: Annotated[
            str,
            typer.Argument(
                metavar="JOBS",
                help="a workload: FILE.swf[.gz|.xz|.zst|.bz2], schedule, eurobench2000 (the paper's) or lublin (drawn)",
            ),
        ],
        on: On = None,
        via: Annotated[
            str | None,
            typer.Option(
                metavar="SYSTEM",
                help="run it on a real batch system: local, slurm, pbs, lsf, flux, sge, hyperqueue; OPTIONS: slurm:…",
            ),
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
                metavar="TABLE.toml",
                help="resources of each name of a schedule; or eurobench2000-compaq, -ibm (eurobench2000's default), "
                "-sgi, -sgi-rules, assay-mix",
            ),
        ] = None,
        settings: Annotated[
            list[str] | None,
            typer.Option(
                "--set",
                metavar="KEY=V1,…",
                help="a key of MACHINE.toml, policy, lublin.KEY or workload.KEY; several values are compared",
            ),
        ] = None,
        schedule: Annotated[
            Path | None,
            typer.Option(
                "--schedule", parser=named_path, metavar="OUT.swf", help="write waiting and running of every job"
            ),
        ] = None,
        slots: Annotated[
            int | None,
            typer.Option(
                metavar="N",
                min=1,
                max=2**20,
                help="--via: N virtual processors; jobs sleep for their time and do not compute",
            ),
        ] = None,
        compress: Annotated[
            float, typer.Option(metavar="FACTOR", help="--via: divide all times of the schedule and the table by this")
        ] = 1.0,
        out: Annotated[
            Path | None,
            typer.Option(
                "-o",
                "--out",
                parser=named_path,
                metavar="DIR",
                help="--via: the test's folder; the same command resumes it",
            ),
        ] = None,
        resume: Annotated[
            bool, typer.Option("--only-resume", help="--via: DIR must have a test that was started")
        ] = False,
        alone: Annotated[
            bool,
            typer.Option("--alone", help="--via: first run every program once alone, to measure the cost of the mix"),
        ] = False,
        repeat: Annotated[
            int, typer.Option(metavar="N", min=1, max=1000, help="--via: the test N times, in DIR/1 to DIR/N")
        ] = 1,
        dry_run: Annotated[
            bool, typer.Option("--dry-run", help="show what it would be: jobs, processor hours, ideal makespans")
        ] = False,
        export: Annotated[
            list[Path] | None,
            typer.Option(metavar="FILE", help="write the page (.html), .csv, .swf, .svg (Gantt) or .json (Perfetto)"),
        ] = None,
        beside: Annotated[list[Path] | None, typer.Option(metavar="RUN", help=BESIDE)] = None,
        until: Annotated[
            str | None,
            typer.Option(
                metavar="CONDITION",
                help="with several values of --set: find the first value where this holds, such as 'mean_wait < 1h'",
            ),
        ] = None,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Put a workload of many users' jobs on a batch system, simulated or real."""
        import resource
        from dataclasses import replace
        from math import prod

        from assay import progress
        from assay.cli import emit
        from assay.document.json_form import to_json
        from assay.errors import InputError
        from assay.throughput import activity, exports, machine_file, results, swf, what_if
        from assay.throughput.until import condition, swept_key
        from assay.verbs import _file_names
        from assay.verbs._repeated_option import each_once
        from assay.verbs._throughput_live import LiveRequest

        each_once(settings or [], lambda key: not dry_run)
        if policy is not None:
            each_once([f"policy={policy}", *(settings or [])], lambda key: not dry_run, option="--policy, --set")
        request = LiveRequest(
            workload, jobs, via, policy, slots, compress, out, resume, tuple(export or ()), tuple(beside or ()), alone
        )
        if dry_run:
            if until is not None:
                raise InputError(
                    "has no use with --dry-run", key="--until", value=until, accepted="only one of the two"
                )
            _dry(request, on, settings or [], json, quiet)
            return
        if via is not None:
            _live(
                request,
                repeat,
                {"--on": on, "--set": settings or None, "--schedule": schedule, "--until": until},
                quiet,
                json,
            )
            return
        real = {
            "--slots": slots,
            "--out": out,
            "--only-resume": resume or None,
            "--beside": beside or None,
            "--alone": alone or None,
            "--repeat": None if repeat == 1 else repeat,
        }
        _refuse(real | {"--compress": None if compress == 1.0 else compress}, "is of a test on a real batch system")
        exports.check(export or [])
        _file_names.check_suffix("--schedule", schedule, "SWF", _file_names.SCHEDULE)
        axes = what_if.axes(settings or [], "fcfs" if policy is None else policy)
        if on is None:
            accepted = f"{machine_file.ACCEPTED}; or --via SYSTEM"
            raise InputError("is missing", key="--on", accepted=accepted)
        read = _reader(workload, jobs)
        wanted = None if until is None else condition(until)
        if wanted is not None:
            swept_key(axes)
        if what_if.several(axes):
            if schedule is not None:
                raise InputError("is of one schedule, not of several", key="--schedule", value=str(schedule))
            simulated: list[what_if.SimulatedPoint] = []
            combinations = prod(map(len, axes.values()))
            with progress.counted("simulating", "combinations", combinations, quiet) as advance:
                compared = what_if.points(read, on, axes, wanted, simulated.append if export else None, advance)
            _export_points(export, simulated)
            if json:
                emit(to_json(compared))
            else:
                _show_points(compared, quiet)
            return
        chosen = what_if.chosen({key: values[0] for key, values in axes.items()})
        machine = machine_file.open_machine(on, chosen.machine)
        with progress.described("simulating", "the schedule", quiet) as say:
            found = what_if.schedule(read(chosen.workload), machine, chosen.policy, say)
        if schedule is not None:
            output_file.write_text(schedule, swf.written(found, machine.name))
        used = resource.getrusage(resource.RUSAGE_SELF)
        document = results.result(found, machine.name, used.ru_utime + used.ru_stime)
        if not chosen.workload:
            document = replace(document, printed=_printed(found, workload, jobs) or None)
        title = f"{machine.name}, {found.policy}, simulated"
        _export(export, [document], [activity.of_schedule(found, title)] if export else [])
        if json:
            emit(to_json(document))
        else:
            _show(document, quiet)
        if document.played and document.failed:
            raise typer.Exit(1)


def _refuse(given: Mapping[str, object], problem: str) -> None:
    """InputError for an option that has no use here."""
    from assay.errors import InputError

    accepted = "without --via" if "simulated" in problem else "with --via"
    for key, value in given.items():
        if value is not None:
            seen = " ".join(map(str, value)) if isinstance(value, list) else str(value)
            raise InputError(problem, key=key, value=seen, accepted=accepted)


def _live(request: LiveRequest, repeat: int, simulated: Mapping[str, object], quiet: bool, json: bool) -> None:
    """Run it on a real batch system; exit status 1 unless every job ended well."""
    from assay import progress
    from assay.cli import emit
    from assay.document.json_form import to_json
    from assay.verbs import _throughput_live as live

    _refuse(simulated, "is of a simulated batch system")
    if repeat > 1:
        _repeat(request, repeat, quiet, json)
        return
    with progress.described("throughput", "compiling", quiet) as say:
        found = live.run_live(request, say)
    if json:
        emit(to_json(found))
    else:
        live.show_live(found, quiet)
    if not found.good:
        raise typer.Exit(1)


def _repeat(request: LiveRequest, times: int, quiet: bool, json: bool) -> None:
    """Run it several times; exit status 1 unless every job of every test ended well."""
    from assay import progress
    from assay.cli import emit
    from assay.document.json_form import to_json
    from assay.verbs import _throughput_repeat as repetitions

    with progress.described("throughput", "compiling", quiet) as say:
        found = repetitions.run_repeated(request, times, say)
    if json:
        emit(to_json(found))
    else:
        repetitions.show_repeated(found, quiet)
    if not found.good:
        raise typer.Exit(1)


def _dry(request: LiveRequest, on: str | None, settings: list[str], json: bool, quiet: bool) -> None:
    from assay.cli import emit
    from assay.document.json_form import to_json
    from assay.errors import InputError
    from assay.verbs import _throughput_live as live

    if on is not None and request.via is not None:
        raise InputError("is of a simulated batch system", key="--on", value=on, accepted="without --via")
    found = live.dry(request, on, settings)
    if json:
        emit(to_json(found))
    else:
        live.show_dry(found, quiet)


def _export(files: list[Path] | None, documents: Sequence[ThroughputResult], activities: Sequence[JobActivity]) -> None:
    from assay.throughput.exports import write
    from assay.verbs._throughput_shown import simulated_page

    for file in files or []:
        write(file, activities, lambda: simulated_page(documents, activities))


def _export_points(files: list[Path] | None, points: Sequence[SimulatedPoint]) -> None:
    """Write every combination: side by side on the page."""
    from assay.throughput import activity, results, what_if

    if not files:
        return
    activities = []
    for each in points:
        words = ", ".join(text if key == what_if.POLICY else f"{key}={text}" for key, text in each.setting.items())
        activities.append(activity.of_schedule(each.schedule, f"{each.machine}, {words}, simulated"))
    pages = any(file.suffix == ".html" for file in files)
    documents = [results.result(each.schedule, each.machine, 0.0) for each in points] if pages else []
    _export(files, documents, activities)


def _reader(workload: str, jobs: str | None) -> Callable[[Mapping[str, str]], Workload]:
    """What gives the workload by its settings: a drawn one each time, a file's once."""
    from assay.errors import InputError
    from assay.throughput import lublin, scaled

    if workload == lublin.NAME and not Path(workload).exists():
        if jobs is not None:
            raise InputError("has no use with a drawn workload", key="--jobs", value=jobs)
        return lambda settings: scaled.scaled(
            lublin.drawn(
                lublin.parse_settings({key: text for key, text in settings.items() if key.startswith(lublin.PREFIX)})
            ),
            {key: text for key, text in settings.items() if not key.startswith(lublin.PREFIX)},
        )
    once: list[Workload] = []

    def read(settings: Mapping[str, str]) -> Workload:
        for key in (key for key in settings if key.startswith(lublin.PREFIX)):
            raise InputError(
                "is of a drawn workload", key="--set", value=key, accepted=f"with the workload {lublin.NAME}"
            )
        if not once:
            once.append(_read(workload, jobs))
        return scaled.scaled(once[0], settings)

    return read


def _read(workload: str, jobs: str | None) -> Workload:
    from assay.errors import InputError
    from assay.throughput import job_table, schedule_file, swf

    path = Path(workload)
    if swf.is_workload(path):
        if jobs is not None:
            raise InputError("has no use with a Standard Workload Format file", key="--jobs", value=jobs)
        return swf.read(path)
    batches = schedule_file.named(workload)
    table = job_table.of_schedule(workload, jobs)
    return job_table.workload(batches, job_table.load(table.path), Path(table.title))


def _printed(found: Scheduled, workload: str, jobs: str | None) -> list[PrintedTotal]:
    """Totals that the paper prints of its own test, where this is one; of all others nothing."""
    from assay.throughput import job_table, schedule_file
    from assay.throughput.printed_totals import SUITE, Schedule, printed_totals

    if not schedule_file.is_published(workload):
        return []
    ran = found.workload
    suites = [run for name, run in zip(ran.names, ran.runs.tolist(), strict=True) if name.startswith(SUITE)]
    table = job_table.of_schedule(workload, jobs).path.stem
    numbers, makespan = frozenset(ran.number.tolist()), float(found.ended.max())
    return printed_totals(Schedule(workload, table, numbers, tuple(suites), found.processors, makespan))


def _show(found: ThroughputResult, quiet: bool) -> None:
    """One line, and unless `quiet` the table of what it comes to."""
    from assay.document.grid import grid
    from assay.number_words import number_of
    from assay.report.render.console import listing
    from assay.verbs import _throughput_mix as mix
    from assay.verbs._throughput_words import (
        QUEUE_HEAD,
        failed_words,
        fault_rows,
        queue_definition,
        queue_row,
        result_rows,
        time_of,
    )

    wait = f"mean wait {time_of(found.mean_wait)}"
    failed = f"{words}; " if (words := failed_words([found])) else ""
    line = (
        f"{number_of(found.scheduled, 'job')} on {number_of(found.processors, 'processor')} of {found.machine}, "
        f"{found.policy}: {failed}makespan {time_of(found.makespan)}, "
        f"utilisation {100 * found.utilisation:.1f}%, {wait}"
    )
    print(f"{line}; {slowed}" if (slowed := mix.interference_line(found)) else line)
    for job in [job for job in found.played or () if job.why or job.state != "completed"]:
        print(f"  {job.name}: {job.state}{': ' if job.why else ''}{job.why}")
    for held in mix.held_lines(found):
        print(f"  {held}")
    for why, count in {**found.ignored, **found.changed}.items():
        print(f"  {number_of(count, 'record')}: {why}")
    for why in dict.fromkeys(job.why for job in found.refused):
        jobs = [job for job in found.refused if job.why == why]
        names = ", ".join(f"{job.name} ({job.processors})" for job in jobs[:4])
        more = f" and {len(jobs) - 4:,} more" if len(jobs) > 4 else ""
        print(f"  {len(jobs):,} {why}, refused: {names}{more}")
    if found.refused_jobs > len(found.refused):
        print(f"  {found.refused_jobs:,} refused in all")
    if quiet:
        return
    idle = ((f"idle: {each.text}", f"{100 * each.share:.1f}%") for each in found.idle.values())
    rows = [*fault_rows(found), *result_rows(found, idle)]
    listing().print(grid("Throughput", ("", "value"), rows).rich())
    if found.played:
        listing().print(grid("Concurrent jobs by name", mix.KINDS, mix.kind_rows(found), mix.NOTE).rich())
        rows_of_jobs = mix.narrow_rows(found.played[: mix.MOST_ROWS])
        listing().print(grid("Concurrent jobs, each", mix.NARROW, rows_of_jobs, left=2).rich())
    if found.queues:
        for queue in found.queues:
            print(f"queue {queue.name}: {queue_definition(queue) or 'no limits'}")
        listing().print(grid("Queues", QUEUE_HEAD, [queue_row(each) for each in found.queues]).rich())


def _show_points(found: WhatIf, quiet: bool) -> None:
    """One line, and unless `quiet` a row for each combination."""
    from assay.document.grid import grid
    from assay.report.render.console import listing
    from assay.throughput.what_if import POLICY
    from assay.verbs._throughput_what_if import show_over_seeds, until_lines
    from assay.verbs._throughput_words import failed_words, setting_words, time_of

    best = min(found.points, key=lambda point: point.result.mean_wait)
    words = ", ".join(f"{key}={value}" for key, value in best.setting.items())
    under = "" if POLICY in best.setting else f" under {best.result.policy}"
    print(f"{len(found.points)} combinations{under}; least mean wait {time_of(best.result.mean_wait)}: {words}")
    if failed := failed_words([point.result for point in found.points]):
        print(f"  {failed}")
    if found.until is not None:
        for line in until_lines(found.until):
            print(line)
    if quiet:
        return
    if found.over_seeds:
        show_over_seeds(found, under)
        return
    keys = list(best.setting)
    rows = [
        (
            *setting_words({key: point.setting[key] for key in keys}),
            time_of(point.result.makespan),
            f"{100 * point.result.utilisation:.1f}%",
            time_of(point.result.mean_wait),
            time_of(point.result.longest_wait),
            f"{point.result.bounded_slowdown:.4g}",
            *([f"{point.result.failed:,}"] if failed else []),
        )
        for point in found.points
    ]
    names = (key.rpartition(".")[2] for key in keys)
    headings = (*names, "makespan", "in use", "mean wait", "longest", "slowdown", *(["failed"] if failed else []))
    listing().print(grid(f"What if{under}", headings, rows, "Slowdown: bounded, the mean.", len(keys)).rich())
