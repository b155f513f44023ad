"""Circumstances of launches, and whether two of them are of one machine.

What changes from one launch to the next (load, frequency, time, free memory, an allocation's number) does not make
another machine; the host, its processor, limits, kernel, the launchers, MPI, and each program's compiler and flags do.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay import versions
from assay.stored.circumstances import usable
from assay.stored.lines import ALTERED, read_document, write_whole

# of the host that Assay runs on: behind a launcher to other nodes that is where jobs are submitted, and nothing more
OF_HOST = frozenset(
    {
        *("host", "cpu", "architecture", "sockets", "cores", "threads", "usable_cpus", "affinity", "cpu_quota"),
        *("memory", "memory_limit", "kernel", "distribution", "governor", "boost", "clock_source"),
        *("virtualised", "hypervisor", "container"),
    }
)
OF_RUN = frozenset(
    {"assay", "simulated", "description", "via", "nodes", "launchers", "mpi", "mpi_variants", "programs", "folders"}
)
OF_MPI = frozenset({"implementation", "version", "mpicxx", "mpiexec", "embedded"})  # a launcher's own data
VOLATILE = frozenset({"allocation"})  # below the keys above: the number that a batch system gives
_DIGEST = re.compile("[0-9a-f]{16}")  # the name of a file of circumstances
MEMORY_WITHIN = 0.05  # relative: a kernel reserves more or less of the same memory


@dataclass(frozen=True)
class Difference:
    """One key in which two machines differ: `key` with dots between, and its values."""

    key: str
    then: object
    now: object

    def __str__(self) -> str:
        return f"{self.key} was {_shown(self.then)} and is {_shown(self.now)}"


def keep(folder: Path, document: Mapping[str, object]) -> tuple[str, str | None]:
    """Store circumstances by their digest: the key, and what was wrong with a file of that name, now made again."""
    document = versions.marked(versions.CIRCUMSTANCES, document)
    key, text = _keyed(document)
    path = folder / f"{key}.json"
    wrong = None
    if path.exists():
        try:
            if path.read_text(encoding="utf-8") == text:
                return key, None
            wrong = f"provenance/{path.name}: is not what was stored there; made again"
        except (OSError, ValueError):
            wrong = f"provenance/{path.name}: cannot be read; made again"
    write_whole(path, text)
    return key, wrong


def _keyed(document: dict[str, object]) -> tuple[str, str]:
    text = json.dumps(document, sort_keys=True, default=str, indent=1)
    return hashlib.sha256(text.encode()).hexdigest()[:16], text


def read_all(folder: Path) -> tuple[dict[str, dict[str, object]], list[str]]:
    """Return all circumstances by key, and one text for each file that cannot be read.

    InputError where a file is of a newer version.
    """
    found: dict[str, dict[str, object]] = {}
    faults: list[str] = []
    for path in sorted(folder.glob("*.json")):
        try:
            document = read_document(path)
            read = versions.current(versions.CIRCUMSTANCES, document, versions.in_file(path))
            if _DIGEST.fullmatch(path.stem) and _keyed(document)[0] != path.stem:
                faults.append(f"provenance/{path.name}: {ALTERED}")
            found[path.stem], wrong = usable(read)
            faults += [f"provenance/{path.name}: {text}" for text in wrong]
        except (OSError, ValueError) as error:
            size = path.stat().st_size if path.is_file() else None
            why = "is empty" if size == 0 else f"cannot be read ({error})"
            faults.append(f"provenance/{path.name}: {why}; circumstances of its launches are not known")
    return found, faults


def differences(then: Iterable[dict[str, object]], now: dict[str, object]) -> list[Difference]:
    """Return how the machine of `now` differs from all of `then`: by a value that none of them had.

    A key that one side does not state is passed over (a launcher or a program that was not needed), unless it belongs
    to a description, where it changes the machine.
    """
    earlier = [fingerprint(each) for each in then]
    found: list[Difference] = []
    present = fingerprint(json.loads(json.dumps(now, default=str)))  # as it would be read back
    described = {key: None for each in earlier for key in each if key.startswith("description.")}
    for key, value in (described | present).items():
        had = [each.get(key) for each in earlier if key in each or key.startswith("description.")]
        if had and not any(_same(key, each, value) for each in had):
            found.append(Difference(key, had[-1], value))
    return sorted(found, key=lambda each: (each.key != "host", each.key))


def fingerprint(document: dict[str, object]) -> dict[str, object]:
    """Flatten circumstances to the keys in which machines differ."""
    elsewhere = str(document.get("via") or "").partition(":")[0] in ("hosts", "slurm")
    counted = OF_RUN if elsewhere else OF_RUN | OF_HOST
    made: dict[str, object] = {}
    for key, value in document.items():
        if key in counted and not (key == "mpi" and value is None):  # nothing that was left to do needed one
            _flatten(key, _by_variant(value) if key == "mpi_variants" else value, made)
    if document.get("mpi_variants"):  # each launch has the MPI of its variant; before, a launcher stated the last one's
        made = {key: value for key, value in made.items() if not _of_launcher(key)}
    return made


def _by_variant(stated: object) -> Any:
    """What each MPI variant was, by its name; the compiler of its programs is in its commands."""
    if not isinstance(stated, list) or not all(isinstance(each, dict) for each in stated):
        return stated
    keys = ("mpi", "transport", "compiler")
    return {" ".join(str(each[key]) for key in keys if each.get(key)): each for each in stated}


def _of_launcher(key: str) -> bool:
    return key.startswith("launchers.") and key.rpartition(".")[2] in OF_MPI


def _flatten(key: str, value: object, into: dict[str, object]) -> None:
    if isinstance(value, dict):
        for name, each in value.items():
            if name not in VOLATILE:
                _flatten(f"{key}.{name}", each, into)
    else:
        into[key] = value


def _same(key: str, a: object, b: object) -> bool:
    if key == "memory" and isinstance(a, int | float) and isinstance(b, int | float):
        return abs(a - b) <= MEMORY_WITHIN * max(abs(a), abs(b))
    return bool(a == b)


def _shown(value: object) -> str:
    return "not known" if value is None else str(value) if isinstance(value, str) else json.dumps(value)
