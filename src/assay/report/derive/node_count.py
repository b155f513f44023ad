"""On how many nodes of a described machine ranks were, and whether a message crossed its network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assay.document.json_form import from_json
from assay.document.section import NodesUsed
from assay.stored.launch_file import Tasks


def nodes_used(tasks: Tasks) -> list[NodesUsed]:
    """Give it for each number of ranks, as the simulation stated it; [] where ranks were real, or a run does not say.

    The simulator counts, case by case, the time of messages in the network: none crossed it where that is nothing.
    Where it counted no message, as of programs that make their samples after all messages, that is not known.
    """
    found: dict[tuple[int, int], NodesUsed] = {}
    for _, file in tasks:
        crossed = [_crossed(event) for event in file.content.where if event.get("messages")]
        for event in file.content.nodes:
            try:
                stated = {key: event[key] for key in ("ranks", "nodes", "per_node", "processors")}
                used = from_json(NodesUsed, {**stated, "crossed": any(crossed) if crossed else None})
            except (KeyError, ValueError):  # damaged
                continue
            known = found.get((used.ranks, used.nodes))
            if known is None or (used.crossed and not known.crossed):
                found[used.ranks, used.nodes] = used
    return list(found.values())


def words(used: Iterable[NodesUsed]) -> str:
    """The greatest number of ranks on its nodes: 64 ranks on 16 nodes, 4 each; "" where there is none."""
    every = list(used)
    if not every:
        return ""
    most = max(every, key=lambda each: (each.ranks, each.nodes))
    ranks = f"{most.ranks} rank{'s' * (most.ranks != 1)}"
    if most.nodes == 1:
        of = f" of {most.processors} processors" if most.processors > 1 else ""
        text = f"{ranks} on 1 node{of}"
    else:
        even = most.ranks == most.nodes * most.per_node
        per = f"{'' if even else 'at most '}{most.per_node} each"
        text = f"{ranks} on {most.nodes} nodes, {per}"
    return f"up to {text}" if len({(each.ranks, each.nodes) for each in every}) > 1 else text


def _crossed(event: Mapping[str, object]) -> bool:
    transport = event.get("transport")
    return isinstance(transport, int | float) and transport > 0
