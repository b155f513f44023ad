"""A case: equal by content whatever the order of its keys, hashable, unchanged by text and back, as its text says."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import cli
from assay.case import Case
from assay.document.fleet import DifferingNode
from assay.document.json_form import from_json, to_json

NUMBERS = st.integers(-(2**62), 2**62) | st.floats(allow_nan=False, allow_infinity=False)
PARAMETERS = st.dictionaries(st.text(max_size=3), st.none() | st.booleans() | NUMBERS | st.text(max_size=4), max_size=5)


@given(PARAMETERS, st.randoms())
def test_a_case_is_its_content_whatever_the_order_of_its_keys(given: dict[str, Any], random: Any) -> None:
    items = list(given.items())
    random.shuffle(items)
    one, other = Case(given), Case(dict(items))
    assert one == other and hash(one) == hash(other) and one.text == other.text and {one: 1}[other] == 1
    assert list(other) == [key for key, _ in items] and dict(other) == given  # and it keeps the order that it was given


@given(PARAMETERS, PARAMETERS)
def test_two_cases_are_equal_where_their_texts_are(one: dict[str, Any], other: dict[str, Any]) -> None:
    """By a twin: texts by json itself."""
    texts = [json.dumps(each, sort_keys=True, separators=(",", ":")) for each in (one, other)]
    assert (Case(one) == Case(other)) is (texts[0] == texts[1]) and Case(one).text == texts[0]
    assert (Case(one) == other) is (texts[0] == texts[1])
    assert (Case(one) < Case(other)) is (texts[0] < texts[1])


@pytest.mark.parametrize(("one", "other"), [(1, 1.0), (1, True), (0, False), (0.0, -0.0), (1, "1"), (None, "null")])
def test_what_json_writes_differently_differs(one: object, other: object) -> None:
    assert Case({"n": one}) != Case({"n": other})
    assert len({Case({"n": one}), Case({"n": other})}) == 2


@given(PARAMETERS)
def test_text_and_back_is_the_same_case(given: dict[str, Any]) -> None:
    case = Case(given)
    again = Case(json.loads(case.text))
    assert again == case and [type(again[key]) for key in given] == [type(value) for value in given.values()]
    assert pickle.loads(pickle.dumps(case)) == case == copy.deepcopy(case)


@given(PARAMETERS, PARAMETERS)
def test_a_case_with_fewer_parameters_covers_those_with_more(one: dict[str, Any], other: dict[str, Any]) -> None:
    both = Case(one) | other
    assert dict(both) == {**one, **other} == dict(one | Case(other)) and Case(other).covers(both)
    left = both.without(other)
    assert set(left) == set(one) - set(other) and left.covers(both) and Case({}).covers(left)
    assert left.covers(Case({})) is (not left)


def test_a_case_does_not_change() -> None:
    given = {"n": 1}
    case: Any = Case(given)
    given["n"] = 2
    assert case["n"] == 1 and case.get("m", 3) == 3
    for change in (lambda: case.__setitem__("n", 2), lambda: setattr(case, "n", 2), lambda: case.keys().clear()):
        with pytest.raises((AttributeError, TypeError)):
            change()


def test_a_verb_prints_a_case_as_an_object() -> None:
    with cli.answered() as documents:
        cli.emit({"figures": [{"params": Case({"n": 1})}]})
    assert documents[0]["figures"] == [{"params": {"n": 1}}]


@given(PARAMETERS)
def test_in_a_document_a_case_is_an_object(given: dict[str, Any]) -> None:
    about: dict[str, Any] = {"host": "", "metric": "", "value": 1.0, "ratio": 1.0, "deviations": 1.0}
    about |= {"figure": "", "unit": "", "text": "", "p": 1.0, "launches": 0, "worse": None, "named": False}
    made = DifferingNode(case=Case(given), **about)
    plain = to_json(made)
    assert type(plain["case"]) is dict and plain == about | {"case": given}
    assert from_json(DifferingNode, json.loads(json.dumps(plain))) == made
