"""Build variants as a command line request them: their product, and what refuses variants before measuring."""

from __future__ import annotations

import functools
import itertools
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.benchmark.record import Benchmark, benchmark, benchmarks
from assay.benchmark.variants import WITHOUT_ISA, AnyVariant, MpiVariant, Variant, exchanges, varied_by
from assay.errors import InputError, MeasurementError
from assay.execute import process_tree
from assay.execute.compiler import Compiler, compilers_here, find_compiler, first_errors, processor_features
from assay.execute.mpi import launch_environment
from assay.execute.stale_files import temporary_folder

TRIAL_WITHIN = 60.0  # s, one small source
_TRIAL = "double assay_trial(const double* x, long n) {{\n  double sum = 0;\n{loop}  return sum;\n}}\n".format(
    loop="  for (long i = 0; i < n; ++i) sum += x[i] * x[i];\n"
)
_SILENT = ("-Werror=unused-command-line-argument", "-Werror=ignored-optimization-argument")  # clang only warns of these
# instruction sets that a compiler uses for loops, as their macros are called, and what /proc/cpuinfo calls them
_SETS = re.compile(r"#define __((?:SSE|SSSE|AVX|FMA|F16C|BMI|POPCNT|LZCNT|MOVBE|XOP)\w*?)__ 1$", re.MULTILINE)
_LINUX_NAMES = {"sse3": "pni", "lzcnt": "abm", "bmi": "bmi1"}
# what a compiler makes of a source or where, what it prints, and what is for the linker
_NO_OPTIMISATION = re.compile(
    r"-(?:[cSErv]|[oMlL].*|d[A-Z]\w*|dump.*|print-.*|save-temps.*|fsyntax-only|shared|static|###|-?help.*|-version)"
)
_NO_FEATURE = re.compile(r"sse2?math")


@dataclass(frozen=True)
class VariedProgram:
    """A program whose kernels are compiled by one variant, as build() takes it."""

    program: Benchmark
    variant: Variant

    @property
    def name(self) -> str:
        """Its own: the program's with the variant's parts."""
        from assay.execute.plan import varied_name

        return varied_name(self.program.name, self.variant.factors)

    @property
    def path(self) -> Path:
        """The file that holds the program."""
        return self.program.path

    @property
    def kind(self) -> str:
        """`node` or `ranks`."""
        return self.program.kind

    @property
    def extra(self) -> Mapping[str, Any]:
        """Further keys of the record."""
        return self.program.extra


def product(compilers: Sequence[str], flags: Sequence[str], isas: Sequence[str]) -> tuple[Variant, ...]:
    """All combinations of what was given; of what was not, what programs are compiled by (CXX, CXXFLAGS).

    () where nothing was given. InputError where a value is given twice, or is no flag.
    """
    if not (compilers or flags or isas):
        return ()
    usual = find_compiler()
    own = shlex.split(usual.flags)
    march = [word.removeprefix("-march=") for word in own if word.startswith("-march=")]
    rest = shlex.join(word for word in own if not word.startswith("-march="))
    given = {
        "--compiler": [each.strip() for each in compilers] or [shlex.join(usual.words)],
        "--flags": [_flags(each) for each in flags] or [rest or "-O0"],
        "--isa": list(isas) or (march[-1:] or [WITHOUT_ISA]),
    }
    for key, values in given.items():
        for value in values:
            if not value:
                raise InputError("names nothing", key=key, value=value, accepted=_accepted(key))
            if values.count(value) > 1:
                raise InputError("is given twice", key=key, value=value, accepted="each value once")
    for isa in given["--isa"]:
        if not re.fullmatch(r"[\w.+-]+", isa):
            raise InputError("is no instruction set", key="--isa", value=isa, accepted=_accepted("--isa"))
    return tuple(Variant(*parts) for parts in itertools.product(*given.values()))


def _accepted(key: str) -> str:
    """What `--compiler`, `--flags` or `--isa` may be given on this host."""
    if key == "--isa":
        return "native, x86-64-v3, default, …"
    if key == "--flags":
        return "the compiler's own flags for optimisation, such as '-O2' or '-O3 -ffast-math'"
    return ", ".join(compilers_here(os.environ.get("PATH", os.defpath))) or "a C++ compiler (apt-get install g++)"


def _flags(text: str) -> str:
    """One set of flags, blanks evened out. InputError where a word is no flag, or repeats --isa."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise InputError(f"cannot be read ({error})", key="--flags", value=text) from None
    for word in words:
        if _NO_OPTIMISATION.fullmatch(word):
            accepted = _accepted("--flags")
            raise InputError("is no option of optimisation", key="--flags", value=word, accepted=accepted)
        if not word.startswith("-") or word == "-":
            raise InputError("is no flag", key="--flags", value=word, accepted="words that begin with -")
        if word.startswith(("-std=", "-x")):
            raise InputError("chooses a language", key="--flags", value=word, accepted="flags of C++20, of the kernels")
        if word.startswith("-march="):
            accepted = f"--isa {word.removeprefix('-march=')}"
            raise InputError("names an instruction set", key="--flags", value=word, accepted=accepted)
    if not words:
        raise InputError("names no flag", key="--flags", value=text, accepted="-O0, -O2, '-O3 -ffast-math', …")
    return shlex.join(words)


def taken_by(names: Sequence[str], variants: Sequence[AnyVariant]) -> list[str]:
    """Those of `names` that are measured in variants."""
    return [name for name in names if varied_by(benchmark(name), variants)]


def admit(names: Sequence[str], variants: Sequence[AnyVariant], *, every: bool, here: bool) -> None:
    """Refuse what cannot be compiled or executed, before anything is measured.

    `every`: each of `names` must take variants, else one of them. `here`: this host's processor executes them.
    InputError names the compiler, the flag or the instruction set, the MPI or the transport, or what takes variants.
    """
    if not variants:
        return
    able = taken_by(names, variants)
    if not able or (every and len(able) < len(names)):
        other = ", ".join(name for name in names if name not in able)
        if isinstance(variants[0], MpiVariant):
            known = "benchmarks that pass messages: echo, collective, patterns, … (`assay catalogue --benchmarks`)"
            raise InputError(f"{other}: is measured without MPI", key="--mpi, --transport", accepted=known)
        known = ", ".join(name for name, record in benchmarks().items() if record.units)
        problem = f"{other}: the kernel is not compiled separately: flags would affect clock and check"
        key = "--compiler, --flags, --isa"
        if all(map(exchanges, map(benchmark, names))):
            key, known = "--flags, --isa", f"--compiler alone; benchmarks of kernels: {known}"
        raise InputError(problem, key=key, accepted=known)
    for variant in variants:
        if isinstance(variant, MpiVariant):
            continue  # execute/mpi_variants.py has looked for it
        compiler = compiler_of(variant)
        _admit(compiler, variant, find_compiler())
        if here:
            _executable(compiler, variant)


def compiler_of(variant: Variant) -> Compiler:
    """The compiler of a variant with its flags. InputError where it is not there or does not answer."""
    found = named_compiler(variant.compiler, os.environ.get("PATH", ""))
    return replace(found, flags=variant.words)


@functools.lru_cache(maxsize=64)
def named_compiler(words: str, path: str) -> Compiler:
    """The compiler that `words` call, found on `path`. InputError where it is not there or does not answer."""
    try:
        return find_compiler({**os.environ, "CXX": words, "CXXFLAGS": "-O0"}, advice="")
    except (MeasurementError, ValueError) as error:
        raise InputError(str(error), key="--compiler", value=words, accepted=_accepted("--compiler")) from None


@functools.lru_cache(maxsize=64)
def _admit(compiler: Compiler, variant: Variant, usual: Compiler) -> None:
    """Compile a small source by the variant, and link a program of ours with it."""
    alone = () if variant.isa == WITHOUT_ISA else (f"-march={variant.isa}",)
    refused = _trial(compiler, alone, usual)
    if refused and (reason := _trial(compiler, (), usual)):
        raise InputError(
            f"compiles no C++: {reason}", key="--compiler", value=variant.compiler, accepted=_accepted("--compiler")
        )
    if refused:
        raise InputError(
            f"{compiler.identity} refuses it: {refused}", key="--isa", value=variant.isa, accepted=_accepted("--isa")
        )
    refused = _trial(compiler, (*alone, *shlex.split(variant.flags)), usual)
    if refused:
        raise InputError(
            f"{compiler.identity} refuses it: {refused}",
            key="--flags",
            value=variant.flags,
            accepted=_accepted("--flags"),
        )


def _trial(compiler: Compiler, flags: tuple[str, ...], usual: Compiler) -> str | None:
    with temporary_folder("assay-variant-") as scratch:
        folder = scratch
        (folder / "kernel.cpp").write_text(_TRIAL)
        (folder / "main.cpp").write_text("int main() {}\n")
        kernel = (*compiler.words, "-std=c++20", *flags, "-c", "kernel.cpp", "-o", "kernel.o")
        if compiler.identity.startswith("clang"):
            kernel = (*kernel, *_SILENT)
        whole = (*usual.words, "main.cpp", "kernel.o", "-o", "program", "-pthread")
        for command, made in ((kernel, "kernel.o"), (whole, "program")):
            words = ("sh", "-c", 'cd "$0" && exec "$@"', str(scratch), *command)
            environment = launch_environment(os.environ) | {"LC_ALL": "C", "TMPDIR": str(scratch)}
            ended, output = process_tree.ask(words, timeout=TRIAL_WITHIN, environment=environment)
            if ended.missing or ended.timed_out or any(ended.statuses) or not (folder / made).exists():
                return re.sub(r"[‘’]", "'", first_errors(output, 1)) or "no message"
    return None


def _executable(compiler: Compiler, variant: Variant) -> None:
    """InputError where the compiler may use instructions that this processor lacks, as far as Linux names them."""
    features = {name.replace("_", "") for name in processor_features()}
    if "sse2" not in features:  # no x86: a launch that ends by an illegal instruction reports it
        return
    command = (*compiler.words, *shlex.split(variant.words), "-dM", "-E", "-x", "c++", "/dev/null")
    _, output = process_tree.ask(command, timeout=TRIAL_WITHIN, environment=launch_environment(os.environ))
    sets = [name.lower().replace("_", "") for name in _SETS.findall(output)]
    wanted = dict.fromkeys(_LINUX_NAMES.get(each, each) for each in sets if not _NO_FEATURE.fullmatch(each))
    lacking = [each for each in wanted if each not in features]
    if lacking:
        option = "--isa" if variant.isa != WITHOUT_ISA else "--flags"
        problem = f"this processor cannot execute it: it has no {', '.join(lacking)}"
        value = variant.isa if option == "--isa" else variant.flags
        raise InputError(problem, key=option, value=value, accepted="native, or what it has")
