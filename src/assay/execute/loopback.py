"""Where all ranks are on this host they need no network: they listen on the loopback device, or not at all.

Open MPI's TCP transport listens on all addresses, whatever interface it is told to use; it is left out, since ranks of
one host share memory. It stays where a program starts another process beside its ranks, which reaches them by TCP only.
Open MPI's own starter (mpirun, prterun) has no parameter for the address that it listens on.
"""

from __future__ import annotations

from collections.abc import Mapping

LOOPBACK = "lo"
# By implementation: the variables and their values.
_SETTINGS = {
    "Open MPI": {"OMPI_MCA_btl": "^tcp", "UCX_NET_DEVICES": LOOPBACK},
    "MPICH": {"HYDRA_IFACE": LOOPBACK, "UCX_NET_DEVICES": LOOPBACK, "FI_TCP_IFACE": LOOPBACK},
}


def loopback(implementation: str, environment: Mapping[str, str], *, spawns: bool = False) -> dict[str, str]:
    """What to add to the environment of a starter whose ranks are all here; what a person has set stays as it is.

    `spawns`: the program starts processes itself.
    """
    settings = _SETTINGS.get(implementation, {})
    return {key: settings[key] for key in settings if key not in environment and not (spawns and key == "OMPI_MCA_btl")}
