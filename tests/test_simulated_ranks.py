"""Message-passing programs on the smallest described machine, against its closed form."""

from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.benchmark.record import benchmarks
from assay.described.machine_file import DescribedMachine, load
from assay.errors import InputError, MeasurementError
from assay.execute.job import Job
from assay.execute.simulated import deadlock, simulate
from assay.machine import units
from started import play

EXAMPLE = Path(__file__).parent.parent / "examples" / "constant.toml"


def machine(startup: str, per_byte: str, nodes: int = 256) -> dict[str, str | float]:
    table = {"name": "m", "nodes": nodes, "messages": {"startup": startup, "per_byte": per_byte}}
    return DescribedMachine.model_validate(table).for_core()


def run(program: str, on: dict[str, str | float], ranks: int, *arguments: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in play(program, on, ranks, list(arguments)).splitlines()]


def blocks(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [event for event in events if event["event"] == "block"]


@settings(max_examples=40, deadline=None)
@given(
    startup=st.integers(0, 10**6),
    per_byte=st.integers(0, 10**4),
    sizes=st.lists(st.integers(0, 70000), min_size=1, max_size=6, unique=True),
    ranks=st.integers(2, 9),
)
def test_echo_is_startup_and_time_a_byte_exactly(startup: int, per_byte: int, sizes: list[int], ranks: int) -> None:
    """Half a round trip in ns: exact, since simulated time is whole picoseconds and the machine's numbers are too."""
    on = machine(f"{startup} ns", f"{per_byte} ns/B")
    events = run("echo", on, ranks, "--set", f"bytes={','.join(map(str, sizes))}")
    seen = {event["case"]["bytes"]: event["values"] for event in blocks(events)}
    assert seen == {n: [float(2 * Fraction(startup + per_byte * n, 10**9))] for n in sizes}
    assert [event["passed"] for event in events if event["event"] == "check"] == [True] * len(sizes)
    assert events[0]["event"] == "launch" and events[-1] == {"event": "done"}


def test_one_repetition_unless_asked_and_every_repetition_alike() -> None:
    on = machine("70 us", "0.4 us/B")
    (block,) = blocks(run("echo", on, 2, "--set", "bytes=8"))
    assert (len(block["values"]), block["batch"], block["first"]) == (1, 1, None)
    (block,) = blocks(run("echo", on, 2, "--set", "bytes=8", "--repetitions", "5", "--batch", "3"))
    assert block["values"] == [pytest.approx(146.4e-6, rel=1e-14)] * 5 and block["batch"] == 3


def test_the_same_seed_gives_the_same_order_and_another_seed_another() -> None:
    on = machine("1 us", "1 ns/B")
    sizes = "bytes=" + ",".join(map(str, range(30)))

    def order(seed: int) -> list[int]:
        return [b["case"]["bytes"] for b in blocks(run("echo", on, 2, "--set", sizes, "--seed", str(seed)))]

    assert order(1) == order(1) != order(2)
    assert sorted(order(2)) == list(range(30)) != order(2)


def test_every_program_with_a_record_is_compiled_in() -> None:
    """In a process of its own: a program of a person's own that a test has loaded here stays."""
    ask = "import json; from assay._core import ranks; print(json.dumps(ranks.programs()))"
    said = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True).stdout
    assert json.loads(said) == sorted(name for name, record in benchmarks().items() if record.kind == "ranks")


@pytest.mark.parametrize(
    ("ranks", "arguments", "said"),
    [
        (1, [], "2 ranks or more"),
        (300, [], "256 nodes"),
        (2, ["--set", "bytes=-1"], "out of bounds"),
        (2, ["--set", "lenght=1"], "lenght"),
        (2, ["--set", "partner=7"], "partner"),
        (0, [], "1 or more"),
    ],
)
def test_bad_input_is_refused_in_one_line(ranks: int, arguments: list[str], said: str) -> None:
    with pytest.raises((ValueError, InputError), match=said) as caught:
        play("echo", machine("1 us", "1 ns/B"), ranks, arguments)
    assert "\n" not in str(caught.value)


def test_simulate_appends_the_lines_of_a_launch(tmp_path: Path) -> None:
    out = tmp_path / "job.out"
    job = Job("echo-0", ("echo", "--set", "bytes=8"), None, None, None, out, tmp_path / "log", 10.0)
    outcome = simulate(load(EXAMPLE), benchmarks()["echo"], job)
    assert (outcome.status, outcome.hosts) == (0, ("constant",))
    simulate(load(EXAMPLE), benchmarks()["echo"], job)
    events = [json.loads(line)["event"] for line in out.read_text().splitlines()]
    assert events == ["launch", "nodes", "block", "check", "done"] * 2
    with pytest.raises(InputError, match="partner"):
        wrong = Job("echo-0", ("echo", "--set", "partner=9"), 2, None, None, out, tmp_path / "log", 10.0)
        simulate(load(EXAMPLE), benchmarks()["echo"], wrong)
    with pytest.raises(MeasurementError, match="cannot write"):
        full = Job("echo-0", ("echo",), 2, None, None, Path("/dev/full"), tmp_path / "log", 10.0)
        simulate(load(EXAMPLE), benchmarks()["echo"], full)


def test_a_rank_more_takes_no_python_object(tmp_path: Path) -> None:
    """An int per rank would be 40 MB for a million of them, which the core holds in little more than a gigabyte."""

    def most(ranks: int) -> int:
        job = Job("barrier-0", ("barrier",), ranks, None, None, tmp_path / "job.out", tmp_path / "log", 10.0)
        tracemalloc.start()
        try:
            simulate(load(EXAMPLE, {"nodes": str(ranks)}), benchmarks()["barrier"], job)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    most(1 << 10)  # what is read once
    assert most(1 << 15) - most(1 << 10) < 8 << 15


def test_a_deadlock_is_said_in_words() -> None:
    waiting = [(0, "recv", 1, 7), (1, "wait", None, 2), *((rank, "recv", 0, 1) for rank in range(2, 12))]
    said = deadlock(1e-3, waiting)
    assert "rank 0 in recv from rank 1 (tag 7)" in said and "any rank" in said and said.endswith("; and 4 more")


# --- descriptions ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wanted", "value"),
    [
        ("70 us", "s", 70e-6),
        ("0.4 us/B", "s/B", 0.4e-6),
        ("2.5 MB/s", "s/B", 0.4e-6),
        ("8 MiB", "B", 8388608.0),
        ("200 Gbit/s", "B/s", 2.5e10),
        ("12 %", "1", 0.12),
        ("0", "s", 0.0),
    ],
)
def test_quantities_are_the_nearest_float(text: str, wanted: str, value: float) -> None:
    assert units.quantity(text, wanted) == value


@pytest.mark.parametrize(
    ("text", "wanted"), [("70", "s"), ("70 us", "B"), ("us", "s"), ("7 parsec", "s"), ("1e400 s", "s"), ("nan s", "s")]
)
def test_what_is_no_quantity_is_refused(text: str, wanted: str) -> None:
    with pytest.raises(ValueError):
        units.quantity(text, wanted)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            'name="a"\n[messages]\nstartup="1 us"\nper_bite="1 us/B"',
            r":4: messages.per_bite: .*; did you mean per_byte\?",
        ),
        ('name="a"\n[messages]\nstartup="70"\nper_byte="1 us/B"', r":3: messages.startup: .*no unit.*'70'.*70 us"),
        ('name="a"\n[messages]\nstartup="-7 us"\nper_byte="1 us/B"', r":3: messages.startup: .*-7 us"),
        ('name="a"\nnodes=0\n[messages]\nstartup="7 us"\nper_byte="1 us/B"', r":2: nodes: "),
        ('name="a"\n[messages]\nstartup="7 us"', r":2: messages.per_byte: is missing; expected .*us/B"),
        (
            'name="a"\n[messages]\nstartup="7 us"',
            r"per_byte: is missing; expected a number from 0 to 0.01 s/B: time that each byte adds; such as",
        ),
        (
            'name="a"\n[network]\ntopology="ring"\nnodes=4\ncycle="1 ns"\n[[protocol]]\n[storage]\ndisks=2',
            r":7: storage.io_nodes: is missing; expected a whole number from 1 to 65,536: I/O nodes",
        ),
        ("name=", "not TOML"),
    ],
)
def test_a_broken_description_names_line_key_and_value(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "m.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=said):
        load(path)


CLOCK = 2**63 / 1e12  # seconds: whole picoseconds, of 63 bits
NETWORK = '[network]\ntopology="ring"\nnodes=4\n[[protocol]]\nstartup="1 us"\n'


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ('[messages]\nstartup="1e7 s"\nper_byte="0 us/B"', r":3: messages.startup: .*'1e7 s', expected .*to 1000 s"),
        ('[messages]\nstartup="1e300 us"\nper_byte="0 us/B"', ":3: messages.startup: .*'1e300 us'"),
        ('[messages]\nstartup="0 s"\nper_byte="1e3 s/B"', r":4: messages.per_byte: .*'1e3 s/B', .* to 0.01 s/B"),
        ('[messages]\nstartup="0 s"\nper_byte="0 s/B"\n[node]\nmemory="1e20 B"', ":6: node.memory: "),
        (f'{NETWORK}[compute]\ntime.turn="1e7 s"', r"time.turn: .*'1e7 s', expected a number above 0, up to 1000 s"),
        (f'{NETWORK}[compute]\nrate.turn="1e-7 1/s"', r"rate.turn: .*'1e-7 1/s', expected a number from 0.001 on"),
        (NETWORK.replace("nodes=4", 'nodes=4\ncycle="1e4 s"'), r"network.cycle: .*'1e4 s', expected .* to 0.001 s"),
        (
            NETWORK.replace("nodes=4", 'nodes=4\nchannel_rate="1 B/s"'),
            r"network.channel_rate: is out of bounds; got '1 B/s'",
        ),
    ],
)
def test_no_single_number_fills_the_simulated_clock(tmp_path: Path, tables: str, said: str) -> None:
    """Past its end, ranks that only wait had been called deadlocked."""
    path = tmp_path / "m.toml"
    path.write_text(f'name="a"\n{tables}\n')
    with pytest.raises(InputError, match=said):
        load(path)


def test_the_largest_numbers_are_simulated() -> None:
    """Every length that echo sends by default, by the closed form, on the slowest machine that can be described."""
    events = run("echo", machine("1000 s", "0.01 s/B"), 2)
    seen = {event["case"]["bytes"]: event["values"] for event in blocks(events)}
    assert seen == {n: pytest.approx([2 * (1000 + n / 100)]) for n in seen} and max(seen) == 4 << 20
    assert events[-1] == {"event": "done"} and sum(each[0] for each in seen.values()) < CLOCK / 10


def test_keys_of_a_description_are_set_from_outside() -> None:
    assert load(EXAMPLE, {"messages.startup": "10 us"}).messages.startup == 1e-5
    with pytest.raises(InputError, match=r"--set machine.messages.startup=10 m: messages.startup: .*got '10 m'"):
        load(EXAMPLE, {"messages.startup": "10 m"})
    with pytest.raises(InputError, match="no such key"):
        load(EXAMPLE, {"message.startup": "10 us"})
    with pytest.raises(InputError, match="cannot be read"):
        load(EXAMPLE.with_name("absent.toml"))
