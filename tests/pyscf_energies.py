"""Writes programs/applications/orbitals/energies.hpp: total energies of water complexes by PySCF (pip install pyscf).

    python tests/pyscf_energies.py > programs/applications/orbitals/energies.hpp

It shares nothing with the program: the geometry is written here once more, basis sets and integrals are PySCF's.
"""

import pyscf
from pyscf import gto, scf

MOLECULE = (
    ("O", (0.0, -0.143225816552, 0.0)),
    ("H", (1.638036840407, 1.136548822547, 0.0)),
    ("H", (-1.638036840407, 1.136548822547, 0.0)),
)
APART = 6.0  # bohr, between neighbouring corners of the cube
BASES = ("sto-3g", "6-31g")


def complex_of(molecules: int) -> list[tuple[str, tuple[float, ...]]]:
    """Atoms in bohr: molecules on the corners of a cube; x and z of every other one exchanged."""
    atoms = []
    for each in range(molecules):
        corner = [each >> axis & 1 for axis in range(3)]
        for name, at in MOLECULE:
            place = at[::-1] if sum(corner) % 2 else at
            atoms.append((name, tuple(x + APART * c for x, c in zip(place, corner, strict=True))))
    return atoms


def energy(molecules: int, basis: str) -> float:
    """Hartree, of the restricted Hartree-Fock ground state."""
    mean_field = scf.RHF(gto.M(atom=complex_of(molecules), unit="bohr", basis=basis, verbose=0))
    mean_field.conv_tol, mean_field.conv_tol_grad, mean_field.direct_scf_tol = 1e-11, 1e-7, 1e-15
    found = float(mean_field.kernel())
    assert mean_field.converged
    return found


def main() -> None:
    """The header on standard output."""
    print(f"// Total energies (Hartree) of 1 to 8 water molecules, by PySCF {pyscf.__version__}:")
    print("// written by tests/pyscf_energies.py.")
    print("#pragma once\n\nnamespace assay::applications::orbitals {\n")
    print(f"inline constexpr double energies[{len(BASES)}][8] = {{")
    for basis in BASES:
        print(f"    // {basis}")
        print("    {" + ", ".join(f"{energy(count, basis):.10f}" for count in range(1, 9)) + "},")
    print("};\n\n}  // namespace assay::applications::orbitals")


if __name__ == "__main__":
    main()
