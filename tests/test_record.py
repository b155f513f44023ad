"""A record is read whole or refused by name; the laws hold over the whole registry."""

from __future__ import annotations

import itertools
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from assay.analysis.figures import CaseSamples, figures
from assay.benchmark.formula import evaluate
from assay.benchmark.record import PARTS, Benchmark, Parameter, benchmark, benchmarks, programs_root, read_record
from assay.case import Case
from assay.errors import InputError

RECORD = """
constexpr std::string_view record = R"record(
name = "probe"
title = "Probe"
part = "processor"
kind = "node"
summary = "s"
cost = "c"
check = "k"
source = "here"
[parameter.size]
type = "integer"
default = [1, 2]
quick = [1]
min = 1
max = 64
sweep = true
[parameter.mode]
type = "choice"
default = "fast"
choices = ["fast", "slow"]
[metric.time]
unit = "s"
[figure.rate]
metric = "time"
formula = "size / value"
unit = "1/s"
better = "higher"
)record";
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "probe.cpp"
    path.write_text(text)
    return path


@pytest.fixture
def probe(tmp_path: Path) -> Benchmark:
    record = read_record(written(tmp_path, RECORD))
    assert record is not None
    return record


def test_a_record_is_read_from_the_source_without_compiling(probe: Benchmark) -> None:
    assert probe.parameters["size"].default == (1, 2)
    assert probe.parameters["size"].profiles == {"quick": (1,)}
    assert probe.figures["rate"].formula == "size / value"
    assert read_record(Path(__file__).with_name("test_house.py")) is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"size": "0"}, "parameter size: is out of bounds"),
        ({"size": "-3"}, "parameter size: is out of bounds"),
        ({"size": "65"}, "expected integer from 1 to 64"),
        ({"size": "two"}, "is no integer"),
        ({"size": "1,x"}, "is no integer"),
        ({"mode": "fast,slow"}, "takes one value"),
        ({"mode": "brisk"}, "is none of its choices; got 'brisk', expected fast, slow"),
        ({"sizes": "1"}, "did you mean size"),
        ({"nothing": "1"}, "expected mode, size, repetitions"),
        ({"repetitions": "0"}, "parameter repetitions: is out of bounds"),
        ({"repetitions": "2,3"}, "takes one value"),
    ],
)
def test_what_a_person_sets_is_checked_against_the_record(probe: Benchmark, given: dict[str, str], said: str) -> None:
    with pytest.raises(InputError) as error:
        probe.settings(given)
    assert said in str(error.value)


def test_what_is_accepted_is_parsed(probe: Benchmark) -> None:
    assert probe.settings({"size": "4,8", "mode": "slow"}) == {"size": (4, 8), "mode": "slow"}
    assert probe.settings({"repetitions": "1000"}) == {"repetitions": 1000}


def test_reals_must_be_finite() -> None:
    with pytest.raises(InputError, match="finite"):
        Parameter("x", "real", 1.0, "").parse("nan")


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ('name = "probe"', "", "'name'"),
        ('part = "processor"', 'part = "engine"', "expected processor"),
        ('kind = "node"', 'kind = "thread"', "expected node, ranks"),
        ("min = 1", "min = ", "not TOML"),
        ("[metric.time]\n", '[metric.time]\nerror_of = "rate"\n', "[metric.time] error_of = 'rate'"),
        ("[metric.time]\n", '[metric.time]\nerror_of = "time"\n', "[metric.time] error_of = 'time'"),
    ],
)
def test_a_broken_record_is_named_with_its_file(tmp_path: Path, was: str, now: str, said: str) -> None:
    with pytest.raises(InputError) as error:
        read_record(written(tmp_path, RECORD.replace(was, now, 1)))
    assert said in str(error.value) and "probe.cpp" in str(error.value)


def test_an_unknown_benchmark_is_answered_with_what_there_is() -> None:
    with pytest.raises(InputError, match=r"no such benchmark.*did you mean sieve"):
        benchmark("seive")


@pytest.mark.parametrize("name", sorted(benchmarks()))
def test_every_record_keeps_the_laws(name: str) -> None:
    record = benchmark(name)
    assert record == benchmarks()[name] and record.part in PARTS and record.path.is_relative_to(programs_root())
    assert record.metrics and record.figures and record.source and record.check and record.cost
    for figure in record.figures.values():
        assert figure.metric in record.metrics and figure.unit and figure.better in ("lower", "higher")
    for parameter in record.parameters.values():
        assert parameter.help
        for default in (parameter.default, *parameter.profiles.values()):
            text = ",".join(map(str, default)) if isinstance(default, tuple) else str(default)
            parsed = parameter.parse(text)  # a default is itself accepted
            assert parsed == (default[0] if isinstance(default, tuple) and len(default) == 1 else default)
    if record.model == "alpha_beta":
        assert any(figure.unit == "s" for figure in record.figures.values()) and "bytes" in record.parameters
    for wanted in record.extra.get("headline", {}).values():
        assert wanted["figure"] in record.figures and wanted["title"]
        assert wanted.get("advice") if "bound" in wanted else not {"advice", "described_advice"} & wanted.keys()
    assert set(record.extra.get("matrix", [])) <= set(record.parameters)
    bars, roof = record.extra.get("shares"), record.extra.get("roof", {})
    if bars:
        assert bars["parts"] and bars["over"] and {*bars["parts"], bars["sum"]} <= set(record.figures)
    for key, unit in (("bandwidth", "B/s"), ("clock", "Hz"), ("ceiling", "flop/s"), ("figure", "flop/s")):
        if key in roof:
            assert record.figures[roof[key]].unit == unit
    if "figure" in roof:
        names = {name: 2 for name, parameter in record.parameters.items() if parameter.kind != "choice"}
        assert (evaluate(roof["flops"], names) or 0) > 0 and (evaluate(roof["bytes"], names) or 0) > 0


FRAGMENT = """
inline constexpr std::string_view size_fragment = R"fragment(
[parameter.size]
type = "integer"
default = "all"
words = ["all"]
min = 1
max = 64
sweep = true
help = "how much"
)fragment";
"""
TAKEN = """
[parameter.size]
from = "shared/size.hpp"
max = 8
"""


def taking(tmp_path: Path, section: str = TAKEN) -> Path:
    (tmp_path / "shared").mkdir(exist_ok=True)
    (tmp_path / "shared" / "size.hpp").write_text(FRAGMENT)
    before, after = RECORD.index("[parameter.size]"), RECORD.index("[parameter.mode]")
    (tmp_path / "processor").mkdir(exist_ok=True)
    path = tmp_path / "processor" / "probe.cpp"
    path.write_text(RECORD[:before] + section + RECORD[after:])
    return path


def test_a_section_takes_what_it_does_not_say_from_a_shared_one(tmp_path: Path) -> None:
    record = read_record(taking(tmp_path))
    assert record is not None and list(record.parameters) == ["size", "mode"]
    size = record.parameters["size"]
    assert (size.minimum, size.maximum, size.default, size.help) == (1, 8, "all", "how much")
    assert size.parse("all") == "all" and size.parse("2,all") == (2, "all")
    assert "integer from 1 to 8, or all" in size.accepted()
    with pytest.raises(InputError, match="is no integer"):
        size.parse("everything")


@pytest.mark.parametrize(
    "section", [TAKEN.replace("size.hpp", "missing.hpp"), TAKEN.replace("parameter.size", "parameter.length")]
)
def test_a_section_that_nobody_shares_is_named(tmp_path: Path, section: str) -> None:
    with pytest.raises(InputError, match=r"probe\.cpp.*shares no section of this name"):
        read_record(taking(tmp_path, section))


def test_a_record_takes_top_level_keys_that_it_does_not_say(tmp_path: Path) -> None:
    """Its own word stands, a section of the fragment is taken only where it is named, and `from` is no key of it."""
    path = written(
        tmp_path, RECORD.replace('name = "probe"', 'name = "probe"\nfrom = "shared/budget.hpp"\nblocks_quick = 7')
    )
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "budget.hpp").write_text(
        'R"fragment(\ntitle = "Shared"\nslice_quick = 0.25\nblocks_quick = 2\nhistorical = true\n'
        '[parameter.length]\ntype = "integer"\ndefault = 1\n)fragment"'
    )
    record = read_record(path)
    assert record is not None and (record.title, record.historical) == ("Probe", True)
    assert record.extra == {"slice_quick": 0.25, "blocks_quick": 7} and list(record.parameters) == ["size", "mode"]


@pytest.mark.parametrize("header", ['"shared/missing.hpp"', '"shared/sections.hpp"', "3"])
def test_a_fragment_without_keys_of_its_own_is_refused(tmp_path: Path, header: str) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "sections.hpp").write_text(FRAGMENT)
    path = written(tmp_path, RECORD.replace('name = "probe"', f'name = "probe"\nfrom = {header}'))
    with pytest.raises(InputError, match=r"probe\.cpp.*from = .*shares no keys above its sections"):
        read_record(path)


def test_no_two_records_repeat_a_parameter_word_for_word() -> None:
    """What several programs say alike of a parameter of several words stands once, in what they share."""
    said: dict[str, str] = {}
    for record in benchmarks().values():
        text = record.path.read_text(encoding="utf-8").split('R"record(')[1].split(')record"')[0]
        for name, section in tomllib.loads(text).get("parameter", {}).items():
            body = str(section)
            if len(section) > 3:
                assert said.setdefault(body, record.name) == record.name, f"{name} of {record.name} and {said[body]}"


HOW = re.compile(
    "(slice|blocks|timeout)_.*|profiles|historical|statistics|launches|ranks|least_ranks|model|flags|needs"
)


def test_no_two_records_repeat_how_they_are_measured() -> None:
    """Six or more keys of slices, blocks, profiles and the like that two records say alike stand in a fragment."""
    own = {}
    for record in benchmarks().values():
        text = record.path.read_text(encoding="utf-8").split('R"record(')[1].split(')record"')[0]
        own[record.name] = {(key, str(value)) for key, value in tomllib.loads(text).items() if HOW.fullmatch(key)}
    repeated = {
        f"{one} and {other}": sorted(key for key, _ in own[one] & own[other])
        for one, other in itertools.combinations(own, 2)
        if len(own[one] & own[other]) > 5
    }
    assert repeated == {}, "give one of them `from` above its sections (CONTRIBUTING, Adding a benchmark)"


def test_a_formula_may_use_the_constants_of_a_cases_choice() -> None:
    """vectors: 2 flops of axpy, 18 of the polynomial, in the time of an element; and what a figure then says."""
    record = benchmark("vectors")
    assert record.constants({"kernel": "axpy", "access": "indexed", "length": 7})["flops"] == 2
    assert record.constants({"kernel": "axpy", "access": "indexed"})["index"] == 4
    for kernel, flops in (("axpy", 2), ("polynomial9", 18)):
        cell = CaseSamples("time", Case(kernel=kernel, access="stride3"), {("here", 0): np.array([2e-9])}, [], 1)
        rate = next(f for f in figures(record, [cell]) if f.name == "rate")
        assert rate.value == pytest.approx(flops / 2e-9)
