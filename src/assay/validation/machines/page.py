"""docs/machines.md and docs/machines/: described machines compared with published ones, figures, claims."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.described.shipped import shipped
from assay.document import split_pages
from assay.document.grid import Grid, grid
from assay.document.run_document import Document
from assay.kinds import MEANING, PUBLISHED, NumberKind
from assay.machine import catalogue
from assay.machine import published as block
from assay.published.cells import allowance, comparison
from assay.published.cells.answers import Played
from assay.published.cells.described_file import read
from assay.validation.claims import messages as claims
from assay.validation.claims import sensitivity
from assay.validation.machines import evidence, wires
from assay.validation.machines import fallen_apart as uncertain
from assay.validation.machines.document import cells, claim_grid, glance, judged_claim, known
from assay.validation.machines.notes import DIFFERS, INTRODUCTION
from assay.validation.machines.time_goes import where
from assay.validation.pictures.draw import svg
from assay.validation.pictures.pictures import drawn

PAPERS = ("dunigan1991_hypercubes", "dunigan1991_delta", "dunigan1995_paragon_mp", "vandersteen2000_beowulf")


def write(folder: Path, own: Document | None = None, answers: Played | None = None) -> Path:
    """Write `folder`/machines.md, its pages and pictures; `own`, a document of a run of this machine, is drawn too."""
    answers = answers or Played()
    pictures = folder / "machines"
    pictures.mkdir(parents=True, exist_ok=True)
    split_pages.write(folder, pages("\n".join(page(answers, pictures, own))))
    return folder / "machines.md"


def pages(text: str) -> dict[str, str]:
    """The overview, a page for each machine, and one each for the tables at a glance and for the claims, by path."""
    return split_pages.split(text, "machines", _page_name)


def _page_name(heading: str, _: str) -> str | None:
    machine = re.search(r"\(`([a-z0-9-]+)`\)$", heading)
    return machine[1] if machine else {"At a glance": "glance", "The claims": "claims"}.get(heading)


def page(answers: Played, pictures: Path, own: Document | None = None) -> Iterator[str]:
    """The lines of all its pages; the pictures go to their folder on the way."""
    from assay.validation.pictures.measured import curves

    described = {name: read(path) for name, path in shipped().items() if name != "constant"}
    tables = {
        name: comparison.compare(answers, name, one.published, one.origin)
        for name, one in described.items()
        if known(one.published)
    }
    verdicts = claims.evaluate(answers)
    found_evidence = evidence.all_groups(tables)
    yield INTRODUCTION.format(
        meanings="\n".join(f"* *{kind}*: {MEANING[kind]};" for kind in (*PUBLISHED, NumberKind.SIMULATED)),
    )
    yield "## Evidence\n"
    yield f"* {evidence.words(evidence.counted(found_evidence, verdicts))}"
    yield f"* {claims.summary(verdicts)}\n"
    yield evidence.beside(found_evidence, "Evidence, compared with a baseline without a simulator").markdown()
    between = [g for name, of in tables.items() for g in evidence.groups(name, of, (NumberKind.INTERPOLATED,), True)]
    interpolated = evidence.beside(between, "Interpolated cells, no evidence, compared with the same baseline")
    yield replace(interpolated, note="").markdown()  # the one of the table above
    yield "## At a glance\n"
    for name, found in tables.items():
        if any(table.errors() for table in found):
            yield glance([t for t in found if t.errors()], str(described[name].table["title"])).markdown()
    yield "## The claims\n"
    yield f"{claims.summary(verdicts)}\n"
    texts = claims.published()
    yield claim_grid(
        [judged_claim(verdict, texts[verdict.claim].text) for verdict in verdicts], "Every claim, evaluated"
    ).markdown()
    yield (
        f"A flat curve may vary by {allowance.FLAT:.0%} where no print says how flat it is: our choice, as a reader "
        "sees a printed curve.\n"
    )
    yield from sensitivity.lines(sensitivity.changed(lambda: claims.evaluate(answers)))
    yield from uncertain.section(answers)
    yield "## What differs, and why\n"
    for text in DIFFERS:
        yield f"* {text}"
    yield "\n## The papers' figures, redrawn\n"
    for picture in drawn(answers):
        measured = curves(own, picture) if own else []
        (pictures / f"{picture.name}.svg").write_text(svg(picture, measured), encoding="utf-8")
        yield f"![{picture.title}](machines/{picture.name}.svg)\n"
        yield f"{picture.source + '. ' if picture.source else ''}{picture.title}. {picture.note}".strip() + "\n"
    yield from where(answers, list(described))
    yield from wires.section(pictures)
    yield "## Machine by machine\n"
    for name, one in described.items():
        yield f"### {one.table['title']} (`{name}`)\n"
        yield f"`assay evaluate --on {name}`\n"
        yield numbers(one.table, one.origin).markdown()
        for table in tables.get(name, []):
            yield f"<details><summary>{table.source}: {table.benchmark}, {len(table.rows)} cells</summary>\n"
            yield cells(table).markdown()
            yield "</details>\n"
    yield from _unreadable()
    if answers.refused:
        yield "\n## What was asked and could not be simulated\n"
    for question, reason in answers.refused.items():
        yield f"* {question}: {reason}"


def numbers(table: Mapping[str, Any], origin: Mapping[str, str]) -> Grid:
    """Every number of a description and where it is from."""
    rows = []
    for key, text in origin.items():
        value: Any = table
        for part in key.split("."):
            value = value[int(part)] if part.isdigit() else value[part]
        rows.append((f"`{key}`", f"{value}", text))
    return grid("Its numbers", ("key", "number", "where from"), rows, left=3)


def _unreadable() -> Iterator[str]:
    yield "## What could not be read in the papers\n"
    for one in catalogue.load().of(block.Unreadable):
        if one.paper in PAPERS:
            yield f"* {one.where}: {one.why}"
