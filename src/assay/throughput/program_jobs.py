"""Jobs that run one of Assay's own benchmark programs: their keys in the job table, and what starts them.

The program is compiled before the test begins, as `assay run` compiles it. It writes its samples to the job's folder
(OUT/jobs/ID/samples.jsonl), and its checks in there decide whether the job's answer is right. A message-passing program
is started by the MPI that compiled it, with one rank for each of the job's processors; ranks are bound to nothing but
what the job itself is pinned to, as several jobs share a node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, Field

from assay import former_names
from assay.errors import InputError, MeasurementError
from assay.machine.units import quantity
from assay.toml.checking import Table
from assay.toml.source import Source

if TYPE_CHECKING:
    from assay.execute.mpi import Mpi

SAMPLES = "samples.jsonl"
MOST_SLICE = 3600.0  # s, that a program takes as --slice
DEADLINE = 0.8  # of a job's limit, after which a message-passing program reports what each rank waited for, and ends
DEADLINES = (0.1, 1e6)  # s, that a program takes as --deadline


BenchmarkName = Annotated[str, AfterValidator(former_names.accepted)]  # of a former name, the new one


class ProgramPart(Table):
    """One of the programs that a job runs one after the other: `[[NAME.part]]`."""

    program: BenchmarkName = Field(description="a benchmark of Assay's")
    processors: int | None = Field(None, ge=1, description="how many of the job's it uses; all of them without it")
    settings: list[str] = Field([], alias="set", description='"KEY=VALUE", as `assay run` takes them')
    slice: str | None = Field(None, description='measured time of a case in a block, such as "0.5 s"')
    operations: int | None = Field(None, ge=1, le=10**12, description="operations of each reading")


@dataclass(frozen=True)
class PlannedPart:
    """One program of a job: its words as those of a task of `assay run`, and its ranks where it passes messages."""

    program: str
    arguments: tuple[str, ...]
    processors: int


def samples_of(at: int) -> str:
    """The file of a part's samples in the job's folder: samples.jsonl of the first, samples-2.jsonl of the second."""
    return SAMPLES if at == 0 else f"samples-{at + 1}.jsonl"


def check(source: Source, where: tuple[str | int, ...], program: str, settings: Sequence[str], processors: int) -> None:
    """InputError at the line of a program that there is none of, of a wrong setting, or of too few ranks."""
    from assay.benchmark.record import benchmark
    from assay.execute.run_request import key_and_value

    try:
        record = benchmark(program)
    except InputError as error:
        raise source.error((*where, "program"), str(error).removeprefix("benchmark: ")) from None
    given: dict[str, str] = {}
    for at, word in enumerate(settings):
        line = (*where, "set", at)
        found = key_and_value(word)
        if found is None:
            raise source.error(line, "is not KEY=VALUE", value=word, accepted='such as "size=8190"')
        key, value = found
        if key in given:
            raise source.error(line, f"sets {key} a second time", value=word, accepted="each parameter once")
        try:
            record.settings({key: value})
        except InputError as error:
            raise source.error(line, str(error)) from None
        given[key] = value
    least = record.least_ranks
    if record.kind == "ranks" and processors < least:
        problem = f"are too few ranks for {program}"
        raise source.error((*where, "processors"), problem, value=processors, accepted=f"{least} or more")


def check_slice(source: Source, where: tuple[str | int, ...], text: str | None, settings: Sequence[str]) -> None:
    """InputError at the line of a slice that is no time, out of bounds, or given with a number of repetitions."""
    if text is None:
        return
    line, accepted = (*where, "slice"), f"more than 0 s, up to {MOST_SLICE:g} s"
    try:
        seconds = float(quantity(text, "s"))
    except ValueError as error:
        raise source.error(line, str(error), value=text, accepted=accepted) from None
    if not 0 < seconds <= MOST_SLICE:
        raise source.error(line, "is no slice", value=text, accepted=accepted)
    repetitions = next((each for each in settings if each.startswith("repetitions=")), None)
    if repetitions is not None:
        problem = f"is a time, where {repetitions} is the number of readings"
        raise source.error(line, problem, value=text, accepted="only one of the two")


def arguments(settings: Sequence[str], slice_: float | None, operations: int | None, seed: int) -> tuple[str, ...]:
    """The words of a job, as those of a task of `assay run`; `slice_` in s, None: as in the profile `quick`."""
    words = ["--profile", "quick", *(each for word in settings for each in ("--set", word)), "--seed", str(seed)]
    words += [] if slice_ is None else ["--slice", f"{slice_:.6g}"]
    words += [] if operations is None else ["--batch", str(operations)]
    return tuple(words)


@dataclass(frozen=True)
class CompiledPrograms:
    """Binaries by the names of their programs, and the MPI that starts the message-passing ones.

    `here`: all processors are of this host, so that ranks need no network.
    """

    binaries: Mapping[str, Path] = field(default_factory=dict)
    mpi: Mpi | None = None
    here: bool = True

    def command(
        self, program: str, arguments: Sequence[str], ranks: int, folder: Path, limit: float, samples: str = SAMPLES
    ) -> tuple[str, ...]:
        """What a job runs that writes to `folder`, its samples to the file of that name, and is ended at `limit` (s).

        A program that writes files does so in the job's folder, unless its parameter names another one.
        """
        from assay.benchmark.record import SCRATCH, benchmark
        from assay.benchmark.resolved import program_words
        from assay.execute.ledger import Subfolder
        from assay.execute.mpiexec import unbound_command

        record = benchmark(program)
        set_by_table = [word.partition("=")[0] for word in arguments if not word.endswith(f"={SCRATCH}")]
        folders = {path: str(folder) for path in record.paths if path not in set_by_table}
        words = [str(self.binaries[program]), *program_words(record, arguments, folders=folders)]
        words += ["--out", str(folder / samples)]
        if record.paths:  # all ranks are to know the folder that the program makes there
            made = Subfolder.within(str(folder))
            words += ["--subfolder", f"{made.name}:{made.token}"]
        if record.kind == "node":
            return tuple(words)
        assert self.mpi is not None  # what compiled it
        deadline = min(max(DEADLINE * limit, DEADLINES[0]), DEADLINES[1])
        starter = unbound_command(self.mpi, ranks, here=self.here, spawns=record.host)
        return (*starter, *words, "--deadline", f"{deadline:g}")


def compiled(
    names: Iterable[str], *, here: bool, progress: Callable[[str], None] = lambda text: None
) -> CompiledPrograms:
    """Compile programs as `assay run` does, or take them from the cache; MeasurementError as `build`."""
    from assay.benchmark.record import benchmark
    from assay.execute.build import build
    from assay.execute.mpi import find_mpi
    from assay.execute.preflight_tools import NO_MPI

    records = [benchmark(name) for name in sorted(set(names))]
    mpi = find_mpi() if any(record.kind == "ranks" for record in records) else None
    if mpi is None and any(record.kind == "ranks" for record in records):
        raise MeasurementError(NO_MPI)
    built = build(records, mpi=mpi, progress=progress) if records else {}
    return CompiledPrograms({name: each.path for name, each in built.items()}, mpi, here)
