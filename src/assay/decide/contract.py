"""A contract: what a machine must reach, in a buyer's words, and the risks that both sides take. A TOML file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from assay import input_file, versions
from assay.analysis.acceptance import LEAST_RISK, MOST_RISK
from assay.benchmark.record import Benchmark, Figure, Scalar, benchmarks
from assay.errors import InputError
from assay.machine import units
from assay.machine.switch_tree import SwitchTree, read_switches
from assay.toml.checking import Table, near, validate_tables
from assay.toml.source import Source, read

KEYS = ("at_least", "at_most")
LEAST_RELATIVE, MOST_RELATIVE = 0.001, 0.9


def _share(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise ValueError("is no share")
    return units.quantity(str(value), "1")


Share = Annotated[float, BeforeValidator(_share)]
Risk = Annotated[Share, Field(ge=LEAST_RISK, le=MOST_RISK, json_schema_extra={"examples": '0.05, "5%"'})]
Relative = Annotated[Share, Field(ge=LEAST_RELATIVE, le=MOST_RELATIVE, json_schema_extra={"examples": '0.05, "5%"'})]


class ContractRisks(Table):
    """What both sides risk: that a machine is rejected which meets all limits, and accepted which misses one."""

    vendor: Risk = Field(0.05, description="how probably a machine that meets all limits is rejected")
    buyer: Risk = Field(0.05, description="how probably a machine that misses a limit is accepted")


class RequirementTable(Table):
    """One requirement, as it is written."""

    name: str = Field(min_length=1, description="what it is called in the answer")
    note: str = Field("", description="where its limit is from; for people alone")
    benchmark: str = Field(description="a benchmark of `assay catalogue --benchmarks`")
    figure: str = Field(description="a figure of that benchmark")
    case: dict[str, str | int | float] = Field({}, description="the parameters of the case, such as { bytes = 8 }")
    parts: list[Literal["links", "switches", "nodes", "pairs"]] = Field(
        [], description="the parts of the machine that must each meet the limit, of a benchmark of all pairs"
    )
    topology: str = Field("", description="with parts: a file as Slurm's topology.conf, next to the contract")
    at_least: str | int | float | None = Field(None, description='a value with its unit, such as "12 GB/s"')
    at_most: str | int | float | None = Field(None, description='a value with its unit, such as "3 us"')
    share: Annotated[Share, Field(gt=0, le=1)] = Field(1.0, description="of the nodes that must meet the limit")
    indifference: Relative = Field(0.05, description="the smallest shortfall that must be found, of the limit")
    spread: Relative = Field(0.03, description="the standard deviation of ln(value) of launches, as expected")


class ContractTable(Table):
    """The whole file."""

    name: str = Field("", description="what the contract is called")
    risks: ContractRisks = ContractRisks()  # type: ignore[call-arg]
    requirement: list[RequirementTable] = Field(min_length=1, description="[[requirement]] tables, one or more")


@dataclass(frozen=True)
class Requirement:
    """One requirement; `limit` in the SI unit of the figure, `higher`: whether it is a least value.

    `parts`: each part of these kinds must meet it, by what its messages take longer than comparable ones (1).
    `switches` is the tree that a file gives for them.
    """

    name: str
    record: Benchmark
    figure: Figure
    case: Mapping[str, Scalar]
    limit: float
    higher: bool
    share: float
    indifference: float
    spread: float
    parts: tuple[str, ...] = ()
    switches: SwitchTree | None = None


@dataclass(frozen=True)
class Contract:
    """A contract that was read, with the digest of its file; `source`: for errors about a requirement by its place."""

    name: str
    path: Path
    sha256: str
    vendor: float
    buyer: float
    requirements: tuple[Requirement, ...]
    source: Source


def read_contract(path: Path) -> Contract:
    """Read a contract. InputError names file, line, key, the value seen and what is accepted."""
    tables, source = read(path, versions.CONTRACT)
    table = validate_tables(source, ContractTable, tables)
    found: list[Requirement] = []
    for at, each in enumerate(table.requirement):
        if any(each.name == other.name for other in found):
            keys = ("requirement", at, "name")
            raise source.error(keys, "is the name of two requirements", value=each.name, accepted="another name")
        found.append(_requirement(source, at, each))
    sha256 = hashlib.sha256(source.text.encode()).hexdigest()
    risks = table.risks
    return Contract(table.name or path.stem, path, sha256, risks.vendor, risks.buyer, tuple(found), source)


def figures_of(record: Benchmark) -> dict[str, Figure]:
    """The figures that a benchmark gives: those of its record, or else its metrics."""
    return dict(record.figures) or {name: Figure(name, name, of.unit, of.help) for name, of in record.metrics.items()}


def _requirement(source: Source, at: int, table: RequirementTable) -> Requirement:
    known = benchmarks()
    if table.benchmark not in known:
        hint = near(table.benchmark, known)
        accepted = "a benchmark of `assay catalogue --benchmarks`"
        keys = ("requirement", at, "benchmark")
        raise source.error(keys, f"no such benchmark{hint}", value=table.benchmark, accepted=accepted)
    record = known[table.benchmark]
    figures = figures_of(record)
    if table.figure not in figures:
        keys = ("requirement", at, "figure")
        raise source.error(keys, "no such figure", value=table.figure, accepted=", ".join(figures))
    figure = figures[table.figure]
    if table.parts:
        if not record.pairs or figure.unit != "s":
            keys = ("requirement", at, "parts")
            accepted = 'with benchmark = "tournament" and figure = "time"'
            raise source.error(keys, "has no effect here", value=table.figure, accepted=accepted)
        figure = replace(figure, unit="1")
    elif table.topology:
        keys = ("requirement", at, "topology")
        raise source.error(keys, "has no effect here", value=table.topology, accepted="with parts")
    limit, higher = _limit(source, at, table, figure)
    return Requirement(
        name=table.name,
        record=record,
        figure=figure,
        case=_case(source, at, table, record),
        limit=limit,
        higher=higher,
        share=table.share,
        indifference=table.indifference,
        spread=table.spread,
        parts=tuple(dict.fromkeys(table.parts)),
        switches=_switches(source, table),
    )


def _switches(source: Source, table: RequirementTable) -> SwitchTree | None:
    if not table.topology:
        return None
    path = source.path.parent / table.topology
    return read_switches(input_file.text(path, accepted="switches as in Slurm's topology.conf"), path)


def _limit(source: Source, at: int, table: RequirementTable, figure: Figure) -> tuple[float, bool]:
    higher = figure.better == "higher"
    wanted, other = KEYS if higher else KEYS[::-1]
    examples = units.EXAMPLES.get(figure.unit, f'"12 {figure.unit}"')
    text, wrong = getattr(table, wanted), getattr(table, other)
    if wrong is not None:
        problem = f"{table.figure} is better {'higher' if higher else 'lower'}: such a limit protects against nothing"
        raise source.error(("requirement", at, other), problem, value=wrong, accepted=wanted)
    if text is None:
        raise source.error(("requirement", at), f"has no limit of {table.figure}", accepted=f"{wanted} = {examples}")
    try:
        limit = amount(str(text), figure.unit)
    except ValueError as error:
        accepted = f"a value in {figure.unit}: {examples}"
        raise source.error(("requirement", at, wanted), str(error), value=text, accepted=accepted) from None
    if not limit > 0:
        raise source.error(("requirement", at, wanted), "is out of bounds", value=text, accepted="a value above 0")
    return limit, higher


def amount(text: str, unit: str) -> float:
    """Read a value; of a customary unit (DMIPS), which takes no prefix, the number before it."""
    try:
        wanted, factor = units.unit(unit)
    except ValueError:
        return units.quantity(text.removesuffix(unit), "1")
    return units.quantity(text, wanted) / float(factor)


def _case(source: Source, at: int, table: RequirementTable, record: Benchmark) -> dict[str, Scalar]:
    """The case with its parameters as the program has them; labels that only results have stay as they are written."""
    found: dict[str, Scalar] = {}
    for key, value in table.case.items():
        if key not in record.parameters:
            found[key] = value
            continue
        keys, parameter = ("requirement", at, "case", key), record.parameters[key]
        try:
            parsed = parameter.parse(str(value))
        except InputError:
            problem = f"is no value of this parameter of {record.name}"
            raise source.error(keys, problem, value=value, accepted=parameter.accepted()) from None
        if isinstance(parsed, tuple):
            raise source.error(keys, "is several values", value=value, accepted="one value: a requirement has one case")
        found[key] = parsed
    return found
