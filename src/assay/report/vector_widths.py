"""How wide the compiler made a benchmark's kernels, as one of its notes, where a run has no build variants.

Of variants a table says it, side by side (report/variants.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.document.section import Section
from assay.execute.vectorised import summary
from assay.store import Run


def with_widths(run: Run, sections: Sequence[Section]) -> list[Section]:
    """The sections, with a note each for those whose kernels are compiled apart and were read by a disassembler."""
    notes: dict[str, str] = {}
    for entry in run.entries():
        if entry.get("event") == "compiled" and not entry.get("isa") and entry.get("vectorised"):
            widths = summary([each for each in entry["vectorised"] if isinstance(each, dict)])
            notes[entry["benchmark"]] = f"vectors in the kernels' code, by {entry['compiler']}: {widths}"
    return [
        replace(each, notes=[*each.notes, notes[each.benchmark]]) if each.benchmark in notes else each
        for each in sections
    ]
