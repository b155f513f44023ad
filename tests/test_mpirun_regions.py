"""Regions that a program marks (assay.h): their times are figures, and their computing can be all that counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.mpi import request
from command_line import assay
from mpi_programs import asked, compiled, ran

RANKS = 3


def test_times_of_regions_are_figures_of_the_run(tmp_path: Path) -> None:
    words = ["mpirun", "--on", "ipsc860", "-n", str(RANKS), "--json", "--out", str(tmp_path / "run")]
    answer = assay(*words, str(compiled("regions")))
    assert answer.status == 0, answer.err
    found = {each["name"]: each["params"] for each in answer.document["figures"] if each["name"] == "region_time"}
    assert found, answer.document["figures"]
    made, _ = ran(asked("ipsc860", RANKS, "regions"))
    regions = {name: (count, total, least) for name, count, total, least, _, _ in made.served.regions}
    assert {name: count for name, (count, _, _) in regions.items()} == {"compute": 3 * RANKS, "exchange": 3 * RANKS}
    assert regions["compute"][1] == 0  # computing takes none
    assert regions["exchange"][1] == sum(each[4] for each in made.served.calls if each[0] == "MPI_Sendrecv")


def test_only_the_computing_of_regions_counts_where_that_is_asked_for() -> None:
    compute = "regions:100"
    factor, within = request.factor_of(compute), request.in_regions(compute)
    assert (factor, within) == (100, True)
    made, _ = ran(asked("ipsc860", 1, "regions", factor=factor, in_regions=within))
    seconds = made.served.makespan * 1e-12
    assert 100 * 3 * 0.002 <= seconds < 100 * 3 * 0.02  # 0.02 s are computed outside of them, three times
    everywhere, _ = ran(asked("ipsc860", 1, "regions", factor=factor))
    # What is computed behind the last call, here 0.02 s, is not charged: MPI_Finalize does not charge it.
    assert everywhere.served.makespan * 1e-12 >= 100 * (3 * 0.002 + 2 * 0.02)


@pytest.mark.parametrize(
    ("way", "report"),
    [
        ("early", "assay_region_begin: MPI is not initialized"),
        ("crossed", "assay_region_end: the region that began last is b; got a"),
        ("never", "assay_region_end: no region has begun; got a"),
        ("name", "assay_region_begin: a name is 1 to 100 printable ASCII characters"),
    ],
)
def test_wrong_uses_are_reported(way: str, report: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    made, _ = ran(asked("ipsc860", 1, "regions", way))
    assert made.exit_status == 1
    assert f"rank 0: {report}" in capfd.readouterr().err
