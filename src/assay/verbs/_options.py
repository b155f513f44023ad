"""The options that several verbs take, each declared once: one name, one meaning, one help text everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.verbs._completion import described_names, run_names


def named_path(text: str) -> Path:
    """Parse a path; ValueError with what is accepted for an empty one, which would mean the current folder."""
    if not text:
        raise ValueError("a path (. is the current folder)")
    return Path(text)


MOST = 2**31 - 1  # of a count: what the programs' 32 bits hold

Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="no progress, no tables: the result in one line")]
Json = Annotated[bool, typer.Option("--json", help="print one JSON document and nothing else")]
Runs = Annotated[
    list[str] | None,
    typer.Option("--run", metavar="RUN", help="a run, by folder or name (repeatable)", autocompletion=run_names),
]

# Where and how often a program is run.
On = Annotated[
    str | None,
    typer.Option(
        metavar="MACHINE", help="a described machine: its name, or a TOML file", autocompletion=described_names
    ),
]
Via = Annotated[
    str | None, typer.Option(metavar="LAUNCHER", help="local, mpiexec, hosts:FILE, slurm[:OPTIONS] or lab[:NAME]")
]
Ranks = Annotated[
    str | None,
    typer.Option("-n", metavar="N,…", help="ranks of a message-passing benchmark; 1,2,4: each, and speedups"),
]
Nodes = Annotated[
    int | None,
    typer.Option(
        "-N",
        metavar="N",
        min=1,
        max=MOST,
        help="number of nodes (default: all; `evaluate` on a described machine: at most 128)",
    ),
]
PerNode = Annotated[str | None, typer.Option("--ppn", metavar="N,…", help="ranks per node; 1,2 runs both")]
Placement = Annotated[
    str | None,
    typer.Option(
        metavar="WAY",
        help="with --on: the ranks' nodes, 0,8,16-19; or contiguous, scattered (drawn by --seed), subcube, submesh",
    ),
]
Profile = Annotated[str, typer.Option(metavar="NAME", help="quick, standard or full")]
Only = Annotated[str | None, typer.Option(metavar="PART,…", help="processor, memory, threads, messages, …")]
Launches = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        max=MOST,
        help="launches per benchmark (default: the profile's); with --within: the maximum",
    ),
]
Within = Annotated[
    str | None,
    typer.Option(
        metavar="SHARE",
        help="target half-width of the 95% confidence interval (default: standard 2%, full 1%; quick: fixed launches)",
    ),
]
Compilers = Annotated[
    list[str] | None,
    typer.Option(
        "--compiler",
        metavar="CXX",
        help="compiler of kernels, or of whole message programs: g++, clang++ (repeatable)",
    ),
]
Flags = Annotated[
    list[str] | None,
    typer.Option(
        "--flags", metavar="'FLAG …'", help="compiler flags of kernels, such as '-O3 -ffast-math' (repeatable)"
    ),
]
Isas = Annotated[
    list[str] | None,
    typer.Option("--isa", metavar="ISA", help="instruction set of kernels: native, default, x86-64-v3 (repeatable)"),
]
Mpis = Annotated[
    list[str] | None,
    typer.Option("--mpi", metavar="MPI", help="a compiler wrapper (mpicxx.mpich) or an MPI's folder (repeatable)"),
]
Transports = Annotated[
    list[str] | None,
    typer.Option(
        "--transport",
        metavar="NAME",
        help="transport of messages: default, shm, tcp, ucx, ofi or 'VARIABLE=VALUE …' (repeatable)",
    ),
]
Budget = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="time limit for the whole command, such as 20min: what does not fit is skipped (default: twice the "
        "profile's first launches)",
    ),
]
Timeout = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="end a launch that takes longer, such as 20s (default: 300s, or what its benchmark allows)",
    ),
]
Seed = Annotated[int, typer.Option(metavar="N", min=0, max=2**63 - 1, help="seed of the random orders and alignments")]
RunFolder = Annotated[
    Path | None,
    typer.Option("-o", "--out", parser=named_path, metavar="FOLDER", help="the run's folder (default: runs/ID)"),
]
Label = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="label of the run, such as before-upgrade; accepted wherever a run is named"),
]
Timeline = Annotated[
    Path | None,
    typer.Option(
        parser=named_path,
        metavar="TRACE.json",
        help="write ranks (`run --on`, or an application) or messages (`replay`) over time, for ui.perfetto.dev",
    ),
]
Matrix = Annotated[
    Path | None,
    typer.Option(
        parser=named_path,
        metavar="PATH",
        help="on a described machine: messages and bytes between ranks (CSV), all of the run: also those that "
        "verify and synchronise",
    ),
]
Goal = Annotated[
    Path | None,
    typer.Option(
        parser=named_path,
        metavar="FILE",
        help="a GOAL schedule: with `replay --on` the input, with `run --on` output of the first operation, with "
        "`mpirun` output of the whole program",
    ),
]
DocsFolder = Annotated[
    Path | None,
    typer.Option(
        "--docs",
        parser=named_path,
        metavar="FOLDER",
        help="with all machines or studies: write their pages to this folder",
    ),
]
BESIDE = "another run, drawn next to this one: with --on all, or of a test on a batch system (repeatable)"
RunName = Annotated[
    str, typer.Argument(metavar="RUN", help="a run: its folder, id, label, or latest", autocompletion=run_names)
]

# Over many runs.
Machine = Annotated[
    str | None, typer.Option("--machine", metavar="NAME", help="machine of the runs (default: this host)")
]
Regression = Annotated[
    str | None,
    typer.Option(
        "--fail-on-regression",
        metavar="SHARE",
        help="status 3 if a figure became worse by more than this, such as 5%; 4 if too few runs exclude it",
    ),
]

# How a network is simulated.
NetworkSettings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="override a key of NETWORK.toml, such as traffic.load=0.3"),
]
Points = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--out",
        parser=named_path,
        metavar="FILE",
        help="store finished points there; the same command resumes from them",
    ),
]
Executor = Annotated[
    str, typer.Option(metavar="NAME", help="threads, processes, or mpi (ranks of python -P -m mpi4py.futures)")
]
Workers = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        max=MOST,
        help="number of workers (default: 1; of sweeps and studies one per hardware thread)",
    ),
]
