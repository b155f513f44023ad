"""A run's document with its comparison to published figures, the same for every verb that shows it."""

from __future__ import annotations

from dataclasses import replace

from assay.described.shipped import find
from assay.document.run_document import Document
from assay.document.validation import Validation
from assay.errors import InputError
from assay.published.cells.run_kinds import with_kinds
from assay.report.derive.document import document
from assay.store import Run
from assay.validation.machines.document import validated

VERB = "evaluate"  # runs of other verbs hold one benchmark: no comparison with a whole machine


def whole(run: Run) -> Document:
    """The document of a run; of an evaluated description with `validation` (data) and `beside` (tables).

    Where the description's file is gone, `validation` has a `reason`.
    """
    on = (run.about.get("wishes") or {}).get("on")
    made = with_kinds(document(run), on)
    verb = next((word for word in run.about.get("command", ()) if not word.startswith("-")), "")
    if not on or verb != VERB:
        return made
    try:
        find(on.partition(":")[0])
    except InputError as error:
        gone = Validation(machine=on, published=None, tables=[], claims=[], reason=str(error))
        return replace(made, validation=gone)
    return validated(made, on)
