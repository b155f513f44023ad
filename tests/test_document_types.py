"""The types of a run's document: JSON and back gives the same, other versions can be read, mypy finds a wrong name."""

from __future__ import annotations

import dataclasses
import functools
import json
import subprocess
import sys
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from assay.case import Case
from assay.document.comparison import RunComparison, SideBySide
from assay.document.host_facts import HostFacts
from assay.document.json_form import from_json, to_json
from assay.document.quoted import QuotedBenchmark
from assay.document.reported_figure import LaunchStatistics
from assay.document.run_document import Document
from assay.document.section import Section
from assay.document.validation import Validations
from made_documents import document, figure, headline, section

ROOT = Path(__file__).resolve().parent.parent
WORD = st.text(max_size=3)
FREE = st.dictionaries(WORD, st.none() | st.booleans() | st.integers(-9, 9) | WORD, max_size=2)
PLAIN = {str: WORD, int: st.integers(), bool: st.booleans(), float: st.floats(allow_nan=False, allow_infinity=False)}
PLAIN |= {Any: FREE, type(None): st.none(), HostFacts: FREE.map(HostFacts), Case: FREE.map(Case)}
PLAIN |= {LaunchStatistics: st.none()}  # which is in no JSON


@functools.cache
def filled(kind: Any) -> st.SearchStrategy[Any]:
    """Values of a type of the model: every field may have any value that its type allows."""
    if kind in PLAIN:
        return PLAIN[kind]
    if dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind)
        return st.builds(kind, **{each.name: filled(hints[each.name]) for each in dataclasses.fields(kind)})
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return st.one_of(*map(filled, inner))
    if origin is Literal:
        return st.sampled_from(inner)
    if origin is list:
        return st.lists(filled(inner[0]), max_size=2)
    if origin is tuple and inner[-1] is Ellipsis:
        return st.lists(filled(inner[0]), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*map(filled, inner))
    if origin is dict:
        return FREE if inner[1] is Any else st.dictionaries(WORD, filled(inner[1]), max_size=2)
    raise TypeError(f"no values of {kind}")


@pytest.mark.parametrize("kind", [Document, RunComparison, SideBySide, QuotedBenchmark, Validations])
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_document_is_the_same_after_json_and_back(kind: type[Any], data: st.DataObject) -> None:
    made = data.draw(filled(kind))
    plain = to_json(made)
    assert from_json(kind, plain) == made
    assert from_json(kind, json.loads(json.dumps(plain))) == made


def test_what_is_not_set_is_not_written() -> None:
    plain = to_json(document(section("b", [figure("rate", 1.0, "B/s")])))
    assert not {"summary", "validation", "beside", "report"} & set(plain)
    assert "noise" not in plain["benchmarks"][0] and plain["spent"] is None
    cause = {"cause": "steal", "host": "", "text": "", "amount": None, "figures": [], "processes": [], "advice": ""}
    told = to_json(document(causes=[cause | {"from": 1.0, "to": 2.0}]))["causes"][0]
    assert (told["from"], told["to"]) == (1.0, 2.0) and not {"begin", "end"} & set(told)


def test_a_document_of_another_version_can_be_read() -> None:
    plain = to_json(document(section("b", [figure("rate", 1.0, "B/s")], headlines=[headline("h", 1.0, "s")])))
    newer = json.loads(json.dumps(plain))
    newer["version"], newer["benchmarks"][0]["mood"], newer["benchmarks"][0]["figures"][0]["colour"] = 9, "good", "red"
    assert from_json(Document, newer) == from_json(Document, plain)
    older = json.loads(json.dumps(plain))
    for key in ("causes", "hosts", "spent", "damage"):
        older.pop(key)
    assert from_json(Document, older) == from_json(Document, plain)
    with pytest.raises(ValidationError, match="benchmark"):
        from_json(Section, {"title": "of nothing"})


MISSPELT = {
    "section.figurs": '"Section" has no attribute "figurs"',
    "section.figures[0].valeu": '"ReportedFigure" has no attribute "valeu"',
    "document.quoted and document.quoted.benchmark": '"Quoted" has no attribute "benchmark"',
    "document.validation and document.validation.tabels": '"Validation" has no attribute "tabels"',
    "document.facts.memmory": '"HostFacts" has no attribute "memmory"',
    'document["benchmarks"]': 'Value of type "Document" is not indexable',
    "document.benchmarks[0].launches = 3": 'Property "launches" defined in "Section" is read-only',
}


@pytest.mark.nightly
def test_a_misspelt_field_is_found_before_anything_runs(tmp_path: Path) -> None:
    text = "from assay.document.run_document import Document\nfrom assay.document.section import Section\n\n\n"
    text += "def read(document: Document, section: Section) -> None:\n    print(section.figures[0].value)\n"
    text += "".join(f"    {line}\n" for line in MISSPELT)
    (tmp_path / "read.py").write_text(text)
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir", str(tmp_path)]
    env = {"MYPYPATH": str(ROOT / "src"), "PATH": ""}
    done = subprocess.run(
        [*command, str(tmp_path / "read.py")], capture_output=True, text=True, check=False, cwd=tmp_path, env=env
    )
    found = [line for line in done.stdout.splitlines() if "error:" in line]
    for number, (line, said) in enumerate(MISSPELT.items(), start=7):
        assert any(f"read.py:{number}:" in each and said in each for each in found), (line, done.stdout)
    assert len(found) == len(MISSPELT)
