"""Nodes granted by Slurm: those that Assay runs on already, or those that it holds and gives back."""

from __future__ import annotations

import math
import os
import re
import shlex
import sys
import time
import uuid
from collections.abc import Callable

from assay.errors import MeasurementError, NotGrantedError
from assay.execute import process_tree
from assay.execute.mpi import launch_environment
from assay.machine.slurm_nodes import NEVER_STARTS
from assay.since_start import within

_GRANTED = "assay: granted"  # follows the environment that the allocation has
TIME_LIMIT = 60 * 60.0  # s, the limit of an allocation of our own by default (--time)
# What an outer step or a batch script's own options would impose on our steps.
_IMPOSED = re.compile(
    r"^(SLURMD_|ASSAY_NODE|SLURM_(NTASKS|NPROCS|CPUS_PER_TASK|CPU_BIND|DISTRIBUTION|STEP|PROCID|LOCALID|NODEID|GTIDS"
    r"|TASK_PID|SRUN|LAUNCH|UMASK|PRIO|MPI_TYPE))"
)


class Allocation:
    """Nodes granted by Slurm: `environment` carries its variables; `held`: it is ours to release."""

    def __init__(
        self, environment: dict[str, str], mark: str, held: process_tree.ProcessTree | None, lasts: float
    ) -> None:
        """`mark`: the name of our steps (and of our allocation); `lasts` s from now."""
        self.held, self.mark = held, mark
        kept = {k: v for k, v in environment.items() if not _IMPOSED.match(k)}
        self.environment = launch_environment(kept)
        self.id = environment["SLURM_JOB_ID"]
        self.nodes = int(environment.get("SLURM_JOB_NUM_NODES") or environment.get("SLURM_NNODES") or 1)
        counts = re.findall(r"(\d+)(?:\(x\d+\))?", environment.get("SLURM_JOB_CPUS_PER_NODE", ""))
        self.processors = min((int(count) for count in counts), default=1)
        self._until = time.monotonic() + lasts

    @classmethod
    def around(cls, environment: dict[str, str]) -> Allocation:
        """The allocation that Assay itself runs in."""
        return cls(environment, f"assay-{uuid.uuid4().hex[:12]}", None, float("inf"))

    @classmethod
    def hold(cls, nodes: int, options: list[str]) -> Allocation:
        """Request whole nodes and wait for them, until a budget's end; MeasurementError where Slurm gives none."""
        mark = f"assay-{uuid.uuid4().hex[:12]}"
        minutes = f"--time={int(TIME_LIMIT // 60)}"
        command = ["salloc", f"--nodes={nodes}", "--exclusive", "--mem=0", minutes, *options, f"--job-name={mark}"]
        script = f"env -0; printf '{_GRANTED}'; exec sleep infinity"
        with process_tree.OutputFile() as granted, process_tree.OutputFile() as log:
            held = process_tree.ProcessTree(
                [process_tree.Command((*command, "sh", "-c", script), granted.path, log.path)],
                environment=launch_environment(os.environ),
                cleanup=[["scancel", f"--name={mark}"]],
            )
            try:
                _wait(held, nodes, mark, shlex.join(command), lambda: granted.read().endswith(_GRANTED), log.read)
            except BaseException:
                held.release()
                raise
            pairs = granted.read().removesuffix(_GRANTED).split("\0")
        environment = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
        environment.pop("ASSAY_PROCESS_TREE", None)
        unlimited = any(option.startswith(("-t", "--time")) for option in options)
        return cls(environment, mark, held, float("inf") if unlimited else TIME_LIMIT)

    def alive(self) -> bool:
        """Whether it is still granted."""
        return self.held is None or self.held.alive()

    def left(self) -> float:
        """Seconds until its limit, as far as known."""
        return self._until - time.monotonic()

    def end_steps(self) -> list[str]:
        """The command that ends our steps in it and nothing else."""
        script = 'squeue -s -h -j "$0" -o "%i %j" | while read id name; do [ "$name" = "$1" ] && scancel "$id"; done'
        return ["sh", "-c", script, self.id, self.mark]

    def release(self) -> None:
        """Give it back, if it is ours."""
        if self.held:
            self.held.release()


def _wait(
    held: process_tree.ProcessTree,
    nodes: int,
    mark: str,
    command: str,
    granted: Callable[[], bool],
    output: Callable[[], str],
) -> None:
    """Wait until Slurm grants the request of salloc; MeasurementError where it never will, or not within the budget."""
    began, inquiries, reason = time.monotonic(), 0, ""
    end = began + within(math.inf)
    while not granted():
        why = last_words(output())
        alive = held.alive()
        waited = time.monotonic() - began
        if alive and waited > 2 * 2**inquiries:  # with growing intervals
            reason = process_tree.ask(["squeue", "-h", f"--name={mark}", "-o", "%r"], timeout=30)[1].strip() or reason
            inquiries += 1
            if NEVER_STARTS.search(reason):
                alive, why = False, reason
            elif inquiries == 1:
                sys.stderr.write(f"assay: waiting for Slurm to grant {nodes} nodes ({mark}: {reason})\n")
        if not alive:
            why = why or "salloc printed nothing"
            raise MeasurementError(f"Slurm gave no allocation of {nodes} nodes: {why}; {command}")
        if time.monotonic() >= end:
            why = f" ({reason})" if reason else ""
            raise NotGrantedError(f"the budget ended while Slurm had not granted {nodes} nodes{why}; {command}")
        time.sleep(0.05)


def last_words(text: str) -> str:
    """The last two lines of a command's output, as one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " / ".join(lines[-2:])[:300]
