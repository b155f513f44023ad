"""Shell completion of arguments and values: benchmarks, runs, machines."""

from __future__ import annotations


def benchmark_names(incomplete: str) -> list[str]:
    """Benchmarks, own programs included."""
    from assay.benchmark.record import benchmarks, own_benchmarks

    return [name for name in benchmarks() | own_benchmarks() if name.startswith(incomplete)]


def run_names(incomplete: str) -> list[str]:
    """Labels, then ids of the runs made here, the newest first."""
    from assay.errors import InputError
    from assay.store import known_runs
    from assay.stored.run_names import LATEST

    try:
        runs = known_runs()
    except InputError:  # an index of a newer version: the verb itself reports it
        return []
    labels = [run.about["label"] for run in reversed(runs) if "label" in run.about]
    names = dict.fromkeys([*labels, LATEST, *(run.about["id"] for run in reversed(runs))])
    return [name for name in names if name.startswith(incomplete)]


def described_names(incomplete: str) -> list[str]:
    """Described machines that ship."""
    from assay.described.shipped import shipped

    return [name for name in shipped() if name.startswith(incomplete)]


def comparable_names(incomplete: str) -> list[str]:
    """What a run can be compared with: other runs, described and published machines."""
    from assay.machine.catalogue import load

    machines = dict.fromkeys([*described_names(incomplete), *(n for n in load().machines if n.startswith(incomplete))])
    return [*run_names(incomplete), *machines]
