"""Assay's programs and plain C twins of their inner loops, each pair in one process or one job (pair.cpp)."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from assay.benchmark.record import benchmark, programs_root
from assay.errors import MeasurementError
from assay.execute.build import COMPILE_WITHIN
from assay.execute.compiler import Compiler, find_compiler
from assay.execute.mpi import Mpi, launch_environment
from assay.execute.units import includes, make, shared, units_of

HERE = Path(__file__).parent
LIMIT = 300  # s, one launch
Readings = tuple[list[float], list[float], list[float]]  # s an operation: the plain program, the same again, ours


class Jobs:
    """The compiled pairs, made in `folder`: a C source with the twins, and our programs by name; over `mpi` or not."""

    def __init__(self, folder: Path, twins: str, programs: Sequence[str], mpi: Mpi | None = None) -> None:
        self.mpi, self.folder = mpi, folder
        # Long blocks of memory come from the kernel each time, as in a process that takes them once.
        self.environment = dict(launch_environment(os.environ)) | {"MALLOC_MMAP_THRESHOLD_": str(1 << 17)}
        self.compiler, self.shared_by = find_compiler(mpi=mpi), find_compiler()
        c = ["cc"] if mpi is None else [str(Path(mpi.mpicxx).with_name("mpicc"))]
        openmp = ["-fopenmp"] if mpi is None else []
        objects = [self._object([*c, *openmp, f"-DTWIN={side}"], twins, side) for side in ("plain", "again")]
        driver = [*self.compiler.words, "-std=c++20", *([] if mpi is None else ["-DBENCH_MPI"])]
        objects.append(self._object(driver, "pair.cpp", "pair"))
        self.programs = {name: self._program(name, objects) for name in dict.fromkeys(programs)}

    def _object(self, command: Sequence[str], source: str, name: str) -> Path:
        made = self.folder / f"{name}.o"
        words = [*command, "-O3", "-march=native", "-c", str(HERE / source), "-o", str(made)]
        ended = subprocess.run(words, capture_output=True, text=True, env=self.environment)
        if ended.returncode:
            raise MeasurementError(f"{source} does not compile: {ended.stderr}")
        return made

    def _program(self, name: str, objects: Sequence[Path]) -> Path:
        """Assay's program as `assay build` makes it, with its main() under another name."""
        root, record = programs_root(), benchmark(name)
        source = record.path if self.mpi is None else root / "mpi" / "main.cpp"
        _, sources = shared(includes([source, record.path], root), root)
        units = units_of(sources, root, self.folder / "units", self.compiler, self.shared_by)
        with ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
            list(pool.map(lambda unit: make(unit, root, COMPILE_WITHIN), units))
        defines = {"ASSAY_PROGRAM": f'"{record.path.relative_to(root)}"', "main": "assay_main"}
        own = [*record.extra.get("flags", ()), *(f"-D{key}='{value}'" for key, value in defines.items())]
        compiler: Compiler = replace(self.compiler, flags=" ".join([self.compiler.flags, *own]))
        body, made = self.folder / f"{name}.o", self.folder / name
        compiler.make(name, compiler.object_command(source, body, root), body, COMPILE_WITHIN)
        linked = [str(body), *(str(unit.object) for unit in units), *map(str, objects)]
        openmp = ["-fopenmp"] if self.mpi is None else []
        link = [*compiler.words, *linked, *openmp, "-pthread", "-o", str(made)]
        compiler.make(name, link, made, COMPILE_WITHIN)
        return made

    def launch(
        self,
        program: str,
        words: Sequence[str],
        options: Sequence[str],
        *,
        metric: str,
        blocks: int,
        readings: int,
        seed: int,
        ranks: int = 2,
    ) -> Readings:
        """One launch: `words` for the twin, `options` for our program, of which `metric` counts."""
        before = [] if self.mpi is None else [self.mpi.mpiexec, "-n", str(ranks)]
        counts = ["--repetitions", str(readings), "--blocks", "1", "--seed", str(seed)]
        with tempfile.TemporaryDirectory(dir=self.folder) as out:
            pair = [str(self.programs[program]), str(blocks), str(readings), str(seed), out]
            command = [*before, *pair, *words, "--", *options, *counts]
            try:
                ended = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, env=self.environment)
            except subprocess.TimeoutExpired:
                said = " ".join(command)
                raise MeasurementError(f"{said}: not done after {LIMIT} s; is the machine busy?") from None
            if ended.returncode:
                raise MeasurementError(f"{' '.join(command)}: {ended.stderr.strip()[-300:]}")
            files = [Path(out) / f"{block}.jsonl" for block in range(blocks)]
            events = [[json.loads(line) for line in file.read_text().splitlines()] for file in files]
        said_by = [line.split() for line in ended.stdout.splitlines()]
        plain, again = ([float(value) for side, value in said_by if side == name] for name in ("plain", "again"))
        ours = [value for block in events for value in _values(block, metric)[:readings]]
        if not len(plain) == len(again) == len(ours) == readings * blocks:
            raise MeasurementError(
                f"{program}: {len(plain)}, {len(again)} and {len(ours)} readings, not {readings * blocks} each"
            )
        return plain, again, ours


def _values(events: Sequence[dict[str, object]], metric: str) -> list[float]:
    """The readings of a block; a look may come some readings later than asked."""
    found = [e["values"] for e in events if e["event"] == "block" and e["metric"] == metric]
    return [float(value) for values in found if isinstance(values, list) for value in values]
