"""Memory latency under load: broken streams, bytes moved by the model and by counters, the report's curves."""

from __future__ import annotations

import io
import json
import os
import shutil
import statistics
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from assay.benchmark.record import benchmark
from assay.document.section import Section
from assay.report.judge import first_titles
from assay.report.render import page_parts, terminal
from assay.report.render.markdown import markdown as as_markdown
from assay.report.sections import load_latency
from by_night import by_night
from compiled import compile_to, kept
from made_documents import document, figure, section
from started import words

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
RECORD = benchmark("loaded-latency")
ALONE = len(os.sched_getaffinity(0)) < 2
two = pytest.mark.skipif(ALONE, reason="needs two hardware threads")
Lines = list[dict[str, Any]]


def run(program: Path, *settings: str, status: int = 0, before: tuple[str, ...] = ()) -> Lines:
    given = [word for setting in settings for word in ("--set", setting)]
    few = ("--slice", "0.0005", "--blocks", "1")
    command = [*before, str(program), *words("loaded-latency", *few, *given)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.returncode == status, (done.stdout[-500:], done.stderr[-2000:])
    return [json.loads(line, parse_constant=pytest.fail) for line in done.stdout.splitlines()]


def values(lines: Lines, metric: str) -> dict[tuple[Any, ...], float]:
    return {
        (line["case"]["stores"], line["case"]["writes"]): statistics.median(line["values"])
        for line in lines
        if line["event"] == "block" and line["metric"] == metric
    }


@two
def test_every_share_of_writes_is_right_and_moves_what_the_model_says() -> None:
    """A plain store moves its line twice; beside a stream at full speed the chain moves little."""
    lines = run(kept("memory/loaded_latency"), "pause=0")
    checks = [line for line in lines if line["event"] == "check"]
    assert len(checks) == 1 + 9 and all(line["passed"] for line in checks)  # the chain, and each family once
    counted, moved, written = (values(lines, name) for name in ("counted", "moved", "written"))
    families = {(how, writes) for how in ("allocate", "nontemporal") for writes in (25, 50, 75, 100)}
    assert set(counted) == families | {("allocate", 0)}
    if any("counters, of the whole machine" in line.get("text", "") for line in lines):
        pytest.skip("the counters here see others' bytes, too")
    for (how, writes), rate in counted.items():
        times = 1 + writes / 100 if how == "allocate" else 1
        assert times <= moved[how, writes] / rate < 1.5 * times
        assert written[how, writes] == pytest.approx(writes / 100 / times, rel=0.4)
        assert written[how, writes] <= writes / 100 / times


@two
@pytest.mark.parametrize(
    ("fault", "failing"),
    by_night([(1, ("lines in one cycle",)), (2, ("loaded",)), (3, ("to be stored",))], [(2, ("loaded",))]),
    ids=str,
)
def test_planted_faults_are_caught(tmp_path: Path, fault: int, failing: tuple[str, ...]) -> None:
    out = tmp_path / "broken"
    compile_to(out, RECORD.path, "-Wall", "-Wextra", "-Werror", f"-DASSAY_BREAK={fault}")
    lines = run(out, "pause=0", "writes=25,100", status=1)
    found = [line for line in lines if line["event"] == "check" and failing[0] in line["detail"]]
    assert found and not [line for line in found if line["passed"]]


def test_one_hardware_thread_is_said_to_be_too_few() -> None:
    pinned = ("taskset", "-c", str(min(os.sched_getaffinity(0))))
    if shutil.which("taskset") is None:
        pytest.skip("needs taskset")
    program = [*pinned, str(kept("memory/loaded_latency")), *words("loaded-latency", "--or-nothing")]
    done = subprocess.run(program, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "latency under load takes two hardware threads" in done.stdout


# --- the memory controllers' counters ---------------------------------------------------------------------------------

ASK = r"""
#include <cstdio>
#include <fcntl.h>
#include <string>
#include "memory/traffic.hpp"
int main(int, char** words) {
  const std::string root = words[1];
  const assay::memory::TrafficCounters counters(root, [&](std::int64_t type, std::uint64_t config, std::int64_t cpu) {
    const auto text = [](auto number) { return std::to_string(number); };
    return open((root + text(type) + "-" + text(config) + "-" + text(cpu)).c_str(), O_RDONLY);
  });
  const auto traffic = counters.read();
  std::printf("%s|%.17g|%.17g", counters.why().c_str(), traffic.read, traffic.written);
}
"""


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], list[str]]:
    folder = tmp_path_factory.mktemp("traffic")
    (folder / "ask.cpp").write_text(ASK)
    program = compile_to(folder / "ask", folder / "ask.cpp")
    return lambda root: subprocess.run([program, f"{root}/"], capture_output=True, text=True, check=True).stdout.split(
        "|"
    )


def controllers(root: Path, counts: dict[str, int]) -> None:
    """Two memory controllers as the kernel shows them; counts by type-config-processor."""
    for number in (0, 1):
        device = root / f"sys/bus/event_source/devices/uncore_imc_{number}"
        (device / "events").mkdir(parents=True)
        (device / "type").write_text(f"{20 + number}\n")
        (device / "cpumask").write_text("0,28\n")
        for name, umask in (("read", "0x03"), ("write", "0x0c")):
            (device / f"events/cas_count_{name}").write_text(f"event=0x04,umask={umask}\n")
            (device / f"events/cas_count_{name}.scale").write_text("6.103515625e-5\n")
            (device / f"events/cas_count_{name}.unit").write_text("MiB\n")
    for name, count in counts.items():
        (root / name).write_bytes(count.to_bytes(8, "little"))


def test_counters_are_summed_over_controllers_and_sockets(ask: Callable[[Path], list[str]], tmp_path: Path) -> None:
    """Lines of 64 bytes; 0x304 is the event of reads, 0xc04 that of writes."""
    reads = {f"{kind}-{0x304}-{cpu}": count for (kind, cpu), count in zip(WHERE, (10, 20, 30, 40), strict=True)}
    writes = {f"{kind}-{0xC04}-{cpu}": count for (kind, cpu), count in zip(WHERE, (1, 2, 3, 4), strict=True)}
    controllers(tmp_path, reads | writes)
    why, read, written = ask(tmp_path)
    assert (why, float(read), float(written)) == ("", 6400.0, 640.0)


WHERE = ((20, 0), (20, 28), (21, 0), (21, 28))


def test_counters_that_cannot_be_opened_or_are_not_there_say_so(
    ask: Callable[[Path], list[str]], tmp_path: Path
) -> None:
    assert ask(tmp_path)[0] == "the kernel shows no counters of the memory controllers"
    controllers(tmp_path, {})
    assert ask(tmp_path)[0].startswith("the memory controllers' counters cannot be read: No such file")


# --- the report -------------------------------------------------------------------------------------------------------


def made() -> Section:
    def of(stores: str, writes: int, pause: int, *found: float) -> list[dict[str, Any]]:
        case = {"stores": stores, "writes": writes, "pause": pause, "streams": 0}
        units = zip(load_latency.WHOSE, ("B/s", "s", "B/s", "1"), found, strict=True)
        return [figure(name, value, unit, **case) for name, unit, value in units]

    figures = [
        *of("allocate", 0, 0, 30e9, 300e-9, 29e9, 0.0),
        *of("allocate", 0, 100000, 1e9, 100e-9, 0.5e9, 0.0),
        *of("allocate", 0, 100, 10e9, 120e-9, 9e9, 0.0),
        *of("nontemporal", 100, 0, 20e9, 250e-9, 19e9, 0.95),
        *of("nontemporal", 100, 100, 8e9, 130e-9, 7e9, 0.9),
        *of("nontemporal", 100, 100000, 1e9, 100e-9, 0.5e9, 0.5),
    ]
    return section("loaded-latency", figures, title=RECORD.title, notes=["bytes moved: by the model; none"])


def test_each_share_of_writes_is_a_curve_by_rising_bandwidth() -> None:
    (plot,) = load_latency.plots(made())
    assert [trace["name"] for trace in plot["data"]] == ["loads only", "100% stores, non-temporal"]
    assert plot["data"][0]["x"] == [1e9, 10e9, 30e9] and plot["data"][0]["y"] == [100e-9, 120e-9, 300e-9]
    assert plot["data"][1]["text"][-1] == "STREAM counts 19 GB/s; 95% of the bytes moved are written"
    assert {"ns", "GB/s"} <= {
        text.split()[1] for kinds in plot["ticks"].values() for text in kinds["linear"][1] if " " in text
    }
    assert load_latency.plots(section("levels", [])) == []


def test_points_that_are_no_estimates_say_so() -> None:
    """The least load's of the one curve were bound, and fall with load; of the other one figure was disturbed."""
    states = {(0, 100000): "bound", (100, 100000): "disturbed", (100, 0): "bound"}
    figures = []
    for each in made().figures:
        case = (int(each.params["writes"]), int(each.params["pause"]))
        if case == (100, 0) and each.name != "latency":
            figures.append(each)
        elif state := states.get(case):
            figures.append(replace(each, state=state, statistic="best" if state == "bound" else "median"))
        else:
            figures.append(each)
    marked = replace(made(), figures=figures)
    (table,) = load_latency.tables(marked)
    assert table.headings[-1] == "state" and table.rows[0] == (
        *("loads only", "100 ns", "300 ns", "30 GB/s", "29 GB/s", "0%"),
        "best readings, clean",
    )
    assert table.rows[1][-1] == "disturbed, best readings"
    assert "best readings are of different moments" in table.note
    (plot,) = load_latency.plots(marked)
    assert plot["data"][0]["marker"]["symbol"] == ["circle-open", "circle", "circle"]
    assert plot["data"][0]["text"][0].endswith("; best readings") and "best" not in plot["data"][0]["text"][1]
    assert plot["data"][1]["text"][0].endswith("; disturbed")
    assert "state" not in load_latency.tables(made())[0].headings  # all are clean


def test_its_first_figures_are_called_as_in_its_table() -> None:
    of = [each for each in made().figures if each.name == "latency"]
    assert first_titles.titles(made(), of, of)[:4] == [
        f"{RECORD.title}, latency: {words}"
        for words in (
            "loads only, pause 0",
            "loads only, pause 100000",
            "loads only, pause 100",
            "100% stores, non-temporal, pause 0",
        )
    ]


def test_the_page_draws_it_and_the_tables_show_the_curves_ends() -> None:
    _, drawn = page_parts.parts(document(made()))
    assert [plot["layout"]["title"]["text"] for plot in drawn.plots.values()] == [
        "latency under load, by share of writes"
    ]
    (table,) = load_latency.tables(made())
    assert table.rows[0] == ("loads only", "100 ns", "300 ns", "30 GB/s", "29 GB/s", "0%")
    assert table.rows[1] == ("100% stores, non-temporal", "100 ns", "250 ns", "20 GB/s", "19 GB/s", "95%")
    assert "by the model; none" in table.note
    text = io.StringIO()
    terminal.show(document(made()), Console(file=text, width=80))
    assert "the ends of its curves" in text.getvalue() and "29 GB/s" in text.getvalue()
    assert "| loads only | 100 ns | 300 ns | 30 GB/s | 29 GB/s | 0% |" in as_markdown(document(made()))
