"""The verdict as text, for a terminal and as Markdown: the same lines, findings and grade as the page's."""

from __future__ import annotations

import re
import textwrap
import time
from itertools import zip_longest

from assay import sanitised
from assay.document.run_document import Document
from assay.document.run_verdict import Bar, EarlierValue, ReachedLine, RunVerdict
from assay.report.judge.bounds import percent
from assay.report.judge.verdict import MOST_FINDINGS, of
from assay.report.registry import RunPlace, run_views
from assay.report.render.console import WIDTH

TITLE, LONG_TITLE = 40, 60  # columns of a main figure's title, and without intervals; what is longer goes on below
BAR = 20  # cells
MOST_SOFTWARE = 4  # components of earlier runs' software
SIZES = ("simulated", "placed", "ranks")  # facts that a run of one benchmark shows: on how many ranks, and where
OF_RANKS = ("MPI",)  # those that one with ranks shows
POOR = "CD"  # grades whose reason a run of one benchmark shows
ODD = 50  # weight of a finding that a run of one benchmark shows
FULL, EMPTY, TICK = "█", "░", "│"


def heading(document: Document) -> str:
    """One line: the machine, when, by which profile, and the grade."""
    found = of(document)
    made = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(found.created or 0))
    return f"{found.machine} · {made} · profile {found.profile} · {grade_line(found)}"


def grade_line(found: RunVerdict) -> str:
    """The grade with its meaning."""
    return f"grade {found.grade.grade} ({found.grade.meaning})"


def terminal(document: Document, width: int = WIDTH) -> list[str]:
    """Lines of at most `width` columns."""
    found = of(document)
    lines = [*textwrap.wrap(heading(document), width), ""]
    for fact in found.facts:
        lines += _hung(f"{fact.name:<11}", fact.text, width)
    if found.lines:
        lines.append("")
    lines += _reached(found, width)
    if found.findings:
        lines += ["", "Limits and anomalies"]
    for each in found.findings[:MOST_FINDINGS]:
        lines += _hung("  - ", each.text + (f" → {_short(each.advice)}" if each.advice else ""), width)
    if len(found.findings) > MOST_FINDINGS:
        lines.append(f"    {len(found.findings) - MOST_FINDINGS} more in the report")
    if found.published:
        lines += ["", "Compared with published machines"]
    for text in found.published:
        lines += _hung("  - ", text, width)
    lines += ["", f"Quality of this run: {grade_line(found)}"]
    for criterion in found.grade.criteria:
        lines += _hung(f"  {criterion.grade} {criterion.name}: ", criterion.text, width, 4)
    if found.grade.parts:
        lines += _hung("  by part: ", ", ".join(f"{each.part} {each.grade}" for each in found.grade.parts), width, 4)
    return lines


def brief(document: Document, width: int = WIDTH) -> list[str]:
    """Sum up a run of one benchmark: main figures, a library's choices, anomalies, the reasons of a poor grade."""
    found = of(document)
    lines = textwrap.wrap(heading(document), width)
    shown = SIZES + (OF_RANKS if any(section.mpi for section in document.benchmarks) else ())
    for fact in found.facts:
        lines += _hung(f"{fact.name:<11}", fact.text, width) if fact.name in shown else []
    for text in (view.scope(document) for view in run_views(RunPlace.PART) if found.lines):
        lines += _hung("Of ", text, width) if text else []
    lines += _reached(found, width)
    odd = [each for each in found.findings if each.kind in ("odd", "missing") and each.weight >= ODD]
    for each in [*(each for each in found.findings if each.kind == "choice"), *odd]:
        lines += _hung("  - ", each.text + (f" → {each.advice}" if each.advice else ""), width)
    for criterion in found.grade.criteria if found.grade.grade in POOR else ():
        if criterion.grade == found.grade.grade:
            lines += _hung(f"  {criterion.grade} {criterion.name}: ", criterion.text, width, 4)
    return lines


def _short(advice: str) -> str:
    """The first thing to do: the page has the rest."""
    return re.split(r"[;(:]", advice)[0].replace("`", "").strip().rstrip(",")


def _hung(name: str, text: str, width: int, indent: int | None = None) -> list[str]:
    further = " " * (len(name) if indent is None else indent)
    return textwrap.wrap(text, width, initial_indent=name, subsequent_indent=further) or [name.rstrip()]


def _reached(found: RunVerdict, width: int) -> list[str]:
    """The main figures, and what of earlier runs' ticks must be known to read them."""
    exact = not any(line.interval or line.state != "clean" for line in found.lines)
    lines = [text for line in found.lines for text in _line(line, width, LONG_TITLE if exact else TITLE)]
    other = other_software(found)
    runs = "1 earlier run" if found.earlier == 1 else f"{found.earlier} earlier runs"
    text = f"{runs}, {other}" if other else runs
    return lines + (_hung(f"  {TICK} ", text, width) if found.earlier else [])


def _line(line: ReachedLine, width: int, column: int) -> list[str]:
    """Title, value and interval; below them the bar, the share and what the bound is."""
    room = width - column - 1
    values = textwrap.wrap(f"{line.text}  {line.interval}" if line.interval else line.text, room)
    if line.state != "clean":
        state = f"[{line.state_text}]"
        if values and len(values[-1]) + 2 + len(state) <= room:
            values[-1] += f"  {state}"
        else:
            values += textwrap.wrap(state, room)
    titles = textwrap.wrap(re.sub(r": (?=\d+\b)", ":\u00a0", line.title), column)  # `threads: 2` is not broken
    beside = zip_longest([title.replace("\u00a0", " ") for title in titles], values, fillvalue="")
    first = [f"{title:<{column}} {value}".rstrip() for title, value in beside]
    bar = line.bar
    if bar is None:
        return [*first, *(_hung("  ", line.bound_text, width) if line.bound_text else [])]
    relative = "relative to the best of the earlier runs" + (f"; {line.bound_text}" if line.bound_text else "")
    text = f"{bar.text} {line.bound_text}" if bar.bounded else relative
    return [*first, *_hung(f"  {drawn(bar)} ", text, width)]


def other_software(found: RunVerdict) -> str:
    """With what software, which this run did not have, earlier ones made what ticks show; empty where with none."""
    used = dict.fromkeys(word for line in found.lines for tick in line.earlier for word in tick.made_with or ())
    words = ", ".join(list(used)[:MOST_SOFTWARE]) + (", …" if len(used) > MOST_SOFTWARE else "")
    return words and f"{'' if found.earlier == 1 else 'some '}with {words}"


def _before(tick: EarlierValue, value: float) -> str:
    return f"{percent(tick.value / value)} of this" + (f" (with {', '.join(tick.made_with)})" if tick.made_with else "")


def drawn(bar: Bar) -> str:
    """A bar in cells: what was reached, the rest to the bound, and where earlier runs were."""
    filled = round(bar.at * BAR)
    cells = [FULL] * filled + [EMPTY] * (BAR - filled)
    for tick in bar.ticks:
        cells[min(BAR - 1, int(tick.at * BAR))] = TICK
    return "".join(cells)


def markdown(document: Document) -> str:
    """The verdict as Markdown, some forty lines."""
    found = of(document)
    made = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(found.created or 0))
    lines = [
        f"# {found.machine}: {grade_line(found)}",
        "",
        f"{made}, profile {found.profile}, run {found.run}",
        "",
    ]
    lines += [f"- **{fact.name}**: {fact.text}" for fact in found.facts]
    if found.lines:
        share = "of its bound, or of the best earlier run"
        lines += ["", f"| what it reaches | value | across launches | {share} | earlier runs | state |"]
        lines.append("| :--- | ---: | ---: | :--- | :--- | :--- |")
    for line in found.lines:
        bar = line.bar
        share = f"{bar.text} {line.bound_text}" if bar and bar.bounded else line.bound_text or "–"
        before = ", ".join(_before(tick, line.value) for tick in line.earlier[:3]) if line.value else ""
        row = (line.title, line.text, line.interval or "–", share, before or "–", line.state_text)
        lines.append("| " + " | ".join(map(sanitised.markdown_cell, row)) + " |")
    if found.findings:
        lines += ["", "## Limits and anomalies", ""]
        lines += [f"- {each.text}" + (f" → {each.advice}" if each.advice else "") for each in found.findings]
    if found.published:
        lines += ["", "## Compared with published machines", "", *(f"- {text}" for text in found.published)]
    for view in run_views(RunPlace.PART):
        if view.summary is not None and view.present(document):
            items = [f"- {line}" for line in view.lines(document)]
            lines += ["", f"## {view.title(document)}", "", *items, *([""] if items else [])]
            lines += [table.markdown() for table in view.summary(document)]
    lines += ["", "## Quality of this run", ""]
    lines += [f"- {each.grade}, {each.name}: {each.text} ({each.thresholds})" for each in found.grade.criteria]
    lines += [f"- part {each.part}: {each.grade} ({each.text})" for each in found.grade.parts]
    return sanitised.markdown("\n".join(lines) + "\n")
