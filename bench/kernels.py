"""`./x bench kernels`: kernels against plain C that calls OpenBLAS and FFTW, roofs against assembly and likwid-bench.

method.md, rule 9, thirty launches. A launch runs both programs, and the plain one twice (A/A), block by block in random
order (pair.cpp), on one hardware thread, with the same sizes, counts and readings; the best reading of a launch counts,
as of any kernel whose every delay comes from outside. Wanted of our speed over the plain program's: 0.97 for the matrix
product and for the transform through FFTW, 0.95 for our dot product and axpy in the first cache, and for LINPACK; 0.99
for loads from the first cache and multiply-adds, whose plain program is a loop written in assembly language: what this
core gives at that moment, which is less than its architecture's limit where a neighbour's thread shares its units.
`--likwid PATH`: roofs in the first cache, 0.97 of likwid-bench's. Beside: vectors per cycle over what the architecture
allows, the median and the best of the blocks. `--launches N` is for a quick look and claims nothing.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from assay.analysis.comparison import Comparison
from assay.benchmark.record import benchmark
from assay.benchmark.resolved import program_words
from assay.errors import MeasurementError
from assay.execute.build import build
from bench._jobs import Counts, Jobs
from bench._likwid_roofs import Roof, roofs
from bench._pairs import Trio, against, against_itself, in_one_launch
from bench._program_output import output_lines, readings

FIRST_CACHE = Path("sys/devices/system/cpu/cpu0/cache/index0/size")
LINPACK = 8000
AS_OPENBLAS = "-mprefer-vector-width=512 -funroll-loops"


@dataclass(frozen=True)
class Match:
    """One comparison: the plain program's mode, ours with its settings, the elements, operations per reading."""

    mode: str
    program: str
    settings: tuple[str, ...]
    size: int
    times: int  # calls a reading
    wanted: float | None  # of our speed over the plain program's; None: to be seen beside another
    elements: bool = False  # one operation of ours is an element, not a call
    metric: str = "time"
    readings: int = 8
    blocks: int = 6

    @property
    def name(self) -> str:
        """As it is printed: its size, and with which flags the kernel was compiled beside the usual ones."""
        flags = self.program.partition(" ")[2]
        return f"{self.mode} of {self.size}{f', {flags}' if flags else ''}"

    def launch(self, jobs: Jobs, number: int) -> Trio:
        """The plain program, the same again and ours, s an operation, each reduced to its best reading."""
        words = [self.mode, str(self.size), str(self.times)]
        options = [word for setting in self.settings for word in ("--set", setting)]
        options += ["--batch", str(self.times * (self.size if self.elements else 1))]
        counts = Counts(self.blocks, self.readings, seed=number, seats="0")
        plain, again, ours = jobs.launch(self.program, words, options, self.metric, counts)
        return min(plain), min(again), min(ours)


def matches(linpack: int, flags: Sequence[str]) -> list[Match]:
    """All comparisons on a processor with these flags; `linpack`: rows of its matrix."""
    first = first_cache() // 4 // 8 // 128 * 128  # two vectors fill half of it, as inner-product has them
    library = ("code=library", "threads=1")
    dot = ("form=vectorised", "type=float64", "place=cache", "threads=1")
    axpy = ("kernel=axpy", "access=contiguous", f"length={first}")
    return [
        Match("gemm", "gemm", (*library, "type=float64", "size=512"), 512, 1, 0.97),
        Match("fft", "fft", ("code=library", "size=65536"), 65536, 4, 0.97),
        Match("dot", "inner-product", dot, first, 5000, 0.95, elements=True),
        *(Match("axpy", program, axpy, first, 5000, wanted, elements=True) for program, wanted in axpy_programs(flags)),
        Match("linpack", "linpack", (*library, f"size={linpack}"), linpack, 1, 0.95, readings=1, blocks=1),
    ]


def axpy_programs(flags: Sequence[str]) -> list[tuple[str, float | None]]:
    """The program with axpy, the flags of its kernels beside the usual ones, and what is wanted of it.

    g++ and clang++ take 256 of 512 bits for Intel's processors, whose clock may fall with 512, and g++ unrolls no loop;
    OpenBLAS takes 512 and unrolls by four. So ours is compiled alike, and the compiler's own choice stands beside it.
    """
    if "avx512f" not in flags:
        return [("vectors", 0.95)]
    return [(f"vectors {AS_OPENBLAS}", 0.95), ("vectors", None)]


def roof_matches(flags: Sequence[str]) -> list[Match]:
    """Loads and multiply-adds of each width that a processor with these flags has; none where it is no x86.

    Either program's loads find their lines where they found them the round before (programs/memory/roofs/loops.cpp).
    """
    found = []
    for bits, needed in ((128, "fma"), (256, "avx2"), (512, "avx512f")):
        if not {needed, "fma"} <= set(flags):
            continue
        lanes = bits // 64
        load = ("kernel=load", f"vector={bits}", "level=L1")
        fma = ("kernel=multiply_add", f"vector={bits}", "level=registers")
        chains = 2 * lanes * (24 if bits == 512 else 12)  # flops of a round of ours
        found += [
            Match(f"load{bits}", "roofs", load, 32, 4000, 0.99, elements=True),
            Match(f"fma{bits}", "roofs", fma, 10 * chains, 1000, 0.99, elements=True, metric="arithmetic"),
        ]
    return found


def first_cache(root: Path = Path("/")) -> int:
    """Bytes of the first data cache as the kernel states them; 32 KiB where it does not."""
    try:
        return int((root / FIRST_CACHE).read_text().strip().removesuffix("K")) << 10
    except (OSError, ValueError):
        return 32 << 10


def judged(found: Comparison, wanted: float | None) -> tuple[str, bool]:
    """Our speed over the plain program's beside what is wanted, and whether that is surely missed.

    `found.ratio` is of times. Without an interval (fewer than six launches) the ratio itself is judged; where the plain
    program beside itself was not equal, nothing is.
    """
    low, high = found.ci95 or (found.ratio, found.ratio)
    speed = f"speed {1 / found.ratio:.4f} of plain"
    if wanted is None:
        return f"{speed}: no bound is set", False
    speed += f", wanted {wanted:g}"
    if found.blind:
        return f"{speed}: inconclusive here", False
    if 1 / high >= wanted:
        return f"{speed}: reached", False
    if 1 / low < wanted:
        return f"{speed}: missed", True
    return f"{speed}: inconclusive here", False


def per_cycle(program: Path) -> bool:
    """Print vectors per cycle in the first cache and in registers beside the architecture's limits.

    True where more than 1% above a limit: then the limit is wrong, or the cycles are. Less can be the core's, whose
    units a neighbour's thread shares. Scalars are left out: they need more loads per cycle than any vector does.
    """
    words = ["--set", "kernel=load,multiply_add", "--set", "vector=128,256,512", "--set", "level=L1,registers"]
    lines = output_lines(
        [str(program), *program_words(benchmark("roofs"), [*words, "--slice", "0.0003", "--blocks", "99"])]
    )
    missed = False
    for kernel, level in (("load", "L1"), ("multiply_add", "registers")):
        for bits in (128, 256, 512):
            own = [line for line in lines if f'"kernel":"{kernel}","vector":{bits},"level":"{level}"' in line]
            cycles, limit = readings(own, "cycles"), readings(own, "limit")
            if not cycles or not limit:
                continue
            found, best = 1 / statistics.median(cycles), 1 / statistics.quantiles([*cycles] * 2, n=20)[0]
            missed |= found / limit[0] > 1.01
            text = (
                f"{found:.4f} per cycle, {found / limit[0]:.4f} of the core's limit; the best 5%: {best / limit[0]:.4f}"
            )
            print(f"{kernel}, {bits} bits: {text}", flush=True)
    return missed


def main(arguments: list[str]) -> int:
    """Run the comparisons; 1 where ours is surely slower than what is wanted."""
    parser = argparse.ArgumentParser(prog="./x bench kernels", description=__doc__)
    parser.add_argument("--launches", type=int, default=30, help="launches (30 for a claim)")
    parser.add_argument(
        "--linpack", type=int, default=LINPACK, metavar="N", help=f"rows of LINPACK's matrix ({LINPACK})"
    )
    parser.add_argument(
        "--only",
        help="gemm, fft, dot, axpy, linpack, load256, fma256 or another width, roofs (all of these), with --likwid "
        "one of its kernels (load_avx); with commas",
    )
    parser.add_argument("--likwid", type=Path, metavar="PATH", help="likwid-bench")
    given = parser.parse_args(arguments)
    only = given.only.split(",") if given.only else None
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} hardware threads; {given.launches} launches", flush=True)
    missed = False
    flags = processor_flags()
    plain = [(match, match.mode) for match in matches(given.linpack, flags)]
    plain += [(match, "roofs") for match in roof_matches(flags)]
    chosen = [match for match, part in plain if only is None or {match.mode, part} & set(only)]
    with tempfile.TemporaryDirectory() as folder:
        if chosen:
            programs = [match.program for match in chosen]
            jobs = Jobs(Path(folder), "kernels.c", programs, libraries=("blas", "fftw"))
        for match in chosen:
            name = match.name
            text, less = judged(in_one_launch(partial(match.launch, jobs), given.launches, name, "best"), match.wanted)
            print(f"{name}: {text}", flush=True)
            missed |= less
    peers = [roof for roof in roofs(processor_flags()) if only is None or {roof.test, "roofs"} & set(only)]
    if only is None or "roofs" in only:
        missed |= per_cycle(build([benchmark("roofs")], mpi=None)["roofs"].path)
    if given.likwid and peers:
        program = build([benchmark("roofs")], mpi=None)["roofs"].path
        for roof in peers:
            missed |= beside(roof, program, given.likwid, given.launches)
    return 1 if missed else 0


def beside(roof: Roof, program: Path, path: Path, launches: int) -> bool:
    """One roof beside likwid-bench's, printed; whether it is surely missed."""

    def theirs(launch: int) -> float:
        return roof.theirs(path, 2 * first_cache() // 3)

    try:
        itself = against_itself(theirs, launches, f"{roof.test}, likwid with itself")
        ours = partial(roof.ours, program)
        found = against(theirs, ours, launches, f"{roof.test}, ours over likwid", itself, "best")
    except MeasurementError as error:  # a peer's failure is a finding
        print(f"{roof.test}: {error}", flush=True)
        return False
    text, less = judged(found, 0.97)
    print(f"{roof.test}: {text}", flush=True)
    return less


def processor_flags() -> list[str]:
    """What the kernel says that the processor can do."""
    from assay.machine.processors import processors

    return list(processors().flags)
