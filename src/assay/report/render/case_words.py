"""A case in words, by what its record says of it: bytes and times by their units, and what a 0 stands for.

A parameter's help explains a 0 that is no amount by `0: …`, as in "0: as compiled": these words stand for it where they
are short, else "automatic".
"""

from __future__ import annotations

import re
from typing import Any

from assay.benchmark.record import Benchmark, among
from assay.document.params import KNOWN_FROM_HOST, Parameters
from assay.report.units import human, params

ZERO = re.compile(r"\b0: ([^;,(]+)")
LONGEST = 24  # letters of what a 0 stands for


def case_words(case: Parameters, record: Benchmark | None, guest: bool | None = None) -> str:
    """Write a case's parameters in one short text, without unknown ones and what an application counts.

    `guest`: as value_words has it.
    """
    known = {key: value for key, value in case.items() if value is not None and key not in counts_of(record)}
    return ", ".join(f"{key} {value_words(key, value, record, guest)}" for key, value in known.items())


def counts_of(record: Benchmark | None) -> frozenset[str]:
    """What an application counts for its rate, which follows from its parameters: operations, updates."""
    if record is None or record.part != "applications":
        return frozenset()
    formulas = " ".join(figure.formula or "" for figure in record.figures.values())
    return frozenset(re.findall(r"[a-z_]\w*", formulas)) - record.parameters.keys() - {"value"}


def words_of(benchmark: str, case: Parameters, guest: bool | None = None) -> str:
    """Write the case of a benchmark that is known by its name."""
    return case_words(case, among([benchmark]).get(benchmark), guest)


def value_words(key: str, value: Any, record: Benchmark | None, guest: bool | None = None) -> str:
    """Write one parameter's value without its name; `guest`: of a virtual machine, which cannot know where it lies."""
    if guest and key == "placement" and value in KNOWN_FROM_HOST:
        return f"{value} (as reported to the guest)"
    parameter = None if record is None else record.parameters.get(key)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if parameter is not None and number:
        meant = ZERO.search(parameter.help) if value == 0 else None
        if meant:
            return meant[1].strip() if len(meant[1].strip()) <= LONGEST else "automatic"
        if parameter.unit == "B":
            return human(float(value), "B", 5) if value % 1024 == 0 else f"{value} B"
        if parameter.unit == "s" and value:
            return human(float(value), "s")
    return params({key: value}).removeprefix(f"{key} ")
