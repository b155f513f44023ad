"""Plays a node program on a described machine: the same lines as a real launch, with times of its node model.

The record's [described] defines it: which kernel's rate of [compute] each case takes, and each metric as a formula of
`unit` (seconds of a unit of work, all threads together), `own` (seconds of a unit in one thread), the case's
parameters and the record's constants; of a program without a kernel as one of `node_memory` (bytes of a node). A
description's [defaults] are lengths of messages, which none of these takes. Nothing is computed, so nothing is
checked; the notes name the basis of each rate; what the description does not have is skipped by name.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence

from assay import versions
from assay.benchmark.formula import evaluate
from assay.benchmark.record import Benchmark
from assay.benchmark.resolved import cases
from assay.benchmark.sections import Described
from assay.case import Parameters, ParameterValue
from assay.described.machine_file import DescribedMachine
from assay.described.node_model import NodeKernel, node_kernel
from assay.errors import MeasurementError
from assay.execute.job import Job, Outcome
from assay.program_lines import BlockAccounting, BlockEvent, ProgramEvent
from assay.stored.seal import sealed_lines

MetricOfCase = tuple[str, dict[str, ParameterValue], float]  # the metric, the labelled case, its value
ONE = {"processors": (1,)}
NO_ACCOUNT: BlockAccounting = {
    "steal": 0, "others": 0, "own": 0, "involuntary": 0, "voluntary": 0, "minor_faults": 0, "major_faults": 0,
}  # fmt: skip


def describes(machine: DescribedMachine, record: Benchmark) -> bool:
    """Whether the description gives the speed of some case of this node program, without settings."""
    if record.described is None:
        return False
    return any(_case(machine, record, case, 1)[1] for case in cases(record, (), {}, ONE))


def simulate_node(machine: DescribedMachine, record: Benchmark, job: Job) -> Outcome:
    """Append the program's lines to `job.out`. InputError for settings that the record does not accept."""
    began = time.process_time()
    lines = sealed_lines(json.dumps(event, separators=(",", ":")) for event in events(machine, record, job.command[1:]))
    try:
        with job.out.open("a", encoding="utf-8") as file:
            file.write(lines)
    except OSError as error:
        raise MeasurementError(f"{job.out}: cannot write: {error.strerror}") from None
    return Outcome(
        status=0,
        reason=None,
        seconds=time.process_time() - began,
        command=job.command,
        hosts=(machine.name,),
        channel="the description's node model",
    )


def events(machine: DescribedMachine, record: Benchmark, arguments: Sequence[str]) -> Iterator[ProgramEvent]:
    """The events of a launch with a task's words."""
    at = time.time()
    threads = 1 if machine.node is None else machine.node.threads or machine.node.processors
    yield {
        "event": "launch",
        "version": versions.LAUNCH.version,
        "program": record.name,
        "launch": 0,
        "seed": 0,
        "t": at,
        "host": machine.name,
        "pid": 0,
        "cpus": [],
        "compiler": "",
        "flags": "",
        "library": None,
        "clock": {"name": "simulated", "resolution": 1e-12, "overhead": 0},
    }
    noted: set[tuple[str, str]] = set()
    order = 0
    words = {"processors": _counts(threads)}
    for case in cases(record, arguments, {}, words):
        reports, found = _case(machine, record, case, threads)
        for kind, text in reports:
            if (kind, text) not in noted:
                noted.add((kind, text))
                yield {"event": "note", "text": text} if kind == "note" else {"event": "skip", "text": text}
        for metric, of, value in found:
            yield _block(of, metric, value, order, at)
        order += bool(found)
    yield {"event": "done"}


def _case(
    machine: DescribedMachine, record: Benchmark, case: Parameters, threads: int
) -> tuple[list[tuple[str, str]], list[MetricOfCase]]:
    """A case's remarks by kind of event, and its metrics' values, each with the labelled case."""
    plays = record.described or Described()
    for name, played in plays.only.items():
        if case[name] not in played:
            return [("skip", f"not described: {name}={case[name]}")], []
    at_work = int(case.get("threads", 1))
    if at_work > threads:
        return [("skip", f"threads={at_work}: a node of {machine.name} has {threads}")], []
    names = {**record.constants(case), **case}
    if plays.kernel is None:
        return _of_memory(machine, plays, names)
    kernel = kernel_of(plays, case)
    memory = _number(plays.memory, names)
    if plays.cached is not None and all(case[key] == value for key, value in plays.cached.items()):
        memory = 0.0
    found = node_kernel(machine, kernel, memory)
    if isinstance(found, str):
        return [("skip", f"not described by {machine.name}: {kernel}: no {found}")], []
    rate = found.rate(at_work, _number(plays.length, names))
    names |= {"unit": 1 / rate, "own": at_work / rate}
    values: list[MetricOfCase] = []
    for metric, formula in plays.metric.items():
        value = evaluate(formula, names)
        if value is None:
            continue
        shares = record.shares
        labelled = [shares.each] if shares is not None and shares.each and metric in shares.parts else []
        for label in labelled:
            values += [(metric, {**case, label: thread}, value) for thread in range(at_work)]
        if not labelled:
            values.append((metric, dict(case), value))
    return [("note", _rests_on(machine, kernel, found))], values


def _of_memory(
    machine: DescribedMachine, plays: Described, case: Parameters
) -> tuple[list[tuple[str, str]], list[MetricOfCase]]:
    """The same for a program without a kernel, which needs the node's memory alone."""
    memory = None if machine.node is None else machine.node.memory
    if not memory:
        return [("skip", f"not described by {machine.name}: no node.memory")], []
    names = {**case, "node_memory": memory}
    found = [(metric, evaluate(formula, names)) for metric, formula in plays.metric.items()]
    note = f"by the description's node.memory ({_origin(machine, 'node.memory')})"
    return [("note", note)], [(metric, dict(case), value) for metric, value in found if value is not None]


def _rests_on(machine: DescribedMachine, kernel: str, found: NodeKernel) -> str:
    """By which keys a kernel's rate was computed, each with its origin."""
    stated = [f"{key} ({where})" if (where := _origin(machine, key)) else key for key in dict.fromkeys(found.keys)]
    return f"{kernel}: by the description's {'; '.join(stated)}"


def _origin(machine: DescribedMachine, key: str) -> str:
    """Where a key's number is from, or those of the table around it; without the cells that it used."""
    while key not in machine.origin and "." in key:
        key = key.rpartition(".")[0]
    return machine.origin.get(key, "").partition("; used:")[0]


def kernel_of(plays: Described, case: Parameters) -> str:
    """The kernel whose rate a case takes: [described] kernel, with parameters in braces; `named` translates it."""
    name = (plays.kernel or "").format_map(case)
    return plays.named.get(name, name)


def _number(formula: str | None, names: Parameters) -> float | None:
    return None if formula is None else evaluate(formula, names)


def _block(case: dict[str, ParameterValue], metric: str, value: float, order: int, at: float) -> BlockEvent:
    return {
        "event": "block",
        "case": case,
        "metric": metric,
        "block": 0,
        "order": order,
        "batch": 1,
        "first": None,
        "values": [value],
        "ended": "repetitions done",
        "t0": at,
        "t1": at,
        "cache": "as described",
        "accounting": {**NO_ACCOUNT, "wall": 0, "frequency": None},
    }


def _counts(threads: int) -> tuple[int, ...]:
    """The counts of threads that `processors` names: 1, 2, 3, 4, 8 … and all, as programs/threads/parameters.hpp."""
    counts, count = [], 1
    while count < threads:
        counts.append(count)
        count = 3 if count == 2 else 4 if count == 3 else 2 * count
    return (*counts, threads)
