"""What a tournament's passes say: the times of all pairs as heat maps, and what is slow among them, by name.

Read from the launches' own lines (`event` pairs): of each pass and length the time of every directed pair, and where
ranks stood in the circle, which says who exchanged at the same time. Of a described machine also the links of each way.
Of a cluster whose batch system states its switches, the links and switches of that tree are judged as well.
Passes of unlike numbers of ranks, ranks per node or MPIs have nothing in common, and are judged apart.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.analysis.as_fast import as_fast
from assay.analysis.slow_pairs import FALSE_ALARMS, CandidateKind, Localised, SlowPart, localise, residuals
from assay.case import Case
from assay.document.tournament import PairTimes, SlowThing, TournamentFound
from assay.errors import InputError
from assay.machine.switch_tree import SwitchTree, read_switches
from assay.program_lines import LaunchEvent, PairsEvent, PairTimesEvent, PlacedRank
from assay.report.derive.settings import differing
from assay.report.sections.pairs.pair_tables import but_for_words, longer
from assay.report.sections.pairs.switch_ways import switch_ways
from assay.report.units import human
from assay.store import Run

MOST_ROWS = 64  # of a heat map: of more ranks several share a row
MOST_SHARING = 63  # messages over one link that are told apart
LEAST_NODES = 3  # of two nodes nobody can say which one is slow
Integers = NDArray[np.int64]


@dataclass
class Layout:
    """Where ranks are: `node_of` each, the nodes' names, and of each directed pair the links of its way, where known.

    `alike`: a number for each reading, the same where the links of the ways are described alike; without it, as in runs
    that did not record it, where they are as many. `bundled`: each of the links is of an unknown number of cables, as
    between switches that a batch system names; `switches` are those of each way then, by number in `switch_names`.

    Reading from * (ranks - 1) + to - (to > from) is the message of rank `from` to rank `to`.
    """

    ranks: int
    node_of: Integers
    names: list[str]
    links: Integers | None = None  # (readings, hops), -1 for none
    ends: list[list[Any]] = field(default_factory=list)  # of each link name, kind, from, to
    alike: Integers | None = None  # (readings,), -1 within a node
    bundled: bool = False
    switches: Integers | None = None  # (readings, hops), -1 for none
    switch_names: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        every = np.arange(self.ranks)
        apart = ~np.eye(self.ranks, dtype=bool)
        self.source = np.repeat(every, self.ranks)[apart.ravel()]
        self.target = np.tile(every, self.ranks)[apart.ravel()]

    @property
    def ends_of(self) -> tuple[Integers, Integers]:
        """The node that each reading's message leaves, and the one that it reaches."""
        return self.node_of[self.source], self.node_of[self.target]

    @property
    def reading(self) -> Integers:
        """The number of each directed pair's reading (ranks, ranks)."""
        found = np.full((self.ranks, self.ranks), -1, np.int64)
        found[self.source, self.target] = np.arange(len(self.source))
        return found


@dataclass
class Passes:
    """All passes of one length: log times (passes, readings), the launch and the circle's places of each."""

    bytes: int
    logs: NDArray[np.float64]
    launch_of: list[int]
    places: list[list[int]]


@dataclass
class Alike:
    """The launches of the same ranks, ranks per node and MPI: these, where the ranks were, and each launch's lines."""

    params: Case
    placement: list[PlacedRank] = field(default_factory=list)
    lines: dict[int, list[PairsEvent]] = field(default_factory=lambda: defaultdict(list))


@dataclass(frozen=True)
class PairReadings:
    """What parts of a machine are judged by: the passes of each length, each with its classes and what shared no link.

    `params`: the ranks, ranks per node and MPI of all of them.
    """

    params: Case
    layout: Layout
    kinds: list[CandidateKind]
    passes: list[Passes]

    def classes(self, of: Passes) -> Integers:
        """The class of each reading (passes, readings)."""
        reading = self.layout.reading
        return np.stack([_classes(self.layout, places, reading) for places in of.places])

    def alone(self, classes: Integers) -> NDArray[np.bool_] | None:
        """Which readings shared no link, by their classes; None where that is not known."""
        return _alone(self.layout, classes)


def tournaments(run: Run, benchmark: str) -> list[TournamentFound]:
    """Judge the passes of a run's launches that count, those of each number of ranks, ranks per node and MPI apart."""
    found = groups(run, benchmark)
    tree = stated_switches(run)
    labels = differing([each.params for each in found])
    return [_judged(each, label, tree) for each, label in zip(found, labels, strict=True)]


def stated_switches(run: Run) -> SwitchTree | None:
    """The tree of switches that the batch system stated when the run was made; None where it stated none."""
    texts = (str(stated.get("switches") or "") for stated in run.provenance().values())
    text = next((each for each in texts if each), "")
    try:
        return read_switches(text, "scontrol show topology") if text else None
    except InputError:
        return None


def groups(run: Run, benchmark: str) -> list[Alike]:
    """The launches of a run that count, in groups of the same number of ranks, ranks per node and MPI."""
    groups: dict[Case, Alike] = {}
    for about, file in run.tasks():
        if about.benchmark == benchmark and not about.superseded and file.content.done:
            events: list[PairsEvent] = [json.loads(line) for line in file.content.pairs]
            ranks = max((int(event["case"]["ranks"]) for event in events if "seconds" in event), default=0)
            if ranks < 2:
                continue
            params = Case({"ranks": ranks, **about.factors})
            of = groups.setdefault(params, Alike(params))
            of.placement = of.placement or _placement(file.content.opening)
            of.lines[about.launch] += events
    return sorted(groups.values(), key=_order)


def _order(alike: Alike) -> tuple[int, str, str, int]:
    about = alike.params
    return int(about.get("ppn") or 0), str(about.get("mpi")), str(about.get("transport")), int(about["ranks"])


def readings(alike: Alike, tree: SwitchTree | None) -> PairReadings:
    """Give the passes of a group; along a tree of switches where the ways are not known from the description."""
    ranks = int(alike.params["ranks"])
    events = [(launch, event) for launch, each in sorted(alike.lines.items()) for event in each]
    layout = _layout(ranks, alike.placement, [event for _, event in events])
    if tree is not None and layout.links is None:
        _lay_switches(layout, tree)
    return PairReadings(
        alike.params, layout, candidate_kinds(layout), sorted(_passes(events, ranks), key=lambda each: each.bytes)
    )


def _lay_switches(layout: Layout, tree: SwitchTree) -> None:
    """Give a layout the ways along a tree of switches; as it is where a node is connected to none."""
    found = switch_ways(tree, layout.names)
    if found is not None:
        between = layout.ends_of
        layout.links, layout.alike, layout.switches = (of[between] for of in (found.links, found.alike, found.switches))
        layout.ends, layout.switch_names, layout.bundled = [list(each) for each in found.ends], found.names, True


def _judged(alike: Alike, label: str, tree: SwitchTree | None = None) -> TournamentFound:
    """Judge the passes of one group at the level of a run that has no other; `label` tells it from others, if any."""
    lines, ranks = alike.lines, int(alike.params["ranks"])
    of = f", {label}" if label else ""
    read = readings(alike, tree)
    layout, every, kinds = read.layout, read.passes, read.kinds
    lengths, slow, passes, too_many = [], list[SlowThing](), 0, 0
    found: Localised | None = None
    for each in every:
        classes = read.classes(each)
        level = FALSE_ALARMS / len(every)
        found = localise(each.logs, classes, each.launch_of, kinds, level, _alone(layout, classes))
        apart = np.stack([residuals(times, belongs) for times, belongs in zip(each.logs, classes, strict=True)])
        slow += [_thing(part, layout, each.bytes, as_fast(part, apart, *layout.ends_of), of) for part in found.parts]
        too_many = max(too_many, found.too_many)
        lengths.append(_drawn(each, apart, layout))
        passes = max(passes, len(each.logs))
    assert found is not None
    slow.sort(key=lambda each: (each.shared, each.kind in ("pair", "direction"), -each.slower))
    made = TournamentFound(
        params=alike.params if label else None,
        label=label or None,
        ranks=ranks,
        nodes=len(layout.names),
        launches=len(lines),
        passes=passes,
        replicates="launches" if found.by_launch else "passes",
        routes=layout.links is not None,
        candidates=found.candidates,
        false_alarms=FALSE_ALARMS,
        too_many=too_many,
        lengths=lengths,
        slow=slow,
        text=[],
    )
    return replace(made, text=_text(made, of))


def _placement(opening: LaunchEvent | None) -> list[PlacedRank]:
    """Where ranks were, as the launch's first line has it."""
    stated = None if opening is None else opening.get("placement")
    return [place for place in stated if isinstance(place, dict)] if isinstance(stated, list) else []


def _layout(ranks: int, placement: list[PlacedRank], events: list[PairsEvent]) -> Layout:
    placed = next((event["nodes"] for event in events if "nodes" in event), None)
    if placed is None:
        hosts = [str(place.get("host") or rank) for rank, place in enumerate(placement)]
        hosts = hosts if len(hosts) == ranks else [str(rank) for rank in range(ranks)]
        names = list(dict.fromkeys(hosts))
        number = {name: at for at, name in enumerate(names)}
        return Layout(ranks, np.array([number[host] for host in hosts]), names)
    there, node_of = np.unique(np.asarray(placed, np.int64), return_inverse=True)
    nodes = len(there)
    layout = Layout(ranks, node_of, [str(node) for node in there])
    ways = next((event for event in events if "ways" in event), None)
    if ways is not None:
        by_nodes = np.full((nodes, nodes, int(ways["hops"])), -1, np.int64)
        by_nodes[~np.eye(nodes, dtype=bool)] = np.asarray(ways["ways"], np.int64).reshape(-1, int(ways["hops"]))
        layout.links = by_nodes[node_of[layout.source], node_of[layout.target]]
        layout.ends = [list(each) for each in ways["links"]]
        if "alike" in ways:
            by_nodes = np.full((nodes, nodes), -1, np.int64)
            by_nodes[~np.eye(nodes, dtype=bool)] = ways["alike"]
            layout.alike = by_nodes[node_of[layout.source], node_of[layout.target]]
    return layout


def _passes(events: list[tuple[int, PairsEvent]], ranks: int) -> Iterator[Passes]:
    by_length: dict[int, list[tuple[int, PairTimesEvent]]] = defaultdict(list)
    for launch, event in events:
        if "seconds" in event and len(event["seconds"]) == ranks * (ranks - 1):
            by_length[int(event["case"]["bytes"])].append((launch, event))
    for length, each in by_length.items():
        times = np.asarray([event["seconds"] for _, event in each])
        logs = np.log(np.maximum(times, 1e-12))
        yield Passes(length, logs, [launch for launch, _ in each], [event["places"] for _, event in each])


def _classes(layout: Layout, places: list[int], reading: Integers) -> Integers:
    """What readings of a pass are alike: nodes or none between, ways, and messages over the busiest link of the way.

    The last one is 1 where no other message of the round crossed a link of the way, first or answer, as those who are
    late may still send when others answer; else 1 more than the messages that were sent with it.
    """
    from_node, to_node = layout.ends_of
    away: Integers = (from_node != to_node).astype(np.int64)
    if layout.links is None:
        return away
    way: Integers = (layout.links >= 0).sum(axis=1) if layout.alike is None else layout.alike + 1
    if layout.bundled:  # how many messages share a cable is not known
        return way * (MOST_SHARING + 1)
    load = np.zeros(len(away), np.int64)
    count = len(layout.ends) + 1  # the last one stands for no link
    ways = np.where(layout.links >= 0, layout.links, count - 1)
    for first, answers in _rounds(places, reading):
        each = [np.bincount(ways[sent].ravel(), minlength=count) for sent in (first, answers)]
        for crossing in each:
            crossing[-1] = 0
        for sent, crossing in zip((first, answers), each, strict=True):
            in_round = (each[0] + each[1])[ways[sent]].max(axis=1, initial=0)
            load[sent] = np.where(in_round <= 1, in_round, 1 + crossing[ways[sent]].max(axis=1, initial=0))
    load = np.minimum(load, MOST_SHARING)
    return way * (MOST_SHARING + 1) + load


def _alone(layout: Layout, classes: Integers) -> NDArray[np.bool_] | None:
    """Which readings shared no link of their way, by their classes; None where no ways are known."""
    return None if layout.links is None or layout.bundled else classes % (MOST_SHARING + 1) <= 1


def _rounds(places: list[int], reading: Integers) -> Iterator[tuple[Integers, Integers]]:
    """The readings of each round: those of who sends first, all at the same time, and the answers.

    The circle method as in programs/ranks/tournament/circle.hpp.
    """
    at = np.asarray(places)
    circle = len(at) + len(at) % 2 - 1
    place = np.arange(circle + 1)
    for turn in range(circle):
        other = (2 * turn - place) % circle
        other[other == place] = circle
        other[circle] = turn
        first = np.flatnonzero((place < other) & (place < len(at)) & (other < len(at)))
        yield reading[at[first], at[other[first]]], reading[at[other[first]], at[first]]


def candidate_kinds(layout: Layout) -> list[CandidateKind]:
    """The kinds of parts that can be slow, with what readings cross or touch each."""
    source, target, nodes = layout.source, layout.target, len(layout.names)
    from_node, to_node = layout.ends_of
    kinds = []
    if nodes >= LEAST_NODES:
        sends, receives = (np.where(from_node != to_node, node, -1) for node in (from_node, to_node))
        kinds += [CandidateKind("node", np.stack([sends, receives]))]
        kinds += [CandidateKind("node, sending", sends[None]), CandidateKind("node, receiving", receives[None])]
    if nodes < layout.ranks and layout.ranks >= LEAST_NODES:
        kinds += [CandidateKind("rank", np.stack([source, target]))]
    if layout.links is not None:
        between = np.array([kind == "network" for _, kind, *_ in layout.ends] + [False])
        ways = np.where(between[layout.links], layout.links, -1).T
        kinds += [CandidateKind("link", ways), CandidateKind("cable", np.where(ways >= 0, _cables(layout)[ways], -1))]
    if layout.switches is not None:
        kinds += [CandidateKind("switch", layout.switches.T)]
    low, high = np.minimum(source, target), np.maximum(source, target)
    kinds += [CandidateKind("pair", (low * layout.ranks + high)[None], single=True)]
    kinds += [CandidateKind("direction", (source * layout.ranks + target)[None], single=True)]
    return kinds


def _cables(layout: Layout) -> Integers:
    """The lower number of the two links between the same routers, by link."""
    first: dict[tuple[Any, Any], int] = {}
    found = [first.setdefault((min(a, b), max(a, b)), at) for at, (_, _, a, b) in enumerate(layout.ends)]
    return np.asarray([*found, -1], np.int64)


@dataclass(frozen=True)
class PartName:
    """What a candidate is called, with the ranks, the nodes and the link that it is of."""

    name: str
    ranks: list[int] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)
    link: str | None = None


def part_name(kind: str, number: int, layout: Layout) -> PartName:
    """Name a candidate of a kind."""
    if kind.startswith("node"):
        node = layout.names[number]
        ranks = np.flatnonzero(layout.node_of == number).tolist()
        return PartName(f"node {node}{kind.removeprefix('node')}", ranks, [node])
    if kind == "rank":
        node = layout.names[layout.node_of[number]]
        return PartName(f"rank {number} on node {node}", [number], [node])
    if kind == "switch":
        return PartName(f"switch {layout.switch_names[number]}")
    if kind in ("link", "cable"):
        link, _, a, b = layout.ends[number]
        between = f"{a} to {b}" if layout.bundled else f"router {min(a, b)} to {max(a, b)}"
        link = link if kind == "link" else f"{between}, both ways"
        return PartName(f"link {link}", link=link)
    ranks = list(divmod(number, layout.ranks))
    nodes = [layout.names[layout.node_of[rank]] for rank in ranks]
    ends = [f"rank {rank} (node {node})" for rank, node in zip(ranks, nodes, strict=True)]
    name = f"pair {ends[0]} and {ends[1]}" if kind == "pair" else f"{ends[0]} to {ends[1]}, not back"
    return PartName(name, ranks, nodes)


def _thing(part: SlowPart, layout: Layout, length: int, beside: list[int], of: str = "") -> SlowThing:
    named = part_name(part.kind, part.number, layout)
    amount = ", ".join(filter(None, longer(part.effect, part.interval)))
    where = ", only where they share links with others" if part.shared else ""
    but_for = [layout.names[node] for node in beside]
    text = f"{named.name}{of}: messages of {human(float(length), 'B')} take {amount}{where}{but_for_words(but_for)}"
    return SlowThing(
        kind=part.kind,
        text=text,
        bytes=length,
        slower=part.effect,
        interval=list(part.interval),
        p=part.p,
        readings=part.readings,
        ranks=named.ranks,
        nodes=named.nodes,
        link=named.link,
        shared=part.shared,
        alone=part.alone,
        but_for=but_for,
    )


def _drawn(each: Passes, longer_by: NDArray[np.float64], layout: Layout) -> PairTimes:
    step = -(-layout.ranks // MOST_ROWS)
    times, apart = np.median(each.logs, axis=0), np.median(longer_by, axis=0)
    return PairTimes(
        bytes=each.bytes,
        median=float(np.exp(np.median(times))),
        ranks_per_row=step,
        seconds=_square(np.exp(times), layout, step),
        slower=_square(np.expm1(apart), layout, step),
    )


def _square(values: NDArray[np.float64], layout: Layout, step: int) -> list[list[float | None]]:
    whole = np.full((layout.ranks, layout.ranks), np.nan)
    whole[layout.source, layout.target] = values
    rows = range(0, layout.ranks, step)
    cells = [[whole[a : a + step, b : b + step] for b in rows] for a in rows]
    return [[None if np.isnan(cell).all() else float(np.nanmedian(cell)) for cell in row] for row in cells]


def _text(found: TournamentFound, of: str) -> list[str]:
    """The lines that are read: what is slow, then what was judged and how."""
    kinds = ["nodes"] if found.nodes >= LEAST_NODES else []
    kinds += ["ranks"] if found.nodes < found.ranks and found.ranks >= LEAST_NODES else []
    kinds += ["links"] if found.routes else []
    what = ", ".join([*kinds, "pairs and directions"])
    ways = "" if found.routes else " (no ways of messages are known here, so no links)"
    judged = (
        f"{found.candidates} {what}{ways}; {found.passes} passes in {found.launches} "
        f"launch{'es' * (found.launches > 1)}, replicates: {found.replicates}; false "
        f"alarms in {found.false_alarms:.0%} of runs{' with these alone' if of else ''}"
    )
    slow = [each.text if each.shared else f"slow: {each.text}" for each in found.slow]
    if found.too_many:
        many = f"slow: {found.too_many} pairs or directions{of}, too many to be exceptions and to be named"
        slow.append(f"{many}: the map of pairs shows where they are")
    nothing = not found.too_many and all(each.shared for each in found.slow)
    return [*slow, f"{'nothing slow' if nothing else 'judged'}{of}: {judged}"]
