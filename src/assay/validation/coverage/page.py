"""docs/coverage.md and a page for each report: each item on one line, with its command and its result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.document import split_pages
from assay.document.grid import Grid, grid
from assay.machine import catalogue
from assay.validation.coverage.asking import Asking
from assay.validation.coverage.checks import STATES, CheckResult, judge
from assay.validation.coverage.items import Item, ItemCheck, Report, reports

INTRODUCTION = """\
# What the reports have, item by item

Written by `assay evaluate --on all --docs docs`; edit the items (`src/assay/catalogue/coverage`) and the code, not this
page.

{summary}

Each state is computed: the command is run, and what it gives is compared with the catalogue.

* *works*: the figure comes out and is within the criterion of the printed number; a figure of this machine comes out
  and is shown beside the printed one of another machine;
* *differs*: the figure comes out and is not within it, or a claim of the report does not hold; the row says by how
  much;
* *in part*: some of the commands give no figure;
* *absent*: none does.

Commands without `--on` measure the machine on which this page was written, in one launch (`--launches 1`); RUN is the
folder of the run before. Claims of hypercubes and clusters are judged from the described machines, as on
[machines.md](machines.md). Those of Ghosh, Goveas and Draper are taken from [ghosh.md](ghosh.md), as
`assay study --all` wrote it last: its simulations take 1,000 CPU seconds.
"""


@dataclass(frozen=True)
class JudgedItem:
    """An item and what came of it."""

    item: Item
    judged: CheckResult


def write(folder: Path, source: Asking) -> Path:
    """Write `folder`/coverage.md and its pages."""
    split_pages.write(folder, pages("\n".join(page(reports(), source))))
    return folder / "coverage.md"


def pages(text: str) -> dict[str, str]:
    """The overview and a page for each report, by path."""
    names = {catalogue.load().papers[report.paper].title: report.paper for report in reports()}
    return split_pages.split(text, "coverage", lambda heading, _: names.get(heading))


def files() -> dict[str, str]:
    """The files that commands name: texts by name."""
    return {name: text for report in reports() for name, text in report.files.items()}


def page(found: Sequence[Report], source: Asking) -> Iterator[str]:
    """The lines of all its pages."""
    items = {report.paper: [one(item, report, source) for item in report.item] for report in found}
    yield INTRODUCTION.format(summary=summary(items))
    yield counts(items).markdown()
    for report in found:
        yield f"## {catalogue.load().papers[report.paper].title}\n"
        yield rows(items[report.paper]).markdown()
        for name, text in report.files.items():
            yield f"`{name}`:\n\n```toml\n{text.strip()}\n```\n"
        criteria = [f"{name}: {each.share:.0%}, {each.basis}" for name, each in report.criterion.items()]
        if criteria:
            yield f"Criteria. {'; '.join(criteria)}.\n"


def one(item: Item, report: Report, source: Asking) -> JudgedItem:
    """Judge one item."""
    return JudgedItem(item, judge(item, report.criterion, source))


def summary(items: Mapping[str, Sequence[JudgedItem]]) -> str:
    """How many are in which state, in a sentence."""
    count = Counter(each.judged.state for of in items.values() for each in of)
    states = ", ".join(f"{count[state]} {state}" for state in STATES)
    return f"**{sum(count.values())} items of {len(items)} reports: {states}.**"


def counts(items: Mapping[str, Sequence[JudgedItem]]) -> Grid:
    """How many are in which state, report by report."""
    lines = []
    for paper, of in items.items():
        count = Counter(each.judged.state for each in of)
        lines.append((catalogue.load().papers[paper].title, f"{len(of)}", *(f"{count[state]}" for state in STATES)))
    return grid("Items by report and state", ("report", "items", *STATES), lines)


def rows(items: Sequence[JudgedItem]) -> Grid:
    """One line an item."""
    lines = []
    for each in items:
        item, judged = each.item, each.judged
        answer = [judged.words] if judged.words else []
        if judged.state != "works" and item.why_not:
            answer.append(item.why_not)
        joined = " ".join(text if text.endswith(".") else f"{text}." for text in answer)
        lines.append((item.id, item.where, item.what, commands(item.checks), judged.state, joined or "–"))
    return grid("Items", ("item", "where", "what", "command", "state", "numbers, or why not"), lines, left=6)


def commands(checks: Sequence[ItemCheck]) -> str:
    """The commands of an item, each once."""
    return ", ".join(dict.fromkeys(f"`assay {command(each)}`" for each in checks)) or "–"


def command(check: ItemCheck) -> str:
    """The command of a check: of claims and tables the one that judges them."""
    if check.table:
        return f"evaluate --on {check.table.partition(' ')[0]}"
    if check.claims:
        return "study --all" if check.claims[0].startswith("ghosh.") else "evaluate --on all --docs docs"
    return check.run
