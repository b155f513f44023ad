"""The tutorial's program is taken in by `assay build` and run on both kinds of machine, word for word as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay.benchmark import own
from assay.benchmark.record import own_benchmarks, take_in
from assay.errors import InputError
from assay.execute.mpi import find_mpi
from command_line import assay
from compiled import own_cache

ROOT = Path(__file__).parent.parent


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tutorial's file in an empty folder, and a cache without programs."""
    monkeypatch.setenv("ASSAY_CACHE", str(own_cache(tmp_path / "cache")))
    found = re.search(r"```cpp\n(.*?)```", (ROOT / "docs" / "tutorial.md").read_text(), re.DOTALL)
    assert found
    path = tmp_path / "exchange.hpp"
    path.write_text(found.group(1))
    return path


@pytest.mark.mpi
def test_the_tutorial_s_program_runs_on_both_kinds_of_machine(program: Path, tmp_path: Path) -> None:
    built = assay("build", str(program), "--json")
    if find_mpi() is not None:
        assert [each["benchmark"] for each in built.document["programs"]] == ["exchange"]
    words = [
        "--on",
        str(ROOT / "examples" / "constant.toml"),
        "-n",
        "2",
        "--out",
        str(tmp_path / "described"),
        "--json",
    ]
    played = assay("run", "exchange", *words)
    rates = {f["params"]["bytes"]: f["value"] for f in played.document["figures"] if f["statistic"] == "median"}
    assert rates == {n: pytest.approx(2 * n / (70e-6 + 0.4e-6 * n)) for n in (8, 1024, 65536)}
    if find_mpi() is not None:
        words = ["-n", "2", "--launches", "1", "--out", str(tmp_path / "here"), "--json"]
        measured = assay("run", "exchange", *words)
        assert {f["params"]["bytes"] for f in measured.document["figures"]} == set(rates)


def test_what_is_taken_in_is_found_by_name_as_long_as_it_is_there(program: Path) -> None:
    take_in(program)
    take_in(program)
    assert own.paths() == [program] and list(own_benchmarks()) == ["exchange"]
    program.unlink()
    assert own_benchmarks() == {}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("exchange", "echo"), "name is taken"),
        (("record(", "nothing("), "holds no record"),
        (('kind = "ranks"', 'kind = "node"'), "no message-passing program"),
    ],
)
def test_what_is_no_program_of_one_s_own_is_refused(program: Path, change: tuple[str, str], said: str) -> None:
    program.write_text(program.read_text().replace(*change))
    with pytest.raises(InputError, match=said):
        take_in(program)
    with pytest.raises(InputError, match="no such file"):
        take_in(program.with_name("absent.hpp"))
