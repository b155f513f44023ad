"""What `assay accept` does: contracts written, runs judged, and how verdicts are shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.decide import acceptance_tables
from assay.decide.contract import read_contract
from assay.decide.contract_template import TEMPLATE
from assay.decide.judged_runs import judged_runs
from assay.document.acceptance import Acceptance
from assay.document.json_form import to_json
from assay.report.listing import listing
from assay.store import Run


def of_runs(contract: Path, names: Sequence[str]) -> Acceptance:
    """Judge runs that are there."""
    return judged_runs(read_contract(contract), [Run.open(name) for name in names])


def show(found: Acceptance, *, quiet: bool, json: bool) -> None:
    """Print the verdict: as a document, or as a table with reasons and a line that sums it up."""
    from assay.cli import emit

    if json:
        emit(to_json(found))
        return
    out = listing()
    if not quiet:
        out.print(acceptance_tables.table(found).rich())
        for reason in acceptance_tables.reasons(found):
            out.print(reason, highlight=False, markup=False, soft_wrap=True)
    out.print(acceptance_tables.one_line(found), highlight=False, markup=False, soft_wrap=True)


def print_template(json: bool) -> None:
    """Print a contract to begin with."""
    from assay.cli import emit

    if json:
        emit({"contract": TEMPLATE, "file": None})
    else:
        print(TEMPLATE, end="")
