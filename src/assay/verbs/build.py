"""`assay build`: compile benchmark programs ahead of a run, and say what was compiled, by what, and what was kept."""

from __future__ import annotations

import sys
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def build(
        names: Annotated[
            list[str] | None,
            typer.Argument(metavar="[BENCHMARK|FILE.hpp]...", help="default: all; a file: your own program"),
        ] = None,
        json: Annotated[bool, typer.Option("--json", help="one JSON document")] = False,
    ) -> None:
        """Compile programs ahead, with CXX and CXXFLAGS and the site's mpicxx, as a run would."""
        from pathlib import Path

        from assay.benchmark.own import cache_root
        from assay.benchmark.record import benchmark, benchmarks, take_in
        from assay.cli import emit
        from assay.execute import build as building
        from assay.execute.mpi import find_mpi

        own = {name: take_in(Path(name)) for name in names or () if name.endswith(".hpp")}
        chosen = [own.get(name) or benchmark(name) for name in dict.fromkeys(names or ())]
        records = chosen or list(benchmarks().values())
        mpi = find_mpi() if any(record.kind == "ranks" for record in records) else None
        left_out = []
        if mpi is None and not names:  # asked for everything: what needs an MPI waits until there is one
            left_out = [record.name for record in records if record.kind == "ranks"]
            records = [record for record in records if record.kind != "ranks"]
        for record in own.values():  # for described machines, also where there is no MPI
            building.build_for_simulator(record, progress=lambda text: print(text, file=sys.stderr))
        if mpi is None and own:
            left_out = [record.name for record in records if record.kind == "ranks"]
            records = [record for record in records if record.kind != "ranks"]
        built = building.build(records, mpi=mpi, progress=lambda text: print(text, file=sys.stderr))
        if left_out:
            print(f"left out for want of an MPI (assay doctor): {', '.join(left_out)}", file=sys.stderr)
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
        for name, one in built.items():
            how = "kept from before" if one.cached else f"compiled in {one.seconds:.1f} s"
            print(f"{name:<16} {how:<22} {one.compiler} {one.flags}  {one.path}")
