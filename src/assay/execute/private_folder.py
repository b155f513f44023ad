"""A private folder on nodes that do not see the run's folder: programs are copied there; no other user can write to it.

What lies in a shared /tmp under a name that can be guessed may be another user's. The folder is therefore made anew by
mkdir(2), which follows no symbolic link and fails where anything of that name exists, with mode 0700 and a random name.
The shell that made it waits for the end of its standard input, which closes when Assay ends, however it ends; then it
removes the folder. Only plain sh is needed on the node.
"""

from __future__ import annotations

import os
import secrets
import shlex
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.errors import MeasurementError
from assay.execute import process_tree
from assay.execute.mpi import launch_environment

_ANSWERS_WITHIN = 60.0  # s, for a shell that makes a folder
# Several tasks of a step may have one /tmp (nodes on one host): one makes the folder, the others accept it if it is
# ours alone. `ls -nd` gives mode, links, numeric owner; it shows a symbolic link as such.
_HOLD = r"""umask 077; trap : HUP INT TERM
if ! mkdir -m 700 "$1" 2>/dev/null; then
  set -- "$1" $(ls -nd "$1" 2>&1)
  case "$2 $4" in "drwx--"[-S]"---"*" $(id -u)") ;; *) echo "refused $1: $2, owner $4" >&2; exit 1;; esac
elif [ -r "/proc/$$/stat" ]; then  # the mark of supervisor.py: a later start there removes what a killed shell left
  echo "$(uname -n) $(cat /proc/sys/kernel/random/boot_id) $(readlink "/proc/$$/ns/pid") $$" \
    "$(cut -d ' ' -f 22 "/proc/$$/stat")" >"$1/.assay-process"
fi
echo made
cat >/dev/null
rm -rf "$1"
"""
# Writes standard input to a file that is not there yet, in a folder that is this user's alone, and makes it a program.
_PUT = r"""umask 077; set -C
case "$(ls -nd "${1%/*}")" in "drwx--"[-S]"---"*) ;; *) echo "${1%/*} is not a private folder" >&2; exit 1;; esac
cat >"$1" && chmod 700 "$1"
"""


def random_name() -> str:
    """An unpredictable path in /tmp."""
    return f"/tmp/assay-{secrets.token_hex(12)}"


class PrivateFolder:
    """A folder on the node, or on all nodes, that the words `reach` lead to; removed by `close` or when Assay ends."""

    def __init__(
        self, reach: Sequence[str], where: str, *, count: int = 1, quoted: bool, environment: Mapping[str, str]
    ) -> None:
        """Make it on the `count` nodes of `reach` (`ssh HOST`, `srun …`); MeasurementError names the reason.

        `quoted`: the far side's shell reads the words once more, as ssh's does.
        """
        self.path = random_name()
        self.holds: set[str] = set()
        with process_tree.OutputFile() as out, process_tree.OutputFile() as err:
            words = ("sh", "-c", _HOLD, "assay", self.path)
            argv = (*reach, shlex.join(words)) if quoted else (*reach, *words)
            self._held = process_tree.ProcessTree(
                [process_tree.Command(argv, out.path, err.path, keep_stdin=True)], environment=environment
            )
            until = time.monotonic() + _ANSWERS_WITHIN
            while out.read().split().count("made") < count:
                if not self._held.alive() or time.monotonic() > until:
                    self._held.release()
                    messages = err.read().strip().splitlines()
                    refused = [line for line in messages if "refused" in line]
                    why = [*messages, *refused][-1] if messages else f"no answer in {_ANSWERS_WITHIN:g} s"
                    raise MeasurementError(f"no private folder in /tmp of {where}: {why[:200]}")
                time.sleep(0.02)

    def alive(self) -> bool:
        """Whether the shell that keeps the folder is still there."""
        return self._held.alive()

    def close(self) -> None:
        """Remove the folder and what is in it."""
        self._held.release()


def put_by_ssh(ssh: Sequence[str], host: str, folder: PrivateFolder, program: Path, timeout: float) -> str:
    """Copy a program into the folder on `host`, once; returns its path there."""
    place = f"{folder.path}/{program.name}"
    if place not in folder.holds:
        remote = shlex.join(("sh", "-c", _PUT, "assay", place))
        script = f'exec {shlex.join(ssh)} "$0" "$1" <"$2"'
        ended, output = process_tree.ask(
            ["sh", "-c", script, host, remote, str(program)],
            timeout=timeout,
            environment=launch_environment(os.environ),
        )
        if ended.timed_out or any(ended.statuses):
            raise MeasurementError(f"{program.name} could not be copied to {host}: {output.strip()[-200:]}")
        folder.holds.add(place)
    return place
