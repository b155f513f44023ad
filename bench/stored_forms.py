"""`./x bench stored_forms RUN`: CPU time to read a finished run for its report, from its lines and from its tables.

Both read every value block by block and check all files. A process of its own for each reading, in turns; numpy is
loaded beforehand, since every report needs it. What tables do not hold (notes, accounts, looks at nodes) is not read
from them: their time is a lower bound.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Sequence

import numpy as np

from assay.case import Case
from assay.store import Run

TURNS = 5


def main(arguments: Sequence[str]) -> int:
    """Print the medians of one run; with `--form`, one reading."""
    parser = argparse.ArgumentParser(prog="./x bench stored_forms")
    parser.add_argument("run", help="a finished run: its folder or id")
    parser.add_argument("--form", choices=FORMS)
    given = parser.parse_args(arguments)
    run = Run.open(given.run)
    if given.form:
        began = time.process_time()
        samples = FORMS[given.form](run)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"seconds": time.process_time() - began, "samples": samples, "MB": memory}))
        return 0
    found: dict[str, list[dict[str, float]]] = {form: [] for form in FORMS}
    for _ in range(TURNS):
        for form, readings in found.items():
            command = [sys.executable, "-m", "bench", "stored_forms", str(run.folder), "--form", form]
            readings.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    for form, readings in found.items():
        seconds, memory = (statistics.median(each[key] for each in readings) for key in ("seconds", "MB"))
        print(f"{form}: {readings[0]['samples']:,.0f} samples in {seconds:.2f} s of CPU time, {memory:.0f} MB")
    return 0


def _from_lines(run: Run) -> int:
    count = sum(len(row.values) for _, file in run.tasks() for row in file.rows if hasattr(row, "values"))
    run.damage()
    return count


def _from_tables(run: Run) -> int:
    import pyarrow.parquet as pq

    blocks, *_ = (
        pq.read_table(run.folder / f"{name}.parquet").to_pylist() for name in ("blocks", "checks", "launches")
    )
    samples = pq.read_table(run.folder / "samples.parquet", columns=["value", "first"])
    values = np.asarray(samples["value"])[~np.asarray(samples["first"])]
    parts = np.split(values, np.cumsum([block["samples"] for block in blocks])[:-1])
    cases = {text: Case(json.loads(text)) for text in {block["case"] for block in blocks}}
    for path in (*run.folder.glob("launches/*.jsonl"), *run.folder.glob("*.parquet")):
        zlib.crc32(path.read_bytes())
    return sum(map(len, parts)) if cases else 0


FORMS: dict[str, Callable[[Run], int]] = {"lines": _from_lines, "tables": _from_tables}
