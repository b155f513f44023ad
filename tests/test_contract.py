"""Contracts: what is read, and bad ones refused in one line that names file, line, key, value and what is accepted."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.decide.contract import read_contract
from command_line import assay

pytestmark = pytest.mark.usefixtures("own_folder")
GOOD = """\
name = "delivery"
[risks]
vendor = "10%"
[[requirement]]
name = "latency"
benchmark = "echo"
figure = "half_round_trip"
case = { bytes = "1KiB" }
at_most = "3 us"
share = "95 %"
"""


def written(text: str) -> Path:
    path = Path("c.toml")
    path.write_text(text)
    return path


def test_a_contract_is_read_in_si_units_with_its_defaults() -> None:
    found = read_contract(written(GOOD))
    (one,) = found.requirements
    assert (found.name, found.vendor, found.buyer) == ("delivery", 0.1, 0.05)
    assert one.limit == 3e-6 and one.case == {"bytes": 1024} and not one.higher
    assert (one.share, one.indifference, one.spread) == (0.95, 0.05, 0.03)


@pytest.mark.parametrize(
    ("limit", "figure", "wanted"),
    [
        ('at_least = "12 GB/s"', "echo.rate", 12e9),
        ('at_least = "96 Gbit/s"', "echo.rate", 12e9),
        ('at_least = "2.5 GHz"', "clock.frequency", 2.5e9),
        ('at_least = "900 DMIPS"', "dhrystone.dmips", 900),
    ],
)
def test_limits_take_the_units_that_people_write(limit: str, figure: str, wanted: float) -> None:
    benchmark, name = figure.split(".")
    text = f'[[requirement]]\nname = "a"\nbenchmark = "{benchmark}"\nfigure = "{name}"\n{limit}\n'
    assert read_contract(written(text)).requirements[0].limit == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"3 us"', '"3 furlongs"', "c.toml:9: requirement.0.at_most: no such unit: 'furlongs'; got '3 furlongs'"),
        ('"3 us"', '"3 GB/s"', "c.toml:9: requirement.0.at_most: '3 GB/s' is in B/s, not in s; got '3 GB/s'"),
        ('"3 us"', "3", "c.toml:9: requirement.0.at_most: '3' has no unit; got 3, expected a value in s: \"70 us\""),
        ('"3 us"', '"-3 us"', "c.toml:9: requirement.0.at_most: is out of bounds; got '-3 us'"),
        ("at_most", "at_least", "c.toml:9: requirement.0.at_least: half_round_trip is better lower"),
        ('at_most = "3 us"\n', "", "c.toml:4: requirement.0: has no limit of half_round_trip; expected at_most"),
        ('"echo"', '"ecco"', "c.toml:6: requirement.0.benchmark: no such benchmark; did you mean echo?; got 'ecco'"),
        ('"half_round_trip"', '"speed"', "c.toml:7: requirement.0.figure: no such figure; got 'speed', expected "),
        ('"1KiB"', '"1XiB"', "c.toml:8: requirement.0.case.bytes: is no value of this parameter of echo; got '1XiB'"),
        ('"1KiB"', '"8,64"', "c.toml:8: requirement.0.case.bytes: is several values; got '8,64'"),
        ('"95 %"', "0", "c.toml:10: requirement.0.share: is out of bounds; got 0"),
        ('"95 %"', "1.5", "c.toml:10: requirement.0.share: is out of bounds; got 1.5"),
        ('"10%"', "0.5", "c.toml:3: risks.vendor: is out of bounds; got 0.5, expected a number from 1e-06 to 0.25"),
        ('"10%"', "0", "c.toml:3: risks.vendor: is out of bounds; got 0"),
        ('"10%"', "true", "c.toml:3: risks.vendor: is no share; got True"),
        (
            "share",
            "shares",
            "c.toml:10: requirement.0.shares: there is no such key in [requirement.0]; did you mean",
        ),
        ("[[requirement]]", "[requirement]", "c.toml:4: requirement: is wrong; got"),
        (GOOD, 'name = "nothing"\n', "c.toml:1: requirement: is missing"),
        ('name = "latency"\n', "", "c.toml:4: requirement.0.name: is missing"),
        ("[risks]", "[risks", "c.toml:2: is not TOML"),
        (GOOD, GOOD + GOOD[GOOD.index("[[") :], "c.toml:12: requirement.1.name: is the name of two requirements"),
        (GOOD, "version = 99\n" + GOOD, "c.toml:1: version: a contract was written by a newer Assay; got 99"),
    ],
)
def test_bad_contracts_are_refused_where_they_are_wrong(old: str, new: str, said: str) -> None:
    assert GOOD.count(old) >= 1
    answer = assay("accept", str(written(GOOD.replace(old, new, 1))), "--run", "nosuch")
    assert answer.status == 2 and answer.out == "" and answer.err.count("\n") == 1
    assert said in answer.err


def test_a_file_that_is_not_there_is_named() -> None:
    answer = assay("accept", "nosuch.toml")
    assert answer.status == 2 and "nosuch.toml: cannot be read" in answer.err
    answer = assay("accept")
    assert answer.status == 2 and "the contract is missing" in answer.err


def test_the_template_is_a_contract() -> None:
    answer = assay("accept", "--template")
    assert answer.status == 0
    assert len(read_contract(written(answer.out)).requirements) == 2
    assert assay("accept", "--template", "--json").document["contract"] == answer.out
