"""What is slow among all pairs: sums by brute force, planted parts, quiet machines, a slow link of a fat tree."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from assay.analysis.as_fast import as_fast
from assay.analysis.slow_pairs import CandidateKind, Localised, SlowPart, _judge, _scored, localise, residuals
from assay.report.sections.pairs.tournament import Layout, _thing, candidate_kinds
from slow_link_trials import measured, noise, tree


def plain(ranks: int) -> Layout:
    return Layout(ranks, np.arange(ranks), [str(rank) for rank in range(ranks)])


def named(found: Localised) -> list[tuple[str, int]]:
    return [(part.kind, part.number) for part in found.parts]


def apart(logs: np.ndarray) -> np.ndarray:
    return np.stack([residuals(times, np.zeros(len(times), np.int64)) for times in logs])


def alike(logs: np.ndarray) -> np.ndarray:
    return np.zeros(logs.shape, np.int64)


def test_sums_are_set_against_all_sets_of_as_many_readings() -> None:
    """Two classes of 8 and 4 readings; every set of as many of each is tried."""
    dice = np.random.default_rng(3)
    times, classes = dice.normal(size=12), np.repeat([0, 5], [8, 4])
    sets = [(0, 1, 8), (2, 3, 4, 9), (5, 6, 10, 11)]
    of = np.full(12, -1)
    for number, readings in enumerate(sets):
        of[list(readings)] = number
    scored = _scored(times, classes)
    judged = _judge(CandidateKind("part", of[None]), [scored], np.array([0]), np.ones(12, bool))
    strengths = []
    for readings in sets:
        first, second = [at for at in readings if at < 8], [at for at in readings if at >= 8]
        sums = [
            scored.scores[list(a)].sum() + scored.scores[list(b)].sum()
            for a in combinations(range(8), len(first))
            for b in combinations(range(8, 12), len(second))
        ]
        strengths.append(scored.scores[list(readings)].sum() / np.std(sums))
    assert judged.strength == pytest.approx(strengths)
    place = np.argsort(np.argsort(strengths))
    assert judged.p == pytest.approx(stats.norm.sf(stats.norm.ppf((place + 0.5) / 3)))


PARTS = {"node": 3, "node, sending": 5, "node, receiving": 0, "pair": 2 * 10 + 7, "direction": 9 * 10 + 4}


@pytest.mark.parametrize("kind", PARTS)
def test_what_is_planted_is_named_and_nothing_else(kind: str) -> None:
    layout, dice = plain(10), np.random.default_rng(8)
    (part,) = [each for each in candidate_kinds(layout) if each.name == kind]
    logs = dice.normal(0, 0.03, (12, 90)) + dice.normal(0, 0.5, (12, 1))
    slow = (part.of == PARTS[kind]).any(axis=0)
    assert slow.sum() == {"node": 18, "node, sending": 9, "node, receiving": 9, "pair": 2, "direction": 1}[kind]
    logs[:, slow] += np.log(1.2)
    found = localise(logs, alike(logs), np.arange(12).tolist(), candidate_kinds(layout))
    assert named(found) == [(kind, PARTS[kind])] and found.by_launch
    only: SlowPart = found.parts[0]
    assert only.effect == pytest.approx(0.2, abs=0.05)
    assert only.interval[0] < 0.2 < only.interval[1]


@pytest.mark.parametrize(("alone", "kept"), [(0.2, False), (0.0, True), (None, False)])
def test_what_is_slow_only_where_links_are_shared_is_said_to_be_so(alone: float | None, kept: bool) -> None:
    """Node 3's messages take a fifth longer where they share links; alone they do too, do not, or nobody knows."""
    layout, dice = plain(10), np.random.default_rng(8)
    own = dice.random((12, 90)) < 0.3
    slow = (layout.source == 3) | (layout.target == 3)
    logs = dice.normal(0, 0.03, (12, 90))
    logs += slow * np.where(own, np.log1p(alone or 0.0), np.log(1.2))
    classes = np.where(own, 0, 1) if alone is not None else alike(logs)
    found = localise(logs, classes, list(range(12)), candidate_kinds(layout), alone=None if alone is None else own)
    assert named(found) == [("node", 3)] and [part.shared for part in found.parts] == [kept]
    assert found.parts[0].alone == (0 if alone is None else (own & slow).sum())


@pytest.mark.parametrize("kind", ["node", "node, sending", "node, receiving"])
def test_nodes_that_are_only_further_away_exchange_as_fast_with_one_another(kind: str) -> None:
    """Eight nodes on one switch, two on another, ways unknown; in 30 runs, and as often with node 8 slow itself."""
    layout, dice = plain(10), np.random.default_rng(4)
    far = (layout.source >= 8) != (layout.target >= 8)
    ends = {
        "node": [layout.source, layout.target],
        "node, sending": [layout.source],
        "node, receiving": [layout.target],
    }
    slow = np.any([end == 8 for end in ends[kind]], axis=0)
    part = SlowPart(kind, 8, 0.3, (0.3, 0.3), 0.0, int(slow.sum()), False)
    wrong = 0
    for _ in range(30):
        chance = 0.02 * dice.standard_t(2, (24, 90))
        assert as_fast(part, apart(chance + 0.3 * far), *layout.ends_of) == [9]
        wrong += bool(as_fast(part, apart(chance + 0.3 * slow), *layout.ends_of))
    assert wrong <= stats.binom.ppf(0.999, 30, 0.01)
    pair = SlowPart("pair", 89, 0.3, (0.3, 0.3), 0.0, 2, False)
    assert as_fast(pair, np.zeros((12, 90)), *layout.ends_of) == []


def test_nodes_of_another_switch_are_named_with_those_beside_them() -> None:
    layout, dice = plain(10), np.random.default_rng(4)
    logs = dice.normal(0, 0.03, (12, 90)) + 0.3 * ((layout.source >= 8) != (layout.target >= 8))
    found = localise(logs, alike(logs), list(range(12)), candidate_kinds(layout))
    assert sorted(named(found)) == [("node", 8), ("node", 9)]
    things = [_thing(part, layout, 8, as_fast(part, apart(logs), *layout.ends_of)) for part in found.parts]
    assert {each.text.partition(":")[0] + each.text.rpartition(",")[2] for each in things} == {
        "node 8 but not those with node 9",
        "node 9 but not those with node 8",
    }


def test_two_slow_nodes_are_both_named() -> None:
    layout, dice = plain(12), np.random.default_rng(2)
    logs = dice.normal(0, 0.05, (10, 132))
    for node, more in ((4, 0.3), (7, 0.15)):
        logs[:, (layout.source == node) | (layout.target == node)] += more
    assert named(localise(logs, alike(logs), [0] * 10, candidate_kinds(layout))) == [("node", 4), ("node", 7)]


def test_a_quiet_machine_has_nothing_slow_whatever_its_noise() -> None:
    """Noise without a mean, and in each pass another node that is disturbed all the while; 1% of 60 runs at most."""
    layout, dice = plain(8), np.random.default_rng(5)
    kinds, alarms = candidate_kinds(layout), 0
    for _ in range(60):
        logs = 0.05 * dice.standard_cauchy((8, 56))
        for each, node in zip(logs, dice.integers(8, size=8), strict=True):
            each[(layout.source == node) | (layout.target == node)] += 0.4
        alarms += bool(localise(logs, alike(logs), [0] * 8, kinds).parts)
    assert alarms <= stats.binom.ppf(0.999, 60, 0.01)


def test_less_than_the_margin_is_nobodys() -> None:
    layout, dice = plain(10), np.random.default_rng(8)
    logs = dice.normal(0, 0.001, (12, 90))
    logs[:, layout.source == 3] += 0.015
    assert named(localise(logs, alike(logs), list(range(12)), candidate_kinds(layout))) == []


def test_more_slow_pairs_than_exceptions_are_counted_and_not_named() -> None:
    layout, dice = plain(24), np.random.default_rng(8)
    logs = dice.normal(0, 0.01, (30, 24 * 23))
    logs[:, dice.random(24 * 23) < 0.25] += 0.3
    found = localise(logs, alike(logs), list(range(30)), candidate_kinds(layout))
    assert found.too_many > 64 and not found.parts


def test_equal_readings_speak_against_what_they_belong_to() -> None:
    """Without noise: of the 15 messages to node 14 those over one link are slow, and the 3 within its leaf are not."""
    layout = tree(4, 4)
    assert layout.links is not None
    logs = np.zeros((6, 240))
    logs[:, (layout.links == 16 + 4 * 3 + 2).any(axis=1)] = np.log(1.1)
    classes = np.tile((layout.links[:, 0] >= 0).astype(np.int64), (6, 1))
    assert named(localise(logs, classes, [0] * 6, candidate_kinds(layout))) == [("link", 16 + 4 * 3 + 2)]


def test_shapes_that_do_not_match_are_refused() -> None:
    with pytest.raises(ValueError, match="2 passes"):
        localise(np.zeros((3, 6)), np.zeros((3, 6), np.int64), [0, 1], [])


def test_a_link_that_is_a_tenth_slower_is_named_behind_nodes_that_share_its_messages() -> None:
    """64 nodes, 10 launches, noise as measured: a way down to node d carries 56 of the 63 messages that it receives."""
    layout, dice, pool = tree(8, 8), np.random.default_rng(11), measured()
    kinds, away = candidate_kinds(layout), (layout.links[:, 0] >= 0).astype(np.int64)
    classes = np.tile(away, (10, 1))
    right = alarms = 0
    for trial in range(5):
        logs = noise(layout, 10, dice, pool)
        alarms += bool(localise(logs, classes, list(range(10)), kinds).parts)
        link = int(dice.integers(64)) + 64 * (trial % 2)
        logs[:, (layout.links == link).any(axis=1)] += np.log(1.1)
        right += named(localise(logs, classes, list(range(10)), kinds)) == [("link", link)]
    assert right >= stats.binom.ppf(0.001, 5, 0.95) and alarms <= stats.binom.ppf(0.999, 5, 0.01)
