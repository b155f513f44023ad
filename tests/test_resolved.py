"""What a program is started with: all values of every parameter, by what was set, machine, profile and record."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from assay._core import ranks as core
from assay.benchmark.record import Benchmark, benchmark, benchmarks, read_record
from assay.benchmark.resolved import program_words, sampling, values
from assay.errors import InputError
from command_line import assay
from compiled import kept

RECORD = """
constexpr std::string_view record = R"record(
name = "probe"
title = "Probe"
part = "messages"
kind = "ranks"
summary = "s"
cost = "c"
check = "k"
source = "here"
needs = ["self", "host"]
host = true
slice_quick = 0.003
blocks_full = 2
[parameter.size]
type = "integer"
default = [1, 1e3]
quick = 2
described = [4, 5]
words = ["all"]
max = 1e6
unit = "B"
sweep = true
[parameter.share]
type = "real"
default = 1
full = 0.00001
[parameter.mode]
type = "choice"
default = ["fast", "slow"]
choices = ["fast", "slow"]
sweep = true
[metric.time]
unit = "s"
[metric.rate]
unit = "1/s"
)record";
"""


@pytest.fixture
def probe(tmp_path: Path) -> Benchmark:
    (tmp_path / "probe.hpp").write_text(RECORD)
    record = read_record(tmp_path / "probe.hpp")
    assert record is not None
    return record


def test_the_whole_line(probe: Benchmark) -> None:
    words = ("--profile", "quick", "--set", "size=1KiB,all", "--set=repetitions=3", "--seed", "7", "--blocks", "9")
    assert " ".join(program_words(probe, words)) == (
        "--profile quick --slice 0.003 --blocks 4 --metrics time,rate --needs self,host --host "
        "--integer size=1024,all --real share=1 --choice mode=fast,slow --repetitions 3 --seed 7 --blocks 9"
    )


def test_the_profile_s_values_and_those_of_simulated_machines(probe: Benchmark) -> None:
    assert values(probe, {}, "standard") == {"size": (1, 1000), "share": (1,), "mode": ("fast", "slow")}
    assert values(probe, {}, "quick")["size"] == (2,)
    assert values(probe, {}, "full") == {"size": (1, 1000), "share": (1e-5,), "mode": ("fast", "slow")}
    assert values(probe, {}, "quick", simulated=True)["size"] == (4, 5)
    assert "--real share=1e-05" in " ".join(program_words(probe, ("--profile", "full")))
    assert [sampling(probe, profile) for profile in ("quick", "standard", "full")] == [(0.003, 4), (0.1, 8), (0.5, 2)]


def test_a_simulated_machine_s_defaults_come_behind_what_was_set_and_spare_own_programs(probe: Benchmark) -> None:
    stated = {"bytes": "3,5", "partner": "", "unknown": "1"}
    echo = benchmark("echo")
    assert values(echo, {}, "standard", simulated=True, defaults=stated)["bytes"] == (3, 5)
    assert values(echo, {"bytes": "8"}, "standard", simulated=True, defaults=stated)["bytes"] == (8,)
    assert values(echo, {}, "standard", defaults=stated) == values(echo, {}, "standard")
    assert values(probe, {}, "standard", simulated=True, defaults={"size": "9"})["size"] == (4, 5)
    with pytest.raises(InputError, match="parameter bytes: is no integer"):
        values(echo, {}, "standard", simulated=True, defaults={"bytes": "many"})


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--set", "size=2MiB"), "parameter size: is out of bounds; got '2MiB'"),
        (("--set", "size=1_000"), "is no integer"),
        (("--set", "size=1e3"), "is no integer"),
        (("--set", "size=-99999999999999999999"), "is out of bounds"),
        (("--set", "share=1.2.3"), "is no real"),
        (("--set", "share=1KiB"), "is no real"),
        (("--set", "share=1e999"), "must be finite"),
        (("--set", "share=-inf"), "must be finite"),
        (("--set", "sizes=1"), "did you mean size"),
        (("--set", "size"), "is not KEY=VALUE"),
        (("--set",), "its value is missing"),
        (("--profile", "slow"), "expected quick, standard, full"),
    ],
)
def test_what_the_record_does_not_accept_is_refused(probe: Benchmark, words: tuple[str, ...], said: str) -> None:
    with pytest.raises(InputError) as error:
        program_words(probe, words)
    assert said in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("name", sorted(benchmarks()))
def test_every_default_is_accepted_as_if_it_were_set(name: str) -> None:
    record = benchmark(name)
    for profile in ("quick", "standard", "full"):
        for simulated in (False, True):
            found = values(record, {}, profile, simulated=simulated)
            assert list(found) == list(record.parameters) and all(found.values())
            said = {key: ",".join(map(str, each)) for key, each in found.items()}
            assert values(record, said, profile) == found


def test_a_program_without_its_parameters_is_not_run() -> None:
    machine = {"name": "m", "messages": {"startup": 1e-5, "per_byte": 1e-9}}
    with pytest.raises(ValueError, match="no parameters given; expected `assay run echo`"):
        core.play("echo", machine, 2, [])


@pytest.mark.parametrize(
    ("program", "given", "seen"),
    [("sieve", "size=8190,8190", "8190"), ("sieve", "size=20,10, 20", "20"), ("stream", "size=1KiB,1024", "1KiB")],
)
def test_a_value_given_twice_is_refused_before_anything_is_made(
    tmp_path: Path, program: str, given: str, seen: str
) -> None:
    said = assay("run", program, "--set", given, "--out", str(tmp_path / "run"))
    assert said.status == 2 and not (tmp_path / "run").exists()
    assert said.err == f"assay: parameter size: is given twice; got '{seen}', expected each value once\n"


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_a_value_that_stands_twice_is_refused_where_lists_are_known() -> None:
    named = ["--metrics", "time", "--integer", "threads=1,processors", "--integer", "intervals=1000"]
    done = subprocess.run([kept("kernels/integration"), *named], capture_output=True, text=True)
    assert done.returncode == 2 and "'1' is given twice in '1,processors'" in done.stderr
