"""SimGrid's platform XML: the one cluster of a file, its numbers in SI units; anything else is refused by its name."""

from __future__ import annotations

from pathlib import Path
from xml.parsers import expat

from assay.errors import InputError
from assay.network.foreign import clusters
from assay.network.foreign.element import Element
from assay.network.foreign.foreign_network import ForeignNetwork

PASSED_OVER = ("platform", "zone", "AS", "prop", "config")
KNOWN = (
    "id",
    "prefix",
    "suffix",
    "radical",
    "speed",
    "core",
    "bw",
    "lat",
    "sharing_policy",
    "bb_bw",
    "bb_lat",
    "bb_sharing_policy",
    "limiter_link",
    "loopback_bw",
    "loopback_lat",
    "topology",
    "topo_parameters",
    "router_id",
)


def read_platform(path: Path, text: str) -> ForeignNetwork:
    """Read a platform of one cluster. InputError names the line and the element or attribute without a counterpart."""
    found = _elements(path, text)
    cluster = None
    for element in found:
        if element.name == "cluster":
            if cluster is not None:
                raise InputError(
                    "is a second cluster", file=path, line=element.line, key="cluster", accepted="a file of one cluster"
                )
            cluster = element
        elif element.name not in PASSED_OVER:
            raise InputError(
                "has no counterpart", file=path, line=element.line, key=element.name, accepted="a file of one cluster"
            )
    if cluster is None:
        raise InputError("has no cluster", file=path, accepted="a platform with one <cluster>")
    for key in cluster.given:
        if key not in KNOWN:
            raise cluster.wrong(key, "has no counterpart", ", ".join(KNOWN))
    return clusters.network(cluster)


def _elements(path: Path, text: str) -> list[Element]:
    found: list[Element] = []
    parser = expat.ParserCreate()

    def begin(name: str, given: dict[str, str]) -> None:
        found.append(Element(path, parser.CurrentLineNumber, name, given))

    def entity(*_: object) -> None:
        raise InputError("declares entities", file=path, line=parser.CurrentLineNumber, accepted="plain XML")

    parser.StartElementHandler = begin
    parser.EntityDeclHandler = entity
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        raise InputError(f"is not XML: {expat.ErrorString(error.code)}", file=path, line=error.lineno) from None
    if found[0].name != "platform":
        raise InputError("is no platform", file=path, key=found[0].name, accepted="<platform>, as SimGrid reads it")
    return found
