"""Runs a message-passing program on a described machine, in this process: the same JSON lines as a real launch.

Nothing is launched, so there is no placement to verify; what can go wrong is the input (InputError), the data that a
program checks (status 1 of the outcome), or the program itself (MeasurementError, a deadlock with who waits for whom).
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay import output_file
from assay.benchmark.record import Benchmark, programs_root
from assay.benchmark.resolved import program_words
from assay.case import Case
from assay.described.machine_file import CoreMachine, DescribedMachine, processors_of
from assay.described.placed import WAYS, nodes_filled, nodes_for
from assay.described.shipped import per_node
from assay.described.timeline import Log, of_ranks, write_matrix, write_timeline
from assay.errors import InputError, MeasurementError
from assay.execute.checks import failed_checks
from assay.execute.job import Job, Outcome
from assay.network.refused import core_refusal
from assay.stored.seal import sealed_lines

if TYPE_CHECKING:
    from assay._core.ranks import Launch

DEFAULT_RANKS = 2
SHOWN = 16  # nodes in a note
MOST_WAITING = 8  # ranks of a deadlock that are named
LENGTHS = ("bytes", "length")


def simulate(
    description: DescribedMachine,
    benchmark: Benchmark,
    job: Job,
    timeline: str | None = None,
    matrix: str | None = None,
    placement: tuple[str, int] | None = None,
    verify: bool = False,
    goal: str | None = None,
) -> Outcome:
    """Play `benchmark` on the machine, with `job.ranks` ranks (two unless given), `job.ppn` of them
    per node (as the description has it unless given), and append its lines to `job.out`.

    `job.command` is the program's name and the task's words, which are resolved here against its record. Time does not
    pass for the program, so `job.timeout` is not used; `seconds` of the outcome is this process's own time. `timeline`
    and `matrix`: files for what happened (`assay.described.timeline`). `placement`: where ranks are if not in
    order from node 0 on, and the seed of what is drawn (`assay.described.placed`). `verify`: compute
    and check with data, whatever that takes. `goal`: file for the first operation as a GOAL schedule.
    """
    began = time.process_time()
    played = play(
        description,
        benchmark,
        job.command[1:],
        job.ranks,
        job.ppn,
        timeline=timeline,
        matrix=matrix,
        placement=placement,
        verify=verify,
        goal=goal,
    )
    try:
        with job.out.open("a", encoding="utf-8") as file:
            file.write(sealed_lines(played.lines()))
    except OSError as error:
        raise MeasurementError(f"{job.out}: cannot write: {error.strerror}") from None
    played.require_end(f"{benchmark.name} on {description.name}")
    failed = played.failed()
    return Outcome(
        status=1 if failed else 0,
        reason=failed_checks(failed) if failed else None,
        seconds=time.process_time() - began,
        command=job.command,
        hosts=(description.name,),
        channel="simulated in this process",
    )


@dataclass(frozen=True)
class PlayedLaunch:
    """What a program gave: the core's launch, and events that this process adds.

    `opening`: after the first line; `ending`: after all; `closing`: before the last line of these.
    """

    launch: Launch
    opening: Sequence[Mapping[str, object]]
    closing: Sequence[Mapping[str, object]]
    ending: Sequence[Mapping[str, object]]

    def lines(self) -> list[str]:
        """The lines of the launch's file."""
        lines: list[str] = self.launch.lines.splitlines()
        first, *between, last = [*lines, *map(_line, self.ending)]
        return [first, *map(_line, self.opening), *between, *map(_line, self.closing), last]

    def failed(self) -> list[dict[str, object]]:
        """The checks that failed, as their events have them."""
        return [{"case": json.loads(case), "detail": detail} for case, detail in self.launch.failed]

    def require_end(self, what: str) -> None:
        """MeasurementError about `what` where its ranks wait forever."""
        if not self.launch.waiting:
            return
        message, failed = deadlock(self.launch.stopped, self.launch.waiting), self.failed()
        raise MeasurementError(f"{what}: {failed_checks(failed, message) if failed else message}")

    def observations(self, host: str) -> Iterator[tuple[str, Case, str, int, list[float], int, bool]]:
        """Of each block its first call and its others: metric, case, host, launch, values, batch, whether the first."""
        blocks = self.launch.blocks
        cases = {text: Case(json.loads(text)) for text in set(blocks["case"])}
        begin = 0
        columns = (blocks[key] for key in ("metric", "case", "batch", "first", "ends"))
        for metric, case, batch, first, end in zip(*columns, strict=True):
            if not math.isnan(first):
                yield metric, cases[case], host, 0, [float(first)], 1, True
            yield metric, cases[case], host, 0, blocks["values"][begin:end].tolist(), int(batch), False
            begin = end


def play(
    description: DescribedMachine,
    benchmark: Benchmark,
    arguments: Sequence[str],
    ranks: int | None,
    ppn: int | None,
    *,
    timeline: str | None = None,
    matrix: str | None = None,
    placement: tuple[str, int] | None = None,
    verify: bool = False,
    goal: str | None = None,
) -> PlayedLaunch:
    """The same without a file of its lines. A deadlock and checks that failed are results.

    `arguments`: a task's words. InputError and MeasurementError for what else goes wrong.
    """
    from assay._core import ranks as core

    require(benchmark)
    ranks = ranks or DEFAULT_RANKS
    machine = description.for_core(per_node(description, ranks, ppn))
    defaults = description.parameter_defaults()
    # A machine's own lengths are those of the papers' messages, and none of calls to files.
    if benchmark.part == "files":
        defaults = {name: text for name, text in defaults.items() if name not in LENGTHS}
    words = program_words(benchmark, arguments, simulated=True, defaults=defaults)
    given = (benchmark.name, machine, ranks, [*words, *(["--verify"] if verify else [])])
    log = None
    logged = timeline is not None or matrix is not None
    per = processors_of(machine)
    nodes: list[int] | None = None
    opening: list[Mapping[str, object]] = []
    closing: list[Mapping[str, object]] = []
    ending: list[Mapping[str, object]] = []

    def on() -> list[int]:
        """Each rank's node: made on first use, as a million of them are 40 MB."""
        return [rank // per if nodes is None else nodes[rank // per] for rank in range(ranks)]

    try:
        if placement is not None:
            way, seed = placement
            nodes = nodes_for(description, way, nodes_filled(description, ranks, ppn), seed)
            places = [node * per + rank % per for rank, node in enumerate(on())]
            launch, log, ending = _placed(*given, places, logged=logged)
            where = f"placed on nodes {_shown(nodes)}" + (f" ({way})" if way in WAYS else "")
            opening.append({"event": "placed", "text": where})
        elif logged:
            launch, log = core.logged(*given)
        else:
            launch = core.play(*given)
        if goal is not None:
            _write_goal(Path(goal), description.name, given)
    except ValueError as error:
        if core_refusal(error) is not None:
            raise description.refused(error) from None
        raise InputError(str(error), key=f"{benchmark.name} on {description.name}") from None
    except (RuntimeError, IndexError, MemoryError) as error:  # IndexError: a rank or tag that does not exist
        raise MeasurementError(f"{benchmark.name} on {description.name}: {error or 'out of memory'}") from None
    if log is not None and timeline is not None:
        write_timeline(Path(timeline), log, on())
    if log is not None and matrix is not None:
        write_matrix(Path(matrix), log, on())
    processors = 1 if description.node is None else description.node.processors
    used = {"ranks": ranks, "nodes": -(-ranks // per), "per_node": min(per, ranks), "processors": processors}
    opening.insert(0, {"event": "nodes", **used})
    if benchmark.pairs:
        from assay.described.ways import pairs_event

        closing.append(pairs_event(description, on()))
    return PlayedLaunch(launch, opening, closing, ending)


def _write_goal(path: Path, machine: str, given: tuple[str, CoreMachine, int, list[str]]) -> None:
    """Write the first operation that a program measures as a GOAL schedule."""
    from assay._core import ranks as core

    try:
        text = core.schedule(*given)
    except RuntimeError as error:
        problem = f"{given[0]} on {machine} is no GOAL schedule, which does not have {error}"
        raise InputError(problem, key="--goal") from None
    output_file.write_text(path, text)


def _placed(
    program: str, machine: CoreMachine, ranks: int, words: list[str], places: list[int], *, logged: bool
) -> tuple[Launch, Log | None, list[Mapping[str, object]]]:
    """As the core's play, or `logged`, with rank r at places[r]: node times processors, and which of them.

    The last: events more, of a program that the machine turned out not to describe.
    """
    from assay._core import ranks as core

    if core.undescribed(program, machine, words):
        return core.play(program, machine, ranks, words), None, []  # which reports that it is left out, and why
    world = core.Jobs(machine, logged)
    number = world.begin(program, words, places)
    while world.drain():
        pass
    about = world.job(number)
    if about["state"] == "running":  # nothing happens any more
        world.end(number)
        about = world.job(number)
    more: list[Mapping[str, object]] = []
    launch = about["launch"]
    if about["undescribed"]:
        why = f"not described by {machine['name']}: {about['failure']}"
        more = [{"event": "skip", "text": why}, {"event": "done"}]
    elif about["state"] == "failed":
        raise (ValueError if about["input"] else RuntimeError)(about["failure"])
    log = of_ranks(world.log(), places, world.nodes * world.processors) if logged else None
    return launch, log, more


def _line(event: Mapping[str, object]) -> str:
    return json.dumps(event, separators=(",", ":"))


def _shown(nodes: Sequence[int]) -> str:
    first = ", ".join(map(str, nodes[:SHOWN]))
    return first if len(nodes) <= SHOWN else f"{first} and {len(nodes) - SHOWN} more"


def require(benchmark: Benchmark) -> None:
    """Have a program in this process's simulator: one of a person's own is compiled. InputError where there is none."""
    from assay._core import ranks as core

    if benchmark.name not in core.programs() and programs_root() not in benchmark.path.parents:
        _load(benchmark)
    if benchmark.name not in core.programs():
        raise InputError(
            "is not compiled into the simulator",
            key=benchmark.name,
            accepted=", ".join(core.programs()),
        )


def _load(benchmark: Benchmark) -> None:
    """Compile a person's own program and add it to this process's simulator, whose symbols it needs."""
    import ctypes
    import os

    from assay import _core
    from assay.execute.build import build_for_simulator

    library = build_for_simulator(benchmark)
    ctypes.CDLL(str(_core.__file__), mode=os.RTLD_GLOBAL | os.RTLD_NOLOAD | os.RTLD_NOW)
    _core.ranks.load(str(library))


def waits_for(rank: int, call: str, peer: int | None, tag: int) -> str:
    """The rank that a rank waits for, as text; `tag` below 0: any."""
    whom = "any rank" if peer is None else f"rank {peer}"
    which = "any tag" if tag < 0 else f"tag {tag}"
    return f"rank {rank} in {call} {'to' if call == 'send' else 'from'} {whom} ({which})"


def deadlock(seconds: float, waiting: Sequence[tuple[int, str, int | None, int]]) -> str:
    """Describe a deadlock in words: who waits for whom, at what time."""
    parts = [waits_for(*each) for each in waiting[:MOST_WAITING]]
    more = len(waiting) - len(parts)
    return f"deadlock at {seconds:.9g} s: " + "; ".join(parts) + (f"; and {more} more" if more > 0 else "")
