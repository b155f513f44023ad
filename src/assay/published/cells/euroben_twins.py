"""The twins of EuroBen's communication programs (van der Steen 2000): mod1h's eleven patterns and mod1j's ping-pong.

A cell's machine and network name the description (`sgi-l1200-cluster:ethernet` for Fast Ethernet where that is a
variant), its number of processors the ranks, and its processors per node their placement. The paper prints the greatest
bandwidth over lengths that it does not print; a twin is that of a long message.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.analysis.ping_pong import STEPS, greatest_rate, latency
from assay.described.shipped import shipped
from assay.machine.catalogue import PublishedCell
from assay.published.cells.answers import Answers
from assay.published.cells.rules import Pairs, rule

PATTERNS = (
    *("pingpong", "pingpong-strided", "broadcast", "collect", "reduction", "transposition"),
    *("bisection-regular", "bisection-random", "neighbour-1d", "neighbour-2d", "neighbour-3d"),
)
MOD1H = tuple(f"mod1h.{pattern}" for pattern in PATTERNS)
LENGTHS = (2097152,)  # B, of the patterns' messages: of ours the fastest, as no cache is described
VARIANTS = {"fast-ethernet": "ethernet"}  # of a description whose own network is another
# CPUs per node where the paper's tables do not give it: Table 6.9's bisection (91 MB/s, 47 with two) speaks for one.
PER_NODE = {"compaq-xp1000-cluster": 1, "ibm-netfinity-cluster": 2, "sgi-l1200-cluster": 1}


def described(machine: str, cell: PublishedCell) -> str:
    """The description for a cell's network, as `NAME` or `NAME:VARIANT`."""
    return on_network(machine, cell.params.get("network"))


def on_network(machine: str, network: object) -> str:
    """The description of a machine on a network by its printed name (None: its own), as `NAME` or `NAME:VARIANT`."""
    base = machine.partition(":")[0]
    variant = VARIANTS.get(str(network))
    return f"{base}:{variant}" if variant and _varied(base, variant) else base


def _varied(base: str, variant: str) -> bool:
    from assay.published.cells.described_file import read
    from assay.toml.source import table_at

    return base in shipped() and variant in table_at(read(shipped()[base]).table, "variant")


@rule(*MOD1H)
def patterns(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """The rate of a pattern with long messages, as the record of `patterns` counts it."""
    made = []
    for cell in cells:
        per_node = int(cell.params.get("cpus_per_node", PER_NODE.get(cell.machine or "", 1)))
        found = answers.ask(
            described(machine, cell),
            "patterns",
            "rate",
            pattern=(cell.benchmark or "").removeprefix("mod1h."),
            bytes=LENGTHS,
            on_ranks=int(cell.params["cpus"]),
            per_node=per_node,
        )
        if found:
            made.append((cell, max(each.value for each in found)))
    return made


@rule("euroben.mod1j")
def fine_echo(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """The greatest rate of a ping-pong between two ranks, or the rate at a length, and the latency by a line."""
    made = []
    for cell in cells:
        if cell.metric not in ("bandwidth", "latency"):
            continue
        found = answers.ask(
            described(machine, cell),
            "fine-echo",
            "half_round_trip",
            bytes=STEPS,
            on_ranks=2,
            per_node=PER_NODE.get(cell.machine or "", 1),
        )
        times = {int(each.params["bytes"]): each.value for each in found}
        if times:
            made.append((cell, latency(times) if cell.metric == "latency" else _rate(times, cell)))
    return made


def shortest(answers: Answers, name: str, per_node: int) -> float | None:
    """The latency (s) of a ping-pong between two ranks of a description; None where it was not simulated."""
    found = answers.ask(name, "fine-echo", "half_round_trip", bytes=STEPS, on_ranks=2, per_node=per_node)
    return latency({int(each.params["bytes"]): each.value for each in found}) if found else None


def _rate(times: dict[int, float], cell: PublishedCell) -> float:
    if cell.params.get("message") == "longest":
        return max(times) / times[max(times)]
    size = cell.params.get("message_B")
    return greatest_rate(times)[0] if size is None else int(size) / times[int(size)]


@rule("euroben.mod1i")
def dot_product(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """The rate of the best distributed dot product."""
    made = []
    for cell in cells:
        per_node = int(cell.params.get("cpus_per_node", PER_NODE.get(cell.machine or "", 1)))
        found = dots(answers, described(machine, cell), int(cell.params["cpus"]), per_node)
        if found:
            made.append((cell, max(found.values())))
    return made


def dots(answers: Answers, name: str, ranks: int, per_node: int) -> dict[str, float]:
    """The rates (flop/s) of the dot product's implementations on a description."""
    found = answers.ask(name, "distributed-dot", "rate", on_ranks=ranks, per_node=per_node)
    return {str(each.params["implementation"]): each.value for each in found}
