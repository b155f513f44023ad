"""`assay throughput --via SYSTEM --repeat N`: the same test N times, each in a folder of its own."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.throughput.repeated import RepeatedFigure, RepeatedThroughput
    from assay.verbs._throughput_live import LiveRequest


def run_repeated(request: LiveRequest, times: int, progress: Callable[[str], None]) -> RepeatedThroughput:
    """Run, or resume, the tests OUT/1 to OUT/N; OUT has the result and the page of all."""
    from assay.throughput import exports
    from assay.throughput.repeated import repeated
    from assay.verbs import _throughput_live as live
    from assay.verbs import _throughput_shown as shown

    exports.check(request.exports)
    out = request.out or Path("runs") / time.strftime("throughput-%Y%m%d-%H%M%S")
    tests = []
    for number in range(1, times + 1):

        def say(text: str, number: int = number) -> None:
            progress(f"{number} of {times}: {text}")

        one = replace(request, out=out / str(number), exports=(), alone=request.alone and number == 1)
        tests.append(live.run_live(one, say))
    found = repeated(tests)
    shown.write_repeated(found, out, request.exports, [repeated_row(each) for each in found.figures])
    return found


def repeated_row(figure: RepeatedFigure) -> list[str]:
    """A figure's name, median, interval where there is one, and range."""
    from assay.verbs._throughput_words import time_of

    def words(value: float) -> str:
        return time_of(value) if figure.unit == "s" else f"{value:.4g}"

    interval = "" if figure.ci95 is None else " to ".join(map(words, figure.ci95))
    return [figure.name.replace("_", " "), words(figure.value), interval, " to ".join(map(words, figure.range))]


def show_repeated(found: RepeatedThroughput, quiet: bool) -> None:
    """A line for each test, and unless `quiet` the numbers with their intervals."""
    from assay.document.grid import grid
    from assay.report.render.console import listing
    from assay.verbs._throughput_shown import verdict

    for number, test in enumerate(found.tests, 1):
        print(f"{number}: {verdict(test)}")
        for finding in test.findings:
            print(f"  {finding.job}: {finding.kind}: {finding.text}")
    if quiet:
        return
    rows = [tuple(repeated_row(each)) for each in found.figures]
    head = ("", "median", "95% interval", "range")
    listing().print(grid("Throughput, repeated", head, rows, f"{found.figures[0].scope}.").rich())
