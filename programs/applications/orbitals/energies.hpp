// Total energies (Hartree) of 1 to 8 water molecules, by PySCF 2.14.0:
// written by tests/pyscf_energies.py.
#pragma once

namespace assay::applications::orbitals {

inline constexpr double energies[2][8] = {
    // sto-3g
    {-74.9420799282, -149.8828827932, -224.8282710597, -299.7727818753, -374.7136875297, -449.6529838820,
     -524.5970572023, -599.5399069986},
    // 6-31g
    {-75.9525290754, -151.9020716501, -227.8632029269, -303.8225639867, -379.7727216777, -455.7188819773,
     -531.6767797841, -607.6318841032},
};

}  // namespace assay::applications::orbitals
