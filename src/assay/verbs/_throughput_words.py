"""How the throughput verb writes times, and the rows that results of simulated and real systems share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from assay.throughput import printed_totals
from assay.throughput.occupancy import TEXTS

if TYPE_CHECKING:
    from assay.throughput.alone import ProgramSlowdown
    from assay.throughput.fairness import Fairness, ServedGroup
    from assay.throughput.live_results import LiveThroughput
    from assay.throughput.queue_results import QueueResult
    from assay.throughput.results import ThroughputResult

MOST_SERVED = 6  # users or programs that are all named in a line


def time_of(seconds: float) -> str:
    """A time as a user of a batch system reads it."""
    if seconds < 0:
        return f"-{time_of(-seconds)}"
    for name, length in (("days", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.1f} {name}"
    return f"{seconds:.3g} s"


def slowdown_words(found: ProgramSlowdown) -> str:
    """A program alone, in the mix, and by how much its mean and its longest run are longer."""
    if found.alone is None or found.mean is None or found.slowdown is None or found.largest is None:
        return "not known: it did not end well"
    longer = f"{100 * (found.slowdown - 1):+.1f}%, at most {100 * (found.largest - 1):+.1f}%"
    return f"{time_of(found.alone)}, {time_of(found.mean)} ({longer})"


def setting_words(setting: Mapping[str, str]) -> list[str]:
    """The values of a combination's keys, in words where a number has no obvious meaning."""
    from assay.throughput.lublin import as_the_model_has_it

    return [f"{text} (as drawn)" if as_the_model_has_it(key, text) else text for key, text in setting.items()]


def failed_words(results: Sequence[ThroughputResult]) -> str:
    """How many jobs of one simulation, or of each of several, failed; nothing where none did."""
    counts = [each.failed for each in results]
    if not any(counts):
        return ""
    low, high = min(counts), max(counts)
    many = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    words = f"{many} of {max(each.scheduled for each in results):,} jobs failed"
    return words if any(each.played for each in results) else f"{words}, whose runs end early"


def not_completed_words(found: LiveThroughput) -> str:
    """How much of the busy time was of jobs that did not complete; nothing where all did, or where it is not known."""
    share = found.not_completed_share
    return f"{100 * share:.1f}% of the busy time by jobs that did not complete" if share else ""


def counted_words(found: LiveThroughput) -> str:
    """Which jobs times and ratios are of: all that ran, also those that failed."""
    submitted = len(found.jobs) + len(found.refused)
    which = f"all {found.ran:,} jobs" if found.ran == submitted else f"the {found.ran:,} of {submitted:,} jobs that ran"
    words = not_completed_words(found)
    return f"{which}; {words}" if words else which


def machine_rows(found: LiveThroughput) -> list[tuple[str, str]]:
    """Whose the processors of a shared cluster were."""
    use = found.machine_use
    if use is None or not found.makespan:
        return []
    room = use.total * found.makespan
    return [
        (f"of all {use.total:,} processors: {text}", f"{100 * getattr(use, key) / room:.1f}%")
        for key, text in TEXTS.items()
        if key != "hidden" or use.hidden
    ]


def fault_rows(found: ThroughputResult) -> list[tuple[str, str]]:
    """Rows of jobs that failed, and of runs that a node's failure ended, where there are any."""
    rows = []
    if found.failed:
        rows.append(("jobs that failed", f"{found.failed:,} of {found.scheduled:,}"))
    if found.restarts:
        rows.append(("runs that a node's failure ended, begun anew", f"{found.restarts:,}"))
    return rows


QUEUE_HEAD = ("queue", "jobs", "refused", "in use", "wait, mean", "wait, longest", "slowdown")


def queue_row(found: QueueResult) -> tuple[str, ...]:
    """A queue: what its jobs came to."""
    waits = [time_of(wait) if wait is not None else "" for wait in (found.mean_wait, found.longest_wait)]
    slowdown = "" if found.bounded_slowdown is None else f"{found.bounded_slowdown:.4g}"
    use = f"{100 * found.share:.1f}%"
    return (found.name, f"{found.jobs:,}", f"{found.refused:,}", use, *waits, slowdown)


def queue_definition(found: QueueResult) -> str:
    """How a queue is defined, in the words of the machine's file."""
    return ", ".join(f"{key} {value}" for key, value in found.definition.items())


def result_rows(
    found: ThroughputResult | LiveThroughput, idle: Iterable[tuple[str, str]] = ()
) -> list[tuple[str, str]]:
    """What a test came to, a row for each quantity; `idle` follows the utilisation."""
    return [
        ("makespan", time_of(found.makespan)),
        ("least possible, by work and arrivals", time_of(found.least_makespan)),
        ("efficiency: least over makespan", f"{100 * found.efficiency:.1f}%"),
        ("utilisation", f"{100 * found.utilisation:.1f}%"),
        *idle,
        ("wait, mean", time_of(found.mean_wait)),
        ("wait, median", time_of(found.median_wait)),
        ("wait, longest", time_of(found.longest_wait)),
        ("response, mean", time_of(found.mean_response)),
        ("bounded slowdown, mean", f"{found.bounded_slowdown:.4g}"),
        *fairness_rows(found.fairness),
        *interference_rows(found),
        *printed_totals.rows(found.printed or []),
    ]


def slowdown_figure(group: ServedGroup) -> str:
    """Three figures, or a whole number."""
    value = group.bounded_slowdown
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def fairness_rows(found: Fairness | None) -> list[tuple[str, str]]:
    """How evenly users or programs were served, and how many jobs were passed by later ones at their cost."""
    if found is None:
        return []
    rows = []
    if found.groups:
        several = len(found.groups) > MOST_SERVED
        shown = [found.groups[0], found.groups[-1]] if several else found.groups
        served = ", ".join(f"{group.name} {slowdown_figure(group)}" for group in shown)
        extremes = f"the greatest and the least of {len(found.groups):,}: " if several else ""
        words = f"{found.index:.3f} of 1; {extremes}{served}"
        rows.append((f"fairness by {found.of}: Jain's index of mean slowdowns", words))
    if (starts := found.fair_starts) is not None:
        words = f"{starts.late:,} of {starts.jobs:,} jobs"
        if starts.mean_miss_of_late is not None:
            words += f"; mean miss {time_of(starts.mean_miss)} over all jobs, {time_of(starts.mean_miss_of_late)} over "
            words += f"the late ones; longest {time_of(starts.longest_miss)}: {starts.latest}"
        rows.append(("started after their fair start time", words))
    elif found.fair_starts_up_to is not None:
        rows.append(("started after their fair start time", f"sought for up to {found.fair_starts_up_to:,} jobs"))
    return rows


def interference_rows(found: ThroughputResult | LiveThroughput) -> list[tuple[str, str]]:
    """How much longer jobs ran together than alone, where the machine's file has interference."""
    beside = getattr(found, "interference", None)
    if beside is None:
        return []
    return [
        ("slowdown by other jobs (run time over that alone), mean", f"{beside.mean:.4g}; largest {beside.largest:.4g}"),
        ("total processor time over that alone", f"{beside.overall:.4g}; {beside.slowed:,} jobs slowed"),
        ("ended at their limit, slowed by others", f"{beside.killed:,}"),
    ]
