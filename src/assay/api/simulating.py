"""Simulating networks and batch systems: `assay simulate`, `replay`, `throughput`."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.api.asking import answer, settings
from assay.api.result import CommandResult
from assay.errors import InputError

Network = str | Path | Mapping[str, Mapping[str, Any]]
Parameters = Mapping[str, object]


def simulate(network: Network, parameters: Parameters | None = None, **options: object) -> CommandResult:
    """Simulate traffic on a network, exact to the flit.

    `network`: a NETWORK.toml, or its tables as a mapping, {"network": …, "traffic": …, "method": …}; `parameters`: keys
    to change, {"traffic.load": 0.3}; `options`: as the command line's without dashes, such as saturation=True.
    Latencies in seconds.
    """
    with _as_file(network) as path:
        return CommandResult.of(answer("simulate", [path], {"set": settings(parameters) or None, **options}))


def sweep(
    network: Network, axes: Mapping[str, Sequence[object]], parameters: Parameters | None = None, **options: object
) -> CommandResult:
    """Simulate every combination of values: axes {"traffic.load": [0.1, 0.2, 0.3]}; figures carry their setting."""
    with _as_file(network) as path:
        words = {"sweep": settings(axes), "set": settings(parameters) or None}
        found = CommandResult.of(answer("simulate", [path], {**words, **options}))
    for figure in found.figures:  # whose setting is in a command line's words
        for key, values in axes.items():
            figure["params"][key] = {str(value): value for value in values}[figure["params"][key]]
    return found


def replay(network: Network, messages: str | Path | Sequence[Mapping[str, int]], out: str | Path) -> CommandResult:
    """Send messages through a network, each at its cycle; `out` (CSV): when each arrives.

    `messages`: a CSV file with id, cycle, source, destination, flits, or such rows as mappings.
    """
    with _as_file(network) as path, _as_rows(messages) as rows:
        return CommandResult.of(answer("replay", [path, rows], {"out": out}))


def schedule(
    workload: str | Path, machine: str | Path, policy: str = "fcfs", parameters: Parameters | None = None
) -> CommandResult:
    """Simulate a batch system: a workload (an SWF file, a schedule, "eurobench2000", "lublin") on a machine.

    `policy`: fcfs, firstfit, easy, conservative, priority or fairshare; `parameters`: keys of the machine's file,
    `lublin.KEY` or `workload.KEY`. Times in seconds are in `document`.
    """
    words = {"on": machine, "policy": policy, "set": settings(parameters) or None}
    return CommandResult.of(answer("throughput", [workload], words))


@contextlib.contextmanager
def _as_file(network: Network) -> Iterator[str | Path]:
    if not isinstance(network, Mapping):
        yield network
        return
    import tomlkit

    from assay.execute.left_behind import temporary_folder

    with temporary_folder("assay-network-") as folder:
        path = folder / "network.toml"
        path.write_text(tomlkit.dumps(network), encoding="utf-8")
        try:
            yield path
        except InputError as error:  # there is no file that a person could look into
            raise InputError(re.sub(rf"{re.escape(str(path))}(:\d+)?: ", "", str(error))) from None


@contextlib.contextmanager
def _as_rows(messages: str | Path | Sequence[Mapping[str, int]]) -> Iterator[str | Path]:
    if isinstance(messages, (str, Path)):
        yield messages
        return
    import csv

    from assay.execute.left_behind import temporary_folder

    with temporary_folder("assay-messages-") as folder:
        path = folder / "messages.csv"
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, ("id", "cycle", "source", "destination", "flits"))
            writer.writeheader()
            writer.writerows(messages)
        yield path
