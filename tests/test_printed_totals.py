"""The paper's totals beside a simulated or measured makespan: a ratio of like work alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.machine import catalogue
from assay.throughput import job_table
from assay.throughput.printed_totals import ON, WORK, PrintedTotal, Schedule, printed_totals
from command_line import assay

EVERY = frozenset(range(1, 34))  # section 4.1.7: 33 jobs
# Sections 6.1.3, 6.2.4, 6.3.4: printed; the jobs that it is of; seconds of a EuroBen suite; processors
KNOWN = [
    ("compaq", 38_500.0, EVERY, 11_000.0, 18),
    ("compaq", 27_500.0, EVERY - {15}, 11_000.0, 18),
    ("compaq", 14_000.0, EVERY, 2_750.0, 18),
    ("ibm", 9_320.0, EVERY, 1_800.0, 16),
    ("ibm", 14_300.0, EVERY, 2_800.0, 16),
    ("sgi", 16_000.0, EVERY - {29, 30}, 5_500.0, 16),
]


def of(cluster: str, numbers: frozenset[int], suite: float, processors: int) -> dict[float, PrintedTotal]:
    made = Schedule("eurobench2000", f"eurobench2000-{cluster}", numbers, (suite,) * 4, processors, 10_000.0)
    return {each.value: each for each in printed_totals(made)}


@pytest.mark.parametrize(("cluster", "printed", "numbers", "suite", "processors"), KNOWN)
def test_of_the_jobs_that_a_total_is_of_there_is_a_ratio_and_of_others_none(
    cluster: str, printed: float, numbers: frozenset[int], suite: float, processors: int
) -> None:
    found = of(cluster, numbers, suite, processors)
    assert found[printed].ratio == pytest.approx(printed / 10_000) and found[printed].unlike is None
    alike = {value for value, each in found.items() if each.ratio is not None}
    assert alike == {printed}
    for other in (
        of(cluster, numbers - {3}, suite, processors),
        of(cluster, numbers, suite, processors + 2),
    ):
        assert other[printed].ratio is None and other[printed].unlike
    if cluster != "sgi":  # whose suite the text gives two times
        assert of(cluster, numbers, suite * 1.5, processors)[printed].ratio is None


def test_no_total_of_the_catalogue_is_left_out() -> None:
    cells = catalogue.cells(benchmark="throughput", metric="time_total")
    assert {(cell.machine, cell.value) for cell in cells} == {(ON[work.cluster][0], work.of) for work in WORK}


def test_of_other_workloads_nothing_is_printed() -> None:
    assert printed_totals(Schedule("mix", "eurobench2000-ibm", EVERY, (), 16, 1.0)) == []
    assert printed_totals(Schedule("eurobench2000", "assay-mix", EVERY, (), 16, 1.0)) == []


def test_it_stands_in_terminal_json_and_page(tmp_path: Path) -> None:
    """docs/throughput.md has 12,480 s by the same model with suites of 2,800 s."""
    (tmp_path / "m.toml").write_text("[machine]\nnodes = 16\n")
    table = tmp_path / "eurobench2000-ibm-2800.toml"
    table.write_text(job_table.find("eurobench2000-ibm").read_text().replace('time = "1800 s"', 'time = "2800 s"'))
    given = (
        "throughput",
        "eurobench2000",
        "--jobs",
        str(table),
        "--on",
        str(tmp_path / "m.toml"),
        "--policy",
        "firstfit",
    )
    answer = assay(*given, "--export", str(tmp_path / "page.html"))
    assert "printed makespan (section 6.2.4)" in answer.out and "14,300 s" in answer.out
    assert "Totals that the paper prints of this test" in (tmp_path / "page.html").read_text()
    found = {each["value"]: each for each in assay(*given, "--json").document["printed"]}
    assert found[14_300.0]["ratio"] == pytest.approx(14_300 / 12_480, rel=1e-3)
    assert found[9_320.0]["ratio"] is None and "EuroBen takes 1,800 s there, 2,800 s here" in found[9_320.0]["unlike"]
    scaled = assay(*given, "--set", "workload.load=2", "--json")
    assert scaled.status != 0 or "printed" not in json.loads(scaled.out)
