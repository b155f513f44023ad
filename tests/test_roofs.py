"""The roofs by width of vector: kernels broken on purpose, what is stated of cores, and the table of the report."""

from __future__ import annotations

import io
import json
import shutil
import statistics
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from assay.benchmark.record import benchmark
from assay.document.json_form import from_json
from assay.document.reported_figure import Headline
from assay.document.run_document import Document
from assay.execute.build import build
from assay.report.derive import memory_levels
from assay.report.judge.bounds import BOUNDS, share
from assay.report.render import terminal
from assay.report.render.markdown import markdown as as_markdown
from assay.report.sections import roof, roof_table
from by_night import by_night
from compiled import compile_to
from made_documents import document, figure, section
from started import words

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
RECORD = benchmark("roofs")
Lines = list[dict[str, Any]]


def run(program: Path, *settings: str, status: int = 0, slice_: str = "0.0001", blocks: str = "1") -> Lines:
    given = [word for setting in settings for word in ("--set", setting)]
    counts = ("--slice", slice_, "--blocks", blocks)
    done = subprocess.run([program, *words("roofs", *counts, *given)], capture_output=True, text=True, timeout=120)
    assert done.returncode == status, (done.stdout[-500:], done.stderr[-2000:])
    return [json.loads(line, parse_constant=pytest.fail) for line in done.stdout.splitlines()]


def planted(fault: int) -> Path:
    units = {name: unit._replace(flags=(*unit.flags, f"-DASSAY_BREAK={fault}")) for name, unit in RECORD.units.items()}
    return build([replace(RECORD, units=units)], mpi=None)["roofs"].path


@pytest.fixture(scope="module")
def lines() -> Lines:
    return run(build([RECORD], mpi=None)["roofs"].path)


def test_every_case_is_checked_and_right(lines: Lines) -> None:
    checks = {tuple(line["case"].values()): line["passed"] for line in lines if line["event"] == "check"}
    assert checks and all(checks.values())
    assert {("load", 64, "L1"), ("copy", 64, "memory"), ("multiply_add", 64, "registers")} <= set(checks)
    assert not [case for case in checks if (case[0] == "multiply_add") != (case[2] == "registers")]


def test_all_that_is_measured_has_its_cycles(lines: Lines) -> None:
    by_metric: dict[str, set[tuple[Any, ...]]] = {}
    for line in lines:
        if line["event"] == "block":
            by_metric.setdefault(line["metric"], set()).add(tuple(line["case"].values()))
            assert all(value > 0 for value in line["values"])
    assert by_metric["time"] | by_metric["arithmetic"] == by_metric["cycles"]
    assert {case[2] for case in by_metric["size"]} == {case[2] for case in by_metric["time"]}


def test_each_working_set_is_stated_once_and_loads_from_l1_have_one_round(lines: Lines) -> None:
    sets = [
        (*line["case"].values(), line["values"][0])
        for line in lines
        if line["event"] == "block" and line["metric"] == "size"
    ]
    assert len({(level, size) for _, _, level, size in sets}) == len(sets)
    loads = {bits: size for kernel, bits, level, size in sets if (kernel, level) == ("load", "L1")}
    assert loads[64] == 1024 and all(size <= 4096 for size in loads.values())
    (stores,) = {size for kernel, _, level, size in sets if (kernel, level) == ("store", "L1")}
    assert stores > max(loads.values())


@pytest.mark.measures
def test_no_width_does_more_in_a_cycle_than_the_core_can() -> None:
    """The cycles are those of the clock that the vectors ran at, which 512 bits lower for as long as they run."""
    program = build([RECORD], mpi=None)["roofs"].path
    values: dict[tuple[str, int], list[float]] = {}
    for line in run(program, "kernel=multiply_add", "vector=128,256,512", slice_="0.0003", blocks="49"):
        if line["event"] == "block":
            values.setdefault((line["metric"], line["case"]["vector"]), []).extend(line["values"])
    limits = {bits: found[0] for (metric, bits), found in values.items() if metric == "limit"}
    if not limits:
        pytest.skip("what this core can do in a cycle is not known")
    for bits, limit in limits.items():
        assert 1 / statistics.median(values["cycles", bits]) <= roof_table.PASSED * limit, bits


FAULTS = [(1, "a round that ends a vector short"), (2, "a null kernel")]


@pytest.mark.parametrize(("fault", "what"), by_night(FAULTS, FAULTS[:1]))
def test_planted_faults_are_caught_in_every_kernel_and_width(fault: int, what: str) -> None:
    found = run(planted(fault), "level=registers,L1", status=1)
    checks = [line for line in found if line["event"] == "check"]
    assert len(checks) >= 4 and {line["case"]["kernel"] for line in checks} == set(RECORD.parameters["kernel"].choices)
    assert not [line["case"] for line in checks if line["passed"]], f"{what} went unseen"


def test_a_width_that_the_compiler_was_not_allowed_still_runs_where_the_processor_has_it() -> None:
    """A build for x86-64-v2 has the same roofs: each width is compiled with flags of its own."""
    flags = Path("/proc/cpuinfo").read_text().partition("flags")[2].partition("\n")[0].split()
    if "avx2" not in flags:
        pytest.skip("needs AVX2")
    older = ("-O2", "-march=x86-64-v2")  # before a unit's own flags, as a compiler's defaults are
    units = {name: unit._replace(flags=(*older, *unit.flags)) for name, unit in RECORD.units.items()}
    record = replace(RECORD, units=units, flags=older)
    program = build([record], mpi=None)["roofs"].path
    found = run(program, "level=L1", "vector=256", "kernel=load")
    assert [line["passed"] for line in found if line["event"] == "check"] == [True]


# --- what is stated of cores ------------------------------------------------------------------------------------------

ASK = r"""
#include <cstdio>
#include <cstdlib>
#include "memory/roofs/architectures.hpp"
using namespace assay::memory::roofs;
int main(int, char** words) {
  const Identity identity = find_identity(words[1]);
  const auto core = find_architecture(identity);
  std::printf("%s|%s", identity.text().c_str(), core ? std::string(core->name).c_str() : "");
  for (const char* kernel : {"load", "store", "copy", "multiply_add"})
    for (const int bits : {64, 128, 256, 512})
      std::printf("|%g", core ? limit_of(core->limits, kernel, words[2], bits) : 0);
}
"""


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("architectures")
    (folder / "ask.cpp").write_text(ASK)
    program = compile_to(folder / "ask", folder / "ask.cpp")

    def asked(cpuinfo: str, level: str = "L1") -> tuple[str, str, list[float]]:
        (folder / "proc").mkdir(exist_ok=True)
        (folder / "proc/cpuinfo").write_text(cpuinfo)
        said = subprocess.run([program, f"{folder}/", level], capture_output=True, text=True, check=True).stdout
        identity, name, *limits = said.split("|")
        return identity, name, [float(each) for each in limits]

    yield asked


def cpuinfo(vendor: str, family: int, model: int, flags: str = "fpu avx2 fma") -> str:
    first = f"processor\t: 0\nvendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\nmodel name\t: X\n"
    second = "processor\t: 1\nvendor_id\t: Other\ncpu family\t: 1\nmodel\t\t: 1\n"
    return f"{first}flags\t\t: {flags}\n\n{second}"


def test_cores_are_known_by_vendor_family_and_model(ask: Any) -> None:
    """Against the manuals' own sentences: Zen 4 does a vector of 512 bits in two halves, Haswell stores one a cycle."""
    _, name, limits = ask(cpuinfo("AuthenticAMD", 25, 17))
    assert name == "Zen 4" and limits[:4] == [3, 2, 2, 1] and limits[12:] == [2, 2, 2, 1]
    _, name, limits = ask(cpuinfo("GenuineIntel", 6, 0x3C))
    assert name.startswith("Haswell") and limits[:8] == [2, 2, 2, 0, 1, 1, 1, 0]
    _, name, limits = ask(cpuinfo("GenuineIntel", 6, 0x8F))
    assert name == "Golden Cove" and limits[:4] == [3, 3, 3, 2]


def test_extensions_are_believed_before_a_guests_model(ask: Any) -> None:
    """A hypervisor showed a Granite Rapids as model 167, Rocket Lake, whose limits it passed by 114%."""
    rocket_lake = "fpu avx2 fma avx512f avx512_vbmi2"
    assert ask(cpuinfo("GenuineIntel", 6, 167, rocket_lake))[1] == "Ice Lake to Rocket Lake"
    _, name, limits = ask(cpuinfo("GenuineIntel", 6, 167, f"{rocket_lake} avx_vnni amx_tile"))
    assert name.startswith("Golden Cove (told by its AMX") and limits[:4] == [3, 3, 3, 2] and limits[15] == 2
    assert ask(cpuinfo("GenuineIntel", 6, 167, f"{rocket_lake} avx_vnni"))[1] == ""  # newer, and of what kind?
    assert ask(cpuinfo("AuthenticAMD", 25, 1, "fpu avx2 avx512f"))[1] == ""  # no Zen 3 has it
    assert ask(cpuinfo("GenuineIntel", 6, 0xAD, f"{rocket_lake} avx_vnni amx_tile"))[1] == "Golden Cove"


def test_no_copy_beats_its_loads_or_its_stores(ask: Any) -> None:
    for family, models in ((23, (1, 49)), (25, (1, 17)), (26, (2, 68))):
        for model in models:
            _, name, limits = ask(cpuinfo("AuthenticAMD", family, model))
            assert name and all(limits[8 + k] <= min(limits[k], limits[4 + k]) for k in range(4))


def test_the_second_caches_limit_is_its_bytes(ask: Any) -> None:
    _, _, limits = ask(cpuinfo("AuthenticAMD", 25, 17), "L2")
    assert limits[:4] == [3, 2, 1, 0.5]  # 32 bytes a cycle
    # A line that is stored to is read before, so that a store moves as much from there as a load, a copy twice as much.
    assert limits[4:8] == [2, 1, 1, 0.5] and limits[8:12] == [1.5, 1, 0.5, 0.25]
    for level in ("L3", "memory"):
        assert ask(cpuinfo("AuthenticAMD", 25, 17), level)[2][:12] == [0] * 12


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (cpuinfo("AuthenticAMD", 26, 0x24), "AuthenticAMD family 26 model 36"),
        ("CPU implementer\t: 0x41\nCPU part\t: 0xd49\n", "of no stated vendor"),
        ("", "of no stated vendor"),
    ],
)
def test_what_is_not_listed_is_not_known(ask: Any, text: str, said: str) -> None:
    assert ask(text)[:2] == (said, "")


# --- the report -------------------------------------------------------------------------------------------------------


def made(*, limit: bool = True, note: str = "per cycle at most, as Zen 5 does") -> Document:
    def of(kernel: str, level: str, bits: int) -> dict[str, Any]:
        return {"kernel": kernel, "vector": bits, "level": level}

    figures = [
        figure("size", 16384.0, "B", "best", **of("store", "L1", 64)),
        figure("size", 1024.0, "B", "best", **of("load", "L1", 64)),
        figure("size", 4096.0, "B", "best", **of("load", "L1", 512)),
        figure("size", 16 * 2.0**20, "B", "best", **of("load", "L3", 64)),
        figure("rate", 3.2e11, "B/s", "best", **of("load", "L1", 512)),
        figure("per_cycle", 1.5, "1", **of("load", "L1", 512)),
        figure("per_cycle", 2.2, "1", "best", **of("load", "L1", 512)),  # an interrupted clock makes a cycle longer
        figure("rate", 9e10, "B/s", "best", **of("load", "L3", 512)),
        figure("per_cycle", 0.4, "1", **of("load", "L3", 512)),
        figure("rate", 1e11, "B/s", "best", **of("store", "L1", 64)),
        figure("peak", 1.2e11, "flop/s", "best", **of("multiply_add", "registers", 512)),
        figure("per_cycle", 2.0, "1", **of("multiply_add", "registers", 512)),
    ]
    if limit:
        figures += [
            figure("limit", 2.0, "1", "best", **of("load", "L1", 512)),
            figure("limit", 2.0, "1", "best", **of("multiply_add", "registers", 512)),
        ]
    return document(section("roofs", figures, notes=[note]), latency(), host={"architecture": "x86_64"})


def latency(*sizes: float) -> Any:
    levels = [{"size": size, "below": 2 * size, "latency": 1e-9} for size in (sizes or (49152.0, 1048576.0))]
    levels.append({"size": 2.0**28, "below": None, "latency": 1e-7})  # type: ignore[dict-item]
    fit = {"law": "cache_levels", "figure": "latency", "params": {"pages": "huge"}, "levels": levels}
    return section("latency", [], fits=[fit | {"launches_agree": [3, 3]}])


def test_the_table_has_rates_with_their_share_of_the_cores_limit() -> None:
    whole = made()
    (table,) = roof_table.tables(whole, whole.benchmarks[0])
    assert table.headings == ("level", "kernel", "scalar", "AVX-512")
    assert table.rows == (
        ("registers", "multiply-add", "–", "120 Gflop/s (100%)"),
        ("L1 (1 KiB to 4 KiB)", "load", "–", "320 GB/s (75%)"),
        ("L1 (16 KiB)", "store", "100 GB/s", "–"),
        ("L3 (16 MiB, beyond the caches found)", "load", "–", "90 GB/s"),
    )
    assert "limits: Zen 5" in table.note
    assert "L3 and memory: none is known" in table.note and "L2:" not in table.note
    assert roof_table.tables(whole, whole.benchmarks[1]) == []


def test_a_share_of_disturbed_cycles_is_marked() -> None:
    """2.2% stood beside a best rate that is 96% of the limit: the median of cycles was that of interrupted ones."""
    whole = made()
    held = [replace(each, state="disturbed") if (each.name, each.statistic) == ("per_cycle", "median")
            and each.params["level"] == "L1" else each for each in whole.benchmarks[0].figures]  # fmt: skip
    (table,) = roof_table.tables(whole, replace(whole.benchmarks[0], figures=held))
    assert table.rows[1] == ("L1 (1 KiB to 4 KiB)", "load", "–", "320 GB/s (75%) ~") and "~: the share" in table.note
    assert table.rows[0][3] == "120 Gflop/s (100%)"


def test_main_figures_have_the_cores_limit_as_their_bound() -> None:
    """1.5 of 2 loads in a cycle: at 320 GB/s the limit is 427 GB/s."""
    whole = made()
    rate = figure("rate", 3.2e11, "B/s", kernel="load", level="L1", vector=512) | {"benchmark": "roofs"}
    headline = from_json(Headline, rate | {"title": "loads", "bound": "core_limit"})
    found = share(headline, whole)
    assert found is not None and found.share == pytest.approx(0.75) and found.value == pytest.approx(3.2e11 / 0.75)
    assert found.basis == "2 vectors in a cycle, by the clock measured with it"
    assert share(headline, made(limit=False)) is None
    assert {of.bound for of in RECORD.headlines.values()} == {"core_limit"} <= set(BOUNDS)


def test_more_than_the_core_can_do_is_no_share_but_another_clock() -> None:
    """After multiply-adds of 512 bits a Granite Rapids ran the clock kernel 7% slower than the multiply-adds."""
    whole = made()
    fast = [replace(each, value=2.14) if each.name == "per_cycle" and each.params["level"] == "registers" else each
            for each in whole.benchmarks[0].figures]  # fmt: skip
    (table,) = roof_table.tables(whole, replace(whole.benchmarks[0], figures=fast))
    assert table.rows[0] == ("registers", "multiply-add", "–", "120 Gflop/s (another clock)")
    assert "was not that of these vectors" in table.note and "(75%)" in str(table.rows)


def test_without_a_known_core_no_share_is_given() -> None:
    whole = made(limit=False, note="what this core does at most in a cycle is not known: of no stated vendor")
    (table,) = roof_table.tables(whole, whole.benchmarks[0])
    assert "(75%)" not in str(table.rows) and "not known" in table.note


def test_the_roofline_has_these_roofs_and_the_vector_kernels_under_them() -> None:
    """Slopes of the widest load, the peak of the widest vectors, a ceiling for the others; r_max at its intensity."""
    rates = [figure("rate", rate, "B/s", "best", kernel="load", vector=bits, level="L1")
             for bits, rate in ((64, 1e11), (512, 4e11))]  # fmt: skip
    rates += [figure("peak", rate, "flop/s", "best", kernel="multiply_add", vector=bits, level="registers")
              for bits, rate in ((64, 1.5e10), (512, 1.2e11))]  # fmt: skip
    dot = {"law": "rates_by_level", "level": "L1", "r_max": 3e10, "r_max_paper": 3e10, "intensity": 1 / 8}
    dot |= {"n_half": None, "start_up_cycles": None, "cycles_per_element": None}
    fits = [
        dot | {"params": {"kernel": "dot", "access": "contiguous"}},
        dot | {"params": {"kernel": "dot", "access": "stride3"}},
    ]
    assert RECORD.roof is not None
    drawn = {key: value for key, value in RECORD.roof._asdict().items() if value is not None}
    roofs = section("roofs", rates, roof=drawn)
    (one,) = roof.plots(document(roofs, section("vectors", [], fits=fits)))
    by_name = {trace["name"].partition(":")[0]: trace for trace in one["data"]}
    slope, peak, scalar, kernels = (by_name[n] for n in ("L1", "peak", "scalar", "vector kernels in L1"))
    assert slope["y"] == pytest.approx([x * 4e11 for x in slope["x"]]) and slope["x"][1] == pytest.approx(0.3)
    assert peak["y"] == [1.2e11] * 2 and scalar["y"] == [1.5e10] * 2 and len(by_name) == 4
    assert (kernels["x"], kernels["y"], kernels["text"]) == ([1 / 8], [3e10], ["dot"])


def test_terminal_and_markdown_show_it() -> None:
    text = io.StringIO()
    terminal.show(document(made().benchmarks[0]), Console(file=text, width=80))
    assert "320 GB/s" in text.getvalue() and "(75%)" in text.getvalue()
    assert "| L1 (1 KiB to 4 KiB) | load | – | 320 GB/s (75%) |" in as_markdown(made())


def test_the_latency_curve_decides_where_a_working_set_lies() -> None:
    found = memory_levels.caches(document(latency(49152.0, 1048576.0, 30 * 2.0**20)))
    assert found == {1: 49152.0, 2: 1048576.0, 3: 30 * 2.0**20}
    assert memory_levels.contradicted("L3", 16 * 2.0**20, found) == ""
    assert memory_levels.contradicted("L3", 240 * 2.0**20, found) == "beyond the caches found"
    assert memory_levels.contradicted("L3", 524288.0, found) == "in L2 by the latency curve"
    assert memory_levels.contradicted("memory", 2.0**28, found) == ""
    assert memory_levels.caches(document(section("roofs", []))) is None
