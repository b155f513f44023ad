"""A network as an object: the tables of NETWORK.toml, checked as such a file is; graphs and routes from Python."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.api.plain import plain_table, without_file
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.network.description import NetworkDescription

Keys = Mapping[str, Any]
PLACE = Path("network")  # in place of a file's name in errors, removed from them


@dataclass(frozen=True, init=False)
class Network:
    """A network, its traffic and the method of simulating it: NETWORK.toml as tables of plain values.

    `labels`: of the routers by number, where they come from a graph.
    """

    network: dict[str, object]
    traffic: dict[str, object]
    io: dict[str, object] | None
    method: dict[str, object]
    labels: tuple[Hashable, ...] = field(default=(), compare=False, repr=False)

    def __init__(
        self,
        topology: str | None = None,
        *,
        traffic: Keys | None = None,
        io: Keys | None = None,
        method: Keys | None = None,
        labels: Sequence[Hashable] = (),
        **keys: Any,
    ) -> None:
        """Take the keys of [network] by name, and the other tables as mappings; docs/network.md has all keys.

        InputError where a key or a value is wrong, in the words that a file would get.
        """
        named = keys if topology is None else {"topology": topology, **keys}
        object.__setattr__(self, "network", plain_table(named))
        object.__setattr__(self, "traffic", plain_table(traffic or {}))
        object.__setattr__(self, "io", None if io is None else plain_table(io))
        object.__setattr__(self, "method", plain_table(method or {}))
        object.__setattr__(self, "labels", tuple(labels))
        self.description()

    @staticmethod
    def of(tables: Mapping[str, Keys]) -> Network:
        """Take the tables of a file: {"network": …, "traffic": …, "io": …, "method": …}."""
        from assay.network.overrides import TABLES
        from assay.toml import checking
        from assay.toml.source import Source

        for name in tables:
            if name not in TABLES:
                with without_file(PLACE):
                    raise checking.unknown_key_error(Source(PLACE, ""), (name,), TABLES)
        made = object.__new__(Network)
        for name in ("network", "traffic", "method"):
            object.__setattr__(made, name, plain_table(tables.get(name, {})))
        object.__setattr__(made, "io", None if "io" not in tables else plain_table(tables["io"]))
        object.__setattr__(made, "labels", ())
        made.description()
        return made

    @staticmethod
    def read(path: str | Path) -> Network:
        """Read NETWORK.toml, a platform of SimGrid or an anynet file of BookSim2. A graph's file stays where it is."""
        from assay.network.description import load
        from assay.network.foreign.read import read_network
        from assay.toml.source import table_at, tables_of

        load(Path(path))  # whose errors name the line
        tables = tables_of(read_network(Path(path))[0])
        for key in ("file", "table"):  # found from wherever the object is used
            beside = Path(path).parent / str(table_at(tables, "network").get(key, "\n"))
            if "\n" not in beside.name and beside.is_file():
                tables = tables | {"network": tables["network"] | {key: str(beside.resolve())}}
        return Network.of(tables)

    @staticmethod
    def from_graph(
        graph: Any,
        *,
        nodes: Sequence[Hashable] | None = None,
        routes: Any = None,
        traffic: Keys | None = None,
        method: Keys | None = None,
        **keys: Any,
    ) -> Network:
        """Make a network of a graph: of networkx, a square matrix of channels, or edges (a, b) or (a, b, channels).

        Edges of networkx may have `channels` and `delay` (cycles more than other links). `nodes`: the router of each
        node, by label; one at each by default. `routes`: rows with router, destination, next (lane, source), a
        DataFrame, {(router, destination): next}, or {source: {destination: [router, …]}}; up*/down* routing without
        them. `keys`: of [network]. InputError where anything is wrong.
        """
        from assay.api.graphs import linked, table_of

        found = linked(graph)
        made: dict[str, Any] = {"topology": "graph", **found.keys()}
        if nodes is not None:
            made["nodes"] = [found.number(label) for label in nodes]
        if routes is not None:
            node = found.number if nodes is None else int
            made |= {"routing": "table", "table": table_of(routes, found.number, node)}
        return Network(traffic=traffic, method=method, labels=found.labels, **(made | keys))

    def description(self) -> NetworkDescription:
        """Check it and fill in defaults. InputError names the wrong key."""
        from assay.network import applies, description
        from assay.toml.source import Source

        tables = self.tables()
        with without_file(PLACE):
            found = description.parse(tables, Source(PLACE, ""))
            applies.check(found, tables, lambda: (found, tables))
        return found

    def tables(self) -> dict[str, dict[str, object]]:
        """The tables as a file has them; empty ones are left out."""
        held = {"network": self.network, "traffic": self.traffic, "io": self.io, "method": self.method}
        return {name: table for name, table in held.items() if table is not None and (table or name == "network")}

    def but(self, parameters: Mapping[str, object]) -> Network:
        """The same with other values of dotted keys, {"traffic.load": 0.3}."""
        tables = {name: dict(table) for name, table in self.tables().items()}
        for key, value in parameters.items():
            table, _, name = key.partition(".")
            tables.setdefault(table, {})[name] = value
        made = Network.of(tables)
        object.__setattr__(made, "labels", self.labels)
        return made

    def to_toml(self) -> str:
        """The text of an equal NETWORK.toml."""
        from assay import versions
        from assay.api.plain import toml

        return toml(versions.marked(versions.NETWORK, self.tables()))

    def write(self, path: str | Path) -> Path:
        """Write NETWORK.toml. InputError where it cannot be written."""
        from assay.api.plain import written_to

        return written_to(Path(path), self.to_toml())

    @property
    def nodes(self) -> int:
        """How many nodes it has; builds it."""
        return int(self._built().nodes)

    @property
    def deadlock_free(self) -> bool:
        """Whether its routing lets no messages wait for one another in a circle, as far as that is known."""
        return bool(self._built().routing["deadlock_free"])

    def routing_table(self) -> list[dict[str, int]]:
        """Every hop of the way from each node to each other one: source, destination, router, next, lane.

        InputError where the routing has several ways between two nodes.
        """
        built = self._built()
        links, rows = built.links, []
        for source in range(built.nodes):
            for destination in range(built.nodes):
                if source == destination:
                    continue
                ways = built.routes(source, destination)
                if len(ways) != 1:
                    problem = f"has {len(ways)} ways from node {source} to node {destination}"
                    raise InputError(problem, key="network.routing", value=built.routing["name"], accepted="one way")
                rows += [
                    {"source": source, "destination": destination, "router": links[link]["from"],
                     "next": links[link]["to"], "lane": lane}
                    for link, lane in ways[0][1] if links[link]["kind"] == "network"
                ]  # fmt: skip
        return rows

    def _built(self) -> Any:
        from assay._core import network as core
        from assay.network.engine import call_core

        found = self.description()
        with without_file(PLACE):
            return call_core(found.source, core.build_network, found.fabric())

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(self.to_toml())}</pre>"
