"""A described machine: a TOML file with units, validated, and what the simulated machine needs of it in SI units.

    name = "constant"
    nodes = 64                     # left out: as a run requests
    [messages]
    startup = "70 us"
    per_byte = "0.4 us/B"

or, with a network, [network] as in the network's own files and [[protocol]]: see `assay.described.machine_tables`, or
`assay catalogue --machine-keys`. Keys are addressed from outside as `machine.protocol.0.startup`. An error names file,
line, key, value and what is accepted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypedDict, cast

from pydantic import PrivateAttr

from assay import versions
from assay.described import (
    dotted_numbers,
    effects,
    machine_tables,
    node_model,
    published_name,
    quantities,
    storage_tables,
    uncertainty_tables,
)
from assay.errors import InputError
from assay.network import applies, refused
from assay.network import description as networks
from assay.toml import checking, overriding
from assay.toml.no_effect import Idle, refuse_idle
from assay.toml.source import Keys, Source, read, table_at

PICOSECOND = 1e-12


CoreTable = dict[str, object]  # one table with the keys of its model, numbers in SI units


class CoreMachine(TypedDict, total=False):
    """A machine as the core takes it."""

    name: str
    nodes: int
    messages: CoreTable
    node: CoreTable
    progress: CoreTable
    barrier: CoreTable
    mpi: CoreTable
    kernels: dict[str, object]
    network: CoreTable
    cycle: float
    flit_bytes: float
    storage: CoreTable
    protocol: list[CoreTable]
    forced: list[CoreTable]
    one_sided: list[CoreTable]
    self: list[CoreTable]
    host: list[CoreTable]


class DescribedMachine(machine_tables.MachineTable):
    """A machine that is only described, as read from its file."""

    _source: Source | None = PrivateAttr(default=None)
    _network: networks.NetworkDescription | None = PrivateAttr(default=None)
    _filed: dict[str, object] = PrivateAttr(default_factory=dict)
    _own: dict[str, object] = PrivateAttr(default_factory=dict)

    @property
    def filed(self) -> dict[str, object]:
        """The tables of the file, as they are written there."""
        return self._filed

    @property
    def own(self) -> dict[str, object]:
        """The same of this variant, with what was set from outside, as they are written."""
        return self._own

    @property
    def chosen(self) -> str:
        """The variant of the file that this is; "" for none."""
        return str(self._source.variant[-1]) if self._source and self._source.variant else ""

    def with_values(self, values: Mapping[str, float]) -> DescribedMachine:
        """The same machine with other numbers (SI) at dotted keys that it has. InputError where it cannot be so.

        Keys that have no effect with these numbers stay.
        """
        source = self._source or Source(Path(self.name), "")
        made = _validated(dotted_numbers.replaced(self._own, values), source)
        made._filed = self._filed
        made.share_network(self)
        made.network_description()
        return made

    def network_description(self) -> networks.NetworkDescription | None:
        """The network, parsed by the network's own reader at the first call; None where the machine has none."""
        if self.network is None:
            return None
        if self._network is None:
            self._network = self._parsed(self.network)
        return self._network

    def share_network(self, other: DescribedMachine) -> None:
        """Take the parsed network of another variant of the file where both tables are the same."""
        if other._network is not None and other.network == self.network:
            self._network = replace(other._network, source=self._source or other._network.source)

    def _parsed(self, network: Mapping[str, object]) -> networks.NetworkDescription:
        source = self._source or Source(Path(self.name), "")
        found = networks.parse({"network": network}, source)
        if not {"cycle", "channel_rate"} & set(network):
            raise source.error(
                ("network", "cycle"),
                "is missing: a described machine states its clock, which has no default",
                accepted='such as "0.64 ns", or channel_rate, such as "200 Gbit/s" with flit_bytes',
            )
        if found.cycle > quantities.MOST_CYCLE:
            key = "cycle" if "cycle" in network else "channel_rate"
            seen, most = network[key], f"{quantities.MOST_CYCLE:g} s"
            raise source.error(("network", key), "is out of bounds", value=seen, accepted=f"a cycle of 1 ps to {most}")
        ticks = found.cycle / PICOSECOND
        if round(ticks) < 1 or abs(round(ticks) / ticks - 1) > 1e-5:
            raise source.error(
                ("network", "cycle"),
                "is no whole number of picoseconds, in which machines count",
                value=f"{found.cycle} s",
                accepted="such as 0.1 ns",
            )
        return found

    def refused(self, error: Exception) -> InputError:
        """What the core refused of the description, at the key's place in the file."""
        source = self._source or Source(Path(self.name), "")
        if (found := refused.core_refusal(error)) is not None:
            return refused.refused(source, found)
        return source.error((), str(error) or "too large for this machine's memory")

    def wrong(self, keys: Sequence[str | int], problem: str, accepted: str) -> InputError:
        """An error about a key, at its line of the file or the --set that gave it."""
        source = self._source or Source(Path(self.name), "")
        return source.error(keys, problem, accepted=accepted)

    def for_core(self, per_node: int | None = None) -> CoreMachine:
        """The description as the core takes it: tables, numbers in SI units, what is not given left out.

        `per_node`: ranks per node, in place of the description's own ([node] ranks, else processors).
        """
        kept = {"name", "nodes", "messages", "node", "progress", "barrier", "mpi"}
        plain = cast(CoreMachine, self.model_dump(include=kept, exclude_none=True))
        node = plain.get("node", {})
        if self.node is not None:
            node["processors"] = per_node or node.pop("ranks", None) or self.node.processors
        if kernels := node_model.for_core(self):
            plain["kernels"] = kernels
        intake = node.pop("intake", None)
        found = self.network_description()
        if found is not None:
            network = found.core()["network"]
            plain["network"], plain["cycle"] = network, found.cycle
            plain["flit_bytes"] = found.network.flit_bytes
            if intake == "processor":
                ticks = network.get("ejection_flit_ticks") or network["flit_ticks"]
                assert isinstance(ticks, int)
                node["intake"] = ticks * found.cycle  # seconds of a flit
        if self.node is not None and self.node.noise is not None:
            node["noise"] = self._noise(self.node.noise)
        if self.storage is not None:
            plain["storage"] = storage_tables.core_table(self.storage)
        entries = [_entry(protocol) for protocol in self.protocol]
        plain["protocol"] = entries
        if self.forced is not None:
            plain["forced"] = [entry | _entry(self.forced) for entry in entries]
        if self.one_sided is not None:
            plain["one_sided"] = [entry | _entry(self.one_sided) for entry in plain.get("forced", entries)]
        plain["self"] = [_entry(path) for path in self.self_path]
        plain["host"] = [_entry(path) for path in self.host]
        return plain

    def parameter_defaults(self) -> dict[str, str]:
        """What programs take where nothing was set, as text behind `--set KEY=`; the core is not given it."""
        return {
            key: ",".join(map(str, value)) if isinstance(value, list) else str(value)
            for key, value in self.defaults.items()
        }

    def _noise(self, where: str) -> list[dict[str, object]]:
        """The stored noise of real processors, in picoseconds; a path is tried in the description's folder first."""
        from assay.machine.noise_traces import processors

        beside = self._source.path.parent / where if self._source else Path(where)
        return [
            {
                "period": round(trace.seconds / PICOSECOND),
                "start": [round(start / PICOSECOND) for start in trace.start],
                "length": [round(length / PICOSECOND) for length in trace.length],
            }
            for trace in processors(beside if beside.exists() else Path(where))
        ]


def processors_of(machine: CoreMachine) -> int:
    """Processors of a node, as the core counts them."""
    found = machine.get("node", {}).get("processors", 1)
    assert isinstance(found, int)
    return found


def _entry(table: checking.Table) -> dict[str, object]:
    return table.model_dump(by_alias=True, exclude_none=True)


def load(path: Path, overrides: Mapping[str, str] | None = None) -> DescribedMachine:
    """Read a description; `overrides` holds `messages.startup`-like keys with values as typed. InputError otherwise.

    The file's other variants are checked as well, without the overrides, which may not suit them.
    """
    tables, plain = read(path, versions.MACHINE)
    filed: dict[str, object] = {**tables}
    given = dict(overrides or {})
    described = _chosen(filed, plain, given)
    for name in described.variant:
        if name != given.get("variant"):
            _chosen(filed, plain, {"variant": name}, described)
    return described


def check(tables: dict[str, object], place: Path) -> DescribedMachine:
    """Validate a description that is no file, its variants too; errors have `place` in place of a file's name."""
    source = Source(place, "")
    described = _chosen(tables, source, {})
    for name in described.variant:
        _chosen(tables, source, {"variant": name}, described)
    return described


def _chosen(
    filed: dict[str, object], plain: Source, overrides: Mapping[str, str], other: DescribedMachine | None = None
) -> DescribedMachine:
    """The machine that a file's tables describe with the variant and the keys that `overrides` give.

    `other`: a machine of the same file whose network has been parsed.
    """
    words = dict(overrides)
    table: dict[str, object] = filed
    varied: set[Keys] = set()
    variant: Keys = ()
    if (name := words.pop("variant", None)) is not None:
        table = _varied(table, name, plain)
        varied = set(_keys_of(table_at(table_at(filed, "variant"), name)))
        variant = ("variant", name)
    given = [overriding.override(key, text, f"machine.{key}={text}") for key, text in words.items()]
    source = replace(plain, overrides=tuple((each.keys, each.words) for each in given), variant=variant)
    described = _validated(_overridden(table, given), source)
    described._filed = filed
    if other is not None:
        described.share_network(other)
    described.network_description()
    _refuse_origins_of_nothing(filed, described.origin, source)
    _refuse_wrong_uncertainty(filed, described.uncertainty, source)
    overridden = varied | {each.keys for each in given}
    refuse_idle(source, _idle(described), overridden, lambda: _idle(_validated(filed, plain)))
    return described


def _overridden(table: dict[str, object], given: Sequence[overriding.Override]) -> dict[str, object]:
    """The tables with these keys; "none" leaves out what is no text, as in a variant."""
    gone = [each for each in given if each.value == "none" and _left_out(table, each.keys)]
    made = overriding.apply_overrides(table, [each for each in given if each not in gone])
    for each in gone:
        *outer, last = map(str, each.keys)
        holder = made
        for key in outer:
            holder = table_at(holder, key)
        del holder[last]
    return made


def _left_out(table: object, keys: Keys) -> bool:
    """Whether a table, a list or a number is at these keys of tables."""
    for key in keys:
        if not isinstance(table, dict) or str(key) not in table:
            return False
        table = table[str(key)]
    return not isinstance(table, str)


def _refuse_origins_of_nothing(filed: dict[str, object], origin: Mapping[str, str], source: Source) -> None:
    for dotted in origin:
        inside: object = filed
        for key in overriding.keys_of(dotted):
            if isinstance(inside, list) and isinstance(key, int) and key < len(inside):
                inside = inside[key]
            elif isinstance(inside, dict) and str(key) in inside:
                inside = inside[str(key)]
            else:
                raise source.error(
                    ("origin", dotted), "has no effect: the file has no such key", accepted="a key of it"
                )


def _refuse_wrong_uncertainty(
    filed: dict[str, object], table: uncertainty_tables.UncertaintyTable | None, source: Source
) -> None:
    """[uncertainty] has numbers of the file, each with an interval that holds it."""
    if table is None:
        return
    for place, entry in enumerate(table.keys):
        for key in uncertainty_tables.split(entry):
            if (fault := uncertainty_tables.fault(filed, table, place, key)) is not None:
                raise source.error(("uncertainty", fault.table, place), fault.problem, accepted=fault.accepted)


def _validated(table: dict[str, object], source: Source) -> DescribedMachine:
    described = checking.validate_tables(source, DescribedMachine, table)
    published_name.check(described.published, source)
    described._source = source
    described._filed = described._own = table
    return described


def _idle(described: DescribedMachine) -> Iterator[Idle]:
    """What has no effect: of the machine's own keys, and of its network's."""
    yield from effects.idle(described)
    network = described.network_description()
    if network is not None:
        yield from applies.idle(network, {"network": described.network or {}})


def _keys_of(table: Mapping[str, object], outer: Keys = ()) -> Iterator[Keys]:
    """All keys of a table, lists' entries counted from 0."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _keys_of(value, (*outer, key))
        elif isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
            for place, each in enumerate(value):
                yield from _keys_of(each, (*outer, key, place))
        else:
            yield (*outer, key)


def _varied(table: dict[str, object], name: str, source: Source) -> dict[str, object]:
    known = table_at(table, "variant")
    if not isinstance(known.get(name), dict):
        accepted = ", ".join(known)
        raise source.error(("variant",), "no such variant", value=name, accepted=accepted or "none: it has none")
    return _merged(table, table_at(known, name)) | {"name": f"{table.get('name', '')}-{name}"}


def _merged(table: Mapping[str, object], over: Mapping[str, object]) -> dict[str, object]:
    """Tables key by key; lists as a whole; a table or a number for which `over` has "none" is left out."""
    merged = dict(table)
    for key, value in over.items():
        inner = merged.get(key)
        if value == "none" and inner is not None and not isinstance(inner, str):
            del merged[key]
            continue
        both = isinstance(value, Mapping) and isinstance(inner, Mapping)
        merged[key] = _merged(inner, value) if both else value  # type: ignore[arg-type]
    return merged
