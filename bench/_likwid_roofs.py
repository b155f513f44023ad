"""likwid-bench's kernels beside our roofs, for `./x bench kernels --likwid PATH`.

Each launch is a few short runs of either, of which the best counts: likwid-bench gives one mean over all of its
iterations, in which a neighbour's turn on the processor would stand. likwid-bench takes the clock from the processor's
leaf 0x16, which hypervisors leave empty: its own count of ticks stands, at the rate that the ticks have here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.benchmark.record import benchmark
from assay.benchmark.resolved import program_words
from bench._node_peers import reading, tick
from bench._program_output import output_lines, readings, run

RUNS = 3  # of either in a launch


@dataclass(frozen=True)
class Roof:
    """One kernel of likwid-bench, and the case of ours that does the same; `bytes` of one of our operations."""

    test: str
    kernel: str
    vector: int
    bytes: float  # of one vector; 0: flops are compared

    def theirs(self, path: Path, size: int) -> float:
        """Seconds per byte, or per flop, over `size` bytes of working set: the least of a launch's runs."""
        return min(self._theirs(path, size) for _ in range(RUNS))

    def _theirs(self, path: Path, size: int) -> float:
        words = [str(path), "-t", self.test, "-W", f"N:{size // 1000}kB:1", "-i", "20000"]
        text = run(words).stdout
        seconds = reading(text, r"^Cycles:\s*(\d+)", "likwid-bench") * tick()
        counted = r"^Data volume \(Byte\):\s*(\d+)" if self.bytes else r"^Number of Flops:\s*(\d+)"
        return seconds / reading(text, counted, "likwid-bench")

    def ours(self, program: Path, launch: int) -> float:
        """The same of ours: the best reading of as many blocks."""
        level = "L1" if self.bytes else "registers"
        settings = (f"kernel={self.kernel}", f"vector={self.vector}", f"level={level}")
        words = [word for setting in settings for word in ("--set", setting)]
        counts = ["--slice", "0.01", "--blocks", str(RUNS), "--seed", str(launch)]
        lines = output_lines([str(program), *program_words(benchmark("roofs"), [*words, *counts])])
        return min(readings(lines, "time")) / self.bytes if self.bytes else min(readings(lines, "arithmetic"))


def roofs(flags: Sequence[str]) -> list[Roof]:
    """Those that a processor with these flags has: those of AVX, and of AVX-512."""
    found = [Roof("peakflops_avx_fma", "multiply_add", 256, 0), Roof("load_avx", "load", 256, 32),
             Roof("copy_avx", "copy", 256, 64)] if {"avx2", "fma"} <= set(flags) else []  # fmt: skip
    if "avx512f" in flags:
        found += [Roof("peakflops_avx512_fma", "multiply_add", 512, 0), Roof("load_avx512", "load", 512, 64),
                  Roof("copy_avx512", "copy", 512, 128)]  # fmt: skip
    return found
