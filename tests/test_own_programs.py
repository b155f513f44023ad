"""A person's own program: its mistakes are one line each, when it is built or, at the latest, when it runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay.benchmark import own
from assay.benchmark.record import read_own, take_in
from assay.errors import InputError, MeasurementError
from assay.execute.build import build, build_for_simulator
from assay.execute.mpi import Mpi, find_mpi
from by_night import first_by_day
from command_line import assay
from compiled import own_cache
from mpis_here import MPI, WHEEL

ROOT = Path(__file__).parent.parent
CONSTANT = str(ROOT / "examples" / "constant.toml")

# What goes wrong is chosen by a parameter: one compilation serves all that only shows when the program runs.
FAULTY = """
#pragma once
#include "ranks/sampling.hpp"
namespace assay::ranks {
struct Faulty {
  static constexpr std::string_view record = R"record(
name = "NAME"
title = "Faulty"
part = "messages"
kind = "ranks"
least_ranks = 2
computes = ["jacobi"]
summary = "s"
cost = "c"
check = "k"
source = "s"
[parameter.fault]
type = "choice"
default = "none"
choices = ["none", "silent", "rank", "tag", "sendrecv tag", "from", "wrong", "wrong and stuck", "metric", "work"]
[parameter.bytes]
type = "integer"
default = [8, 24]
described = [8, 24, 40]
sweep = true
[metric.time]
unit = "s"
[figure.time]
metric = "time"
unit = "s"
)record";
  template <Communicator C>
  static Task run(C& comm, Session& session) {
    Faulty kernel;
    kernel.fault_ = session.cases().front().at("fault").text;
    if (kernel.fault_ == "metric") kernel.beside_.push_back({"unheard", {}});
    co_await sample(comm, session, kernel);
  }
  using Case = std::size_t;
  static constexpr std::string_view metric = "time";
  std::string_view cache(Case) const { return "none"; }
  Case at(const timing::CaseSettings& each) const { return static_cast<std::size_t>(each.at("bytes").integer); }
  std::vector<Series>& beside() { return beside_; }
  template <Communicator C>
  timing::Json label(C&, Case bytes) const {
    return timing::Json().integer("bytes", static_cast<std::int64_t>(bytes));
  }
  template <Communicator C>
  Task operate(C& comm, const Case& bytes, Run run, std::int64_t* ticks) {
    std::byte room[64] = {};
    for (std::int64_t reading = 0; reading < run.readings; ++reading) {
      const auto start = comm.now();
      for (std::int64_t i = 0; i < run.batch; ++i) {
        if (comm.described() != comm.is_simulated()) co_return;  // the former name is kept
        if (comm.rank() == 0 && fault_ == "rank") co_await comm.send(room, 8, comm.size(), 1);
        if (comm.rank() == 0 && fault_ == "tag") co_await comm.send(room, 8, 1, 40000);
        if (comm.rank() == 0 && fault_ == "sendrecv tag") co_await comm.sendrecv(room, 8, 1, room, 8, 1, -2);
        if (comm.rank() == 0 && fault_ == "from") co_await comm.recv(room, 8, -5, 1);
        if (comm.rank() == 0 && fault_ == "work") co_await comm.compute(Work{"jacobi", 3e6}, [] {});
        if (comm.rank() == 0) co_await comm.send(room, bytes, 1, 1);
        if (comm.rank() == 1) co_await comm.recv(room, sizeof room, 0, 1);
      }
      if (ticks) ticks[reading] = std::max<std::int64_t>(1, comm.now() - start);
    }
  }
  template <Communicator C>
  Task verify(C& comm, const Case& bytes, Verdict& verdict) {
    std::byte room[8];
    if (fault_ == "silent") co_return;
    verdict = {!fault_.starts_with("wrong"), "five bytes wrong"};
    if (bytes == 40 && fault_ == "wrong and stuck" && comm.rank() == 0) co_await comm.recv(room, 8, 1, 7);
  }
 private:
  std::string fault_;
  std::vector<Series> beside_;
};
using Program = Faulty;
}  // namespace assay::ranks
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return own_cache(tmp_path_factory.mktemp("own") / "cache")


@pytest.fixture
def folder(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_CACHE", str(cache))
    monkeypatch.chdir(tmp_path)
    (cache / "own.json").unlink(missing_ok=True)
    return tmp_path


def written(folder: Path, name: str, *changes: tuple[str, str]) -> Path:
    text = FAULTY.replace("NAME", name)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path = folder / f"{name}.hpp"
    path.write_text(text)
    return path


def played(cache: Path, fault: str) -> str:
    """What the terminal says of a run with this fault, on a described machine; it does not end well."""
    path = cache / "faulty.hpp"
    if not path.exists():
        written(cache, "faulty")
    take_in(path)
    made = assay("run", "faulty", "--on", CONSTANT, "-n", "2", "--set", f"fault={fault}")
    assert made.status != 0 and "Traceback" not in made.err and "deadlock" not in made.err.split("check failed")[0]
    assert len(made.err.strip().splitlines()) == 1
    return made.err


def test_a_program_without_fault_runs(folder: Path, cache: Path) -> None:
    take_in(written(cache, "faulty"))
    made = assay("run", "faulty", "--on", CONSTANT, "-n", "2", "--json")
    assert made.status == 0 and {f["params"]["bytes"] for f in made.document["figures"]} == {8, 24, 40}


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("silent", "check failed for bytes .*verify.. set neither"),
        ("rank", r"rank 0 sends to rank 2; expected 0 to 1$"),
        ("tag", r"rank 0 sends with tag 40000; expected 0 to 29999$"),
        ("sendrecv tag", r"rank 0 receives with tag -2; expected 0 to 29999$"),
        ("from", r"rank 0 receives from rank -5; expected 0 to 1, or any_source$"),
        ("wrong", r"faulty: check failed for bytes \d+: five bytes wrong \(and 2 more\)$"),
        ("metric", "metric 'unheard', which its record does not name; expected time$"),
    ],
)
def test_what_goes_wrong_in_it_is_said_in_a_line(folder: Path, cache: Path, fault: str, said: str) -> None:
    assert re.search(said, played(cache, fault).strip())


@pytest.mark.mpi
def test_a_failed_check_is_the_whole_reason_of_exit_status_1(folder: Path, cache: Path) -> None:
    """On MPI the program ends by status 1 for its checks alone: no other failure is said beside them."""
    take_in(written(folder, "faulty") if not (cache / "faulty.hpp").exists() else cache / "faulty.hpp")
    made = assay("run", "faulty", "-n", "2", "--set", "fault=wrong", "--launches", "1", "--out", str(folder / "run"))
    assert made.status == 1
    (said,) = [line for line in made.err.splitlines() if "check failed" in line]
    assert re.fullmatch(r"faulty: check failed for bytes \d+: five bytes wrong \(and \d more\)", said)


def test_failed_checks_lead_what_is_said_of_a_deadlock(folder: Path, cache: Path) -> None:
    said = played(cache, "wrong and stuck")
    assert re.search(r"check failed for bytes \d+: five bytes wrong.*then deadlock.*rank 0 in recv from rank 1", said)


def test_as_jobs_beside_others_each_fault_is_of_its_job_alone(folder: Path, cache: Path) -> None:
    """One that never goes on is ended at its limit, and its ranks are named; the others' results stay."""
    if not (cache / "faulty.hpp").exists():
        written(cache, "faulty")
    take_in(cache / "faulty.hpp")
    faults = {"stuck": "wrong and stuck", "wrong": "wrong", "broken": "tag", "good": "none"}
    table = [
        f'[{name}]\nprocessors = 2\ntime = "1 s"\nprogram = "faulty"\nset = ["fault={fault}", "repetitions=3"]\n'
        for name, fault in faults.items()
    ]
    (folder / "jobs.toml").write_text("".join(table))
    (folder / "mix").write_text("".join(f"0: 1 * {name}\n" for name in faults))
    words = ("throughput", "mix", "--jobs", "jobs.toml", "--on", CONSTANT)
    answer = assay(*words)
    assert answer.status == 1 and "stuck.1: deadlock: rank 0 in recv from rank 1 (tag 7)" in answer.out
    found = {job["name"]: job for job in assay(*words, "--json").document["jobs"]}
    states = {"stuck.1": "deadlock", "wrong.1": "wrong answer", "broken.1": "failed", "good.1": "completed"}
    assert {name: job["state"] for name, job in found.items()} == states
    assert {name: job["answer"] for name, job in found.items() if job["answer"] is not None} == {
        "wrong.1": False,
        "good.1": True,
    }
    assert found["stuck.1"]["ended"] == pytest.approx(1.0) and found["broken.1"]["ended"] < found["good.1"]["ended"]


def test_its_defaults_are_not_replaced_by_a_machine_s(folder: Path, cache: Path) -> None:
    take_in(written(cache, "faulty"))
    made = assay("run", "faulty", "--on", "ipsc860", "-n", "2", "--json")
    assert {f["params"]["bytes"] for f in made.document["figures"]} == {8, 24, 40}
    shipped = assay("run", "echo", "--on", "ipsc860", "-n", "2", "--json")
    assert {f["params"]["bytes"] for f in shipped.document["figures"]} >= {8, 8192}
    assert max(f["params"]["bytes"] for f in shipped.document["figures"]) == 8192


def test_its_work_is_charged_by_the_machine_s_own_rate_or_is_not_described(folder: Path, cache: Path) -> None:
    take_in(written(cache, "faulty"))
    words = ("--on", CONSTANT, "-n", "2", "--set", "fault=work", "--set", "bytes=8", "--json")
    made = assay("run", "faulty", *words, "--set", "machine.compute.rate.jacobi=2 Mflop/s")
    (value,) = (f["value"] for f in made.document["figures"] if f["statistic"] == "median")
    assert value == pytest.approx(1.5 + 70e-6 + 8 * 0.4e-6)
    timed = assay("run", "faulty", *words, "--set", "machine.compute.time.jacobi=2 us")
    (value,) = (f["value"] for f in timed.document["figures"] if f["statistic"] == "median")
    assert value == pytest.approx(6 + 70e-6 + 8 * 0.4e-6)
    silent = assay("run", "faulty", *words)
    assert silent.status == 2 and silent.document["figures"] == []
    (left_out,) = silent.document["left_out"]
    assert left_out["reason"] == "not described by constant: [compute] has neither rate.jacobi nor time.jacobi"


FORGOTTEN = ("if (comm.rank() == 1) co_await comm.recv(", "if (comm.rank() == 1) comm.recv(")


def test_a_forgotten_co_await_does_not_compile_for_described_machines(folder: Path) -> None:
    with pytest.raises(MeasurementError, match=r"forgetful.hpp:\d+:\d+: error: .*; co_await is missing") as caught:
        build_for_simulator(take_in(written(folder, "forgetful", FORGOTTEN)))
    assert "\n" not in str(caught.value)


def test_what_does_not_compile_is_not_taken_in(folder: Path) -> None:
    file = written(folder, "unawaited", FORGOTTEN)
    answer = assay("build", str(file))
    assert answer.status == 2 and "does not compile" in answer.err
    assert str(file) not in assay("build", "--list").out


@pytest.mark.mpi
def test_a_forgotten_co_await_does_not_compile_for_mpi(folder: Path) -> None:
    with pytest.raises(MeasurementError, match=r"forgetful.hpp:\d+:\d+: error: .*; co_await is missing") as caught:
        build([take_in(written(folder, "forgetful", FORGOTTEN))], mpi=find_mpi())
    assert "\n" not in str(caught.value)


def test_a_kernel_s_metric_is_one_of_its_record(folder: Path) -> None:
    other = written(folder, "misnamed", ('metric = "time";', 'metric = "duration";'))
    with pytest.raises(MeasurementError, match=r"the kernel's metric is no \[metric.NAME\] of its record"):
        build_for_simulator(take_in(other))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("least_ranks = 2", 'least_ranks = "two"'), r":11: least_ranks: is no number of ranks; got 'two'.*from 1"),
        (("least_ranks = 2", 'unmoved = ["time"]'), r":11: unmoved: is now called noise_immune"),
        (
            ("least_ranks = 2", 'traces = "yes"'),
            r":11: traces: is not true or false; got 'yes', expected true or false",
        ),
        (("least_ranks = 2", "slice_quick = 0"), r":11: slice_quick: is not a number above 0; got 0"),
        (("least_ranks = 2", 'needs = ["bus"]'), r":11: needs: is none of them; got ..bus...*self, host, progress"),
        (("least_ranks = 2", "leest_ranks = 2"), r":11: leest_ranks: no such key \(did you mean least_ranks\?\)"),
        (('name = "probe"', 'name = "my probe"'), r":7: name: is no name for a program; got 'my probe'"),
        (('check = "k"\n', ""), r":6: check: must be a text"),
        (("default = [8, 24]", 'default = "eight"'), r":23: parameter.bytes.default: is no integer.*'eight'"),
        (("default = [8, 24]", "default = [8, 2.5]"), r":23: parameter.bytes.default: is no integer.*2.5"),
        (
            ("described = [8, 24, 40]", "described = true"),
            r":24: parameter.bytes.described: is not a number, or a text; got True",
        ),
        (("sweep = true", "max = 20\nsweep = true"), r":23: parameter.bytes.default: is out of the.*24.*to 20"),
        (("sweep = true\n", ""), r":23: parameter.bytes.default: is a list.*sweep = true"),
        (('default = "none"', 'default = "no"'), r":19: parameter.fault.default: is none of the choices.*'no'"),
        (('type = "integer"', 'type = "whole"'), r":22: parameter.bytes.type: is no type; got 'whole'.*integer"),
        (
            ('[metric.time]\nunit = "s"', '[metric.time]\nunit = "seconds"'),
            r":27: metric.time.unit: no such unit.*'sec",
        ),
        (('[metric.time]\nunit = "s"', '[metric.time]\nunit = "us"'), r":27: metric.time.unit: is no base unit.*'us'"),
        (('metric = "time"\nunit', 'metric = "tame"\nunit'), r":29: figure.time.metric: the record names no such metr"),
        (('metric = "time"\nunit', 'metric = "time"\nformula = "size / value"\nunit'), r":30: figure.*names size"),
        (
            ('metric = "time"\nunit', 'metric = "time"\nformula = "2 *"\nunit'),
            r":30: figure.time.formula: is no formula",
        ),
        (('metric = "time"\nunit = "s"', 'metric = "time"\nunit = "parsec"'), r":30: figure.time.unit: no such unit"),
        (
            (")record", '[headline.x]\nfigure = "tome"\n)record'),
            r":32: headline.x.figure: the record names no such figur",
        ),
    ],
)
def test_a_mistake_in_the_record_is_one_line_when_it_is_built(folder: Path, change: tuple[str, str], said: str) -> None:
    path = written(folder, "probe", change)
    made = assay("build", str(path))
    assert made.status == 2 and len(made.err.strip().splitlines()) == 1
    assert re.search("probe.hpp" + said, made.err)


def test_a_mistake_made_after_it_was_built_is_said_when_it_runs_and_harms_no_other(folder: Path) -> None:
    path = written(folder, "probe")
    take_in(path)
    written(folder, "probe", ("least_ranks = 2", 'least_ranks = "two"'))
    made = assay("run", "probe", "--on", CONSTANT)
    assert made.status == 2 and "least_ranks" in made.err
    assert assay("run", "echo", "--on", CONSTANT, "--set", "bytes=8").status == 0


def test_own_programs_are_listed_and_removed(folder: Path) -> None:
    assert "no programs of your own" in assay("build", "--list").out
    one, other = written(folder, "one"), written(folder, "other")
    take_in(one), take_in(other)
    other.write_text(other.read_text().replace('unit = "s"', 'unit = "parsec"', 1))
    listed = assay("build", "--list", "--json").document["programs"]
    assert [(each["name"], each["path"]) for each in listed] == [("one", str(one)), ("other", str(other))]
    assert listed[0]["problem"] is None and "parsec" in listed[1]["problem"]
    shown = assay("build", "--list").out.splitlines()
    assert len(shown) == 2 and "unusable" in shown[1]
    assert assay("build", "--remove", "other").status == 0 and other.exists()
    assert own.listed() == [one]
    one.unlink()
    assert "no such file" in assay("build", "--list").out
    assert assay("build", "--remove", str(one)).status == 0 and own.listed() == []
    wrong = assay("build", "--remove", "one")
    assert wrong.status == 2 and "no program of your own" in wrong.err
    with pytest.raises(InputError, match="no such file"):
        take_in(one)
    with pytest.raises(InputError, match="parsec"):
        read_own(other)


@pytest.mark.mpi
@pytest.mark.parametrize(
    "mpi",
    first_by_day({each.mpicxx: each for each in (MPI, WHEEL) if each}.values()),
    ids=lambda mpi: mpi.implementation,
)
def test_a_deadlock_on_real_ranks_costs_the_timeout_and_is_said(mpi: Mpi, folder: Path, cache: Path) -> None:
    """The program says shortly before which ranks wait for whom; where it is too late for that, that time was up."""
    if not (cache / "faulty.hpp").exists():
        written(cache, "faulty")
    take_in(cache / "faulty.hpp")
    words = ("--set", "bytes=40", "--set", "fault=wrong and stuck", "--launches", "1", "--timeout", "3s")
    made = assay("run", "faulty", "-n", "2", "--mpi", mpi.mpicxx, *words, "--out", str(folder / "run"))
    assert made.status == 1
    stuck = r"not done after 2\.4 s: rank 0 was in receive from rank 1, tag 7|timed out after 3 s and was ended"
    assert re.search(stuck, made.err), made.err
    warnings = assay("report", str(folder / "run"), "--json").document["warnings"]
    assert any(re.search(stuck, each) for each in warnings), warnings
