"""Batch systems: which one's commands are here, and whether this process is in an allocation."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from typing import NamedTuple

from assay.machine import reading

PATIENCE = 0.6


class Sign(NamedTuple):
    """How a batch system is detected: its commands, the variable of its jobs, of their nodes, and a query."""

    name: str
    commands: tuple[str, ...]
    job: str
    nodes: str
    question: tuple[str, ...]
    mark: str = ""


SYSTEMS = (
    Sign("slurm", ("sbatch", "srun"), "SLURM_JOB_ID", "SLURM_JOB_NUM_NODES", ("sinfo", "-h", "-o", "%P %D %T")),
    Sign("pbs", ("qsub", "pbsnodes"), "PBS_JOBID", "PBS_NUM_NODES", ("pbsnodes", "-l", "free")),
    Sign("sge", ("qsub", "qconf"), "JOB_ID", "NHOSTS", ("qhost",), "SGE_ROOT"),
    Sign("lsf", ("bsub", "bhosts"), "LSB_JOBID", "LSB_DJOB_NUMPROC", ("bhosts", "-w")),
    Sign("flux", ("flux",), "FLUX_JOB_ID", "FLUX_JOB_NNODES", ("flux", "resource", "list")),
    Sign("condor", ("condor_submit",), "_CONDOR_JOB_AD", "", ("condor_status", "-total")),
)


class Batch(reading.HostPart):
    """A batch system as seen from here."""

    name: str
    commands: tuple[str, ...]
    job: str | None = None
    nodes: int | None = None
    answers: bool | None = None
    said: str | None = None  # the answer to the question; the name in provenance files


class BatchSystems(reading.HostPart):
    """All batch systems found; usually one or none."""

    systems: tuple[Batch, ...] = ()


def batch(
    environment: Mapping[str, str] = os.environ,
    which: Callable[[str], str | None] = shutil.which,
    ask: bool = True,
) -> BatchSystems:
    """Look for batch systems; `ask` runs one quick query to see whether the system answers."""
    found = []
    for sign in SYSTEMS:
        inside = environment.get(sign.job) if not sign.mark or sign.mark in environment else None
        commands = tuple(command for command in sign.commands if which(command))
        if len(commands) < len(sign.commands) and not inside:
            continue
        answers, answer = _query(sign.question) if ask and commands else (None, None)
        nodes = environment.get(sign.nodes, "")
        found.append(
            Batch(
                name=sign.name,
                commands=commands,
                job=inside,
                nodes=int(nodes) if inside and nodes.isdecimal() else None,
                answers=answers,
                said=answer,
            )
        )
    return BatchSystems(systems=tuple(found))


def _query(question: tuple[str, ...]) -> tuple[bool, str | None]:
    try:
        done = subprocess.run(
            question, capture_output=True, text=True, timeout=PATIENCE, check=False, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        return False, f"{question[0]} did not answer within {PATIENCE:g} s"
    except OSError as error:
        return False, str(error)
    words = (done.stdout or done.stderr).strip().splitlines()
    return done.returncode == 0, "; ".join(words[:4]) or None
