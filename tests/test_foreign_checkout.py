"""`./x` in a checkout that its user cannot write: environment and builds go into the user's cache, not a file here."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
NOBODY = 65534
TELLS = '#!/bin/sh\necho "$0 $*"\necho "$PYTHONPYCACHEPREFIX"\n'  # instead of an installed assay


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that every user can enter, which pytest's own is not."""
    made = Path(tempfile.mkdtemp(prefix="assay-foreign-"))
    made.chmod(0o755)
    yield made
    for path in made.rglob("*"):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)
    shutil.rmtree(made)


@pytest.fixture
def checkout(folder: Path) -> Path:
    made = folder / "checkout"
    made.mkdir()
    for name in ("x", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, made / name)
    made.chmod(0o555)
    return made


def as_another(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run as somebody who may not write the checkout: nobody where this is root, else this user (mode 0555)."""
    words = list(command)
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("setpriv is not here, and root can write everything")
        words = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *words]
    kept = {"PATH": os.environ["PATH"], **environment}
    return subprocess.run(words, env=kept, capture_output=True, text=True, timeout=60, cwd="/")


def installed(checkout: Path, cache: Path) -> Path:
    """Make the environment that `x` would install for this checkout, with a program that tells where it is."""
    name = hashlib.sha256(str(checkout).encode()).hexdigest()[:16]
    venv = cache / "assay" / "checkouts" / name / ".venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "assay").write_text(TELLS)
    (venv / "bin" / "assay").chmod(0o755)
    shutil.copy(checkout / "requirements.lock", venv / ".stamp-lock")
    (venv / ".stamp-front").touch()
    if os.geteuid() == 0:
        for path in (cache, *cache.rglob("*")):
            os.chown(path, NOBODY, NOBODY)
    return venv


def test_a_foreign_checkout_is_used_from_the_users_cache(checkout: Path, folder: Path) -> None:
    cache = folder / "cache"
    venv = installed(checkout, cache)
    before = sorted(checkout.rglob("*"))
    ran = as_another(str(checkout / "x"), "assay", "runs", "-q", HOME="/nonexistent", XDG_CACHE_HOME=str(cache))
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines() == [f"{venv}/bin/assay runs -q", str(venv.parent / "pycache")]
    assert (venv.parent / "build").is_dir()
    assert sorted(checkout.rglob("*")) == before


def test_a_user_without_a_place_to_write_is_told_both(checkout: Path, folder: Path) -> None:
    closed = folder / "closed"
    closed.mkdir(mode=0o555)
    ran = as_another(str(checkout / "x"), "assay", "runs", HOME=str(closed))
    assert (ran.returncode, ran.stdout) == (2, "")
    last = ran.stderr.splitlines()[-1]
    assert last.startswith(f"x: neither the checkout nor {closed}/.cache/assay/checkouts/") and "can be written" in last
