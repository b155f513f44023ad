"""A tournament where links are unlike by description: a dragonfly's global ones take longer, and are no fault."""

from __future__ import annotations

import numpy as np
import pytest

from assay.described.placed import nodes_for
from assay.described.shipped import open_described
from assay.described.ways import _without_slower, ways
from assay.document.json_form import from_json
from assay.document.tournament import TournamentFound
from assay.report.sections.pairs.tournament import Layout, _alone, _classes, _rounds
from command_line import assay

DRAGONFLY = "dragonfly-slingshot"
PLACED = ("-n", "32", "--placement", "scattered", "--seed", "1")
NODES = (4, 58, 129, 522, 777, 5, 20, 900)


def tournament(*words: str) -> TournamentFound:
    """What a run on the dragonfly says of its pairs."""
    answer = assay("run", "tournament", "--on", DRAGONFLY, *words, "--json")
    assert answer.status == 0, answer.err
    return from_json(TournamentFound, answer.document["tournament"])


@pytest.mark.parametrize(("ranks", "seed"), [(16, 1), (16, 5), (32, 1)])
def test_where_no_link_is_slow_none_is_called_so(ranks: int, seed: int) -> None:
    found = tournament("-n", str(ranks), "--placement", "scattered", "--seed", str(seed))
    assert [each.text for each in found.slow if not each.shared] == [] and found.too_many == 0
    assert found.text[-1].startswith("nothing slow: ")


@pytest.mark.parametrize("scope", ["local", "global"])
def test_a_slow_link_is_still_named(scope: str) -> None:
    """The first link of the kind that six pairs or more of 32 cross, a quarter slower, by its ends."""
    first = tournament(*PLACED, "--set", "bytes=262144")
    machine = open_described(DRAGONFLY, {})
    found = ways(machine, nodes_for(machine, "scattered", 32, 1))
    assert found is not None
    count = np.bincount(found.links[found.links >= 0], minlength=len(found.ends))
    inside = np.array([each["from"] // 16 == each["to"] // 16 for each in found.ends])
    network = np.array([each["kind"] == "network" for each in found.ends])
    link = found.ends[int(np.flatnonzero(network & (inside == (scope == "local")) & (count >= 6))[0])]
    a, b = link["from"], link["to"]
    entry = f"machine.network.links=[{{routers=[{a},{b}], slower=1.25, one_way=true}}]"
    slow = tournament(*PLACED, "--set", "bytes=262144", "--set", entry).slow
    assert (slow[0].kind, slow[0].link, slow[0].shared) == ("link", f"router {a} to {b}", False)
    assert slow[0].slower == pytest.approx(0.25 * 262144 / 64 * 2.56e-9 / first.lengths[0].median, rel=0.1)


def test_ways_are_alike_by_the_kinds_of_their_links_as_described_but_for_the_slower_ones() -> None:
    """By the number of links within groups of 16 routers and between them, of a message between two nodes."""
    found = ways(open_described(DRAGONFLY, {}), NODES)
    slow = {"network.links": "[{node = 4, slower = 1.25}, {routers = [0, 8], slower = 2}]"}
    slower = ways(open_described(DRAGONFLY, slow), NODES)
    assert found is not None and slower is not None
    assert (slower.alike == found.alike).all() and (slower.links == found.links).all()
    by_kinds: dict[tuple[int, int], set[int]] = {}
    for row, way in enumerate(found.links):
        if row % (len(NODES) + 1):
            links = [found.ends[at] for at in way if at >= 0 and found.ends[at]["kind"] == "network"]
            within = sum(each["from"] // 16 == each["to"] // 16 for each in links)
            by_kinds.setdefault((within, len(links) - within), set()).add(int(found.alike[row]))
        else:
            assert found.alike[row] == -1
    assert {len(numbers) for numbers in by_kinds.values()} == {1}
    assert len(set.union(*by_kinds.values())) == len(by_kinds) >= 4


def test_a_graphs_own_links_are_no_slower_ones() -> None:
    joined = {"topology": "graph", "links": [[0, 1], [1, 2]]}
    assert _without_slower(joined) == joined
    assert _without_slower({"topology": "ring", "links": [{"node": 1, "slower": 2.0}]}) == {"topology": "ring"}


def test_a_message_is_alone_where_no_other_of_its_round_crosses_its_links_either_way() -> None:
    """Four ranks on a bus of one link each way: link 0 carries what goes from a lower to a higher rank, 1 the rest."""
    layout = Layout(4, np.arange(4), list("0123"))
    layout.links = np.where(layout.source < layout.target, 0, 1)[:, None]
    layout.ends = [["up", "network", 0, 1], ["down", "network", 1, 0]]
    for places in ([0, 1, 2, 3], [3, 0, 1, 2]):
        classes = _classes(layout, places, layout.reading)
        alone = _alone(layout, classes)
        assert alone is not None and not alone.any()  # each link carries two messages of each round
        for both in _rounds(places, layout.reading):
            for sent in both:
                crossing = np.bincount(layout.links[sent, 0], minlength=2)[layout.links[sent, 0]]
                assert (classes[sent] % 64 == 1 + crossing).all()
