"""The environment variables that steer what is measured are stated by each run, and are a difference of two runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.machine.steering import steering
from command_line import assay


def test_variables_of_the_mpi_threads_and_libraries_are_stated_and_no_others() -> None:
    given = {"UCX_TLS": "tcp,self", "OMP_PROC_BIND": "spread", "UCXTOKEN": "1", "MY_OMP_KEY": "2", "PATH": "/bin"}
    assert steering(given) == "OMP_PROC_BIND=spread UCX_TLS=tcp,self"
    assert steering({}) == ""


def test_two_runs_differ_in_what_steered_their_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    for bind in ("spread", "close"):
        monkeypatch.setenv("OMP_PROC_BIND", bind)
        assert assay("run", "sieve", "--launches", "1", "--out", str(tmp_path / bind)).status in (0, 1)
    found = assay("compare", str(tmp_path / "spread"), str(tmp_path / "close"), "--json").document
    [variables] = [each for each in found["comparisons"][0]["differences"] if each["key"] == "variables"]
    assert "OMP_PROC_BIND=spread" in variables["a"] and "OMP_PROC_BIND=close" in variables["b"]
