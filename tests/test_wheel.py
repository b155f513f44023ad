"""`./x wheel --bundle`: what it makes is what it says, installs without a network, and measures what a checkout does.

Nightly: the core is compiled for it, once; what did not change is not compiled again the next time.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from assay import __version__
from command_line import assay

ROOT = Path(__file__).parents[1]
GLIBC = (2, 28)
pytestmark = [pytest.mark.nightly, pytest.mark.measures, pytest.mark.timeout(3600)]


@dataclass(frozen=True)
class Made:
    """What `./x wheel --bundle` made, and an installation from the bundle, by nobody but pip and without a network."""

    folder: Path
    installed: Path
    home: Path

    @property
    def wheel(self) -> Path:
        version = f"cp{sys.version_info[0]}{sys.version_info[1]}"
        stable = sys.version_info[:2] >= (3, 12)
        (found,) = self.folder.glob("*abi3*.whl" if stable else f"*-{version}-*.whl")
        return found

    def start(self, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run `assay` as somebody who has nothing but the system's tools and this installation."""
        return clean([str(self.installed / "bin" / "assay"), *words], self.home, cwd or self.home)


def clean(command: list[str], home: Path, cwd: Path, alone: bool = False) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8", "TMPDIR": str(home)}
    without = ["unshare", "-n"] if alone and os.geteuid() == 0 and shutil.which("unshare") else []
    return subprocess.run([*without, *command], env=environment, cwd=cwd, capture_output=True, text=True, timeout=900)


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("wheel")
    for name in ("out", "home", "bundle"):
        (folder / name).mkdir()
    packed = [str(ROOT / "x"), "wheel", "--bundle", "--out", str(folder / "out")]
    done = subprocess.run(packed, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (bundle,) = (folder / "out").glob("*.tar")
    subprocess.run(["tar", "-x", "-C", folder / "bundle", "-f", bundle], check=True)
    (script,) = (folder / "bundle").glob("*/install.sh")
    base = {"PYTHON": getattr(sys, "_base_executable", sys.executable)}
    words = ["env", *(f"{name}={value}" for name, value in base.items()), "sh", str(script), str(folder / "venv")]
    installed = clean(words, folder / "home", folder, alone=True)
    assert installed.returncode == 0, installed.stdout + installed.stderr
    return Made(folder / "out", folder / "venv", folder / "home")


@pytest.fixture(scope="session")
def core(made: Made) -> Path:
    with zipfile.ZipFile(made.wheel) as held:
        (name,) = [each for each in held.namelist() if re.fullmatch(r"assay/_core\..+\.so", each)]
        return Path(held.extract(name, made.folder / "unpacked"))


def test_they_are_tagged_for_the_c_library_of_2018(made: Made) -> None:
    for path in made.folder.glob("*.whl"):
        tags = re.findall(r"manylinux_(\d+)_(\d+)_x86_64", path.name)
        assert tags and max((int(major), int(minor)) for major, minor in tags) <= GLIBC
        assert path.name.startswith(f"assay-{__version__}-")


def test_it_has_no_library_and_no_header_of_a_devices_vendor(made: Made) -> None:
    """The programs of devices open these as they run."""
    with zipfile.ZipFile(made.wheel) as held:
        names = held.namelist()
    assert any(name.endswith("devices/cuda_functions.hpp") for name in names)
    foreign = re.compile(
        r"lib(cuda|cudart|cublas|nvrtc|nvidia|OpenCL|clblast|pocl|amdhip|hsa)[^/]*|(cl|opencl|cuda|nvrtc|nvml)\.h"
    )
    assert [name for name in names if foreign.fullmatch(name.rpartition("/")[2])] == []


def test_the_stable_one_is_loaded_by_every_later_python(made: Made, tmp_path: Path) -> None:
    """Without any package: the core alone, from the wheel's files."""
    stable = list(made.folder.glob("*-cp312-abi3-*.whl"))
    loads = (
        "import sys; sys.path.insert(0, sys.argv[1]); from assay._core import network as n\nprint(n.simulated_cycles())"
    )
    runs = [name for minor in range(12, 20) if (name := shutil.which(f"python3.{minor}"))]
    runs = [name for name in runs if subprocess.run([name, "-c", ""], capture_output=True).returncode == 0]
    if not stable:
        pytest.skip("needs a Python 3.12 or newer with headers on PATH")
    with zipfile.ZipFile(stable[0]) as held:
        held.extractall(tmp_path)
    for name in runs:
        done = subprocess.run([name, "-P", "-c", loads, str(tmp_path)], capture_output=True, text=True)
        assert done.stdout == "0\n", name + done.stderr
    assert runs


def test_the_core_needs_no_newer_symbol_and_no_other_library(core: Path) -> None:
    """By binutils, where auditwheel reads the file itself."""
    symbols = subprocess.check_output(["objdump", "-T", core], text=True)
    versions = {tuple(map(int, each.split("."))) for each in re.findall(r"GLIBC_([0-9.]+)", symbols)}
    assert max(versions) <= GLIBC
    assert not re.search(r"GLIBCXX|CXXABI", symbols)
    needed = set(re.findall(r"NEEDED +(\S+)", subprocess.check_output(["objdump", "-p", core], text=True)))
    system = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "libgcc_s.so.1", "ld-linux-x86-64.so.2"}
    assert needed <= system


def test_the_core_runs_on_any_x86_64(core: Path) -> None:
    """No register of AVX or AVX-512, and nothing of SSE 3 and later, POPCNT or BMI.

    But for tzcnt, which older processors run as bsf, with the same result as used here.
    """
    code = subprocess.Popen(["objdump", "-d", "--no-show-raw-insn", core], stdout=subprocess.PIPE, text=True)
    later = re.compile(
        r"%[yz]mm|\s(v[a-z0-9]+|popcnt|lzcnt|andn|bextr|bls[ir]|blsmsk|mulx|pdep|pext|r[o]rx|s[ah][lr]x|"
        r"pshufb|palignr|pmulld|round[sp][sd]|pinsr[dq]|pextr[dq]|blend\w+|h?addsubp[sd]|haddp[sd]|ptest|crc32\w)\s"
    )
    assert code.stdout is not None
    found = [line for line in code.stdout if later.search(line) and not re.search(r"\sverr|\sverw", line)]
    assert code.wait() == 0
    assert found == []


def test_a_wheel_holds_what_is_tracked_and_the_core(made: Made) -> None:
    tracked = set(subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines())
    for path in made.folder.glob("*.whl"):
        with zipfile.ZipFile(path) as held:
            names = [each for each in held.namelist() if ".dist-info/" not in each and not each.endswith("/")]
        others = {
            each
            for each in names
            if (each.removeprefix("assay/_source/") if "/_source/" in each else f"src/{each}") not in tracked
        }
        assert {re.sub(r"\..*", "", each) for each in others} <= {"assay/_core", "assay/_commit"}


def test_the_sdist_is_what_is_tracked(made: Made) -> None:
    (sdist,) = made.folder.glob("*.tar.gz")
    tracked = set(subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines())
    with tarfile.open(sdist) as held:
        names = {each.name.partition("/")[2] for each in held.getmembers() if each.isfile()}
    assert names - tracked <= {"PKG-INFO"}
    assert {"LICENSE", "NOTICE", "CMakeLists.txt", "src/assay/__init__.py", "x"} <= names


def test_it_says_its_version(made: Made) -> None:
    said = made.start("--version")
    assert re.fullmatch(rf"assay {re.escape(__version__)}( \(commit [0-9a-f]{{12}}\))?\n", said.stdout), said.stderr


def test_it_simulates_what_a_checkout_does(made: Made) -> None:
    """Compiled for another processor, with another C++ library inside: the same bits."""
    words = ["run", "collective", "--on", "paragon-mp", "-n", "8", "--set", "bytes=1024", "--json"]
    here, there = assay(*words).document, made.start(*words)
    assert there.returncode == 0, there.stderr
    assert json.loads(there.stdout)["figures"] == here["figures"] != []


def test_it_measures_what_a_checkout_does(made: Made) -> None:
    """Every benchmark that this checkout would measure in an evaluation, and no other; each with a figure."""
    planned = {each["benchmark"] for each in assay("plan", "--profile", "quick", "--json").document["tasks"]}
    done = made.start("evaluate", "--profile", "quick", "--launches", "1", "--json")
    document = json.loads(done.stdout)
    measured = {each["benchmark"] for each in document["figures"]}
    assert done.returncode in (0, 1), done.stderr  # 1: one launch may be too few for some figure
    assert measured == planned


def test_a_program_of_ones_own_runs_on_a_described_machine(made: Made, tmp_path: Path) -> None:
    """It is compiled by the system's compiler with the shared libstdc++, and the core has its own inside."""
    shutil.copy(ROOT / "examples" / "exchange.hpp", tmp_path / "exchange.hpp")
    built = made.start("build", "exchange.hpp", cwd=tmp_path)
    assert built.returncode == 0, built.stderr
    ran = made.start("run", "exchange", "--on", "ipsc860", "-n", "4", "--json", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["figures"]
