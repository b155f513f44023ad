"""What the first figures of a benchmark are called whose record names no main figure: `LINPACK, size 100: library`.

Before the colon stand the benchmark, the figure where its unit does not say it, and what all cases have alike without
which they are none: direction, size, length, more than two ranks, the one of many choices that was asked for. Behind
the colon stands what tells each from the others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from assay.benchmark.record import Benchmark
from assay.document.params import Parameters
from assay.document.reported_figure import ReportedFigure
from assay.document.section import Section
from assay.report.derive.case_order import record_of
from assay.report.derive.settings import setting
from assay.report.judge.first_cases import telling
from assay.report.render.plots import ALWAYS_SAID
from assay.report.sections.load_latency import case_name
from assay.report.units import human, params

SAID_BY_UNITS = ("rate", "time")  # names of figures that need not be said beside flop/s, B/s or s
ESSENTIAL = ("direction", "size", "length", "bytes", "ranks")  # in this order, said although all cases have them alike
PAIR = 2  # ranks of which a message between two is not said to be one of


def titles(section: Section, every: Sequence[ReportedFigure], chosen: Sequence[ReportedFigure]) -> list[str]:
    """Title each of the figures `chosen` of `every` one of that name; [] of none."""
    if not chosen:
        return []
    record, own = record_of(section), section.choice.own if section.choice else None
    across = section.choice.across if section.choice else None
    alike = {key: value for key, value in chosen[0].params.items() if all(_has(each, key, value) for each in chosen)}
    only = _chosen_of_many(record, alike) if len(chosen) > 1 else []
    named = [key for key, value in alike.items() if _essential(key, value) or (key in only and key != across)]
    named.sort(key=lambda key: ESSENTIAL.index(key) if key in ESSENTIAL else -1)
    name, words = _short(section.title), [_value(record, key, alike[key]) for key in named]
    if len(chosen) < len(every) and own is not None and alike.get(across or "") == own:
        words.append(own)
    shown = chosen[0].name.replace("_", " ")
    if chosen[0].name not in SAID_BY_UNITS and shown != name.lower():
        words.insert(0, shown)
    cases = telling([each.params for each in chosen], section)
    made = []
    for case in cases:
        apart = [key for key, value in case.items() if value is not None and key not in named]
        apart = [key for key in apart if key in ALWAYS_SAID or any(other.get(key) != case[key] for other in cases)]
        written = case_name(case) if "writes" in apart else None
        apart = [key for key in apart if written is None or key not in ("writes", "stores")]
        rest = [*((written,) if written else ()), *(_value(record, key, case[key]) for key in apart)]
        made.append(", ".join([name, *words]) + (f": {', '.join(rest)}" if rest else ""))
    return made


def _has(figure: ReportedFigure, key: str, value: object) -> bool:
    return key in figure.params and bool(figure.params[key] == value)


def _essential(key: str, value: Any) -> bool:
    if key == "size" and value == 0:  # as large as the program chooses
        return False
    return key in ESSENTIAL and value is not None and not (key == "ranks" and int(value) <= PAIR)


def _chosen_of_many(record: Benchmark | None, common: Parameters) -> list[str]:
    """Choices that all cases have alike, of which the record measures several by itself: without them a case is none.

    A function, say, which `--set function=exp` names.
    """
    known = {} if record is None else record.parameters
    return [key for key in common if key in known and known[key].choices and isinstance(known[key].default, tuple)]


def _short(title: str) -> str:
    """A section's title without what stands in brackets behind it, such as EuroBen's name of it."""
    return re.sub(r" \([^)]*\)$", "", title)


def _value(record: Benchmark | None, key: str, value: object) -> str:
    """One parameter of a case: lengths in bytes by their unit, words by themselves, other numbers with their name."""
    parameter = None if record is None else record.parameters.get(key)
    if isinstance(value, str):
        return params({key: value}).removeprefix(f"{key} ").replace(" (memory, not storage)", ", not storage")
    if isinstance(value, int) and (key == "bytes" or (parameter is not None and parameter.unit == "B")):
        return human(float(value), "B", 5) if value % 1024 == 0 else f"{value} B"
    return setting(key, value)
