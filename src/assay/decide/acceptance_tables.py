"""The table of a contract's verdicts, for the terminal and the sheet, and the line that sums it up."""

from __future__ import annotations

from collections import Counter

from assay.document.acceptance import Acceptance, NodeVerdict, RequirementVerdict
from assay.document.grid import Grid, grid
from assay.machine.units import waiting_time
from assay.report.units import human

MOST_NODES = 8  # lines of nodes that do not meet a requirement


def table(of: Acceptance) -> Grid:
    """One line a requirement, below it the nodes that are not accepted where there are several."""
    lines = []
    for each in of.requirements:
        lines.append(_line(each.name, each, each))
        if len(each.nodes) > 1:
            missed = [node for node in each.nodes if node.verdict != "accepted"]
            lines += [_line(f"  {node.node}", node, each) for node in missed[:MOST_NODES]]
            if len(missed) > MOST_NODES:
                lines.append(
                    (f"  and {len(missed) - MOST_NODES} more {'parts' if each.parts else 'nodes'}", "", "", "", "", "")
                )
    title = f"{of.contract.name}: vendor's risk {of.risks.vendor:.3g}, buyer's risk {of.risks.buyer:.3g}"
    return grid(title, ("requirement", "limit", "value", "95%", "launches", "verdict"), lines, left=1)


def _line(name: str, of: RequirementVerdict | NodeVerdict, requirement: RequirementVerdict) -> tuple[str, ...]:
    unit, sign = requirement.unit, "≥" if requirement.better == "higher" else "≤"
    if of.interval is None:
        interval = "–"
    elif of.launches == 1:  # simulated: one measured launch has no interval
        interval = "exact"
    else:
        interval = " – ".join(human(end, unit) for end in of.interval)
    return (
        name,
        f"{sign} {human(requirement.limit, unit)}",
        human(of.value, unit),
        interval,
        str(of.launches),
        of.verdict,
    )


def reasons(of: Acceptance) -> list[str]:
    """The reason of each requirement that is not accepted, and what would decide it where it is not shown."""
    return [
        f"{each.name}: {each.verdict}: {each.reason}" + (f"; {text}" if (text := what_would_decide(each)) else "")
        for each in of.requirements
        if each.reason
    ]


def what_would_decide(of: RequirementVerdict) -> str:
    """What would decide a requirement, in words; empty where nothing is known to."""
    if of.decides is None:
        return ""
    words = []
    if of.decides.launches is not None:
        took = "" if of.decides.seconds is None else f", {waiting_time(of.decides.seconds)}"
        words.append(f"about {of.decides.launches} launches (--most {of.decides.launches}{took})")
    if of.decides.quiet:
        words.append("a measurement without the disturbance")
    return f"{' and '.join(words)} would decide it"


def one_line(of: Acceptance) -> str:
    """The verdict, and the number of requirements by verdict."""
    counts = Counter(each.verdict for each in of.requirements)
    counted = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    return f"{of.contract.name}: {of.verdict} ({counted})" + (f"; {of.ended}" if of.ended else "")
