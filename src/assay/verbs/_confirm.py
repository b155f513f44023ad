"""`assay history --confirm`: the newest change measured again, the older variant and the newer one in turn."""

from __future__ import annotations

from collections.abc import Collection

from assay.benchmark.record import among
from assay.decide.confirmation import confirmed, propose
from assay.decide.history_runs import CONFIRMS
from assay.document.history import Confirmation, MachineHistory
from assay.errors import InputError
from assay.verbs._history import host_name


def proposal(found: MachineHistory) -> Confirmation | None:
    """How to confirm the newest change; None where there is none."""
    return propose(found, _parameters)


def confirm_change(found: MachineHistory, quiet: bool) -> Confirmation | None:
    """Measure it, and report what came of it; the proposal alone where no variant can be measured, or nothing changed.

    InputError of another machine's history.
    """
    from assay.verbs._compare_live import measured_in_turn

    if found.machine != host_name():
        raise InputError("measures on this host", key="--confirm", value=found.machine, accepted=host_name())
    of = found.confirmation
    if of is None or of.variants is None:
        return of
    about = {CONFIRMS: of.at_run}
    sides, made = measured_in_turn(of.variants, margin=of.margin, figures=of.figure, quiet=quiet, about=about)
    return confirmed(of, made, [str(side.run.about["id"]) for side in sides])


def _parameters(benchmark: str) -> Collection[str]:
    found = among([benchmark]).get(benchmark)
    return () if found is None else found.parameters
