"""The row: one observation; and how the lines that programs write become rows.

A program appends JSON lines (events launch, block, check, note, done). A block holds many observations that share
their circumstances: `folded()` reads it as it is, `unfolded()` gives its rows. Values are in SI base units: the
metric's unit an operation.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypedDict, TypeVar

from assay import remarks
from assay.case import Case, ParameterValue
from assay.program_lines import BlockAccounting, BlockEvent, CheckEvent, DoneEvent, LaunchEvent, ProgramEvent
from assay.remarks import Remark


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
    factors: dict[str, ParameterValue] = field(default_factory=dict)  # what was varied from outside: part of every case
    superseded: bool = False  # done again, or not as requested: its samples stay, its launch does not count


@dataclass(frozen=True, slots=True)
class Sample:
    """One observation.

    `value` in `unit` (SI) per operation; `batch` operations one reading of the clock covered (method.md, rule 6);
    `first` marks the first call, stored and never averaged in (rule 8); `case` becomes text in tables.
    """

    run: str
    benchmark: str
    part: str
    machine: str
    metric: str
    case: Case
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
    case: Case
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
    waited: float | None = None
    energy_package: float | None = None
    energy_memory: float | None = None
    energy_platform: float | None = None
    energy_source: str | None = None


# Columns that a table has only where some row has a value, as hosts, kernels and versions differ in what they show.
WAITED = ("waited",)  # of a block: kernels that count it
REMARKS = ("remarks",)  # of a launch
PROCESSOR_TIME = ("user_seconds", "system_seconds")  # of a launch
# of a block: joules of whole packages, of memory and of the platform between t0 and t1, and who counted them
ENERGY = ("energy_package", "energy_memory", "energy_platform", "energy_source")
OPTIONAL = (("blocks", ENERGY), ("blocks", WAITED), ("launches", PROCESSOR_TIME), ("launches", REMARKS))
# the kernel's accounts of a block, where available: fields of Block
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
    "waited",
)


@dataclass(frozen=True, slots=True)
class Check:
    """The result of a program's own verification of one case."""

    run: str
    benchmark: str
    machine: str
    case: Case
    allocation: int
    launch: int
    attempt: int
    host: str
    passed: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Launch:
    """One fresh process or mpiexec: the replicate (method.md, rule 1). `complete` is False where it was cut short."""

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
    reference_before: float | None = None  # s, a fixed piece of work timed as the launch began
    reference_after: float | None = None  # s, the same as it ended
    user_seconds: float | None = None  # of all its processes, as they ended by themselves
    system_seconds: float | None = None  # the same, in the kernel for them
    remarks: str | None = None  # its typed events, which decide, as JSON (remarks.py); texts for people are in notes


@dataclass(frozen=True, slots=True)
class Measured:
    """One block as its program wrote it: what its samples share, the first call, the values in order of time."""

    block: Block
    first: float | None
    values: list[float]
    cache: str | None
    seed: int


Row = Sample | Block | Check | Launch
UNKNOWN: LaunchEvent = {"event": "launch"}  # of a file whose first line was lost


def unfolded(of: Iterable[Measured | Check | Launch], about: Circumstance) -> Iterator[Row]:
    """Give the rows of what was read of one task: of a block all its samples, then the block."""
    for each in of:
        if isinstance(each, Measured):
            yield from _samples(each, about)
            yield each.block
        else:
            yield each


def folded(
    lines: Iterable[ProgramEvent], about: Circumstance, complain: Callable[[int, str], None] | None = None
) -> Iterator[Measured | Check | Launch]:
    """Read one task's events. Several hosts may have written into one file: a line names its `host`.

    A line with impossible values (a NaN, text for a number, a key that is missing) gives no row: `complain` is called
    with its place in `lines`, from 0, and what is wrong. Kinds of lines that are not known are of a newer Assay.
    """
    launches: dict[str, LaunchEvent] = {}
    notes: dict[str, list[str]] = {}
    reported: dict[str, list[Remark]] = {}
    done: dict[str, DoneEvent] = {}
    only = ""
    for place, event in enumerate(lines):
        if "event" not in event:
            continue
        try:
            host = str(event.get("host") or only)
            if event["event"] == "launch":
                placement = event.get("placement") or [{}]
                host = str(event.get("host") or placement[0].get("host") or "")
                _launch(event, about, host, None, [])  # for what it would complain of
                only = only or host
                launches[host] = event
            elif event["event"] == "block":
                yield _measured(event, about, host, launches.get(host, UNKNOWN).get("seed", 0))
            elif event["event"] == "check":
                yield _check(event, about, host)
            elif event["event"] == "note":
                text = str(event.get("text", ""))
                _text("text", text)
                notes.setdefault(host, []).append(text)
                older = launches.get(host, UNKNOWN).get("version", 0) < remarks.SINCE
                if older and (remark := remarks.from_note(text)) is not None:
                    reported.setdefault(host, []).append(remark)
            elif (remark := remarks.of_event(event)) is not None:
                _text("text", remark.text)
                reported.setdefault(host, []).append(remark)
                if str(remark) not in notes.setdefault(host, []):
                    notes[host].append(str(remark))
            elif event["event"] == "done":
                done[host] = {"event": "done"}
                _launch(launches.get(host, UNKNOWN), about, host, event, [])  # the same
                done[host] = event
        except (ValueError, TypeError, AttributeError, LookupError, OverflowError, RecursionError) as error:
            if complain is not None:
                missing = f"{error.args[0]}: is missing" if isinstance(error, KeyError) else str(error)
                complain(place, f"event {str(event.get('event'))!r}: {missing}")
    for host, event in launches.items():
        yield _launch(event, about, host, done.get(host), notes.get(host, []), reported.get(host, []))


def _measured(event: BlockEvent, about: Circumstance, host: str, seed: int) -> Measured:
    accounting: BlockAccounting = event.get("accounting") or {}
    begun = event.get("t0", 0.0)
    values, first = event["values"], event.get("first")
    block = Block(
        run=about.run,
        benchmark=about.benchmark,
        machine=about.machine,
        metric=event["metric"],
        case=case_of(event, about),
        allocation=about.allocation,
        launch=about.launch,
        attempt=about.attempt,
        block=event.get("block", 0),
        order=event.get("order", 0),
        batch=event.get("batch", 1),
        samples=len(values),
        ended=str(event.get("ended", "")),
        host=host,
        t0=begun,
        t1=event.get("t1", begun),
        steal=accounting.get("steal"),
        others=accounting.get("others"),
        own=accounting.get("own"),
        wall=accounting.get("wall"),
        involuntary=accounting.get("involuntary"),
        voluntary=accounting.get("voluntary"),
        minor_faults=accounting.get("minor_faults"),
        major_faults=accounting.get("major_faults"),
        frequency=accounting.get("frequency"),
        waited=accounting.get("waited"),
        energy_package=accounting.get("energy_package"),
        energy_memory=accounting.get("energy_memory"),
        energy_platform=accounting.get("energy_platform"),
        energy_source=accounting.get("energy_source"),
    )
    made = Measured(
        _sound(block),
        first=None if first is None else _real("first", first),
        values=_reals("values", values),
        cache=event.get("cache"),
        seed=seed,
    )
    if block.batch < 1:
        raise ValueError(f"batch: got {block.batch}, expected 1 or more")
    if made.cache is not None:
        _text("cache", made.cache)
    return made


def _check(event: CheckEvent, about: Circumstance, host: str) -> Check:
    return _sound(
        Check(
            run=about.run,
            benchmark=about.benchmark,
            machine=about.machine,
            case=case_of(event, about),
            allocation=about.allocation,
            launch=about.launch,
            attempt=about.attempt,
            host=host,
            passed=event["passed"],
            detail=str(event.get("detail", "")),
        )
    )


def case_of(event: Mapping[str, object], about: Circumstance) -> Case:
    """Return the case, sorted by name.

    ValueError where a parameter is neither a finite number nor text, true, false or null.
    """
    stated = event.get("case", {})
    if not isinstance(stated, dict):
        raise ValueError(f"case: got {str(stated)[:40]!r}, expected an object")
    case = stated | about.factors
    _parameters("case", case)
    return Case({name: case[name] for name in sorted(case)})


def _parameters(key: str, case: Mapping[str, object]) -> None:
    for name, value in case.items():
        _text(key, name)
        if isinstance(value, str):
            _text(f"{key}.{name}", value)
        elif value is not None and not isinstance(value, bool):
            _real(f"{key}.{name}", value)


def _real(key: str, value: Any) -> float:
    most = _MOST_WHOLE if type(value) is int else _MOST_REAL
    if type(value) not in (int, float) or not (value == 0 or 1 / _MOST_REAL <= abs(value) <= most):
        raise ValueError(f"{key}: got {value!r}, expected a finite number")
    return float(value)


def _reals(key: str, values: Any) -> list[float]:
    if not isinstance(values, list):
        raise ValueError(f"{key}: got {values!r}, expected a list of numbers")
    if set(map(type, values)) <= {float} and all(map(math.isfinite, values)):  # as nearly always
        sizes = list(filter(None, map(abs, values)))
        if not sizes or (min(sizes) >= 1 / _MOST_REAL and max(sizes) <= _MOST_REAL):
            return values
    return [_real(key, value) for value in values]


def _text(key: str, value: object) -> None:
    """Refuse what is no text, and text that holds half a surrogate, which no table and no page can hold."""
    if not isinstance(value, str):
        raise ValueError(f"{key}: got {value!r}, expected text")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{key}: got {value!r}, expected Unicode text") from None


_MOST_REAL = 1e75  # far beyond any unit's: also squares, products and quotients of what passes are numbers
_MOST_WHOLE = 2**62  # fits a column, also after adding a few


def fault(row: Row | Circumstance) -> str | None:
    """The column of a row, or key of a circumstance, with an impossible value; None where all is well."""
    for column in fields(row):
        value = getattr(row, column.name)
        kind, _, optional = str(column.type).partition(" | ")
        if value is None and optional:
            continue
        try:
            if kind == "str":
                _text(column.name, value)
            elif kind == "float":
                _real(column.name, value)
            elif kind == "bool" and type(value) is not bool:
                raise ValueError(f"{column.name}: got {value!r}, expected true or false")
            elif kind == "int" and (type(value) is not int or abs(value) > _MOST_WHOLE):
                raise ValueError(f"{column.name}: got {value!r}, expected a whole number")
            elif kind.startswith("dict"):
                if not isinstance(value, dict):
                    raise ValueError(f"{column.name}: got {value!r}, expected an object")
                _parameters(column.name, value)
        except ValueError as error:
            return str(error)
    return None


_Kind = TypeVar("_Kind", Block, Check, Launch)


def _sound(row: _Kind) -> _Kind:
    wrong = fault(row)
    if wrong:
        raise ValueError(wrong)
    return row


class OfBlock(TypedDict):
    """What the samples of a block have in common: the fields of `Sample` but its value and repetition."""

    run: str
    benchmark: str
    part: str
    machine: str
    metric: str
    case: Case
    batch: int
    allocation: int
    launch: int
    attempt: int
    block: int
    order: int
    first: bool
    cache: str | None
    host: str
    t: float
    seed: int
    provenance: str


def shared(measured: Measured, about: Circumstance, first: bool) -> OfBlock:
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


def _launch(
    event: LaunchEvent,
    about: Circumstance,
    host: str,
    done: DoneEvent | None,
    notes: list[str],
    reported: Sequence[Remark] = (),
) -> Launch:
    ranks = event.get("ranks", 1)
    made = Launch(
        run=about.run,
        benchmark=about.benchmark,
        part=about.part,
        machine=about.machine,
        allocation=about.allocation,
        launch=about.launch,
        attempt=about.attempt,
        complete=done is not None and not about.superseded,
        seed=event.get("seed", 0),
        t=event.get("t"),
        ranks=ranks,
        host=host,
        placement=json.dumps(event.get("placement", []), allow_nan=False),
        transport=event.get("transport"),
        compiler=event.get("compiler"),
        flags=event.get("flags"),
        library=event.get("library"),
        clock=json.dumps(event.get("clock"), allow_nan=False),
        notes=json.dumps(notes),
        provenance=about.provenance,
        reference_before=event.get("reference"),
        reference_after=None if done is None else done.get("reference"),
        user_seconds=None if done is None else done.get("user"),
        system_seconds=None if done is None else done.get("system"),
        remarks=remarks.written(reported),
    )
    _placed(event.get("placement") or [])
    if type(ranks) is int and ranks < 1:
        raise ValueError(f"ranks: got {ranks}, expected 1 or more")
    return _sound(made)


def _placed(placement: Any) -> None:
    """Refuse a placement that is not a list of ranks, each with its host and the processors that it may use."""
    for rank in placement if isinstance(placement, list) else [placement]:
        if not isinstance(rank, dict):
            raise ValueError(f"placement: got {rank!r}, expected an object for each rank")
        cpus = rank.get("cpus") or []
        if not isinstance(cpus, list) or not all(type(cpu) is int for cpu in cpus):
            raise ValueError(f"placement.cpus: got {cpus!r}, expected a list of whole numbers")
        for key, kinds in (("host", str), ("rank", int), ("cpu", int)):
            if not isinstance(rank.get(key), kinds | None):
                raise ValueError(f"placement.{key}: got {rank[key]!r}, expected {kinds.__name__}")


def columns(kind: type[Row]) -> list[str]:
    """Return the names of a table's columns, in order."""
    return list(kind.__dataclass_fields__)
