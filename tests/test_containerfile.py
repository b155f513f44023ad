"""The Containerfile installs what README says is needed; its steps, done in chroots, make an image that works."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from containerfile import build, steps

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "Containerfile").read_text()


def installed() -> list[set[str]]:
    """The Debian packages of each stage."""
    found = [re.search(r"install -y --no-install-recommends ([^&]+)", each.words) for each in steps(TEXT)]
    return [set(each[1].split()) for each in found if each]


def test_each_stage_has_what_a_checkout_needs() -> None:
    named = re.search(r"`apt-get install ([^`]+)`", (ROOT / "README.md").read_text())
    assert named is not None
    build_stage, last = installed()
    assert set(named[1].split()) <= build_stage
    assert set(named[1].split()) - {"python3-dev"} <= last  # headers are for the core, which the wheel has


def test_what_is_copied_in_is_no_build_of_another_machine() -> None:
    ignored = set((ROOT / ".containerignore").read_text().split())
    assert {".venv", "build", "dist", "runs"} <= ignored


@pytest.mark.nightly
@pytest.mark.measures
@pytest.mark.timeout(7200)
@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("mmdebstrap") is None, reason="needs root, and mmdebstrap")
def test_its_steps_make_an_image_that_measures(tmp_path: Path) -> None:
    base = tmp_path / "base"
    subprocess.run(["mmdebstrap", "--variant=minbase", "bookworm", base], check=True, capture_output=True)

    def lay(image: str, folder: Path) -> None:
        assert image == "debian:12"
        subprocess.run(["cp", "-a", base, folder], check=True)

    listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True).split("\0")
    image = build(TEXT, [name for name in listed if name], ROOT, lay, tmp_path)
    simulated = image.run([*image.program, "run", "echo", "--on", "ipsc860", "--json"])
    assert simulated.returncode == 0 and json.loads(simulated.stdout)["figures"], simulated.stderr
    measured = image.run([*image.program, "run", "echo", "-n", "2", "--launches", "1", "--json"])
    assert measured.returncode == 0 and json.loads(measured.stdout)["figures"], measured.stderr
    assert (image.root / "work" / "runs").is_dir()
