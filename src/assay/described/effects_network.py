"""Keys of a description's [network] that could change nothing there, by how messages are switched."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from assay.network.network_tables import NetworkTable

_PACKETS = ("cut-through", "store-and-forward")
# key -> whether it has an effect beside the others, and what it needs
_NEEDS: dict[str, tuple[Callable[[Mapping[str, Any]], bool], str]] = {
    "buffer_flits": (lambda n: _switching(n) == "wormhole", "switching = wormhole"),
    "buffer_packets": (lambda n: _switching(n) in _PACKETS, "switching = cut-through or store-and-forward"),
    "buffers": (lambda n: _switching(n) in _PACKETS, "switching = cut-through or store-and-forward"),
    "output_packets": (lambda n: n.get("buffers") == "output", "buffers = output"),
    "circuit_release": (lambda n: _switching(n) == "circuit", "switching = circuit"),
    "acknowledgement": (lambda n: _switching(n) == "circuit", "switching = circuit"),
    "credit_ticks": (lambda n: _switching(n) != "circuit", "a switching with credits, other than circuit"),
    "packet_gap": (lambda n: bool(n.get("packet_flits")), "packet_flits"),
}


def _switching(network: Mapping[str, Any]) -> str:
    return str(network.get("switching", "wormhole"))


def idle_network(network: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each key of [network] that changes no result of a described machine, and what it would need."""
    for key, (has_effect, need) in _NEEDS.items():
        if key in network and not has_effect(network) and network[key] != _default(key):
            yield key, f"has no effect without {need}"
    if network.get("io") is not None:
        yield "io", "has no effect here: a described machine's ranks are on the network's nodes"


def _default(key: str) -> Any:
    field = NetworkTable.model_fields.get(key)
    return 0 if field is None and key == "credit_ticks" else 1 if field is None else field.default
