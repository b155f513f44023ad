"""Why a launch failed, in one line: the program's message before its starter's, ranks by their numbers."""

from __future__ import annotations

import itertools
import re
import signal
from collections.abc import Iterable, Sequence
from pathlib import Path

from assay.program_lines import PlacedRank

INPUT_FAULT = 2  # exit status of a program whose input is wrong
_READ = 1 << 18  # bytes of a log: a program prints little, a starter may repeat itself for every rank
_SHOWN = 4  # ranks that are named one by one
_STARTING = "MPI_Init"
_NOT_DONE = re.compile(r"not done after (\S+) s: rank (\d+) was in (.*)")
# Open MPI 5 and 4; MPICH gives the process and not the rank.
_SIGNALLED = re.compile(r"process rank (\d+) with PID (\d+) on node (\S+) exited on\s+signal (\d+)")
_PROCESS = re.compile(r"PID (\d+) RUNNING AT (\S+)\s+=\s+EXIT CODE: (\d+)")
_BY_SIGNAL = re.compile(r"EXIT STRING: .*\(signal (\d+)\)")
_ENDED = re.compile(r"Process name: \[.*?,(\d+)\]\s+Exit code:\s+(\d+)")
_UNSTARTED = re.compile(r"HYDU_create_process \(.*?\): (\w+) error \((.*?)\)")  # MPICH's starter
# What starters print around it.
_BOILERPLATE = re.compile(
    r"^[\s=*-]*$|noticed that process rank|detected that one or more processes|causing the job to be terminated"
    r"|^signal \d+ \(|Process name:|Exit code:|MPI_ABORT was invoked|invoking MPI_ABORT|You may or may not see output"
    r"|exactly when Open MPI kills|^Proc: |^Errorcode: |has exited due to process|\"abort\"\. This may have caused"
    r"|terminated by signals sent by|Primary job\s+terminated normally|per user-direction, the job has been aborted"
    r"|^=\s|YOUR APPLICATION TERMINATED|This typically refers to|Please see the FAQ|^Abort\(\d+\) on node"
    r"|^internal_\w+\(|^\(unknown\)\(\)"
)
# Lines of MPICH's and Intel's hydra, and of ssh, after which their starters wait in silence for a host.
IN_VAIN = (b"unable to get host address for", b"Could not resolve hostname")
_SILENT = ", without output"
_NO_MESSAGE = "without a message"  # a rank, of its exit status, in the words for what its starter reports
_RULE = re.compile(r"^-{20,}$")  # above and below each of Open MPI's texts of help
_SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


def reason(
    name: str,
    status: int,
    log: Path,
    log_before: int,
    placement: Sequence[PlacedRank],
    starter: str | None,
    ranks: int | None = None,
) -> str:
    """Why the program `name` failed with `status`; the log is read behind `log_before` bytes.

    `placement`: what ranks stated before, as far as any did; `starter`: the command that started them, None where the
    program is its own; `ranks`: how many there should be.
    """
    text = _text(log, log_before)
    lines = [line.strip() for line in text.splitlines()]
    found = _waited(lines, placement, ranks or 0) or _own_message(name, lines) or _ended(text, placement)
    if found is None and status < 0 and starter:
        found = f"{Path(starter).name} was killed by {_signal(-status)}"
    if found is None and (unstarted := _UNSTARTED.search(text)):
        found = f"the starter could not start a process ({unstarted.group(1)}: {unstarted.group(2)})"
    if found is None:
        found = _helped(lines)
    if found is None:
        rest = [line for line in lines if not _BOILERPLATE.search(line)]
        found = " / ".join(rest[-3:])[:400] or None
    how = f"ended by {_signal(-status)}" if status < 0 else f"exit status {status}"
    if found is None and not text.strip():
        return f"{how}{_SILENT}"
    return f"{how}: {found}; log: {log}" if found else f"{how}; log: {log}"


def is_silent(found: str) -> bool:
    """Whether a reason states an exit status alone, without any message of the program."""
    return found.endswith(_SILENT) or f" {_NO_MESSAGE}; log: " in found


def refusal(name: str, status: int, log: Path, log_before: int) -> str | None:
    """The message of the program `name` on its input, where it ended with status 2 for that (timing/faults.hpp)."""
    if status != INPUT_FAULT:
        return None
    return _own_message(name, [line.strip() for line in _text(log, log_before).splitlines()])


def wait_report(name: str, log: Path, log_before: int) -> str | None:
    """The last output of a launch that timed out, in a line."""
    lines = [line.strip() for line in _text(log, log_before).splitlines()]
    return _own_message(name, lines)


def fatal_line(log: Path, log_before: int) -> str:
    """The line of the log after which the launch was ended (IN_VAIN)."""
    signs = [sign.decode() for sign in IN_VAIN]
    found = (line.strip() for line in _text(log, log_before).splitlines() if any(sign in line for sign in signs))
    return next(found, "a host's name is not resolved")[:400]


def _text(log: Path, before: int) -> str:
    if not log.exists():
        return ""
    with log.open("rb") as file:
        file.seek(before)
        return file.read(_READ).decode(errors="replace")


def _own_message(name: str, lines: Iterable[str]) -> str | None:
    """The program's own lines, which begin with its name; a launcher may have put a node or a task before it."""
    own = re.compile(rf"(?:^|[:\]] ){re.escape(name)}: (.*)|^(check failed for .*)")
    messages = dict.fromkeys(found.group(1) or found.group(2) for line in lines if (found := own.search(line)))
    return " / ".join(list(messages)[:3])[:600] if messages else None


def _waited(lines: Iterable[str], placement: Sequence[PlacedRank], ranks: int) -> str | None:
    """Who waited for whom when the deadline passed, and which ranks were silent: stopped, ended, or never started."""
    waited: dict[int, str] = {}
    seconds = ""
    for line in lines:
        if found := _NOT_DONE.search(line):
            seconds = found.group(1)
            waited[int(found.group(2))] = found.group(3)
    if not waited:
        return None
    absent = [rank for rank in range(ranks) if rank not in waited]
    if absent and not placement and set(waited.values()) == {_STARTING}:
        others = f"{_ranks(sorted(waited))} waited in {_STARTING}"
        return f"not started after {seconds} s: {_ranks(absent)} never started; {others}"
    silent = [rank for rank in _numbers(placement) if rank not in waited]
    parts = []
    if silent:
        parts.append(f"{_ranks(silent)} did not answer: stopped, or without a processor")
    parts += [f"rank {rank} was in {what}" for rank, what in sorted(waited.items())[:_SHOWN]]
    if len(waited) > _SHOWN:
        parts.append(f"and {len(waited) - _SHOWN} more ranks waited")
    return f"not done after {seconds} s: {'; '.join(parts)}"


def _numbers(placement: Iterable[PlacedRank]) -> list[int]:
    return [number for rank in placement if (number := rank["rank"]) is not None]


def _ended(text: str, placement: Sequence[PlacedRank]) -> str | None:
    """Which rank ended first and how, as its starter reports."""
    if found := _SIGNALLED.search(text):
        rank, process, host, number = found.groups()
        return f"rank {rank} (process {process} on {host}) was killed by {_signal(int(number))}"
    if found := _PROCESS.search(text):
        process, host, status = found.groups()
        ranks = _numbers(rank for rank in placement if str(rank.get("pid")) == process)
        who = f"{_ranks(ranks)} (process {process} on {host})" if ranks else f"process {process} on {host}"
        by = _BY_SIGNAL.search(text)
        return f"{who} was killed by {_signal(int(by.group(1)))}" if by else f"{who} ended with status {status}"
    if found := _ENDED.search(text):
        return f"rank {found.group(1)} ended with status {found.group(2)} {_NO_MESSAGE}"
    return None


def _helped(lines: Sequence[str]) -> str | None:
    """The first sentence of a starter's help that is about a failure: what follows it is advice, for any host."""
    rules = [at for at, line in enumerate(lines) if _RULE.match(line)]
    for above, below in zip(rules[::2], rules[1::2], strict=False):
        text = lines[above + 1 : below]
        if any(line and _BOILERPLATE.search(line) for line in text) or not any(text):
            continue
        paragraph = " ".join(itertools.takewhile(bool, itertools.dropwhile(lambda line: not line, text)))
        if not paragraph.startswith("WARNING"):
            return _SENTENCE_ENDS.split(paragraph)[0].rstrip(".:")[:400]
    return None


def _ranks(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:_SHOWN])) + (", …" if len(numbers) > _SHOWN else "")
    return f"rank {shown}" if len(numbers) == 1 else f"ranks {shown}"


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
