"""The catalogue: the published machines, benchmarks, cells and claims, typed and queryable.

Source: `catalogue/published/*.toml`, one file a paper (its README explains the blocks); `catalogue/units.toml`.
A table is expanded to cells; each cell and each single result is a flat row in SI with the printed number.
The same id in two papers is one machine, whose statements are separate by paper.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from assay.errors import InputError
from assay.machine import published as block
from assay.toml.source import Source, TomlTable, table_at, tables, tables_of

FIELDS = ("machine", "benchmark", "metric")
_FOLDER = Path(str(files("assay.catalogue")))
_B = TypeVar("_B", bound=block.PublishedBlock)

KINDS: dict[str, type[block.PublishedBlock]] = {
    "machine": block.PublishedMachine,
    "benchmark": block.PublishedBenchmark,
    "table": block.PublishedTable,
    "result": block.Result,
    "claim": block.Claim,
    "figure": block.PublishedFigure,
    "unreadable": block.Unreadable,
    "program": block.Program,
    "pattern": block.Pattern,
    "schedule": block.Arrival,
    "placement": block.Placement,
    "parameter": block.PublishedParameter,
    "traffic": block.Traffic,
    "experiment": block.Experiment,
    "symbol": block.Symbol,
    "formula": block.Formula,
    "ambiguity": block.Ambiguity,
    "event": block.Event,
}
"""Block name in the files to its model: a new kind of block is one line here and one class there."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A printed unit: `factor` times the printed number is the number in `si`."""

    si: str
    factor: float
    of: str


@dataclass(frozen=True, slots=True)
class PublishedCell:
    """One published number: `value` in SI `unit`, `printed` in `printed_unit` as in the paper."""

    paper: str
    machine: str | None
    benchmark: str
    metric: str
    params: Mapping[str, Any]
    value: float
    unit: str
    printed: int | float
    printed_unit: str
    source: str
    table: str | None = None
    label: str | None = None
    notes: tuple[str, ...] = ()
    doubtful: bool = False
    ocr: str | None = None
    probable_unit: str | None = None
    basis: str = "measured"
    restates: tuple[str, ...] = ()

    @property
    def note(self) -> str | None:
        """All that is remarked on it, in one text; None where nothing is."""
        return "; ".join(self.notes) or None

    def document(self) -> dict[str, object]:
        """As one JSON object."""
        return {**asdict(self), "note": self.note}


@dataclass(frozen=True)
class CatalogueMachine:
    """A published machine: one statement for each paper that speaks of it, the oldest first."""

    id: str
    statements: tuple[block.PublishedMachine, ...]

    @property
    def name(self) -> str:
        """As the first paper calls it."""
        return self.statements[0].name

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that it goes by."""
        return tuple(dict.fromkeys(statement.name for statement in self.statements))

    @property
    def papers(self) -> tuple[str, ...]:
        """Ids of the papers that state it."""
        return tuple(statement.paper for statement in self.statements)

    @property
    def facts(self) -> dict[str, dict[str, object]]:
        """Each fact's printed value by paper: `facts["nodes"] == {"dunigan1991_hypercubes": 128}`."""
        merged: dict[str, dict[str, object]] = {}
        for statement in self.statements:
            for key, value in statement.facts.items():
                merged.setdefault(key, {})[statement.paper] = value
        return merged

    def fact(self, key: str) -> Any:
        """The value of a fact by the oldest paper that states it; None where none does."""
        return next(iter(self.facts.get(key, {}).values()), None)

    def document(self) -> dict[str, object]:
        """As one JSON object."""
        return {
            "id": self.id,
            "name": self.name,
            "names": self.names,
            "papers": self.papers,
            "facts": self.facts,
            "statements": [statement.model_dump(exclude_none=True) for statement in self.statements],
        }


@dataclass(frozen=True)
class CatalogueBenchmark:
    """A published benchmark, or a part of one (`caltech.int4_add`), with each paper's statements."""

    id: str
    title: str
    statements: tuple[block.PublishedBenchmark, ...]
    family: str | None = None


@dataclass(frozen=True)
class Catalogue:
    """Everything published, in the order of the papers (by year; the undated last)."""

    papers: dict[str, block.Paper]
    units: dict[str, Unit]
    machines: dict[str, CatalogueMachine]
    benchmarks: dict[str, CatalogueBenchmark]
    cells: tuple[PublishedCell, ...]
    blocks: dict[str, tuple[block.PublishedBlock, ...]] = field(repr=False)

    def _all(self, kind: str, model: type[_B]) -> tuple[_B, ...]:
        return tuple(each for each in self.blocks.get(kind, ()) if isinstance(each, model))

    @property
    def tables(self) -> tuple[block.PublishedTable, ...]:
        """The tables as printed."""
        return self._all("table", block.PublishedTable)

    @property
    def claims(self) -> tuple[block.Claim, ...]:
        """What the papers state in words."""
        return self._all("claim", block.Claim)

    def of(self, kind: type[_B]) -> tuple[_B, ...]:
        """All blocks of a kind, e.g. `of(published.Arrival)`, in file order."""
        return tuple(each for blocks in self.blocks.values() for each in blocks if isinstance(each, kind))


def si(value: int | float, unit: str) -> tuple[float, str]:
    """A printed number in SI, and the SI unit; exact decimal arithmetic, so 80 us is 8e-05 s and not its neighbour.

    Raises InputError for a unit that `catalogue/units.toml` lacks.
    """
    known = _units().get(unit)
    if known is None:
        raise InputError("unknown unit", key="unit", value=unit, accepted=", ".join(_units()))
    return float(Decimal(repr(value)) * Decimal(repr(known.factor))), known.si


def _unit(table: dict[str, object]) -> Unit:
    si, factor, of = table["si"], table["factor"], table["of"]
    assert isinstance(si, str) and isinstance(factor, int | float) and isinstance(of, str)
    return Unit(si, factor, of)


@cache
def _units() -> dict[str, Unit]:
    found, _ = tables(_FOLDER / "units.toml")
    return {name: _unit(fields) for name, fields in tables_of(table_at(found, "unit")).items()}


def _typed(machine: str) -> tuple[str, ...]:
    """Further names that people type for a machine."""
    return _typed_names().get(machine, ())


@cache
def _typed_names() -> dict[str, tuple[str, ...]]:
    found, _ = tables(_FOLDER / "names.toml")
    return {name: tuple(names) for name, names in table_at(found, "machine").items() if isinstance(names, list)}


def _paper(table: dict[str, object]) -> block.Paper:
    return block.Paper.model_validate({"paper": table["id"], **table})


@cache
def load() -> Catalogue:
    """Read the whole catalogue, once a process. Raises InputError naming file and key where a file is wrong."""
    from pydantic import ValidationError

    documents: list[tuple[block.Paper, TomlTable, Source]] = []
    for path in (_FOLDER / "published").glob("*.toml"):
        document, source = tables(path)
        try:
            documents.append((_paper(table_at(document, "paper")), document, source))
        except (KeyError, ValidationError) as error:
            raise InputError(f"is not a file of published results: {error}", file=path) from error
    documents.sort(key=lambda each: (each[0].year or math.inf, each[0].year_basis != "printed", each[0].id))
    blocks: dict[str, list[block.PublishedBlock]] = {}
    for paper, document, source in documents:
        for kind, entries in document.items():
            if kind in ("schema", "paper"):
                continue
            model = KINDS.get(kind)
            if model is None:
                raise source.error((kind,), "unknown block", accepted=", ".join(KINDS))
            assert isinstance(entries, list)
            for at, entry in enumerate(entries):
                assert isinstance(entry, dict)
                try:
                    blocks.setdefault(kind, []).append(model.model_validate({"paper": paper.id, **entry}))
                except ValidationError as error:
                    first = error.errors()[0]
                    problem = f"{first['msg']} ({entry.get('id', '')})"
                    raise source.error((kind, at, *first["loc"]), problem) from error
    frozen = {kind: tuple(entries) for kind, entries in blocks.items()}
    return Catalogue(
        papers={paper.id: paper for paper, *_ in documents},
        units=_units(),
        machines=_machines(frozen["machine"]),
        benchmarks=_benchmarks(frozen["benchmark"]),
        cells=tuple(_cells(frozen)),
        blocks=frozen,
    )


def _machines(statements: Iterable[block.PublishedBlock]) -> dict[str, CatalogueMachine]:
    merged: dict[str, list[block.PublishedMachine]] = {}
    for statement in statements:
        if isinstance(statement, block.PublishedMachine):
            merged.setdefault(statement.id, []).append(statement)
    return {name: CatalogueMachine(name, tuple(each)) for name, each in merged.items()}


def _benchmarks(statements: Iterable[block.PublishedBlock]) -> dict[str, CatalogueBenchmark]:
    merged: dict[str, list[block.PublishedBenchmark]] = {}
    parts: dict[str, str] = {}
    for statement in statements:
        if isinstance(statement, block.PublishedBenchmark):
            merged.setdefault(statement.id, []).append(statement)
            parts.update(dict.fromkeys(statement.parts, statement.id))
    found = {
        name: CatalogueBenchmark(name, each[0].title, tuple(each), family=parts.get(name))
        for name, each in merged.items()
    }
    for part, family in parts.items():
        if part not in found:
            own = part.removeprefix(family + ".").replace("_", " ")
            found[part] = CatalogueBenchmark(
                part, f"{found[family].title}: {own}", found[family].statements, family=family
            )
    return found


def _cells(blocks: Mapping[str, Iterable[block.PublishedBlock]]) -> Iterator[PublishedCell]:
    order: dict[str, list[PublishedCell]] = {}
    for kind in ("table", "result"):
        for each in blocks.get(kind, ()):
            rows = order.setdefault(each.paper, [])
            if isinstance(each, block.PublishedTable):
                rows.extend(_expanded(each))
            elif isinstance(each, block.Result):
                rows.append(_single(each))
    for rows in order.values():
        yield from rows


def _expanded(table: block.PublishedTable) -> Iterator[PublishedCell]:
    """The cells of a table that hold a number. Row, then column, then row_set fill the fields (published/README.md)."""
    for i, row in enumerate(table.rows):
        for j, col in enumerate(table.cols):
            printed = table.values[i][j]
            if math.isnan(printed):
                continue
            given: dict[str, Any] = {name: getattr(table, name) for name in FIELDS}
            params = dict(table.params)
            settings: list[tuple[str, object]] = [(table.col_key, col)]
            if table.row_set is None or table.row_key in FIELDS:
                settings.insert(0, (table.row_key, row))
            if table.row_set is not None:
                settings.extend(table.row_set[i].items())
            for key, setting in settings:
                (given if key in FIELDS else params)[key] = setting
            unit = table.row_units[i] if table.row_units else table.col_units[j] if table.col_units else table.unit
            notes = [note for note in table.notes if note.touches(row, col)]
            value, si_unit = si(printed, unit or "")
            yield PublishedCell(
                paper=table.paper,
                **given,
                params=params,
                value=value,
                unit=si_unit,
                printed=printed,
                printed_unit=unit or "",
                source=table.source,
                table=table.id,
                label=table.row_labels[i] if table.row_labels else None,
                notes=tuple(note.text for note in notes),
                doubtful=any(note.doubtful for note in notes),
                ocr=next((note.ocr for note in notes if note.ocr is not None), None),
                restates=tuple(text for each in table.restates if each.touches(row, col) for text in each.of),
            )


def _single(result: block.Result) -> PublishedCell:
    value, si_unit = si(result.value, result.unit)
    return PublishedCell(
        paper=result.paper,
        machine=result.machine,
        benchmark=result.benchmark,
        metric=result.metric,
        params=result.params,
        value=value,
        unit=si_unit,
        printed=result.value,
        printed_unit=result.unit,
        source=result.source,
        notes=(result.note,) if result.note else (),
        doubtful=result.doubtful,
        probable_unit=result.probable_unit,
        basis=result.basis or "measured",
        restates=result.restates,
    )


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9.]", "", text.lower())


def find(kind: str, wanted: str, names: Mapping[str, Iterable[str]]) -> str:
    """The id meant by `wanted`: an id, or one of its names, whatever the case and the punctuation.

    `names` maps each id to its further names. A name without its first word (the vendor) will do where only one fits.
    Raises InputError with the nearest ids where nothing fits.
    """
    if wanted in names:
        return wanted
    plain = _plain(wanted)
    for shorten in (False, True):
        hits = {
            known
            for known, others in names.items()
            for name in (known, *others)
            if plain and _plain(name.partition(" ")[2] if shorten else name) == plain
        }
        if len(hits) == 1:
            return hits.pop()
    written = {name.lower(): known for known, others in names.items() for name in (known, *others)}
    near = dict.fromkeys(written[hit] for hit in difflib.get_close_matches(wanted.lower(), written, n=5, cutoff=0.5))
    near |= dict.fromkeys(known for name, known in written.items() if plain and plain in _plain(name))
    accepted = f"perhaps {', '.join(list(near)[:6])}" if near else ", ".join(names)
    raise InputError(f"no published {kind} of this name", key=kind, value=wanted, accepted=accepted)


def machine(wanted: str) -> CatalogueMachine:
    """The published machine of this id or name. Raises InputError with near matches."""
    known = load().machines
    return known[find("machine", wanted, {name: (*each.names, *_typed(name)) for name, each in known.items()})]


def benchmark(wanted: str) -> CatalogueBenchmark:
    """The published benchmark of this id or title. Raises InputError with near matches."""
    known = load().benchmarks
    return known[find("benchmark", wanted, {name: (each.title,) for name, each in known.items()})]


def paper(wanted: str) -> block.Paper:
    """The paper of this id or title. Raises InputError with near matches."""
    known = load().papers
    return known[find("paper", wanted, {name: (each.title,) for name, each in known.items()})]


def cells(
    *,
    machine: str | Iterable[str] | None = None,
    benchmark: str | Iterable[str] | None = None,
    metric: str | Iterable[str] | None = None,
    paper: str | Iterable[str] | None = None,
    table: str | None = None,
    params: Mapping[str, Any] | None = None,
) -> list[PublishedCell]:
    """The published numbers that match, in the order of the papers.

    Machines, benchmarks and papers by id or name (one or several; a benchmark brings its parts with it); `params`
    must be in the cell with just these values. Raises InputError for a machine, benchmark or paper unknown.
    """
    machines = None if machine is None else {_machine_id(each) for each in _several(machine)}
    papers = None if paper is None else {_paper_id(each) for each in _several(paper)}
    metrics = None if metric is None else set(_several(metric))
    families: set[str] | None = None
    if benchmark is not None:
        families = {_benchmark_id(each) for each in _several(benchmark)}
        families |= {known.id for known in load().benchmarks.values() if known.family in families}
    return [
        cell
        for cell in load().cells
        if (machines is None or cell.machine in machines)
        and (families is None or cell.benchmark in families)
        and (metrics is None or cell.metric in metrics)
        and (papers is None or cell.paper in papers)
        and (table is None or cell.table == table)
        and all(key in cell.params and cell.params[key] == wanted for key, wanted in (params or {}).items())
    ]


def _several(wanted: str | Iterable[str]) -> Iterable[str]:
    return (wanted,) if isinstance(wanted, str) else wanted


# `cells` has parameters called machine, benchmark and paper, which hide the functions of these names.
def _machine_id(wanted: str) -> str:
    return machine(wanted).id


def _benchmark_id(wanted: str) -> str:
    return benchmark(wanted).id


def _paper_id(wanted: str) -> str:
    return paper(wanted).id
