"""The memory, thread and kernel programs: their lines, checks broken on purpose, and what they leave out and say so."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from assay.analysis.cache_levels import find_levels
from assay.benchmark.record import Benchmark, programs_root, read_record
from assay.errors import InputError
from by_night import by_night
from command_line import assay
from compiled import kept
from remarked import texts
from started import words as started_words

PROGRAMS = programs_root()
BOTH = len(os.sched_getaffinity(0)) >= 2
# Settings that keep each program small: what a test needs, not what a measurement needs.
SMALL = {
    "memory/inner_product": ["place=cache", "threads=1,2"],
    "memory/latency": ["size=4096,65536,1048576", "pages=huge,usual"],
    "memory/levels": ["level=L1,L2", "threads=1,2"],
    "processor/clock": [],
    "processor/peak": [],
    "threads/lock": ["threads=1,2"],
    "threads/barrier": ["threads=1,2"],
    "threads/core_to_core": ["first=0,1", "second=0,1"],
    "memory/numa": ["size=1MiB"],
    "threads/noise": ["threads=1,2"],
    "threads/hotspot": ["threads=1,2"],
    "threads/creation": ["threads=1,2"],
    "files/handover": ["bytes=8,65537"],
    "kernels/integration": ["threads=1,2", "intervals=1000"],
    "kernels/jacobi": ["threads=1,2", "size=64"],
    "kernels/cholesky": ["threads=1,2", "size=128"],
    "kernels/shallow_water": ["threads=1,2", "size=64"],
    "kernels/vectors": ["length=1,64", "access=contiguous,indexed"],
    "kernels/hitc": ["threads=1,2", "vectors=short"],
    "kernels/matrix_vector": ["size=50"],
    "kernels/sparse_system": ["size=32"],
    "kernels/dot_product": ["length=16,129"],
    "kernels/eigenvalues": ["size=30"],
    "kernels/sparse_eigenvalues": ["size=16"],
    "kernels/wavelet": ["size=32"],
    "kernels/random_numbers": ["size=1000"],
    "kernels/sorting": ["size=1000"],
    "memory/stream": ["size=1MiB", "threads=1,2", "kernel=read,write,copy,scale,add,triad,nontemporal_triad"],
}
if BOTH:
    SMALL["memory/bus_files"] = ["size=1048576", "bytes=65536"]
EXTRA: dict[str, list[str]] = {
    "memory/bus_files": ["load", "source"],
    "kernels/vectors": ["level", "size"],
}  # parameters of what a case holds several of, beside the record's

pytestmark = [pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++"), pytest.mark.measures]


def record_of(name: str) -> Benchmark:
    record = read_record(PROGRAMS / f"{name}.cpp")
    assert record is not None
    return record


def started(name: str, *given: str) -> list[str]:
    return started_words(record_of(name).name, *given)


BROKEN = ("-O0", "-DASSAY_BREAK=1")


@pytest.fixture(scope="session")
def build(request: pytest.FixtureRequest) -> Any:
    """Compiles a program once; those of the chosen tests side by side before the first of them."""
    own = (item for item in request.session.items if item.path == Path(__file__) and hasattr(item, "callspec"))
    chosen = [(item.callspec.params.get("name"), "broken" in item.name.partition("[")[0]) for item in own]
    made = functools.cache(kept)
    wanted = dict.fromkeys((name, *(BROKEN if broken else ())) for name, broken in chosen if name in SMALL)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda each: made(*each), wanted))
    return made


def run(name: str, path: Path, *settings: str, status: int = 0) -> tuple[list[dict[str, Any]], str]:
    words = [word for setting in (settings or SMALL[name]) for word in ("--set", setting)]
    done = subprocess.run(
        [path, *started(name, "--slice", "0.0005", "--blocks", "2", *words)],
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == status, (done.stdout[-800:], done.stderr)
    return [json.loads(line, parse_constant=pytest.fail) for line in done.stdout.splitlines()], done.stderr


@pytest.mark.parametrize("name", SMALL)
def test_lines_obey_the_record_and_checks_pass(build: Any, name: str) -> None:
    lines, _ = run(name, build(name))
    record = record_of(name)
    assert lines[0]["event"] == "launch" and lines[0]["program"] == record.name
    assert lines[-1]["event"] == "done"
    blocks = [line for line in lines if line["event"] == "block"]
    checks = [line for line in lines if line["event"] == "check"]
    assert blocks and checks and all(line["passed"] for line in checks)
    own = set(record.parameters)
    for line in [*blocks, *checks]:
        assert own <= set(line["case"])
    for line in blocks:
        assert line["metric"] in record.metrics and line["values"]
        assert set(line["case"]) - own <= set(EXTRA.get(name, ["thread"]))
        assert all(value >= 0 for value in line["values"])
    measured = {json.dumps(line["case"]) for line in blocks if set(line["case"]) == own}
    assert {json.dumps(line["case"]) for line in checks} == measured
    names = {figure.metric for figure in record.figures.values()}
    assert names <= set(record.metrics)


@pytest.mark.parametrize("name", by_night(SMALL, ["memory/stream", "threads/lock", "kernels/jacobi"]))
def test_a_broken_kernel_fails_its_check(build: Any, name: str) -> None:
    lines, complaint = run(name, build(name, *BROKEN), status=1)
    passed = [line["passed"] for line in lines if line["event"] == "check"]
    assert not all(passed)
    if name.startswith("kernels/") or name == "memory/stream":  # each kernel, on one thread and on two, by each crew
        assert not any(passed), [line["case"] for line in lines if line.get("passed")]
    assert "check failed" in complaint


@pytest.mark.parametrize("name", SMALL)
def test_a_program_prints_its_record(build: Any, name: str) -> None:
    printed = subprocess.run([build(name), "--record"], capture_output=True, text=True, check=True).stdout
    assert printed.strip() and f'R"record({printed})record"' in (PROGRAMS / f"{name}.cpp").read_text()


@pytest.mark.parametrize("name", [name for name in SMALL if "threads" in record_of(name).parameters])
def test_more_threads_than_processors_are_left_out_and_said(build: Any, name: str) -> None:
    """Two threads on one processor would measure the scheduler: there is one thread there, and it is said."""
    own = [setting for setting in SMALL[name] if not setting.startswith("threads=")]
    words = [word for setting in [*own, "threads=1,2"] for word in ("--set", setting)]
    alone = str(min(os.sched_getaffinity(0)))
    done = subprocess.run(
        ["taskset", "-c", alone, build(name), *started(name, "--slice", "0.0002", "--blocks", "1", *words)],
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert {line["case"]["threads"] for line in lines if line["event"] == "block"} == {1}
    assert any("left out: more threads than the 1 hardware threads" in text for text in texts(lines))


@pytest.mark.skipif(not BOTH, reason="needs two processors")
@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("first=4000",), "got first=4000, expected first from 0 to {last}"),
        (("second=4000",), "got second=4000, expected second from 0 to {last}"),
        (("first=1", "second=0"), "got first=1, second=0, expected other values"),  # a pair is named one way
    ],
)
def test_where_nothing_is_left_of_what_was_asked_key_and_value_are_named(
    build: Any, asked: tuple[str, ...], said: str
) -> None:
    few = [word for setting in asked for word in ("--set", setting)]
    given = started("threads/core_to_core", "--blocks", "1", "--slice", "0.0002", *few)
    done = subprocess.run([build("threads/core_to_core"), *given], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "nothing to measure" in done.stderr
    assert said.format(last=len(os.sched_getaffinity(0)) - 1) in done.stderr


@pytest.mark.skipif(not BOTH, reason="needs two processors")
def test_threads_are_counted_up_to_the_processors_of_this_process(build: Any) -> None:
    """Without a word of threads: 1, 2, 4 … and all, of those that the process may use."""
    few = ["--blocks", "1", "--slice", "0.0002", "--set", "intervals=1000"]
    done = subprocess.run(
        [build("kernels/integration"), *started("kernels/integration", *few)],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    counts = sorted({line["case"]["threads"] for line in lines if line["event"] == "block"})
    assert counts[:2] == [1, 2] and counts[-1] == len(os.sched_getaffinity(0))
    assert not any("left out" in text for text in texts(lines))
    with pytest.raises(InputError, match="or processors"):
        started("kernels/integration", "--set", "threads=all")
    said = subprocess.run(
        [build("kernels/integration"), "--metrics", "time", "--integer", "threads=all"], capture_output=True, text=True
    )
    assert said.returncode == 2 and "'all'; expected an integer, or the name of a list" in said.stderr


# --- memory -----------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not BOTH, reason="needs two processors")
def test_shares_of_threads_stand_beside_their_sum(build: Any) -> None:
    lines, _ = run("memory/stream", build("memory/stream"), "kernel=triad", "threads=2", "size=1MiB")
    shares = [line for line in lines if line["event"] == "block" and line["metric"] == "share"]
    assert {line["case"]["thread"] for line in shares} == {0, 1}
    assert all(line["values"][0] > 0 for line in shares)


def test_arrays_that_fit_the_caches_are_said_to(build: Any) -> None:
    lines, _ = run("memory/stream", build("memory/stream"), "kernel=copy", "threads=1", "size=65536")
    assert any("less than four times the last-level cache" in line.get("text", "") for line in lines)


def test_a_pass_covers_the_bytes_that_stream_counts(build: Any) -> None:
    elements = 65536 // 8
    expected = {"read": 8, "write": 8, "copy": 16, "scale": 16, "add": 24, "triad": 24, "nontemporal_copy": 16}
    words = ["--set", f"kernel={','.join(expected)}", "--set", "size=65536", "--set", "threads=1"]
    done = subprocess.run(
        [
            build("memory/stream"),
            *started("memory/stream", *words, "--batch", "1", "--repetitions", "1", "--blocks", "1"),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    found = {
        line["case"]["kernel"]: line["batch"] for line in lines if line["event"] == "block" and line["metric"] == "time"
    }
    assert found == {kernel: count * elements for kernel, count in expected.items()}


def test_the_contract_for_scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`assay run stream --set threads=… --set kernel=triad --json` gives rates, their median and their best."""
    monkeypatch.chdir(tmp_path)
    threads = 2 if BOTH else 1
    words = ["--set", f"threads={threads}", "--set", "kernel=triad", "--set", "size=8388608"]
    answer = assay("run", "stream", *words, "--launches", "1", "--out", "run", "--json")
    rates = {f["statistic"]: f for f in answer.document["figures"] if f["name"] == "rate"}
    if rates["best"]["state"] != "bound":  # of which a busy machine leaves the best reading alone
        assert rates["best"]["value"] >= rates["median"]["value"] > 0
    assert rates["best"]["value"] > 0
    for figure in rates.values():
        assert figure["unit"] == "B/s"
        assert figure["params"]["kernel"] == "triad" and figure["params"]["threads"] == threads


def test_caches_found_agree_with_the_operating_system(build: Any) -> None:
    """L1 and L2 within a fifth of what sysfs says; a busy neighbour takes cache away, so three tries, else no word."""
    system = {}
    for index in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"):
        if (index / "type").read_text().strip() != "Instruction":
            text = (index / "size").read_text().strip()
            system[int((index / "level").read_text())] = int(text[:-1]) * {"K": 1024, "M": 1048576}[text[-1]]
    if not {1, 2} <= set(system):
        pytest.skip("the system does not say which caches there are")
    program = build("memory/latency")
    record = record_of("memory/latency")
    every = record.parameters["size"].profiles["quick"]
    assert isinstance(every, tuple)
    sizes = [size for size in map(int, every) if size <= 1 << 23]
    quick = ["--slice", str(record.slices["quick"]), "--blocks", str(record.blocks["quick"])]
    least: dict[int, float] = {}
    busy = wall = 0.0
    for _ in range(3):
        words = ["--set", f"size={','.join(map(str, sizes))}", *quick]
        done = subprocess.run(
            [program, *started("memory/latency", *words)], capture_output=True, text=True, check=True, timeout=200
        )
        for line in map(json.loads, done.stdout.splitlines()):
            if line["event"] == "block":
                size = line["case"]["size"]
                least[size] = min([least.get(size, 1.0), *line["values"]])
                busy += line["accounting"]["others"]
                wall += line["accounting"]["wall"]
        levels = find_levels(sorted(least), [least[size] for size in sorted(least)])
        found = [level.size for level in levels if level.below is not None]
        if len(found) >= 2 and all(abs(a / system[i + 1] - 1) <= 0.2 for i, a in enumerate(found[:2])):
            return
    if busy > 0.2 * wall:
        pytest.skip(f"others keep {busy / wall:.1f} hardware threads busy, and with them the caches")
    pytest.fail(f"found {found}, the system says {system}")


def test_a_dependent_addition_takes_a_cycle(build: Any) -> None:
    """The clock found is one that a processor can have; nothing was folded or removed."""
    done = subprocess.run(
        [build("processor/clock"), *started("processor/clock", "--blocks", "2")],
        capture_output=True,
        text=True,
        check=True,
    )
    values = [
        value
        for line in map(json.loads, done.stdout.splitlines())
        for value in line.get("values", [])
        if "metric" in line
    ]
    assert 0.3e9 < 1 / min(values) < 7e9


def test_memory_is_beyond_a_last_cache_that_each_thread_has_to_itself() -> None:
    """A guest may state one cache for hardware threads that have one each: what is left for one must not fit it."""
    made = assay("run", "levels", "--set", "level=memory", "--set", "threads=1,2", "--launches", "1", "--json")
    assert made.status == 0, made.err
    sizes = {each["params"]["threads"]: each["value"] for each in made.document["figures"] if each["name"] == "size"}
    assert set(sizes.values()) == {sizes[1]} or min(sizes.values()) >= 128 << 20
