"""A described machine as an object: the tables of its file, checked as such a file is."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.api.plain import plain_table, without_file

PLACE = Path("machine")


@dataclass(frozen=True, init=False)
class Machine:
    """A machine that is only described: the keys of its TOML file (docs/machine_keys.md) as plain values."""

    keys: dict[str, object]

    def __init__(self, name: str, **tables: Any) -> None:
        """Take the file's keys and tables by name: nodes=64, messages={"startup": "70 us", "per_byte": "0.4 us/B"}.

        InputError where a key or a value is wrong, in the words that a file would get.
        """
        self._take({"name": name, **tables})

    def _take(self, tables: Mapping[str, Any]) -> None:
        from assay.described import machine_file

        object.__setattr__(self, "keys", plain_table(tables))
        with without_file(PLACE):
            machine_file.check(self.keys, PLACE)

    @staticmethod
    def read(machine: str | Path) -> Machine:
        """Read a shipped description by its name, or a file. InputError where there is none, or it is wrong."""
        from assay import versions
        from assay.described.shipped import find
        from assay.toml.source import read

        tables, _ = read(find(str(machine)), versions.MACHINE)
        return Machine.of(tables)

    @staticmethod
    def of(tables: Mapping[str, Any]) -> Machine:
        """Take the tables of a file."""
        made = object.__new__(Machine)
        made._take(tables)
        return made

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.keys["name"])

    def tables(self) -> dict[str, object]:
        """The keys and tables as a file has them."""
        return dict(self.keys)

    def to_toml(self) -> str:
        """The text of an equal description."""
        from assay import versions
        from assay.api.plain import toml

        return toml(versions.marked(versions.MACHINE, self.keys))

    def write(self, path: str | Path) -> Path:
        """Write the description's file. InputError where it cannot be written."""
        from assay.api.plain import written_to

        return written_to(Path(path), self.to_toml())


@contextlib.contextmanager
def as_described(machine: str | Path | Machine | None) -> Iterator[str | Path | None]:
    """Give what a verb's --on takes: of an object a file that is there meanwhile."""
    if not isinstance(machine, Machine):
        yield machine
        return
    from assay.execute.stale_files import temporary_folder

    with temporary_folder("assay-machine-") as folder:
        path = machine.write(folder / "machine.toml")
        with without_file(path):
            yield path
