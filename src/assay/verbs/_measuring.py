"""What the verbs that measure share: the run's folder, the progress display, the state at the end."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay import trusted
from assay.benchmark.record import benchmark
from assay.errors import AssayError, InputError, InterruptError
from assay.execute import session
from assay.execute.budget import Cut, TimeBound, bounded_start, fitted
from assay.execute.libraries import refuse_missing
from assay.execute.plan import Plan
from assay.execute.preflight import resource_notices
from assay.execute.preflight_nodes import enough_nodes
from assay.execute.run_request import RunRequest
from assay.execute.session import Failure
from assay.machine.provenance import provenance
from assay.report.derive.budget import words
from assay.since_start import command_began, slowed
from assay.store import Run, storage_failed
from assay.stored.run_names import checked_label
from assay.verbs._progress import ProgressCallbacks, shown
from assay.verbs._stopping_rule import Spent

if TYPE_CHECKING:
    from assay.machine.discovery import Host


_ACTED_UPON = ("run.json", "journal.jsonl", "lock", "launches", "log", "provenance")


def prepare_run(request: RunRequest) -> tuple[Plan, session.Target]:
    """What will be done, and where; all that can be refused before a folder is made is refused here."""
    with bounded_start(request.budget):
        plan, where = request.plan(), request.target()
        if request.on is None:
            enough_nodes(plan, request.via, request.nodes)
        where.admit([benchmark(name) for name in request.names])
        for name in request.names if request.on is None else ():
            refuse_missing(benchmark(name), request.settings)
        return plan, where


def cut_to_budget(plan: Plan, where: session.Target) -> tuple[Plan, Cut | None, TimeBound | None]:
    """What of a plan fits into its budget, what is cut, and the bound on the rest; as it is where it has none.

    InputError with the least budget where nothing fits.
    """
    bound = _bound(plan, where)
    if bound is None:
        return plan, None, None
    fitting, cut = fitted(plan, bound.records, bound.takes)
    return fitting, cut, replace(bound, plan=fitting)


def _bound(plan: Plan, where: session.Target) -> TimeBound | None:
    """The bound on a plan, which began with the command; None where it has no budget."""
    if plan.budget is None:
        return None
    from assay.execute.duration import expect_durations
    from assay.store import known_runs

    began = command_began()
    records = {name: benchmark(name) for name in dict.fromkeys(task.benchmark for task in plan.tasks)}
    takes = {name: each.seconds for name, each in expect_durations(plan, records, where.machine, known_runs()).items()}
    return TimeBound(plan, records, takes, began=began, slowed=slowed())


def measure(
    request: RunRequest,
    out: Path | None,
    *,
    label: str | None = None,
    left_out: Sequence[dict[str, str]] = (),
    quiet: bool = False,
) -> tuple[Run, list[Failure]]:
    """Plan and measure into a new run; `left_out`: what cannot be measured here, and why.

    InputError where it is refused; what is refused in the first launch, by its program or its simulation, leaves no
    run either.
    """
    if label is not None:
        checked_label(label)
    plan, where = prepare_run(request)
    plan, cut, bound = cut_to_budget(plan, where)
    note = "" if cut is None else words(cut.to_dict())
    if request.on is None and not quiet:
        records, here = map(benchmark, request.names), request.via in (None, "local")
        for line in resource_notices(
            records, request.profile, request.settings, here=here, folders=request.folders(), ranks=plan.most_ranks
        ):
            print(line, file=sys.stderr)
    for line in () if quiet else [*request.raised(), *([note] if note else [])]:
        print(line, file=sys.stderr)
    about = {"left_out": list(left_out), **({} if cut is None else {"budget": cut.to_dict()})}
    parent_is_ours = out is None and not Path("runs").exists()
    run = begun(request, plan, where, out, label=label, about=about)
    try:
        return run, proceed(run, plan, where, quiet, bound)
    except InputError as error:
        refused = request.on is not None or isinstance(error, session.RefusedError | session.SetUpError)
        if refused and not session.finished_tasks(run):
            run.discard()
            if parent_is_ours:
                with contextlib.suppress(OSError):
                    Path("runs").rmdir()
        raise


def begun(
    request: RunRequest,
    plan: Plan,
    where: session.Target,
    out: Path | None,
    *,
    label: str | None = None,
    about: Mapping[str, object],
) -> Run:
    """Create the folder of a run; `about`: further keys of its record."""
    with bounded_start(request.budget):
        found = None if request.on is not None else _here()  # a described machine's results do not depend on this one
    record = {
        **({} if label is None else {"label": label}),
        "command": sys.argv[1:],
        "wishes": request.to_dict(),
        "plan": plan.to_dict(),
        "profile": request.profile,
        "machine": where.machine,
        "described": request.on is not None,
        "host": provenance() | ({} if found is None else {"flags": found.processors.flags}),
        "discovered": None if found is None else found.model_dump(mode="json"),
        **about,
    }
    return Run.create(out, record)


def _here() -> Host:
    from assay.execute.mpi import find_mpi
    from assay.machine.discovery import discover

    return discover(find_mpi)


def resume(run: Run, quiet: bool = False) -> list[Failure]:
    """Resume a run where it was interrupted. InputError where it holds no plan, or this is another machine."""
    from pydantic import ValidationError

    for each in (run.folder, *(run.folder / name for name in _ACTED_UPON)):
        trusted.check(each, key="--resume", above=None if each == run.folder else run.folder)
    run.hold()
    try:
        request = RunRequest.from_dict(run.about.get("wishes") or {})
        plan = Plan.from_dict(run.about.get("plan") or {})
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(
            "has no plan",
            file=run.folder / "run.json",
            key=".".join(map(str, first["loc"])) or "request and plan",
            value=first["input"],
            accepted=first["msg"],
        ) from None
    where = request.target()
    return proceed(run, plan, where, quiet, _rest(run, plan, where))


def _rest(run: Run, plan: Plan, where: session.Target) -> TimeBound | None:
    """The bound of a run that is resumed: what its launches took counts."""
    bound = _bound(plan, where)
    if bound is not None:
        bound.spent = sum(float(each.get("seconds") or 0.0) for each in run.entries() if each["event"] == "ended")
    return bound


def proceed(
    run: Run, plan: Plan, where: session.Target, quiet: bool = False, bound: TimeBound | None = None
) -> list[Failure]:
    """Measure the rest of a plan within its budget, showing progress."""
    quietly = contextlib.nullcontext(
        ProgressCallbacks(lambda text: None, lambda name: None)
    )  # the last line counts what failed
    with quietly if quiet else shown(plan.tasks, len({task.benchmark for task in plan.tasks})) as progress:
        try:
            say, advance, begin = progress.say, progress.advance, progress.begin
            failures = session.do(
                run, plan, where, say=say, advance=advance, begin=begin, looks=Spent.of(plan, bound), bound=bound
            )
        except (session.AnotherMachineError, session.SetUpError):
            raise  # nothing was begun
        except BaseException as error:  # also Ctrl-C: the run is marked as ended early, and can be resumed
            if run.about.get("state") == "running":  # else it was not taken up again, and is as it was
                with contextlib.suppress(AssayError):
                    run.finish("failed" if isinstance(error, session.RefusedError) else "interrupted")
            if isinstance(error, KeyboardInterrupt):
                kept = f"finished launches are stored; to resume: assay evaluate --resume {run.folder}"
                raise InterruptError(f"interrupted; {kept}") from None
            if isinstance(error, OSError) and _is_of(error, run.folder):
                storage_failed(error, Path(error.filename), run.folder)
            raise
        finally:
            where.close()
    _name_machine(run)
    wrong = run.finish("failed" if failures else "done")
    if wrong:
        run.warn(f"{run.folder}: is not done: {wrong[0]}; `assay evaluate --resume` does these launches again")
    return failures + [Failure("", "", text) for text in wrong]


def _is_of(error: OSError, folder: Path) -> bool:
    """Whether an error is about a file of a run."""
    return isinstance(error.filename, str) and folder in Path(error.filename).parents


def _name_machine(run: Run) -> None:
    """Name the run after the host that measured, if it was one: a launcher may have started it on another host."""
    from assay.report.derive.hosts import hosts

    measured = hosts(run)
    if len(measured) == 1:
        run.about["machine"] = next(iter(measured))
