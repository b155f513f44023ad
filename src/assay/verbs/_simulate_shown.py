"""What `assay simulate` prints: one simulation in words, a sweep as one table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.network.documents import accepted as accepted_load
from assay.network.documents import hit_rate, mean_latency
from assay.number_words import number_of
from assay.report.units import counted, human
from assay.verbs import _simulate_saturation

if TYPE_CHECKING:
    from assay.document.grid import Grid
    from assay.network.documents import LatencyFound, LinkBusy, MeanFound, Simulated, Simulation


def show(documents: Sequence[Simulated], quiet: bool = False) -> None:
    """Print the documents of one simulation or of a sweep's points; `quiet`: one line of them all."""
    if quiet:
        print(one_line(documents))
        return
    if "setting" not in documents[0]:
        print(_words(documents[0]))
        return
    from assay.report.render.console import listing

    listing().print(table(documents).rich())
    for line in below(documents):
        print(line)
    spent = sum(found["cpu_seconds"] for found in documents)
    print(f"{number_of(sum(found['messages'] for found in documents), 'message')} in {spent:.3g} CPU s")


def one_line(documents: Sequence[Simulated]) -> str:
    """Sum a simulation up in one line, or a sweep: how many points, and how many of them in which state."""
    if len(documents) > 1:
        from collections import Counter

        rows = [_cells(one) for one in documents]
        states = Counter(row[-1] for row in rows)
        what = ", ".join(f"{count} {state}" for state, count in states.items())
    elif "saturation" in documents[0]:
        what = _simulate_saturation.lines(documents[0]["saturation"])[0]
    else:
        what = f"{_latency(documents[0])[0]}; {_state(documents[0])}"
    points = f"{len(documents)} points: " if len(documents) > 1 else ""
    spent = sum(found["cpu_seconds"] for found in documents)
    return f"{points}{what}; {number_of(sum(found['messages'] for found in documents), 'message')} in {spent:.3g} CPU s"


def table(documents: Sequence[Simulated]) -> Grid:
    """One row per point: what was set, and the latency and what is accepted there, or where it saturates."""
    from assay.document.grid import grid

    keys = list(documents[0]["setting"])
    if "saturation" in documents[0]:
        unit = documents[0]["saturation"]["unit"]
        middle = f"middle, {_simulate_saturation.per_millisecond(unit).replace(' per ', '/')}"
        columns: tuple[str, ...] = ("from", "to", middle, "state")
        title = f"Saturation, {unit.replace(' per ', '/')}"
        found = [_cells(one) for one in documents]
    else:
        columns, found = SIMULATED, [_cells(one) for one in documents]
        title = "Mean header latency and accepted load"
    rows = [[*(str(one["setting"][key]) for key in keys), *cells] for one, cells in zip(documents, found, strict=True)]
    return grid(title, [*(key.rpartition(".")[2] for key in keys), *columns], rows, left=0)


def below(documents: Sequence[Simulated]) -> list[str]:
    """Of a table's intervals: their confidence, and for each reason why there is none a line, after its points."""
    if "saturation" in documents[0]:
        return _simulate_saturation.below([one["saturation"] for one in documents if "saturation" in one])
    simulated = [one for one in documents if "saturation" not in one]
    levels: set[float] = set()
    for one in simulated:
        latency, accepted = _means(one)
        levels |= {each["confidence"] for each in (latency, accepted) if each["interval"] is not None}
    shown = " or ".join(map(_simulate_saturation.percent, sorted(levels)))
    level = f"±: at {shown} confidence{', as set' * (len(levels) > 1)}"
    lines = [level] if levels else []
    of: dict[str, list[str]] = {}
    for one in simulated:
        point = ", ".join(f"{key.rpartition('.')[2]} {value}" for key, value in one["setting"].items())
        for note in _reasons(one):
            of.setdefault(note, []).append(point)
    most = 3
    for note, points in of.items():
        more = [f"{len(points) - most} more"] if len(points) > most else []
        lines.append(f"{'; '.join([*points[:most], *more])}: {note}")
    return lines


def _reasons(found: Simulation) -> list[str]:
    """Why the mean header latency, and the accepted load, have no interval; nothing where they have one."""
    notes = [one["note"] if one["interval"] is None else "" for one in _means(found)]
    if notes[1] and notes[1] != notes[0]:
        notes[1] = f"accepted load: {notes[1]}"
    return [note for note in dict.fromkeys(notes) if note]


SIMULATED: tuple[str, ...] = ("cycles", "±", "us", "flits/node/cycle", "±", "state")


def _cells(found: Simulated) -> list[str]:
    return _simulate_saturation.row(found) if "saturation" in found else _simulated(found)


def _simulated(found: Simulation) -> list[str]:
    latency, accepted = _means(found)
    mean, half, rates = latency["mean"], _half(latency["interval"]), _half(accepted["interval"])
    return [
        "–" if mean is None else _mean(mean, half),
        "–" if half is None else counted(half, 3),
        "–" if mean is None else counted(mean * found["cycle_seconds"] * 1e6),
        f"{accepted['mean'] or 0:.4g}",
        "–" if rates is None else f"{rates:.2g}",
        _state(found),
    ]


def _means(found: Simulation) -> tuple[LatencyFound, MeanFound]:
    """The estimates of the header latency, cycles, and of the accepted load, flits per node per cycle."""
    latency = mean_latency(found)
    assert latency is not None
    return latency["cycles"], accepted_load(found)


def _half(interval: Sequence[float] | None) -> float | None:
    return None if interval is None else (interval[1] - interval[0]) / 2


def _state(found: Simulation) -> str:
    state = "deadlock" if found["deadlock"] else "saturated" if found["saturated"] else "not saturated"
    return state + (f"; {number_of(found['unroutable'], 'message')} unroutable" if found["unroutable"] else "")


def _words(found: Simulated) -> str:
    lines = _simulate_saturation.lines(found["saturation"]) if "saturation" in found else _latency(found)
    speed = found["messages"] / found["cpu_seconds"] if found["cpu_seconds"] else 0
    made = f"{number_of(found['messages'], 'message')} in {found['cpu_seconds']:.3g} CPU s ({speed:,.0f} per second)"
    return "\n".join([*lines, f"{found['engine']} engine: {made}"])


def _latency(found: Simulation) -> list[str]:
    latency, accepted = _means(found)
    mean = latency["mean"]
    if mean is None:
        words, notes = "nothing was delivered", []
    else:
        cycles = f"{_mean(mean, _half(latency['interval']))}{_spread(latency, 3)}"
        words = f"mean header latency {cycles} cycles ({human(mean * found['cycle_seconds'], 's')})"
        words += ", until the head is inside the destination"
        notes = _reasons(found)
    words += f"; {accepted['mean'] or 0:.4g}{_spread(accepted, 2)} flits per node per cycle accepted"
    if mean is not None and (latency["interval"] or accepted["interval"]):
        words += f" (± at {_simulate_saturation.percent(accepted['confidence'])} confidence)"
    return [
        words,
        *notes,
        f"{_state(found)}; {_measured(found)}; ended: {found['ended']}",
        *_io(found),
        *_files(found),
        *_busiest(found.get("utilisation", [])),
    ]


def _busiest(links: Sequence[LinkBusy]) -> list[str]:
    """The first links of `utilisation`, which has the busiest first, below a heading; nothing where none is watched."""
    shown = links[:5]
    heading = f"busiest links ({len(shown)} of {len(links)}), share of the time in which a channel is busy:"
    named = [f"  {link.get('name', link)}: busy {link['busy']:.1%}" for link in shown]
    return [heading, *named] if shown else []


def _mean(mean: float, half: float | None) -> str:
    """A mean to the last of the three digits of its interval; to four digits where it has none."""
    if half is None:
        return counted(mean)
    decimals = 4 if half <= 0 else min(9, max(0, 2 - math.floor(math.log10(half))))
    return f"{mean:,.{decimals}f}"


def _spread(estimate: MeanFound, digits: int) -> str:
    half = _half(estimate["interval"])
    return "" if half is None else f" ± {counted(half, digits)}"


def _measured(found: Simulation) -> str:
    """How many replications, of how many cycles: sums, as the document has them."""
    cycles, count = found["measured_cycles"], found["replications"]
    replications = "1 replication" if count == 1 else f"{count} replications"
    words = f"{cycles:,} cycles measured after {found['simulated_cycles'] - cycles:,} of warm-up"
    return f"{replications}, {words}{' in all' if count > 1 else ''}{_until(found)}"


def _until(found: Simulation) -> str:
    """Of runs that deadlocked: how many, and when the last message arrived; nothing where some still do at the end."""
    last, count = found["last_delivery"], found["replications"]
    if last is None or last >= found["simulated_cycles"] / count:
        return ""
    which = f" in the {found['deadlocked']} that deadlocked" if count > 1 else ""
    return f", nothing delivered{which} after about cycle {last:,}"


def _io(found: Simulation) -> list[str]:
    """Overall latencies of [io], and the waiting for I/O nodes that serve one access at a time."""
    words = {"read_latency": "a read {}", "write_latency": "a write {}", "transaction_latency": "any {}"}
    parts = [text.format(time) for name, text in words.items() if (time := _time(found, name)) is not None]
    waited = _time(found, "service_waiting")
    parts += [f"an access waits {waited} for its I/O node"] if waited is not None else []
    return [f"I/O, overall header latency: {', '.join(parts)}"] if parts else []


def _time(found: Simulation, name: str) -> str | None:
    """A mean in people's units; None where nothing of the kind was delivered."""
    known = mean_latency(found, name)
    mean = None if known is None else known["seconds"]["mean"]
    return None if mean is None else human(mean, "s")


def _files(found: Simulation) -> list[str]:
    """What [io.files] adds: hits, responses, broadcasts, disks."""

    def time(name: str) -> str | None:
        return _time(found, name)

    hits = hit_rate(found)
    parts = [] if hits is None else [f"{hits['mean']:.1%} of the blocks in a cache"]
    words = {"response_latency": "a file in {}", "broadcast_latency": "a block at all elements in {}"}
    words |= {"disk_latency": "a disk takes {} for a block", "disk_waiting": "which waits {} for the disk"}
    parts += [text.format(time(name)) for name, text in words.items() if time(name) is not None]
    return [f"files: {', '.join(parts)}"] if parts else []
