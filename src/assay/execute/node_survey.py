"""Inventory and speed of every node of a cluster, one command per node, so that an unreachable one delays no other.

Nodes need only sh: the script goes as an argument, the program by standard input. Nodes on one host (one boot id, as
in a laboratory) are measured one after another, all others at once.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.errors import InputError, MeasurementError
from assay.execute import process_tree
from assay.execute.allocation import last_words
from assay.execute.host_file import read_hosts
from assay.execute.hosts import SSH
from assay.execute.lab import entered
from assay.execute.mpi import launch_environment, site_path
from assay.execute.shell_words import shell_words
from assay.execute.stale_files import temporary_folder
from assay.laboratory import running
from assay.machine import node_inventory, slurm_nodes
from assay.machine.node_inventory import NodeFacts, NodeSpeed

CONTROLS = 2  # nodes of usual pace that are repeated with the suspects
MEASURE = 'd=$(mktemp -d) && trap \'rm -rf "$d"\' EXIT && cat >"$d/speed" && chmod 700 "$d/speed" && "$d/speed"'
MEASURE_AGAIN = f"{MEASURE} again"
Reach = Callable[[str], tuple[str, ...]]


@dataclass
class Cluster:
    """What came of asking: what each node is and how fast, why the others are silent, and where each node really is.

    `not_asked`: nodes that the batch system keeps from jobs or has powered down, and its words for that.
    `shared`: nodes of which jobs have a part. `slow_repeats`: of each suspect, how many repetitions in a row were slow.
    """

    facts: dict[str, NodeFacts] = field(default_factory=dict)
    speeds: dict[str, NodeSpeed] = field(default_factory=dict)
    silent: dict[str, str] = field(default_factory=dict)
    unmeasured: dict[str, str] = field(default_factory=dict)
    boots: dict[str, str] = field(default_factory=dict)
    not_asked: dict[str, str] = field(default_factory=dict)
    shared: dict[str, str] = field(default_factory=dict)
    slow_repeats: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class _Way:
    """How a launcher's nodes are reached: their names, those known to be dead, a command's beginning for a node.

    `spared`: those that are not queried; `states`: the batch system's states of the others; `shared`: jobs' part.
    """

    nodes: tuple[str, ...]
    dead: Mapping[str, str]
    reach: Reach
    quoted: bool
    cleanup: Sequence[Sequence[str]] = ()
    spared: Mapping[str, str] = field(default_factory=dict)
    states: Mapping[str, str] = field(default_factory=dict)
    shared: Mapping[str, str] = field(default_factory=dict)


def ask_nodes(via: str, program: Callable[[], Path] | None, timeout: float) -> Cluster:
    """Query all nodes of `hosts:FILE`, of Slurm or of a laboratory; `program` gives the compiled `node_speed` (None:
    not measured).

    `timeout` (s) bounds each answer, and each measurement. InputError where `via` has no nodes to query.
    """
    kind, _, option = via.partition(":")
    if kind == "hosts" and option:
        way = _hosts(Path(option))
    elif kind == "slurm":
        way = _slurm(option, timeout)
    elif kind == "lab":
        way = _laboratory(option)
    else:
        raise InputError(
            "has no nodes to query", key="--via", value=via, accepted="hosts:FILE, slurm, slurm:OPTIONS, lab"
        )
    cluster = Cluster(silent=dict(way.dead), not_asked=dict(way.spared), shared=dict(way.shared))
    alive = [node for node in way.nodes if node not in way.dead and node not in way.spared]
    script = node_inventory.SCRIPT.read_text()
    for node, (answer, why) in _ask(way, alive, script, None, timeout).items():
        if not answer.rstrip().endswith("=end"):
            cluster.silent[node] = f"{why}; {way.states[node]}" if node in way.states else why
            continue
        with temporary_folder("assay-facts-") as folder:
            commands = node_inventory.laid_out(answer, Path(folder))
            cluster.facts[node] = node_inventory.facts(Path(folder), commands)
            boot = Path(folder) / "proc/sys/kernel/random/boot_id"
            cluster.boots[node] = boot.read_text().strip() if boot.exists() else node
    if program is not None and cluster.facts:
        _measure(cluster, way, program(), timeout)
    return cluster


def _measure(cluster: Cluster, way: _Way, program: Path, timeout: float) -> None:
    speeds, failed = _speeds(cluster, way, list(cluster.boots), MEASURE, program, timeout)
    cluster.speeds |= speeds
    cluster.unmeasured |= failed
    _repeat(cluster, way, program, timeout)


def _speeds(
    cluster: Cluster, way: _Way, nodes: Sequence[str], script: str, program: Path, timeout: float
) -> tuple[dict[str, NodeSpeed], dict[str, str]]:
    """How fast nodes are, and why others were not measured."""
    speeds, failed = {}, {}
    hosts: dict[str, list[str]] = {}
    for node in nodes:
        hosts.setdefault(cluster.boots[node], []).append(node)
    while any(hosts.values()):
        turn = [on.pop(0) for on in hosts.values() if on]
        for node, (answer, why) in _ask(way, turn, script, program, timeout).items():
            try:
                speed = NodeSpeed.model_validate(json.loads(answer.strip().splitlines()[-1]))
            except (ValueError, IndexError):
                failed[node] = why
                continue
            if speed.right:
                speeds[node] = speed
            else:
                failed[node] = "it computed a wrong sum"
    return speeds, failed


def _repeat(cluster: Cluster, way: _Way, program: Path, timeout: float) -> None:
    """Measure the suspects again, with a few usual nodes, until one repetition is not slow or there are enough.

    Where others are fewer than two, none is repeated: either of two nodes can be the slow one.
    """
    suspects = [each.node for each in node_inventory.slow_nodes(cluster.speeds, cluster.facts)]
    usual = [node for node in cluster.speeds if node not in suspects]
    usual.sort(key=lambda node: abs(node_inventory.pace_of(cluster.speeds[node], cluster.speeds.values()) - 1))
    controls = usual[:CONTROLS]
    if not suspects or len(controls) < CONTROLS:
        return
    open_ = list(suspects)
    cluster.slow_repeats = dict.fromkeys(suspects, 0)
    for _ in range(node_inventory.repeats_needed(len(suspects))):
        speeds, _failed = _speeds(cluster, way, [*open_, *controls], MEASURE_AGAIN, program, timeout)
        others = [speeds[node] for node in controls if node in speeds]
        open_ = [
            node
            for node in open_
            if others and node in speeds and node_inventory.pace_of(speeds[node], others) < node_inventory.SLOW
        ]
        for node in open_:
            cluster.slow_repeats[node] += 1
        if not open_:
            return


def _ask(
    way: _Way, nodes: Sequence[str], script: str, stdin: Path | None, timeout: float
) -> dict[str, tuple[str, str]]:
    """What each node printed, and in other words why it printed no more."""
    if not nodes:
        return {}
    source = shlex.quote(str(stdin)) if stdin else "/dev/null"
    with temporary_folder("assay-nodes-") as folder:
        files = {node: Path(folder) / str(number) for number, node in enumerate(nodes)}
        commands = []
        for node, file in files.items():
            words = ("sh", "-c", script, "assay")
            argv = (*way.reach(node), shlex.join(words)) if way.quoted else (*way.reach(node), *words)
            outer = ("sh", "-c", f'exec "$@" <{source}', "sh", *argv)
            commands.append(process_tree.Command(outer, file, file.with_suffix(".err")))
        environment = launch_environment(os.environ) | {"PATH": os.pathsep.join(site_path(os.environ))}
        ended = process_tree.run(commands, timeout=timeout, environment=environment, cleanup=way.cleanup)
        if ended.missing:
            raise MeasurementError(f"cannot be started: {ended.missing}")
        found = {}
        for at, (node, file) in enumerate(files.items()):
            answer = file.read_text(errors="replace") if file.exists() else ""
            error = file.with_suffix(".err")
            words_of = last_words(error.read_text(errors="replace")) if error.exists() else ""
            why = f"no answer in {timeout:g} s" if at in ended.unfinished else "it ended without an answer"
            found[node] = (answer, f"{why} ({words_of})" if words_of else why)
        return found


def _hosts(file: Path) -> _Way:
    if shutil.which(SSH[0]) is None:
        raise InputError("ssh is not here (apt-get install openssh-client)", key="--via", value="hosts")
    nodes = tuple(read_hosts(file))
    if not nodes:
        raise InputError("names no host", file=file)
    return _Way(nodes, {}, lambda host: (*SSH, host), True)


def _laboratory(option: str) -> _Way:
    laboratory = running.named(option or None)
    return _Way(tuple(laboratory.specification.layout.hosts), {}, lambda host: entered(laboratory, host), False)


def _slurm(option: str, timeout: float) -> _Way:
    """All nodes of the allocation around Assay, else of the cluster (or of the partition that the options name)."""
    if shutil.which("srun") is None or shutil.which("sinfo") is None:
        raise InputError("Slurm is not here: no srun on PATH", key="--via", value="slurm", accepted="hosts:FILE")
    options = shell_words(option, "--via slurm", "slurm:OPTIONS, such as slurm:--partition=short")
    inside = os.environ.get("SLURM_JOB_NODELIST") if "SLURM_JOB_ID" in os.environ else None
    chosen = [each for each in options if each.startswith(("--partition=", "-p"))]
    words = ["sinfo", "-h", "-N", "-o", slurm_nodes.FORMAT, *([f"--nodes={inside}"] if inside else chosen)]
    ended, answer = process_tree.ask(words, timeout=timeout, environment=launch_environment(os.environ))
    if ended.missing or ended.timed_out or any(ended.statuses):
        raise MeasurementError(f"Slurm does not list its nodes: {last_words(answer) or 'silent'} ({' '.join(words)})")
    nodes = slurm_nodes.slurm_nodes(answer)
    if not nodes:
        raise MeasurementError(f"Slurm names no node ({' '.join(words)})")
    dead = {name: node.reported for name, node in nodes.items() if node.kind == slurm_nodes.DOWN}
    spared = {} if inside else {
        name: node.reported
        for name, node in nodes.items()
        if node.kind != slurm_nodes.DOWN and (node.kind != slurm_nodes.UP or node.full)
    }  # fmt: skip
    mark = f"assay-{uuid.uuid4().hex[:12]}"
    step: tuple[str, ...] = ("srun", "-N1", "-n1", "--cpu-bind=none", "--mpi=none", f"--job-name={mark}")
    step += ("--overlap",) if inside else tuple(options)
    cleanup = [] if inside else [["scancel", f"--name={mark}"]]
    states = {name: node.reported for name, node in nodes.items()}
    shared = {} if inside else {
        name: f"jobs have {node.allocated} of its {node.processors} processors"
        for name, node in nodes.items()
        if node.allocated
    }  # fmt: skip
    return _Way(tuple(nodes), dead, lambda node: (*step, f"--nodelist={node}"), False, cleanup, spared, states, shared)
