"""A tree of switches as Slurm states it: the file topology.conf, or what `scontrol show topology` prints.

    SwitchName=leaf1 Nodes=n[1-18]
    SwitchName=top Switches=leaf[1-4]

Other keys (LinkSpeed, Level) are not used. A line of `scontrol` that has both Switches and Nodes is of an upper switch.
Of how many cables the link between two switches consists is in neither.

Source: topology.conf(5) of Slurm 22.05 (plugin topology/tree).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.errors import InputError
from assay.machine.host_ranges import expand, split

ACCEPTED = "SwitchName=NAME with Nodes=… or Switches=…, as in Slurm's topology.conf"


@dataclass(frozen=True)
class SwitchTree:
    """The switch that each node is connected to, and the upper switch of each switch that has one."""

    switch_of: Mapping[str, str]
    upper: Mapping[str, str]

    def find(self, node: str) -> str | None:
        """The switch of a node, by its name or that up to the first dot; None where it has none."""
        return self.switch_of.get(node) or self.switch_of.get(node.partition(".")[0])

    def above(self, switch: str) -> list[str]:
        """A switch and all switches above it, the nearest first."""
        found = [switch]
        while (upper := self.upper.get(found[-1])) is not None:
            found.append(upper)
        return found

    def way(self, source: str, target: str) -> tuple[list[str], list[str]]:
        """The switches that a message crosses upwards from the switch `source`, and downwards to `target`.

        Both lists end with the lowest switch above both, where there is one.
        """
        up, down = self.above(source), self.above(target)
        common = next((switch for switch in up if switch in down), None)
        if common is None:
            return up, down[::-1]
        return up[: up.index(common) + 1], down[: down.index(common) + 1][::-1]


def read_switches(text: str, file: Path | str) -> SwitchTree:
    """Read a tree of switches. InputError with file, line, the value seen and what is accepted."""
    switch_of: dict[str, str] = {}
    upper: dict[str, str] = {}
    lines: dict[str, int] = {}

    for number, line in enumerate(text.splitlines(), 1):
        pairs = [word.partition("=") for word in line.partition("#")[0].split()]
        if not pairs:
            continue
        keys = {key.lower(): value for key, _, value in pairs}
        name = keys.get("switchname", "")
        if not name or not (keys.get("nodes") or keys.get("switches")):
            raise InputError("is no switch", file=file, line=number, value=line.strip(), accepted=ACCEPTED)
        if name in lines:
            raise InputError("is a second line of this switch", file=file, line=number, value=name, accepted="one line")
        lines[name] = number
        below, words = (upper, keys["switches"]) if keys.get("switches") else (switch_of, keys["nodes"])
        for each in _names(words, file, number):
            if below.setdefault(each, name) != name:
                problem = f"is below two switches, {below[each]} and {name}"
                raise InputError(problem, file=file, line=number, value=each, accepted="a tree")
    for below_it, name in upper.items():
        if below_it not in lines:
            raise InputError("has no line", file=file, line=lines[name], value=below_it, accepted=ACCEPTED)
        if below_it in _above(upper, below_it):
            raise InputError("is above itself", file=file, line=lines[below_it], value=below_it, accepted="a tree")
    if not switch_of:
        raise InputError("has no switch with nodes", file=file, accepted=ACCEPTED)
    return SwitchTree(switch_of, upper)


def _names(words: str, file: Path | str, number: int) -> list[str]:
    try:
        return [name for word in split(words) for name in expand(word)]
    except ValueError as error:
        raise InputError(str(error), file=file, line=number, value=words, accepted="names as n[1-18],m3") from None


def _above(upper: Mapping[str, str], switch: str) -> set[str]:
    """All switches above one, itself only where it is above itself."""
    found: set[str] = set()
    at = upper.get(switch)
    while at is not None and at not in found:
        found.add(at)
        at = upper.get(at)
    return found
