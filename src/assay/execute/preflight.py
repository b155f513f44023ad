"""Reports before a run: which benchmarks take much of the memory or of the time; which write files, where.

In a record `takes_memory = "share"` names the parameter that is a share of the free memory. Its time
is its blocks' slices. `writes = [2, "size"]`: numbers and parameters (and `ranks`) whose product is the most bytes of
its files, in the folder that its parameter of kind `path` names.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from assay.benchmark import resolved
from assay.benchmark.record import Benchmark
from assay.execute import first_launch
from assay.execute.folders import SHARE, Folder, free_bytes
from assay.machine.limits import limits
from assay.machine.memory import memory
from assay.machine.units import waiting_time


def resource_notices(
    records: Iterable[Benchmark],
    profile: str,
    settings: Mapping[str, str] | None = None,
    *,
    here: bool = True,
    folders: Mapping[str, Mapping[str, Folder]] | None = None,
    ranks: Mapping[str, int] | None = None,
) -> list[str]:
    """One line for each of `records` that takes a share of the memory, long once or writes files, in `profile` as set.

    `here`: of this host's memory, which can be read. `folders`: where files go, by benchmark and parameter. `ranks`:
    the most ranks that each benchmark is started with, which its record's `writes` may count. InputError where the
    record does not accept a setting.
    """
    found = []
    for record in records:
        found += _files(
            record, profile, settings or {}, (folders or {}).get(record.name, {}), (ranks or {}).get(record.name, 1)
        )
        if once := first_launch.line(record, profile, settings, here=here):
            found.append(once)
        if (parameter := record.extra.get("takes_memory")) is None:
            continue
        share = max(float(each) for each in resolved.values(record, settings or {}, profile)[parameter])
        free = memory(limits=limits()).usable if here else None
        now = "" if free is None else f", {share * free / 1e9:.3g} GB now"
        slice_, blocks = resolved.sampling(record, profile)
        most = waiting_time(blocks * slice_)
        found.append(
            f"{record.name}: takes {100 * share:.3g}% of the free memory{now}, and about {most} at most, once in a run"
        )
    return found


def _files(
    record: Benchmark, profile: str, settings: Mapping[str, str], named: Mapping[str, Folder], ranks: int
) -> list[str]:
    """How many bytes of files are written, and where; nothing for a record that writes none."""
    if "writes" not in record.extra or not named:
        return []
    of = {"ranks": (ranks,), **resolved.values(record, settings, profile)}
    factors = [max(map(float, of[each])) if each in of else float(each) for each in record.extra["writes"]]
    bytes_ = math.prod(factors)
    found = []
    for folder in named.values():
        free = free_bytes(folder)
        most = bytes_ if free is None else min(bytes_, SHARE * free)
        room = (
            "" if free is None else f"; {free / 1e9:.3g} GB are free there; it takes at most {100 * SHARE:g}% of them"
        )
        if most < bytes_:
            room += f": what needs more, up to {bytes_ / 1e6:.4g} MB as set, is not measured in full"
        found.append(
            f"{record.name}: writes files of {most / 1e6:.4g} MB at most, in a folder of its own in {folder.words}, "
            f"removed at the end{room}"
        )
    return found
