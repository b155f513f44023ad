"""README's commands run where a person runs them: a wheel in a fresh environment, a checkout, somebody else's checkout.

The packages that Assay needs are those of this environment; Assay itself is installed anew. Every run costs a minute:
in each run of the suite a user who owns nothing of it uses the wheel from an empty folder; the rest is nightly.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from assay.benchmark.own import cache_root
from assay.benchmark.record import programs_root
from assay.execute.compiler import find_compiler
from assay.execute.mpi import find_mpi
from assay.execute.units import units_of
from assay.mpi.library import LIBRARY, library
from readme_commands import FIRST, PAGES, ROOT, SCRIPT, commands, elsewhere, shortened

NOBODY = 65534
PACKAGES = sysconfig.get_path("purelib")
COMMANDS = [words for page in FIRST for words in commands(page) if words[0] not in SCRIPT]
TUTORIAL = [words for page in PAGES if page.name == "tutorial.md" for words in commands(page)]


@dataclass(frozen=True)
class Place:
    """How Assay is started there (the words before a verb), from which folder, by whom."""

    program: tuple[str, ...]
    folder: Path
    home: Path
    as_nobody: bool

    def start(self, words: list[str]) -> subprocess.CompletedProcess[str]:
        kept = {"PATH": os.environ["PATH"], "HOME": str(self.home), "LANG": "C.UTF-8", "TMPDIR": str(self.home)}
        user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if self.as_nobody else []
        command = [*user, *self.program, *words]
        return subprocess.run(command, cwd=self.folder, env=kept, capture_output=True, text=True, timeout=280)


@pytest.fixture(scope="module")
def room() -> Iterator[Path]:
    """A folder that every user can enter, which pytest's own is not."""
    with tempfile.TemporaryDirectory(prefix="assay-readme-") as made:
        Path(made).chmod(0o755)
        yield Path(made)


def environment(folder: Path) -> Path:
    """A fresh virtual environment that finds the packages which Assay needs, and no Assay."""
    subprocess.run([sys.executable, "-P", "-m", "venv", "--without-pip", folder], check=True)
    site = next(folder.glob("lib/python*/site-packages"))
    (site / "needed.pth").write_text(f"{PACKAGES}\n")  # a .pth file there, such as the checkout's, is not read
    for name in ("uv", "cmake", "ninja"):
        (folder / "bin" / name).symlink_to(Path(sys.executable).with_name(name))
    return site


def wheel(room: Path) -> tuple[str, ...]:
    """Install a wheel; its core, which takes minutes, is the one that is there."""
    site = environment(room / "venv")
    uv = Path(sys.executable).with_name("uv")
    tools = {**os.environ, "PATH": f"{uv.parent}:{os.environ['PATH']}"}
    build = [uv, "build", "-q", "--wheel", "--no-build-isolation", "-C", "wheel.cmake=false", "-o", room / "wheel"]
    subprocess.run([*build, ROOT], check=True, env=tools)
    (made,) = (room / "wheel").glob("*.whl")
    install = [
        uv,
        "pip",
        "install",
        "-q",
        "--offline",
        "--no-deps",
        "--compile-bytecode",
        "--python",
        room / "venv" / "bin" / "python",
    ]
    subprocess.run([*install, made], check=True)
    for core in (ROOT / "build" / "core" / "module").glob("_core.*.so"):
        shutil.copy(core, site / "assay")
    return (str(room / "venv" / "bin" / "assay"),)


def checkout(room: Path) -> Path:
    """Copy what a clone holds."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, names):
        (room / "checkout" / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, room / "checkout" / name)
    return room / "checkout"


def set_up(checkout: Path, home: Path) -> None:
    """Lay down what `x` would install or compile in minutes: the packages, and the core."""
    environment(home / ".venv")
    shutil.copy(checkout / "requirements.lock", home / ".venv" / ".stamp-lock")
    shutil.copytree(ROOT / "build" / "core" / "module", home / "build" / "core" / "module")
    (home / "build" / ".stamp-core").touch()


def keep_objects(home: Path) -> None:
    """Give a home the objects of the MPI library, half a minute of compiling: of the same sources, by their digests.

    What a wheel lacks, or has otherwise, is compiled there, or does not compile. The nightly places compile all.
    """
    library()
    root, by = programs_root(), replace(find_compiler(), flags=LIBRARY.flags, libraries=())
    sources = [root / each for each in LIBRARY.sources(root)]
    units = home / ".cache" / "assay" / "programs" / "units"
    units.mkdir(parents=True)
    for each in units_of(sources, root, cache_root() / "programs" / "units", by, by):
        shutil.copy(each.object, units)


NIGHTLY = [pytest.param(each, marks=pytest.mark.nightly) for each in ("checkout", "foreign checkout")]


@pytest.fixture(scope="module", params=["wheel", *NIGHTLY])
def place(request: pytest.FixtureRequest, room: Path) -> Place:
    """Each way, with two runs and the examples in the folder that it is used from."""
    root = os.geteuid() == 0
    as_nobody = root and shutil.which("setpriv") is not None and request.param != "checkout"
    own, home = room / f"own {request.param}", room / f"home {request.param}"
    own.mkdir()
    home.mkdir()
    if request.param == "wheel":
        made = Place(wheel(room), own, home, as_nobody)
        keep_objects(home)
    else:
        source = checkout(room / request.param)
        name = hashlib.sha256(str(source).encode()).hexdigest()[:16]
        foreign = request.param != "checkout"
        set_up(source, home / ".cache" / "assay" / "checkouts" / name if foreign else source)
        if foreign:
            source.chmod(0o555)
        made = Place((str(source / "x"), "assay"), own if foreign else source, home, as_nobody)
    if as_nobody:
        for path in (own, home, *home.rglob("*")):
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    there = [] if request.param == "checkout" else [["examples"]]
    there.append(["mpicc", "examples/ring.c", "-o", "ring"])
    for words in [*there, *[["run", "echo", "--on", "examples/constant.toml"]] * 2]:
        ran = made.start(words)
        assert ran.returncode == 0, ran.stderr
    return made


ALWAYS = {  # a command of each kind of file that a wheel must have: machines, pages, sources of programs and of MPI
    *("run echo --on ipsc860", "report RUN", "compare RUN ipsc860", "predict mine.toml RUN", "fit RUN -o mine.toml"),
    *("mpicc examples/ring.c -o ring", "mpirun --on dragonfly-slingshot -n 8 ./ring", "build --list", "catalogue"),
}


def case(words: list[str]) -> object:
    marks = [] if " ".join(words) in ALWAYS else [pytest.mark.nightly]
    return pytest.param(words, id=" ".join(words), marks=marks)


@pytest.mark.parametrize("words", [case(each) for each in (*COMMANDS, *TUTORIAL)])
def test_a_command_works(words: list[str], place: Place, request: pytest.FixtureRequest) -> None:
    if why := elsewhere(words):
        pytest.skip(f"needs {why}")
    if words[0] == "run" and "-n" in words and find_mpi() is None and "--on" not in words:
        pytest.skip("no MPI is here")
    runs = iter(sorted(str(each) for each in (place.folder / "runs").iterdir())[:2])
    filled = {"RUN": lambda: next(runs), "folder=/scratch": lambda: f"folder={place.folder}"}
    if words[-1] == "exchange.hpp":
        words = [*words[:-1], "examples/exchange.hpp"]
    ran = place.start([filled[word]() if word in filled else word for word in shortened(words)])
    assert ran.returncode in ((0, 3) if "--margin" in words else (0,)), ran.stdout + ran.stderr
    assert ran.stdout.strip() or words[0] == "mpicc"


def test_the_example_program_is_the_tutorial_s() -> None:
    assert f"```cpp\n{(ROOT / 'examples' / 'exchange.hpp').read_text()}```" in (ROOT / "docs/tutorial.md").read_text()
