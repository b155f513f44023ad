"""`compute(Work{kernel, amount})` of a rank program is charged what a node program takes: one table, two languages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.benchmark.record import benchmarks, take_in
from assay.described.kernels import KERNELS
from assay.described.machine_file import DescribedMachine, load
from assay.described.node_model import DEVICE_KEYS, NodeKernel, levels, node_kernel
from assay.described.shipped import open_described, shipped
from assay.execute.unused_keys import node_kernels
from command_line import assay
from compiled import own_cache

PROGRAM = """
#pragma once
#include "ranks/sampling.hpp"
namespace assay::ranks {
struct Charged {
  static constexpr std::string_view record = R"record(
name = "charged"
title = "Charged"
part = "messages"
kind = "ranks"
least_ranks = 1
computes = [COMPUTES]
summary = "s"
cost = "c"
check = "k"
source = "s"
[parameter.kernel]
type = "choice"
default = "dot"
choices = [COMPUTES]
sweep = true
[parameter.memory]
type = "real"
default = [0]
min = 0
max = 1e12
unit = "B"
sweep = true
[parameter.other]
type = "choice"
default = "like"
choices = ["like", COMPUTES]
help = "the kernel of the ranks but for the first"
[parameter.times]
type = "real"
default = 1
min = 0
max = 1e12
unit = "1"
help = "how many times the first rank's work theirs is"
[metric.time]
unit = "s"
[figure.time]
metric = "time"
unit = "s"
)record";
  template <Communicator C>
  static Task run(C& comm, Session& session) {
    Charged kernel;
    co_await sample(comm, session, kernel);
  }
  struct Case {
    std::string kernel;
    double memory;
    std::string other;
    double times;
  };
  static constexpr std::string_view metric = "time";
  std::string_view cache(const Case&) const { return "none"; }
  Case at(const timing::CaseSettings& each) const {
    return {each.at("kernel").text, each.at("memory").real, each.at("other").text, each.at("times").real};
  }
  template <Communicator C>
  timing::Json label(C&, const Case& at) const {
    auto made = timing::Json().text("kernel", at.kernel).number("memory", at.memory);
    return made.text("other", at.other).number("times", at.times);
  }
  template <Communicator C>
  Task operate(C& comm, const Case& at, Run run, std::int64_t* ticks) {
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      co_await barrier(comm);
      const auto start = comm.now();
      for (std::int64_t i = 0; i < run.batch; ++i)
        co_await comm.compute(
            Work{comm.rank() == 0 || at.other == "like" ? at.kernel : at.other,
                 comm.rank() == 0 ? 1e6 : 1e6 * at.times, at.memory > 0 ? at.memory : Work::any},
            [] {});
      if (ticks) ticks[reading] = std::max<std::int64_t>(1, comm.now() - start);
    }
  }
  template <Communicator C>
  Task verify(C&, const Case&, Verdict& verdict) {
    verdict = {true, ""};
    co_return;
  }
};
using Program = Charged;
}  // namespace assay::ranks
"""


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = own_cache(tmp_path_factory.mktemp("charged") / "cache")
    names = ", ".join(f'"{name}"' for name in KERNELS)
    (folder / "charged.hpp").write_text(PROGRAM.replace("COMPUTES", names))
    return folder


@pytest.fixture
def program(here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(here))
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    take_in(here / "charged.hpp")


def charged(machine: str, kernels: list[str], ranks: int = 1, memory: str = "0") -> dict[str, float]:
    """Seconds that a million units take each of so many ranks of one node."""
    words = ("--on", machine, "-n", str(ranks), *(("--ppn", str(ranks)) if ranks > 1 else ()))
    sets = ("--set", f"kernel={','.join(kernels)}", "--set", f"memory={memory}", "--set", "repetitions=1")
    made = assay("run", "charged", *words, *sets, "--json")
    assert made.status == 0, made.err
    return {f["params"]["kernel"]: f["value"] for f in made.document["figures"] if f["statistic"] == "median"}


def described(machine: DescribedMachine, memory: float | None = None) -> dict[str, NodeKernel]:
    found = {name: node_kernel(machine, name, memory) for name in KERNELS}
    return {name: kernel for name, kernel in found.items() if isinstance(kernel, NodeKernel)}


@pytest.mark.usefixtures("program")
@pytest.mark.parametrize("name", [name for name in sorted(shipped()) if described(open_described(name))])
def test_a_rank_is_charged_what_a_node_program_takes(name: str) -> None:
    """Every kernel of every shipped description, out of memory and out of each cache, to the picosecond."""
    machine = open_described(name)
    for memory in (None, 1000.0, 100_000.0):
        kernels = described(machine, memory)
        seen = charged(name, list(kernels), memory=f"{memory or 0:g}") if kernels else {}
        assert seen == {k: pytest.approx(1e6 / of.rate(), abs=1.1e-12, rel=1e-11) for k, of in kernels.items()}


@pytest.mark.usefixtures("program")
@pytest.mark.parametrize(("name", "ranks"), [("paragon-mp:threads", 2), ("ibm-netfinity-cluster", 2), ("four.toml", 4)])
def test_ranks_of_a_node_wait_for_its_bus_as_threads_do(name: str, ranks: int) -> None:
    """So many ranks at once take as long as so many threads of a node program: the analysis in C++ and in Python."""
    if name == "four.toml":
        Path(name).write_text(FOUR)
    machine = load(Path(name)) if name == "four.toml" else open_described(name)
    kernels = described(machine)
    seen = charged(name, list(kernels), ranks)
    assert seen == {k: pytest.approx(ranks * 1e6 / of.rate(ranks), rel=1e-9) for k, of in kernels.items()}


def beside_each_other(kernels: tuple[NodeKernel, NodeKernel]) -> list[float]:
    """Units per second of two kernels of which one processor each has a unit after the other: a Markov chain.

    A processor is at its own work or at the bus, which serves both at half of its rate where both are there.
    """
    at_bus = [(False, False), (True, False), (False, True), (True, True)]
    rates = np.zeros((4, 4))
    for start, state in enumerate(at_bus):
        for which, kernel in enumerate(kernels):
            after = tuple(not each if place == which else each for place, each in enumerate(state))
            rates[start, at_bus.index(after)] = 1 / (kernel.bus * sum(state)) if state[which] else 1 / kernel.own
    flow = (rates - np.diag(rates.sum(axis=1))).T
    share = np.linalg.lstsq(np.vstack([flow / flow.max(), np.ones(4)]), np.array([0, 0, 0, 0, 1.0]), rcond=None)[0]
    return [
        sum(share[at] / (kernel.bus * sum(state)) for at, state in enumerate(at_bus) if state[which])
        for which, kernel in enumerate(kernels)
    ]


@pytest.mark.usefixtures("program")
@pytest.mark.parametrize("times", [0.01, 100.0])
@pytest.mark.parametrize(("kernel", "other"), [("dot", "jacobi"), ("jacobi", "axpy"), ("axpy", "dot")])
def test_two_kernels_on_one_bus_go_as_a_markov_chain_has_it(kernel: str, other: str, times: float) -> None:
    """Until the shorter work is done both wait for the bus; the rest of the longer one goes alone."""
    Path("four.toml").write_text(FOUR)
    of = described(load(Path("four.toml")))
    amounts = (1e6, 1e6 * times)
    both = beside_each_other((of[kernel], of[other]))
    first = min(amount / rate for amount, rate in zip(amounts, both, strict=True))
    whole = first + (amounts[0] - first * both[0]) / of[kernel].rate()  # the first rank's
    sets = [word for text in (f"kernel={kernel}", f"other={other}", f"times={times}", "repetitions=1")
            for word in ("--set", text)]  # fmt: skip
    made = assay("run", "charged", "--on", "four.toml", "-n", "2", "--ppn", "2", *sets, "--json")
    (seen,) = (f["value"] for f in made.document["figures"] if f["statistic"] == "median")
    assert seen == pytest.approx(whole, rel=1e-9)
    assert seen > amounts[0] / of[kernel].rate()  # it does wait for the other


FOUR = """name = "four"
[network]
topology = "ring"
nodes = 2
cycle = "1 ns"
[[protocol]]
startup = "1 us"
[[self]]
startup = "1 us"
[node]
processors = 4
bus = "100 MB/s"
[compute.rate]
dot = "9 Mflop/s"
jacobi = "20 Mflop/s"
axpy = "4 Mflop/s"
[compute.cached]
dot = "30 Mflop/s"
"""


def test_every_kernel_of_a_record_is_in_the_table() -> None:
    named = {name for record in benchmarks().values() for name in (*record.computes, *node_kernels(record))}
    assert named <= set(KERNELS)
    assert {like for kind in KERNELS.values() for like in kind.like} <= set(KERNELS)


def test_the_table_has_the_bytes_that_records_count() -> None:
    """A record's own counts of flops and bytes, written for a real machine's roof, and what a description charges."""
    counts = benchmarks()["vectors"].choice_constants["kernel"]
    described = benchmarks()["vectors"].described
    assert described is not None
    for name, of in counts.items():
        kind = KERNELS[described.named.get(name, name)]
        assert kind.traffic == pytest.approx(float(of["bytes"]) / float(of["flops"]))
        assert kind.written == float(of["stored"]) / float(of["flops"])
    for record in (benchmarks()[name] for name in ("hitc", "jacobi", "inner-product")):
        roof, (kernel,) = record.roof, node_kernels(record)
        assert roof is not None
        assert KERNELS[kernel].traffic == float(roof.bytes or 0) / float(roof.flops or 0)


def test_levels_come_in_the_order_of_their_size() -> None:
    for name in shipped():
        for kernel in KERNELS:
            found = levels(open_described(name), kernel)
            sizes = [] if isinstance(found, str) else [each.up_to or float("inf") for each in found]
            assert sizes == sorted(sizes) and len(set(sizes)) == len(sizes)


DEVICE = """
[device]
count = 2
memory = "2 TB/s"
link = "50 GB/s"
launch = "10 us"
[device.peak]
float64 = "30 Tflop/s"
float32 = "60 Tflop/s"
"""
TAKES = {  # seconds of a million units on one device
    "device_memory": 5e-7,
    "device_link": 2e-5,
    "device_launch": 10.0,
    "device_float64": 1e6 / 30e12,
    "device_float32": 1e6 / 60e12,
}


@pytest.mark.usefixtures("program")
@pytest.mark.parametrize(("ranks", "waits"), [(1, 1.0), (2, 1.0), (4, 2.0)])
def test_ranks_of_a_node_share_its_devices(ranks: int, waits: float) -> None:
    """Two devices: a rank, or each of two, has one; four ranks share them."""
    Path("four.toml").write_text(FOUR + DEVICE)
    seen = charged("four.toml", list(TAKES), ranks)
    assert seen == {kernel: pytest.approx(waits * takes, rel=1e-6, abs=1.1e-12) for kernel, takes in TAKES.items()}


@pytest.mark.usefixtures("program")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "[device] has no peak.float16"),
        ('float16 = "1 Tflop/s"\nfloat8 = "9 Tflop/s"\n', "float8"),
        (
            'float16 = "1 Tflop/s"\n[compute.time]\ndevice_link = "1 ns"\n',
            "has no effect with the rate of device_link",
        ),
    ],
)
def test_what_a_device_does_not_say_is_refused(text: str, words: str) -> None:
    Path("four.toml").write_text(FOUR + DEVICE + text)
    made = assay("run", "charged", "--on", "four.toml", "-n", "1", "--set", "kernel=device_float16", "--json")
    assert made.status == 2 and words in made.err


@pytest.mark.usefixtures("program")
@pytest.mark.parametrize("kernel", sorted(DEVICE_KEYS))
def test_a_missing_key_of_a_device_is_named_with_its_table(kernel: str) -> None:
    Path("four.toml").write_text(FOUR)
    made = assay("run", "charged", "--on", "four.toml", "-n", "1", "--set", f"kernel={kernel}", "--json")
    assert made.status == 2
    assert f"[device] has no {DEVICE_KEYS[kernel].removeprefix('device.')}" in made.err and "[compute]" not in made.err
