"""The user's C++ compiler: its name and version, its flags, its error messages."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import os
import platform
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.errors import MeasurementError
from assay.execute import process_tree
from assay.execute.mpi import Mpi, launch_environment
from assay.execute.shell_words import shell_words
from assay.since_start import within

DEFAULT_FLAGS = "-O3 -march=native"
_ANSWERS_WITHIN = 30.0  # s, for --version
# g++ 12 takes a text that is joined to another for a copy onto itself (its bug 105651); clang++ has no such warning
_WARNINGS = ("-Wall", "-Wextra", "-Werror", "-Wno-unknown-warning-option", "-Wno-restrict")
_CANDIDATES = ("g++", "clang++", "c++")
_LINKER_FAILED = re.compile(r"\b(?:ld|linker command) (?:returned|failed)\b")  # of gcc and of clang
_NOT_AWAITED = re.compile(r"(Simulated::\w+|mpi::Ready<.*|ranks::Task)\W.*nodiscard")
_ADVICE = "install one (apt-get install g++) or name another in CXX"
_NAMES = re.compile(r"(?:g\+\+|clang\+\+|icpx|icpc|nvc\+\+|armclang\+\+)(?:-\d+)?")


@dataclass(frozen=True)
class Compiler:
    """A compiler as it is called: `words` (the wrapper too), `identity` as people name it, flags, what it links."""

    words: tuple[str, ...]
    identity: str
    version: str
    flags: str
    mpi: Mpi | None
    environment: tuple[tuple[str, str], ...]
    libraries: tuple[str, ...] = ()

    @property
    def release(self) -> str:
        """Its version without the name of the command: c++ and g++ can be one compiler."""
        return self.version.partition(" ")[2]

    def make(self, name: str, command: Sequence[str], made: Path, timeout: float) -> None:
        """Run a command that makes the file `made`; MeasurementError names the first errors and the command.

        It is ended after `timeout` seconds, and at the end of `since_start.ending_at`.
        The compiler's temporary files are in the same folder, which the caller removes: a killed one leaves them.
        """
        environment = launch_environment(os.environ) | dict(self.environment) | {"TMPDIR": str(made.parent)}
        timeout = within(timeout)
        ended, output = process_tree.ask(command, timeout=timeout, environment=environment)
        shown = shlex.join(command)
        if ended.missing:
            raise MeasurementError(f"{name}: `{command[0]}` could not be started: {ended.missing}")
        if ended.timed_out:
            raise MeasurementError(f"{name}: the compiler timed out after {timeout:g} s: {shown}")
        if any(ended.statuses) or not made.exists():
            raise MeasurementError(f"{name} does not compile: {first_errors(output)}; the command: {shown}")

    def command(
        self, source: Path, program: Path, root: Path, defines: Mapping[str, str], objects: Sequence[Path] = ()
    ) -> tuple[str, ...]:
        """The whole command that compiles `source` to `program`; `root` is the programs' include root.

        `objects` are linked to it.
        """
        stated = {
            "ASSAY_COMPILER": f'"{self.identity}"',
            "ASSAY_FLAGS": f'"{self.flags}"',
            **defines,
        }
        return (
            *self.words,
            "-std=c++20",
            *_strictness(source, root),
            *shlex.split(self.flags),
            f"-I{root}",
            *(f"-D{name}={value}" for name, value in stated.items()),
            str(source),
            *map(str, objects),
            "-o",
            str(program),
            "-pthread",
            *shlex.split(dict(self.environment).get("LDFLAGS", "")),
            *self.libraries,
        )

    def object_command(self, source: Path, made: Path, root: Path, before: Sequence[Path] = ()) -> tuple[str, ...]:
        """The command that compiles `source` to the object file `made`, which programs of these flags link.

        `before`: sources that are compiled with it, as if it included them first.
        """
        flags = shlex.split(self.flags)
        strict = _strictness(source, root)
        included = [word for path in before for word in ("-include", str(path))]
        words = (*self.words, "-std=c++20", *strict, *flags, f"-I{root}", "-pthread", *included)
        return (*words, "-c", str(source), "-o", str(made))

    def key(self) -> str:
        """All that a binary depends on besides its sources: compiler, flags, processor, MPI; not what starts it."""
        parts = [
            *self.words,
            self.version,
            self.flags,
            *self.libraries,
            processor(),
            *(f"{k}={v}" for k, v in self.environment),
        ]
        return "\n".join([*parts, repr(self.mpi and replace(self.mpi, mpiexec=""))])


def _strictness(source: Path, root: Path) -> tuple[str, ...]:
    """Have a warning in Assay's own sources be an error where ASSAY_STRICT is set, as in its tests."""
    strict = os.environ.get("ASSAY_STRICT") and root in source.parents
    return _WARNINGS if strict else ()


def find_compiler(
    environment: Mapping[str, str] | None = None, mpi: Mpi | None = None, advice: str = f"; {_ADVICE}"
) -> Compiler:
    """The compiler that CXX names (else g++, clang++, c++), behind `mpi`'s wrapper where given.

    MeasurementError where it is missing, hangs or does not answer `--version`: its last words are `advice`.
    """
    env = dict(os.environ if environment is None else environment)
    flags = env.get("CXXFLAGS") or DEFAULT_FLAGS
    kept = {name: env[name] for name in ("LDFLAGS",) if env.get(name)}
    named = tuple(shell_words(env.get("CXX", ""), "CXX", "a compiler, such as g++"))
    for name, text in {"CXXFLAGS": flags, **kept}.items():
        shell_words(text, name, "words, such as '-O2 -g'")
    candidates = [named] if named else [(name,) for name in _CANDIDATES]
    if mpi is not None:
        # The wrappers take the compiler behind them from their own variables.
        if named:
            kept |= {"OMPI_CXX": env["CXX"], "MPICH_CXX": env["CXX"], "I_MPI_CXX": env["CXX"]}
        candidates = [(mpi.mpicxx,)]
    failure = ""
    for words in candidates:
        try:
            version = _version(words, launch_environment(env) | kept)
        except MeasurementError as error:
            failure = failure or str(error)
            continue
        return Compiler(words, _identity(words, version), version, flags, mpi, tuple(sorted(kept.items())))
    raise MeasurementError(f"{failure}{advice}")


def compilers_here(path: str) -> list[str]:
    """C++ compilers on `path` that people name as such."""
    found: set[str] = set()
    for folder in filter(None, path.split(os.pathsep)):
        with contextlib.suppress(OSError):
            found |= {each.name for each in os.scandir(folder) if _NAMES.fullmatch(each.name)}
    return sorted(each for each in found if shutil.which(each, path=path))


def _version(words: tuple[str, ...], env: Mapping[str, str]) -> str:
    called = " ".join(words)
    ended, output = process_tree.ask([*words, "--version"], timeout=_ANSWERS_WITHIN, environment=env)
    if ended.missing:
        raise MeasurementError(f"compiler `{called}`: there is no such program")
    if ended.timed_out:
        raise MeasurementError(
            f"compiler `{called}` hangs: `{called} --version` gave no answer in {ended.seconds:.2g} s"
        )
    if any(ended.statuses):
        raise MeasurementError(f"compiler `{called}` fails even at --version: {_opening(output)}")
    return output.strip()


def _opening(output: str) -> str:
    """Give the first paragraph in one line, without the rules that wrappers draw around their messages."""
    lines = (line.strip() for line in output.splitlines())
    text = itertools.dropwhile(lambda line: not line, (line if line.strip("-=*") else "" for line in lines))
    return " ".join(itertools.takewhile(bool, text)).rstrip(".") or "no message"


def _identity(words: tuple[str, ...], version: str) -> str:
    """Its usual name, from the output of --version: `g++ 12.2.0`, `clang++ 14.0.6`."""
    gnu, clang = "Free Software Foundation" in version, "clang version" in version
    name = "g++" if gnu else "clang++" if clang else Path(words[0]).name
    numbers = re.findall(r"\d+(?:\.\d+)+", version.partition("\n")[0])
    number = (numbers[-1] if gnu else numbers[0]) if numbers else "of unknown version"
    return re.sub(r"[^\w+.() -]", "", f"{name} {number}")


@functools.cache
def processor() -> str:
    """What -march=native sees: architecture, the processor's model and its features, as one short text."""
    try:
        text = Path("/proc/cpuinfo").read_text(errors="replace")
    except OSError:
        text = ""
    model = re.search(r"^(?:model name|CPU part|cpu)\s*:\s*(.+)$", text, re.MULTILINE)
    features = sorted(_features(text))
    digest = hashlib.sha256(" ".join(features).encode()).hexdigest()[:12] if features else "-"
    return f"{platform.machine()} {model.group(1).strip() if model else '-'} {digest}"


@functools.cache
def processor_features() -> frozenset[str]:
    """What Linux calls the features of this processor; empty where it is unknown."""
    try:
        return frozenset(_features(Path("/proc/cpuinfo").read_text(errors="replace")))
    except OSError:
        return frozenset()


def _features(text: str) -> list[str]:
    found = re.search(r"^(?:flags|Features|isa)\s*:\s*(.+)$", text, re.MULTILINE)
    return found.group(1).split() if found else []


def first_errors(output: str, limit: int = 3) -> str:
    """The first lines of a compiler's words that state an error, joined; else its first lines.

    That the linker failed comes last: its own message precedes it and gives the reason.
    """
    every = [line.strip() for line in output.splitlines() if line.strip()]
    lines = [line for line in every if not _LINKER_FAILED.search(line)] or every
    errors = [line for line in lines if re.search(r"\b(fatal )?error\b|undefined reference", line)]
    hint = "; co_await is missing before this call" if _NOT_AWAITED.search(" ".join(errors[:limit])) else ""
    return (" / ".join((errors or lines)[:limit]) or "it printed nothing") + hint
