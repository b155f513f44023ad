"""What of the MPI library is local to a rank: operations and groups; what a program needs; the Fortran layer."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.benchmark.record import programs_root
from assay.errors import InputError
from assay.mpi import fortran, needs
from assay.mpi.library import library
from mpi_elsewhere import elsewhere
from mpi_programs import compiled, output
from mpis_here import MPI

RANKS = 9


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_operations_on_all_predefined_types_give_what_another_mpi_gives() -> None:
    assert output("ipsc860", 1, "operations").splitlines() == elsewhere(1, "operations")


@st.composite
def algebra(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """Commands on groups, and what each gives by the definition, from lists of ranks."""
    groups: list[list[int]] = [list(range(RANKS))]
    lines, expected = [], []
    for _ in range(draw(st.integers(5, 25))):
        a, b = draw(st.integers(0, len(groups) - 1)), draw(st.integers(0, len(groups) - 1))
        first, second = groups[a], groups[b]
        kind = draw(st.sampled_from(("union", "intersection", "difference", "compare", "incl", "excl", "range_incl")))
        if kind == "compare":
            lines.append(f"compare {a} {b}")
            same = "similar" if sorted(first) == sorted(second) else "unequal"
            expected.append("ident" if first == second else same)
            continue
        if kind in ("incl", "excl"):
            chosen = draw(st.permutations(range(len(first))))[: draw(st.integers(0, len(first)))]
            lines.append(f"{kind} {a} {len(chosen)} {' '.join(map(str, chosen))}")
            kept = chosen if kind == "incl" else [i for i in range(len(first)) if i not in chosen]
            groups.append([first[i] for i in kept])
        elif kind == "range_incl":
            if not first:
                continue
            last, step = draw(st.integers(0, len(first) - 1)), draw(st.integers(1, 3))
            lines.append(f"range_incl {a} 1 {last} 0 {-step}")
            groups.append([first[i] for i in range(last, -1, -step)])
        else:
            lines.append(f"{kind} {a} {b}")
            groups.append(
                {
                    "union": first + [r for r in second if r not in first],
                    "intersection": [r for r in first if r in second],
                    "difference": [r for r in first if r not in second],
                }[kind]
            )
        expected.append(" ".join(map(str, groups[-1])))
    return lines, expected


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(case=algebra())
def test_groups_follow_set_algebra(case: tuple[list[str], list[str]]) -> None:
    lines, expected = case
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "commands"
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        got = output("ipsc860", RANKS, "groups", str(file))
    assert [line.strip() for line in got.splitlines()] == expected


def test_the_list_of_functions_is_the_headers() -> None:
    folder = programs_root() / "mpi_library" / "abi"
    listed = re.findall(r"X\((\w+)\)", (folder / "functions.inc").read_text())
    declared = re.findall(r"^(?:int|double|MPI_\w+) (MPIX?_\w+)\(", (folder / "mpi.h").read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(declared) and len(listed) == len(set(listed))


def test_a_program_needs_what_it_names_and_weak_functions_are_missing() -> None:
    found = needs.needs_of(compiled("missing"), library())
    assert found.standard and found.other is None
    assert "MPI_Init" in found.there and found.missing == ("MPI_Comm_spawn", "MPI_File_open")
    line = found.line("p")
    assert line.endswith("not available in Assay's library: MPI_Comm_spawn, MPI_File_open")


def test_a_missing_function_says_its_name_and_ends_the_program() -> None:
    from mpi_programs import asked, ran

    made, _ = ran(asked("ipsc860", 2, "missing"))
    assert made.exit_status != 0


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_a_program_of_another_mpi_is_told_apart() -> None:
    from mpi_elsewhere import compiled_there

    found = needs.needs_of(compiled_there("operations"), library())
    assert found.other is not None and "compile it again with `assay mpicc`" in found.line("p")


def test_what_is_no_program_is_refused(tmp_path: Path) -> None:
    text = tmp_path / "script"
    text.write_text("#!/bin/sh\n")
    with pytest.raises(InputError, match="not an ELF file"):
        needs.needs_of(text, library())


@pytest.mark.parametrize("verb", ["mpicc", "mpicxx"])
def test_the_compilers_options_are_passed_on_whatever_letters_they_have(verb: str) -> None:
    """`-h` of -pthread and -shared is no call for help."""
    command = [sys.executable, "-m", "assay", verb, "-show", "-pthread", "-shared", "-fPIC", "x.c"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert " -pthread -shared -fPIC x.c " in shown and shown.split()[-1] == "-lmpi_abi"


def test_mpif_has_the_headers_constants() -> None:
    header = (programs_root() / "mpi_library" / "abi" / "mpi.h").read_text(encoding="utf-8")
    found = dict(fortran.constants(header))
    assert found["MPI_COMM_WORLD"] == 0x101 and found["MPI_DOUBLE_PRECISION"] == 0x21C and found["MPI_ANY_TAG"] == -2
    assert found["MPI_MAX_PROCESSOR_NAME"] == 255 and found["MPI_STATUS_SIZE"] == 8
    assert all(len(line) <= 72 for line in fortran.mpif(header).splitlines())


@pytest.mark.skipif(subprocess.run(["which", "gfortran"], capture_output=True).returncode != 0, reason="no gfortran")
@pytest.mark.parametrize("how", ["      include 'mpif.h'", "      use mpi"])
def test_fortran_programs_run_over_the_c_interface(how: str, tmp_path: Path) -> None:
    from assay.described.shipped import open_described
    from assay.mpi import request, wrappers
    from assay.mpi.launch import Request
    from mpi_programs import SOURCES, ran

    text = (
        (SOURCES / "ring.f")
        .read_text()
        .replace("@USE@", how if "use" in how else "")
        .replace("@INCLUDE@", "" if "use" in how else how)
    )
    source, program = tmp_path / "ring.f", tmp_path / "ring"
    source.write_text(text)
    subprocess.run(
        [*wrappers.command("fortran", ["-Wno-argument-mismatch", str(source), "-o", str(program)])], check=True
    )
    tables, places, processors = request.places_of(open_described("ipsc860", {}), 4, None, None)
    made, printed = ran(Request([str(program)], tables, places, processors))
    assert made.exit_status == 0, made.served.failure
    assert printed.split() == ["6", "10.0", "T", "24", "4", "3"]
