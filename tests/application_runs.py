"""What the tests of applications share: a machine with rates, runs of it and over MPI, and programs with a defect."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.benchmark.record import benchmark, read_record
from assay.described.machine_file import load
from assay.execute.build import build
from assay.execute.compiler import find_compiler
from assay.execute.units import digest_of, includes, shared
from compiled import made_once, own_cache
from mpis_here import MPI, start_ranks
from started import play, words

ONCE = ("--repetitions", "1")
ROOT = Path(__file__).resolve().parent.parent


def constant_with(folder: Path, *kernels: str) -> dict[str, Any]:
    """A machine on which a message takes 70 us and .4 us per byte, and a unit of each kernel's work 1 ns."""
    file = folder / "constant.toml"
    rates = "\n[compute.rate]\n" + "".join(f'{kernel} = "1 Gflop/s"\n' for kernel in kernels)
    file.write_text((ROOT / "examples" / "constant.toml").read_text() + rates)
    return load(file).for_core()


def events(text: str, kind: str) -> list[dict[str, Any]]:
    """The events of one kind of a program's lines."""
    found = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    return [event for event in found if event["event"] == kind]


def only_check(text: str) -> dict[str, Any]:
    (found,) = events(text, "check")
    return found


def sets(given: tuple[str, ...]) -> list[str]:
    """KEY=VALUE, each as an option."""
    return [word for each in given for word in ("--set", each)]


def on_machine(name: str, machine: dict[str, Any], ranks: int, *given: str, options: tuple[str, ...] = ()) -> str:
    """The lines of a program on a described machine; `given`: KEY=VALUE."""
    return play(name, machine, ranks, [*sets(given), *options])


def built(name: str) -> Path:
    assert MPI is not None
    return build([benchmark(name)], mpi=MPI)[name].path


def over_mpi(name: str, program: Path, ranks: int, *given: str, options: tuple[str, ...] = ()) -> str:
    """The lines of one block of a program over MPI, whether its check passes or not."""
    assert MPI is not None
    line = [*words(name, *sets(given)), "--blocks", "1", *options, "--deadline", "100"]
    found = start_ranks(MPI, ranks, program, *line)
    assert found.returncode in (0, 1), found.stderr
    return found.stdout


def broken(folder: Path, name: str, source: str, right: str, wrong: str) -> Path:
    """The program with one defect: `wrong` in place of `right`, which is in its source once.

    What it shares with the right program is not compiled again.
    """
    programs = folder.resolve() / "programs"
    shutil.copytree(ROOT / "programs", programs)
    file = programs / "applications" / name / source
    text = file.read_text()
    assert text.count(right) == 1
    file.write_text(text.replace(right, wrong))
    record = read_record(programs / "applications" / f"{name}.hpp")
    assert record is not None and MPI is not None
    by = replace(find_compiler(mpi=MPI), flags="-O0")
    files, _ = shared(includes([programs / "mpi" / "main.cpp", record.path], programs), programs)

    def make_it(fresh: Path) -> None:
        made = build([record], mpi=MPI, root=programs, cache=own_cache(folder / "cache"), by=by)
        shutil.copy(made[name].path, fresh)

    return made_once(name, digest_of(by, files, root=programs), make_it)
