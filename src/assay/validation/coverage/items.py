"""The items of the reports, as `catalogue/coverage/*.toml` has them: one file a report, one record an item.

A record gives the item's place in its report, what it is, and its `checks`: commands of Assay, and what
must come of each. It has no state: that is computed by running the commands (`assay.validation.coverage.checks`).
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from pydantic import Field, model_validator

from assay.machine import catalogue
from assay.toml.checking import Table, refuse, validate_tables
from assay.toml.source import tables

EXPECTATIONS = ("figures", "quotes", "words", "says", "beside", "compared", "claims", "table")


class ItemCheck(Table):
    """One command and what must come of it: exactly one of `EXPECTATIONS`.

    `run` is a command line without `assay`, or several, separated by semicolons, in which RUN is the run before.
    """

    run: str = ""
    figures: list[str] = Field(default_factory=list)
    """Figures that have a value in the JSON document; quoted ones do not count."""
    at: dict[str, str | int | float] = Field(default_factory=dict)
    """Of `figures`: the case, by parameters."""
    cells: str = ""
    """Of `figures`: the published cells that the value is compared with (published/cells/clauses.py)."""
    within: str = ""
    """Of `cells` and `table`: the criterion, by its name in this file."""
    quotes: str = ""
    """Published cells; the JSON document quotes all of them."""
    words: list[str] = Field(default_factory=list)
    """Texts that the answer contains."""
    says: list[str] = Field(default_factory=list)
    """Places in the JSON document that have a value, or the one that is named (validation/coverage/places.py)."""
    beside: str = ""
    """How the title of a table of the run's report begins, with own values next to printed ones."""
    prints: str = ""
    """For `beside`: published cells that the table shows."""
    compared: str = ""
    """Published cells; `compare RUN MACHINE` shows all of them with the run's own figures."""
    claims: list[str] = Field(default_factory=list)
    """Claims of the catalogue that hold; `CLAIM MACHINE`: as far as they are about that machine."""
    table: str = ""
    """Published cells of a described machine, each with a simulated value; their median error is judged."""

    @model_validator(mode="after")
    def _one_expectation(self) -> ItemCheck:
        given = [name for name in EXPECTATIONS if getattr(self, name)]
        if len(given) != 1:
            refuse((), f"a check has one of {', '.join(EXPECTATIONS)}, not {len(given)}")
        if bool(self.run) == bool(self.claims or self.table):
            refuse(("run",), "claims and tables are judged by `evaluate` and `study`: all other checks have a command")
        if bool(self.within) != bool(self.cells or self.table):
            refuse(("within",), "a criterion is for cells or a table, and each of these has one")
        return self


class Item(Table):
    """One item of a report; `why_not` is shown where its computed state is not "works"."""

    id: str
    where: str
    what: str
    checks: list[ItemCheck] = Field(default_factory=list)
    why_not: str = ""

    @model_validator(mode="after")
    def _asked_or_explained(self) -> Item:
        if not self.checks and not self.why_not:
            refuse(("checks",), "an item that nothing asks for says why not", "checks or why_not")
        return self


class ItemCriterion(Table):
    """How far from the printed value a number may be (a share), and where that is from."""

    share: float
    basis: str


class Report(Table):
    """The items of one report; `paper` is its id in the catalogue, `files` are what its commands name, by name."""

    paper: str
    files: dict[str, str] = Field(default_factory=dict)
    criterion: dict[str, ItemCriterion] = Field(default_factory=dict)
    item: list[Item]

    @model_validator(mode="after")
    def _known_criteria(self) -> Report:
        for at, item in enumerate(self.item):
            for place, check in enumerate(item.checks):
                if check.within and check.within not in self.criterion:
                    accepted = ", ".join(self.criterion) or "none: add a table [criterion.NAME]"
                    refuse(("item", at, "checks", place, "within"), f"no criterion {check.within}", accepted)
        return self


def read(path: Path) -> Report:
    """Read one file. InputError at the line that is wrong."""
    values, source = tables(path)
    return validate_tables(source, Report, values)


def reports() -> Sequence[Report]:
    """All reports, in the order of the catalogue's papers."""
    order = list(catalogue.load().papers)
    folder = Path(str(files("assay.catalogue"))) / "coverage"
    return sorted((read(path) for path in folder.glob("*.toml")), key=lambda report: order.index(report.paper))
