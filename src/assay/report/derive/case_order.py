"""The order of cases for a reader: as their record lists its parameters' choices, not as launches were shuffled."""

from __future__ import annotations

from collections.abc import Sequence

from assay.benchmark.record import Benchmark, among
from assay.document.params import Parameters
from assay.document.section import Section


def record_of(section: Section) -> Benchmark | None:
    """The section's record; None of a program that is no longer known."""
    return among([section.benchmark]).get(section.benchmark)


def place(record: Benchmark | None, case: Parameters) -> tuple[int, ...]:
    """Where a case stands by its choices, the first parameter first; numbers do not count."""
    found = []
    for name, parameter in () if record is None else record.parameters.items():
        if parameter.kind == "choice":
            value = case.get(name)
            found.append(parameter.choices.index(value) if value in parameter.choices else len(parameter.choices))
    return tuple(found)


def by_value(value: object) -> tuple[int, float, str]:
    """Where a value stands among others of its parameter: numbers as numbers, then words."""
    return (0, float(value), "") if isinstance(value, int | float) else (1, 0.0, str(value))


def case_key(record: Benchmark | None, case: Parameters, but: Sequence[str] = ()) -> tuple[object, ...]:
    """What cases are sorted by: choices in their record's order, then all values but those of `but`, by their names."""
    return place(record, case), tuple(by_value(value) for key, value in sorted(case.items()) if key not in but)
