"""STUDY.toml of a described machine: its programs, what is varied, and what is drawn.

[study]     title, source, text
[machine]   on: a described machine, by name or by file (from the study's folder); draws of its [uncertainty], seed
[[program]] benchmark, set: its parameters, figures: which of them (default: the record's main ones)
[sweep]     ranks, ppn, noise = [true, false], "machine.KEY" = [VALUE, …]: every combination is a point
[[cases]]   keys that go together, each with every point of the sweep; `label` names it
[[plot]]    title, y = "BENCHMARK.FIGURE", x and series: keys of points or parameters; where: only those set so
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field

from assay import versions
from assay.toml.checking import Table, validate_tables
from assay.toml.source import Source, TomlTable, TomlValue, read

LABEL, MACHINE = "label", "machine."
AXES = ("ranks", "ppn", "noise")
TABLES = ("study", "machine", "program", "sweep", "cases", "plot")
MOST_RANKS = 1 << 24


class ScalingHead(Table):
    """[study]."""

    title: str
    source: str = ""
    text: str = ""


class StudiedMachine(Table):
    """[machine]."""

    on: str = Field(description="a described machine: its name, NAME:VARIANT, or a TOML file from the study's folder")
    draws: int = Field(40, ge=0, le=10_000, description="of the machine's [uncertainty]; 0: no intervals")
    seed: int = Field(1, ge=0, description="of the draws")


class StudiedProgram(Table):
    """[[program]]."""

    benchmark: str
    set: dict[str, str | int | float | bool | list[str | int | float]] = Field(default_factory=dict)
    figures: list[str] = Field(default_factory=list, description="default: the record's main ones, or its first")


class ScalingPlot(Table):
    """[[plot]]: one picture."""

    title: str
    y: str = Field(description="BENCHMARK.FIGURE")
    x: str = Field("ranks", description="a key of the points, by its last part, or a parameter")
    series: str = Field("", description="the key that makes curves")
    log: bool = Field(True, description="both axes logarithmic")
    where: dict[str, object] = Field(default_factory=dict, description="only what is set so")


@dataclass(frozen=True)
class ScalingStudy:
    """A study as its file gives it."""

    name: str
    source: Source
    head: ScalingHead
    machine: StudiedMachine
    programs: tuple[StudiedProgram, ...]
    sweep: Mapping[str, list[TomlValue]]
    cases: tuple[Mapping[str, TomlValue], ...]
    plots: tuple[ScalingPlot, ...]

    @property
    def on(self) -> str:
        """The machine as `--on` takes it: a file by its path from here."""
        base, colon, variant = self.machine.on.rpartition(":")
        name, rest = (base, f":{variant}") if colon else (self.machine.on, "")
        path = self.source.path.parent / name
        return f"{path}{rest}" if path.is_file() else self.machine.on

    def settings(self) -> Iterator[TomlTable]:
        """Every combination of the sweep with every case."""
        for case in self.cases or ({},):
            for values in itertools.product(*self.sweep.values()):
                yield {**case, **dict(zip(self.sweep, values, strict=True))}


def names_machine(path: Path) -> bool:
    """Whether a study's file is of a described machine. InputError where it cannot be read."""
    return "machine" in read(path, versions.STUDY)[0]


def load(path: Path) -> ScalingStudy:
    """Read a study of a described machine; InputError names file, line and key."""
    tree, source = read(path, versions.STUDY)
    for key in tree:
        if key not in TABLES:
            raise source.error((key,), "there is no such table in a study of a machine", accepted=", ".join(TABLES))
    head = validate_tables(source, ScalingHead, tree.get("study", {}), ("study",))
    machine = validate_tables(source, StudiedMachine, tree["machine"], ("machine",))
    programs = _several(source, tree, "program", StudiedProgram)
    if not programs:
        raise source.error(("program",), "is missing", accepted='[[program]] with benchmark = "alltoall"')
    sweep, cases = tree.get("sweep", {}), tree.get("cases", [])
    swept = (
        {key: values for key, values in sweep.items() if isinstance(values, list) and values}
        if isinstance(sweep, dict)
        else None
    )
    if swept is None or swept != sweep:
        raise source.error(("sweep",), "every key needs a list of values", accepted="ranks = [64, 256, 1024]")
    several = [one for one in cases if isinstance(one, dict)] if isinstance(cases, list) else None
    if several is None or several != cases:
        raise source.error(("cases",), "is no array of tables", accepted="[[cases]]")
    for key, values in swept.items():
        for value in values:
            _check(source, ("sweep", key), key, value)
    for place, case in enumerate(several):
        for key, value in case.items():
            _check(source, ("cases", place, key), key, value)
            if key in swept:
                raise source.error(("cases", place, key), "is swept as well", accepted="in [sweep] or in [[cases]]")
    plots = _several(source, tree, "plot", ScalingPlot)
    return ScalingStudy(path.stem, source, head, machine, programs, swept, tuple(several), plots)


def _several(source: Source, tree: Mapping[str, Any], name: str, model: type[Any]) -> tuple[Any, ...]:
    tables = tree.get(name, [])
    if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
        raise source.error((name,), "is no array of tables", accepted=f"[[{name}]]")
    return tuple(validate_tables(source, model, one, (name, place)) for place, one in enumerate(tables))


def _check(source: Source, keys: tuple[str | int, ...], key: str, value: Any) -> None:
    """InputError for a key that is none, or a value that it cannot have."""
    whole = isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MOST_RANKS
    if key in ("ranks", "ppn") and not whole:
        raise source.error(keys, "is no number of ranks", value=value, accepted=f"1 to {MOST_RANKS}")
    if key == "noise" and not isinstance(value, bool):
        raise source.error(keys, "is neither with nor without", value=value, accepted="true or false")
    if key == LABEL and (keys[0] == "sweep" or not isinstance(value, str)):
        raise source.error(keys, "names a case", value=value, accepted='label = "a text" in [[cases]]')
    if key not in (*AXES, LABEL) and not (key.startswith(MACHINE) and key != MACHINE):
        accepted = f"{', '.join(AXES)}, label, or a key of the description such as machine.network.flit_ticks"
        raise source.error(keys, "is nothing that a study varies", accepted=accepted)
