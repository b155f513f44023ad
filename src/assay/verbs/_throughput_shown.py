"""Output of `assay throughput`: a test's page and files, with other systems for comparison."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay import output_file
from assay.errors import InputError
from assay.number_words import number_of
from assay.throughput import printed_totals, processor_time
from assay.verbs._throughput_words import (
    QUEUE_HEAD,
    counted_words,
    failed_words,
    fairness_rows,
    interference_rows,
    machine_rows,
    not_completed_words,
    queue_definition,
    queue_row,
    slowdown_words,
    time_of,
)

if TYPE_CHECKING:
    from assay.throughput.activity import JobActivity
    from assay.throughput.activity_page import PagePlot, PageTable
    from assay.throughput.fairness import Fairness
    from assay.throughput.live_results import LiveThroughput
    from assay.throughput.repeated import RepeatedThroughput
    from assay.throughput.results import ThroughputResult

RESULT = "result.json"
PRINTED = "Totals that the paper prints of this test"
FILES = ("report.html", "jobs.csv", "schedule.swf", "gantt.svg", "timeline.json")


def load_other_test(folder: Path) -> LiveThroughput:
    """The result of another test by its folder; InputError where there is none that can be read."""
    from pydantic import ValidationError

    from assay import versions
    from assay.document.json_form import from_json
    from assay.throughput.live_results import LiveThroughput

    path = folder / RESULT
    try:
        data = json.loads(path.read_text())
        current = versions.current(versions.DOCUMENT, data, versions.in_file(path))
        return from_json(LiveThroughput, current)
    except OSError as error:
        accepted = "the folder of a throughput test that has ended"
        raise InputError(f"cannot be read: {error.strerror or error}", file=path, accepted=accepted) from None
    except (ValueError, TypeError, AttributeError, ValidationError):
        raise InputError("has no result of a throughput test", key="--beside", value=str(folder)) from None


def verdict(found: LiveThroughput) -> str:
    """A test in one line."""
    refused = f", {len(found.refused):,} refused," if found.refused else ""
    share = f" ({words})" if (words := not_completed_words(found)) else ""
    return (
        f"{found.completed:,} of {number_of(len(found.jobs) + len(found.refused), 'job')} completed{refused} on "
        f"{number_of(found.processors, 'processor')} of {found.machine}, {found.system} ({found.policy}): makespan "
        f"{time_of(found.makespan)}, utilisation {100 * found.utilisation:.1f}%{share}, {found.lost} lost, "
        f"{found.failed} failed"
    )


def write_live(found: LiveThroughput, others: Sequence[LiveThroughput], exports: Sequence[Path]) -> None:
    """Write a test's result, its page and its files to its folder, and requested files elsewhere."""
    from assay import versions
    from assay.document.json_form import to_json
    from assay.throughput import activity
    from assay.throughput.exports import write

    activities = [activity.of_live(found), *map(activity.of_live, others), *activity.ideals_of(found)]
    folder = Path(found.out)

    def page() -> str:
        return _live_page(found, others, activities)

    document = versions.marked(versions.DOCUMENT, to_json(found))
    output_file.write_text(folder / RESULT, json.dumps(document, allow_nan=False, indent=1) + "\n")
    for file in [*(folder / name for name in FILES), *exports]:
        write(file, activities, page)


def write_repeated(
    found: RepeatedThroughput, folder: Path, exports: Sequence[Path], rows: Sequence[Sequence[str]]
) -> None:
    """Write what repetitions come to, and a page of all of them; `rows` are the figures with their intervals."""
    from assay import versions
    from assay.document.json_form import to_json
    from assay.throughput import activity
    from assay.throughput.activity_page import PageTable
    from assay.throughput.exports import write

    activities = [activity.of_live(each) for each in found.tests]
    head = ["", "median", "95% interval", "range"]
    table = PageTable(title=f"Over {found.repetitions} repetitions", head=head, rows=rows)

    def page() -> str:
        return _live_page(found.tests[0], found.tests[1:], activities, [table])

    document = versions.marked(versions.DOCUMENT, to_json(found))
    output_file.write_text(folder / RESULT, json.dumps(document, allow_nan=False, indent=1) + "\n")
    for file in [folder / "report.html", *exports]:
        write(file, activities, page)


def _live_page(
    found: LiveThroughput,
    others: Sequence[LiveThroughput],
    activities: Sequence[JobActivity],
    first: Sequence[PageTable] = (),
) -> str:
    from assay.throughput.activity_page import PageTable, activity_page
    from assay.throughput.live_idle import TEXTS, UNUSED

    systems = [found, *others]
    heads = ["", *(f"{each.system} ({each.policy})" for each in systems)]

    def rows(*wanted: tuple[str, str]) -> list[list[str]]:
        return [[title, *(_cell(getattr(each, key), key) for each in systems)] for title, key in wanted]

    measured = rows(
        ("processors", "processors"), ("time compressed by", "compress"), ("makespan", "makespan"),
        ("least possible", "least_makespan"), ("efficiency", "efficiency"), ("utilisation", "utilisation"),
        ("wait, mean", "mean_wait"), ("wait, longest", "longest_wait"), ("response, mean", "mean_response"),
        ("bounded slowdown", "bounded_slowdown"), ("completed", "completed"), ("lost", "lost"), ("failed", "failed"),
        ("resumed", "interrupted"),
    )  # fmt: skip
    measured.append(["refused", *(f"{len(each.refused):,}" for each in systems)])
    measured.insert(0, ["times and ratios are of", *(counted_words(each) for each in systems)])
    policies = list(dict.fromkeys(policy for each in systems for policy in each.ideal))
    ideal = [[policy, *(_ideal(each, policy) for each in systems)] for policy in policies]
    if any(each.predicted is not None for each in systems):
        ideal.append(["with the measured delays", *(_twin(each) for each in systems)])
    measured += [
        [f"idle: {TEXTS[why]}", *(f"{100 * each.idle[why].share:.1f}%" if why in each.idle else "" for each in systems)]
        for why in TEXTS
    ]
    if any("unused" in each.idle for each in systems):
        shares = (f"{100 * each.idle['unused'].share:.1f}%" if "unused" in each.idle else "" for each in systems)
        measured.append([f"idle: {UNUSED}", *shares])
    for title in dict.fromkeys(title for each in systems for title, _ in machine_rows(each)):
        measured.append([title, *(dict(machine_rows(each)).get(title, "") for each in systems)])
    measured.append(["nodes sampled", *(_sampled(each) for each in systems)])
    rates = [
        ["submissions per second", *(_number(each.rates.submit_rate) for each in systems)],
        ["one submission, median", *(_seconds(each.rates.submission_median) for each in systems)],
        ["from an event to a start, median", *(_seconds(each.rates.reaction_median) for each in systems)],
        ["from an event to a start, longest", *(_seconds(each.rates.reaction_longest) for each in systems)],
        ["decisions per second", *(_number(each.rates.decision_rate) for each in systems)],
    ]
    queues = [[q.name, ", ".join(f"{key} {value}" for key, value in q.facts.items())] for q in found.queues]
    tables = [
        *first,
        PageTable(title="Measured", head=heads, rows=measured),
        PageTable(title="Makespan of the same jobs without any cost, and the overhead over it", head=heads, rows=ideal),
        PageTable(title="The batch system's speed", head=heads, rows=rates),
        PageTable(title="Queues", head=["queue", "definition"], rows=queues),
    ]
    if any(each.processor_time for each in systems):
        spent = [(title, *row) for title, each in zip(heads[1:], systems, strict=True)
                 for row in processor_time.rows(each.processor_time or [])]  # fmt: skip
        spent = [row[1:] for row in spent] if len(systems) == 1 else spent
        head = ["system"] * (len(systems) > 1) + [*processor_time.HEAD]
        tables.append(PageTable(title=processor_time.TITLE, head=head, rows=spent))
    printed = [row for each in systems for row in printed_totals.rows(each.printed or [])]
    tables += [PageTable(title=PRINTED, head=["", "value"], rows=printed)] if printed else []
    if found.alone:
        rows_alone = [[each.name, str(each.processors), str(each.jobs), slowdown_words(each)] for each in found.alone]
        head = ["program", "processors", "jobs", "alone, and in the mix"]
        tables.append(PageTable(title="Compared with single-user mode", head=head, rows=rows_alone))
    notes = [f"{each.job}: {each.kind}: {each.text}" for each in found.findings]
    notes += [f"{job.name}: refused: needs {job.processors} processors" for job in found.refused]
    named = [(f"{each.system} ({each.policy})", each.fairness) for each in systems]
    return activity_page(verdict(found), activities, tables, notes, _fairness(named, tables))


def _fairness(found: Sequence[tuple[str, Fairness | None]], tables: list[PageTable]) -> list[PagePlot]:
    """Add the table of how evenly each system served, and give the bars of each."""
    from assay.throughput.activity_page import PagePlot, PageTable
    from assay.throughput.fairness_svg import fairness_svg

    rows = [[f"{title}: {name}", text] for title, each in found for name, text in fairness_rows(each)]
    if rows:
        tables.append(PageTable(title="Fairness", head=["", "value"], rows=rows))
    return [
        PagePlot(title=f"Mean bounded slowdown by {each.of}: {title}", svg=fairness_svg(each))
        for title, each in found
        if each is not None and each.groups
    ]


def _cell(value: float, key: str) -> str:
    if key in ("efficiency", "utilisation"):
        return f"{100 * value:.1f}%"
    if key in ("makespan", "least_makespan", "mean_wait", "longest_wait", "mean_response"):
        return time_of(value)
    return f"{value:.4g}"


def _sampled(found: LiveThroughput) -> str:
    """How many nodes were seen, and which were not."""
    return f"{len(found.use)}" + (f"; not {', '.join(found.not_sampled)}" if found.not_sampled else "")


def _ideal(found: LiveThroughput, policy: str) -> str:
    each = found.ideal.get(policy)
    on = f" on {found.ideal_processors:,} processors" if found.ideal_processors is not None else ""
    return "" if each is None else f"{time_of(each.makespan)} ({100 * each.overhead:+.1f}%){on}"


def _twin(found: LiveThroughput) -> str:
    twin = found.predicted
    if twin is None:
        return ""
    return f"{twin.policy}: {time_of(twin.makespan)} (predicted {100 * twin.difference:+.1f}%)"


def _number(value: float | None) -> str:
    return "not known" if value is None else f"{value:,.3g}"


def _seconds(value: float | None) -> str:
    return "not known" if value is None else f"{value:.3g} s"


def simulated_page(results: Sequence[ThroughputResult], activities: Sequence[JobActivity]) -> str:
    """The page of one or several simulated systems."""
    from assay.throughput.activity_page import PageTable, activity_page
    from assay.verbs import _throughput_mix as mix

    failed = failed_words(results)
    rows = [
        [
            each.title,
            time_of(result.makespan),
            f"{100 * result.efficiency:.1f}%",
            f"{100 * result.utilisation:.1f}%",
            time_of(result.mean_wait),
            time_of(result.longest_wait),
            f"{result.bounded_slowdown:.4g}",
            *([f"{result.failed:,}"] if failed else []),
        ]
        for each, result in zip(activities, results, strict=True)
    ]
    head = ["", "makespan", "efficiency", "in use", "mean wait", "longest", "bounded slowdown"]
    head += ["failed"] if failed else []
    first = results[0]
    line = f"{number_of(first.scheduled, 'job')} of {first.workload}, simulated{f'; {failed}' if failed else ''}"
    notes = [f"{job.name}: {job.why}: {job.processors} processors" for job in first.refused[:100]]
    tables = [PageTable(title="Simulated", head=head, rows=rows)]
    printed = [row for result in results for row in printed_totals.rows(result.printed or [])]
    tables += [PageTable(title=PRINTED, head=["", "value"], rows=printed)] if printed else []
    slowed = [(each.title, result) for each, result in zip(activities, results, strict=True) if result.interference]
    if slowed:
        rows = [[f"{title}: {name}", text] for title, result in slowed for name, text in interference_rows(result)]
        tables.append(PageTable(title="What jobs cost one another", head=["", "value"], rows=rows))
    for each, result in zip(activities, results, strict=True):
        if result.queues:
            queues = [(*queue_row(queue), queue_definition(queue)) for queue in result.queues]
            tables.append(PageTable(title=f"Queues of {each.title}", head=[*QUEUE_HEAD, "definition"], rows=queues))
        tables += mix.tables(result, each.title if len(results) > 1 else "")
        notes += [f"{job.name}: {job.state}: {job.why}" for job in result.played or () if job.state != "completed"]
        notes += mix.held_lines(result)
    named = [(each.title, result.fairness) for each, result in zip(activities, results, strict=True)]
    return activity_page(line, activities, tables, notes, _fairness(named, tables))
