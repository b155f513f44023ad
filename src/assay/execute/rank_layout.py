"""How many ranks go on each of a few nodes, where a benchmark needs more ranks than there are nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.benchmark.record import Benchmark
from assay.errors import InputError


def choose_ranks_per_node(
    record: Benchmark,
    nodes: int | None,
    ppn: Sequence[int],
    ranks: int | None,
    on: str | None,
    overrides: Mapping[str, str],
) -> tuple[int | None, ...]:
    """The numbers of ranks per node to measure with: those of `ppn` that give enough ranks; None where it is open.

    Without a given number, the smallest that suffices on so many nodes. InputError where the given one is too small.
    """
    least = int(record.extra.get("least_ranks", 1))
    if record.kind != "ranks" or nodes is None or ranks is not None or not least:
        return tuple(ppn) or (None,)
    usual, most = (1, None) if on is None else _room(on, overrides)
    needed = -(-least // nodes)
    if most is not None and needed > most:
        accepted = f"{-(-least // most)} or more, as {on} has {most} processor{'s' * (most > 1)} per node"
        raise InputError(f"is too few for its {least} ranks", key=f"{record.name} -N", value=nodes, accepted=accepted)
    if not ppn:
        return (None,) if usual >= needed else (needed,)
    enough = tuple(each for each in ppn if each >= needed)
    if not enough:
        key, value = f"{record.name} -N {nodes} --ppn", ",".join(map(str, ppn))
        raise InputError(f"is too few for its {least} ranks", key=key, value=value, accepted=f"{needed} or more")
    return enough


def _room(on: str, overrides: Mapping[str, str]) -> tuple[int, int]:
    from assay.described.shipped import open_described, usual_per_node

    machine = open_described(on, overrides)
    return usual_per_node(machine), machine.node.processors if machine.node else 1
