"""How a run's launches were spent: until a benchmark's intervals were narrow enough, or the budget was spent."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from assay.document.json_form import from_json
from assay.document.run_document import Document
from assay.document.spent import BenchmarkSpent, LaunchesSpent, Look
from assay.report.registry import ReportSection, RunSource, RunView
from assay.store import Run


def launches_spent(run: Run) -> LaunchesSpent | None:
    """Give what was wanted and how each benchmark ended; None where the number of launches was fixed beforehand."""
    spending = (run.about.get("plan") or {}).get("spending")
    if not spending:
        return None
    looks: dict[str, list[Look]] = defaultdict(list)
    for entry in run.entries():
        if entry["event"] == "look":
            looks[entry["benchmark"]].append(from_json(Look, entry))
    ended = [BenchmarkSpent(benchmark=name, **vars(of[-1]), looks=of) for name, of in looks.items()]
    return LaunchesSpent(
        within=spending["within"],
        looks=list(spending["looks"]),
        level=1 - 0.05 / len(spending["looks"]),
        budget=spending["budget"],
        benchmarks=ended,
    )


def lines(spent: LaunchesSpent | None) -> list[str]:
    """Say it in words: how many are narrow enough, and of each of the others why it ended."""
    if spent is None or not spent.benchmarks:
        return []
    ended = [each for each in spent.benchmarks if each.stop]
    reached = [each for each in ended if each.reached]
    counts = sorted({each.launches for each in ended}) or [0]
    after = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    text = f"Launches: {len(reached)} of {len(spent.benchmarks)} benchmarks are within ±{spent.within:.1%} (half "
    text += f"the interval), after {after} launches."
    return [text, *(f"  {e.benchmark}: {e.reason}" for e in ended if not e.reached)]


def _complete(source: RunSource, document: Document) -> Document:
    return replace(document, spent=launches_spent(source.run))


SECTION = ReportSection(
    order=760,
    complete=_complete,
    of_run=RunView(title=lambda document: "Launches", anchor="launches", lines=lambda document: lines(document.spent)),
)
