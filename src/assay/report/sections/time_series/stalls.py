"""Rate and latency over time, from the histograms by slot of time that a benchmark's launches hold; stalls named."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from statistics import median

from assay.analysis.latency_histogram import middle, quantile
from assay.analysis.over_time import SlotSum, Stall, knee, stalls
from assay.case import Case
from assay.document.over_time import SeenStall, TimeSeries
from assay.document.section import Section
from assay.report.units import human, params
from assay.stored.launch_file import Tasks
from assay.stored.over_time import TimeSlot

UNEVEN = 1.5  # times as long as the first process: a last one that is worth a line
LEAST_PASS = 0.1  # s; shorter ones end by chance
FEW = 100  # operations in a slot: of fewer no p99
Pass = list[TimeSlot]


def over_time(tasks: Tasks) -> list[TimeSeries]:
    """One series a case and host, of all launches that count; empty where no line is of this kind."""
    found: dict[tuple[Case, str], dict[tuple[int, int], Pass]] = defaultdict(lambda: defaultdict(list))
    for about, file in tasks:
        if not about.superseded:
            for each in file.content.over_time:
                found[each.case, each.host][about.launch, each.pass_].append(each)
    return [_series(case, host, passes) for (case, host), passes in found.items()]


def _series(case: Case, host: str, passes: dict[tuple[int, int], Pass]) -> TimeSeries:
    slot = max(each.slot for of in passes.values() for each in of)
    rates: dict[int, list[float]] = defaultdict(list)
    counts: dict[int, Counter[int]] = defaultdict(Counter)
    for of in passes.values():
        ends, moved = _end(of), _by_slot(of, slot)
        for at in range(max(1, round(ends // slot))):
            rates[at].append((moved[at].bytes if at in moved else 0) / min(slot, ends))
        for each in of:
            counts[_at(each, slot)].update(each.counts)
    drawn = [counts[at] if at in counts else Counter[int]() for at in sorted(rates)]
    done = [_done(of) for of in passes.values()]
    apart = [each for each in done if len(each) > 1]
    latest = Counter(max(each, key=lambda process: each[process]) for each in apart).most_common(1)
    return TimeSeries(
        params=case,
        host=host,
        slot=slot,
        launches=len({launch for launch, _ in passes}),
        passes=len(passes),
        seconds=[at * slot for at in sorted(rates)],
        rate=[median(rates[at]) for at in sorted(rates)],
        rate_low=[min(rates[at]) for at in sorted(rates)],
        rate_high=[max(rates[at]) for at in sorted(rates)],
        p50=[quantile(each, 0.5) for each in drawn],
        p99=[quantile(each, 0.99) if sum(each.values()) >= FEW else None for each in drawn],
        longest=[quantile(each, 1.0) for each in drawn],
        first_done=median(min(each.values()) for each in apart) if apart else None,
        last_done=median(max(each.values()) for each in apart) if apart else None,
        latest=latest[0][0] if latest else None,
        latest_in=latest[0][1] if latest else None,
        stalls=[stall for which, of in sorted(passes.items()) for stall in _stalls(which, of, case)],
    )


def _at(each: TimeSlot, slot: float) -> int:
    return int((each.second + each.slot / 2) // slot)


def _end(of: Pass) -> float:
    """When the last operation of a pass had ended, s; of lines of earlier versions the end of its last slot."""
    return max(each.second + each.slot if each.ended is None else each.ended for each in of) or of[0].slot


def _done(of: Pass) -> dict[int, float]:
    """When each process's last operation had ended, s."""
    return {each.process: each.ended for each in of if each.ended is not None}


def _by_slot(of: Iterable[TimeSlot], slot: float) -> dict[int, SlotSum]:
    made: dict[int, SlotSum] = {}
    for each in of:
        before = made.get(_at(each, slot), SlotSum(0, 0.0, 0.0))
        times = [(middle(bucket), count) for bucket, count in each.counts.items()]
        made[_at(each, slot)] = SlotSum(
            before.bytes + each.bytes,
            before.busy + sum(time * count for time, count in times),
            max([before.longest, *(time for time, _ in times)]),
        )
    return made


def _stalls(which: tuple[int, int], of: Pass, case: Case) -> Iterator[SeenStall]:
    """Those of all processes together, then those of one process while others went on."""
    every: Counter[int] = Counter()
    for each in of:
        every.update(each.counts)
    slot, usual = of[0].slot, quantile(every, 0.5) or 0.0
    together = stalls(_by_slot(of, slot), slot, usual)
    yield from (_seen(which, stall, None, case) for stall in together)
    processes = sorted({each.process for each in of})
    for process in processes if len(processes) > 1 else ():
        for stall in stalls(_by_slot((each for each in of if each.process == process), slot), slot, usual):
            if not any(_overlap(stall, other) for other in together):
                yield _seen(which, stall, process, case)


def _overlap(one: Stall, other: Stall) -> bool:
    return one.begin < other.begin + other.seconds and other.begin < one.begin + one.seconds


def _seen(which: tuple[int, int], stall: Stall, process: int | None, case: Case) -> SeenStall:
    launch, block = which
    verb = "written" if case.get("direction") == "write" else "read"
    whose = "" if process is None else f" by process {process}"
    what = f"only {human(stall.rate, 'B/s', 3)} were" if stall.rate else "nothing was"
    text = (
        f"stalled for {human(stall.seconds, 's', 2)}: {what} {verb}{whose} (usually {human(stall.usual, 'B/s', 3)}) "
        f"while an operation waited {human(stall.waited, 's', 2)}; {human(stall.begin, 's', 3)} after the beginning of "
        f"pass {block} of launch {launch}"
    )
    return SeenStall(launch=launch, block=block, process=process, **vars(stall), text=text)


def stalled(section: Section) -> list[tuple[float, str]]:
    """Each case with stalls: seconds of the longest, and one line."""
    found = []
    for series in section.over_time or ():
        if series.stalls:
            worst = max(series.stalls, key=lambda stall: stall.seconds)
            more = f" ({len(series.stalls)} stalls in {series.passes} passes)" if len(series.stalls) > 1 else ""
            found.append((worst.seconds, f"{worst.text}{more}: {_case(series, section.over_time or ())}"))
    return sorted(found, reverse=True)


def uneven(section: Section) -> list[tuple[float, str]]:
    """Each case whose last process ends much later than the first: how many times as long, and one line."""
    found = []
    for series in section.over_time or ():
        first, last = series.first_done, series.last_done
        if first and last and last >= LEAST_PASS and last >= UNEVEN * first:
            text = (
                f"the last process ends after {human(last, 's', 3)}, the first after {human(first, 's', 3)}; process "
                f"{series.latest} is last in {series.latest_in} of {series.passes} passes"
            )
            found.append((last / first, f"{text}: {_case(series, section.over_time or ())}"))
    return sorted(found, reverse=True)


def sustained(section: Section) -> list[tuple[float, str]]:
    """Each case of writing whose rate falls for good: how many times less is written then, and one line."""
    found = []
    for series in section.over_time or ():
        at = knee(series.rate, series.slot) if series.params.get("direction") == "write" else None
        if at is not None:
            text = (
                f"after {human(at.bytes, 'B', 3)} ({human(at.second, 's', 2)}) writing falls from "
                f"{human(at.before, 'B/s', 3)} to {human(at.beyond, 'B/s', 3)} and stays there: what took it at first, "
                "a cache of the drive's or memory, is full then"
            )
            rate = at.before / at.beyond if at.beyond > 0 else at.before
            found.append((rate, f"{text}: {_case(series, section.over_time or ())}"))
    return sorted(found, reverse=True)


def lines(section: Section) -> list[str]:
    """What a terminal shows of a run of one benchmark."""
    return [text for _, text in (*stalled(section), *sustained(section), *uneven(section))]


def _case(series: TimeSeries, among: Sequence[TimeSeries]) -> str:
    """The parameters that tell a case from the others, and where its bytes came from in any case."""
    apart = {
        key: value
        for key, value in series.params.items()
        if key in ("direction", "engine", "source") or any(other.params.get(key) != value for other in among)
    }
    return params(apart)
