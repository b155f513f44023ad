"""What each node of a cluster is, from what the node itself prints (`node_inventory.sh`), and the outliers.

A node prints the small files of its /proc and /sys; here they are laid out as a tree that the readers of this room
read as they read this host. The table is Table 5.1 of van der Steen's Beowulf report (2000) for the cluster at hand.
"""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path, PurePosixPath

from assay.machine import reading
from assay.machine.firmware import firmware, microcode
from assay.machine.limits import limits
from assay.machine.memory import memory
from assay.machine.network import network
from assay.machine.peak import flops_per_cycle, stated_clock
from assay.machine.processors import processors
from assay.machine.system import system

SCRIPT = Path(__file__).with_name("node_inventory.sh")
BATCH = ("srun", "qsub", "bsub")
COMPILERS = ("g++", "clang++", "icpx", "nvc++", "gfortran")
TOOLS = ("gmond", "node_exporter", "telegraf", "collectd", "pmcd", "ipmitool", "wwctl", "clush", "pdsh")
SLOW = 0.9  # of the nodes' median pace: slower ones are suspects
FALSE_NAMES = 0.01  # of surveys of nodes that all keep `SLOW` of the median pace
MEMORY_TOLERANCE = 0.02  # sizes of memory that differ by less are equal: firmware reserves some


class NodeFacts(reading.HostPart):
    """What one node is. Hz, bytes, flop/s; None where the node does not report it.

    `flops_per_cycle` and `peak` in theory, of all cores (machine/peak.py), `peak` at the clock that the node states.
    """

    product: str | None = None
    processor: str | None = None
    sockets: int | None = None
    cores: int | None = None
    threads: int | None = None
    clock: float | None = None
    flops_per_cycle: int | None = None
    peak: float | None = None
    governor: str | None = None
    memory: int | None = None
    cpu_quota: float | None = None
    distribution: str | None = None
    kernel: str | None = None
    clock_source: str | None = None
    firmware: str | None = None
    microcode: str | None = None
    compilers: str | None = None
    mpi: str | None = None
    mpi_flags: str | None = None
    batch: str | None = None
    tools: str | None = None
    network: str | None = None


class NodeSpeed(reading.HostPart):
    """What `node_speed` measured of one hardware thread: additions per s, flop/s, and the share of it that it got."""

    clock: float
    peak: float
    share: float
    right: bool = True


class NodeDifference(reading.HostPart):
    """A fact that not all nodes share: the majority's value (None: no value has a majority), and the outliers."""

    fact: str
    majority: str | None
    count: int
    nodes: dict[str, str]


class SlowNode(reading.HostPart):
    """A node slower than `SLOW` of the median: its pace as a share of it, and why as far as it shows.

    `named`: in all its `repeats`, too, so that at most `FALSE_NAMES` of surveys name a node that is not slow; the
    others are suspects. `shared`: jobs of the batch system had a part of the node meanwhile. `drain`: the command that
    takes it out of use, for a person to run; empty where it does not apply.
    """

    node: str
    pace: float
    why: str
    named: bool = False
    repeats: int = 0
    shared: str = ""
    drain: str = ""


class Unanswered(reading.HostPart):
    """A node that printed nothing, or was not measured, and why."""

    node: str
    why: str


class InventoriedNode(reading.HostPart):
    """A node that answered: what it is, and how fast where that was measured; `exchanges`: its messages' rate, B/s."""

    node: str
    facts: NodeFacts
    measured: NodeSpeed | None = None
    exchanges: float | None = None


class ClusterInventory(reading.HostPart):
    """All nodes of a cluster, and the outliers; `exchange`: what carried the messages whose rates are given.

    `false_names`: the share of surveys, at most, that name a node of even speed slow (`slow` has suspects, too).
    `not_asked`: nodes on which nothing was started, as the batch system keeps them from jobs or has powered them down.
    """

    nodes: tuple[InventoriedNode, ...]
    differences: tuple[NodeDifference, ...]
    silent: tuple[Unanswered, ...]
    slow: tuple[SlowNode, ...]
    unmeasured: tuple[Unanswered, ...]
    false_names: float = FALSE_NAMES
    exchange: str = ""
    not_asked: tuple[Unanswered, ...] = ()


def laid_out(answer: str, folder: Path) -> dict[str, str]:
    """Lay the files that a node printed out under `folder`; returns what its commands print, by name.

    Only paths of /proc, /sys and /etc without `..` are taken: a node's words are not to be trusted with others.
    """
    commands: dict[str, str] = {}
    for part in re.split(r"^=(?=file |link |answer |end$)", answer, flags=re.MULTILINE)[1:]:
        head, _, body = part.partition("\n")
        kind, _, name = head.partition(" ")
        if kind == "answer":
            commands[name] = body.strip()
            continue
        path = PurePosixPath(name)
        if kind == "end" or path.parts[:2] not in (("/", "proc"), ("/", "sys"), ("/", "etc")) or ".." in path.parts:
            continue
        at = folder.joinpath(*path.parts[1:])
        if kind == "link":
            if at.name == "driver":
                (target := folder / "drivers" / PurePosixPath(body.strip()).name).mkdir(parents=True, exist_ok=True)
                at.parent.mkdir(parents=True, exist_ok=True)
                at.symlink_to(target)
            else:
                at.mkdir(parents=True, exist_ok=True)
        elif not at.exists():
            at.parent.mkdir(parents=True, exist_ok=True)
            at.write_text(body)
    return commands


def facts(root: Path, answer: Mapping[str, str]) -> NodeFacts:
    """What a node is, by the tree of its files and by what its commands print."""
    cpu, kernel, links = processors(root), system(root, {}), network(root)
    clock, per_cycle = stated_clock(cpu), flops_per_cycle(cpu.cores, cpu.flags)
    cards = [
        _joined(each.name, each.driver, each.state, _rated(each.rate)) for each in links.interfaces if not each.virtual
    ]
    cards += [_joined(f"{each.kind} {each.device}", each.state, _rated(each.rate)) for each in links.fabrics]
    return NodeFacts(
        product=kernel.product,
        processor=cpu.model,
        sockets=cpu.sockets,
        cores=cpu.cores,
        threads=cpu.threads,
        clock=cpu.frequency_max or cpu.frequency_base,
        flops_per_cycle=per_cycle,
        peak=per_cycle * clock if per_cycle and clock else None,
        governor=cpu.governor,
        memory=memory(root).total,
        cpu_quota=limits(root, cpu.online).cpu_quota,
        distribution=kernel.distribution,
        kernel=kernel.kernel,
        clock_source=kernel.clock_source,
        firmware=firmware(root),
        microcode=microcode(root),
        compilers=_joined(*(_version(name, answer[name]) for name in COMPILERS if name in answer), by="; ") or None,
        mpi=_version("", answer["mpiexec"]) if "mpiexec" in answer else None,
        mpi_flags=answer.get("mpicxx"),
        batch=_joined(*(_version("", answer[name]) for name in BATCH if name in answer), by="; ") or None,
        tools=_joined(*(name for name in TOOLS if name in answer)) or None,
        network=_joined(*cards, by="; ") or None,
    )


def shown(fact: str, value: object) -> str:
    """A fact for people and for comparing."""
    if value is None:
        return "not visible"
    if isinstance(value, int | float) and fact in ("clock", "peak", "memory"):
        unit, scale = {"clock": ("GHz", 1e9), "peak": ("Gflop/s", 1e9), "memory": ("GiB", 2**30)}[fact]
        return f"{value / scale:.4g} {unit}"
    return f"{value:g}" if isinstance(value, float) else str(value)


def differences(nodes: Mapping[str, NodeFacts]) -> list[NodeDifference]:
    """Facts in which nodes differ, with the nodes that are not of the majority (all, where there is none)."""
    found = []
    for fact in (name for name in NodeFacts.model_fields if name != "notes"):
        values = {node: shown(fact, getattr(each, fact)) for node, each in nodes.items()}
        if fact == "memory":
            values = _alike(nodes, values)
        ranked = Counter(values.values()).most_common()
        if len(ranked) < 2:
            continue
        majority = ranked[0] if ranked[0][1] > ranked[1][1] else None
        odd = {node: value for node, value in values.items() if majority is None or value != majority[0]}
        found.append(
            NodeDifference(
                fact=fact,
                majority=majority[0] if majority else None,
                count=majority[1] if majority else 0,
                nodes=odd,
            )
        )
    return found


def _alike(nodes: Mapping[str, NodeFacts], values: dict[str, str]) -> dict[str, str]:
    """Sizes of memory within `MEMORY_TOLERANCE` of the median one, shown as the median one."""
    sizes = [each.memory for each in nodes.values() if each.memory]
    middle = statistics.median_low(sizes) if sizes else 0
    return {
        node: shown("memory", middle)
        if (size := nodes[node].memory) and abs(size - middle) <= MEMORY_TOLERANCE * middle
        else value
        for node, value in values.items()
    }


def pace_of(each: NodeSpeed, others: Collection[NodeSpeed]) -> float:
    """The lower of a node's clock and peak, as a share of the median of `others`."""
    clock = statistics.median(other.clock for other in others)
    peak = statistics.median(other.peak for other in others)
    return min(each.clock / clock, each.peak / peak)


def repeats_needed(suspects: int) -> int:
    """How many slow repetitions in a row name a node, among so many suspects.

    A node that keeps the pace is below it in at most half of all readings, whatever their distribution, so that it is
    below in r repetitions with a probability of at most 2 ** -r: of all suspects together `FALSE_NAMES`.
    """
    return math.ceil(math.log2(max(1, suspects) / FALSE_NAMES))


def slow_nodes(speeds: Mapping[str, NodeSpeed], nodes: Mapping[str, NodeFacts]) -> list[SlowNode]:
    """Nodes whose clock or peak as measured is below `SLOW` of the nodes' median, the slowest first."""
    if len(speeds) < 2:
        return []
    found = []
    for node, each in speeds.items():
        pace = pace_of(each, speeds.values())
        if pace >= SLOW:
            continue
        quota = nodes[node].cpu_quota if node in nodes else None
        why = f"its program got {each.share:.0%} of a hardware thread" if each.share < SLOW else "a slower processor"
        if each.share < SLOW:
            why += (
                f": a CPU quota of {quota:g} processors" if quota is not None else ": others, or a limit, took the rest"
            )
        found.append(SlowNode(node=node, pace=pace, why=why))
    return sorted(found, key=lambda each: each.pace)


def slow_exchanges(rates: Mapping[str, float]) -> list[SlowNode]:
    """Nodes whose messages (B/s) go below `SLOW` of the nodes' median, slowest first; two nodes cannot be judged."""
    if len(rates) < 3:
        return []
    middle = statistics.median(rates.values())
    why = f"MB/s with other nodes, the median {middle / 1e6:.4g}"
    slow = {node: rate for node, rate in sorted(rates.items(), key=lambda each: each[1]) if rate < SLOW * middle}
    return [SlowNode(node=node, pace=rate / middle, why=f"{rate / 1e6:.4g} {why}") for node, rate in slow.items()]


def _version(name: str, answer: str) -> str:
    lines = [line.strip() for line in answer.splitlines() if line.strip()]
    line = next((line for line in lines if re.search(r"\d+\.\d+", line)), lines[0] if lines else "")
    return _joined(name, re.sub(r"\s+", " ", line), by=": ")


def _rated(rate: float | None) -> str | None:
    return None if rate is None else f"{rate * 8e-9:g} Gbit/s"


def _joined(*parts: str | None, by: str = " ") -> str:
    return by.join(part for part in parts if part)
