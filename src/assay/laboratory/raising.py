"""Bringing a laboratory up: the plan of its holder, its start, and why it cannot be on this machine."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from assay.errors import InputError, MeasurementError
from assay.laboratory import holder, running
from assay.laboratory.running import MARK, Laboratory
from assay.laboratory.specification import Specification

UNSHARE = ("unshare", "-Urnmpf", "--kill-child", "--mount-proc")
_REALTIME = 1  # the lowest priority of SCHED_FIFO, above all ordinary processes
_TOOLS = {"unshare": "util-linux", "nsenter": "util-linux", "ip": "iproute2"}


def obstacle() -> str | None:
    """Why no laboratory can be built on this machine, in a line; None where it can."""
    for tool, package in _TOOLS.items():
        if shutil.which(tool) is None:
            return f"no {tool} on PATH (apt-get install {package})"
    links = "ip link add name a0 type veth peer name b0 && ip link add name c0 type bridge"
    test = f"mount -t tmpfs t {holder.ROOM} && {links}"
    try:
        done = subprocess.run(
            [*UNSHARE, "sh", "-c", test], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=10
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{UNSHARE[0]} does not work here: {error}"
    if done.returncode == 0:
        return None
    words = done.stderr.strip().splitlines()
    return f"user and network namespaces are not available: {words[-1] if words else 'no reason given'}"


def plan(made: Specification, program: Path) -> dict[str, object]:
    """What the holder builds: `addresses` of hosts, `cables` with ns per byte, `routes` by vertex."""
    layout = made.layout
    slow = {name: 1e9 / (made.rate * share) for name, share in made.slow.items()}
    return {
        "addresses": {name: f"10.77.{node // 250}.{node % 250 + 1}" for node, name in enumerate(layout.hosts)},
        "cables": [
            {"ends": each.ends, "per_byte": slow.get(each.name, 1e9 / made.rate)} for each in layout.cables
        ],
        "routes": layout.routes,
        "delay": round(made.delay * 1e9),
        "queue": made.queue,
        "program": str(program),
    }  # fmt: skip


def _realtime() -> None:
    """Real-time priority for what the holder starts, where this user may."""
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(_REALTIME))


def check(made: Specification) -> None:
    """InputError where one of its name is up, or this machine cannot have one."""
    if any(each.specification.name == made.name for each in running.laboratories()):
        raise InputError("is up already", key="--name", value=made.name, accepted="another name, or `assay lab down`")
    if (why := obstacle()) is not None:
        raise InputError(f"no laboratory can be built here: {why}", key="lab up", value=made.topology)


def bring_up(made: Specification, program: Path) -> Laboratory:
    """Build the laboratory and leave it up; `program`: the links' compiled process. MeasurementError where it fails."""
    command = [*UNSHARE, sys.executable, "-I", "-S", holder.__file__, MARK, made.to_text()]
    started = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=_realtime,
        cwd="/",
    )
    assert started.stdin is not None
    assert started.stdout is not None
    assert started.stderr is not None
    try:
        started.stdin.write(json.dumps(plan(made, program)).encode() + b"\n")
        started.stdin.flush()
        answer = started.stdout.readline().decode().strip()
        if answer != "ready":
            words = answer or (started.stderr.read().decode(errors="replace").strip().splitlines() or ["it ended"])[-1]
            raise MeasurementError(f"the laboratory could not be built: {words}")
        found = next(each for each in running.laboratories() if each.outer == started.pid)
        started.stdin.write(b"stay\n")
        started.stdin.flush()
    except BrokenPipeError:
        raise MeasurementError("the laboratory ended while it was built") from None
    except BaseException:
        started.kill()
        raise
    finally:
        for stream in (started.stdin, started.stdout, started.stderr):
            with contextlib.suppress(OSError):
                stream.close()
    return _settled(found)


def _settled(found: Laboratory) -> Laboratory:
    """After its kernel threads had a moment: routes and interfaces take a few milliseconds to be usable."""
    time.sleep(0.05)
    return found
