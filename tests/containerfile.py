"""A Containerfile's steps, and their execution in chroots where no builder of images is at hand."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")  # the host's, which may know a mirror's
OF_AN_IMAGE = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}
MIRRORS = ("PIP_INDEX_URL", "PIP_CERT", "SSL_CERT_FILE", "http_proxy", "https_proxy", "no_proxy")


@dataclass(frozen=True)
class Step:
    """An instruction and what follows it, continued lines joined."""

    instruction: str
    words: str


@dataclass
class Stage:
    """What a FROM begins: a root folder, and the environment, folder and program that its steps have set."""

    root: Path
    environment: dict[str, str] = field(default_factory=OF_AN_IMAGE.copy)
    folder: str = "/"
    program: list[str] = field(default_factory=list)

    def run(self, command: list[str], timeout: float = 3600) -> subprocess.CompletedProcess[str]:
        """Run a command in it, with the host's mirrors; processes that it leaves end with it."""
        kept = {name: os.environ[name] for name in MIRRORS if name in os.environ}
        environment = [f"{name}={value}" for name, value in {**self.environment, **kept}.items()]
        mounts = "mount -t proc proc {0}/proc && mount --rbind /dev {0}/dev && mount --rbind /sys {0}/sys"
        inside = f'{mounts.format(self.root)} && exec chroot {self.root} env -i "$@"'
        change = ["sh", "-c", f'cd {self.folder} && exec "$@"', "sh"]
        apart = ["unshare", "-m", "-p", "-f", "--kill-child", "sh", "-c", inside, "sh", *environment, *change, *command]
        return subprocess.run(apart, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout)


def steps(text: str) -> list[Step]:
    """Read the steps; comments and empty lines are none."""
    joined = re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", text, flags=re.M))
    lines = [line.split(None, 1) for line in joined.splitlines() if line.strip()]
    return [Step(words[0].upper(), words[1].strip()) for words in lines]


def build(text: str, context: list[str], source: Path, base: Callable[[str, Path], None], work: Path) -> Stage:
    """Do all steps; the last stage. `base(image, folder)` lays an image down; COPY takes `context` of `source`."""
    stages: dict[str, Stage] = {}
    stage = Stage(work)
    for step in steps(text):
        words = step.words.split()
        if step.instruction == "FROM":
            stage = stages[words[2] if len(words) == 3 else "last"] = Stage(work / f"stage-{len(stages)}")
            base(words[0], stage.root)
            for name in (CERTIFICATES, Path("/etc/resolv.conf")):
                if name.exists():
                    (stage.root / name.relative_to("/")).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(name, stage.root / name.relative_to("/"))
        elif step.instruction == "RUN":
            done = stage.run(["sh", "-c", step.words])
            assert done.returncode == 0, f"RUN {step.words}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
        elif step.instruction == "COPY" and words[0].startswith("--from="):
            other = stages[words[0].removeprefix("--from=")]
            shutil.copytree(other.root / words[1].lstrip("/"), stage.root / words[2].lstrip("/"), symlinks=True)
        elif step.instruction == "COPY":
            assert words[0] == "."
            for name in context:
                target = stage.root / words[1].lstrip("/") / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source / name, target)
        elif step.instruction == "ENV":
            stage.environment |= dict(each.split("=", 1) for each in words)
        elif step.instruction == "WORKDIR":
            stage.folder = step.words
            (stage.root / step.words.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif step.instruction == "ENTRYPOINT":
            stage.program = json.loads(step.words)
        else:
            raise ValueError(f"{step.instruction} has no twin here")
    return stages["last"]
