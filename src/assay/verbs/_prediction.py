"""Simulates on a described machine what a run measured: the same benchmarks, parameters and numbers of ranks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from assay.benchmark.record import Benchmark
from assay.described.shipped import open_described, shipped
from assay.document.run_document import Document
from assay.errors import AssayError
from assay.execute import session
from assay.execute.described import DescribedTarget
from assay.execute.plan import Plan
from assay.execute.stale_files import temporary_folder
from assay.prediction.planned import measured_sizes, planned_alike
from assay.report.derive.document import document
from assay.store import Run


def is_described(name: str) -> bool:
    """Whether a name means a described machine: one that ships, a variant of it, or a TOML file."""
    return name.partition(":")[0] in shipped() or name.endswith(".toml")


def predict_run(run: Run, measured: Document, name: str, say: Callable[[str], None]) -> Document | None:
    """Simulate on machine `name` what a run has of message-passing benchmarks; None where there are none.

    One launch, with the seed of the run's first: a simulation gives the same at every repetition of a seed. The samples
    are deleted when the document is made. `measured`: the run's document.
    InputError where the description is wrong.
    """
    machine = open_described(name)
    if all(size.ranks is None for sizes in measured_sizes(run).values() for size in sizes):
        return None
    with temporary_folder("assay-compare-") as folder:
        made = Run(Path(folder), {"id": name, "machine": name, "described": True, "wishes": {"on": name}})
        for inner in ("launches", "log", "provenance"):
            (Path(folder) / inner).mkdir()
        for each in planned_alike(run, measured, machine, say, lambda size: size.ranks is not None):
            _simulate(made, each.record, name, each.plan, say)
        return document(made, quoted_nodes=False)


def _simulate(made: Run, record: Benchmark, name: str, plan: Plan, say: Callable[[str], None]) -> None:
    try:
        failed = session.do(made, plan, DescribedTarget(name, {}), say=lambda text: None, records={record.name: record})
        for failure in failed:
            say(f"{record.name} on {name}: skipped: {failure.reason}")
    except AssayError as error:
        say(f"{record.name}: skipped: {error}")
