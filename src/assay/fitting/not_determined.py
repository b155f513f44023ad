"""What a run does not determine of its machine, in words, so that nothing of it is taken for known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assay.document.params import Parameters
from assay.document.section import Section
from assay.fitting import families
from assay.fitting.chosen_cells import ChosenCells
from assay.fitting.length_lines import LengthLines
from assay.fitting.measured_cells import MeasuredCells
from assay.fitting.overlapped import Progress
from assay.fitting.wire_parts import WireParts

SHORT = 64.0  # B: a run whose shortest usable message is longer does not know the start-up of short ones
ALIKE = 0.95  # of as many times what one pair does


@dataclass(frozen=True)
class MessagesKnown:
    """What a run showed of messages: `divided`, how their time divides; `taken_in`, that processors take them in."""

    divided: bool
    parts: WireParts
    taken_in: bool
    progress: Progress | None


def not_determined(
    sections: Sequence[Section], chosen: ChosenCells, found: LengthLines, cells: MeasuredCells, known: MessagesKnown
) -> list[str]:
    """Sentences, the ranges of lengths first."""
    unknown = []
    for line in found.lines:
        if not line.determined:
            length, most = min(line.bounds)
            unknown.append(
                f"messages of {line.least:.0f} to {line.greatest:.0f} B: only bounds were measured "
                f"({length:.0f} B in at most {1e6 * most:.4g} us); any time below them is possible"
            )
    shortest, longest = found.lines[0].least, found.lines[-1].greatest
    if shortest > SHORT:
        unknown.append(f"messages shorter than {shortest:.0f} B: none was measured, the first line is continued")
    unknown.append(f"messages longer than {longest:.0f} B: none was measured, the last line is continued")
    if not known.divided:
        unknown.append("how a message's start-up divides between sender, network and receiver: halves are assumed")
    if cells.common:
        unknown.append(f"a disturbance of all messages at once: most cells may be longer by up to {cells.common:.0%}")
    unknown += [_both_ways(known), *_pairs(sections), _bus(sections), _threads(chosen), _progress(chosen, known)]
    if cells.launches < 2:
        unknown.append("spread between launches: there was one launch")
    if len(cells.runs) < 2:
        unknown.append("spread between runs: there was one run (`assay fit RUN RUN` takes several of one machine)")
    if where := families.words(chosen.echo):
        unknown.append(f"other placements than the echo's: {where}")
    return [each for each in unknown if each]


def _both_ways(known: MessagesKnown) -> str:
    if known.parts.both_ways is None:
        return "both directions at once: no bandwidth of one pair both ways was measured, they are as one by one"
    if known.parts.explained:
        return ""
    return (
        f"both directions at once: long messages take {1e9 * known.parts.both_ways:.3g} ns/B, which no division "
        "between sender, network and receiver gives; the description has less"
    )


def _pairs(sections: Sequence[Section]) -> list[str]:
    """Several pairs at once: what they did, as a description has a node of its own for each rank."""
    made = []
    for benchmark, figure in (("message-rate", "message_rate"), ("bandwidth", "rate")):
        rates: dict[object, dict[int, float]] = {}
        for section in sections:
            for cell in section.figures if section.benchmark == benchmark else ():
                if cell.name == figure and cell.main and cell.shown and cell.state != "bound":
                    case = cell.params.without(("pairs",))
                    rates.setdefault(case, {})[int(cell.params.get("pairs") or 1)] = cell.shown
        most = [(max(of), of[max(of)] / of[1]) for of in rates.values() if 1 in of and max(of) > 1]
        slow = [(pairs, times) for pairs, times in most if times < ALIKE * pairs]
        if slow:
            pairs, times = min(slow, key=lambda each: each[1] / each[0])
            made.append(
                f"several pairs at once: in {benchmark} {pairs} pairs passed {times:.2g} times what one does; each "
                "rank of the description has a node of its own, and pairs take nothing from each other"
            )
    return made


def _bus(sections: Sequence[Section]) -> str:
    if _has(sections, "bus", lambda case: case.get("load") == "both"):
        return (
            "the bus that messages and computing share: bus was measured, but each rank of the description has a node "
            "of its own, on which nothing else computes"
        )
    return "the bus that messages and computing share: the benchmark bus was not measured"


def _threads(chosen: ChosenCells) -> str:
    if not chosen.kernels or any(each.together is not None for each in chosen.kernels.values()):
        return ""
    return "what threads take of each other's memory: no kernel was measured on several"


def _progress(chosen: ChosenCells, known: MessagesKnown) -> str:
    if not any(chosen.overlap.values()):
        return "messages during a computation: the benchmark overlap was not measured"
    if known.taken_in:
        return "messages during a computation: the receiver's processor takes them in, which is all that is described"
    if known.progress is None:
        return "messages during a computation: overlap has none whose time is mostly the network's"
    return ""


def _has(sections: Sequence[Section], benchmark: str, where: Callable[[Parameters], bool]) -> bool:
    return any(where(cell.params) for section in sections if section.benchmark == benchmark for cell in section.figures)
