"""Tables of a benchmark's own beside its cases: kernels and roofs by level, memory under load, storage forecasts."""

from __future__ import annotations

from assay.document.grid import Grid
from assay.document.run_document import Document
from assay.document.section import Section
from assay.report.sections import (
    balance,
    convergence,
    device_rates,
    intensities,
    level_rates,
    load_latency,
    peak_shares,
    prediction,
    roof_table,
    speedup_table,
    storage_forecast,
    time_accounts,
)


def tables(document: Document, section: Section) -> list[Grid]:
    """Those of one section; what other sections of the run found is set beside it."""
    by_level = [*level_rates.tables(document, section), *roof_table.tables(document, section)]
    by_level += intensities.tables(document, section)
    by_level += [*peak_shares.tables(section), *convergence.tables(section), *device_rates.tables(section)]
    goes = time_accounts.table(section)
    by_level += [each for each in (goes, speedup_table.table(section), *prediction.tables(section)) if each]
    return [
        *by_level,
        *load_latency.tables(section),
        *storage_forecast.tables(section),
        *balance.table(document, section),
    ]
