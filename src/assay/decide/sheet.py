"""A contract's verdicts on one page of HTML: what was promised, what was measured, on what, and by what."""

from __future__ import annotations

import time
from typing import Any

from assay.decide.acceptance_tables import table
from assay.document.acceptance import Acceptance
from assay.report.units import params
from assay.sanitised import visible


def sheet(of: Acceptance) -> str:
    """Lay out the page; it needs no other file."""
    from jinja2 import Environment, PackageLoader

    pages = Environment(
        loader=PackageLoader("assay.decide", ""),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    pages.filters |= {"percent": _percent, "date": _date, "case": params}
    return pages.get_template("sheet.html").render(of=of, table=table(of))


def _shown(value: Any) -> Any:
    return visible(value) if type(value) is str else value


def _percent(value: float) -> str:
    return f"{100 * value:.3g}%"


def _date(value: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(value))
