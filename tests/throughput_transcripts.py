"""Batch systems' commands that are replayed from the transcripts of `tests/transcripts`."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

from assay.throughput.batch_system import SystemRequest, SystemWork, opened
from assay.throughput.live_jobs import LiveJob

TRANSCRIPTS = Path(__file__).parent / "transcripts"
JOB = LiveJob(id="0001-maya5.1", number=1, name="maya5.1", due=0.0, processors=6, per_node=None, expected=1.0,
              requested=1.0, limit=100.0, user="", priority=0.0)  # fmt: skip
IDS = {"pbs": [f"{n}.head" for n in (12, 13, 14, 15)], "lsf": ["12", "13", "14", "15"],
       "flux": ["1234", "1888", "3363", "3364"],
       "slurm": ["12", "13", "14", "15"], "sge": ["12", "13", "14"]}  # fmt: skip
COMMANDS = {
    "pbs": ("qsub", "qstat", "qdel", "pbsnodes", "tracejob"),
    "lsf": ("bsub", "bjobs", "bhist", "bkill", "bqueues", "bhosts", "lsid", "lshosts"),
    "flux": ("flux",),
    "slurm": ("sbatch", "squeue", "scontrol", "scancel", "sinfo", "sacct"),
    "sge": ("qsub", "qstat", "qconf", "qdel", "qacct", "qalter"),
}


class Replayed:
    """A folder for PATH whose commands answer from a transcript, and keep what they were asked."""

    def __init__(self, name: str, folder: Path) -> None:
        self.folder = folder
        sections: dict[str, list[str]] = {}
        system = name.partition("_")[0]
        for file in dict.fromkeys((name, system)):
            for section in re.split(r"^## ", (TRANSCRIPTS / f"{file}.txt").read_text(), flags=re.M)[1:]:
                title, _, body = section.partition("\n")
                sections.setdefault(title, []).extend(re.split(r"^\$ ", body, flags=re.M)[1:])
        for title, entries in sections.items():
            cases = []
            for at, entry in enumerate(entries):
                pattern, _, answer = entry.partition("\n")
                path = folder / f"{title}.{at}"
                failed = re.match(r"! (\d+) (.*)", answer)
                path.write_text(failed[2] + "\n" if failed else answer)
                end = f"cat {path} >&2; exit {failed[1]}" if failed else f"cat {path}; exit 0"
                quoted = "*".join(shlex.quote(part) if part else "" for part in pattern.split("*"))
                cases.append(f"{quoted}) {end};;")
            (folder / f"{title}.sh").write_text('case "$asked" in\n' + "\n".join(cases) + "\nesac\n")
        text = (
            f'#!/bin/sh\nasked="${{0##*/}}${{*:+ $*}}"\nprintf "%s\\n" "$asked" >> {folder}/asked\n'
            f'[ -t 0 ] || cat >> {folder}/scripts\n. {folder}/"$(cat {folder}/time)".sh\n. {folder}/always.sh\n'
            'echo "not in the transcript: $asked" >&2; exit 99\n'
        )
        for command in COMMANDS[system]:
            (folder / command).write_text(text)
            (folder / command).chmod(0o755)
        self.at("now")

    def at(self, time: str) -> None:
        """Go to a section."""
        (self.folder / "time").write_text(time)

    @property
    def asked(self) -> str:
        """All commands so far, a line each."""
        return (self.folder / "asked").read_text()


def begun(name: str, tmp_path: Path, jobs: list[LiveJob], held: dict[str, str], option: str = "") -> Any:
    system = opened(f"{name}:{option}" if option else name, SystemRequest())
    system.facts()
    commands = {job.id: ["/opt/job record", "--limit", "1", "--", "true"] for job in jobs}
    system.open(SystemWork(folder=tmp_path, mark="assay-mark", jobs=jobs, commands=commands, held=held))
    return system
