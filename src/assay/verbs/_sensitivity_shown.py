"""The arguments of `assay sensitivity`, and how its results are shown."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from assay import former_names, output_file, sanitised
from assay.benchmark.record import benchmark as record_of
from assay.benchmark.record import on_described
from assay.case import Case
from assay.document.reported_figure import ReportedFigure
from assay.document.sensitivity import Elasticity, Sensitivity
from assay.errors import InputError
from assay.execute.described import DescribedTarget
from assay.execute.target import choose_rank_count
from assay.report.render.case_words import words_of
from assay.report.units import human, unit_of
from assay.sensitivity.measured import Progress, Question
from assay.sensitivity.tornado import bars, letters, picture


def questions(
    names: Sequence[str], on: str, own: Mapping[str, str], machine: dict[str, str], ranks: int | None
) -> list[Question]:
    """What is to be played; InputError for what the benchmarks or the machine do not accept."""
    records = [record_of(on_described(former_names.accepted(name))) for name in names]
    twice = next((each.name for at, each in enumerate(records) if each in records[:at]), None)
    if twice is not None:
        raise InputError("is named twice", key=twice, accepted="each benchmark once")
    DescribedTarget(on, machine).admit(records)
    for key in own:
        if not any(key in record.parameters for record in records):
            accepted = ", ".join(dict.fromkeys(key for record in records for key in record.parameters))
            raise InputError("no benchmark here has such a parameter", key=f"--set {key}", accepted=accepted)
    takes = [record for record in records if record.kind == "ranks"] or records
    made = []
    for record in records:
        given = {key: text for key, text in own.items() if key in record.parameters}
        record.settings(given)
        wanted = ranks if record in takes else None
        made.append(Question(record, given, choose_rank_count(record, wanted, on, machine)))
    return made


def progress(quiet: bool) -> Progress:
    """Lines on standard error after a second, then after twice as long, and so on."""
    began, wait = time.monotonic(), 1.0

    def show(benchmark: str, done: int, of: int) -> None:
        nonlocal wait
        if not quiet and time.monotonic() - began > wait:
            wait *= 2
            print(f"{benchmark}: {done} of {of} keys", file=sys.stderr, flush=True)

    return show


def draw(found: Sensitivity, main: Sequence[ReportedFigure], folder: Path) -> None:
    """A picture for each main figure, as FOLDER/BENCHMARK-a.svg."""
    output_file.make_folder(folder)
    count: dict[str, int] = {}
    for figure in main:
        place = count[figure.benchmark] = count.get(figure.benchmark, -1) + 1
        text = picture(_of(found, figure), f"{found.machine}: {_title(figure)}")
        output_file.write_text(folder / f"{figure.benchmark}-{chr(ord('a') + place)}.svg", text)


def show(found: Sensitivity, main: Sequence[ReportedFigure], quiet: bool) -> None:
    """Bars of each main figure, what gains most, and what must be measured better; quiet: the first keys in a line."""
    if quiet:
        for figure in main[:1]:
            first = ", ".join(f"{each.key} {each.elasticity:.2f}" for each in bars(_of(found, figure))[:3])
            print(f"{found.machine}: {_title(figure)}: {first or 'no key changes it'}")
        return
    for figure in main:
        _tornado(_of(found, figure), figure)
    _advice(found)


def _tornado(keys: Sequence[Elasticity], figure: ReportedFigure) -> None:
    from rich.table import Table

    drawn = bars(keys)
    longest = max((abs(each.elasticity or 0.0) for each in drawn), default=1.0)
    interval = "by its interval" if any(each.unsure is not None for each in drawn) else ""
    headings = ("key", "value", "elasticity", interval, "█ raises, ░ lowers")
    table = Table(*headings, box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for each in drawn:
        value = human(each.value, each.unit or "1")
        marks = " *" if each.bent else ""
        unsure = "" if each.unsure is None else f"±{each.unsure:.1%}"
        bar = letters(each.elasticity or 0.0, longest)
        table.add_row(each.key, value, f"{each.elasticity:+.3f}{marks}", unsure, bar)
    print(f"{_title(figure)}: {human(figure.value, unit_of(figure))}")
    sanitised.console().print(table)
    if any(each.bent for each in drawn):
        print("*: a corner or a step: the change to less differs from that to more (--json has both)")
    inert = sum(each.inert for each in keys)
    fixed = sum(each.elasticity is None for each in keys)
    rest = [f"{inert} keys are inert here"] + ([f"{fixed} cannot be changed by themselves"] if fixed else [])
    print(f"{', '.join(rest)}\n")


def _advice(found: Sensitivity) -> None:
    if found.improve:
        print("what gains most:")
    for each in found.improve:
        name = f"{each.figure} ({words_of(each.benchmark, each.params)})"
        print(f"  a tenth {each.change} {each.key}: {each.benchmark} {name} {each.gain:.1%} better")
    if found.measure is None:
        print("which key must be measured better is not known: the description has no [uncertainty]")
    elif found.measure:
        print("what must be measured better:")
    for known in found.measure or ():
        name = f"{known.figure} ({words_of(known.benchmark, known.params)})"
        print(f"  {known.key}: its interval moves {known.benchmark} {name} by {known.unsure:.1%} either way")


def _of(found: Sensitivity, figure: ReportedFigure) -> list[Elasticity]:
    wanted = figure.key
    return [each for each in found.keys if (each.benchmark, each.figure, Case(each.params)) == wanted]


def _title(figure: ReportedFigure) -> str:
    case = words_of(figure.benchmark, figure.params)
    return f"{figure.benchmark} {figure.name}" + (f" ({case})" if case else "")
