"""Where an application's time goes: against the simulator's own log, closed forms, and the same program over MPI."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from application_runs import constant_with, events
from assay.benchmark.record import benchmark
from assay.execute.build import build
from assay.report.sections.time_accounts import made
from assay.samples import Circumstance
from assay.stored.account import account_line
from command_line import assay
from mpis_here import MPI, start_ranks
from started import words

ROOT = Path(__file__).resolve().parent.parent
KERNELS = ("ep", "fft", "mg", "cg", "is")
EP_FLOPS = 2.0**25 * 26.68e9 / 536870912  # of class S, by the specification's count
MESSAGES = ("send", "isend", "sendrecv")
ABOUT = Circumstance("run", "nas", "applications", "here", 0, 0, 1, "")


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return constant_with(tmp_path_factory.mktemp("machine"), *KERNELS)


def chosen(kernel: str) -> list[str]:
    return words("nas", "--set", f"kernel={kernel}", "--set", "class=S")


def logged(machine: dict[str, Any], kernel: str, ranks: int) -> tuple[dict[str, Any], float, Any]:
    """The account, the time of the run, and the simulator's log."""
    from assay._core import ranks as core

    launch, log = core.logged("nas", machine, ranks, [*chosen(kernel), "--unchecked"])
    (account,), (block,) = events(launch.lines, "account"), events(launch.lines, "block")
    return account, block["values"][0], log


@settings(deadline=None, max_examples=12)
@given(st.sampled_from(["ep", "ft", "mg", "cg", "is"]), st.sampled_from([1, 2, 4, 8, 16]))
def test_the_account_is_that_of_the_simulators_log(machine: dict[str, Any], kernel: str, ranks: int) -> None:
    """Time in calls, messages and bytes of the run; a rank's time is computing, calls, and idling at the end."""
    account, time, log = logged(machine, kernel, ranks)
    assert account["time"] == pytest.approx(time, rel=1e-12)
    spans = log["spans"]
    in_calls = [0.0] * ranks
    for rank, doing, begin, end in zip(*(spans[key] for key in ("rank", "doing", "from", "to")), strict=True):
        if end <= time * (1 + 1e-12) and doing not in ("compute", "barrier"):
            in_calls[rank] += end - begin
    assert account["communicating"] == pytest.approx(in_calls, rel=1e-9, abs=1e-12)
    sent = log["sent"]
    within = [size for size, called in zip(sent["bytes"], sent["called"], strict=True) if called < time]
    calls = [account["calls"].get(name, [0, 0, 0]) for name in MESSAGES]
    assert [sum(each[1] for each in calls), sum(each[2] for each in calls)] == [len(within), sum(within)]
    by_length: dict[int, list[float]] = {}
    for size in within:
        of = by_length.setdefault(0 if size == 0 else 2 ** (size.bit_length() - 1), [0, 0])
        of[0] += 1
        of[1] += size
    assert {row[0]: row[1:] for row in account["lengths"]} == by_length
    for rank in range(ranks):
        assert account["computing"][rank] + account["communicating"][rank] == pytest.approx(account["ended"][rank])
    assert max(account["ended"]) == account["time"]
    assert account["user"] == account["system"] == account["memory"] == account["messages"] == []


def test_the_imbalance_of_ep_is_that_of_its_blocks(machine: dict[str, Any]) -> None:
    """256 blocks among 3 ranks: the last two have one more (86 of 85 1/3), and rank 0 waits for them."""
    account, _, _ = logged(machine, "ep", 3)
    seconds, calls, amount = account["kernels"]["ep"]
    assert amount == pytest.approx(EP_FLOPS) and seconds == pytest.approx(EP_FLOPS * 1e-9, rel=1e-9) and calls == 3
    mean = sum(account["computing"]) / 3
    assert max(account["computing"]) / mean - 1 == pytest.approx(86 / (256 / 3) - 1, rel=1e-6)
    waits = {(rank, sender): spent for rank, sender, spent in account["waits"]}
    block = EP_FLOPS * 1e-9 / 256
    assert sum(spent for (rank, _), spent in waits.items() if rank == 0) == pytest.approx(block, abs=1e-3)
    assert waits == dict(sorted(waits.items(), key=lambda item: -item[1]))


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_over_mpi_the_same_calls_are_made_and_their_times_add_up(machine: dict[str, Any]) -> None:
    assert MPI is not None
    program = build([benchmark("nas")], mpi=MPI)["nas"].path
    found = start_ranks(MPI, 2, program, *chosen("cg"), "--blocks", "1", "--deadline", "100")
    assert found.returncode == 0, found.stderr
    (real,) = events(found.stdout, "account")
    simulated, _, _ = logged(machine, "cg", 2)
    assert {name: spent[1:] for name, spent in real["calls"].items()} == {
        name: spent[1:] for name, spent in simulated["calls"].items()
    }
    assert real["lengths"] == simulated["lengths"]
    assert real["kernels"]["cg"][1:] == pytest.approx(simulated["kernels"]["cg"][1:])
    for rank in range(2):
        whole = real["computing"][rank] + real["communicating"][rank]
        assert whole == pytest.approx(real["ended"][rank]) and real["ended"][rank] <= real["time"]
    assert sum(spent[0] for spent in real["calls"].values()) == pytest.approx(sum(real["communicating"]))
    assert real["kernels"]["cg"][0] <= sum(real["computing"])
    assert all(memory > 1e6 for memory in real["memory"]) and all(user >= 0 for user in real["user"])
    assert [size for size, _ in real["messages"]] == [8, 64, 512, 4096, 32768, 262144, 2097152]
    account_line(real, ABOUT)


def line() -> dict[str, Any]:
    return {"case": {"kernel": "cg"}, "ranks": 2, "time": 2.0, "computing": [1.0, 2.0], "communicating": [0.5, 0.0],
            "ended": [1.5, 2.0], "user": [], "system": [], "memory": [], "calls": {"recv": [0.5, 1, 8]},
            "kernels": {}, "lengths": [[8, 1, 8]], "waits": [[0, 1, 0.5]]}  # fmt: skip


def test_shares_of_an_account_by_hand() -> None:
    of = made(account_line(line(), ABOUT))
    assert of.share == pytest.approx(0.5 / 4) and of.idle == pytest.approx(0.5 / 4)
    assert of.imbalance == pytest.approx(2 / 1.5 - 1)


@pytest.mark.parametrize(
    ("key", "value"),
    [("ranks", 0), ("ranks", 3), ("computing", [1.0]), ("time", "x"), ("time", float("nan")), ("calls", []),
     ("calls", {"recv": [1]}), ("waits", [[1]]), ("lengths", 3), ("memory", [1.0]), ("messages", [[1, "x"]])],
)  # fmt: skip
def test_a_line_that_says_what_cannot_be_is_refused(key: str, value: Any) -> None:
    with pytest.raises(ValueError, match="expected"):
        account_line(line() | {key: value}, ABOUT)


def test_a_run_shows_where_the_time_goes(tmp_path: Path, own_folder: None) -> None:
    """In the JSON, on the terminal, in the Markdown; a damaged line is named and left out."""
    constant_with(Path(), *KERNELS)
    given = ("run", "nas", "--on", "constant.toml", "-n", "4", "--set", "kernel=cg", "--set", "class=W", "--out", "run")
    shown = assay(*given)
    assert shown.status == 0, shown.err
    assert "Where the time goes" in shown.out and "sendrecv" in shown.out
    document = assay("report", "run", "--json").document
    ((account,),) = [section["accounts"] for section in document["benchmarks"]]
    assert account["ranks"] == 4 and account["params"]["kernel"] == "cg"
    assert "Where the time goes" in Path("run/report.md").read_text()
    (file,) = Path("run/launches").glob("*.jsonl")
    file.write_text(file.read_text().replace('"computing":[', '"computing":[7,', 1))
    damaged = assay("report", "run", "--json").document
    assert damaged["benchmarks"][0].get("accounts") is None
    assert any("account" in text or "computing" in text or "checksum" in text for text in damaged["warnings"])
