"""Starts a real code on a small input of our own and checks its result by physics: `run CODE PROCESSORS`, `check CODE`.

Both work in the job's folder, with the standard library only. `run` copies the input, starts the code, on several
processors by $ASSAY_MPIRUN (else mpirun.openmpi, as Debian's packages are built with Open MPI, else mpirun), and gives
its exit status. `check` reads what the code wrote, prints each quantity with what is accepted, and ends with 1 where
one is not. Inputs and limits are ours; energies of reference are wide ranges around what these codes give.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
NUMBER = r"([-+]?[0-9.]+(?:[eEdD][-+]?[0-9]+)?)"
# Open MPI binds the ranks of every job to the first cores, of concurrent jobs to the same ones.
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
               "PRTE_MCA_hwloc_default_binding_policy": "none"}  # fmt: skip
Found = list[tuple[str, float | None, float, float]]  # quantity, value, least, most


def numbers(pattern: str, text: str) -> list[float]:
    """All numbers that `pattern` captures; NUMBER is # in it."""
    found = re.findall(pattern.replace("#", NUMBER), text, re.MULTILINE)
    return [float(each.replace("D", "e").replace("d", "e")) for each in found]


def last(pattern: str, text: str) -> float | None:
    """The last of them; None where there is none."""
    return next(reversed(numbers(pattern, text)), None)


def started(processors: int, *words: str) -> int:
    """Start words on so many processors, and wait."""
    mpirun = os.environ.get("ASSAY_MPIRUN") or shutil.which("mpirun.openmpi") or "mpirun"
    parallel = [*mpirun.split(), "-n", str(processors)] if processors > 1 else []
    return subprocess.run([*parallel, *words], check=False, env=ENVIRONMENT | os.environ).returncode


def lammps(processors: int) -> int:
    """A Lennard-Jones liquid."""
    return started(processors, "lmp", "-in", str(HERE / "lammps.in"))


def lammps_found(text: str) -> Found:
    """Energy per atom is conserved; temperature and pressure are those of the liquid (reduced units)."""
    rows = [line.split() for line in text.splitlines() if re.fullmatch(r"\s*\d+(\s+[-\d.e+]+){3}\s*", line)]
    half = rows[len(rows) // 2 :]
    mean = [sum(float(row[at]) for row in half) / len(half) if half else None for at in (1, 3)]
    drift = abs(float(rows[-1][2]) - float(rows[0][2])) if rows else None
    return [
        ("energy drift per atom", drift, 0, 1e-3),
        ("temperature", mean[0], 0.7, 0.8),
        ("pressure", mean[1], -0.1, 0.7),
    ]


def gromacs(processors: int) -> int:
    """Liquid argon on a lattice of ten atoms along each edge; ranks are threads of one process."""
    edge, apart = 3.6, 0.36
    sites = [(x, y, z) for x in range(10) for y in range(10) for z in range(10)]
    atoms = [
        f"{i % 100000:5d}{'Ar':<5}{'Ar':>5}{i % 100000:5d}" + "".join(f"{apart * (at + 0.5):8.3f}" for at in site)
        for i, site in enumerate(sites, 1)
    ]
    Path("argon.gro").write_text("\n".join(["argon", str(len(sites)), *atoms, f"{edge:10.5f}" * 3]) + "\n")
    prepared = started(1, "gmx", "grompp", "-f", str(HERE / "gromacs.mdp"), "-p", str(HERE / "gromacs.top"),
                       "-c", "argon.gro", "-o", "argon.tpr", "-maxwarn", "2")  # fmt: skip
    if prepared:
        return prepared
    ended = started(1, "gmx", "mdrun", "-s", "argon.tpr", "-deffnm", "argon", "-ntmpi", str(processors), "-ntomp", "1",
                    "-pin", "off")  # fmt: skip
    print(Path("argon.log").read_text())
    return ended


def gromacs_found(text: str) -> Found:
    """The conserved energy's drift that the code prints itself, mean temperature and pressure of a dense fluid."""
    drift = last(r"Conserved energy drift: # kJ/mol/ps per atom", text)
    averages = r"Temperature Pressure \(bar\)\s+"  # printed last
    return [
        ("energy drift, kJ/mol/ps per atom", None if drift is None else abs(drift), 0, 1e-3),
        ("temperature, K", last(averages + "#", text), 135, 160),
        ("pressure, bar", last(averages + r"\S+\s+#", text), 1300, 1950),
    ]


def espresso(processors: int) -> int:
    """Silicon."""
    folder = os.environ.get("ESPRESSO_PSEUDO", "/usr/share/espresso/pseudo")
    text = (HERE / "espresso.in").read_text().replace("@PSEUDO@", folder).replace("@FILE@", "Si.pz-vbc.UPF")
    Path("espresso.in").write_text(text)
    return started(processors, "pw.x", "-in", "espresso.in")


def espresso_found(text: str) -> Found:
    """The energy of silicon's cell, self-consistent; no force on atoms at their sites; near its lattice constant."""
    return [
        ("total energy, Ry", last(r"^!\s+total energy\s+=\s+# Ry", text), -15.95, -15.7),
        ("left of self-consistency, Ry", last(r"estimated scf accuracy\s+<\s+# Ry", text), 0, 1e-9),
        ("force, Ry/bohr", last(r"Total force =\s+#", text), 0, 1e-4),
        ("pressure, kbar", last(r"P=\s*#", text), -60, 60),
    ]


def cp2k(processors: int) -> int:
    """A molecule of water."""
    return started(processors, next(filter(shutil.which, ("cp2k.popt", "cp2k")), "cp2k"), "-i", str(HERE / "cp2k.inp"))


def cp2k_found(text: str) -> Found:
    """The energy of water in this basis, self-consistent; forces add up to nothing."""
    total = next(iter(reversed(re.findall(r"SUM OF ATOMIC FORCES(.*)", text))), "").split()
    return [
        ("total energy, hartree", last(r"Total FORCE_EVAL.*energy.*?:?\s+#$", text), -17.3, -17.0),
        ("runs converged", float(len(re.findall(r"SCF run converged", text))), 1, 1e6),
        ("sum of forces, hartree/bohr", abs(float(total[-1])) if total else None, 0, 5e-3),
    ]


def hpl(processors: int) -> int:
    """LU of order 1,000 on a grid as near to a square as there is; hpcc runs its other tests as well."""
    rows = max(each for each in range(1, int(processors**0.5) + 1) if processors % each == 0)
    values = ["HPL.out", "8", "1", "1000", "1", "80", "0", "1", str(rows), str(processors // rows), "16.0"]
    values += ["1", "2", "1", "4", "1", "2", "1", "1", "1", "1", "1", "0", "2", "64", "0", "0", "1", "8"]
    lines = ["input of HPL", "one value per line", *values, "separator", "0", "1200", "0", "40"]
    Path("hpccinf.txt").write_text("\n".join(lines) + "\n")
    ended = started(processors, "hpcc")
    print(Path("hpccoutf.txt").read_text())
    return ended


def hpl_found(text: str) -> Found:
    """The scaled residual of the solution, below the benchmark's own threshold."""
    return [("scaled residual", last(r"^\|\|Ax-b\|\|.*=\s+# \.+ PASSED", text), 0, 16.0)]


CODES = {
    "lammps": (lammps, lammps_found),
    "gromacs": (gromacs, gromacs_found),
    "espresso": (espresso, espresso_found),
    "cp2k": (cp2k, cp2k_found),
    "hpl": (hpl, hpl_found),
}


def main(words: list[str]) -> int:
    """Run or check."""
    if words[:1] == ["run"] and len(words) == 3 and words[1] in CODES:
        try:
            return CODES[words[1]][0](int(words[2]))
        except OSError as error:
            print(f"{words[1]}: {error}", file=sys.stderr)
            return 127
    if words[:1] == ["check"] and len(words) == 2 and words[1] in CODES:
        found = CODES[words[1]][1](Path("output").read_text(errors="replace"))
        for name, value, least, most in found:
            print(f"{name}: {value}, expected {least:g} to {most:g}")
        return int(
            not found or not all(value is not None and least <= value <= most for _, value, least, most in found)
        )
    print(f"job.py run CODE PROCESSORS, or check CODE; codes: {', '.join(CODES)}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
