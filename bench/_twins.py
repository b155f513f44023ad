"""Assay's message-passing programs and plain C twins of their inner loops, each pair in one job (pair.cpp, twins.c)."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.benchmark.record import benchmark, programs_root
from assay.errors import MeasurementError
from assay.execute.build import COMPILE_WITHIN
from assay.execute.compiler import find_compiler
from assay.execute.mpi import Mpi, launch_environment
from assay.execute.units import includes, make, shared, units_of
from bench._pairs import Trio

HERE = Path(__file__).parent
LIMIT = 120  # s, one launch


@dataclass(frozen=True)
class Twin:
    """One comparison: the twin's mode; our program with its settings; bytes, readings a block, operations a reading.

    Both have their buffers at the same offsets from a page's start, drawn by the launch, or at a fixed one where ours
    takes them as the allocator gives them.
    """

    mode: str
    program: str
    settings: tuple[str, ...]
    size: int
    readings: int
    batch: int
    metric: str = "time"
    offset: int | None = None
    blocks: int = 8


def offsets(seed: int) -> list[str]:
    """The seeded offsets of our programs' buffers (programs/ranks/buffers.hpp), so that both have the same."""
    found = []
    for rank in (0, 1):
        state = (seed * 2654435761 + rank) % 2**64
        for _ in ("out", "in"):
            state = (state + 0x9E3779B97F4A7C15) % 2**64
            bits = state
            bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
            bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB % 2**64
            found.append(str(8 * ((bits ^ (bits >> 31)) % 512)))
    return found


class Twins:
    """The compiled pairs, made in `folder`; `launch` is one job of two ranks."""

    def __init__(self, mpi: Mpi, folder: Path, programs: Sequence[str]) -> None:
        self.mpi, self.folder = mpi, folder
        # Long blocks of memory come from the kernel each time, as in a process that takes them once.
        self.environment = dict(launch_environment(os.environ)) | {"MALLOC_MMAP_THRESHOLD_": str(1 << 17)}
        objects = [self._object("mpicc", "twins.c", side, f"-DTWIN={side}") for side in ("plain", "again")]
        objects.append(self._object("mpicxx", "pair.cpp", "pair", "-std=c++20"))
        self.programs = {name: self._program(name, objects) for name in dict.fromkeys(programs)}

    def _object(self, wrapper: str, source: str, name: str, *flags: str) -> Path:
        made = self.folder / f"{name}.o"
        command = [str(Path(self.mpi.mpicxx).with_name(wrapper)), "-O3", "-march=native", *flags]
        ended = subprocess.run(
            [*command, "-c", str(HERE / source), "-o", str(made)], capture_output=True, text=True, env=self.environment
        )
        if ended.returncode:
            raise MeasurementError(f"{source} does not compile: {ended.stderr}")
        return made

    def _program(self, name: str, objects: Sequence[Path]) -> Path:
        """Assay's program as `assay build` makes it, with its main() under another name."""
        root, source = programs_root(), programs_root() / "mpi" / "main.cpp"
        ours = benchmark(name).path
        compiler, plain = find_compiler(mpi=self.mpi), find_compiler()
        _, sources = shared(includes([source, ours], root), root)
        units = units_of(sources, root, self.folder / "units", compiler, plain)
        for unit in units:
            make(unit, root, COMPILE_WITHIN)
        defines = {"ASSAY_PROGRAM": f'"{ours.relative_to(root)}"', "main": "assay_main"}
        made = self.folder / name
        body = self.folder / f"{name}.o"
        renamed = replace(compiler, flags=" ".join([compiler.flags, *(f"-D{k}='{v}'" for k, v in defines.items())]))
        renamed.make(name, renamed.object_command(source, body, root), body, COMPILE_WITHIN)
        link = [self.mpi.mpicxx, str(body), *(str(unit.object) for unit in units), *map(str, objects), "-pthread"]
        compiler.make(name, [*link, "-o", str(made)], made, COMPILE_WITHIN)
        return made

    def launch(self, twin: Twin, number: int) -> Trio:
        """One job: the medians, in seconds an operation, of the twin, of the twin again, and of ours."""
        places = offsets(number) if twin.offset is None else [str(twin.offset)] * 4
        settings = [word for setting in twin.settings for word in ("--set", setting)]
        counts = ["--batch", str(twin.batch), "--repetitions", str(twin.readings), "--blocks", "1"]
        with tempfile.TemporaryDirectory(dir=self.folder) as out:
            of_twin = [twin.mode, *map(str, (twin.size, twin.readings, twin.batch, twin.blocks, number)), *places, out]
            of_ours = [*settings, *counts, "--seed", str(number)]
            words = [self.mpi.mpiexec, "-n", "2", str(self.programs[twin.program]), *of_twin, *of_ours]
            try:
                ended = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT, env=self.environment)
            except subprocess.TimeoutExpired:
                raise MeasurementError(f"{' '.join(words)}: not done after {LIMIT} s; is the machine busy?") from None
            if ended.returncode:
                raise MeasurementError(f"{' '.join(words)}: {ended.stderr.strip()[-300:]}")
            files = [Path(out) / f"{block}.jsonl" for block in range(twin.blocks)]
            events = [json.loads(line) for file in files for line in file.read_text().splitlines()]
        said = [line.split() for line in ended.stdout.splitlines()]
        plain, again = ([float(value) for side, value in said if side == name] for name in ("plain", "again"))
        ours = [v for e in events if e["event"] == "block" and e["metric"] == twin.metric for v in e["values"]]
        wanted = twin.readings * twin.blocks
        if not len(plain) == len(again) == len(ours) == wanted:
            raise MeasurementError(
                f"{twin.mode}: {len(plain)}, {len(again)} and {len(ours)} readings, each should be {wanted}"
            )
        return statistics.median(plain), statistics.median(again), statistics.median(ours)
