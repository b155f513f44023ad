"""The numbers of a description, each with what is needed to change it a little: its unit, and its smallest change.

A number that the file states (or `--set`) is a quantity (a time, a time per byte, a rate, a length) or a count. Times
of a machine with a network change by whole cycles of it, since the network is entered at whole cycles: all that follows
then moves by whole cycles as well, and nothing is rounded. What has no such change (a time per byte, a rate, the cycle)
is changed by 16%, so that a cycle is small compared with the effect. Lengths change by whole bytes, counts by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from assay.described.machine_file import PICOSECOND, DescribedMachine
from assay.machine import units
from assay.network.description import NetworkDescription
from assay.toml.checking import extra

# No numbers of the machine: what programs take by default, other machines, where numbers are from, their intervals.
NOT_OF_MACHINE = {"defaults", "variant", "origin", "uncertainty", "validation"}
WHICH = {"failed", "failed_link", "failed_disk", "routers", "node", "seed"}  # which one, not how many
ROUNDED = 0.16  # the least change of a number without a grain where a network rounds what it costs to cycles
CLOCK = {"network.cycle", "network.channel_rate"}  # with which that at which the network is entered changes
POWERS = {"s": 1, "s/B": 1, "1/s": -1, "B/s": -1}  # of the unit of time


@dataclass(frozen=True)
class NumericKey:
    """A number of a description: `value` in SI units with its `unit`, or a count, whose unit is "".

    `grain`: its smallest change, 0 where that is any. `over`: of a rate whose inverse has the grain, what is divided by
    the rate (bytes of a flit); 0 of others. `least`: the smallest share of it by which it is changed.
    """

    key: str
    value: float
    unit: str = ""
    grain: float = 0.0
    over: float = 0.0
    least: float = 0.0

    @property
    def power(self) -> int:
        """1 of a time, -1 of a rate, 0 of what has no time in its unit."""
        return POWERS.get(self.unit, 0)

    def text(self, value: float) -> str:
        """Another value as the file, or `--set machine.KEY=`, takes it."""
        whole = not self.unit and self.grain == 1
        return str(round(value)) if whole else f"{value:.15g} {self.unit}".rstrip()

    def moved(self, share: float) -> tuple[float | None, float | None]:
        """The value changed by about this share: down and up; None where nothing would be left."""
        if self.over:
            shorter, longer = replace(self, value=self.over / self.value, over=0.0).moved(share)
            return (self.over / longer if longer else None), (self.over / shorter if shorter else None)
        change = max(share, self.least) * self.value
        if self.grain:
            change = max(1, round(change / self.grain)) * self.grain
        return (self.value - change if self.value > change else None), self.value + change


def numeric_keys(machine: DescribedMachine) -> list[NumericKey]:
    """All numbers that a description states and that are not 0, in its order."""
    network = machine.network_description()
    found = [each for each in _numbers(machine) if each.value > 0]
    return found if network is None else [_on_network(each, network) for each in found]


def _on_network(each: NumericKey, network: NetworkDescription) -> NumericKey:
    """With what a network's clock requires: a cycle, flit_bytes / channel_rate, is whole picoseconds."""
    over = network.network.flit_bytes if each.key == "network.channel_rate" else 0.0
    return replace(each, over=over, least=0.0 if each.grain and each.key not in CLOCK else ROUNDED)


def _numbers(machine: DescribedMachine) -> Iterator[NumericKey]:
    network = machine.network_description()
    cycle = PICOSECOND if network is None else network.cycle
    grains = {} if network is None else _clock(network)
    for name in type(machine).model_fields:
        if name in machine.model_fields_set and name not in NOT_OF_MACHINE:
            if name == "network":
                yield from _network(machine.network or {}, "network", grains)
            else:
                field = type(machine).model_fields[name]
                yield from _own(getattr(machine, name), field, field.alias or name, cycle)


def _own(value: object, field: FieldInfo, key: str, cycle: float) -> Iterator[NumericKey]:
    """Of a table of the machine's own, whose schema has the units."""
    last = key.rpartition(".")[2]
    if isinstance(value, BaseModel):
        for name in type(value).model_fields:
            inner = type(value).model_fields[name]
            if name in value.model_fields_set and name not in WHICH:
                yield from _own(getattr(value, name), inner, f"{key}.{inner.alias or name}", cycle)
    elif isinstance(value, list) and value and isinstance(value[0], BaseModel):
        for place, each in enumerate(value):
            yield from _own(each, field, f"{key}.{place}", cycle)
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield from _own(each, field, f"{key}.{name}", cycle)
    elif isinstance(value, int) and not isinstance(value, bool) and last not in WHICH:
        yield NumericKey(key, value, grain=1)
    elif isinstance(value, float):
        unit = extra(field, "unit") or ("" if key.startswith("compute.half_length") else "1/s")
        yield NumericKey(key, value, unit, {"s": cycle, "B": 1.0}.get(unit, 0.0))


def _network(value: object, key: str, grains: Mapping[str, float]) -> Iterator[NumericKey]:
    """Of [network], whose numbers are as the file has them: counts of cycles and flits, or texts with a unit."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            if name not in WHICH and not name.startswith("failed"):
                yield from _network(each, f"{key}.{name}", grains)
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield from _network(each, f"{key}.{place}", grains)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield NumericKey(key, value, grain=1)
    elif isinstance(value, float):
        yield NumericKey(key, value, grain=grains.get(key, 0.0))
    elif isinstance(value, str) and (found := _quantity(value)) is not None:
        yield NumericKey(key, *found, grains.get(key, grains.get(found[1], 0.0)))


def _clock(network: NetworkDescription) -> dict[str, float]:
    """The smallest changes of a network's keys, by key or unit: a cycle is a whole number of picoseconds."""
    rate = network.network.channel_rate
    return {"s": network.cycle, "B": 1.0, "network.cycle": PICOSECOND} | (
        {} if rate is None else {"network.flit_bytes": rate * PICOSECOND, "network.channel_rate": PICOSECOND}
    )


def _quantity(text: str) -> tuple[float, str] | None:
    """A text's value and SI unit; None where it is another text."""
    number, _, written = text.strip().partition(" ")
    try:
        float(number)
        si, _ = units.unit(written)
        return units.quantity(text, si), si
    except ValueError:
        return None
