"""Claims about parallel file systems, judged on the described machines' buffers and disks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from assay.machine.published import Claim
from assay.published.cells.answers import Answers
from assay.published.cells.file_twins import CALL, LARGE, SECTION, ipc_rate, rate
from assay.published.judge import Accepted, ClaimPart, accepted, fact, follows, judged
from assay.report.units import human
from assay.validation.claims.claim_kinds import accepted_of, shown, stated, value_of

IO_NODES = {"ipsc860": 10, "delta": 32}
LONG = 4 << 20  # B, of one node of PFS
PRINTED = 32 << 20  # B, of each compute node in the printed test of PFS
SMALLER = (1, 4, 10)  # I/O nodes, of the claim about both machines
HOSTS = {"SCSI disk": "ipsc860:host-disk", "NFS": "ipsc860:host-nfs"}
HOST_FILE = 1 << 20  # B
BLOCKS = (4 << 10, 16 << 10, 64 << 10, 256 << 10)  # B


def _listed(over: Sequence[int], rates: Sequence[float]) -> str:
    return ", ".join(f"{at}: {human(found, 'B/s')}" for at, found in zip(over, rates, strict=True))


def _series(answers: Answers, machine: str, figure: str, over: Sequence[int]) -> list[float]:
    found = [rate(answers, machine, figure, on_ranks=n, call=CALL, section=SECTION) for n in over]
    return [value for value in found if value is not None]


def _trend(machine: str, over: Sequence[int], rates: Sequence[float], direction: str, words: str) -> ClaimPart:
    if len(rates) < len(over):
        return fact(None, f"{machine}: no file system is described")
    return ClaimPart(follows(rates, direction, 0.0), f"{machine}, {words} {_listed(over, rates)}")


def _ratio(one: float | None, other: float | None, wanted: Accepted, words: str) -> ClaimPart:
    """Judge one rate over another; `words` name both as {0} and {1}."""
    if one is None or other is None:
        return fact(None, "no file system is described")
    return judged(one / other, wanted, words.format(human(one, "B/s"), human(other, "B/s")))


def _falls(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """The aggregate rate from as many compute nodes as I/O nodes on."""
    parts = []
    for machine in claim.machines or [claim.machine or ""]:
        over = [IO_NODES[machine] * times for times in (1, 2)]
        rates = _series(answers, machine, "rate_aggregate", over)
        parts.append(_trend(machine, over, rates, "decreasing", f"{IO_NODES[machine]} I/O nodes, by compute nodes:"))
    return parts


def _one_falls(answers: Answers, _: Claim) -> list[ClaimPart]:
    """What each node gets, the more nodes read."""
    over = (1, 2, 8, 32)
    rates = _series(answers, "ipsc860", "rate", over)
    return [_trend("ipsc860", over, rates, "decreasing", "each of so many compute nodes:")]


def _longer_calls(answers: Answers, _: Claim) -> list[ClaimPart]:
    """One node's reading by the length of its calls, and writing with and without preallocation."""
    read = [rate(answers, "ipsc860", on_ranks=1, call=call, section=SECTION) for call in BLOCKS]
    rates = [value for value in read if value is not None]
    parts = [_trend("ipsc860", BLOCKS, rates, "increasing", "one node reading, by bytes per call:")]
    written = {
        beforehand: rate(
            answers, "ipsc860", on_ranks=1, call=CALL, section=SECTION, direction="write", preallocate=beforehand
        )
        for beforehand in ("yes", "no")
    }
    words = "writing: {0} into preallocated space, {1} without"
    return [*parts, _ratio(written["yes"], written["no"], accepted(">", 1.0), words)]


def _same(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """Both machines with as many I/O nodes, and as many compute nodes."""
    parts = []
    for nodes in SMALLER:
        one, other = (
            rate(answers, machine, on_ranks=nodes, io_nodes=nodes, call=CALL, section=SECTION)
            for machine in ("delta", "ipsc860")
        )
        words = f"{nodes} I/O nodes: {{0}} on delta, {{1}} on ipsc860"
        parts.append(_ratio(one, other, accepted_of(claim, "delta"), words))
    return parts


def _scales(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """More I/O nodes; larger blocks; the printed sum of 128 compute nodes, which read the printed 32 MB each."""
    nodes = (16, 32, 64)
    found = [
        rate(
            answers, LARGE, on_ranks=128, io_nodes=n, call=CALL, section=PRINTED, layout="records", direction="read"
        )  # as the printed cell's twin is asked
        for n in nodes
    ]
    by_nodes = [value for value in found if value is not None]
    calls = (CALL, 4 * CALL, 16 * CALL)
    one = [rate(answers, LARGE, on_ranks=1, call=call, section=LONG) for call in calls]
    by_call = [value for value in one if value is not None]
    printed = claim.model_copy(update={"op": "~=", "value": 95, "unit": "MB/s"})
    whole = found[-1]
    words = f"{LARGE}, 32 MB each: {shown(whole, printed)} ({stated(printed, 'paragon-mp')})"
    fitted = ("paragon-mp pfs [metric rate_aggregate]",)
    return [
        judged(whole, accepted_of(printed, "paragon-mp"), words, fitted),
        _trend(LARGE, nodes, by_nodes, "increasing", "128 compute nodes, by I/O nodes:"),
        _trend(LARGE, calls, by_call, "increasing", "one node, by bytes per call:"),
    ]


def _limited_by_ipc(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """The IPC's rate over that of an echo of a megabyte; one node's long reads and writes are below the IPC's rate."""
    ipc = ipc_rate(LARGE)
    mesh = value_of(answers, claim, "paragon-mp", "echo", {"message_MB": 1})
    given = ("paragon-mp norma-ipc",)
    parts = [replace(_ratio(ipc, mesh, accepted("<", claim.value or 0), "IPC {0}, the mesh {1}"), of=given)]
    for way in ("read", "write"):
        own = rate(answers, LARGE, on_ranks=1, call=LONG, section=PRINTED, layout="records", direction=way)
        part = _ratio(own, ipc, accepted("<=", 1.0), f"one node, {way}: {{0}} by {{1}} of the IPC")
        parts.append(replace(part, of=given))
    return parts


def _host_rate(answers: Answers, machine: str) -> float | None:
    return rate(answers, machine, on_ranks=1, call=CALL, section=HOST_FILE)


def _beside_hosts(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """One node reading from the concurrent file system, and the same file at the host: on its disk, and by NFS."""
    own = _host_rate(answers, "ipsc860")
    wanted = accepted_of(claim, "ipsc860")
    return [
        _ratio(own, _host_rate(answers, machine), wanted, f"{{0}}, {{1}} from the host's {words}")
        for words, machine in HOSTS.items()
    ]


def _disk_and_nfs(answers: Answers, claim: Claim) -> list[ClaimPart]:
    """The host's own disk against what it mounts."""
    disk, nfs = (_host_rate(answers, machine) for machine in HOSTS.values())
    return [_ratio(disk, nfs, accepted_of(claim, "ipsc860"), "{0} from the disk, {1} by NFS")]


JUDGES: dict[str, Callable[[Answers, Claim], list[ClaimPart]]] = {
    "d91h.cfs-single-node-falls": _one_falls,
    "d91h.cfs-aggregate-falls": _falls,
    "d91h.cfs-block-size": _longer_calls,
    "d91d.cfs-same": _same,
    "d91d.cfs-falls": _falls,
    "d95p.ipc-limits-io": _limited_by_ipc,
    "d95p.pfs-scales": _scales,
    "d91h.cfs-vs-host-file": _beside_hosts,
    "d91h.local-disk-vs-nfs": _disk_and_nfs,
}
