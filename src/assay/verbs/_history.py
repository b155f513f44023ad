"""What `history` and `watch` share: the runs of a machine, read and judged."""

from __future__ import annotations

from collections.abc import Sequence

from assay import progress
from assay.decide.history import history
from assay.decide.history_runs import machine_runs, series
from assay.document.history import MachineHistory
from assay.errors import InputError
from assay.execute.run_request import share
from assay.machine.system import system
from assay.report.judge import gate
from assay.store import known_runs

LEAST, MOST = 0.001, 0.9  # relative, of a regression


def limit_of(text: str | None) -> float | None:
    """Read `--fail-on-regression`. InputError where it is no share that a history can show."""
    limit = share(text, "--fail-on-regression")
    if limit is not None and not LEAST <= limit <= MOST:
        accepted = f"{LEAST:.1%} to {MOST:.0%}"
        raise InputError("is not a limit", key="--fail-on-regression", value=text, accepted=accepted)
    return limit


def history_of(
    figures: Sequence[str] | None,
    machine: str | None,
    since: str | None = None,
    *,
    limit: float | None,
    entered: Sequence[str] = (),
    quiet: bool,
) -> MachineHistory:
    """The history of a machine. InputError where there is no run or no such figure."""
    runs = machine_runs(known_runs(), machine, host_name(), since)
    if figures:
        gate.known_to_records(",".join(figures), (each.benchmark for run in runs for each, _ in run.tasks()), "FIGURE")
    with progress.counted("reading", "runs", len(runs), quiet) as advance:
        made, found = series(runs, figures or None, advance)
    return history(str(runs[-1].about.get("machine")), made, found, limit, entered)


def host_name() -> str:
    """The name that runs of this host have as their machine."""
    return system().host or ""
