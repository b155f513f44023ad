"""`assay doctor --via`: what every node of a cluster is, who differs, who is silent, who is slow."""

from __future__ import annotations

from pathlib import Path

from assay.execute.node_exchange import Exchanged, exchange
from assay.execute.node_survey import Cluster, ask_nodes
from assay.machine.drain import drain_line
from assay.machine.node_inventory import (
    ClusterInventory,
    InventoriedNode,
    NodeFacts,
    SlowNode,
    Unanswered,
    differences,
    repeats_needed,
    shown,
    slow_exchanges,
    slow_nodes,
)
from assay.number_words import number_of

WITHIN = 30.0  # s, for a node's answer without --for


def inventory(via: str, seconds: float | None, quiet: bool, json: bool) -> int:
    """Query all nodes and write the table; 1 where a node is unreachable, or none answered, else 0."""
    from assay.cli import emit

    within = WITHIN if seconds is None else seconds
    cluster = ask_nodes(via, _program, within)
    found = judged(cluster, exchange(via, cluster.boots, bool(cluster.silent), within), via)
    if json:
        emit(_bare(found.model_dump(mode="json")))
    elif quiet:
        print(one_line(found))
    else:
        print("\n".join(table(found)))
    return 1 if found.silent or not found.nodes else 0


def _at_clock(per_cycle: int | None, clock: float) -> str:
    return "" if per_cycle is None else f"  peak of all cores at this clock {per_cycle * clock / 1e9:.4g} Gflop/s"


def _program() -> Path:
    from assay.benchmark.record import PlainProgram, programs_root
    from assay.execute.build import build

    source = PlainProgram("node_speed", programs_root() / "jobs" / "node_speed.cpp")
    return build([source], mpi=None)["node_speed"].path


def _bare(value: object) -> object:
    """Without the notes that every part carries."""
    if isinstance(value, dict):
        return {key: _bare(each) for key, each in value.items() if key != "notes"}
    return [_bare(each) for each in value] if isinstance(value, list) else value


def judged(cluster: Cluster, exchanged: Exchanged, via: str = "") -> ClusterInventory:
    """The nodes by name, and the outliers; of Slurm's with the line that drains each slow one."""

    def why(nodes: dict[str, str]) -> tuple[Unanswered, ...]:
        return tuple(Unanswered(node=node, why=words) for node, words in sorted(nodes.items()))

    return ClusterInventory(
        nodes=tuple(
            InventoriedNode(
                node=node, facts=each, measured=cluster.speeds.get(node), exchanges=exchanged.rates.get(node)
            )
            for node, each in sorted(cluster.facts.items())
        ),
        differences=tuple(differences(cluster.facts)),
        silent=why(cluster.silent),
        slow=(*_slow(cluster, via), *slow_exchanges(exchanged.rates)),
        unmeasured=why(cluster.unmeasured),
        exchange=exchanged.how,
        not_asked=why(cluster.not_asked),
    )


def _slow(cluster: Cluster, via: str) -> list[SlowNode]:
    """The slow nodes: named ones, whose repetitions were slow, too, and suspects."""
    found = []
    needed = repeats_needed(len(cluster.slow_repeats))
    for each in slow_nodes(cluster.speeds, cluster.facts):
        repeats, shared = cluster.slow_repeats.get(each.node, 0), cluster.shared.get(each.node, "")
        named = repeats >= needed
        why = f"{each.why}; {shared}" if shared else each.why
        drain = drain_line(each.node, f"{each.pace:.0%} of the median pace: {each.why}")
        update = {"why": why, "named": named, "repeats": repeats, "shared": shared}
        update["drain"] = drain if named and not shared and via.startswith("slurm") else ""
        found.append(each.model_copy(update=update))
    return found


def _slow_line(of: SlowNode) -> str:
    line = f"slow: {of.node}: {of.pace:.0%} of the median; {of.why}"
    if of.named:
        return f"{line}; so in {of.repeats} repetitions"
    return f"{line}; a suspect: " + (f"so in {of.repeats} repetitions only" if of.repeats else "not confirmed")


def one_line(found: ClusterInventory) -> str:
    """Count and names of the outliers."""
    groups = [
        ("unreachable", [each.node for each in found.silent]),
        ("slow", [each.node for each in found.slow]),
        ("outliers", sorted({node for each in found.differences for node in each.nodes})),
    ]
    if found.not_asked:
        groups.append(("not queried", [each.node for each in found.not_asked]))
    words = [f"{name}: {', '.join(nodes) if nodes else 'none'}" for name, nodes in groups]
    return "; ".join([f"{number_of(len(found.nodes), 'node')} answered", *words])


def table(found: ClusterInventory) -> list[str]:
    """The inventory as text: what most nodes are, each outlier by name, each node's speed."""
    spared = f", {len(found.not_asked)} were not queried" if found.not_asked else ""
    lines = [f"{number_of(len(found.nodes), 'node')} answered, {len(found.silent)} did not{spared}"]
    differ = {each.fact: each for each in found.differences}
    for fact in (name for name in NodeFacts.model_fields if name != "notes" and found.nodes):
        each = differ.get(fact)
        value = (each.majority or "no majority") if each else shown(fact, getattr(found.nodes[0].facts, fact))
        of = f"  ({each.count} of {len(found.nodes)})" if each else ""
        if each or value != "not visible":
            name = "peak at the stated clock" if fact == "peak" else fact.replace("_", " ")
            lines.append(f"  {name:13} {value}{of}")
    for odd in found.differences:
        lines += [f"outlier: {node}: {odd.fact.replace('_', ' ')} {value}" for node, value in odd.nodes.items()]
    lines += [f"unreachable: {each.node}: {each.why}" for each in found.silent]
    lines += [f"not queried: {each.node}: {each.why}" for each in found.not_asked]
    lines += [_slow_line(each) for each in found.slow]
    if found.slow:
        share = f"{found.false_names:.0%}"
        lines.append(
            f"at most {share} of surveys name a node of usual pace slow by its repetitions; suspects have no rate"
        )
    lines += [f"to drain it, which Assay does not do: {each.drain}" for each in found.slow if each.drain]
    lines += [f"not measured: {each.node}: {each.why}" for each in found.unmeasured]
    if speeds := {each.node: each.measured for each in found.nodes if each.measured}:
        lines.append("measured on one hardware thread: dependent additions, float64, share of it that the program got")
        per_cycle = {each.node: each.facts.flops_per_cycle for each in found.nodes}
        lines += [
            f"  {node:13} {each.clock / 1e9:.3g} GHz  {each.peak / 1e9:.3g} Gflop/s  {each.share:.0%}"
            + _at_clock(per_cycle[node], each.clock)
            for node, each in speeds.items()
        ]
    rates = {each.node: each.exchanges for each in found.nodes if each.exchanges}
    if rates:
        lines.append(f"network, each way, all nodes in changing pairs at once ({found.exchange})")
        lines += [f"  {node:13} {rate / 1e6:.4g} MB/s" for node, rate in rates.items()]
    elif found.exchange:
        lines.append(f"network: {found.exchange}")
    return lines
