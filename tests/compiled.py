"""Programs compiled for tests as a run compiles them; what they share, and our own programs, is kept between tests."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

from assay.benchmark.own import cache_root
from assay.benchmark.record import programs_root, read_record
from assay.execute.build import build
from assay.execute.compiler import DEFAULT_FLAGS, find_compiler
from assay.execute.mpi import Mpi, launch_environment
from assay.execute.units import includes, objects_of, shared

WARNINGS = ("-Wall", "-Wextra", "-Werror")
SANITIZERS = "-O1 -fsanitize=address,undefined -fno-sanitize-recover=all"


def kept(name: str, *flags: str, own: bool = True) -> Path:
    """Our node program `name` ("memory/latency") with its record's `own` flags and `flags`; a warning is an error."""
    record = read_record(programs_root() / f"{name}.cpp")
    assert record is not None
    wished = [*WARNINGS, *(record.extra.get("flags", ()) if own else ("-Wno-unknown-pragmas",)), *flags]
    units = record.extra.get("unit", {})
    apart = {unit: {**about, "flags": [*WARNINGS, *about.get("flags", ()), *flags]} for unit, about in units.items()}
    extra = {"flags": wished, "libraries": record.extra.get("libraries", ()), "unit": apart}
    program = SimpleNamespace(name=record.name, path=record.path, kind=record.kind, extra=extra)
    return build([program], mpi=None)[record.name].path


def compile_to(
    out: Path, source: Path, *flags: str, base: str = DEFAULT_FLAGS, mpi: Mpi | None = None, more: Sequence[Path] = ()
) -> Path:
    """Compile `source`, which may lie anywhere, to `out`, with `flags` of its own beside `base`; `more`: other sources.

    Only what it shares with other programs, which is compiled with `base` alone, is kept.
    """
    root = programs_root()
    compiler, plain = (replace(find_compiler(mpi=each), flags=base) for each in (mpi, None))
    named = [Path(flag.split('"')[1]) for flag in flags if flag.startswith("-DASSAY_PROGRAM=")]
    _, sources = shared(includes([source, *more, *(root / each for each in named)], root), root)
    objects = objects_of(sources, root, cache_root() / "programs" / "units", compiler, plain, timeout=300)
    command = compiler.command(source, out, root, {}, [*more, *objects])
    subprocess.run([*command, *flags], check=True, env=launch_environment(os.environ))
    return out
