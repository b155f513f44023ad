"""The total times that van der Steen prints of its throughput test, compared with that of a schedule.

Sections 6.1.3, 6.2.4 and 6.3.4. Each total is of certain jobs: the paper left some out, lost one, added time for
others, or estimated another network. A ratio is formed with a schedule of just these jobs; of others the total gives
what it is of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.throughput import job_table, schedule_file

SUITE = "euroben_run"
ON = {"compaq": ("compaq-xp1000-cluster", 18), "ibm": ("ibm-netfinity-cluster", 16), "sgi": ("sgi-l1200-cluster", 16)}
TABLE, ANY = 0.0, -1.0  # how long a suite takes
SAME_TIME = 0.01  # relative: run times of one suite
LOST_SUITE = 11_000.0  # s, that the paper adds to the Compaq's total for the suite that PBS lost (section 6.1.3)


@dataclass(frozen=True, kw_only=True)
class PrintedTotal:
    """A printed total (s), of what, and its ratio to the schedule's makespan: None where it is of other jobs.

    `unlike`: in what the schedule's jobs are others; None where they are the same.
    """

    machine: str
    value: float
    kind: str = "quoted"
    basis: str
    source: str
    text: str
    makespan: float
    ratio: float | None
    unlike: str | None


@dataclass(frozen=True)
class Schedule:
    """What was run: how workload and table of jobs were named, the numbers of the jobs that ran, the run times (s) of
    the suites among them, processors, and the makespan (s)."""

    workload: str
    table: str
    numbers: frozenset[int]
    suites: tuple[float, ...]
    processors: int
    makespan: float


@dataclass(frozen=True)
class _Work:
    """Which jobs a total is of: none of `absent` (by number), suites of `suite` seconds, ANY or as the TABLE has them.

    `less`: seconds to be taken off the printed number. `of`: its value in the catalogue, which has several a machine.
    """

    cluster: str
    of: float
    text: str
    absent: tuple[int, ...] = ()
    suite: float = TABLE
    less: float = 0.0


WORK = (
    _Work("compaq", 38_500, "all 33 jobs, 11,000 s added for the suite that was lost"),
    _Work("compaq", 38_500, "without job 15, as run (the 11,000 s not added)", (15,), less=LOST_SUITE),
    _Work("compaq", 14_000, "an estimate for Myrinet: EuroBen four times as fast", suite=LOST_SUITE / 4),
    _Work("ibm", 9_320, "as run, several programs of EuroBen left out"),
    _Work("ibm", 14_300, "1,000 s added for each EuroBen job", suite=2_800.0),
    _Work("sgi", 16_000, "about, without jobs 29 and 30", (29, 30), ANY),
)


def printed_totals(found: Schedule) -> list[PrintedTotal]:
    """What was printed of the cluster that a table of jobs is of; [] where the schedule is not the paper's."""
    name, _, rest = found.table.partition("-")
    cluster = rest.partition("-")[0]
    if not schedule_file.is_published(found.workload) or name != schedule_file.PUBLISHED or cluster not in ON:
        return []
    return [_total(work, found) for work in WORK if work.cluster == cluster]


def _total(work: _Work, found: Schedule) -> PrintedTotal:
    from assay.machine import catalogue

    machine, processors = ON[work.cluster]
    (cell,) = [
        each
        for each in catalogue.cells(machine=machine, benchmark="throughput", metric="time_total")
        if each.value == work.of
    ]
    value, unlike = cell.value - work.less, "; ".join(_unlike(work, found, processors)) or None
    return PrintedTotal(
        machine=machine,
        value=value,
        basis=cell.basis,
        source=cell.source,
        text=work.text,
        makespan=found.makespan,
        ratio=value / found.makespan if found.makespan and unlike is None else None,
        unlike=unlike,
    )


def _unlike(work: _Work, found: Schedule, processors: int) -> list[str]:
    every = sum(batch.count for batch in schedule_file.published())
    wanted = frozenset(range(1, every + 1)) - set(work.absent)
    missing, more = sorted(wanted - found.numbers), sorted(found.numbers - wanted)
    texts = [f"job{'s' * (len(missing) > 1)} {_few(missing)} did not run here"] if missing else []
    texts += [f"job{'s' * (len(more) > 1)} {_few(more)} did not run there"] if more else []
    texts += [f"{processors} processors there, {found.processors} here"] if found.processors != processors else []
    suite = _usual(work.cluster) if work.suite == TABLE else work.suite
    if suite != ANY and any(abs(each - suite) > SAME_TIME * suite for each in found.suites):
        texts.append(f"EuroBen takes {suite:,.0f} s there, {found.suites[0]:,.0f} s here")
    return texts


def _usual(cluster: str) -> float:
    """Seconds of a suite by the cluster's own table."""
    table = job_table.load(job_table.SHIPPED / f"{schedule_file.PUBLISHED}-{cluster}.toml")
    return float(table[SUITE].time.split()[0])


def _few(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[:4])) + (f" and {len(numbers) - 4} more" if len(numbers) > 4 else "")


def rows(found: Sequence[PrintedTotal]) -> list[tuple[str, str]]:
    """A row each, for a table of two columns."""
    return [
        (
            f"printed makespan ({each.source})",
            f"{each.value:,.0f} s, {each.text}: "
            + (f"{each.ratio:.3f} of this one" if each.ratio is not None else f"no ratio, as {each.unlike}"),
        )
        for each in found
    ]
