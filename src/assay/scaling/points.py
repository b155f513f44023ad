"""A study's points: what was set, and the described machine that it makes, checked before anything is simulated."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from assay.benchmark.record import Benchmark, on_described
from assay.benchmark.record import benchmark as record_of
from assay.described.machine_file import DescribedMachine
from assay.described.shipped import open_described, room
from assay.errors import AssayError, InputError
from assay.execute.target import choose_rank_count
from assay.execute.unused_keys import refuse_idle_names
from assay.scaling.study_file import LABEL, MACHINE, ScalingStudy
from assay.toml.source import TomlValue


@dataclass(frozen=True)
class MachinePoint:
    """A combination of a study: its setting, the machine with it, ranks by benchmark (None: a node program)."""

    setting: Mapping[str, TomlValue]
    machine: DescribedMachine
    ranks: Mapping[str, int | None]
    ppn: int | None
    noise: bool


def records(study: ScalingStudy) -> list[Benchmark]:
    """The programs' records. InputError for a program, parameter or figure that is not there."""
    found = []
    for place, program in enumerate(study.programs):
        try:
            record = record_of(on_described(program.benchmark))
            record.settings(texts(program.set))
        except InputError as error:
            raise study.source.error(("program", place), str(error)) from None
        for name in program.figures:
            if name not in record.figures:
                accepted = ", ".join(record.figures)
                raise study.source.error(
                    ("program", place, "figures"), "there is no such figure", value=name, accepted=accepted
                )
        found.append(record)
    _check_plots(study, found)
    return found


def _check_plots(study: ScalingStudy, programs: Sequence[Benchmark]) -> None:
    """InputError for a picture of a figure that no program has, or over a key that no point has."""
    drawn = {f"{record.name}.{name}": record for record in programs for name in record.figures}
    swept = {key.rpartition(".")[2] for setting in study.settings() for key in setting}
    for place, plot in enumerate(study.plots):
        if plot.y not in drawn:
            raise study.source.error(("plot", place, "y"), "no program has it", value=plot.y, accepted=", ".join(drawn))
        keys = {"ranks", *swept, *drawn[plot.y].parameters}
        for name, key in (("x", plot.x), ("series", plot.series), *(("where", key) for key in plot.where)):
            if key and key not in keys:
                accepted = ", ".join(sorted(keys))
                raise study.source.error(("plot", place, name), "names no key of a point", value=key, accepted=accepted)


def points(study: ScalingStudy) -> Iterator[MachinePoint]:
    """All points. InputError with the setting where the machine cannot be so, or has no room for the ranks."""
    programs = records(study)
    for setting in study.settings():
        try:
            yield _point(study, setting, programs)
        except AssayError as error:
            raise InputError(f"{study.source.path}: {words(setting) or 'the machine'}: {error}") from None


def _point(study: ScalingStudy, setting: Mapping[str, TomlValue], programs: list[Benchmark]) -> MachinePoint:
    overrides = {key.removeprefix(MACHINE): _toml(value) for key, value in setting.items() if key.startswith(MACHINE)}
    machine = open_described(study.on, overrides)
    refuse_idle_names(machine)
    ppn, given = _count(setting, "ppn"), _count(setting, "ranks")
    if "noise" in setting and (machine.node is None or machine.node.noise is None):
        raise InputError("has no noise to be with or without", key="noise", accepted="a description with node.noise")
    there = room(machine, ppn)
    if given is not None and there is not None and given > there:
        raise InputError(f"{machine.name} has room for {there} ranks", key="ranks", value=given)
    ranks = {
        each.name: choose_rank_count(each, *((given, study.on, overrides, ppn) if each.kind == "ranks" else (None,)))
        for each in programs
    }
    return MachinePoint(setting, machine, ranks, ppn, bool(setting.get("noise", True)))


def _count(setting: Mapping[str, TomlValue], key: str) -> int | None:
    found = setting.get(key)
    return found if isinstance(found, int) else None


def words(setting: Mapping[str, object]) -> str:
    """A setting in short: `ranks 64, parents [10]`."""
    return ", ".join(
        str(value) if key == LABEL else f"{key.rpartition('.')[2]} {_plain(value)}" for key, value in setting.items()
    )


def texts(values: Mapping[str, object]) -> dict[str, str]:
    """A program's parameters as `--set` takes them."""
    return {
        key: ",".join(map(_plain, value)) if isinstance(value, list) else _plain(value) for key, value in values.items()
    }


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _toml(value: object) -> str:
    """A value as TOML writes it in a line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)
