"""Speedups and cache levels as a run's document gives them, from cells made by known laws."""

from __future__ import annotations

import numpy as np
import pytest

from assay.analysis.figures import CaseSamples
from assay.analysis.fits import fits
from assay.benchmark.record import benchmark
from assay.case import Case


def cells(counts: list[int], serial: float, launches: int = 4) -> list[CaseSamples]:
    """Times of Amdahl's law with `serial` seconds of a hundred, each launch its own level."""
    made = []
    for count in counts:
        times = {
            ("here", launch): np.full(3, (serial + (100 - serial) / count) * (1 + 0.02 * launch))
            for launch in range(launches)
        }
        case = {"by": "threads", "threads": count, "size": 512}
        made.append(CaseSamples("time", Case(case), times, [], 1))
    return made


def test_speedup_and_serial_share_of_amdahl() -> None:
    found = fits(benchmark("jacobi"), cells([1, 2, 4, 8], serial=20))
    speedup, amdahl, universal = found
    assert [fit["law"] for fit in found] == ["speedup", "amdahl", "universal"]
    assert speedup["base"] == "the same program on 1 thread"
    assert [e["value"] for e in speedup["speedup"]] == pytest.approx([1, 100 / 60, 100 / 40, 100 / 30])
    assert amdahl["coefficients"]["sigma"] == pytest.approx(0.2, rel=1e-6)
    assert universal["coefficients"]["kappa"] == pytest.approx(0, abs=1e-6)
    assert amdahl["lack_of_fit"] is not None
    assert fits(benchmark("jacobi"), cells([1], serial=20)) == []


def test_two_counts_leave_nothing_to_judge_the_law_by() -> None:
    found = fits(benchmark("jacobi"), cells([1, 2], serial=20))
    assert [fit["law"] for fit in found] == ["speedup", "amdahl"]
    assert found[1]["lack_of_fit"] is None and "no count to spare" in found[1]["text"]


def test_cache_levels_of_a_run() -> None:
    sizes = [2**k for k in range(12, 24)]
    made = []
    for size in sizes:
        time = 1e-9 if size <= 2**15 else 4e-9 if size <= 2**20 else 8e-8
        made.append(CaseSamples("time", Case({"size": size, "pages": "huge"}), {("here", 0): np.full(4, time)}, [], 8))
    (found,) = fits(benchmark("latency"), made)
    assert [level["size"] for level in found["levels"]] == [2**15, 2**20, 2**23]
    assert found["launches_agree"] == [1, 1] and "32 KiB" in found["text"]
