"""The hardware threads that ranks had: read from the masks that they report, whatever was requested."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from assay.machine.reading import spans
from assay.program_lines import PlacedRank

# What launchers call a binding, in the words used here.
_SAME = {"cores": "core", "hwthread": "hardware thread", "hwthreads": "hardware thread"}


def observed_binding(placement: Sequence[PlacedRank], hosts: Mapping[str, Mapping[str, object]]) -> str:
    """The binding of all ranks: none, socket, core, hardware thread, "N cores"; several joined by commas.

    `placement`: what each rank stated; `hosts`: the facts of each host by its name (`processors`: how many hardware
    threads it has for everybody).
    """
    kinds = Counter(_of_one(rank, hosts.get(str(rank.get("host")), {})) for rank in placement)
    return ", ".join(sorted(kinds, key=lambda kind: (-kinds[kind], kind))) or "unknown"


def _of_one(rank: PlacedRank, host: Mapping[str, object]) -> str:
    cpus = len(rank.get("cpus", ()))
    stated = rank.get("cores"), rank.get("threads"), rank.get("sockets")
    cores, threads, sockets = (int(count or 0) for count in stated)
    if cpus == 0 or cores == 0:
        return "unknown"
    if cpus == 1:
        return "hardware thread" if threads > 1 else "core"
    everybody = _number(host.get("processors"))
    if everybody and cpus >= everybody:
        return "core" if cores == 1 else "none"
    if cores == 1:
        return "core"
    every_core, every_socket = _number(host.get("cores")), _number(host.get("sockets"))
    if sockets == 1 and every_socket > 1 and cores * every_socket >= every_core:
        return "socket"
    return f"{cores} cores"


def _number(stated: object) -> int:
    return int(stated) if isinstance(stated, (int, float)) else 0


def describe_binding(policy: str, found: str, *, shared: bool = False) -> str:
    """The binding for display: the observed one, and the requested one only where it differs.

    `shared`: several ranks have the same core or hardware thread, which is not what binding to one means.
    """
    wanted = _SAME.get(policy, policy)
    if found == "unknown":
        return wanted
    if shared and found != "none":
        found = f"{found} shared by several ranks"
    return found if wanted == found else f"{found} (requested: {wanted})"


def sharing_warnings(placement: Sequence[PlacedRank]) -> list[str]:
    """A warning for each host where ranks share hardware threads: their times include waiting for one."""
    warnings = dict[str, int]()
    by_host: dict[str, list[frozenset[int]]] = defaultdict(list)
    for rank in placement:
        if rank.get("cpus"):
            by_host[str(rank.get("host"))].append(frozenset(rank["cpus"]))
    for host, masks in by_host.items():
        for ranks, cpus in _shared(masks):
            threads = "one hardware thread" if len(cpus) == 1 else f"{len(cpus)} hardware threads"
            text = f"{ranks} ranks share {threads} of {host} ({spans(tuple(cpus))}; oversubscribed)"
            warnings[f"{text}: times include waiting for a processor"] = 0
    return list(warnings)


def _shared(masks: Sequence[frozenset[int]]) -> list[tuple[int, frozenset[int]]]:
    """Sets of hardware threads with more ranks that may use nothing else: of one mask, else of all masks together."""
    found: list[tuple[int, frozenset[int]]] = []
    for mask in dict.fromkeys(masks):
        within = sum(other <= mask for other in masks)
        if within > len(mask) and not any(smaller < mask for _, smaller in found):
            found.append((within, mask))
    everything = frozenset[int]().union(*masks)
    if not found and len(masks) > len(everything):
        found.append((len(masks), everything))
    return found
