"""What is said before a run begins: which benchmarks take much of the memory, and how long they may.

A record says `takes_memory = "share"`: the parameter that is a share of the memory that is free when it runs. Its time
is its blocks' slices.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assay.benchmark import resolved
from assay.benchmark.record import Benchmark
from assay.machine.limits import limits
from assay.machine.memory import memory


def announced(
    records: Iterable[Benchmark], profile: str, settings: Mapping[str, str] | None = None, *, here: bool = True
) -> list[str]:
    """One line for each of `records` that takes a share of the memory, in `profile` and with what a person set.

    `here`: of this host's memory, which can be read. InputError where the record does not accept a setting.
    """
    found = []
    for record in records:
        if (parameter := record.extra.get("takes_memory")) is None:
            continue
        share = max(float(each) for each in resolved.values(record, settings or {}, profile)[parameter])
        free = memory(limits=limits()).usable if here else None
        now = "" if free is None else f", {share * free / 1e9:.3g} GB now"
        slice_, blocks = resolved.sampling(record, profile)
        minutes = blocks * slice_ / 60
        most = f"{minutes:.3g} min" if minutes >= 1 else f"{blocks * slice_:.3g} s"
        found.append(
            f"{record.name}: takes {100 * share:.3g}% of the free memory{now}, and about {most} at most, once in a run"
        )
    return found
