"""A contract's verdicts on one page of HTML: what was promised, what was measured, on what, and by what."""

from __future__ import annotations

import time

from assay.decide.acceptance_tables import table, what_would_decide
from assay.decide.page_template import page_from
from assay.document.acceptance import Acceptance
from assay.report.units import params


def sheet(of: Acceptance) -> str:
    """Lay out the page; it needs no other file."""
    filters = {"percent": _percent, "date": _date, "case": params, "decides": what_would_decide}
    return page_from("sheet.html", filters, of=of, table=table(of))


def _percent(value: float) -> str:
    return f"{100 * value:.3g}%"


def _date(value: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(value))
