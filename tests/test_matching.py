"""Which message each receive takes: random programs on simulated machines, against what MPI says of order.

On the constant machine times are known, so that a brute-force reference says every match and its moment. On networks,
where long messages may be overtaken on their way, the rule itself is checked: of two messages from one rank to another
that both fit two receives, the first sent goes to the first posted.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import twin_cases

ANY = -1
STARTUP, BYTE = 10_000_000, 1_000  # ps, of the constant machine
Step = tuple[str, *tuple[int, ...]]
Match = tuple[int, int, int, int, int]  # rank, number of the receive there, source, message, ps


@pytest.fixture(scope="module")
def player() -> Path:
    library = twin_cases.ROOT / "build" / "core" / "libassay_core.a"
    source = twin_cases.ROOT / "tests" / "native" / "matching.cpp"
    headers = [*(twin_cases.ROOT / "core").rglob("*.hpp"), library]
    return twin_cases.build("matching", [source], str(library), depends=headers)


def play(player: Path, kind: str, programs: list[list[Step]], *how: str) -> tuple[list[Match], int]:
    words = [f"{kind} {len(programs)}"]
    for steps in programs:
        words += [str(len(steps)), *(" ".join(map(str, step)) for step in steps)]
    done = subprocess.run(
        [player, *how], input="\n".join(words), capture_output=True, text=True, timeout=60, check=True
    )
    *lines, last = done.stdout.splitlines()
    return [tuple(map(int, line.split())) for line in lines], int(last.split()[1])  # type: ignore[misc]


@st.composite
def programs(draw: st.DrawFn, most: int) -> list[list[Step]]:
    """Sends between 2 to 4 ranks, a receive for nearly each of them, exact or from any source, in random order."""
    ranks = draw(st.integers(2, 4))
    made: list[list[Step]] = [[] for _ in range(ranks)]
    for message in range(draw(st.integers(1, most))):
        source, to = draw(st.permutations(range(ranks)))[:2]
        tag, size = draw(st.integers(0, 1)), draw(st.sampled_from([4, 8, 60, 700, 5000]))
        size += draw(st.integers(0, 4 if size < 8 else 50))  # up to 8 bytes a receive holds itself
        made[source].append((draw(st.sampled_from("sii")), to, tag, size, message))
        if draw(st.integers(0, 9)) > 0:
            made[to].append((draw(st.sampled_from("rppp")), draw(st.sampled_from([source, source, ANY])), tag))
    for steps in made:
        steps += [("c", draw(st.integers(1, 60_000))) for _ in range(draw(st.integers(0, 3)))]
    shuffled = [list(draw(st.permutations(steps))) for steps in made]
    for steps in shuffled:
        posted = [number for number, step in enumerate(s for s in steps if s[0] in "rp") if step[0] == "p"]
        steps += [("w", number) for number in draw(st.permutations(posted))]
    return shuffled


class TieError(Exception):
    """Two things at one rank at one time: their order is not MPI's business."""


@dataclass
class Rank:
    steps: list[Step]
    now: int = 0
    blocked: int | None = None  # on this receive
    posted: list[list[int]] = field(default_factory=list)  # source, tag, message it took (or -1), moment of that
    unexpected: list[tuple[int, int, int]] = field(default_factory=list)  # source, tag, message


def reference(programs: list[list[Step]]) -> list[Match]:
    """What the constant machine must do: step by step, every arrival matched by looking at all."""
    ranks = [Rank(list(steps)) for steps in programs]
    arrivals: list[tuple[int, int, int, int, int]] = []  # moment, receiver, source, tag, message
    found: list[Match] = []

    def arrive(moment: int, to: int, source: int, tag: int, message: int) -> None:
        for receive in ranks[to].posted:
            if receive[2] < 0 and receive[0] in (source, ANY) and receive[1] == tag:
                receive[2:] = [message, moment]
                return
        ranks[to].unexpected.append((source, tag, message))

    def source_of(message: int) -> int:
        return next(r for r, steps in enumerate(programs) for s in steps if s[0] in "si" and s[4] == message)

    def wait(me: int, number: int) -> bool:
        receive = ranks[me].posted[number]
        if receive[2] < 0:
            ranks[me].blocked = number
            return False
        ranks[me].now = max(ranks[me].now, receive[3])
        ranks[me].blocked = None
        found.append((me, number, source_of(receive[2]), receive[2], ranks[me].now))
        return True

    while True:
        ready = [(r.now, me) for me, r in enumerate(ranks) if r.blocked is None and r.steps]
        moments = [moment for moment, _ in ready] + [arrival[0] for arrival in arrivals]
        if not moments:
            return found
        now = min(moments)
        landing = [arrival for arrival in arrivals if arrival[0] == now]
        if landing:
            for to in {arrival[1] for arrival in landing}:
                if sum(arrival[1] == to for arrival in landing) > 1 or (now, to) in ready:
                    raise TieError
            for arrival in landing:
                arrivals.remove(arrival)
                arrive(*arrival)
            for me, rank in enumerate(ranks):
                if rank.blocked is not None:
                    wait(me, rank.blocked)
            continue
        me = next(each for moment, each in ready if moment == now)
        rank = ranks[me]
        what, *given = rank.steps.pop(0)
        if what == "c":
            rank.now += given[0] * 1000
        elif what in "si":  # its processor carries the whole transfer
            to, tag, size, message = given
            rank.now += STARTUP + BYTE * size
            arrivals.append((rank.now, to, me, tag, message))
        elif what in "rp":
            rank.posted.append([given[0], given[1], -1, 0])
            for each in rank.unexpected:
                if given[0] in (each[0], ANY) and given[1] == each[1]:
                    rank.unexpected.remove(each)
                    rank.posted[-1][2:] = [each[2], now]
                    break
            if what == "r":
                wait(me, len(rank.posted) - 1)
        elif not any(match[:2] == (me, given[0]) for match in found):
            wait(me, given[0])


@settings(max_examples=150, deadline=None)
@given(programs(16))
def test_the_constant_machine_matches_as_brute_force_does(player: Path, made: list[list[Step]]) -> None:
    try:
        wanted = reference(made)
    except TieError:
        assume(False)
    found, _ = play(player, "constant", made)
    assert sorted(found) == sorted(wanted)


@settings(max_examples=80, deadline=None)
@given(programs(16), st.sampled_from(["eager", "posted", "packets"]))
def test_messages_do_not_overtake(player: Path, made: list[list[Step]], kind: str) -> None:
    """Every match fits; no message is taken twice; of one pair and tag, the first sent goes to the first posted."""
    found, _ = play(player, kind, made)
    sent = {s[4]: (source, s[1], s[2], place) for source, steps in enumerate(made)
            for place, s in enumerate(steps) if s[0] in "si"}  # fmt: skip
    receives = [[step for step in steps if step[0] in "rp"] for steps in made]
    assert len({match[3] for match in found}) == len(found)
    for rank, number, source, message, _ in found:
        _, peer, tag = receives[rank][number]
        assert sent[message][:3] == (source, rank, tag)
        assert peer in (source, ANY)
    for one, other in permutations(found, 2):
        if one[0] != other[0] or one[1] > other[1]:
            continue  # `one` was posted before `other`
        early, late = sent[other[3]], sent[one[3]]
        if early[0] != late[0] or early[2] != late[2]:
            continue
        assert early[3] > late[3] or receives[one[0]][one[1]][1] not in (early[0], ANY)


@settings(max_examples=150, deadline=None)
@given(programs(16), st.sampled_from(["constant", "eager", "posted", "interrupt", "packets"]))
def test_short_cuts_change_no_match_and_no_time(player: Path, made: list[list[Step]], kind: str) -> None:
    """Receives that are given their data ahead, and interrupts of computing that begins meanwhile."""
    wanted = play(player, kind, made, "plain")
    for how in ([], ["far"]):
        found = play(player, kind, made, *how)
        assert (sorted(found[0]), found[1]) == (sorted(wanted[0]), wanted[1])


@st.composite
def exchanges(draw: st.DrawFn) -> tuple[list[list[Step]], list[list[Step]]]:
    """Rounds in which every rank sends to another and hears from one, each after a time of its own: by a posted
    receive, a send and a wait; and the same by sendrecv."""
    ranks = draw(st.integers(2, 4))
    parts: list[list[Step]] = [[] for _ in range(ranks)]
    joined: list[list[Step]] = [[] for _ in range(ranks)]
    for number in range(draw(st.integers(1, 5))):
        away = draw(st.integers(1, ranks - 1))
        pauses = draw(st.lists(st.integers(1, 60_000), min_size=ranks, max_size=ranks, unique=True))
        for me in range(ranks):
            size = draw(st.sampled_from([8, 60, 700, 5000])) + draw(st.integers(0, 50))
            to, source, message = (me + away) % ranks, (me - away) % ranks, number * ranks + me
            parts[me] += [("c", pauses[me]), ("p", source, 0), ("s", to, 0, size, message), ("w", number)]
            joined[me] += [("c", pauses[me]), ("x", to, 0, size, message, source)]
    return parts, joined


@settings(max_examples=120, deadline=None)
@given(exchanges())
def test_a_sendrecv_is_a_receive_a_send_and_a_wait(
    player: Path, made: tuple[list[list[Step]], list[list[Step]]]
) -> None:
    try:
        wanted = reference(made[0])
    except TieError:
        assume(False)
    found, waiting = play(player, "constant", made[1])
    assert (sorted(found), waiting) == (sorted(wanted), 0)


@settings(max_examples=120, deadline=None)
@given(exchanges(), st.sampled_from(["eager", "posted", "interrupt", "packets"]))
def test_a_sendrecv_takes_their_time_on_networks(
    player: Path, made: tuple[list[list[Step]], list[list[Step]]], kind: str
) -> None:
    wanted = play(player, kind, made[0], "plain")
    for how in (["plain"], [], ["far"]):
        found = play(player, kind, made[1], *how)
        assert (sorted(found[0]), found[1]) == (sorted(wanted[0]), wanted[1])


@settings(max_examples=40, deadline=None)
@given(programs(12), st.sampled_from(["eager", "packets"]))
def test_nothing_waits_that_could_go_on(player: Path, made: list[list[Step]], kind: str) -> None:
    """With receives enough from any source, and all posted before they are waited for, every program ends."""
    for rank, steps in enumerate(made):
        wanted = [s[2] for other in made for s in other if s[0] in "si" and s[1] == rank]
        steps[:] = [s for s in steps if s[0] in "sic"] + [("p", ANY, tag) for tag in wanted]
        steps += [("w", number) for number in range(len(wanted))]
    found, waiting = play(player, kind, made)
    assert waiting == 0
    assert len(found) == sum(s[0] in "si" for steps in made for s in steps)
