"""Names in a description that mean something only to programs: parameters' defaults and kernels of [compute].

The description's own loader knows no programs, so that this is looked at where one is about to run: a name that no
program has could change no result, and is refused.
"""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Collection
from string import Formatter

from assay.benchmark.record import Benchmark, one_by_one, own_benchmarks
from assay.described.kernels import stand_ins
from assay.described.machine_file import DescribedMachine
from assay.errors import InputError


def refuse_idle_names(description: DescribedMachine) -> None:
    """Refuse a default of no shipped benchmark's parameter, and a kernel that no record computes. InputError."""
    compute = description.compute
    shipped = (record for record in one_by_one() if record.kind == "ranks")
    missing = set(description.defaults)
    parameters: set[str] = set()
    while missing - parameters and (record := next(shipped, None)) is not None:  # most need few of the records
        parameters.update(record.parameters)
    for key in description.defaults:
        if key not in parameters:
            raise _refused(description, ("defaults", key), "no benchmark has such a parameter", parameters)
    if compute is None:
        return
    everybody = [*one_by_one(), *own_benchmarks().values()]
    kernels = {name for record in everybody for name in (*record.extra.get("computes", ()), *node_kernels(record))}
    kernels |= {each for name in kernels for each in stand_ins(name)}
    tables = {"rate": compute.rate, "time": compute.time, "shared": compute.shared, "cached": compute.cached}
    for table, given in {**tables, "half_length": compute.half_length}.items():
        for kernel in given:
            if kernel not in kernels:
                problem = "no benchmark's record has such a kernel"
                raise _refused(description, ("compute", table, kernel), problem, kernels)


def node_kernels(record: Benchmark) -> tuple[str, ...]:
    """The kernels whose rates a node program takes on a described machine: of the record's [described]."""
    plays = record.extra.get("described", {})
    named = str(plays.get("kernel", ""))
    places = [name for _, name, _, _ in Formatter().parse(named) if name]
    choices = [plays.get("only", {}).get(place, record.parameters[place].choices) for place in places]
    found = (
        [named.format_map(dict(zip(places, of, strict=True))) for of in itertools.product(*choices)] if named else []
    )
    return tuple(str(plays.get("named", {}).get(each, each)) for each in found)


def _refused(description: DescribedMachine, keys: tuple[str, ...], problem: str, known: Collection[str]) -> InputError:
    near = difflib.get_close_matches(keys[-1], known, 1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    return description.wrong(keys, f"{problem}{hint}", ", ".join(sorted(known)))
