"""What other suites call what Assay has; else a name that is near in spelling. Papers' names stand in our records."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

NEAR = 0.75  # of difflib's ratio: a slip of the finger; below it names of other meanings are found

# By a peer's name, in small letters: a benchmark of ours.
BENCHMARKS = {
    # OSU Micro-Benchmarks, version 7
    "osu_latency": "echo",
    "osu_bw": "bandwidth",
    "osu_bibw": "bandwidth",
    "osu_mbw_mr": "message-rate",
    "osu_multi_lat": "echo",
    "osu_put_latency": "bandwidth",
    "osu_get_latency": "bandwidth",
    "osu_put_bw": "bandwidth",
    "osu_get_bw": "bandwidth",
    "osu_alltoall": "alltoall",
    "osu_barrier": "barrier",
    **dict.fromkeys(
        (
            f"osu_{each}"
            for each in ("allgather", "allreduce", "bcast", "gather", "reduce", "reduce_scatter", "scatter")
        ),
        "collective",
    ),
    **dict.fromkeys((f"osu_i{each}" for each in ("allreduce", "alltoall", "bcast")), "collective-overlap"),
    # Intel MPI Benchmarks
    "pingpong": "echo",
    "pingping": "echo",
    "sendrecv": "ring",
    "exchange": "ring",
    "imb-mpi1": "echo",
    "imb-rma": "bandwidth",
    "imb-nbc": "collective-overlap",
    "allreduce": "collective",
    "bcast": "collective",
    # Others
    "b_eff": "bisection",
    "dgemm": "gemm",
    "fio": "file-rate",
    "hpl": "linpack_largest",
    "ior": "parallel-files",
    "lmbench": "latency",
    "mdtest": "metadata",
    "mlc": "loaded_latency",
    "netpipe": "echo",
    "selfish": "noise",
}
# By a peer's command, in small letters: what to type.
COMMANDS = {
    "history": "assay runs",
    "list": "assay runs",
    "ls": "assay runs",
    "lscpu": "assay doctor",
    "lstopo": "assay doctor",
    "info": "assay doctor",
    "bench": "assay evaluate",
    "show": "assay report",
    "diff": "assay compare",
    "sql": "assay query",
}
OPTIONS = {
    "--np": "-n",
    "--nprocs": "-n",
    "--ntasks": "-n",
    "--threads": "--set threads=N",
    "--output": "--out",
    "--repeat": "--launches",
    "--iterations": "--launches",
    "--hostfile": "--via hosts:FILE",
    "--machinefile": "--via hosts:FILE",
    "--format": "--json",
}


def of_papers(published: Iterable[tuple[str, Iterable[str]]]) -> dict[str, str]:
    """BENCHMARKS and the papers' names of ours: `euroben.mod2g` and `mod2g`; no part that several of ours have."""
    found: dict[str, set[str]] = {}
    for ours, names in published:
        for name in names:
            for part in (name, *name.split(".")):
                found.setdefault(part.lower(), set()).add(ours)
    return {part: next(iter(ours)) for part, ours in found.items() if len(ours) == 1} | BENCHMARKS


def nearest(name: str, known: Iterable[str], elsewhere: Mapping[str, str]) -> str | None:
    """Ours for a name that is not: what a peer or a paper calls so, else what is near in spelling; None without one."""
    plain = name.lower()
    return elsewhere.get(plain) or next(iter(difflib.get_close_matches(name, list(known), 1, NEAR)), None)
