"""Simulating networks and batch systems: `assay simulate`, `replay`, `throughput`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.api.commands import answer, settings, text, values_of
from assay.api.messages import as_rows, delivered
from assay.api.network_object import Network
from assay.api.plain import plain_table, without_file
from assay.api.result import CommandResult
from assay.errors import InputError

NetworkGiven = str | Path | Network | Mapping[str, Mapping[str, Any]]
Parameters = Mapping[str, object]


def simulate(
    network: NetworkGiven,
    parameters: Parameters | None = None,
    *,
    load: float | None = None,
    messages: Any = None,
    **options: object,
) -> CommandResult:
    """Simulate traffic on a network, exact to the flit.

    `network`: a `Network`, a NETWORK.toml or another simulator's file, or the tables as a mapping, {"network": …,
    "traffic": …, "method": …}; `parameters`: keys to change, {"traffic.flits": 8}; `load`: the key "traffic.load";
    `options`: as the command line's without dashes, such as saturation=True. Latencies in seconds.

    `messages`: in place of [traffic], what is sent: an array with the columns cycle, source, destination and flits
    (before them, if wanted, id), a DataFrame, an Arrow table, rows as mappings, or a CSV file. `samples` of the result
    has the arrival of each; `options` are those of `assay replay` then.
    """
    if messages is not None:
        if load is not None:
            raise InputError("has no effect with messages", key="load", value=load, accepted="load or messages")
        return sent(network, messages, parameters, **options)
    words = settings(parameters) + settings({} if load is None else {"traffic.load": load})
    with _as_file(network) as path:
        return CommandResult.of(answer("simulate", [path], {"set": words or None, **options}))


def sweep(
    network: NetworkGiven, axes: Mapping[str, Iterable[object]], parameters: Parameters | None = None, **options: object
) -> CommandResult:
    """Simulate every combination of values: axes {"traffic.load": [0.1, 0.2, 0.3]}; figures carry their setting."""
    tried = {key: values_of(values) for key, values in axes.items()}
    with _as_file(network) as path:
        words = {"sweep": settings(tried), "set": settings(parameters) or None}
        found = CommandResult.of(answer("simulate", [path], {**words, **options}))
    for figure in found.figures:  # whose setting is in a command line's words
        for key, values in tried.items():
            named = {text(value): value for value in values}
            word = str(figure["params"][key])
            figure["params"] = {**figure["params"], key: named.get(word, word)}
    return found


def replay(network: NetworkGiven, messages: Any, out: str | Path) -> CommandResult:
    """Send messages through a network, each at its cycle; `out` (CSV): when each arrives.

    `messages`: as `simulate` takes them.
    """
    with _as_file(network) as path, as_rows(messages) as rows:
        return CommandResult.of(answer("replay", [path, rows], {"out": out}))


def sent(
    network: NetworkGiven, messages: Any, parameters: Parameters | None = None, **options: object
) -> CommandResult:
    """Send messages through a network as `simulate` does; `samples`: each with its head, tail [cycles] and hops."""
    from assay.execute.stale_files import temporary_folder

    with _as_file(network) as path, as_rows(messages) as rows, temporary_folder("assay-delivered-") as folder:
        words = {"out": folder / "delivered.csv", "set": settings(parameters) or None}
        found = CommandResult.of(answer("replay", [path, rows], {**words, **options}))
        return found.with_samples(delivered(Path(rows), folder / "delivered.csv"))


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
def _as_file(network: NetworkGiven) -> Iterator[str | Path]:
    if isinstance(network, (str, Path)):
        yield network
        return
    from assay.api.plain import toml
    from assay.execute.stale_files import temporary_folder

    text = network.to_toml() if isinstance(network, Network) else toml(plain_table(network))
    with temporary_folder("assay-network-") as folder:
        path = folder / "network.toml"
        path.write_text(text, encoding="utf-8")
        with without_file(path):  # there is none that a person could look into
            yield path
