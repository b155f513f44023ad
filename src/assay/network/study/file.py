"""STUDY.toml: the tables of NETWORK.toml and, in addition, what is swept, what is plotted, which claims it answers.

[study]     title, figure, source, text; claims: ids of the catalogue; analysis: draw the queues' prediction too
[sweep]     "io.b" = [0, 1], …: every combination is a point
[[cases]]   keys that go together ("io.b" = 1, "io.r" = 4), each with every point of the sweep; `label` names it
[saturation]  precision = 0.05, seeds = 1, and optionally a sweep and cases of its own: bisected by backlog
[[plot]]    title, x, y, series, log: x and series are keys of the points, y a latency
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import Field, JsonValue

from assay import versions
from assay.errors import InputError
from assay.network import description
from assay.network.description import NetworkDescription
from assay.network.overrides import TABLES
from assay.toml.checking import Table, validate_tables
from assay.toml.source import Source, TomlTable, read, table_at, tables_of

Setting = dict[str, JsonValue]


class Plot(Table):
    """[[plot]]: one picture."""

    title: str
    x: str = Field("rate", description="key of the points along the axis, such as locality, or rate")
    y: str = Field("header", description="latency, such as pe_pe or read")
    series: str = Field("b", description="key of the points that makes curves")
    log: bool = Field(True, description="latencies on a logarithmic axis")
    where: Setting = Field(
        default_factory=dict, description="only the points set so, by key; t_a in us, such as { t_a = 78, b = 1 }"
    )


class Saturation(Table):
    """[saturation]: configurations whose saturation point is bisected."""

    sweep: dict[str, list[JsonValue]] = Field(default_factory=dict)
    cases: list[Setting] = Field(default_factory=list)
    precision: float = Field(0.05, gt=0, lt=1, description="width of the interval over its upper end")
    seeds: int = Field(1, ge=1, description="searches, each with random numbers of its own")
    cycles: int = Field(20_000, ge=1000, description="of the first runs that decide a load")


class Head(Table):
    """[study]."""

    title: str
    figure: str = ""
    source: str = ""
    text: str = ""
    analysis: bool = False
    section: str = Field("simulated", description="simulated; or the name of a part that simulates nothing")
    claims: list[str] = Field(default_factory=list)
    order: int = Field(100, description="place among the studies of --all")
    page: str = Field("ghosh", description="the page of docs/ that shows it; --all writes ghosh")
    keys: list[str] = Field(default_factory=list, description="latencies in the table of points; a default otherwise")
    judge_cycles: int = Field(0, ge=0, description="length of the run that judges a point; 0: from its messages")


@dataclass(frozen=True)
class Study:
    """A study as its file gives it."""

    name: str
    source: Source
    head: Head
    tree: TomlTable = field(repr=False)
    sweep: dict[str, list[JsonValue]]
    cases: list[Setting]
    saturation: Saturation | None
    plots: tuple[Plot, ...]

    def points(self) -> Iterator[tuple[Setting, NetworkDescription]]:
        """Every combination of the sweep and the cases, described."""
        if self.head.section == "simulated" and (self.sweep or self.cases):
            yield from self._described(self.sweep, self.cases)

    def saturations(self) -> Iterator[tuple[Setting, NetworkDescription]]:
        """The configurations to bisect."""
        if self.saturation is not None:
            yield from self._described(self.saturation.sweep, self.saturation.cases)

    def _described(
        self, sweep: Mapping[str, Sequence[JsonValue]], cases: Sequence[Setting]
    ) -> Iterator[tuple[Setting, NetworkDescription]]:
        for case in cases or [{}]:
            for values in itertools.product(*sweep.values()):
                given = {**case, **dict(zip(sweep, values, strict=True))}
                tree = tables_of(copy.deepcopy(self.tree))
                label = {"label": given.pop("label")} if "label" in given else {}
                for dotted, value in given.items():
                    table, _, key = dotted.partition(".")
                    if table not in TABLES or not key:
                        raise self.source.error(("sweep", dotted), "is no key to sweep", accepted="such as io.b")
                    place = tree.setdefault(table, {})
                    *inside, last = key.split(".")
                    for each in inside:
                        inner = place.setdefault(each, {})
                        if not isinstance(inner, dict):
                            raise self.source.error(("sweep", dotted), "is no key to sweep", accepted="such as io.b")
                        place = inner
                    place[last] = value
                found = description.parse(tree, self.source)
                yield label | {key: _plain(found, key) for key in given}, found


def _plain(found: NetworkDescription, dotted: str) -> Any:
    """A key's value after validation, times in cycles."""
    held: Any = found
    for key in dotted.split("."):
        held = getattr(held, key)
    return held


def shipped() -> dict[str, Path]:
    """The studies that come with Assay, by name."""
    folder = Path(str(files("assay.catalogue") / "studies"))
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def load(wanted: str) -> Study:
    """A shipped study by its name, or a file by its path."""
    known = shipped()
    path = known.get(wanted, Path(wanted))
    if wanted not in known and not path.exists():
        raise InputError("there is no such study", value=wanted, accepted=f"a TOML file, or {', '.join(known)}")
    tree, source = read(path, versions.STUDY)
    own: dict[str, object] = {
        key: tree.pop(key) for key in ("study", "sweep", "cases", "saturation", "plot") if key in tree
    }
    for key in tree:
        if key not in TABLES:
            accepted = ", ".join((*TABLES, "study", "sweep", "cases", "saturation", "plot"))
            raise source.error((key,), "there is no such table", accepted=accepted)
    head = validate_tables(source, Head, own.get("study", {}), ("study",))
    saturation = (
        validate_tables(source, Saturation, own["saturation"], ("saturation",)) if "saturation" in own else None
    )
    swept = own.get("sweep", {})
    sweep = {key: values for key, values in table_at(own, "sweep").items() if isinstance(values, list) and values}
    if sweep != swept:
        raise source.error(("sweep",), "every key needs a list of values", accepted='"io.b" = [0, 1]')
    cases, plots = (_array(source, own.get(name, []), name) for name in ("cases", "plot"))
    drawn = tuple(validate_tables(source, Plot, one, ("plot", at)) for at, one in enumerate(plots))
    found = Study(path.stem, source, head, tree, sweep, cases, saturation, drawn)
    for at, plot in enumerate(drawn):
        _check_plot(found, at, plot)
    return found


def _array(source: Source, tables: object, name: str) -> list[Setting]:
    """An array of tables of the file. InputError where it is none."""
    found = [one for one in tables if isinstance(one, dict)] if isinstance(tables, list) else None
    if found is None or found != tables:
        raise source.error((name,), "is no array of tables", accepted=f"[[{name}]]")
    return found


def _check_plot(study: Study, at: int, plot: Plot) -> None:
    """Axis, curves and choice of points name keys that every point has: those swept, or `rate` and `t_a`."""
    if study.head.section != "simulated":
        return
    swept = [key.rpartition(".")[2] for key in study.sweep]
    common = set.intersection(*({key.rpartition(".")[2] for key in case} for case in study.cases or [{}]))
    known = [*dict.fromkeys([*swept, *sorted(common)]), "rate", "t_a"]
    for name, key in (("x", plot.x), ("series", plot.series), *(("where", key) for key in plot.where)):
        if key not in known:
            accepted = ", ".join(known)
            raise study.source.error(("plot", at, name), "names a key that is not swept", value=key, accepted=accepted)
    given = [*({key: value} for key, values in study.sweep.items() for value in values), *study.cases]
    for name, key in (("x", plot.x), ("series", plot.series)):
        seen = [value for one in given for dotted, value in one.items() if dotted.rpartition(".")[2] == key]
        kinds = {isinstance(value, str) for value in seen}
        if len(kinds) > 1 or any(isinstance(value, (list, dict)) for value in seen):
            problem = "names a key whose values cannot be put in order"
            raise study.source.error(("plot", at, name), problem, value=key, accepted="numbers, or words, of one kind")
