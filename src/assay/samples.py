"""THE row: one observation, whoever made it; and how the lines that programs write become rows.

A program appends JSON lines (events launch, block, check, note, done). A block holds many observations that share
their circumstances: `folded()` reads it as it is, `rows()` unfolds it. Values are in SI base units: the metric's unit
an operation.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Circumstance:
    """What the lines of one task's file have in common; Assay knows it, the program need not."""

    run: str
    benchmark: str
    part: str
    machine: str
    allocation: int
    launch: int
    attempt: int
    provenance: str
    factors: dict[str, Any] = field(default_factory=dict)  # what was varied from outside: part of every case
    superseded: bool = False  # done again, or not what was asked for: its samples are kept, its launch does not count


@dataclass(frozen=True, slots=True)
class Sample:
    """One observation.

    `value` in `unit` (SI) an operation; `batch` operations one reading of the clock covered (METHOD, rule 6); `first`
    marks the first call, which is kept and never averaged in (rule 8); `case` is the JSON text of the parameters.
    """

    run: str
    benchmark: str
    part: str
    machine: str
    metric: str
    case: str
    value: float
    batch: int
    allocation: int
    launch: int
    attempt: int
    block: int
    repetition: int
    order: int
    first: bool
    cache: str | None
    host: str
    t: float
    seed: int
    provenance: str


@dataclass(frozen=True, slots=True)
class Block:
    """The circumstances that one block's samples share: what else happened on the host between `t0` and `t1`."""

    run: str
    benchmark: str
    machine: str
    metric: str
    case: str
    allocation: int
    launch: int
    attempt: int
    block: int
    order: int
    batch: int
    samples: int
    ended: str
    host: str
    t0: float
    t1: float
    steal: float | None
    others: float | None
    own: float | None
    wall: float | None
    involuntary: int | None
    voluntary: int | None
    minor_faults: int | None
    major_faults: int | None
    frequency: float | None


# what the kernel accounted to a block, where it says: the last fields of Block
ACCOUNTING = (
    "steal",
    "others",
    "own",
    "wall",
    "involuntary",
    "voluntary",
    "minor_faults",
    "major_faults",
    "frequency",
)


@dataclass(frozen=True, slots=True)
class Check:
    """What a program's own verification said of one case."""

    run: str
    benchmark: str
    machine: str
    case: str
    allocation: int
    launch: int
    attempt: int
    host: str
    passed: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Launch:
    """One fresh process or mpiexec: the replicate (METHOD, rule 1). `complete` is False where it was cut short."""

    run: str
    benchmark: str
    part: str
    machine: str
    allocation: int
    launch: int
    attempt: int
    complete: bool
    seed: int
    t: float | None
    ranks: int
    host: str
    placement: str
    transport: str | None
    compiler: str | None
    flags: str | None
    library: str | None
    clock: str
    notes: str
    provenance: str


@dataclass(frozen=True, slots=True)
class Measured:
    """One block as its program wrote it: what its samples share, the first call apart, the values in order of time."""

    block: Block
    first: float | None
    values: list[float]
    cache: str | None
    seed: int


Row = Sample | Block | Check | Launch


def case_text(case: dict[str, Any]) -> str:
    """Return the parameters of a case as one canonical text: the key by which cases are compared."""
    return json.dumps(case, sort_keys=True, separators=(",", ":"))


def events(path: Path) -> Iterator[dict[str, Any]]:
    """Read a program's lines; a last line cut short by a kill is passed over, for it was never finished."""
    if not path.is_file():
        return
    with path.open("rb") as lines:
        for line in lines:
            if not line.endswith(b"\n"):
                return
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if isinstance(event, dict):
                yield event


def rows(lines: Iterable[dict[str, Any]], about: Circumstance) -> Iterator[Row]:
    """Unfold one task's events into rows."""
    for each in folded(lines, about):
        if isinstance(each, Measured):
            yield from _samples(each, about)
            yield each.block
        else:
            yield each


def folded(lines: Iterable[dict[str, Any]], about: Circumstance) -> Iterator[Measured | Check | Launch]:
    """Read one task's events. Several hosts may have written into one file: a line names its `host`."""
    launches: dict[str, dict[str, Any]] = {}
    notes: dict[str, list[str]] = {}
    done: set[str] = set()
    only = ""
    for event in lines:
        kind = event.get("event")
        host = str(event.get("host") or only)
        if kind == "launch":
            placement = event.get("placement") or [{}]
            host = str(event.get("host") or placement[0].get("host") or "")
            only = only or host
            launches[host] = event
        elif kind == "block":
            seed = int(launches.get(host, {}).get("seed", 0))
            yield _measured(event, about, host, seed)
        elif kind == "check":
            yield Check(
                about.run,
                about.benchmark,
                about.machine,
                case_text(event.get("case", {}) | about.factors),
                about.allocation,
                about.launch,
                about.attempt,
                host,
                bool(event["passed"]),
                str(event.get("detail", "")),
            )
        elif kind == "note":
            notes.setdefault(host, []).append(str(event.get("text", "")))
        elif kind == "done":
            done.add(host)
    for host, event in launches.items():
        yield _launch(event, about, host, host in done and not about.superseded, notes.get(host, []))


def _measured(event: dict[str, Any], about: Circumstance, host: str, seed: int) -> Measured:
    accounting = event.get("accounting") or {}
    begun = float(event.get("t0", 0.0))
    block = Block(
        run=about.run,
        benchmark=about.benchmark,
        machine=about.machine,
        metric=event["metric"],
        case=case_text(event.get("case", {}) | about.factors),
        allocation=about.allocation,
        launch=about.launch,
        attempt=about.attempt,
        block=int(event.get("block", 0)),
        order=int(event.get("order", 0)),
        batch=int(event.get("batch", 1)),
        samples=len(event["values"]),
        ended=str(event.get("ended", "")),
        host=host,
        t0=begun,
        t1=float(event.get("t1", begun)),
        **{key: accounting.get(key) for key in ACCOUNTING},
    )
    first = event.get("first")
    return Measured(
        block,
        first=None if first is None else float(first),
        values=[float(value) for value in event["values"]],
        cache=event.get("cache"),
        seed=seed,
    )


def shared(measured: Measured, about: Circumstance, first: bool) -> dict[str, Any]:
    """Give what the samples of a block have in common, or what its first call has: all but value and repetition."""
    block = measured.block
    return {
        "run": about.run,
        "benchmark": about.benchmark,
        "part": about.part,
        "machine": about.machine,
        "metric": block.metric,
        "case": block.case,
        "batch": 1 if first else block.batch,
        "allocation": about.allocation,
        "launch": about.launch,
        "attempt": about.attempt,
        "block": block.block,
        "order": block.order,
        "first": first,
        "cache": measured.cache,
        "host": block.host,
        "t": block.t0,
        "seed": measured.seed,
        "provenance": about.provenance,
    }


def _samples(measured: Measured, about: Circumstance) -> Iterator[Sample]:
    if measured.first is not None:
        yield Sample(value=measured.first, repetition=-1, **shared(measured, about, True))
    alike = shared(measured, about, False)
    for repetition, value in enumerate(measured.values):
        yield Sample(value=value, repetition=repetition, **alike)


def _launch(event: dict[str, Any], about: Circumstance, host: str, complete: bool, notes: list[str]) -> Launch:
    return Launch(
        run=about.run,
        benchmark=about.benchmark,
        part=about.part,
        machine=about.machine,
        allocation=about.allocation,
        launch=about.launch,
        attempt=about.attempt,
        complete=complete,
        seed=int(event.get("seed", 0)),
        t=event.get("t"),
        ranks=int(event.get("ranks", 1)),
        host=host,
        placement=json.dumps(event.get("placement", [])),
        transport=event.get("transport"),
        compiler=event.get("compiler"),
        flags=event.get("flags"),
        library=event.get("library"),
        clock=json.dumps(event.get("clock")),
        notes=json.dumps(notes),
        provenance=about.provenance,
    )


def columns(kind: type[Row]) -> list[str]:
    """Return the names of a table's columns, in order."""
    return list(kind.__dataclass_fields__)
