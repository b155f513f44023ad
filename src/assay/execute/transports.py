"""What carries ranks' messages, by a name that means the same with every MPI, and how each MPI is made to use it.

Nothing is looked up in an MPI: it is given variables in its ranks' environment. Open MPI: the component of its point to
point layer (`pml`, `btl`, `mtl`); MPICH: the providers of UCX and libfabric, one of which it is built on, and whether
ranks of a node may share memory; Intel MPI: its fabrics. Any other name is passed on unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from assay.benchmark.variants import USUAL
from assay.errors import InputError
from assay.execute.loopback import LOOPBACK
from assay.execute.mpi import Mpi

_VARIABLE = re.compile(r"[A-Za-z_]\w*=\S*")
# By name and implementation: the variables of a rank's environment and their values.
_BY_NAME: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    "shm": {
        "Open MPI": {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,sm"},
        "MPICH": {"MPIR_CVAR_NOLOCAL": "0"},
        "Intel MPI": {"I_MPI_FABRICS": "shm"},
    },
    "tcp": {
        "Open MPI": {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,tcp"},
        "MPICH": {"MPIR_CVAR_NOLOCAL": "1", "UCX_TLS": "tcp,self", "FI_PROVIDER": "tcp"},
        "Intel MPI": {"I_MPI_FABRICS": "ofi", "FI_PROVIDER": "tcp"},
    },
    "ucx": {"Open MPI": {"OMPI_MCA_pml": "ucx"}},
    "ofi": {"Open MPI": {"OMPI_MCA_pml": "cm", "OMPI_MCA_mtl": "ofi"}, "Intel MPI": {"I_MPI_FABRICS": "ofi"}},
}
ACCEPTED = f"{USUAL}, {', '.join(_BY_NAME)}, or variables of the ranks' environment: 'NAME=VALUE NAME=VALUE'"
# TCP segments for each rank of a launch whose messages go by TCP: 115 at least were counted (an echo and a barrier of
# two repetitions, 2 to 8 ranks). Starting a rank alone takes none with MPICH and 50 to 63 with Open MPI 5.
LEAST_SEGMENTS = 80


def check(name: str) -> None:
    """InputError where a transport is neither a name nor variables of an environment."""
    words = name.split()
    if name != USUAL and name not in _BY_NAME and not (words and all(map(_VARIABLE.fullmatch, words))):
        raise InputError("is no transport", key="--transport", value=name, accepted=ACCEPTED)


def variables(name: str, mpi: Mpi, *, here: bool) -> dict[str, str]:
    """What the environment of ranks holds so that messages go by that transport; `here`: all are on this host.

    InputError where the implementation is not known to have it.
    """
    if name == USUAL:
        return {}
    if name not in _BY_NAME:
        return dict(word.split("=", 1) for word in name.split())
    found = _BY_NAME[name].get(mpi.implementation)
    if found is None:
        known = [each for each, of in _BY_NAME.items() if mpi.implementation in of]
        accepted = f"{', '.join(known) or USUAL}, or 'NAME=VALUE …'"
        raise InputError(f"{mpi} is not known to have it", key="--transport", value=name, accepted=accepted)
    made = dict(found)
    if mpi.implementation == "Open MPI":
        if name == "shm":  # one component under two names: vader until version 4, sm from 5 on
            made["OMPI_MCA_btl"] = "self,sm" if mpi.major >= 5 else "self,vader"
        if here and name == "tcp":  # left to itself it uses any network but this one, and a host may have no other
            made["OMPI_MCA_btl_tcp_if_include"] = LOOPBACK
    return made


def segments(root: Path = Path("/")) -> int | None:
    """TCP segments that this host has sent since it was started (/proc/net/snmp); None where it is unknown."""
    try:
        lines = [line.split() for line in (root / "proc/net/snmp").read_text().splitlines() if line.startswith("Tcp:")]
        return int(dict(zip(*lines, strict=True))["OutSegs"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
