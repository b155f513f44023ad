"""What the network between a cluster's nodes carries: all of them exchange messages in changing pairs, by MPI.

One launch of the tournament (programs/ranks/tournament.hpp) with a rank on each node that answered, one pass: each node
meets each other one while all the others meet, too. A node's rate is the median over its partners, so that one slow
partner does not count; there and back together, which needs no clock of both. It goes by the same launchers as any run,
and needs what they need: an MPI, and nodes that see the folder of compiled programs. Of nodes on one host, as in a
laboratory, one takes part; where all are on one, the first two do: there is no network between them, and more would
wait for one another's processors.
"""

from __future__ import annotations

import json
import os
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from assay import left_names
from assay.benchmark.formula import evaluate
from assay.benchmark.own import cache_root
from assay.benchmark.record import benchmark
from assay.benchmark.resolved import program_words
from assay.errors import AssayError
from assay.execute.build import build
from assay.execute.host_file import read_hosts
from assay.execute.job import Job, launcher, outputs
from assay.execute.mpi import Mpi, find_mpi
from assay.execute.placement import read_launches
from assay.execute.preflight_tools import NO_MPI

LENGTH = 262144  # bytes of a message
_TIMES = 10  # the planned time, that a launch may take: planned are 100 MB/s


@dataclass
class Exchanged:
    """Rates by node (B/s, each way), and what carried the messages: or none, and why."""

    rates: dict[str, float] = field(default_factory=dict)
    how: str = ""


def exchange(via: str, boots: Mapping[str, str], silent: bool, timeout: float) -> Exchanged:
    """Measure among the nodes of `hosts:FILE` or Slurm that answered; `silent`: others did not.

    `boots`: by node its host, by boot id;
    `timeout` (s) bounds the wait for an allocation, and the launch beyond ten times its plan.
    """
    nodes = sorted({boot: node for node, boot in sorted(boots.items(), reverse=True)}.values())
    if len(nodes) < 2:
        nodes = sorted(boots)[:2]
    if len(nodes) < 2:
        return Exchanged(how="not measured: it takes two nodes")
    one_host = len({boots[node] for node in nodes}) == 1
    if silent and via.startswith("slurm") and "SLURM_JOB_ID" in os.environ:
        return Exchanged(how="not measured: a launch takes all nodes of this job, and some do not answer")
    try:
        mpi = find_mpi()
        if mpi is None:
            return Exchanged(how=f"not measured: {NO_MPI}")
        return _launched(via, nodes, one_host, mpi, timeout)
    except AssayError as error:
        return Exchanged(how=f"not measured: {' '.join(str(error).split())}")


def _launched(via: str, nodes: Sequence[str], one_host: bool, mpi: Mpi, timeout: float) -> Exchanged:
    record = benchmark("tournament")
    program = build([record], mpi=mpi)[record.name].path
    settings = {"bytes": LENGTH, "trips": 3, "passes": 1}
    planned = evaluate(record.takes or "0", {"ranks": len(nodes), **settings}) or 0.0
    within = timeout + _TIMES * planned
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    words += ["--blocks", "1", "--deadline", f"{0.8 * within:g}"]
    with tempfile.TemporaryDirectory(prefix=left_names.marked("exchange-"), dir=cache_root()) as made:
        folder = Path(made)
        through = launcher(_only(via, nodes, timeout, folder), mpi)
        command = (str(program), *program_words(record, words))
        environment = {"ASSAY_PROCESS_TREE": "1"}
        here = (folder / "launch-0.jsonl", folder / "log", within, environment)
        try:
            outcome = through.run(Job(record.name, command, len(nodes), len(nodes), 1, *here))
        finally:
            through.close()
        if outcome.status != 0:
            return Exchanged(how=f"not measured: {outcome.reason or f'status {outcome.status}'}")
        (_, file), *_ = outputs(here[0])
        carried = "on one host" if one_host else read_launches(file, 0)[0].get("transport") or "transport not visible"
        return Exchanged(rates(file, LENGTH, [str(rank["host"]) for rank in outcome.placement]), f"{mpi}, {carried}")


def _only(via: str, nodes: Sequence[str], timeout: float, folder: Path) -> str:
    """The launcher's name with just these nodes."""
    kind, _, option = via.partition(":")
    if kind == "hosts":
        slots = read_hosts(Path(option))
        lines = (f"{node} slots={slots[node]}\n" if slots[node] else f"{node}\n" for node in nodes)
        (folder / "hosts").write_text("".join(lines))
        return f"hosts:{folder / 'hosts'}"
    if kind == "lab" or "SLURM_JOB_ID" in os.environ:
        return via
    own = (f"--nodelist={','.join(nodes)}", f"--immediate={max(1, round(timeout))}")
    return f"slurm:{option} {shlex.join(own)}"


def rates(file: Path, length: int, hosts: Sequence[str]) -> dict[str, float]:
    """What each host exchanges each way (B/s) in messages of that length (bytes); rank i was on host i.

    From the lines of a tournament; of several passes the first.
    """
    ranks = len(hosts)
    passes = (json.loads(line) for line in file.read_text().splitlines() if '"pairs"' in line)
    met = (each for each in passes if "seconds" in each and each["case"]["bytes"] == length)
    if (event := next(met, None)) is None:
        return {}
    seconds = np.full((ranks, ranks), np.nan)
    seconds[~np.eye(ranks, dtype=bool)] = event["seconds"]
    found = np.nanmedian(2 * length / np.maximum(seconds + seconds.T, 1e-12), axis=1)
    return dict(zip(hosts, found.tolist(), strict=True))
