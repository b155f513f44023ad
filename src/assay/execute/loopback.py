"""Where all ranks are on this host they need no network: they listen on the loopback device, or not at all.

Open MPI's TCP transport listens on all addresses, whatever interface is configured; it is disabled, since ranks of
one host share memory. It stays enabled where a program spawns a process, which reaches the ranks by TCP only.
Open MPI's own starter (mpirun, prterun) has no parameter for the address that it listens on: PRRTE 3 and 4 bind to all
of them, and end with "no network interfaces were found" where they may use the loopback device alone. UCX has no route
between two ranks by TCP through the loopback device: it is given all devices where its messages go by TCP (UCX_TLS).
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

    `environment`: of the ranks, with the variables of their transport. `spawns`: the program starts processes itself.
    """
    left = set(environment)
    if spawns:
        left.add("OMPI_MCA_btl")
    if "tcp" in environment.get("UCX_TLS", "").split(","):
        left.add("UCX_NET_DEVICES")
    return {key: value for key, value in _SETTINGS.get(implementation, {}).items() if key not in left}
