"""Assay's programs and plain C twins of their inner loops, each pair in one process or one job (pair.cpp)."""

from __future__ import annotations

import os
import random
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.benchmark.own import cache_root
from assay.benchmark.record import benchmark, programs_root
from assay.benchmark.resolved import program_words
from assay.errors import MeasurementError
from assay.execute.build import COMPILE_WITHIN
from assay.execute.compiler import Compiler, find_compiler
from assay.execute.libraries import FoundLibrary, find, missing_message, with_libraries
from assay.execute.mpi import Mpi, launch_environment
from assay.execute.units import includes, make, objects_of, own_units, shared, unit_source
from bench._program_output import output_lines
from bench._program_output import readings as readings_in

HERE = Path(__file__).parent
# Where code and data lie decides some per cent of a loop's time (Mytkowicz et al. 2009): each program is linked in so
# many drawn orders, with gaps of drawn lengths between its PADS parts, and the launches take turns.
LAYOUTS, PADS = 10, 4
Readings = tuple[list[float], list[float], list[float]]  # s an operation: the plain program, the same again, ours


@dataclass(frozen=True)
class Counts:
    """Of one launch: blocks, readings per block, its seed, ranks, and the seats that they keep to (pair.cpp)."""

    blocks: int
    readings: int
    seed: int
    ranks: int = 2
    seats: str = ""


class Jobs:
    """The compiled pairs, made in `folder`: a C source with the twins, and our programs by name; over `mpi` or not.

    Behind a program's name may stand flags for what it has compiled apart, its kernels: `vectors -O2`.
    """

    def __init__(
        self, folder: Path, twins: str, programs: Sequence[str], mpi: Mpi | None = None, libraries: Sequence[str] = ()
    ) -> None:
        """`libraries`: what the twins call (`execute/libraries.py`); MeasurementError where one is not here."""
        self.mpi, self.folder = mpi, folder
        self.libraries = [self._library(name) for name in libraries]
        # Long blocks of memory come from the kernel each time, as in a process that takes them once.
        self.environment = dict(launch_environment(os.environ)) | {"MALLOC_MMAP_THRESHOLD_": str(1 << 17)}
        self.compiler, self.shared_by = find_compiler(mpi=mpi), find_compiler()
        c = ["cc"] if mpi is None else [str(Path(mpi.mpicxx).with_name("mpicc"))]
        self.openmp = ["-fopenmp"] if mpi is None else []
        c += [*self.openmp, *(flag for library in self.libraries for flag in library.flags)]
        objects = [self._object([*c, f"-DTWIN={side}"], twins, side) for side in ("plain", "again")]
        driver = [*self.compiler.words, "-std=c++20", *([] if mpi is None else ["-DBENCH_MPI"])]
        objects.append(self._object(driver, "pair.cpp", "pair"))
        self.pads = [self._pad(layout) for layout in range(LAYOUTS)]
        self.programs = {name: self._program(name, objects) for name in dict.fromkeys(programs)}

    def _object(self, command: Sequence[str], source: str, name: str) -> Path:
        made = self.folder / f"{name}.o"
        words = [*command, "-O3", "-march=native", "-c", str(HERE / source), "-o", str(made)]
        ended = subprocess.run(words, capture_output=True, text=True, env=self.environment)
        if ended.returncode:
            raise MeasurementError(f"{source} does not compile: {ended.stderr}")
        return made

    def _library(self, name: str) -> FoundLibrary:
        found = find(name, find_compiler())
        if found is None:
            raise MeasurementError(missing_message(name))
        return found

    def _pad(self, layout: int) -> list[Path]:
        """Objects of drawn lengths, to lie between those of a program."""
        draw = random.Random(layout)
        found = []
        for place in range(PADS):
            source = self.folder / f"pad-{layout}-{place}.c"
            skips = (f".{section}\\n.skip {16 * draw.randrange(256)}" for section in ("text", "bss"))
            source.write_text('__asm__("' + "\\n".join((*skips, ".text")) + '");\n')
            found.append(self._object(["cc"], str(source), source.stem))
        return found

    def _program(self, words: str, objects: Sequence[Path]) -> list[Path]:
        """Assay's program as `assay build` makes it, with its main() under another name."""
        name, *kernel_flags = words.split()
        root, record = programs_root(), benchmark(name)
        source = record.path if self.mpi is None else root / "mpi" / "main.cpp"
        wished = record.extra.get("unit", {})
        apart = {unit_source(about, record.path, root) for about in wished.values()}
        _, sources = shared(includes([source, record.path], root), root, apart)
        kept = cache_root() / "programs" / "units"  # the very objects that runs are linked with
        units = objects_of(sources, root, kept, self.compiler, self.shared_by, COMPILE_WITHIN)
        kernels_by = replace(self.shared_by, flags=" ".join([self.shared_by.flags, *kernel_flags]))
        own_by = (root, kept, kernels_by)
        for unit in own_units(wished, record.path, *own_by, lambda compiler, flag: True):
            make(unit, root, COMPILE_WITHIN)
            units.append(unit.object)
        defines = {"ASSAY_PROGRAM": f'"{record.path.relative_to(root)}"', "main": "assay_main"}
        own = [*record.extra.get("flags", ()), *(f"-D{key}='{value}'" for key, value in defines.items())]
        compiler: Compiler = replace(self.compiler, flags=" ".join([self.compiler.flags, *own]))
        compiler, _ = with_libraries(compiler, record.extra.get("libraries", ()))
        links = [word for library in self.libraries for word in library.links]
        body = self.folder / f"{name}.o"
        compiler.make(name, compiler.object_command(source, body, root), body, COMPILE_WITHIN)
        found = []
        for layout, pads in enumerate(self.pads):
            parts = [*zip(pads, (body, *objects), strict=True)]
            random.Random(layout).shuffle(parts)
            made = self.folder / f"{'-'.join([name, *kernel_flags])}-{layout}"
            linked = [*(part for pair in parts for part in pair), *units]
            link = [*compiler.words, *map(str, linked), *self.openmp, "-pthread", "-o", str(made), *links]
            compiler.make(name, link, made, COMPILE_WITHIN)
            found.append(made)
        return found

    def launch(
        self, program: str, words: Sequence[str], options: Sequence[str], metric: str, counts: Counts
    ) -> Readings:
        """One launch: `words` for the twin, `options` for our program, of which `metric` counts."""
        before = [] if self.mpi is None else [self.mpi.mpiexec, "-n", str(counts.ranks)]
        blocks, readings, seed = counts.blocks, counts.readings, counts.seed
        per_block = ["--repetitions", str(readings), "--blocks", "1", "--seed", str(seed)]
        with tempfile.TemporaryDirectory(dir=self.folder) as out:
            made = str(self.programs[program][seed % LAYOUTS])
            pair = [made, *map(str, (blocks, readings, seed, out, counts.seats))]
            record = benchmark(program.partition(" ")[0])
            command = [*before, *pair, *words, "--", *program_words(record, [*options, *per_block])]
            by_side = [line.split() for line in output_lines(command, self.environment)]
            files = [(Path(out) / f"{block}.jsonl").read_text().splitlines() for block in range(blocks)]
        plain, again = ([float(value) for side, value in by_side if side == name] for name in ("plain", "again"))
        # a look may come some readings later than asked
        ours = [value for lines in files for value in readings_in(lines, metric)[:readings]]
        if not len(plain) == len(again) == len(ours) == readings * blocks:
            raise MeasurementError(
                f"{program}: {len(plain)}, {len(again)} and {len(ours)} readings, not {readings * blocks} each"
            )
        return plain, again, ours
