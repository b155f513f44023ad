"""`assay study FILE.toml` of a described machine: its words and its output."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import typer

from assay import output_file, sanitised
from assay.document.json_form import to_json
from assay.document.scaling import ScalingAnswers
from assay.errors import InputError
from assay.report.units import human, params
from assay.scaling.playing import answers
from assay.scaling.plots import draw
from assay.scaling.shown import added, by_figure, differing, figures, shown_setting
from assay.scaling.study_file import ScalingStudy, load
from assay.verbs._exclusive_option import refuse_others
from assay.verbs._interrupts import ends_in_a_line

TAKES = ("STUDY", "name", "--quick", "--quiet", "--json", "--plots", "--force")


def study_of_machine(
    context: typer.Context, path: Path, *, quick: bool, quiet: bool, json: bool, plots: Path | None, force: bool
) -> None:
    """Simulate and show it."""
    from assay.cli import emit

    refuse_others(context, f"the study {path.name}, which names a machine", TAKES)
    study = load(path)
    if plots is not None and not study.plots:
        raise InputError("the study draws no plot", key="--plots", value=str(plots), accepted="a study with [[plot]]")
    with ends_in_a_line():
        found = answers(study, quick=quick, force=force, progress=_progress(study.name, quiet))
    if plots is not None:
        output_file.make_folder(plots)
        for at, plot in enumerate(study.plots):
            text = draw(study, found, plot)
            output_file.write_text(plots / f"{study.name}-{chr(ord('a') + at)}.svg", text)
    if json:
        document: dict[str, object] = to_json(found)
        emit({**document, "figures": figures(found)})
    elif quiet:
        count = sum(len(point.figures) for point in found.points)
        print(f"{study.name}: {found.machine}, {len(found.points)} points, {count} figures, {found.draws} draws")
    else:
        _show(study, found)


def _progress(name: str, quiet: bool) -> Callable[[int, int], None]:
    """Lines on standard error after a second, then after twice as long, and so on."""
    began, wait = time.monotonic(), 1.0

    def show(done: int, of: int) -> None:
        nonlocal wait
        if not quiet and time.monotonic() - began > wait:
            wait *= 2
            print(f"{name}: {done} of {of} machines simulated", file=sys.stderr, flush=True)

    return show


def _show(study: ScalingStudy, found: ScalingAnswers) -> None:
    from rich.table import Table

    console = sanitised.console()
    drawn = f"; intervals of {found.level:.0%} by {found.draws} draws" if found.level else ""
    print(f"{found.title} ({found.machine}{drawn})")
    if found.forced:
        print(f"forced: {found.forced}")
    for benchmark, name, rows in by_figure(found):
        cases = differing([each.params for _, each in rows])
        settings = list(dict.fromkeys(key for point, _ in rows for key in shown_setting(study, point.setting)))
        varied = [key for key in cases if key not in settings]
        table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False, title_justify="left")
        table.title = f"{benchmark} {name}"
        for key in (*settings, *varied, name):
            table.add_column(key)
        if found.level:
            table.add_column(f"{found.level:.0%} interval")
        for point, each in rows:
            setting = shown_setting(study, point.setting)
            words = [params({key: setting[key]}).removeprefix(f"{key} ") if key in setting else "" for key in settings]
            words += [params({key: each.params.get(key)}).removeprefix(f"{key} ") for key in varied]
            words.append(human(each.value, each.unit))
            if each.low is not None and each.high is not None:
                words.append(f"{human(each.low, each.unit)} to {human(each.high, each.unit)}")
            table.add_row(*words)
        print()
        console.print(table)
    if found.noise:
        print("\nwhat noise adds:")
    for added_one in found.noise:
        where = params(shown_setting(study, added_one.setting) | dict(added_one.params))
        print(f"  {added_one.benchmark} {added_one.name} ({where}): {added(added_one)}")
    print("\nassumed:")
    for text in found.assumptions:
        print(f"  {text}")
