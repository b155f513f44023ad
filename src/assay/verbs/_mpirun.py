"""What `assay mpirun` does: checks the request, runs the program into a run's folder, and reports."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.benchmark.record import MPI_PROGRAM, mpi_program
from assay.cli import emit
from assay.described.shipped import open_described
from assay.document.json_form import to_json
from assay.errors import AssayError, InputError, InterruptError
from assay.execute import session
from assay.execute.plan import Plan, Task
from assay.machine.provenance import provenance
from assay.mpi import fabric, limits, needs, recorded, request
from assay.mpi.launch import MpiLaunch, Request
from assay.mpi.library import NAME, library
from assay.mpi.target import MpiTarget
from assay.report.derive.document import document
from assay.store import Run
from assay.stored.run_names import checked_label
from assay.verbs import _file_names
from assay.verbs._output_files import check_outputs
from assay.verbs._repeated_option import each_once

LIBRARIES = ("own", "mpich")
NO_LIMIT = 1e9  # s
DEFAULT_COLLECTIVES = "mpich-3"  # of a description without [mpi] (core/mpi/serve.cpp)


@dataclass(frozen=True)
class Wish:
    """The command's options."""

    words: Sequence[str]
    on: str | None
    ranks: int
    ppn: str | None
    placement: str | None
    seed: int
    library: str
    compute: str
    settings: Sequence[str]
    variables: Sequence[str]
    folder: Path | None
    timeline: Path | None
    matrix: Path | None
    goal: Path | None
    out: Path | None
    label: str | None
    tag_output: bool
    quiet: bool
    json: bool


def _say(wish: Wish, text: str) -> None:
    if not wish.quiet:
        print(f"assay: {text}", file=sys.stderr, flush=True)


def check(wish: Wish) -> int:
    """Report which functions the program needs; 1 where some are missing or it is of another MPI."""
    words = request.program(wish.words)
    _known_library(wish.library)
    mpich = fabric.find_mpich() if wish.library == "mpich" else None
    folder = library(lambda text: _say(wish, text)) if mpich is None else mpich.libraries
    found = needs.needs_of(Path(words[0]), folder, weak=mpich is not None)
    good = not (found.missing or found.other)
    if wish.json:
        emit({"program": words[0], "there": found.there, "missing": found.missing, "other": found.other,
              "clocks": found.clocks, "shared_memory": found.shared, "valid": good})  # fmt: skip
    else:
        print(found.line(words[0], "Assay's library" if mpich is None else "MPICH"))
        for each in needs.warnings(found.clocks, found.shared):
            print(f"{words[0]}: {each}")
    return 0 if good else 1


def run(wish: Wish) -> int:
    """Run the program; its exit status."""
    target, plan = _prepared(wish)
    if wish.label is not None:
        checked_label(wish.label)
    ours = wish.out is None and not Path("runs").exists()
    made = Run.create(wish.out, _about(wish, target, plan))
    records = {MPI_PROGRAM: mpi_program()}
    try:
        failures = session.do(made, plan, target, records=records)
    except InputError:
        made.discard()
        if ours:
            with contextlib.suppress(OSError):
                Path("runs").rmdir()
        raise
    except BaseException as error:
        with contextlib.suppress(AssayError):
            made.finish("interrupted")
        if isinstance(error, KeyboardInterrupt):
            raise InterruptError("interrupted: the program was ended") from None
        raise
    made.finish("failed" if failures else "done")
    return _report(wish, target, made, failures)


def _prepared(wish: Wish) -> tuple[MpiTarget, Plan]:
    """All that can be refused before anything is written is refused here."""
    if wish.on is None:
        raise InputError("is missing", key="--on", accepted="a described machine: `assay catalogue --described`")
    _known_library(wish.library)
    words = request.program(wish.words)
    factor = request.factor_of(wish.compute)
    written = {"--timeline": wish.timeline, "--matrix": wish.matrix, "--goal": wish.goal}
    check_outputs(written, {"PROGRAM": Path(words[0])})
    _file_names.check_suffix("--goal", wish.goal, "GOAL, text", _file_names.GOAL)
    each_once(list(wish.settings))
    description = open_described(wish.on, request.overrides(wish.settings))
    placement = None if wish.placement is None else (wish.placement, wish.seed)
    ppn = request.per_node_of(wish.ppn)
    machine, places, processors = request.places_of(description, wish.ranks, ppn, placement)
    if wish.folder is not None and not wish.folder.is_dir():
        raise InputError("is no folder", key="--wdir", value=str(wish.folder), accepted="a folder")
    if wish.folder is not None and os.sep in words[0]:
        words[0] = str(Path(words[0]).absolute())
    mpich = fabric.find_mpich() if wish.library == "mpich" else None
    _refuse_others(words[0], mpich)
    _warn(wish, words[0])
    limits.check(wish.ranks, mpich is not None)
    if mpich is None:
        folder = library(lambda text: _say(wish, text))
    elif factor:
        raise InputError(
            "cannot be charged under MPICH, whose own computing is in it", key="--compute", value=wish.compute,
            accepted="none",
        )  # fmt: skip
    else:
        folder = fabric.provider(lambda text: _say(wish, text))
    logged = wish.timeline is not None or wish.matrix is not None
    request_of_run = Request(
        words,
        machine,
        places,
        processors,
        factor,
        in_regions=request.in_regions(wish.compute),
        logged=logged,
        traced=wish.goal is not None,
        output=2 if wish.json else 1,
        environment=request.environment(wish.variables),
        folder=wish.folder,
        marks=mpich is None,
        mpich=mpich,
        tag_output=wish.tag_output,
    )
    task = Task(MPI_PROGRAM, 0, wish.seed, wish.ranks, tuple(words), NO_LIMIT)
    target = MpiTarget(description, request_of_run, folder, wish.compute, wish.timeline, wish.matrix, wish.goal)
    return target, Plan("quick", 1, wish.seed, (task,))


def _known_library(name: str) -> None:
    if name not in LIBRARIES:
        raise InputError("no such library", key="--library", value=name, accepted=", ".join(LIBRARIES))


def _refuse_others(program: str, mpich: fabric.Mpich | None) -> None:
    """A program that is linked to another MPI's own interface would not start these ranks."""
    try:
        other = needs.other_mpi(Path(program), *(() if mpich is None else mpich.interfaces))
    except InputError:
        return  # a script, perhaps, which starts the program
    if other is None:
        return
    by_mpich = f", or, as it is, with --library mpich ({fabric.PLACE})" if other.startswith(needs.OF_MPICH) else ""
    raise InputError(
        f"is linked to {other}, which is not MPI's standard ABI",
        key="PROGRAM",
        value=program,
        accepted=f"a program that needs {NAME}: {needs.AGAIN}{by_mpich if mpich is None else ''}",
    )


def _warn(wish: Wish, program: str) -> None:
    """Name functions that know nothing of the machine; nothing of a script, which starts the program perhaps."""
    with contextlib.suppress(InputError):
        for each in needs.warnings_of(Path(program)):
            _say(wish, f"{program} uses {each}")


def _about(wish: Wish, target: MpiTarget, plan: Plan) -> dict[str, object]:
    return {
        **({} if wish.label is None else {"label": wish.label}),
        "command": sys.argv[1:],
        "plan": plan.to_dict(),
        "profile": plan.profile,
        "machine": target.machine,
        "described": True,
        "host": provenance(),
        "discovered": None,
        "program": list(target.request.words),
        "collectives": _collectives(target),
    }


def _collectives(target: MpiTarget) -> str:
    """Whose algorithms collective calls use: MPICH's own, or those of the description's personality."""
    if target.request.mpich is not None:
        return "mpich"
    described = target.request.machine.get("mpi") or {}
    named = described.get("personality") if isinstance(described, Mapping) else described
    return str(named) if named else DEFAULT_COLLECTIVES


def _report(wish: Wish, target: MpiTarget, made: Run, failures: Sequence[session.Failure]) -> int:
    launch = target.launched
    reason = failures[0].reason if launch is None else recorded.reason(launch)
    status = 0 if reason is None else 1 if launch is None else launch.exit_status or 1
    if wish.goal is not None and launch is not None:
        status = _report_goal(wish, wish.goal, target, launch) or status
    if wish.json:
        whole = document(made, quoted_nodes=False)
        section = next((each for each in whole.benchmarks if each.benchmark == MPI_PROGRAM), None)
        flat = {key: value for key, value in to_json(whole).items() if key != "benchmarks"}
        flat |= {"benchmark": MPI_PROGRAM, "figures": [], "headlines": []} if section is None else to_json(section)
        flat |= {
            "valid": reason is None,
            "program": list(target.request.words),
            "library": wish.library,
            "collectives": _collectives(target),
            "compute": wish.compute,
            "exits": [] if launch is None else [_exit(each) for each in launch.statuses],
            "reason": reason,
        }
        emit(flat)
    if reason is not None and not reason.startswith("exit status"):
        print(f"assay: {wish.words[0]}: {reason}", file=sys.stderr, flush=True)
    elif launch is not None and not wish.json:
        took = launch.served.makespan * recorded.PICO
        whose = "Assay's own MPI library" if wish.library == "own" else "MPICH"
        _say(wish, f"{took:.9g} s on {target.machine}, {whose}; {_shown(made.folder)}")
    return status


def _report_goal(wish: Wish, path: Path, target: MpiTarget, launch: MpiLaunch) -> int:
    """Why replaying the schedule takes another time, or why there is none; 1 where that is GOAL's fault."""
    served = launch.served
    if served.lacks:
        print(f"assay: {path}: not written, as a GOAL schedule does not have {served.lacks}", file=sys.stderr)
        return 1
    if not served.goal:
        return 0
    unlike = [*served.unlike, *request.placed_unlike(target.description, target.request.places, wish.ppn)]
    if unlike:
        _say(wish, f"{path}: replaying it may take another time than this run: {'; '.join(unlike)}")
    return 0


def _exit(status: int | None) -> int | None:
    return None if status is None else os.waitstatus_to_exitcode(status)


def _shown(folder: Path) -> str:
    with contextlib.suppress(ValueError):
        return str(folder.relative_to(Path.cwd()))
    return str(folder)
