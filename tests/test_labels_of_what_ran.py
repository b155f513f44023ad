"""A label says what ran: another MPI or transport than the one asked for gives no figure under its name."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from assay.errors import MeasurementError
from assay.execute import mpi_variants, transport_check, transports
from assay.execute.mpi import Mpi
from command_line import assay
from mpis_here import MPI, WHEEL

GIVEN = ("--set", "bytes=8", "--set", "repetitions=2", "--launches", "1")
OTHER = r"""
#include <string.h>
int MPI_Get_library_version(char* text, int* length) {
  strcpy(text, "%s");
  *length = (int)strlen(text);
  return 0;
}
"""


def mpi(implementation: str) -> Mpi:
    return Mpi("mpicxx", "mpiexec", implementation, "5.0", embedded=False)


def launch(folder: Path, **stated: str | None) -> Path:
    out = folder / "launch.jsonl"
    out.write_text(json.dumps({"event": "launch"} | stated) + "\n")
    return out


@pytest.mark.parametrize(
    ("named", "library", "right"),
    [
        ("Open MPI", "Open MPI 5.0.8", True),
        ("Open MPI", "MPICH Version: 4.0.2", False),
        ("MPICH", "Open MPI 5.0.8", False),
        ("MPICH", "Intel(R) MPI Library 2021.9 for Linux* OS", False),
        ("Intel MPI", "MPICH Version: 4.0.2", False),
        ("MPICH", "MVAPICH Version: 3.0", True),
        ("Open MPI", "MVAPICH Version: 3.0", False),
        ("Open MPI", "ParaStation MPI 5.9", False),
        ("MPICH", "MPI VERSION    : CRAY MPICH version 8.1.25.17", True),
        ("Some MPI", "MPICH Version: 4.0.2", True),
        ("Open MPI", None, True),
    ],
)
def test_the_library_that_ran_is_the_one_of_the_mpi(tmp_path: Path, named: str, library: str, right: bool) -> None:
    out = launch(tmp_path, library=library, transport="shared memory")
    if right:
        transport_check.check(out, mpi(named), None, here=True)
    else:
        with pytest.raises(MeasurementError, match="another library"):
            transport_check.check(out, mpi(named), None, here=True)


@pytest.mark.parametrize(
    ("asked", "found", "here", "right"),
    [
        ("shm", "shared memory", True, True),
        ("shm", "tcp", True, False),
        ("tcp", "shared memory", True, False),
        ("tcp", "tcp", True, True),
        ("tcp", "none", True, True),  # one rank
        ("default", "tcp", True, True),
        ("UCX_TLS=tcp,self", "shared memory", True, True),  # named by what was given, whatever it makes
        ("tcp", "shared memory, interconnect past the kernel", False, False),
        ("tcp", "shared memory, tcp", False, True),
        ("shm", "shared memory, tcp", False, True),
    ],
)
def test_the_transport_is_the_one_that_was_asked_for(
    tmp_path: Path, asked: str, found: str, here: bool, right: bool
) -> None:
    out = launch(tmp_path, library=None, transport=found)
    if right:
        transport_check.check(out, mpi("Open MPI"), asked, here=here)
    else:
        with pytest.raises(MeasurementError, match=f"went by {found}"):
            transport_check.check(out, mpi("Open MPI"), asked, here=here)


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_a_library_that_takes_the_place_of_the_mpi_gives_no_figure(
    tmp_path: Path, own_folder: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As LD_LIBRARY_PATH does with libraries of one file name."""
    assert MPI is not None
    claims = "Open MPI v5.0.8, package" if MPI.implementation != "Open MPI" else "MPICH Version: 4.0.2"
    (tmp_path / "other.c").write_text(OTHER % claims)
    shim = tmp_path / "other.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", shim, tmp_path / "other.c"], check=True)
    good = assay("run", "echo", "-n", "2", *GIVEN, "--json")
    assert good.status == 0 and good.document["figures"], good.err
    monkeypatch.setenv("LD_PRELOAD", str(shim))
    ended = assay("run", "echo", "-n", "2", *GIVEN, "--json")
    assert ended.status == 1 and "the ranks ran on another library than that of" in ended.err
    assert ended.document["figures"] == []


@pytest.mark.mpi
@pytest.mark.skipif(WHEEL is None, reason="no MPI here")
def test_messages_that_do_not_go_by_shared_memory_are_no_figure_of_it(
    own_folder: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = transports.variables

    def by_tcp(name: str, of: Mpi, *, here: bool) -> dict[str, str]:
        return given("tcp" if name == "shm" else name, of, here=here)

    monkeypatch.setattr(mpi_variants.transports, "variables", by_tcp)
    ended = assay("run", "echo", "-n", "2", "--transport", "shm", *GIVEN, "--json")
    assert ended.status == 1 and "messages were to go by shm and went by tcp" in ended.err
    assert ended.document["figures"] == []
