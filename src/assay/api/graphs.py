"""Graphs that Python has, as the links of a network: networkx, an edge list, an adjacency matrix."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.errors import InputError

ACCEPTED = "a graph of networkx, a square matrix, or pairs (a, b) or (a, b, channels)"
MOST_CHANNELS = 65535


@dataclass
class LinkedRouters:
    """Routers by label in the order of their numbers, and links between numbers: channels, and cycles added."""

    labels: list[Hashable] = field(default_factory=list)
    links: dict[tuple[int, int], list[int]] = field(default_factory=dict)  # channels, delay
    directed: bool = False
    _numbers: dict[Hashable, int] = field(default_factory=dict, repr=False)
    _named: bool = False

    def keys(self) -> dict[str, object]:
        """The corresponding keys of [network]."""
        found: dict[str, object] = {"links": [list(pair) for pair in self.links]}
        channels = [channels for channels, _ in self.links.values()]
        delays = [delay for _, delay in self.links.values()]
        found |= {"link_channels": channels} if set(channels) - {1} else {}
        found |= {"link_delays": delays} if any(delays) else {}
        return found | ({"directed": True} if self.directed else {})

    def number(self, label: Hashable) -> int:
        """The number of a router: of a label, or a number where no label is one. InputError where there is none."""
        if not self._numbers:
            self._numbers.update({label: number for number, label in enumerate(self.labels)})
            self._named = not any(isinstance(label, int) for label in self.labels)
        try:
            if label in self._numbers:
                return self._numbers[label]
        except TypeError:  # which is nothing that can be a label
            pass
        plain = label.item() if hasattr(label, "item") else label
        if self._named and isinstance(plain, int) and 0 <= plain < len(self.labels):
            return plain
        seen = ", ".join(map(repr, self.labels[:6]))
        raise InputError("there is no such router", value=label, accepted=f"{seen}, …")


def linked(graph: Any) -> LinkedRouters:
    """Read a graph: of networkx (edges may have `channels` and `delay`), a square matrix of channels, or edges.

    Labels that are the numbers 0 to n - 1 are the routers' numbers; others are numbered in the graph's order.
    InputError where it is none of these.
    """
    if hasattr(graph, "is_directed") and hasattr(graph, "edges"):
        return _of_edges(
            [(a, b, dict(about)) for a, b, about in graph.edges(data=True)], list(graph.nodes), graph.is_directed()
        )
    if hasattr(graph, "todense"):
        graph = graph.todense()
    if hasattr(graph, "ndim"):
        return _of_matrix(graph)
    if isinstance(graph, Iterable) and not isinstance(graph, (str, bytes)):
        return _of_edges([_edge(each) for each in graph], [], False)
    raise InputError("is no graph", key="graph", value=type(graph).__name__, accepted=ACCEPTED)


def _edge(each: Any) -> tuple[Hashable, Hashable, Mapping[str, Any]]:
    if not isinstance(each, (Sequence, tuple)) or isinstance(each, str) or len(each) not in (2, 3):
        raise InputError("is no edge", key="graph", value=each, accepted=ACCEPTED)
    about = each[2] if len(each) == 3 else {}
    return each[0], each[1], about if isinstance(about, Mapping) else {"channels": about}


def _of_edges(
    edges: list[tuple[Hashable, Hashable, Mapping[str, Any]]], labels: list[Hashable], directed: bool
) -> LinkedRouters:
    known = dict.fromkeys(labels)
    for a, b, _ in edges:
        known |= {a: None, b: None}
    found = LinkedRouters(list(known), directed=directed)
    if all(type(label) is int for label in known) and sorted(known) == list(range(len(known))):  # type: ignore[type-var]
        found.labels = list(range(len(known)))
    numbers = {label: number for number, label in enumerate(found.labels)}
    for a, b, about in edges:
        pair = (numbers[a], numbers[b])
        if not directed and pair not in found.links and pair[::-1] in found.links:
            pair = pair[::-1]
        channels = _count(about.get("channels", 1), "channels", 1, MOST_CHANNELS)
        before = found.links.setdefault(pair, [0, 0])  # parallel edges are channels of one link
        before[0] += channels
        before[1] = max(before[1], _count(about.get("delay", 0), "delay", 0, 10**9))
    return found


def _of_matrix(matrix: Any) -> LinkedRouters:
    import numpy as np

    values = np.asarray(matrix)
    if values.ndim != 2 or values.shape[0] != values.shape[1] or values.dtype.kind not in "biuf":
        raise InputError("is no square matrix of numbers", key="graph", value=values.shape, accepted=ACCEPTED)
    found = LinkedRouters(list(range(len(values))), directed=not bool((values == values.T).all()))
    for a, b in zip(*(each.tolist() for each in np.nonzero(values)), strict=True):
        if found.directed or a <= b:
            found.links[a, b] = [_count(values[a, b].item(), "channels", 1, MOST_CHANNELS), 0]
    return found


def _count(value: Any, key: str, least: int, most: int) -> int:
    plain = value.item() if hasattr(value, "item") else value
    if isinstance(plain, bool):
        plain = int(plain)
    if not isinstance(plain, (int, float)) or int(plain) != plain or not least <= plain <= most:
        raise InputError("is wrong", key=key, value=plain, accepted=f"a whole number from {least} to {most}")
    return int(plain)


def table_of(routes: Any, number: Callable[[Any], int], node: Callable[[Any], int]) -> str:
    """The lines of a routing table: rows with the columns router, destination, next (lane, source), or their text.

    `routes`: CSV text, a DataFrame, rows as mappings, {(router, destination): next}, or paths as networkx gives them,
    {source: {destination: [router, …]}}. `number` of a router and of a `node` from what names it here. InputError where
    it is none of these.
    """
    from assay.network.foreign.tables import COLUMNS, table_lines

    if isinstance(routes, str):
        return routes
    if hasattr(routes, "to_dict") and hasattr(routes, "columns"):
        routes = routes.to_dict("records")
    elif hasattr(routes, "to_pylist"):
        routes = routes.to_pylist()
    if isinstance(routes, Mapping):
        rows = list(_of_mapping(routes))
    else:
        rows = [dict(each) for each in routes if isinstance(each, Mapping)]
        if len(rows) != len(routes):
            raise InputError("are no rows", key="routes", accepted=f"mappings with the keys {', '.join(COLUMNS)}")
    present = [name for name in COLUMNS if any(name in row for row in rows)]
    for row in rows:
        if unknown := [name for name in row if name not in COLUMNS]:
            raise InputError("there is no such column", key="routes", value=unknown[0], accepted=", ".join(COLUMNS))
        if missing := [name for name in present if name not in row]:
            raise InputError("a row lacks a column", key="routes", value=row, accepted=", ".join(missing))
    reads: dict[str, Callable[[Any], int]] = {"router": number, "next": number, "destination": node, "source": node}
    reads["lane"] = int
    return table_lines([tuple(reads[name](row[name]) for name in present) for row in rows], tuple(present))


def _of_mapping(routes: Mapping[Any, Any]) -> Iterable[dict[str, object]]:
    for key, value in routes.items():
        if isinstance(value, Mapping):  # paths from one source
            for destination, path in value.items():
                for at, following in itertools.pairwise(path):
                    yield {"router": at, "destination": destination, "next": following, "source": key}
            continue
        if not isinstance(key, tuple) or len(key) != 2:
            raise InputError("is no way", key="routes", value=key, accepted="(router, destination): next router")
        yield {"router": key[0], "destination": key[1], "next": value}
