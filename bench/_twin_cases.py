"""Which program is compared with which plain C twin, by what settings: `./x bench ranks`.

Without a twin: host's loop is echo's, an interference's victims without aggressors are an echo and an allreduce (and
with them the answer is a ratio of its own times); a tournament's and a bandwidth's are of one pair.
"""

from __future__ import annotations

from bench._twins import Twin

LIBRARY = ("algorithm=library",)
BEGUN = ("operation=allreduce", *LIBRARY, "bytes=1024", "calls=0")
READINGS = 1000  # of operations that are read one by one
STREAM = ("bytes=1024", "means=message", "pairs=1")


def operation(mode: str, program: str, settings: tuple[str, ...], size: int, readings: int = READINGS) -> Twin:
    """One operation a reading, from an agreed moment to the last exit; a pattern's memory lies at drawn places.

    A block has many readings, as in a run: messages pass through places of a library's shared memory that take turns
    (64 in UCX), and the first ones find them cold, in our program more so, which does more between its blocks.
    """
    by = "midmean"
    at = None if program == "patterns" else 16
    return Twin(mode, program, settings, size, readings, 1, offset=at, blocks=8, source="operations.c", statistic=by)


def probe(
    mode: str, program: str, settings: tuple[str, ...], size: int, batch: int, metric: str = "time", readings: int = 50
) -> Twin:
    """A reading of several steps; an operation begun and waited for is in memory as the allocator gives it."""
    by = "midmean" if readings == READINGS else "median"
    at = 16 if program == "collective-overlap" else None
    return Twin(mode, program, settings, size, readings, batch, metric, offset=at, source="probes.c", statistic=by)


TWINS = (
    Twin("dissemination", "barrier", ("algorithm=dissemination", "ranks=2", "timing=back to back"), 8, 50, 500),
    Twin("doubling", "barrier", ("algorithm=recursive doubling", "ranks=2", "timing=back to back"), 8, 50, 500),
    Twin("dimensions", "barrier", ("algorithm=dimension exchange", "ranks=2", "timing=back to back"), 8, 50, 500),
    Twin("tree", "barrier", ("algorithm=tree", "ranks=2", "timing=back to back"), 8, 50, 500),
    Twin("library", "barrier", ("algorithm=library", "ranks=2", "timing=back to back"), 8, 50, 500),
    Twin("forced", "forced", ("bytes=8", "send=ready"), 8, 50, 500, "round_trip"),
    Twin("rate", "message-rate", ("bytes=8", "pairs=1"), 8, 50, 20),
    Twin("self", "self", ("bytes=8",), 8, 50, 200, blocks=200, ranks=1, seats="1"),
    Twin("token", "ring", ("bytes=8", "scheme=token"), 8, 50, 500),
    Twin("shift", "ring", ("bytes=8", "scheme=shift"), 8, 50, 500),
    Twin("fan-in", "fan-in", ("bytes=8", "neighbours=1"), 8, 50, 50),
    Twin("fan-out", "fan-out", ("bytes=8", "neighbours=1"), 8, 50, 50),
    # the exchange among its loops: what a loop inside it hides depends on which rank happens to be ahead
    Twin("overlap", "overlap", ("bytes=1024",), 1024, 50, 50, "communicating"),
    # three ranks, the third of which only waits for the end, which takes a processor now and then
    Twin("routing-echo", "routing-echo", ("bytes=8", "between=idle"), 8, 400, 1, "round_trip", blocks=24, ranks=3),
    # the rank that loops or receives has a processor, and those that set it going share one
    Twin("spin", "spin", ("bytes=8", "loop=1e-4"), 8, 8, 1, "slowdown", ranks=3, seats="001", less=1),
    Twin("contention", "contention", ("bytes=8192", "load=0"), 8192, 20, 1, ranks=4, seats="0010"),
    # so long that a block of memory comes straight from the kernel, behind the allocator's 16 bytes
    Twin("exchange", "alltoall", ("bytes=1048576",), 1 << 20, 25, 1, "time", 16, 30),
    # two ranks that pass a message to and fro, under other names
    Twin("echo", "patterns", ("pattern=pingpong", "bytes=1024"), 1024, 50, 200, name="pingpong"),
    Twin("echo", "fine-echo", ("bytes=1068",), 1068, 50, 200, "round_trip", name="fine-echo"),
    operation("broadcast", "patterns", ("pattern=broadcast", "bytes=1024"), 1024),
    operation("collect", "patterns", ("pattern=collect", "bytes=1024"), 2048),
    operation("reduction", "patterns", ("pattern=reduction", "bytes=1024"), 1024),
    operation("bisection", "patterns", ("pattern=bisection-regular", "bytes=1024"), 1024),
    operation("neighbour-1d", "patterns", ("pattern=neighbour-1d", "bytes=1024"), 2048),
    # rows of 4,000 B: those of 4,096 B lie in a few sets of a cache, and its time hangs on which pages the kernel gave
    operation("transposition", "patterns", ("pattern=transposition", "bytes=1000000"), 1_000_000, 100),
    operation("library-barrier", "collective", ("operation=barrier", *LIBRARY, "bytes=8"), 8),
    operation("library-broadcast", "collective", ("operation=broadcast", *LIBRARY, "bytes=1024"), 1024),
    operation("library-allreduce", "collective", ("operation=allreduce", *LIBRARY, "bytes=1024"), 1024),
    operation("library-alltoall", "collective", ("operation=alltoall", *LIBRARY, "bytes=1024"), 2048),
    operation("dot-naive", "distributed-dot", ("implementation=naive", "length=2000"), 8000),
    operation("dot-tree", "distributed-dot", ("implementation=tree", "length=2000"), 8000),
    operation("dot-library", "distributed-dot", ("implementation=library", "length=2000"), 8000),
    probe("loggp-gap", "loggp", ("bytes=8",), 8, 50, "gap"),
    probe("loggp-receive", "loggp", ("bytes=8",), 8, 50, "receive_overhead"),
    probe("one-way", "bandwidth", (*STREAM, "directions=1"), 1024, 50),
    probe("both-ways", "bandwidth", (*STREAM, "directions=2"), 1024, 50),
    probe("tournament", "tournament", ("bytes=1024", "trips=20", "passes=25"), 1024, 1),
    probe(
        "begun",
        "collective-overlap",
        ("operation=allreduce", *LIBRARY, "bytes=1024", "calls=0"),
        1024,
        1,
        "communicating",
        READINGS,
    ),
)
