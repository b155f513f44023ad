"""What else changed where a figure changed its level: from what the runs state of machine, system, build, launches."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from assay.document.history import HistoryDifference

LOAD = "load_of_others"  # in the place of a key
NEAR = 2  # runs on either side of a change, where its place may be off
# Keys by how directly they move a figure; what is nowhere here comes after.
FIRST = (
    *("host", "cpu", "cpu_quota", "usable_cpus", "affinity", "memory_limit", "governor", "boost", "kernel"),
    *("microcode", "firmware", "mpi", "launchers", "mpi_variants", "variables", "programs", "asked", LOAD),
)
LEAST_LOAD = 0.1  # processors: idle daemons use less
LOAD_LEVEL = 0.05  # of the test that the load of others has two levels
NEVER_FIRST = ("assay", "python")  # which measure, and are not measured
# Not needed in one of two runs, or not recorded by earlier versions: without a value there is no change
NOT_ALWAYS_STATED = ("launchers.", "programs.", "microcode", "firmware", "variables")
DIGEST = ".key"  # of a program: changes with its build, without details


def find_changes(
    runs: Sequence[str],
    made_with: Mapping[str, Mapping[str, str]],
    at: int,
    start: int,
    end: int,
    benchmark: str,
    others: Mapping[str, float | None] | None = None,
) -> list[HistoryDifference]:
    """What changed at run number `at` of `runs` (ids), or within `NEAR` of it, likely causes first.

    The level before was that of runs `start` to `at`, the level after that of `at` to `end`. Of programs only those
    of `benchmark` count. What lasts comes before what comes and goes, and the run itself before those near it.
    `others`: the processors that other processes used, by run.
    """
    found: list[tuple[tuple[bool, int, int, str], HistoryDifference]] = []
    taken: set[str] = set()
    places = sorted(range(max(1, at - NEAR, start + 1), min(len(runs), at + NEAR + 1, end)), key=lambda n: abs(n - at))
    for place in places:
        last, this = made_with[runs[place - 1]], made_with[runs[place]]
        for key in dict.fromkeys([*last, *this]):
            then, now = last.get(key), this.get(key)
            if then == now or key in taken or _of_another(key, benchmark):
                continue
            if (then is None or now is None) and key.startswith(NOT_ALWAYS_STATED):
                continue
            taken.add(key)
            earlier = {made_with[run].get(key) for run in runs[start:place]}
            later = {made_with[run].get(key) for run in runs[place:end]}
            lasting = now not in earlier and then not in later
            of = HistoryDifference(key, then, now, runs[place], lasting)
            found.append(((not lasting, abs(place - at), _rank(key), key), of))
    known = {run: load for run, load in (others or {}).items() if load is not None}
    before, after = ([known[run] for run in part if run in known] for part in (runs[start:at], runs[at:end]))
    if (load := _load(before, after, runs[at])) is not None:
        found.append(((not load.lasting, 0, _rank(load.key), load.key), load))
    return [of for _, of in sorted(found, key=lambda each: each[0])]


def _load(before: Sequence[float], after: Sequence[float], at_run: str) -> HistoryDifference | None:
    """The work of other processes, where it changed its level too; `lasting`: no run had what the other level had."""
    from scipy import stats

    if not before or not after:
        return None
    then, now = statistics.median(before), statistics.median(after)
    if abs(now - then) < LEAST_LOAD or stats.mannwhitneyu(before, after).pvalue > LOAD_LEVEL:
        return None
    apart = max(before) < min(after) or max(after) < min(before)
    return HistoryDifference(LOAD, f"{then:.2g} processors", f"{now:.2g} processors", at_run, apart)


def _of_another(key: str, benchmark: str) -> bool:
    return key.startswith("programs.") and key.split(".")[1] != benchmark


def _rank(key: str) -> int:
    name = key.partition(".")[0]
    if name in NEVER_FIRST or key.endswith(DIGEST):
        return len(FIRST) + 1
    return FIRST.index(name) if name in FIRST else len(FIRST)
