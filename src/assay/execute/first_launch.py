"""Work that a program does once, in the first launch of a run, and its duration.

A record declares it in `[first_launch]`: `profile`, in which alone it is done; `where`, the cases that it is done for
(`key=value,value …`), `but`, those among them that are left out; `seconds` of processor time for each of these cases,
shared by all processors that the launch may use; `does`, what it does, in words.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping

from assay.benchmark import resolved
from assay.benchmark.record import Benchmark
from assay.machine.units import waiting_time


def cases(record: Benchmark, profile: str, settings: Mapping[str, str] | None = None) -> int:
    """How many cases it is done for; InputError where the record does not accept a setting."""
    wanted = record.extra.get("first_launch")
    if wanted is None or wanted["profile"] != profile:
        return 0
    values = resolved.values(record, settings or {}, profile)
    every = (dict(zip(values, case, strict=True)) for case in itertools.product(*values.values()))
    where, but = _cases(wanted["where"]), _cases(wanted.get("but", ""))
    return sum(
        all(str(case[key]) in named for key, named in where.items())
        and not any(str(case[key]) in named for key, named in but.items())
        for case in every
    )


def _cases(text: str) -> dict[str, list[str]]:
    parts = (word.split("=", 1) for word in text.split())
    return {key: named.split(",") for key, named in parts}


def processor_seconds(record: Benchmark, profile: str, settings: Mapping[str, str] | None = None) -> float:
    """Seconds of processor time of it in a run's first launch: 0 where it does nothing more than others."""
    count = cases(record, profile, settings)
    return count * float(record.extra["first_launch"]["seconds"]) if count else 0.0


def usable() -> int:
    """Processors that a launch on this host shares the work among."""
    return len(os.sched_getaffinity(0))


def line(record: Benchmark, profile: str, settings: Mapping[str, str] | None = None, *, here: bool = True) -> str:
    """Before a run: how long it takes on this host, else how much processor time; "" without such work."""
    count = cases(record, profile, settings)
    if not count:
        return ""
    seconds, processors = processor_seconds(record, profile, settings), usable()
    shared = f"{waiting_time(seconds / processors)} on {processors} processors"
    time = shared if here else f"{waiting_time(seconds)} of processor time"
    does = str(record.extra["first_launch"]["does"]).format(cases=count)
    return f"{record.name}: {does}, about {time}, in the first launch of each build variant alone"
