"""Why processors were idle in a test on a real batch system, from what was measured alone.

Between two events (a submission, a start, an end) the machine is constant. Its free processors are idle because no one
waits; because every job that waits needs more than is free; or although a job that waits would fit. Of the last, what
ends with a start was the batch system's own time: it could have started that job at once, as nothing else happened.
Other idle time is deliberate: for a job that has a reservation, by a limit of the queue, or by a batch system that
was slower than the jobs. Processors that others' jobs have, and those of nodes that are down or reserved, are not free.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.throughput.results import IdleTime

TEXTS = {
    "nobody_waited": "no job waited",
    "none_fitted": "no waiting job fitted",
    "reacting": "the batch system's own time before a start",
    "held": "a waiting job would have fitted",
}
UNUSED = "allocated to jobs that share their nodes with no other"
Spell = tuple[float, float, float, int]  # submitted, started, ended (s), processors


def idle_times(
    jobs: Sequence[Spell], processors: int, makespan: float, taken: Sequence[tuple[float, int]] = ()
) -> dict[str, IdleTime]:
    """Processor seconds that were idle from the first submission (0) to `makespan`, by why.

    A job that never started waits until the end. `taken`: from when on how many of the `processors` are not to be had.
    """
    ended, submitted, started, others = 0, 1, 2, 3  # at one time in this order
    events = sorted(
        event
        for at, (came, begun, over, _) in enumerate(jobs)
        for event in ((came, submitted, at), (begun, started, at), (over, ended, at))
        if event[1] != ended or over > begun
    )
    events = sorted([*events, *((max(when, 0.0), others, at) for at, (when, _) in enumerate(taken))])
    found = dict.fromkeys(TEXTS, 0.0)
    waiting: dict[int, int] = {}
    free, before, away = processors, 0.0, 0
    for when, kind, at in events:
        span = min(when, makespan) - before
        if span > 0:
            found[_why(waiting, free, kind == started)] += span * max(free, 0)
            before = min(when, makespan)
        if kind == others:
            free, away = free + away - taken[at][1], taken[at][1]
            continue
        _, begun, over, width = jobs[at]
        if kind == submitted:
            waiting[at] = width
        elif kind == started:
            waiting.pop(at, None)
            free -= width if over > begun else 0
        else:
            free += width
    room = processors * makespan
    return {
        why: IdleTime(processor_seconds=spent, share=spent / room if room else 0.0, text=TEXTS[why])
        for why, spent in found.items()
    }


def _why(waiting: dict[int, int], free: int, starts: bool) -> str:
    if not waiting:
        return "nobody_waited"
    if min(waiting.values()) > free:
        return "none_fitted"
    return "reacting" if starts else "held"
