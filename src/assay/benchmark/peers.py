"""What other suites call what Assay has; else a name that is near in spelling. Papers' names stand in our records."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

NEAR = 0.75  # of difflib's ratio: a slip of the finger; below it names of other meanings are found

_COLLECTIVE = ("allgather", "allreduce", "alltoallv", "bcast", "gather", "reduce", "reduce_scatter", "scatter")
_OVERLAPPED = tuple(f"i{each}" for each in (*_COLLECTIVE, "alltoall", "barrier", "reduce_scatter_block"))
_IMB_IO = [
    f"{who}_{how}_{at}" for who in "spc" for how in ("read", "write") for at in ("indv", "expl", "shared", "priv")
]

_NPB = ("cg", "ep", "ft", "is", "mg")

# By a peer's name, in small letters: a benchmark of ours that measures the same. What has none there has none here.
BENCHMARKS = {
    # OSU Micro-Benchmarks 7.4, by its programs
    **dict.fromkeys(("osu_latency", "osu_latency_mt", "osu_latency_mp", "osu_latency_persistent"), "echo"),
    **dict.fromkeys(("osu_bw", "osu_bibw", "osu_bw_persistent", "osu_bibw_persistent"), "bandwidth"),
    **dict.fromkeys(("osu_put_bw", "osu_put_bibw", "osu_get_bw", "osu_put_latency", "osu_get_latency"), "bandwidth"),
    "osu_acc_latency": "bandwidth",
    "osu_mbw_mr": "message-rate",
    "osu_multi_lat": "tournament",
    "osu_bw_fan_in": "fan-in",
    "osu_bw_fan_out": "fan-out",
    "osu_alltoall": "alltoall",
    "osu_barrier": "barrier",
    **{f"osu_{each}": "collective" for each in (*_COLLECTIVE, "reduce_scatter_block")},
    **{f"osu_{each}": "collective-overlap" for each in _OVERLAPPED},
    # Intel MPI Benchmarks 2021, by component and benchmark
    **dict.fromkeys(("imb", "imb-mpi1", "imb-p2p", "pingpong", "pingponganysource", "pingpongspecificsource"), "echo"),
    **dict.fromkeys(("pingping", "uniband", "biband", "imb-rma", "imb-ext"), "bandwidth"),
    **dict.fromkeys(("unidir_put", "unidir_get", "bidir_put", "bidir_get", "accumulate"), "bandwidth"),
    "sendrecv": "ring",
    **dict.fromkeys((*_COLLECTIVE, "reduce_scatter_block"), "collective"),
    **dict.fromkeys((*_OVERLAPPED, "imb-nbc"), "collective-overlap"),
    **dict.fromkeys(("imb-io", *_IMB_IO), "parallel-files"),
    # lmbench 3, by its programs
    **dict.fromkeys(("lmbench", "lat_mem_rd"), "latency"),
    "bw_mem": "levels",
    "mhz": "clock",
    "lat_proc": "creation",
    "lat_fs": "metadata",
    **dict.fromkeys(("lmdd", "bw_file_rd", "bw_mmap_rd"), "file-rate"),
    **{f"{what}_{how}": "handover" for what in ("lat", "bw") for how in ("pipe", "unix", "tcp")},
    # HPC Challenge 1.5, by the sections of its output (src/hpcc.c), and its program HPL
    **dict.fromkeys(("hpl", "xhpl"), "linpack-largest"),
    **dict.fromkeys(("dgemm", "stardgemm", "singledgemm"), "gemm"),
    **dict.fromkeys(("starstream", "singlestream"), "stream"),
    **dict.fromkeys(("starfft", "singlefft"), "fft"),
    **dict.fromkeys(("latencybandwidth", "b_eff"), "ring"),
    # NAS Parallel Benchmarks 3.4, by its kernels and its programs: KERNEL.CLASS.x (sys/make.common)
    **dict.fromkeys(("npb", *_NPB, *(f"{each}.{size}.x" for each in _NPB for size in "swabcdef")), "nas"),
    # Others: the names of their programs (fio 3, IOR 4 with mdtest)
    **dict.fromkeys(("fio", "elbencho", "iozone", "bonnie++"), "file-rate"),
    "ior": "parallel-files",
    "mdtest": "metadata",
    "mlc": "loaded-latency",
    **dict.fromkeys(("multichase", "tinymembench"), "latency"),
    "likwid-bench": "levels",
    **dict.fromkeys(("netpipe", "npmpi"), "echo"),
    **dict.fromkeys(("netgauge", "ebb"), "bisection"),
    "logp": "loggp",
    **dict.fromkeys(("selfish", "fwq", "ftq", "osnoise"), "noise"),
    "syncbench": "thread-barrier",
    "mod1h": "patterns",  # EuroBen; papers name its patterns, one by one
}
# By a peer's command, in small letters: what to type.
COMMANDS = {
    "list": "assay runs",
    "ls": "assay runs",
    **dict.fromkeys(("lscpu", "lstopo", "hwloc-ls", "hwloc-info", "likwid-topology", "info"), "assay doctor"),
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
    of_ours = {each.lower(): each for each in known}
    near = difflib.get_close_matches(plain, list(of_ours), 1, NEAR)
    return elsewhere.get(plain) or (of_ours[near[0]] if near else None)


def nearest_option(name: str, known: Iterable[str]) -> str | None:
    """An option of a command, whose options are `known`, for one that it has not."""
    there = set(known)
    elsewhere = {each: ours for each, ours in OPTIONS.items() if ours.split()[0] in there}
    return nearest(name, there, elsewhere)
