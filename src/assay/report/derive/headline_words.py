"""The words of a headline: a parameter in braces stands for its value in the case that was chosen."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from assay.benchmark.record import Benchmark
from assay.report.units import human


def at_case(words: str | None, record: Benchmark, case: Mapping[str, Any]) -> str | None:
    """`messages of {bytes}` becomes `messages of 4 MiB`; a name in braces that the case has not stays."""

    def value(found: re.Match[str]) -> str:
        seen = case.get(found[1])
        if isinstance(seen, bool) or not isinstance(seen, int | float):
            return found[0] if seen is None else str(seen)
        parameter = record.parameters.get(found[1])
        return human(float(seen), parameter.unit if parameter else "1")

    return None if words is None else re.sub(r"\{(\w+)\}", value, words)
