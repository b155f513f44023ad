"""TOML that is written: the standard library's reader gives back what was to be written, and what stood there stays."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.described.shipped import shipped
from assay.toml.writing import replace_values, write_toml

KEYS = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
SCALARS = st.one_of(TEXTS, st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False))
TABLE = st.dictionaries(
    KEYS, SCALARS | st.lists(SCALARS, max_size=3) | st.lists(st.lists(SCALARS, max_size=2), max_size=2)
)
FILES = st.dictionaries(KEYS, SCALARS | TABLE | st.lists(TABLE, min_size=1, max_size=3), max_size=5)
FILE = """# a machine
name = "mine"   # its name
[network] # where
cycle = "1 ns"        # the clock
"odd.key" = 3
list = [1, 2, 3]   # three

[[protocol]]
startup = "70 us"
[[protocol]]
startup = '80 us'  # longer
"""


def exact(value: Any) -> Any:
    """The value with the sign of zeros, and true apart from 1."""
    if isinstance(value, dict):
        return {key: exact(each) for key, each in value.items()}
    return [exact(each) for each in value] if isinstance(value, list) else (type(value), repr(value))


@given(FILES, st.lists(TEXTS, max_size=2))
def test_what_is_written_is_read_back(tables: dict[str, Any], comments: list[str]) -> None:
    text = write_toml(tables, comments)
    assert exact(tomllib.loads(text)) == exact(tables)


@given(SCALARS)
def test_a_value_that_is_put_in_is_read_back_and_all_else_stays(value: Any) -> None:
    words = write_toml({"v": value}).removeprefix("v = ").removesuffix("\n")
    made = replace_values(FILE, {"protocol.1.startup": words})
    whole = tomllib.loads(FILE)
    whole["protocol"][1]["startup"] = value
    assert exact(tomllib.loads(made)) == exact(whole)
    assert made == FILE.replace("'80 us'", words)


@pytest.mark.parametrize("name", sorted(shipped()))
def test_a_file_in_which_nothing_is_changed_is_the_same_to_the_byte(name: str) -> None:
    text = shipped()[name].read_text(encoding="utf-8")
    assert replace_values(text, {}) == text
    assert replace_values(text, {"no.such.key": "3", "protocol.99.startup": "3"}) == text


def test_comments_and_layout_stay() -> None:
    values = {"name": '"yours"', "network.cycle": '"2 ns"', "network.list.1": "7", "protocol.0.startup": '"60 us"'}
    wanted = FILE.replace('"mine"', '"yours"').replace("1 ns", "2 ns").replace("1, 2, 3", "1, 7, 3")
    assert replace_values(FILE, values) == wanted.replace("70 us", "60 us")
