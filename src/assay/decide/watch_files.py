"""Files that have a batch system, cron or systemd make rounds of `assay watch`: printed, never installed."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from assay.document.history import WatchFile
from assay.errors import InputError

NAME = "assay-watch"
PASSED_ON = ("ASSAY_RUNS", "ASSAY_CACHE")  # of the environment, where they are set
MINUTE, HOUR, DAY = 60, 3600, 86400
FIRST_AFTER = "10min"  # after a boot


def files(way: str, options: Sequence[str], every: float, folder: Path, seconds: float | None) -> list[WatchFile]:
    """The files by which `way` (systemd, cron, slurm) runs `assay watch --once OPTION…` in `folder`.

    `every`: seconds between rounds; `seconds`: a round's budget. InputError for another way, a period that it has no
    words for, or a name that cannot be written in such a file.
    """
    if way not in WAYS:
        raise InputError("is no way to start rounds", key="--install", value=way, accepted=", ".join(WAYS))
    if every < MINUTE or every % MINUTE:
        raise InputError(
            "is no whole number of minutes", key="--every", value=f"{every:g} s", accepted="30min, 6h, 24h"
        )
    command = [sys.executable, "-P", "-m", "assay", "watch", "--once", *options]
    kept = {name: os.environ[name] for name in PASSED_ON if os.environ.get(name)}
    for text in (*command, *kept.values(), str(folder)):
        if any(ord(letter) < 32 for letter in text):
            raise InputError("cannot be written in such a file", key="--install", value=text, accepted="no line ends")
    return WAYS[way](command, kept, int(every), folder, seconds)


def _systemd(
    command: Sequence[str], kept: Mapping[str, str], every: int, folder: Path, seconds: float | None
) -> list[WatchFile]:
    def quoted(text: str) -> str:
        escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
        return f'"{escaped}"'

    environment = "".join(f"Environment={quoted(f'{name}={value}')}\n" for name, value in kept.items())
    start = " ".join(quoted(word).replace("$", "$$") for word in command)
    service = (
        f"[Unit]\nDescription=A round of Assay's watch\n\n[Service]\nType=oneshot\n{environment}"
        f"WorkingDirectory={str(folder).replace('%', '%%')}\nExecStart={start}\n"
        "# 4: too few runs to exclude a regression\nSuccessExitStatus=4\n"
    )
    timer = (
        f"[Unit]\nDescription=Rounds of Assay's watch\n\n[Timer]\nOnBootSec={FIRST_AFTER}\nOnUnitActiveSec={every}s\n"
        "AccuracySec=1min\n\n[Install]\nWantedBy=timers.target\n"
    )
    return [WatchFile(name=f"{NAME}.service", text=service), WatchFile(name=f"{NAME}.timer", text=timer)]


def _cron(
    command: Sequence[str], kept: Mapping[str, str], every: int, folder: Path, seconds: float | None
) -> list[WatchFile]:
    if every < HOUR and HOUR % every == 0:
        when = f"*/{every // MINUTE} * * * *"
    elif every % HOUR == 0 and DAY % every == 0:
        hours = every // HOUR
        when = "0 0 * * *" if hours == 24 else f"0 */{hours} * * *" if hours > 1 else "0 * * * *"
    else:
        accepted = "what divides an hour or a day: 10min, 30min, 1h, 6h, 24h"
        raise InputError("has no words in a crontab", key="--every", value=f"{every} s", accepted=accepted)
    line = f"cd {shlex.quote(str(folder))} && {_in_shell(command, kept)}"
    escaped = line.replace("%", "\\%")  # cron's line end
    return [WatchFile(name="crontab", text=f"{when} {escaped}\n")]


def _slurm(
    command: Sequence[str], kept: Mapping[str, str], every: int, folder: Path, seconds: float | None
) -> list[WatchFile]:
    name = f"{NAME}.sbatch"
    limit = 60 if seconds is None else 10 + int(2 * seconds / MINUTE)
    text = (
        f"#!/bin/sh\n#SBATCH --job-name={NAME}\n#SBATCH --nodes=1\n#SBATCH --exclusive\n#SBATCH --time={limit}\n"
        f"# Save as {folder / name} and submit it once; scancel --name={NAME} ends the rounds.\n"
        f"cd {shlex.quote(str(folder))} || exit 2\nsbatch --begin=now+{every} ./{name}\n{_in_shell(command, kept)}\n"
    )
    return [WatchFile(name=name, text=text)]


def _in_shell(command: Sequence[str], kept: Mapping[str, str]) -> str:
    words = ["env", *(f"{name}={value}" for name, value in kept.items())] if kept else []
    return shlex.join([*words, *command])


Made = Callable[[Sequence[str], Mapping[str, str], int, Path, "float | None"], list[WatchFile]]
WAYS: dict[str, Made] = {"systemd": _systemd, "cron": _cron, "slurm": _slurm}
