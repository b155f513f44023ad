"""Values out of bounds: said with both bounds, wherever pydantic finds them."""

from __future__ import annotations

import dataclasses
import re
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from assay.described.machine_tables import MachineTable
from assay.errors import InputError
from assay.network.network_tables import Method, NetworkTable, TrafficTable
from assay.toml.checking import Table, validate_tables
from assay.toml.source import Source
from command_line import assay

PYDANTIC = re.compile(
    r"greater than|less than|should (be|have|match)|validation error|valid dictionary|instance of|at least|at most"
)


class Some(Table):
    count: int = Field(1, ge=1, le=4096)
    more: int = Field(0, ge=0)
    share: float = Field(0.5, gt=0, lt=1)
    load: float = Field(0.5, gt=0, le=2)
    below: float | None = Field(None, lt=7)
    items: list[Annotated[int, Field(ge=2, le=5)]] = Field([2], min_length=1, max_length=3)
    word: str = Field("a", min_length=1)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("count", 0, "count: is out of bounds; got 0, expected a whole number from 1 to 4,096"),
        ("count", 5000, "count: is out of bounds; got 5000, expected a whole number from 1 to 4,096"),
        ("more", -1, "more: is out of bounds; got -1, expected a whole number from 0 on"),
        ("share", 0.0, "share: is out of bounds; got 0.0, expected a number above 0 and below 1"),
        ("share", 1, "share: is out of bounds; got 1, expected a number above 0 and below 1"),
        ("load", 3.0, "load: is out of bounds; got 3.0, expected a number above 0, up to 2"),
        ("below", 9.0, "below: is out of bounds; got 9.0, expected a number below 7"),
        ("items", [3, 1], "items.1: is out of bounds; got 1, expected a whole number from 2 to 5"),
        ("items", [], "items: is of the wrong length; got [], expected 1 entry or more"),
        ("items", [2, 2, 2, 2], "items: is of the wrong length; got [2, 2, 2, 2], expected 3 entries or fewer"),
        ("word", "", "word: is of the wrong length; got '', expected 1 character or more"),
    ],
)
def test_both_bounds_are_said(key: str, value: object, said: str) -> None:
    with pytest.raises(InputError) as caught:
        validate_tables(Source(Path("some.toml"), ""), Some, {key: value})
    assert str(caught.value) == f"some.toml: {said}"


def bounded(model: type[BaseModel], keys: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], float]]:
    """A value beyond each bound that a field of a table states itself, by its keys; tables inside too."""
    for name, field in model.model_fields.items():
        place = (*keys, field.alias or name)
        inner = [each for each in (field.annotation, *typing.get_args(field.annotation)) if isinstance(each, type)]
        for table in inner:
            if issubclass(table, BaseModel):
                yield from bounded(table, place)
        for part in field.metadata:
            about = dataclasses.asdict(part) if dataclasses.is_dataclass(part) and not isinstance(part, type) else {}
            if isinstance(about.get("ge"), int | float):
                yield place, about["ge"] - 1
            if isinstance(about.get("le"), int | float):
                yield place, about["le"] + 1


TABLES = (MachineTable, Method, NetworkTable, TrafficTable)
EVERY = [(table, *each) for table in TABLES for each in bounded(table)]


def test_no_key_of_a_description_is_refused_in_words_of_pydantics() -> None:
    seen = 0
    for model, keys, value in EVERY:
        table: Any = value
        for key in reversed(keys):
            table = {key: table}
        with pytest.raises(InputError) as caught:
            validate_tables(
                Source(Path("m.toml"), ""), model, {**table, **({"name": "m"} if model is MachineTable else {})}
            )
        assert not PYDANTIC.search(str(caught.value)), caught.value
        seen += "is out of bounds" in str(caught.value)
    assert seen >= 20


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("run echo -n 0", "-n: is out of bounds; got '0', expected a whole number from 1 to 2,147,483,647"),
        ("run echo --seed -1", "--seed: is out of bounds; got '-1', expected a whole number from 0 on"),
        (
            "run echo -n 99999999999",
            "-n: is out of bounds; got '99999999999', expected a whole number from 1 to 2,147,483,647",
        ),
        ("run echo --on delta --set machine.progress=3", "progress: is wrong; got 3, expected a table"),
    ],
)
def test_a_command_line_says_so_too(words: str, said: str, own_folder: None) -> None:
    ended = assay(*words.split())
    assert ended.status == 2 and said in ended.err and not PYDANTIC.search(ended.err), ended.err
