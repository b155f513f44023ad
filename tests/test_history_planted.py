"""Steps planted in real runs: other flags, another MPI, a quota are found at their run and named first; nightly."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from cgroup_quota import processor_share
from mpis_here import MPI, WHEEL

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.measures,
    pytest.mark.timeout(3600),
    pytest.mark.usefixtures("own_folder"),
]
BEFORE, AFTER = 12, 8
AFTER_DRIFT = 12  # where the host's own level drifts before the change: successive runs that are similar show less
SHARE = 0.25  # of a processor
SIEVE = ("sieve",)
TCP = {"OMPI_MCA_btl": "tcp,self", "OMPI_MCA_pml": "ob1", "MPIR_CVAR_NOLOCAL": "1", "UCX_TLS": "tcp,self"}


def run(words: Sequence[str], prefix: Sequence[str] = (), environment: Mapping[str, str] | None = None) -> str:
    """Make a run in a process of its own; its id."""
    command = [*prefix, sys.executable, "-m", "assay", "run", *words, "--launches", "3", "--json"]
    done = subprocess.run(command, env=os.environ | (environment or {}), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return str(json.loads(done.stdout)["run"])


def history(*words: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "assay", "history", *words, "--json"], capture_output=True, text=True, timeout=1800
    )
    assert done.returncode in (0, 3, 4), done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def planted(words: Sequence[str], before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Runs with the older environment, then with the newer one; the id of the first of these."""
    for _ in range(BEFORE):
        run(words, environment=before)
    ids = [run(words, environment=after) for _ in range(AFTER)]
    return ids[0]


def only_change(found: dict[str, Any], figure: str) -> dict[str, Any]:
    (change,) = [each for each in found["changes"] if each["figure"] == figure]
    return dict(change)


def test_other_flags_are_found_named_and_confirmed() -> None:
    first = planted(SIEVE, {"CXXFLAGS": "-O2"}, {"CXXFLAGS": "-O0"})
    change = only_change(history("sieve"), "sieve.time")
    assert change["at_run"] == first and change["changed"][0]["key"] == "programs.sieve.flags"
    found = history("sieve", "--confirm")["confirmation"]
    assert found["verdict"] == "differs" and found["ratio"] == pytest.approx(
        change["after"] / change["before"], rel=0.1
    )
    assert len(found["runs"]) == 2


def test_a_quota_is_found_and_named() -> None:
    """A pass takes longer than the quota's period, so that none is as fast as without it."""
    words = (*SIEVE, "--set", "size=1000000")
    for _ in range(BEFORE):
        run(words)
    with processor_share(SHARE, period=10_000) as prefix:
        ids = [run(words, prefix) for _ in range(AFTER_DRIFT)]
    change = only_change(history("sieve"), "sieve.time")
    assert change["at_run"] == ids[0] and change["changed"][0]["key"] == "cpu_quota"


@pytest.mark.skipif(MPI is None or WHEEL is None, reason="needs two MPIs")
def test_another_mpi_is_found_and_named() -> None:
    """The other one over TCP, as the MPIs of a host differ by less than its runs do where it is loaded."""
    assert MPI is not None and WHEEL is not None
    before, after = ({"MPIEXEC": each.mpiexec, "MPICXX": each.mpicxx} for each in (MPI, WHEEL))
    words = ("echo", "-n", "2", "--set", "bytes=65536")
    first = planted(words, before, after | TCP)
    found = history("echo")
    changes = [each for each in found["changes"] if each["figure"] == "echo.half_round_trip"]
    assert [each["at_run"] for each in changes] == [first]
    assert changes[0]["changed"][0]["key"].startswith("mpi.")


@pytest.mark.skipif(MPI is None, reason="needs an MPI")
def test_variables_that_steer_the_mpi_are_named() -> None:
    first = planted(("echo", "-n", "2", "--set", "bytes=65536"), {}, TCP)
    changes = [each for each in history("echo")["changes"] if each["figure"] == "echo.half_round_trip"]
    assert [each["at_run"] for each in changes] == [first]
    assert changes[0]["changed"][0]["key"] == "variables"
    assert "MPIR_CVAR_NOLOCAL=1" in changes[0]["changed"][0]["after"]
