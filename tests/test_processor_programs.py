"""The processor and memory programs: compiled as a user would, their lines, their checks, and that the work is done."""

from __future__ import annotations

import functools
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest

from assay.samples import ENERGY
from by_night import by_night
from compiled import SANITIZERS, WARNINGS, compile_to, kept
from started import words

ROOT = Path(__file__).parent.parent
PROGRAMS = ROOT / "programs"
NAMES = [f"historical/{name}" for name in ("sieve", "floatmath", "dhrystone", "whetstone", "caltech")]
BOUNDED = ["--set", "most=64MiB"]  # the memory program takes no more than this in tests

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")


@pytest.fixture(scope="session")
def build() -> Any:
    return functools.cache(kept)


def run(path: Path, *arguments: str, status: int = 0) -> tuple[list[dict[str, Any]], str]:
    command = [path, *words(path.name.partition("-")[0], *arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.returncode == status, (done.stdout[-500:], done.stderr)
    return [json.loads(line, parse_constant=pytest.fail) for line in done.stdout.splitlines()], done.stderr


def quick(path: Path, *arguments: str, status: int = 0) -> tuple[list[dict[str, Any]], str]:
    bound = BOUNDED if path.name.startswith("memory") else []
    return run(path, "--slice", "0.0005", "--blocks", "2", *bound, *arguments, status=status)


def record_of(name: str) -> dict[str, Any]:
    text = (PROGRAMS / f"{name}.cpp").read_text()
    return tomllib.loads(text.split('R"record(')[1].split(')record"')[0])


def hold_contract(lines: list[dict[str, Any]], record: dict[str, Any]) -> None:
    """The lines of one launch: launch, then blocks, checks, notes and looks at the node, then done.

    Every key, its type and its range.
    """
    assert lines[0]["event"] == "launch"
    assert lines[-1]["event"] == "done"
    launch = lines[0]
    assert launch["program"] == record["name"] and launch["ranks"] == len(launch["placement"]) == 1
    assert launch["transport"] == "none" and launch["library"] is None
    assert launch["compiler"].split()[0] in {"g++", "clang++"} and launch["flags"]
    assert 0 < launch["clock"]["resolution"] < 1e-3 and 0 < launch["clock"]["overhead"] < 1e-3
    place = launch["placement"][0]
    assert set(place["cpus"]) <= set(os.sched_getaffinity(0)) and place["cpu"] in place["cpus"]
    seen: dict[tuple[str, str], list[int]] = {}
    looks: list[float] = []
    for line in lines[1:-1]:
        if line["event"] in ("note", "skip"):
            assert isinstance(line["text"], str)
            continue
        if line["event"] == "node":
            assert line["host"] == place["host"] and launch["t"] - 1 <= line["time"] <= time.time()
            assert 0 < line["busy"] <= line["all"] and 0 < line["used"] <= line["memory"]
            assert line["received"] >= 0 and line["sent"] >= 0
            looks.append(line["time"])
            continue
        assert set(line["case"]) == set(record.get("parameter", {}))
        for key, value in line["case"].items():
            kind = record["parameter"][key]["type"]
            assert isinstance(value, {"integer": int, "real": (int, float), "choice": str}[kind])
        if line["event"] == "check":
            assert line["passed"] is True and line["detail"]
            continue
        assert line["event"] == "block"
        assert line["metric"] in record["metric"]
        assert line["batch"] >= 1 and isinstance(line["batch"], int)
        assert line["values"] and all(math.isfinite(value) for value in line["values"])
        assert (line["first"] is None) or (line["block"] == 0 and line["first"] > 0)
        assert line["t0"] <= line["t1"] and line["ended"] and line["cache"]
        accounting = {key: of for key, of in line["accounting"].items() if key not in ENERGY}  # where it is readable
        assert {"steal", "others", "own", "wall", "frequency", "involuntary", "minor_faults"} < set(accounting)
        assert {"voluntary", "major_faults", "waited"} < set(accounting) and len(accounting) == 10
        assert all(value is None or value >= 0 for value in accounting.values())
        seen.setdefault((json.dumps(line["case"]), line["metric"]), []).append(line["block"])
    for blocks in seen.values():
        assert blocks == list(range(len(blocks)))
    assert looks == sorted(looks)


@pytest.mark.parametrize("name", [*NAMES, "memory/memory"])
def test_lines_obey_the_contract_and_checks_pass(build: Any, name: str) -> None:
    lines, _ = quick(build(name))
    hold_contract(lines, record_of(name))
    assert any(line["event"] == "check" for line in lines)


@pytest.mark.parametrize(
    "name",
    by_night([*NAMES, "memory/memory"], [each for each in (*NAMES, "memory/memory") if each != "historical/caltech"]),
)
def test_a_broken_kernel_fails_its_check(build: Any, name: str) -> None:
    lines, complaint = quick(build(name, "-O0", "-DASSAY_BREAK=1"), status=1)
    failed = [line["detail"] for line in lines if line["event"] == "check" and not line["passed"]]
    assert failed and "check failed" in complaint
    if name == "historical/whetstone":  # one module has several results; it is named once
        assert failed[0] == "wrong: module 2 (array elements)"


@pytest.mark.parametrize("name", [*NAMES, "memory/memory"])
def test_a_program_prints_its_record(build: Any, name: str) -> None:
    printed = subprocess.run([build(name), "--record"], capture_output=True, text=True, check=True).stdout
    record = record_of(name)
    assert tomllib.loads(printed) == record
    shown = subprocess.run([build(name), "--help"], capture_output=True, text=True, check=True).stdout
    for key in [*record.get("parameter", {}), *record["metric"], *record["figure"], "--slice", "--out"]:
        assert key in shown


def test_bad_arguments_end_with_two_and_one_line(build: Any) -> None:
    for arguments in ([], ["--set", "size=9"], ["--integer", "size=many"], ["--profile", "slow"], ["--integer", "x"]):
        done = subprocess.run([build("historical/sieve"), *arguments], capture_output=True, text=True)
        assert done.returncode == 2 and done.stdout == ""
        assert done.stderr.count("\n") == 1 and "expected" in done.stderr and "sieve" in done.stderr


def test_a_program_started_without_its_parameters_names_what_starts_it(build: Any) -> None:
    done = subprocess.run([build("historical/sieve")], capture_output=True, text=True)
    assert done.returncode == 2 and done.stdout == "" and "expected `assay run sieve`" in done.stderr


def test_an_output_that_cannot_be_written_is_an_error(build: Any, tmp_path: Path) -> None:
    for path in ("/dev/full", str(tmp_path / "missing" / "out"), str(tmp_path)):
        done = subprocess.run(
            [build("historical/sieve"), *words("sieve", "--out", path)], capture_output=True, text=True
        )
        assert done.returncode == 1 and path in done.stderr and done.stderr.count("\n") == 1


def test_lines_are_appended_whole(build: Any, tmp_path: Path) -> None:
    out = tmp_path / "lines"
    out.write_text('{"event":"note","text":"before"}\n')
    for launch in ("0", "1"):
        run(build("historical/sieve"), "--slice", "0", "--blocks", "2", "--launch", launch, "--out", str(out))
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert lines[0]["text"] == "before"
    assert [line["launch"] for line in lines if line["event"] == "launch"] == [0, 1]


def test_blocks_of_all_cases_are_interleaved_in_seeded_order(build: Any) -> None:
    def order(seed: str) -> list[tuple[int, int]]:
        lines, _ = run(
            build("historical/sieve"),
            *["--set", "size=10,100,1000,2000", "--slice", "0", "--batch", "1", "--blocks", "5", "--seed", seed],
        )
        return [(line["case"]["size"], line["block"]) for line in lines if line["event"] == "block"]

    assert order("1") == order("1") != order("2")
    assert [block for _, block in order("1")] == sorted(list(range(5)) * 4)


def test_batch_and_repetitions_are_taken_as_given(build: Any) -> None:
    lines, _ = run(build("historical/sieve"), "--batch", "1", "--repetitions", "400", "--blocks", "1")
    block = next(line for line in lines if line["event"] == "block")
    assert block["batch"] == 1 and len(block["values"]) >= 400 and block["ended"] == "repetitions done"


def cpu_seconds(path: Path, operations: int, *arguments: str) -> float:
    """Least CPU time of a launch that does one reading of `operations` operations, over four launches."""
    times = []
    for _ in range(4):
        before = os.times()
        run(path, "--batch", str(operations), "--repetitions", "1", "--blocks", "1", *arguments)
        after = os.times()
        times.append(after.children_user - before.children_user)
    return min(times)


@pytest.mark.parametrize(
    ("name", "operations"),
    [("sieve", 20_000), ("floatmath", 12_000_000), ("dhrystone", 3_000_000), ("whetstone", 600)],
)
def test_time_grows_with_the_number_of_operations(build: Any, name: str, operations: int) -> None:
    """Work that was removed or computed ahead would take as long for four times as many operations."""
    path = build(f"historical/{name}")
    once, more = (cpu_seconds(path, count) for count in (operations, 4 * operations))
    assert 2.5 < more / once < 6


def caltech(build: Any, *choices: str) -> dict[tuple[str, ...], float]:
    sets = [word for choice in choices for word in ("--set", choice)]
    lines, _ = run(build("historical/caltech"), "--slice", "0.002", "--blocks", "6", *sets)
    values: dict[tuple[str, ...], list[float]] = {}
    for line in lines:
        if line["event"] == "block" and line["metric"] == "time":
            values.setdefault(tuple(line["case"].values()), []).extend(line["values"])
    return {case: statistics.quantiles(found, n=10)[1] for case, found in values.items()}


def test_arithmetic_times_are_in_their_order(build: Any) -> None:
    """Ratios, which hold on any pipelined processor: no absolute time."""
    times = caltech(build, "operation=add,divide", "type=float64")
    chain, free = (times["add", "float64", form] for form in ("latency", "throughput"))
    assert 0 < free < 0.7 * chain  # independent additions overlap
    assert times["divide", "float64", "latency"] > 1.5 * chain
    assert times["divide", "float64", "throughput"] > 2 * free


INSTRUCTIONS = {
    ("double", "Add"): r"addsd",
    ("double", "Multiply"): r"mulsd",
    ("double", "Divide"): r"divsd",
    ("float", "Add"): r"addss",
    ("int", "Multiply"): r"imul",
    ("long", "Divide"): r"idiv",
    ("double", "FusedMultiplyAdd"): r"vfmadd\d+sd",
}


@pytest.mark.skipif(
    shutil.which("objdump") is None or os.uname().machine != "x86_64", reason="needs objdump and an x86_64 processor"
)
def test_the_loop_holds_one_instruction_an_operation(build: Any) -> None:
    """Sixty-four scalar instructions in the chain's loop, and none on several values at once."""
    listing = subprocess.run(
        ["objdump", "-dC", "--no-show-raw-insn", build("historical/caltech")],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    functions = dict(re.findall(r"^[0-9a-f]+ <(.*)>:\n((?:.+\n)+)", listing, re.MULTILINE))
    fused = "fma" in Path("/proc/cpuinfo").read_text().split()
    for (kind, operation), instruction in INSTRUCTIONS.items():
        if operation == "FusedMultiplyAdd" and not fused:
            continue
        body = next(
            text
            for name, text in functions.items()
            if f"kernel<{kind}, assay::historical::{operation}, 1ul, 64ul>" in name
        )
        assert len(re.findall(rf"\tv?{instruction}", body)) == 64, (kind, operation)
        assert not re.search(r"\tv?(?:add|mul|div)p[sd]", body)


def test_table_three_rows_are_cases(build: Any) -> None:
    record = record_of("historical/caltech")
    assert len(record["row"]) == 10
    for row in record["row"].values():
        assert row["id"].startswith("caltech.")
        for key in ("operation", "type", "form"):
            assert row[key] in record["parameter"][key]["choices"]


def test_dhrystone_keeps_the_published_mix() -> None:
    """Weicker 1984: 53 assignments, 32 control statements, 15 calls in a pass, as marked statement by statement."""
    tally = dict.fromkeys("ACP", 0)
    for line in (PROGRAMS / "historical/dhrystone_pass.cpp").read_text().splitlines():
        if line.startswith("//"):
            continue
        for marks in re.findall(r"// ((?:[ACP]\d?)(?:, [ACP]\d?)*)(?:,|$)", line):
            for kind, times in re.findall(r"([ACP])(\d?)", marks):
                tally[kind] += int(times or 1)
    assert tally == {"A": 53, "C": 32, "P": 15}


def test_sieve_counts_known_numbers_of_primes(build: Any) -> None:
    """pi(n) as tabulated."""
    lines, _ = quick(build("historical/sieve"), "--set", "size=10,100,1000,8190,100000")
    counts = [int(line["detail"].split()[0]) for line in lines if line["event"] == "check"]
    assert counts == [4, 25, 168, 1027, 9592]


def test_memory_stops_at_its_bounds(build: Any) -> None:
    path = build("memory/memory")
    bound = 48 << 20
    lines, _ = run(path, "--set", f"most={bound}")
    values = {line["metric"]: line["values"] for line in lines if line["event"] == "block"}
    assert values["touched"] == [bound]
    total = int(re.findall(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text())[0]) * 1024
    assert bound < values["available"][0] < values["total"][0] <= total
    # A limit of the process is honoured with a margin: nothing is refused, nobody is killed.
    more = ["--set", "margin=0.01", "--set", "time=200"]
    limited = subprocess.run(
        ["prlimit", f"--as={total // 50 + (700 << 20)}", path, *words("memory", *more)],
        capture_output=True,
        text=True,
    )
    assert limited.returncode == 0, limited.stderr
    assert "margin reached, of the limit of address space" in limited.stdout


@pytest.mark.nightly
@pytest.mark.parametrize("name", [*NAMES, "memory/memory"])
def test_programs_are_clean_under_sanitizers(tmp_path: Path, name: str) -> None:
    narrow = ["--set", "type=int16,int32,float64"] if name.endswith("caltech") else []
    path = compile_to(tmp_path / Path(name).name, PROGRAMS / f"{name}.cpp", *WARNINGS, base=SANITIZERS)
    lines, complaint = quick(path, *narrow)
    assert "runtime error" not in complaint and lines[-1]["event"] == "done"


def test_a_program_ends_with_its_parent(build: Any) -> None:
    long = " ".join(words("sieve", "--slice", "100", "--blocks", "1"))
    command = f"{build('historical/sieve')} {long} >/dev/null & echo $!; sleep 0.5"
    shell = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, env={**os.environ, "ASSAY_PROCESS_TREE": "1"}, timeout=60
    )
    process = Path("/proc") / shell.stdout.strip()
    for _ in range(50):
        if not process.exists() or "Z" in (process / "stat").read_text().rpartition(")")[2].split()[0]:
            return
        subprocess.run(["sleep", "0.1"], check=True)
    os.kill(int(process.name), 9)
    pytest.fail("the program outlived its parent")


@pytest.mark.nightly
def test_the_frame_without_a_clock(tmp_path: Path) -> None:
    test = compile_to(tmp_path / "timing_test", ROOT / "tests/native/timing.test.cpp", *WARNINGS, base=SANITIZERS)
    done = subprocess.run([test], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
