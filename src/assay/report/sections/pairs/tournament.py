"""What a tournament's passes say: the times of all pairs as heat maps, and what is slow among them, by name.

Read from the launches' own lines (`event` pairs): of each pass and length the time of every directed pair, and where
ranks stood in the circle, which says who exchanged at the same time. Of a described machine also the links of each way.
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
from assay.report.derive.settings import differing
from assay.report.sections.pairs.pair_tables import but_for_words, longer
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
    that did not record it, where they are as many.

    Reading from * (ranks - 1) + to - (to > from) is the message of rank `from` to rank `to`.
    """

    ranks: int
    node_of: Integers
    names: list[str]
    links: Integers | None = None  # (readings, hops), -1 for none
    ends: list[list[Any]] = field(default_factory=list)  # of each link name, kind, from, to
    alike: Integers | None = None  # (readings,), -1 within a node

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
    placement: list[dict[str, Any]] = field(default_factory=list)
    lines: dict[int, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))


def tournaments(run: Run, benchmark: str) -> list[TournamentFound]:
    """Judge the passes of a run's launches that count, those of each number of ranks, ranks per node and MPI apart."""
    groups: dict[Case, Alike] = {}
    for about, file in run.tasks():
        if about.benchmark == benchmark and not about.superseded and file.content.done:
            events = [json.loads(line) for line in file.content.pairs]
            ranks = max((int(event["case"]["ranks"]) for event in events if "seconds" in event), default=0)
            if ranks < 2:
                continue
            params = Case({"ranks": ranks, **about.factors})
            of = groups.setdefault(params, Alike(params))
            of.placement = of.placement or file.content.opening.get("placement") or []
            of.lines[about.launch] += events
    found = sorted(groups.values(), key=_order)
    labels = differing([each.params for each in found])
    return [_judged(each, label) for each, label in zip(found, labels, strict=True)]


def _order(alike: Alike) -> tuple[int, str, str, int]:
    about = alike.params
    return int(about.get("ppn") or 0), str(about.get("mpi")), str(about.get("transport")), int(about["ranks"])


def _judged(alike: Alike, label: str) -> TournamentFound:
    """Judge the passes of one group at the level of a run that has no other; `label` tells it from others, if any."""
    lines, ranks = alike.lines, int(alike.params["ranks"])
    of = f", {label}" if label else ""
    events = [(launch, event) for launch, each in sorted(lines.items()) for event in each]
    layout = _layout(ranks, alike.placement, [event for _, event in events])
    reading = layout.reading
    lengths, slow, passes, too_many = [], list[SlowThing](), 0, 0
    every = sorted(_passes(events, ranks), key=lambda each: each.bytes)
    kinds = _kinds(layout)
    found: Localised | None = None
    for each in every:
        classes = np.stack([_classes(layout, places, reading) for places in each.places])
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


def _layout(ranks: int, placement: list[dict[str, Any]], events: list[dict[str, Any]]) -> Layout:
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
        layout.ends = ways["links"]
        if "alike" in ways:
            by_nodes = np.full((nodes, nodes), -1, np.int64)
            by_nodes[~np.eye(nodes, dtype=bool)] = ways["alike"]
            layout.alike = by_nodes[node_of[layout.source], node_of[layout.target]]
    return layout


def _passes(events: list[tuple[int, dict[str, Any]]], ranks: int) -> Iterator[Passes]:
    by_length: dict[int, list[tuple[int, dict[str, Any]]]] = defaultdict(list)
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
    return None if layout.links is None else classes % (MOST_SHARING + 1) <= 1


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


def _kinds(layout: Layout) -> list[CandidateKind]:
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
    low, high = np.minimum(source, target), np.maximum(source, target)
    kinds += [CandidateKind("pair", (low * layout.ranks + high)[None], single=True)]
    kinds += [CandidateKind("direction", (source * layout.ranks + target)[None], single=True)]
    return kinds


def _cables(layout: Layout) -> Integers:
    """The lower number of the two links between the same routers, by link."""
    first: dict[tuple[Any, Any], int] = {}
    found = [first.setdefault((min(a, b), max(a, b)), at) for at, (_, _, a, b) in enumerate(layout.ends)]
    return np.asarray([*found, -1], np.int64)


def _thing(part: SlowPart, layout: Layout, length: int, beside: list[int], of: str = "") -> SlowThing:
    name, ranks, nodes, link = "", list[int](), list[str](), None
    if part.kind.startswith("node"):
        nodes = [layout.names[part.number]]
        ranks = np.flatnonzero(layout.node_of == part.number).tolist()
        name = f"node {nodes[0]}" + part.kind.removeprefix("node")
    elif part.kind == "rank":
        ranks, nodes = [part.number], [layout.names[layout.node_of[part.number]]]
        name = f"rank {part.number} on node {nodes[0]}"
    elif part.kind in ("link", "cable"):
        link, _, a, b = layout.ends[part.number]
        link = link if part.kind == "link" else f"router {min(a, b)} to {max(a, b)}, both ways"
        name = f"link {link}"
    else:
        ranks = list(divmod(part.number, layout.ranks))
        nodes = [layout.names[layout.node_of[rank]] for rank in ranks]
        ends = [f"rank {rank} (node {node})" for rank, node in zip(ranks, nodes, strict=True)]
        name = f"pair {ends[0]} and {ends[1]}" if part.kind == "pair" else f"{ends[0]} to {ends[1]}, not back"
    amount = ", ".join(filter(None, longer(part.effect, part.interval)))
    where = ", only where they share links with others" if part.shared else ""
    but_for = [layout.names[node] for node in beside]
    text = f"{name}{of}: messages of {human(float(length), 'B')} take {amount}{where}{but_for_words(but_for)}"
    return SlowThing(
        kind=part.kind,
        text=text,
        bytes=length,
        slower=part.effect,
        interval=list(part.interval),
        p=part.p,
        readings=part.readings,
        ranks=ranks,
        nodes=nodes,
        link=link,
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
