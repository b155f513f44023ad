"""Job times on a faster machine by stated factors: `--set workload.network=1,2,10 --set workload.communication=0.3`.

Of every job's run the part `communication` takes 1 / `network` of its time, the rest 1 / `processor` (Amdahl's law in
two terms). What jobs request scales with what they run, so that estimates stay as good as they were.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from assay.errors import InputError
from assay.throughput.workload import Workload, rounded

PREFIX = "workload."
KEYS = {"network": (1e-6, 1e6), "processor": (1e-6, 1e6), "communication": (0.0, 1.0)}
LONGEST = 2**31 - 2  # seconds


def factor(settings: Mapping[str, str]) -> float:
    """By how much run times are longer; 1 without settings. InputError for a key or a value that is none."""
    values = {"network": 1.0, "processor": 1.0, "communication": 0.0}
    network, processor, part = (PREFIX + name for name in KEYS)
    lacks = {network: [part], part: [network, processor]}
    for key, others in lacks.items():
        if key in settings and not any(other in settings for other in others):
            accepted = f"with --set {' or '.join(others)}"
            raise InputError("changes nothing by itself", key=f"--set {key}", value=settings[key], accepted=accepted)
    for key, text in settings.items():
        name = key.removeprefix(PREFIX)
        if name not in KEYS:
            accepted = ", ".join(PREFIX + each for each in KEYS)
            raise InputError("there is no such key of the workload", key="--set", value=key, accepted=accepted)
        low, high = KEYS[name]
        try:
            values[name] = float(text)
        except ValueError:
            values[name] = float("nan")
        if not low <= values[name] <= high:
            accepted = f"{low:g} to {high:g}"
            raise InputError("is no value of it", key=f"--set {key}", value=text, accepted=accepted)
    share = values["communication"]
    return (1 - share) / values["processor"] + share / values["network"]


def scaled(workload: Workload, settings: Mapping[str, str]) -> Workload:
    """The workload with its run times, and what jobs request, by the factor, to its ticks; requests of 1 s at least.

    Those of a table of jobs, which has fractions of a second, are at least one of its ticks.
    """
    by = factor(settings)
    if by == 1:
        return workload
    runs = rounded(np.minimum(workload.runs * by, LONGEST), workload.ticks)
    requested = rounded(np.clip(workload.requested * by, 1 / workload.ticks, LONGEST), workload.ticks)
    return replace(workload, runs=np.minimum(runs, requested), requested=requested)
