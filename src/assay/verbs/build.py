"""`assay build`: compile benchmark programs before a run, and report what was compiled, how, and what was cached."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from assay.verbs._options import Json, Quiet


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def build(
        names: Annotated[
            list[str] | None,
            typer.Argument(metavar="[BENCHMARK|FILE.hpp]...", help="default: all; a file: your own program"),
        ] = None,
        listed: Annotated[bool, typer.Option("--list", help="your own programs and their files")] = False,
        remove: Annotated[
            list[str] | None, typer.Option(metavar="NAME|FILE", help="forget a program of your own; its file stays")
        ] = None,
        quiet: Quiet = False,
        json: Json = False,
    ) -> None:
        """Compile programs ahead, with CXX and CXXFLAGS and the site's mpicxx, as a run would."""
        if listed or remove:
            _own(names, remove or [], quiet, json)
            return
        from pathlib import Path

        from assay.benchmark.own import cache_root
        from assay.benchmark.own import listed as listed_files
        from assay.benchmark.own import remove as forget_file
        from assay.benchmark.record import benchmark, benchmarks, take_in
        from assay.cli import emit
        from assay.errors import AssayError, MeasurementError
        from assay.execute import build as building
        from assay.execute.mpi import find_mpi
        from assay.execute.session import SetUpError

        def say(text: str) -> None:
            if not quiet:
                print(text, file=sys.stderr)

        known = set(listed_files())
        own = {name: take_in(Path(name)) for name in names or () if name.endswith(".hpp")}
        chosen = [own.get(name) or benchmark(name) for name in dict.fromkeys(names or ())]
        records = chosen or list(benchmarks().values())
        mpi = find_mpi() if any(record.kind == "ranks" for record in records) else None
        left_out = []
        if mpi is None and not names:  # everything was requested: what needs an MPI is built when there is one
            left_out = [record.name for record in records if record.kind == "ranks"]
            records = [record for record in records if record.kind != "ranks"]
        try:
            for record in own.values():  # for described machines, also where there is no MPI
                building.build_for_simulator(record, progress=say)
            if mpi is None and own:
                left_out = [record.name for record in records if record.kind == "ranks"]
                records = [record for record in records if record.kind != "ranks"]
            built = building.build(records, mpi=mpi, progress=say)
        except AssayError as error:  # what does not compile is taken in no more than what cannot be read
            for path in set(listed_files()) - known:
                forget_file(path)
            if isinstance(error, MeasurementError):  # as where a run refuses to begin: nothing was measured
                raise SetUpError(str(error)) from None
            raise
        if left_out:
            say(f"skipped, since there is no MPI (`assay doctor` shows how to get one): {', '.join(left_out)}")
        if json:
            emit(
                {
                    "programs": [
                        {
                            "benchmark": name,
                            "path": str(one.path),
                            "compiler": one.compiler,
                            "flags": one.flags,
                            "key": one.key,
                            "cached": one.cached,
                            "seconds": one.seconds,
                        }
                        for name, one in built.items()
                    ],
                    "left_out": left_out,
                    "mpi": mpi.describe() if mpi else None,
                    "cache": str(cache_root()),
                }
            )
            return
        if quiet:
            cached = sum(one.cached for one in built.values())
            counts = f"{len(built) - cached} compiled, {cached} up to date, {len(left_out)} skipped"
            print(f"{len(built)} programs: {counts}")
            return
        for name, one in built.items():
            how = "up to date" if one.cached else f"compiled in {one.seconds:.1f} s"
            print(f"{name:<16} {how:<22} {one.compiler} {one.flags}  {one.path}")


def _own(names: list[str] | None, removed: list[str], quiet: bool, json: bool) -> None:
    """List a person's own programs, after forgetting those named."""
    from assay.benchmark.owned import forget, own_programs
    from assay.cli import emit
    from assay.errors import InputError

    if names:
        raise InputError("compiles nothing", key="--list, --remove", value=names[0], accepted="no BENCHMARK or FILE")
    gone = [forget(name) for name in removed]
    programs = own_programs()
    if json:
        emit(
            {"programs": [vars(each) | {"path": str(each.path)} for each in programs], "removed": list(map(str, gone))}
        )
        return
    if quiet:
        unusable = sum(each.problem is not None for each in programs)
        print(f"{len(programs)} programs of your own, {unusable} unusable, {len(gone)} removed")
        return
    for path in gone:
        print(f"removed: {path} (the file itself stays)")
    for each in programs:
        print(f"{each.name:<16} {each.path}{'' if each.problem is None else f'  unusable: {each.problem}'}")
    if not programs:
        print("no programs of your own: assay build FILE.hpp adds one")
