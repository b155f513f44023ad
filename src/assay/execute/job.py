"""What is launched and what came of it, and the launchers, each a file of this room that holds `LAUNCHER`.

A launcher owes more than an exit status: how many ranks really started, on which hosts and processors
(method.md, rule 15).
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from assay import execute
from assay.errors import InputError
from assay.execute.ledger import Subfolder
from assay.program_lines import PlacedRank

if TYPE_CHECKING:
    from assay.execute.mpi import Mpi


@dataclass(frozen=True)
class Job:
    """One launch of one program. `ranks` None: a node program, one process on each of `nodes` nodes.

    `command` is the program with its arguments but without `--out`: the launcher lets the program write to `out`
    itself, or captures it there. On several nodes a node program writes one file per node: see `outputs`.
    `timeout` in s; `log` takes the standard streams of launcher and program; `spawns`: the program
    starts processes itself; `threads`: the most that a rank has: one with several is bound to no core; `subfolders`:
    what it makes for its files; `say` takes messages for the user while it runs, line by line.
    """

    name: str
    command: tuple[str, ...]
    ranks: int | None
    nodes: int | None
    ppn: int | None
    out: Path
    log: Path
    timeout: float
    environment: dict[str, str] = field(default_factory=dict)
    spawns: bool = False
    threads: int = 1
    subfolders: tuple[Subfolder, ...] = ()
    say: Callable[[str], None] = field(default=lambda text: None, compare=False)


@dataclass(frozen=True)
class Outcome:
    """What came of a launch, as verified: `status` of the program (0 good), `hosts` it really ran on.

    `placement`: what each rank stated (rank, host, pid, cpus, cpu); `binding`: what that shows, and what was requested
    where it differs (execute/binding.py);
    `channel`: how the samples came back; `warnings`: what a reader of the numbers must know (oversubscription);
    `refused`: the program's message on its input, where it ended for that.
    """

    status: int
    reason: str | None
    seconds: float
    command: tuple[str, ...]
    hosts: tuple[str, ...]
    placement: tuple[PlacedRank, ...] = ()
    binding: str = "none"
    channel: str = "the program's own file"
    warnings: tuple[str, ...] = ()
    refused: str | None = None


class Launcher(Protocol):
    """A way of starting ranks, or one process on each node."""

    name: str
    summary: str
    option: str | None

    def check(self) -> None:
        """InputError where the commands that it needs are not on this host; nothing is started."""

    def describe(self) -> dict[str, object]:
        """Describe the launcher: implementation, version, and what is needed to launch the same way."""

    def run(self, job: Job) -> Outcome:
        """Launch and verify; MeasurementError when it cannot, hangs, or starts another number than requested."""

    def close(self) -> None:
        """Release what lasts between launches (an allocation)."""


def node_output(out: Path, node: str) -> Path:
    """The file of one node, next to `out`: launch-0.jsonl is launch-0@n3.jsonl on node n3."""
    return out.with_name(f"{out.stem}@{node}{out.suffix}")


def outputs(out: Path) -> list[tuple[str | None, Path]]:
    """The files that a launch has written, each with its node's name (None: the launch's one file)."""
    found: list[tuple[str | None, Path]] = [(None, out)] if out.exists() else []
    for path in sorted(out.parent.glob(f"{out.stem}@*{out.suffix}")):
        found.append((path.name[len(out.stem) + 1 : len(path.name) - len(out.suffix)], path))
    return found


def launchers() -> dict[str, str]:
    """The names that `--via` takes, with what each does."""
    found = {}
    for module in pkgutil.iter_modules(execute.__path__):
        source = importlib.util.find_spec(f"assay.execute.{module.name}")
        text = "" if source is None or source.origin is None else Path(source.origin).read_text(encoding="utf-8")
        if "\nLAUNCHER = " in text:
            kind = importlib.import_module(f"assay.execute.{module.name}").LAUNCHER
            found[kind.name] = kind.summary
    return found


def launcher(via: str, mpi: Mpi | None = None) -> Launcher:
    """The launcher that `via` names, e.g. `mpiexec` or `hosts:FILE`; `mpi` is looked for when None and needed."""
    name, _, option = via.partition(":")
    known = launchers()
    if name not in known:
        accepted = ", ".join(f"{key} ({summary})" for key, summary in known.items())
        raise InputError("no such way of launching", key="--via", value=via, accepted=accepted)
    made: Launcher = importlib.import_module(f"assay.execute.{name}").LAUNCHER(option or None, mpi)
    return made
