"""Hand-over between processes: every byte judged, what the kernel refuses left out by name, no process left behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from assay.benchmark.record import benchmark
from assay.execute.build import build
from command_line import assay
from compiled import kept
from remarked import texts
from started import words

BOTH = len(os.sched_getaffinity(0)) >= 2
METHODS = benchmark("handover").parameters["method"].choices
FEW = ("--slice", "0.0005", "--blocks", "2")
pytestmark = [pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++"), pytest.mark.measures]

REFUSING = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
ssize_t process_vm_readv(pid_t a, const struct iovec* b, unsigned long c, const struct iovec* d, unsigned long e,
                         unsigned long f) {
  (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
  errno = EPERM;
  return -1;
}
int connect(int a, const struct sockaddr* b, socklen_t c) {
  (void)a, (void)b, (void)c;
  errno = ENETUNREACH;
  return -1;
}
"""


@pytest.fixture(scope="module")
def program() -> Path:
    """As a run compiles it, so that it is compiled once."""
    return build([benchmark("handover")], mpi=None)["handover"].path


def run(program: Path, *given: str, status: int = 0, before: tuple[str, ...] = (), **env: str) -> list[dict[str, Any]]:
    settings = [word for each in given for word in ("--set", each)]
    done = subprocess.run(
        [*before, program, *words("handover", *FEW, *settings)],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | env,
    )
    assert done.returncode == status, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def blocks(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [line for line in lines if line["event"] == "block"]


def notes(lines: list[dict[str, Any]]) -> str:
    return "; ".join(texts(lines))


def test_every_method_hands_every_length_over_whole(program: Path) -> None:
    """Lengths about the ring's pieces and its size, and the pipe's 64 KiB; one byte."""
    lines = run(program, "bytes=1,7,8,16383,16385,65537,262144,262145", "hardware_threads=each")
    checks = [line for line in lines if line["event"] == "check"]
    assert all(line["passed"] for line in checks)
    counts = {1, 2} if BOTH else {1}
    assert len(checks) == 8 * len(METHODS) * len(counts) and {c["case"]["hardware_threads"] for c in checks} == counts
    assert {(line["metric"], line["case"]["method"]) for line in blocks(lines)} == {
        (metric, method) for metric in ("round_trip", "message") for method in METHODS
    }
    assert all("0 bytes wrong" in c["detail"] and " 0 missing" in c["detail"] for c in checks if _hands(c))
    measured = {int(c["detail"].split("of ")[-1].split()[0]) for c in checks if _hands(c)}
    assert len(measured) == 1 and measured.pop() >= sum(line["batch"] for line in blocks(lines) if _hands(line))


def _hands(line: dict[str, Any]) -> bool:
    return bool(line["case"]["method"] != "copy")


def test_one_wrong_byte_of_any_method_fails_its_check() -> None:
    lines = run(kept("files/handover", "-O0", "-DASSAY_BREAK=1"), "bytes=64,65537", status=1)
    checks = [line for line in lines if line["event"] == "check"]
    assert len(checks) == 2 * len(METHODS) and not any(line["passed"] for line in checks)


def test_what_the_kernel_refuses_is_left_out_by_name(program: Path, tmp_path: Path) -> None:
    (tmp_path / "refusing.c").write_text(REFUSING)
    shim = tmp_path / "refusing.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", shim, tmp_path / "refusing.c"], check=True)
    lines = run(program, "bytes=64", LD_PRELOAD=str(shim))
    assert {line["case"]["method"] for line in blocks(lines)} == {"pipe", "socket", "shared", "copy"}
    said = notes(lines)
    assert "left out: readv: process_vm_readv: Operation not permitted" in said
    assert "left out: tcp: no TCP connection to 127.0.0.1: Network is unreachable" in said


def test_one_hardware_thread_holds_both_and_says_so(program: Path) -> None:
    alone = ("taskset", "-c", str(min(os.sched_getaffinity(0))))
    lines = run(program, "bytes=64", before=alone)
    assert {line["case"]["hardware_threads"] for line in blocks(lines)} == {1}
    lines = run(program, "bytes=64", "hardware_threads=1,2", before=alone)
    assert {line["case"]["hardware_threads"] for line in blocks(lines)} == {1}
    assert "left out: two hardware threads: this process may use one" in notes(lines)


UNHELD = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
int sched_setaffinity(pid_t of, size_t size, const cpu_set_t* wanted) {
  (void)of;
  if (CPU_COUNT_S(size, wanted) == 1 && CPU_ISSET_S(%d, size, wanted)) return 0;  /* and moves nobody */
  errno = EINVAL;
  return -1;
}
"""


@pytest.mark.skipif(not BOTH, reason="one hardware thread")
def test_a_partner_that_cannot_be_held_on_its_hardware_thread_is_said(program: Path, tmp_path: Path) -> None:
    """Two hardware threads would be a label of processes that may have shared one."""
    first = min(os.sched_getaffinity(0))
    (tmp_path / "unheld.c").write_text(UNHELD % first)
    shim = tmp_path / "unheld.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", shim, tmp_path / "unheld.c"], check=True)
    before = ("taskset", "-c", str(first))  # where the first hold succeeds; the second one is of another thread
    assert "could not be held" not in notes(run(program, "bytes=64"))
    said = notes(run(program, "bytes=64", LD_PRELOAD=str(shim)))
    assert "doubted: the processes could not be held on their hardware threads" in said
    assert "could not be held" not in notes(run(program, "bytes=64", before=before))


def begun(program: Path, *given: str) -> tuple[subprocess.Popen[str], int]:
    """A measurement that goes on for long, and its partner's process id."""
    settings = [word for each in given for word in ("--set", each)]
    process = subprocess.Popen(
        [program, *words("handover", "--slice", "600", "--blocks", "1", *settings)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    end = time.monotonic() + 60
    while not (found := children.read_text().split()) and time.monotonic() < end:
        time.sleep(0.01)
    return process, int(found[0])


@pytest.mark.parametrize("method", [method for method in METHODS if method != "copy"])
def test_a_partner_that_is_killed_is_one_line_and_no_hang(program: Path, method: str) -> None:
    process, partner = begun(program, f"method={method}", "bytes=4096")
    try:
        time.sleep(0.2)
        os.kill(partner, signal.SIGKILL)
        _, complaint = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 1
    (line,) = complaint.splitlines()
    assert line.startswith("handover: ")


def test_the_partner_ends_with_a_measurement_that_is_killed(program: Path) -> None:
    process, partner = begun(program, "method=pipe", "bytes=8")
    process.kill()
    process.communicate(timeout=60)
    end = time.monotonic() + 60
    while time.monotonic() < end and _alive(partner):
        time.sleep(0.02)
    assert not _alive(partner)


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not BOTH, reason="needs two hardware threads")
def test_the_partners_time_is_our_own_and_no_others(program: Path, tmp_path: Path) -> None:
    """Both processes spin: what the blocks count as their own is most of what the kernel says of the two together."""
    out = tmp_path / "lines"
    work = ("--batch", "100000", "--repetitions", "20", "--blocks", "1")
    settings = (*work, "--set", "method=shared", "--set", "bytes=8")
    process = subprocess.Popen([program, *words("handover", *settings), "--out", out])
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    own = sum(line["accounting"]["own"] for line in blocks([json.loads(t) for t in out.read_text().splitlines()]))
    assert own == pytest.approx(usage.ru_utime + usage.ru_stime, rel=0.3)


def test_start_up_and_half_performance_are_fitted_to_each_method(tmp_path: Path) -> None:
    answer = assay(
        *("run", "handover", "--set", "bytes=8,4096,65536,1048576", "--set", "method=pipe,shared,copy"),
        *("--set", "repetitions=2", "--out", str(tmp_path / "run"), "--json"),
    )
    assert answer.status in (0, 1), answer.err  # 1: a busy machine may disturb a measurement
    section = answer.document
    laws = {(fit["law"], fit["params"]["method"]) for fit in section["fits"]}
    # Two processes that others hold up may take no longer for 4 KiB than for 8 bytes, and then no line fits.
    held_up = {f["params"]["method"] for f in section["figures"] if f["state"] == "disturbed"} - {"copy"}
    expected = {"pipe", "shared", "copy"} - held_up
    assert laws >= {(law, method) for law in ("alpha_beta", "half_performance") for method in expected}
    assert {f["name"] for f in section["figures"]} == {"rate", "half_round_trip", "message_rate"}
    assert {h["bound"] for h in section["headlines"] if h["name"] == "rate"} == {"handed_copy"}
