"""Joules of package and memory: the counters of a made tree of powercap, and what becomes of them in a report."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rich.console import Console

from assay.benchmark.record import benchmark
from assay.document.host_facts import HostFacts
from assay.document.json_form import to_json
from assay.machine import energy_events
from assay.machine.energy import FOLDER
from assay.machine.energy import energy as host_energy
from assay.report.derive.document import document
from assay.report.judge import machine_facts, verdict
from assay.report.render import page, summary, terminal
from assay.report.render.markdown import markdown as as_markdown
from assay.report.sections import energy
from assay.report.units import human
from assay.samples import Circumstance
from assay.store import Run, connect
from command_line import assay
from compiled import WARNINGS, compile_to, kept
from energy_trees import RANGE, Counts, perf, server, zone
from made_documents import bare
from started import words

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
ASK = r"""
#include <fcntl.h>
#include <cstdio>
#include <iostream>
#include "timing/accounting.hpp"
#include "timing/energy.hpp"
using namespace assay::timing;
// FOLDER, in which `devices` are perf's, and TYPE-EVENT-CPU a pipe that gives the counts of an event. A line
// `read SECONDS` (since the one before) answers what has been counted since the first; `state GUEST`.
int main(int, char** words) {
  std::int64_t now = 1;
  const std::string root = words[1];
  const auto opened = [&](std::int64_t type, std::uint64_t event, std::int64_t cpu) {
    const auto text = [](auto number) { return std::to_string(number); };
    return open((root + "/" + text(type) + "-" + text(event) + "-" + text(cpu)).c_str(), O_RDONLY | O_NONBLOCK);
  };
  EnergyMeter meter(root, [&] { return now; }, root + "/devices", opened);
  Energy before{};
  for (std::string what, word; std::cin >> what >> word;) {
    if (what == "state") {
      std::printf("\"%s\"\n", meter.state(word == "guest").c_str());
    } else {
      now += static_cast<std::int64_t>(1e9 * std::stod(word));
      Accounting from, to;
      from.energy = before;
      to.energy = before = meter.read();
      std::printf("%s\n", to.since(from).json().str().c_str());
    }
    std::fflush(stdout);
  }
}
"""


class Meter:
    """The programs' own reader of a tree, asked line by line."""

    def __init__(self, program: Path, root: Path, source: str = "powercap") -> None:
        self.root, self.source = root, source
        self.process = subprocess.Popen([program, root], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def _ask(self, line: str) -> object:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def read(self, seconds: float = 1.0) -> tuple[float | None, float | None, float | None]:
        """Joules of packages, memory and platform since the reading before."""
        said = self._ask(f"read {seconds}")
        assert isinstance(said, dict)
        found = [said.get(f"energy_{part}") for part in ("package", "memory", "platform")]
        assert said.get("energy_source") == (None if found == [None] * 3 else self.source)
        return found[0], found[1], found[2]

    def state(self, guest: bool = False) -> object:
        return self._ask(f"state {'guest' if guest else 'host'}")

    def count(self, name: str, energy: int) -> None:
        (self.root / name / "energy_uj").write_text(f"{energy}\n")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("energy")
    (folder / "ask.cpp").write_text(ASK)
    return compile_to(folder / "ask", folder / "ask.cpp", *WARNINGS)


@pytest.fixture
def meters(program: Path) -> Iterator[list[Meter]]:
    made: list[Meter] = []
    yield made
    for each in made:
        assert each.process.stdin
        each.process.stdin.close()
        assert each.process.wait(10) == 0


def begun(meters: list[Meter], program: Path, root: Path) -> Meter:
    meters.append(Meter(program, root))
    return meters[-1]


def test_joules_are_those_that_packages_and_memory_counted(meters: list[Meter], program: Path, tmp_path: Path) -> None:
    meter = begun(meters, program, server(tmp_path, packages=2))
    assert meter.read() == (None, None, None)  # nothing to compare with
    meter.count("intel-rapl:0", 31_001_000)
    meter.count("intel-rapl:1", 12_001_000)
    meter.count("intel-rapl:1:1", 2_500_100)
    meter.count("intel-rapl:0:0", 25_000_000)  # within the package
    meter.count("intel-rapl-mmio:0", 31_001_000)
    assert meter.read() == (43.0, 2.5, None)
    assert meter.read() == (0.0, 0.0, None)
    assert meter.state() == "powercap: package-0, dram, package-1, dram"


def test_a_platforms_counter_stands_by_itself(meters: list[Meter], program: Path, tmp_path: Path) -> None:
    zone(server(tmp_path), "intel-rapl:1", "psys", 5)
    meter = begun(meters, program, tmp_path)
    meter.read()
    meter.count("intel-rapl:1", 9_000_005)
    assert meter.read() == (0.0, 0.0, 9.0)


@settings(max_examples=50, deadline=None)
@example(RANGE - 1, 2)
@given(st.integers(RANGE - 15_000_000_000, RANGE), st.integers(0, 15_000_000_000))
def test_a_counter_that_begins_anew_loses_nothing(
    program: Path, tmp_path_factory: pytest.TempPathFactory, at: int, more: int
) -> None:
    """Independent of where it stood, what it gained modulo its range is what is counted."""
    root = tmp_path_factory.mktemp("wrap")
    zone(root, "intel-rapl:0", "package-0", at)
    meter = Meter(program, root)
    meter.read()
    total = at + more
    meter.count("intel-rapl:0", total if total <= RANGE else total - RANGE)
    package, _, _ = meter.read()
    assert package == pytest.approx(more * 1e-6, abs=1e-9)
    meter.process.communicate()


def test_a_counter_that_was_reset_gives_no_joules_for_that_block_alone(
    meters: list[Meter], program: Path, tmp_path: Path
) -> None:
    """Back from 10 J to 0: by its range it would have gained 262 kJ in a second, which no node takes."""
    meter = begun(meters, program, server(tmp_path))
    meter.count("intel-rapl:0", 10_000_000)
    meter.read()
    meter.count("intel-rapl:0", 7)
    meter.count("intel-rapl:0:1", 1_000_100)
    assert meter.read() == (None, 1.0, None)
    meter.count("intel-rapl:0", 5_000_007)
    assert meter.read() == (5.0, 0.0, None)


def test_a_counter_that_disappears_and_comes_back(meters: list[Meter], program: Path, tmp_path: Path) -> None:
    meter = begun(meters, program, server(tmp_path))
    meter.read()
    (tmp_path / "intel-rapl:0" / "energy_uj").rename(tmp_path / "away")
    assert meter.read() == (None, 0.0, None)
    meter.count("intel-rapl:0", 50_000_000)
    assert meter.read() == (None, 0.0, None)  # what it counted in between is not known
    meter.count("intel-rapl:0", 52_000_000)
    assert meter.read() == (2.0, 0.0, None)
    meter.count("intel-rapl:0", -1)  # garbled
    assert meter.read()[0] is None


def test_why_nothing_can_be_read_is_one_line(meters: list[Meter], program: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    none = begun(meters, program, tmp_path / "empty")
    assert none.read() == none.read() == (None, None, None)
    assert none.state(guest=True) == "not readable: no powercap interface: a virtual machine has none"
    assert "intel_rapl_msr" in str(none.state())
    counter = zone(tmp_path / "a", "intel-rapl:0", "package-0", 1) / "energy_uj"
    counter.unlink()
    counter.mkdir()
    assert str(begun(meters, program, tmp_path / "a").state()).startswith("not readable: energy_uj: ")


def test_perfs_events_are_read_where_powercap_shows_nothing(meters: list[Meter], program: Path, tmp_path: Path) -> None:
    """Two sockets of half a joule per count; cores are within the package and must not be counted."""
    perf(tmp_path / "devices", cpus="0,28")
    counts = Counts(tmp_path, "20-2-0", "20-2-28", "20-3-0", "20-3-28")
    meter = Meter(program, tmp_path, "perf")
    meters.append(meter)
    counts.put(10, 20, 2, 3)
    assert meter.read() == (None, None, None)
    counts.put(30, 60, 4, 3)  # 20 and 40 counts of packages, 2 of memory
    assert meter.read() == (30.0, 1.0, None)
    assert meter.read() == (None, None, None)  # the pipes are empty: not known
    assert meter.state(guest=True) == "perf: energy-pkg, energy-pkg, energy-ram, energy-ram"


def test_counters_that_stay_at_0_are_no_joules_and_said_in_one_line(
    meters: list[Meter], program: Path, tmp_path: Path
) -> None:
    """A hypervisor showed the platform's counter, at 0 for ever: every block had 0 J, as if that had been measured."""
    zone(tmp_path, "intel-rapl:0", "psys", 0)
    meter = begun(meters, program, tmp_path)
    assert [meter.read(), meter.read(), meter.read()] == [(None, None, None)] * 3
    assert (
        meter.state(guest=True) == "not readable: powercap: psys at 0: the hypervisor counts no energy"
        and meter.state() == "powercap: psys"  # a host's begins soon
    )
    meter.count("intel-rapl:0", 2_000_000)
    assert meter.read() == (None, None, None) and meter.state(guest=True) == "powercap: psys"
    meter.count("intel-rapl:0", 5_000_000)
    assert meter.read() == (None, None, 3.0)


def test_powercap_goes_before_perf_and_perf_before_a_refusal(
    meters: list[Meter], program: Path, tmp_path: Path
) -> None:
    perf(tmp_path / "devices", ram=None)
    Counts(tmp_path, "20-2-0")
    both = begun(meters, program, server(tmp_path))
    assert both.state() == "powercap: package-0, dram"
    (tmp_path / "intel-rapl:0" / "energy_uj").write_text("refused\n")
    assert begun(meters, program, tmp_path).state() == "perf: energy-pkg"
    (tmp_path / "20-2-0").unlink()
    assert str(begun(meters, program, tmp_path).state()).startswith("not readable: energy_uj: ")
    perf(tmp_path / "alone" / "devices")
    refused = begun(meters, program, tmp_path / "alone").state()
    assert refused == "not readable: perf's energy events: No such file or directory"


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="needs setpriv")
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become another user")
def test_a_counter_for_root_alone_is_named(program: Path, tmp_path: Path) -> None:
    for part in itertools.takewhile(lambda each: each != Path("/tmp"), (tmp_path, *tmp_path.parents, *program.parents)):
        part.chmod(0o755)
    for part in (*program.parents,):
        if part != Path("/tmp") and Path("/tmp") in part.parents:
            part.chmod(0o755)
    (zone(tmp_path, "intel-rapl:0", "package-0", 1) / "energy_uj").chmod(0o400)
    done = subprocess.run(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", program, tmp_path],
        input="state host\nread 1\nread 1\n",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    state, *blocks = map(json.loads, done.stdout.splitlines())
    assert state == "not readable: permission denied: energy_uj is for root alone since CVE-2020-8694"
    assert all("energy_package" not in block for block in blocks)


# --- what becomes of them in a report ---------------------------------------------------------------------------------

JOULES = {"energy_package": 12.0, "energy_memory": 1.5, "energy_source": "powercap"}
QUIET = {"steal": 0.0, "others": 0.0, "own": 0.3, "wall": 0.3, "involuntary": 0, "voluntary": 0}
CASE = {"size": 64, "type": "float64", "threads": 1, "code": "ours"}
GEMM = "gemm", "kernels", CASE
FLOPS = 2 * 64**3


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    return Run.create(tmp_path / "run", {"machine": "here", "host": {"host": "n1", "usable_cpus": 2}, "wishes": {}})


def launch(
    run: Run, number: int, blocks: list[Any], energy: str | None = None, seconds: float = 1e-4, of: Any = GEMM
) -> None:
    """A launch of gemm, or of another program: blocks of 0.3 s, each with its joules, and what it said of energy."""
    name, part, case = of
    task = f"{number:03d}-{name}"
    about = Circumstance(run.about["id"], name, part, "here", 0, number, 1, "p")
    run.journal({"event": "begun", "task": task, "file": f"{task}.jsonl", "about": asdict(about)})
    facts = {"host": "n1"} | ({"energy": energy} if energy else {})
    lines: list[dict[str, Any]] = [
        {"event": "launch", "seed": 1, "ranks": 1, "placement": [{"rank": 0, "host": "n1"}], "t": 1.0, "hosts": [facts]}
    ]
    for i, joules in enumerate(blocks):
        t0 = 1000.0 * number + 0.4 * i
        about_block = {"event": "block", "case": case, "metric": "time", "block": i, "batch": 1, "first": None}
        counted = {"accounting": QUIET | joules, "t0": t0, "t1": t0 + 0.3}
        lines.append(about_block | counted | {"values": [seconds] * 20})
    text = "".join(json.dumps(line) + "\n" for line in [*lines, {"event": "done"}])
    (run.folder / "launches" / f"{task}.jsonl").write_text(text)
    run.journal(
        {"event": "ended", "task": task, "status": 0, "reason": None, "binding": None, "warnings": [], "seconds": 1.0}
    )


def test_joules_for_a_flop_are_power_over_rate(measured: Run) -> None:
    """12 J in 0.3 s are 40 W; 2 * 64^3 flops in 100 us are 5.24 Gflop/s: 7.63 nJ/flop, by hand."""
    for number in range(3):
        launch(
            measured,
            number,
            [JOULES, {}, JOULES | {"energy_package": 12.0 * (1 + number)}],
            "powercap: package-0, dram",
        )
    (section,) = document(measured).benchmarks
    assert section.energy is not None
    (found,) = [each for each in section.energy if each.figure == "rate"]
    rate = FLOPS / 1e-4
    assert (found.unit, found.launches, found.source, found.platform) == ("J/flop", 3, "powercap", None)
    assert found.package == pytest.approx(60.0) and found.memory == pytest.approx(
        5.0
    )  # (12 + 24) J in .6 s, the median
    assert found.value == pytest.approx(60.0 / rate)
    widest = 1e-3 / 0.3  # an update of the counters more or less, in each block of 0.3 s
    assert found.range == pytest.approx([(1 - widest) * 40.0 / rate, (1 + widest) * 80.0 / rate])


def test_an_application_has_joules_per_run_and_operation(measured: Run) -> None:
    """12 J in 0.3 s are 40 W: 8 J for a run of 0.2 s, and over its 1e9 operations 8 nJ for each, by hand."""
    case = {"kernel": "ep", "class": "S", "operations": 10**9}
    for number in range(3):
        launch(measured, number, [JOULES, JOULES], "powercap: package-0, dram", 0.2, ("nas", "applications", case))
    made = document(measured)
    (section,) = made.benchmarks
    found = {each.figure: each for each in section.energy or ()}
    assert {name: each.unit for name, each in found.items()} == {"time": "J/run", "rate": "J/operation"}
    assert found["time"].value == pytest.approx(8.0) and found["rate"].value == pytest.approx(8e-9)
    markdown = as_markdown(made)
    assert "8 J/run" in markdown and "8 nJ/operation" in markdown
    assert not any("J/run" in text for text in energy.least(made)) and any(
        "J/operation" in t for t in energy.least(made)
    )


@pytest.mark.parametrize(("wall", "shown"), [(0.0012, False), (0.009, False), (0.011, True)])
def test_blocks_too_short_for_the_counters_give_no_joules(measured: Run, wall: float, shown: bool) -> None:
    """Of 60 W counted in steps of 1 ms a block of 1.2 ms shows 50 or 100 W."""
    for number in range(3):
        short = {"energy_package": 60 * wall, "wall": wall}
        launch(measured, number, [JOULES | short, JOULES | short], "powercap: package-0, dram")
    (section,) = document(measured).benchmarks
    assert bool(section.energy) == shown
    said = [note for note in section.notes if note.startswith("left out: joules of ")]
    assert len(said) == (not shown)
    if said:
        assert said[0].endswith("are too short for counters that are updated every 1 ms") and "blocks of " in said[0]
        assert said[0] in page.html(document(measured))
        text = io.StringIO()
        terminal.show(document(measured), Console(file=text, width=160))
        assert said[0].removeprefix("left out: ") in " ".join(text.getvalue().split())


def test_joules_are_seen_on_terminal_page_summary_and_json(measured: Run, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(3):
        launch(measured, number, [JOULES, JOULES], "powercap: package-0, dram")
    measured.finish("done")
    made = verdict.judged(measured, document(measured))
    out = io.StringIO()
    terminal.show(made, Console(file=out, width=80))
    said = " ".join(out.getvalue().split())
    assert "Energy of Matrix product" in said and "40 W" in said and "7.63 nJ/flop" in said
    assert "others' work at the time and idle power are in it" in said
    html, markdown = page.html(made), as_markdown(made)
    assert "7.63 nJ/flop" in html and "powercap: package-0, dram" in html
    assert "least 7.63 nJ/flop (Matrix product)" in summary.markdown(made)
    assert "7.63 nJ/flop" in markdown and "**energy**: powercap: package-0, dram" in markdown
    written = to_json(made)
    assert written["benchmarks"][0]["energy"][0]["value"] == pytest.approx(40 / (FLOPS / 1e-4))
    rows = measured.connect().execute("SELECT sum(energy_package), any_value(energy_source) FROM blocks").fetchall()
    assert rows == [(72.0, "powercap")]


def test_without_joules_the_report_says_why_and_no_column_is_there(measured: Run) -> None:
    why = "not readable: no powercap interface: a virtual machine has none"
    for number in range(3):
        launch(measured, number, [{}, {}], why)
    measured.finish("done")
    made = verdict.judged(measured, document(measured))
    assert made.benchmarks[0].energy is None and "energy" not in to_json(made)["benchmarks"][0]
    assert why in page.html(made) and f"**energy**: {why}" in as_markdown(made)
    names = [row[0] for row in measured.connect().execute("DESCRIBE blocks").fetchall()]
    assert not any("energy" in name for name in names)


def test_runs_with_and_without_joules_are_asked_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    made = []
    for name, joules in (("without", {}), ("with", JOULES)):
        run = Run.create(tmp_path / name, {"machine": "here", "host": {}, "wishes": {}})
        launch(run, 0, [joules])
        run.finish("done")
        made.append(run)
    asked = "SELECT energy_package, count(*) FROM blocks GROUP BY ALL ORDER BY ALL NULLS FIRST"
    for runs in (made, made[::-1]):
        assert connect(runs).execute(asked).fetchall() == [(None, 1), (12.0, 1)]


def test_hosts_that_state_different_things_are_named(measured: Run) -> None:
    for number in range(3):
        launch(measured, number, [{}, {}], "powercap: package-0")
    whole = document(measured)
    stated = {"n1": "powercap: package-0", "n2": "powercap: package-0", "n3": "not readable: permission denied"}
    hosts = {name: HostFacts({"energy": text}) for name, text in stated.items()}
    (line,) = [each.text for each in machine_facts.facts(replace(whole, hosts=hosts), {}) if each.name == "energy"]
    assert line == "2 hosts: powercap: package-0; n3: not readable: permission denied"


def test_joules_take_prefixes() -> None:
    assert human(4.92e-10, "J/B", 3) == "492 pJ/B" and human(7.634e-9, "J/flop", 3) == "7.63 nJ/flop"
    assert human(2.5e-6, "J/message", 3) == "2.5 µJ/message" and human(20.0, "DMIPS") == "20 DMIPS"


def test_messages_and_bytes_have_their_units(measured: Run) -> None:
    echo, message_rate, lock = (benchmark(name) for name in ("echo", "message-rate", "lock"))
    figures = {
        name: bare("", name, 1.0, unit, {})
        for name, unit in (("rate", "B/s"), ("message_rate", "1/s"), ("rate_of_locks", "1/s"), ("half_round_trip", "s"))
    }
    assert energy._unit(echo, figures["rate"]) == "J/B"
    assert energy._unit(message_rate, figures["message_rate"]) == "J/message"
    rate = bare("", "rate", 1.0, "1/s", {})
    assert [energy._unit(benchmark(name), rate) for name in ("lattice", "colloid")] == ["J/update", "J/operation"]
    assert (
        energy._unit(lock, figures["rate_of_locks"]) is None and energy._unit(echo, figures["half_round_trip"]) is None
    )


# --- of this host -----------------------------------------------------------------------------------------------------


def test_doctor_names_the_counters_and_what_the_packages_take(tmp_path: Path) -> None:
    """The tree gains 6 J while the reader sleeps, by its own clock half a second: 12 W; the counter begins anew."""
    root = tmp_path / FOLDER
    server(root)
    (root / "intel-rapl:0" / "energy_uj").write_text(f"{RANGE - 1_000_000}\n")

    def sleep(seconds: float) -> None:
        (root / "intel-rapl:0" / "energy_uj").write_text("5000000\n")

    times = iter((1.0, 1.5))
    found = host_energy(tmp_path, sleep=sleep, clock=lambda: next(times))
    assert (found.zones, found.why) == (("package-0", "dram"), None) and found.power == pytest.approx(12.0)


def test_doctor_says_why_nothing_can_be_read(tmp_path: Path) -> None:
    assert host_energy(tmp_path, guest=True).why == "no powercap interface: a virtual machine has none"
    assert "intel_rapl_msr" in str(host_energy(tmp_path, guest=False).why)
    zone(tmp_path / FOLDER, "intel-rapl:0", "package-0", 1)
    (tmp_path / FOLDER / "intel-rapl:0" / "energy_uj").write_text("x")
    assert host_energy(tmp_path).why == "energy_uj: holds no number"


def test_doctor_says_that_a_guest_s_counters_stay_at_0(tmp_path: Path) -> None:
    perf(tmp_path / energy_events.FOLDER, ram=3)
    counts = Counts(tmp_path, "20-2-0", "20-3-0")

    def opened(kind: int, event: int, cpu: int) -> int:
        return os.open(tmp_path / f"{kind}-{event}-{cpu}", os.O_RDONLY | os.O_NONBLOCK)

    for last in (0, 7):  # read three times of packages, once of memory
        counts.put(0, 0)
        os.write(counts.files["20-2-0"], bytes(8) + last.to_bytes(8, "little"))
        found = host_energy(tmp_path, guest=True, sleep=lambda _: None, open_event=opened)
        why = "perf: energy-pkg, energy-ram at 0: the hypervisor counts no energy"
        assert (found.why, found.power) == ((why, None) if last == 0 else (None, 0.0))


def test_doctor_takes_perfs_events_where_powercap_is_not(tmp_path: Path) -> None:
    """8 and 4 counts of half a joule in half a second of its clock: 12 W."""
    perf(tmp_path / energy_events.FOLDER, cpus="0,28", ram=3)
    counts = Counts(tmp_path, "20-2-0", "20-2-28", "20-3-0", "20-3-28")
    counts.put(100, 200, 1, 1)

    def sleep(seconds: float) -> None:
        counts.put(108, 204, 1, 1)

    def opened(kind: int, event: int, cpu: int) -> int:
        return os.open(tmp_path / f"{kind}-{event}-{cpu}", os.O_RDONLY | os.O_NONBLOCK)

    def refused(kind: int, event: int, cpu: int) -> int:
        raise PermissionError(13, "Permission denied")

    times = iter((1.0, 1.5))
    found = host_energy(tmp_path, guest=True, sleep=sleep, clock=lambda: next(times), open_event=opened)
    assert (found.source, found.zones, found.why) == ("perf", ("energy-pkg", "energy-ram"), None)
    assert found.power == pytest.approx(12.0)
    why = host_energy(tmp_path, open_event=refused).why
    assert why == "perf's energy events: Permission denied (kernel.perf_event_paranoid above 0)"


def test_programs_and_doctor_read_a_real_event_of_the_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel's own clock of a hardware thread, a nanojoule per nanosecond: a made socket that takes one watt."""
    devices = perf(tmp_path / "devices", kind=1, pkg=0, ram=None, joules=1e-9)
    try:
        os.close(energy_events.open_event(1, 0, 0))
    except OSError as error:
        pytest.skip(f"perf_event_open: {error.strerror}")
    (tmp_path / "none").mkdir()
    monkeypatch.setenv("ASSAY_POWERCAP", str(tmp_path / "none"))
    monkeypatch.setenv("ASSAY_PERF_DEVICES", str(devices))
    given = ("--slice", "0.3", "--blocks", "2", "--set", "size=64", "--set", "code=ours", "--set", "threads=1")
    done = subprocess.run(
        [kept("kernels/gemm"), *words("gemm", *given, "--set", "type=float64")],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines[0]["hosts"][0]["energy"] == "perf: energy-pkg"
    blocks = [line["accounting"] for line in lines if line["event"] == "block"]
    assert blocks and all(of["energy_source"] == "perf" for of in blocks)
    assert 0.5 < power(blocks) < 2  # W; where the reader is kept waiting between its two clocks, less or more
    assert 0.5 < (host_energy(seconds=0.05).power or 0) < 2


@contextlib.contextmanager
def fifty_watts(tmp_path: Path) -> Iterator[str]:
    """A tree of powercap whose only package takes 50 W."""
    counter = zone(tmp_path / "powercap", "intel-rapl:0", "package-0", 0) / "energy_uj"
    fresh, ended = tmp_path / "fresh", threading.Event()

    def count() -> None:
        began = time.monotonic()
        while not ended.wait(0.002):
            fresh.write_text(f"{int(50e6 * (time.monotonic() - began))}\n")
            fresh.replace(counter)

    counting = threading.Thread(target=count)
    counting.start()
    try:
        yield str(tmp_path / "powercap")
    finally:
        ended.set()
        counting.join()


def power(blocks: list[dict[str, Any]]) -> float:
    return float(sum(of["energy_package"] for of in blocks) / sum(of["wall"] for of in blocks))


def test_programs_write_what_a_tree_counts_while_they_run(tmp_path: Path) -> None:
    with fifty_watts(tmp_path) as folder:
        given = ("--slice", "0.3", "--blocks", "2", "--set", "size=64", "--set", "code=ours", "--set", "threads=1")
        command = [kept("kernels/gemm"), *words("gemm", *given, "--set", "type=float64")]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "ASSAY_POWERCAP": folder})
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines[0]["hosts"][0]["energy"] == "powercap: package-0"
    blocks = [line["accounting"] for line in lines if line["event"] == "block"]
    assert blocks and all(of["energy_source"] == "powercap" and "energy_memory" not in of for of in blocks)
    assert 20 < power(blocks) < 80  # where others keep the thread that counts from it, less or more


def test_ranks_of_one_host_count_its_packages_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with fifty_watts(tmp_path) as folder:
        monkeypatch.setenv("ASSAY_POWERCAP", folder)
        asked = ("run", "message-rate", "-n", "2", "--set", "bytes=8", "--launches", "1")
        done = assay(*asked, "--out", str(tmp_path / "run"), "--json")
    assert done.status == 0, done.err
    lines = [json.loads(line) for path in (tmp_path / "run" / "launches").iterdir() for line in path.open()]
    assert 20 < power([line["accounting"] for line in lines if line["event"] == "block"]) < 80
    estimated = any(f["statistic"] == "median" and f["by_launch"] for f in done.document["figures"])
    assert {each["unit"] for each in done.document.get("energy", [])} >= ({"J/message"} if estimated else set())


@pytest.mark.mpi
@pytest.mark.measures
def test_an_application_over_mpi_has_what_the_tree_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with fifty_watts(tmp_path) as folder:
        monkeypatch.setenv("ASSAY_POWERCAP", folder)
        asked = ("run", "nas", "-n", "2", "--set", "kernel=ep", "--set", "class=S", "--launches", "1")
        done = assay(*asked, "--out", str(tmp_path / "run"), "--json")
    assert done.status == 0, done.err
    found = {each["figure"]: each for each in done.document.get("energy") or ()}
    if not any(f["statistic"] == "median" and f["by_launch"] for f in done.document["figures"]):
        pytest.skip("the machine was too busy for an estimate, of which joules are")
    time = next(each["value"] for each in done.document["figures"] if each["name"] == "time" and each["value"])
    assert found["time"]["value"] == pytest.approx(found["time"]["package"] * time)
    assert found["rate"]["value"] == pytest.approx(found["time"]["value"] / found["time"]["params"]["operations"])
