"""The list of a person's own programs: shown with what is wrong with any of them, and shortened."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.benchmark import own
from assay.benchmark.record import name_in_record, read_own, shipped
from assay.errors import InputError


@dataclass(frozen=True)
class OwnProgram:
    """A person's own program as it is listed: its name, its file, and what is wrong with it, if anything."""

    name: str
    path: Path
    problem: str | None


def own_programs() -> list[OwnProgram]:
    """All files that were taken in, the unusable ones too."""
    found = []
    for path in own.listed():
        name, problem = name_in_record(path), None
        try:
            if not path.is_file():
                raise InputError("no such file", file=path)
            record = read_own(path)
            if shipped(record.name) is not None:
                raise InputError("its name is taken", file=path, key="name", value=record.name)
        except InputError as error:
            problem = str(error)
        found.append(OwnProgram(name or path.stem, path, problem))
    return found


def forget(name: str) -> Path:
    """Forget a person's own program, by its name or file; returns the file, which stays. InputError otherwise."""
    known = own_programs()
    found = next((p.path for p in known if p.name == name or p.path == Path(name).resolve()), None)
    if found is None:
        accepted = ", ".join(each.name for each in known) or "none: there are no programs of your own"
        raise InputError("is no program of your own", key="--remove", value=name, accepted=accepted)
    own.remove(found)
    return found
