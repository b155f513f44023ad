"""The vector kernels: every one with every access, faults planted on purpose, cycles beside rates, lines by level."""

from __future__ import annotations

import functools
import itertools
import json
import re
import shutil
import statistics
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.analysis.figures import CaseSamples
from assay.analysis.fits import fits
from assay.analysis.fits_levels import footprints
from assay.analysis.level_rates import exceeds_measured, fit_levels, name_levels
from assay.benchmark.record import benchmark
from assay.case import Case
from assay.execute.build import build as compiled
from assay.machine import catalogue
from assay.published.tables import euroben
from by_night import by_night
from command_line import assay
from compiled import compile_to, kept
from remarked import texts
from started import words

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
RECORD = benchmark("vectors")
KERNELS = RECORD.parameters["kernel"].choices
ACCESSES = RECORD.parameters["access"].choices
LENGTHS = (1, 2, 3, 5, 17, 64, 1000, 2051)
Lines = list[dict[str, Any]]


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    @functools.cache
    def built(base: str = "", *flags: str) -> Path:
        if not base:
            return kept("kernels/vectors")
        out = tmp_path_factory.mktemp("vectors") / "vectors"
        compile_to(out, RECORD.path, "-Wall", "-Wextra", "-Werror", *base.split(), *flags)  # the last -O counts
        return out

    return built


def run(program: Path, *settings: str, status: int = 0, more: tuple[str, ...] = ()) -> Lines:
    given = [word for setting in settings for word in ("--set", setting)]
    few = ("--slice", "0.0001", "--blocks", "1", *more)
    done = subprocess.run([program, *words("vectors", *few, *given)], capture_output=True, text=True, timeout=300)
    assert done.returncode == status, (done.stdout[-500:], done.stderr[-2000:])
    return [json.loads(line, parse_constant=pytest.fail) for line in done.stdout.splitlines()]


EVERY = (f"kernel={','.join(map(str, KERNELS))}", f"access={','.join(map(str, ACCESSES))}")


@pytest.mark.parametrize("level", by_night(["-O0", "-O3 -march=native"], ["-O3 -march=native"]))
def test_every_kernel_with_every_access_is_right(build: Any, level: str) -> None:
    lines = run(build(level), *EVERY, f"length={','.join(map(str, LENGTHS))}")
    checks = [line for line in lines if line["event"] == "check"]
    assert len(checks) == 14 * 4 * len(LENGTHS)
    assert all(line["passed"] for line in checks)


FAULTS = [(1, "a loop that ends one short"), (2, "a null kernel")]


@pytest.mark.parametrize(("fault", "what"), by_night(FAULTS, FAULTS[:1]))
def test_planted_faults_are_caught_in_every_kernel(fault: int, what: str) -> None:
    loops = RECORD.units["loops"]
    units = {"loops": loops._replace(flags=(*loops.flags, f"-DASSAY_BREAK={fault}"))}
    planted = compiled([replace(RECORD, units=units)], mpi=None)["vectors"].path
    lines = run(planted, *EVERY, "length=1,64,1000", status=1)
    passed = [line["case"] for line in lines if line["event"] == "check" and line["passed"]]
    assert not passed, f"{what} went unseen"


@pytest.mark.nightly
def test_by_index_beyond_the_last_cache_is_for_profile_full(build: Any) -> None:
    def measured(profile: str, access: str, *lengths: int) -> Lines:
        settings = ("kernel=copy", f"access={access}", f"length={','.join(map(str, (64, *lengths)))}")
        return run(build(), *settings, more=("--profile", profile))

    caches = [line for line in measured("standard", "indexed") if line.get("metric") == "cache"]
    last = max(line["values"][0] for line in caches)
    beyond = int(last / 16 * 1.1)  # two arrays of 8 bytes an element
    for profile, access, cases, expected in (
        ("standard", "contiguous", 1, 1),
        ("standard", "contiguous,indexed", 2, 1),
        ("standard", "indexed", 1, 1),  # what is asked for alone is measured, as in quick
        ("quick", "indexed", 1, 1),
        ("full", "contiguous,indexed", 2, 2),
    ):
        lines = measured(profile, access, beyond)
        assert len([line for line in lines if line["event"] == "check"]) == cases + expected, (profile, access)
        notes = texts(lines)
        assert sum("--profile full or --set access=indexed has them" in text for text in notes) == cases - expected


def test_the_records_table_is_the_kernels_table(build: Any) -> None:
    constants = RECORD.choice_constants
    assert list(constants["kernel"]) == list(KERNELS) and list(constants["access"]) == list(ACCESSES)
    flops = [1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 2, 4, 3, 18]
    assert [each["flops"] for each in constants["kernel"].values()] == flops
    for own, paper, each in zip(RECORD.published, PAPER, constants["kernel"].values(), strict=True):
        assert each["paper"] == paper, own


PAPER = (1, 0.76, 1, 1, 1, 1, 2, 2, 2, 3, 1, 2, 3, 18)


def test_the_papers_flop_counts_are_those_that_table_6_1_implies() -> None:
    for kernel, expected in zip(RECORD.published, PAPER, strict=True):
        cells = {c.metric: c for c in catalogue.cells(table="table6.1", benchmark=kernel)}
        rate, cycles = cells["r_max_L1"].value, cells["cycles_per_op_per_element"].value
        assert rate * cycles / 667e6 == pytest.approx(expected, rel=0.055), kernel


def test_the_contract_for_scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`assay run vectors --set kernel=axpy --set length=1000 --json`: rate and cycles, and the flops out of both."""
    monkeypatch.chdir(tmp_path)
    for _ in range(3):  # others may disturb it so much that a figure is invalid
        answer = assay("run", "vectors", "--set", "kernel=axpy", "--set", "length=1000", "--launches", "1", "--json")
        found = {(f["name"], f["statistic"]): f for f in answer.document["figures"]}
        rate, cycles = found["rate", "best"], found["cycles_per_element", "best"]
        if "invalid" not in (rate["state"], cycles["state"]):
            break
    assert answer.status == 0, answer.err
    assert rate["unit"] == "flop/s" and rate["params"] == {"kernel": "axpy", "access": "contiguous", "length": 1000}
    # where others worked all the time no median stands, and the best reading says that it is a bound
    assert ("rate", "median") in found or rate["state"] == "bound"
    assert ("cycles_per_element", "median") in found or cycles["state"] == "bound"
    assert rate["value"] >= found.get(("rate", "median"), rate)["value"] > 1e8
    assert 0 < cycles["value"] <= found.get(("cycles_per_element", "median"), cycles)["value"]
    assert found["bandwidth", "best"]["value"] == pytest.approx(12 * rate["value"])
    assert found["clock", "best"]["unit"] == "Hz" and 1e8 < found["clock", "best"]["value"] < 1e10  # bounds rest on it


@pytest.mark.parametrize(("kernel", "flops"), by_night([("polynomial9", 18), ("recursion2", 4)], [("polynomial9", 18)]))
def test_rate_times_cycles_over_the_clock_is_the_flop_count(build: Any, kernel: str, flops: int) -> None:
    """The clock from its own program, beside; others can slow one of the three readings, so three tries."""
    ratios = []
    for _ in range(3):
        done = subprocess.run(
            [kept("processor/clock"), *words("clock", "--blocks", "2")], capture_output=True, text=True
        )
        lines = [*map(json.loads, done.stdout.splitlines())]
        cycle = min(v for line in lines if line["event"] == "block" for v in line["values"])
        blocks = run(build(), f"kernel={kernel}", "length=1000", more=("--blocks", "5", "--slice", "0.002"))
        of = {
            name: min(v for line in blocks if line.get("metric") == name for v in line["values"])
            for name in ("time", "cycles")
        }
        ratios.append(flops / of["time"] * of["cycles"] * cycle)
    assert min(abs(ratio / flops - 1) for ratio in ratios) < 0.1, ratios


def test_short_passes_do_not_overlap(build: Any) -> None:
    """A recursion waits for itself: its cycles per element cannot be fewer at a short length than at a long one."""
    blocks = run(build(), "kernel=recursion2", "length=32,1024", "access=contiguous", more=("--blocks", "3"))
    cycles = {
        n: statistics.median(
            v for b in blocks if b.get("metric") == "cycles" and b["case"]["length"] == n for v in b["values"]
        )
        for n in (32, 1024)
    }
    assert cycles[32] > 0.9 * cycles[1024], cycles


def test_lengths_beyond_four_times_the_last_cache_are_left_out_and_said(build: Any) -> None:
    lines = run(build(), "kernel=rotation", "access=stride4", "length=64,1073741824")
    assert any("left out: vectors of more than four times" in text for text in texts(lines))
    assert {line["case"]["length"] for line in lines if line["event"] == "check"} == {64}


# --- lines by level, on made-up times -------------------------------------------------------------------------------

CACHES = {1: 32768.0, 2: 1048576.0, 3: 33554432.0}
SIZES = [2**k for k in range(24)]


def made(kernel: str, access: str, metric: str, by_level: dict[str, tuple[float, float]]) -> list[CaseSamples]:
    """Times of an element (s, or cycles) that follow start-up + n x each in every level, in six launches."""
    rest = {"kernel": kernel, "access": access}
    levels = name_levels(footprints(SIZES, RECORD.constants(rest)), CACHES)
    cells = []
    for length, level in zip(SIZES, levels, strict=True):
        start, each = by_level[level or "L1"]
        value = (start + length * each) / length
        launches = {("here", k): np.array([value * (1 + 0.002 * k)] * 3) for k in range(6)}
        cells.append(CaseSamples(metric, Case({**rest, "length": length}), launches, [], 1))
    return cells


def fitted(cells: list[CaseSamples]) -> dict[str, dict[str, Any]]:
    caches = [
        CaseSamples(
            "cache",
            Case({"kernel": "add", "access": "contiguous", "length": 1, "level": k}),
            {("here", 0): np.array([size])},
            [],
            1,
        )
        for k, size in CACHES.items()
    ]
    return {entry["level"]: entry for entry in fits(RECORD, [*caches, *cells])}


def test_a_line_in_each_level_gives_its_own_r_max_and_n_half() -> None:
    lines = {"L1": (10e-9, 0.1e-9), "L2": (20e-9, 0.4e-9), "L3": (50e-9, 1e-9), "memory": (100e-9, 4e-9)}
    cycles = {level: (3e9 * start, 3e9 * each) for level, (start, each) in lines.items()}
    found = fitted(made("axpy", "stride3", "time", lines) + made("axpy", "stride3", "cycles", cycles))
    assert list(found) == ["L1", "L2", "L3", "memory"]
    for level, (start, each) in lines.items():
        entry = found[level]
        assert entry["r_max"] == pytest.approx(2 / each, rel=0.02)
        assert entry["n_half"] == pytest.approx(start / each, rel=0.05)
        assert entry["start_up_cycles"] == pytest.approx(3e9 * start, rel=0.05)
        assert entry["cycles_per_element"] == pytest.approx(3e9 * each, rel=0.02)
        assert entry["r_max"] * entry["cycles_per_element"] / 3e9 == pytest.approx(2, rel=0.02)
        assert entry["r_max_ci95"][0] <= entry["r_max"] <= entry["r_max_ci95"][1]
        assert entry["intensity"] == pytest.approx(2 / 24)
    assert found["memory"]["size"] is None and found["L2"]["size"] == CACHES[2]
    assert "r_max 19.9" in found["L1"]["text"] and "n_half 100" in found["L1"]["text"]


def test_a_copy_is_compared_with_one_flop_an_element_and_both_texts_say_so() -> None:
    """By Table 6.4 (600 MHz) an element of a copy counts one; its .76 of Table 6.1 is a misprint of the cycles."""
    cells = {c.metric: c.value for c in catalogue.cells(table="table6.4", benchmark=RECORD.published[1])}
    counted = round(cells["r_max_L1"] * cells["cycles_per_op_per_element"] / 600e6)
    found = fitted(made("copy", "contiguous", "time", dict.fromkeys(("L1", "L2", "L3", "memory"), (1e-9, 1e-9))))
    assert found["L1"]["r_max_paper"] == pytest.approx(counted * 1e9, rel=0.02)
    mean = RECORD.constants_mean or ""
    assert euroben.COUNT.count("one for a copy") == mean.count("one flop an element") == counted


def chased(edges: dict[float, float]) -> list[CaseSamples]:
    """A curve of dependent loads: ns by the size at which each plateau ends; two of six launches disturbed."""
    cells = []
    for size in (2.0**13 * 2 ** (k / 4) for k in range(53)):
        value = next(latency for edge, latency in edges.items() if size <= edge) * 1e-9
        launches = {("here", k): np.array([value * (3 if k < 2 else 1)] * 2) for k in range(6)}
        cells.append(
            CaseSamples("chase", Case(kernel="add", access="contiguous", length=1, size=size), launches, [], 1)
        )
    return cells


def test_levels_end_where_the_curve_of_dependent_loads_says() -> None:
    """The system states 32 MiB of L3, the curve shows 4: lengths of 8 MiB are memory's."""
    lines = {"L1": (10e-9, 0.1e-9), "L2": (20e-9, 0.4e-9), "L3": (50e-9, 1e-9), "memory": (100e-9, 4e-9)}
    cells = made("axpy", "stride3", "time", lines)
    plain = fitted(cells)
    found = fitted(cells + chased({2.0**15: 1, 2.0**20: 4, 2.0**22: 20, 2.0**40: 100}))
    assert found["L3"]["size"] == 2.0**22 and plain["L3"]["size"] == CACHES[3]
    assert min(found["memory"]["lengths"]) < min(plain["memory"]["lengths"])
    assert not any("as stated" in (entry["reason"] or "") for entry in (*found.values(), *plain.values()))
    flat = fitted(cells + chased({2.0**15: 1, 2.0**20: 4, 2.0**40: 100}))
    assert flat["L3"]["size"] == CACHES[3] and "no edge there" in flat["L3"]["reason"]
    assert "no edge there" in flat["L3"]["text"] and flat["L1"]["reason"] is None


def test_the_program_takes_the_curve_in_its_own_memory(build: Any) -> None:
    lines = run(build(), "kernel=copy", "length=64,1000", "access=contiguous")
    curve = {b["case"]["size"]: b["values"][0] for b in lines if b.get("metric") == "chase"}
    assert len(curve) > 30 and min(curve) == 8192 and all(value > 0 for value in curve.values())
    assert curve[8192] < curve[max(curve)]


def test_cycles_do_not_come_from_the_time_that_gives_r_max() -> None:
    """Times twice as long change r_max and leave cycles; and the other way about."""
    times, cycles = {"L1": (10e-9, 0.1e-9)}, {"L1": (30.0, 0.3)}
    every = {"L2", "L3", "memory"}
    times |= dict.fromkeys(every, (0.0, 1e-9))
    cycles |= dict.fromkeys(every, (0.0, 3.0))
    slow = {level: (2 * start, 2 * each) for level, (start, each) in times.items()}
    plain = fitted(made("add", "contiguous", "time", times) + made("add", "contiguous", "cycles", cycles))["L1"]
    other = fitted(made("add", "contiguous", "time", slow) + made("add", "contiguous", "cycles", cycles))["L1"]
    assert other["r_max"] == pytest.approx(plain["r_max"] / 2)
    assert other["cycles_per_element"] == plain["cycles_per_element"] == pytest.approx(0.3, rel=0.02)


def test_a_level_with_few_lengths_has_its_best_rate_and_says_why_there_is_no_line() -> None:
    passes = {1000.0: {("here", 0): 1e-6}, 2000.0: {("here", 0): 1.6e-6}}
    (level,) = fit_levels(passes, [8000, 16000], CACHES)
    assert level.r_max == pytest.approx(2000 / 1.6e-6) and level.n_half is None
    assert level.reason == "2 lengths lie in L1, a line needs 3: the best rate measured there"


@pytest.mark.parametrize(
    ("lengths", "start", "stands"),
    [
        ((1, 2, 3), 32, False),  # 11.7 times the best reading
        ((4, 16, 64, 256), 64, True),  # 1.25 times, by four n_half
        ((4, 16, 64, 256), 128, False),  # 1.5 times, by two
        ((400, 475, 550), 64, False),  # 1.116 times, while the readings themselves lie 1.039 apart
        ((400, 475, 550), 20, True),  # 1.036 times: no more than readings agree within
    ],
)
def test_a_line_goes_no_further_beyond_its_readings_than_they_show(
    lengths: tuple[int, ...], start: float, stands: bool
) -> None:
    """Exact times of start + n ns: the greatest rate of the law is 1e9 elements/s, the best one 1e9 n/(n + start)."""
    passes = {float(n): {("here", k): 1e-9 * (start + n) for k in range(3)} for n in lengths}
    (level,) = fit_levels(passes, [24.0 * n for n in lengths], CACHES)
    best = 1e9 * lengths[-1] / (lengths[-1] + start)
    assert level.best == pytest.approx(best)
    if stands:
        assert (level.basis, level.reason) == ("line", None)
        assert level.r_max == pytest.approx(1e9) and level.n_half == pytest.approx(start)
    else:
        assert level.basis == "best reading" and level.r_max == level.best
        assert level.n_half is None and level.start_up is None and level.r_max_ci95 is None
        assert f"its r_max would be {1e9 / best:.3g} times the best rate" in (level.reason or "")


def test_no_line_gives_a_greatest_rate_below_a_rate_measured() -> None:
    """Times of 2 n - 200 ns: 500 lie in 800 ns, the line would never pass 0.5 an ns."""
    passes = {n: {("here", 0): 1e-9 * (2 * n - 200)} for n in (200.0, 300.0, 500.0)}
    (level,) = fit_levels(passes, [24 * n for n in passes], CACHES)
    assert level.basis == "best reading" and level.r_max == pytest.approx(1e9)
    assert level.reason == "no line: its r_max would be 0.5 of a rate measured: the best rate measured there"


def clocked(hertz: float) -> list[CaseSamples]:
    return [CaseSamples("clock", Case(kernel="add"), {("here", k): np.array([1 / hertz]) for k in range(3)}, [], 1)]


@pytest.mark.parametrize(("hertz", "basis"), [(3e9, "line"), (3.2e9, "line"), (3.5e9, "best reading")])
def test_rates_and_cycles_that_contradict_each_other_have_no_line(hertz: float, basis: str) -> None:
    """Cycles of a third of a ns: by a clock of 3.5 GHz both together would give 0.86 of the flop count."""
    lines = {"L1": (10e-9, 0.1e-9), "L2": (20e-9, 0.4e-9), "L3": (50e-9, 1e-9), "memory": (100e-9, 4e-9)}
    cycles = {level: (3e9 * start, 3e9 * each) for level, (start, each) in lines.items()}
    cells = made("axpy", "stride3", "time", lines) + made("axpy", "stride3", "cycles", cycles)
    for entry in fitted([*cells, *clocked(hertz)]).values():
        assert entry["basis"] == basis
        if basis == "line":
            assert entry["cycles_per_element"] is not None and entry["reason"] is None
        else:  # the readings contradict each other as the lines do
            assert entry["cycles_per_element"] is None and entry["start_up_cycles"] is None
            assert entry["n_half"] is None and "would be 0.86 of the flop count" in entry["reason"]
            assert f"{entry['level']}: at least " in entry["text"] and "r_max " not in entry["text"].partition(" (")[0]


def test_where_only_the_lines_contradict_each_other_readings_stand() -> None:
    """Times of 10 ns + n/10 but cycles without a start-up, which give the same time of 512 elements at 3 GHz."""
    beyond = dict.fromkeys(("L2", "L3", "memory"), (0.0, 1e-9))
    times = {"L1": (10e-9, 0.1e-9)} | beyond
    cycles = {"L1": (0.0, 3e9 * (10e-9 + 512 * 0.1e-9) / 512)} | dict.fromkeys(beyond, (0.0, 3.0))
    cells = made("axpy", "stride3", "time", times) + made("axpy", "stride3", "cycles", cycles)
    for more in (clocked(3e9), []):  # the clock is not needed to tell
        entry = fitted([*cells, *more])["L1"]
        assert entry["basis"] == "best reading" and entry["n_half"] is None and entry["start_up_cycles"] is None
        assert "by the line of cycles the start-up cannot be distinguished from zero" in entry["reason"]
        assert entry["r_max"] * entry["cycles_per_element"] / 3e9 == pytest.approx(2)
        assert ", at most 0.36 cycles per element (no line" in entry["text"]


def test_two_start_ups_that_contradict_each_other_are_none() -> None:
    """n_half 100 by times; by cycles 30, at the same time of 512 elements."""
    beyond = dict.fromkeys(("L2", "L3", "memory"), (0.0, 1e-9))
    each = (10e-9 + 512 * 0.1e-9) / 542
    cycles = {"L1": (3e9 * 30 * each, 3e9 * each)} | dict.fromkeys(beyond, (0.0, 3.0))
    cells = made("axpy", "stride3", "time", {"L1": (10e-9, 0.1e-9)} | beyond)
    entry = fitted([*cells, *made("axpy", "stride3", "cycles", cycles)])["L1"]
    assert (entry["n_half"], entry["start_up_cycles"]) == (None, None)
    assert "n_half would be 100 to 100 by times, 30 to 30 by cycles" in entry["reason"]


@pytest.mark.parametrize(("error", "told"), [(0.0, True), (0.0005, True), (0.02, False)])
def test_a_start_up_that_cannot_be_told_from_zero_is_not_given(error: float, told: bool) -> None:
    """Times of 20000 + n ns at three lengths of a large cache, the middle one off: lines through two of them differ."""
    passes = {n: {("here", 0): 1e-9 * (20000 + n)} for n in (400e3, 475e3, 550e3)}
    passes[475e3] = {("here", 0): 1e-9 * 495e3 * (1 + error)}
    times = {n: launches["here", 0] for n, launches in passes.items()}
    ends = [np.polyfit(pair, [times[n] for n in pair], 1) for pair in itertools.combinations(times, 2)]
    assert all(start > 0 for _, start in ends) == told
    (level,) = fit_levels(passes, [16 * n for n in passes], CACHES)
    if told:
        halves = [start / each for each, start in ends]
        assert level.n_half is not None and level.n_half_range is not None and level.start_up_range is not None
        assert level.n_half_range[0] == pytest.approx(min(halves)) and level.n_half_range[1] >= max(halves) * 0.999
        assert level.start_up_range[0] == pytest.approx(min(start for _, start in ends))
        assert not exceeds_measured(level)
    else:
        assert level.n_half is level.start_up is level.n_half_range is None
        assert "cannot be distinguished from zero" in (level.reason or "") and exceeds_measured(level)


def test_the_text_of_a_line_has_the_ranges_and_the_best_rate_measured() -> None:
    """512 elements take 10 + 51.2 ns: 16.7 Gflop/s measured, where the line goes on to 20."""
    lines = {"L1": (10e-9, 0.1e-9)} | dict.fromkeys(("L2", "L3", "memory"), (20e-9, 1e-9))
    cycles = {level: (3e9 * start, 3e9 * each) for level, (start, each) in lines.items()}
    found = fitted(made("axpy", "stride3", "time", lines) + made("axpy", "stride3", "cycles", cycles))["L1"]
    longest = max(found["lengths"])
    assert found["best_measured"] == pytest.approx(2 * longest / (10e-9 + longest * 0.1e-9), rel=0.01)
    assert f"by its line ({found['best_measured'] / 1e9:.4g} measured), n_half 100 (100 to 100)" in found["text"]
    assert re.search(r"start-up 30\.?\d* cycles \(30 to 30\.", found["text"])


def test_launches_that_lack_a_length_of_a_level_do_not_empty_it() -> None:
    passes = {n: {("here", k): 1e-8 + n * 1e-9} for k, n in enumerate((100.0, 200.0, 400.0, 800.0))}
    (level,) = fit_levels(passes, [8 * n for n in passes], CACHES)
    assert level.r_max == pytest.approx(1e9, rel=0.01) and level.n_half == pytest.approx(10, rel=0.05)


def test_between_two_levels_belongs_to_neither() -> None:
    assert name_levels([8e3, 30e3, 40e3, 60e3, 1e6, 40e6, 60e6], CACHES) == [
        "L1",
        None,
        None,
        "L2",
        None,
        None,
        "memory",
    ]
    assert name_levels([60e3], {1: 32768.0, 2: 32768.0}) == ["memory"]  # no larger than the one before: no level
