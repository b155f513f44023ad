"""BookSim2's anynet files: a line `router 0 node 0 node 1 router 1 10 router 2` joins what it names to its first one.

A number behind a neighbour is the link's latency in cycles, for that direction alone; 1 where there is none. Routes are
those of BookSim2's own routing, the shortest ones by latency, found by Dijkstra with the same order of equals.
"""

from __future__ import annotations

from pathlib import Path

from assay.errors import InputError
from assay.network.foreign.foreign_network import ForeignNetwork
from assay.network.foreign.tables import table_lines

LARGEST = 2**22
Latencies = dict[int, dict[int, int]]  # by router, then neighbour


def read_anynet(path: Path, text: str) -> ForeignNetwork:
    """Read an anynet file. InputError names the line of what is wrong or has no counterpart."""
    places: dict[int, int] = {}
    ports: dict[int, int] = {}  # latency of a node's link
    links: Latencies = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            _read_line(path, number, line.split(), places, ports, links)
    if sorted(places) != list(range(len(places))) or not places:
        raise InputError("numbers its nodes with gaps", file=path, value=sorted(places)[:8], accepted="0, 1, 2, …")
    if sorted(links) != list(range(len(links))):
        raise InputError("numbers its routers with gaps", file=path, value=sorted(links)[:8], accepted="0, 1, 2, …")
    if len(set(ports.values())) > 1:
        seen = sorted(set(ports.values()))
        problem = "gives the links of nodes different latencies, which have no counterpart"
        raise InputError(problem, file=path, key="node", value=seen, accepted="the same latency for all nodes")
    pairs = [(a, b) for a, neighbours in links.items() for b in neighbours]
    delays = [links[a][b] - 1 for a, b in pairs]
    network: dict[str, object] = {
        "topology": "graph",
        "routing": "table",
        "table": table_lines(_rows(places, links)),
        "links": [list(pair) for pair in pairs],
        "directed": True,
        "nodes": [places[node] for node in range(len(places))],
    }
    if any(delays):
        network["link_delays"] = delays
    latency = next(iter(ports.values()))
    if latency != 1:
        network |= {"node_head_ticks": latency, "node_body_ticks": latency}
    if not pairs:  # one router with its nodes
        network = {"topology": "crossbar", "nodes": len(places)}
    return ForeignNetwork({"network": network}, ASSUMED)


ASSUMED = (
    "a flit crosses a link in its latency, one flit a cycle; routers add no cycles to it (network.head_ticks)",
    "one virtual channel (network.lanes), with a buffer of one flit (network.buffer_flits); credits come back at once "
    "(network.credit_ticks)",
    "routes are BookSim2's min_anynet: shortest by latency, one for each pair of nodes",
    "messages, packets and load are not in the file: [traffic] has its defaults",
)


def _read_line(
    path: Path, number: int, words: list[str], places: dict[int, int], ports: dict[int, int], links: Latencies
) -> None:
    head, body = words[:2], words[2:]
    if len(words) < 2 or head[0] not in ("router", "node"):
        raise _wrong(path, number, " ".join(head), "router N or node N, then what it is joined to")
    own = _number(path, number, head[1])
    if head[0] == "router":
        links.setdefault(own, {})
    at = 0
    while at < len(body):
        kind = body[at]
        if kind not in ("router", "node") or at + 1 == len(body):
            raise _wrong(path, number, kind, "router N or node N, and behind it a latency if wanted")
        other = _number(path, number, body[at + 1])
        at += 2
        latency = None
        if at < len(body) and body[at] not in ("router", "node"):
            latency = _number(path, number, body[at], 1)
            at += 1
        if head[0] == kind:
            if kind == "node":
                raise _wrong(path, number, f"node {own} node {other}", "nodes are joined to routers")
            if own == other:
                raise _wrong(path, number, f"router {own} router {other}", "another router")
            links[own][other] = latency or 1
            links.setdefault(other, {}).setdefault(own, 1)
            continue
        if head[0] == "node" and latency is not None:  # which BookSim2 takes for something else
            raise _wrong(path, number, f"{latency}", "the latency of a node's link on its router's line")
        node, router = (own, other) if head[0] == "node" else (other, own)
        if places.setdefault(node, router) != router:
            raise _wrong(path, number, f"node {node} at router {router}", f"one router a node; it is at {places[node]}")
        links.setdefault(router, {})
        ports[node] = latency or 1


def _number(path: Path, line: int, word: str, least: int = 0) -> int:
    if not (word.isascii() and word.isdigit() and least <= int(word) < LARGEST):
        raise _wrong(path, line, word, f"a whole number from {least} to {LARGEST - 1}")
    return int(word)


def _wrong(path: Path, line: int, value: str, accepted: str) -> InputError:
    return InputError("is no anynet line", file=path, line=line, value=value, accepted=accepted)


def _rows(places: dict[int, int], links: Latencies) -> list[tuple[int, int, int]]:
    """(router, destination, next): BookSim2's tables."""
    at: dict[int, list[int]] = {}
    for node, router in sorted(places.items()):
        at.setdefault(router, []).append(node)
    rows = []
    for start in links:
        first = _first_hops(start, links)
        rows += [(start, node, first[router]) for router, nodes in at.items() if router in first for node in nodes]
    return rows


def _first_hops(start: int, links: Latencies) -> dict[int, int]:
    """By router the first hop towards it: the nearest open router first, the one of the lowest number among equals."""
    import heapq

    distance, before = {start: 0}, {start: start}
    open_ = [(0, start)]
    done = set()
    while open_:
        _, router = heapq.heappop(open_)
        if router in done:
            continue
        done.add(router)
        for other, latency in sorted(links[router].items()):
            reached = distance[router] + latency
            if other not in distance or reached < distance[other]:
                distance[other], before[other] = reached, router
                heapq.heappush(open_, (reached, other))
    first = {}
    for router in distance:
        hop = router
        while before[hop] != start:
            hop = before[hop]
        if router != start:
            first[router] = hop
    return first
