"""How wide the compiler made a benchmark's kernels, as one of its notes, where a run has no build variants.

Of variants a table says it, side by side (report/derive/variants.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.document.section import Section
from assay.store import Run


def with_widths(run: Run, sections: Sequence[Section]) -> list[Section]:
    """The sections, with a note each for those whose kernels are compiled apart and were read by a disassembler."""
    notes: dict[str, str] = {}
    for entry in run.entries():
        if entry["event"] == "compiled" and not entry["isa"] and (vectorised := entry.get("vectorised")):
            widths = summary([each for each in vectorised if isinstance(each, dict)])
            notes[entry["benchmark"]] = f"vectors in the kernels' code, by {entry['compiler']}: {widths}"
    return [
        replace(each, notes=[*each.notes, notes[each.benchmark]]) if each.benchmark in notes else each
        for each in sections
    ]


def summary(found: Sequence[Mapping[str, Any]]) -> str:
    """Kernels as plain data in one sentence, widest first; those of a name that are all alike are named once."""
    groups: dict[str, list[str]] = {}
    for each in sorted(found, key=lambda kernel: (-int(kernel["bits"]), -int(kernel["moves"]))):
        groups.setdefault(str(each["text"]), []).append(str(each["name"]))
    of_base: dict[str, set[str]] = {}
    for text, names in groups.items():
        for name in names:
            of_base.setdefault(name.partition(" (")[0], set()).add(text)
    parts = []
    for text, names in groups.items():
        shown: dict[str, list[str]] = {}
        for name in names:
            base, _, more = name.partition(" (")
            shown.setdefault(base, []).extend([more.removesuffix(")")] if len(of_base[base]) > 1 and more else [])
        alike: dict[str, list[str]] = {}
        for base, of in shown.items():
            alike.setdefault("; ".join(of), []).append(base)
        words = [", ".join(bases) + f" ({'each: ' * (len(bases) > 1)}{of})" * bool(of) for of, bases in alike.items()]
        parts.append(f"{text}: {', '.join(words)}")
    return ". ".join(parts)
