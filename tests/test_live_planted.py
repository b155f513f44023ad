"""`compare --live` on a busy machine: of work that is equal, or really 5% longer, never the opposite; nightly."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.decisions import competing, worker

from command_line import assay
from compiled import own_cache
from mpis_here import MPI
from planted_work import PLANTED, RANKS

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.mpi,
    pytest.mark.skipif(MPI is None, reason="no MPI here"),
    pytest.mark.measures,
    pytest.mark.timeout(1800),
    pytest.mark.usefixtures("own_folder"),
]
COMPETITORS = {"none": (), "one busy process": ("busy",), "memory copies": ("memory",)}
STEPS = {"": 100_000, "#define STREAM\n": 50_000}


@pytest.mark.parametrize("work", STEPS, ids=["chain", "stream"])
@pytest.mark.parametrize("longer", [0.0, 0.05])
@pytest.mark.parametrize("competitor", COMPETITORS)
def test_no_verdict_is_wrong(
    competitor: str, longer: float, work: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Equal work does not differ, and work of 5% more is not equal within 3%; the ratio of the work is its figure's."""
    monkeypatch.setenv("ASSAY_CACHE", str(own_cache(tmp_path / "cache")))
    file = tmp_path / "planted.hpp"
    for label, steps in (("plain", STEPS[work]), ("longer", round(STEPS[work] * (1 + longer)))):
        file.write_text(PLANTED.replace("#define STEPS 100000", f"{work}#define STEPS {steps}"))
        made = assay("build", str(file)), assay("run", "planted", *RANKS, "--launches", "1", "--label", label)
        assert [each.status for each in made] == [0, 0], made
    with competing(worker(tmp_path), COMPETITORS[competitor]):
        answer = assay("compare", "--live", "plain", "longer", "--margin", "3%", "--json")
    assert answer.status in ({0, 4} if longer == 0 else {3, 4}), answer.document["figures"]
    (figure,) = answer.document["figures"]
    assert figure["pairs"] == answer.document["pairs"] >= 8  # every pair has a ratio, whatever else ran
    if answer.status == 3:
        assert figure["value"] > 1
