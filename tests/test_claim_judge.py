"""The one judge of claims: its laws, and that both kinds of claims go through it."""

from __future__ import annotations

import ast
import math
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import assay
from assay.network.study.results import Bracket
from assay.published.cells import allowance
from assay.published.judge import (
    OUTCOMES,
    Accepted,
    Comparison,
    Outcome,
    accepted,
    fact,
    follows,
    judged,
    together,
    verdict,
    within,
)
from assay.validation.claims import messages
from assay.validation.ghosh import claims as ghosh
from assay.validation.ghosh.points import before, bracket_in

ROOMS = [Path(assay.__file__).parent / name for name in ("published", "validation")]
numbers = st.floats(-1e6, 1e6)
widths = st.floats(0, 1e6)
OPS: tuple[Comparison, ...] = ("==", "~=", "<", ">", "<=", ">=")


@given(numbers, widths, numbers, widths, widths)
def test_a_wider_allowance_never_takes_a_holds_away(
    low: float, width: float, value: float, slack: float, more: float
) -> None:
    """Nor turns what inconclusive into a difference: outcomes only move towards holds."""
    order: dict[Outcome, int] = {"differs": 0, "inconclusive": 1, "holds": 2}
    found = (low, low + width)
    near, far = (within(found, accepted("~=", value, allowed)) for allowed in (slack, slack + more))
    assert order[far] >= order[near]


@given(numbers, widths, numbers, widths, st.booleans())
def test_a_narrower_interval_keeps_what_was_told(
    low: float, width: float, end: float, span: float, open_: bool
) -> None:
    """What a whole interval says, each number in it says as well."""
    asked = Accepted(end, end + span, open_)
    outcome = within((low, low + width), asked)
    for number in (low, low + width / 2, low + width):
        if outcome != "inconclusive":
            assert within(number, asked) == outcome


@given(numbers, st.floats(1e-3, 1e6), st.floats(0.01, 0.99), st.booleans())
def test_an_interval_across_a_limit_cannot_be_told(limit: float, width: float, share: float, open_: bool) -> None:
    found = (limit - share * width, limit + (1 - share) * width)
    assume(found[0] < limit < found[1])
    assert within(found, Accepted(limit, math.inf, open_)) == "inconclusive"
    assert within(found, Accepted(-math.inf, limit, open_)) == "inconclusive"


@given(numbers, numbers)
def test_exact_numbers_are_always_told_and_as_python_compares_them(found: float, value: float) -> None:
    expected = {"<": found < value, ">": found > value, "<=": found <= value, ">=": found >= value}
    for op in OPS:
        outcome = within(found, accepted(op, value))
        assert outcome in ("holds", "differs")
        if op in expected:
            assert (outcome == "holds") == expected[op]
    assert within(value, accepted("==", value)) == "holds"


@given(numbers, numbers, widths)
def test_a_comparison_and_its_opposite_are_never_both_right(value: float, low: float, width: float) -> None:
    found = (low, low + width)
    for op, other in (("<", ">="), (">", "<=")):
        pair = {within(found, accepted(each, value)) for each in (op, other)}  # type: ignore[arg-type]
        assert pair in ({"holds", "differs"}, {"inconclusive"})


def test_what_is_not_known_cannot_be_told() -> None:
    everything = Accepted()
    for found in (None, math.nan, (-math.inf, math.inf), (0.0, math.inf), (math.nan, 1.0)):
        assert within(found, everything) == "inconclusive"
    assert fact(None, "").outcome == judged(None, everything, "").outcome == "inconclusive"


@given(st.lists(st.sampled_from(OUTCOMES), max_size=6))
def test_a_claim_is_as_good_as_its_worst_part(outcomes: list[Outcome]) -> None:
    found = together(outcomes)
    assert (found == "differs") == ("differs" in outcomes)
    assert (found == "holds") == (set(outcomes) == {"holds"})
    assert together(list(reversed(outcomes))) == found


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_what_cannot_be_told_is_no_input_and_no_prediction(outcome: Outcome) -> None:
    part = fact({"holds": True, "differs": False, "inconclusive": None}[outcome], "numbers")
    found = verdict("x", [part], "a note", "input")
    assert found.outcome == outcome
    assert found.document().get("mark") == (None if outcome == "inconclusive" else "input")


def test_a_trend_rises_as_a_whole_and_falls_nowhere() -> None:
    assert follows([1, 1, 2], "increasing", 0.05) == "holds"
    assert follows([1, 1, 1], "increasing", 0.05) == "differs"
    assert follows([1, 3, 2], "increasing", 0.05) == "differs"
    assert follows([3, 2, 1], "decreasing", 0.05) == "holds"
    assert follows([1.0, 1.04], "flat", 0.05) == "holds"
    assert follows([1.0, 1.06], "flat", 0.05) == "differs"
    assert follows([1.0], "flat", 0.05) == "inconclusive"


def test_brackets_that_share_an_end_are_in_order() -> None:
    """A bracket's lower end is not saturated and its upper end is: two that touch are told apart."""
    lower, upper, both = (Bracket({}, [ends]) for ends in ((10.0, 12.0), (12.0, 14.0), (11.0, 13.0)))
    assert before(lower, upper, ("a", "b")).outcome == "holds"
    assert before(upper, lower, ("a", "b")).outcome == "differs"
    assert before(lower, both, ("a", "b")).outcome == "inconclusive"
    assert before(lower, lower, ("a", "b")).outcome == "inconclusive"
    assert bracket_in(lower, 10.0, 12.8, "a").outcome == "holds"


def test_allowances_of_our_choice_are_scaled_and_those_from_print_are_not() -> None:
    known = ghosh.published() | messages.published()
    ours = {name for name, claim in known.items() if claim.tol_rel is not None and allowance.ours(claim)}
    assert {name for name in ours if name.startswith("ghosh.")} == {
        *("ghosh.hit-rate-no-network-effect", "ghosh.pe-pe-equal-unsaturated", "ghosh.b3-b4-follow-b2"),
        "ghosh.distance-insensitive",
        *("ghosh.locality-indifferent-b2", "ghosh.locality-one-converges", "ghosh.n3-enough"),
    }
    words = {name: known[name].tol_basis or "" for name in ours if name.startswith("vds.")}
    assert len(words) == 16 and all("'" in basis for basis in words.values())  # the words of the text, quoted
    little, printed = known["ghosh.n3-enough"], known["ghosh.b1-same-saturation-all-cubes"]
    with allowance.choosing(0.5):
        assert allowance.share(little, 0.0) == pytest.approx(0.05)
        assert allowance.share(printed, 0.0) == pytest.approx(0.123)
        assert allowance.share(known["d91d.contention-delta"], allowance.FLAT) == pytest.approx(0.025)
    assert allowance.share(little, 0.0) == pytest.approx(0.1)


def test_outcomes_are_made_in_one_place() -> None:
    """No other file of the room decides between the three words: they stand in the judge alone, but for counting."""
    counting = {"published/judge.py"} | {
        f"validation/{name}.py" for name in ("claims/messages", "machines/evidence", "ghosh/page", "ghosh/answered")
    }
    counting |= {"validation/coverage/asking.py", "validation/coverage/checks.py"}  # they read what was judged
    for path in sorted(path for room in ROOMS for path in room.rglob("*.py")):
        if path.relative_to(ROOMS[0].parent).as_posix() not in counting:
            constants = [node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)]
            assert not {"holds", "inconclusive"} & {text for text in constants if isinstance(text, str)}, path
