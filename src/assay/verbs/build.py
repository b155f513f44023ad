"""`assay build`: compile benchmark programs ahead of a run, and say what was compiled, by what, and what was kept."""

from __future__ import annotations

import sys
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command()
    def build(
        names: Annotated[list[str] | None, typer.Argument(metavar="[BENCHMARK]...", help="default: all")] = None,
        json: Annotated[bool, typer.Option("--json", help="one JSON document")] = False,
    ) -> None:
        """Compile programs ahead, with CXX and CXXFLAGS and the site's mpicxx, as a run would."""
        from assay.benchmark.record import benchmark, benchmarks
        from assay.cli import emit
        from assay.execute import build as building
        from assay.execute.mpi import find_mpi

        records = [benchmark(name) for name in dict.fromkeys(names)] if names else list(benchmarks().values())
        mpi = find_mpi() if any(record.kind == "ranks" for record in records) else None
        left_out = []
        if mpi is None and not names:  # asked for everything: what needs an MPI waits until there is one
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
                    "cache": str(building.cache_root()),
                }
            )
            return
        for name, one in built.items():
            how = "kept from before" if one.cached else f"compiled in {one.seconds:.1f} s"
            print(f"{name:<16} {how:<22} {one.compiler} {one.flags}  {one.path}")
