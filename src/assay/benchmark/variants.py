"""Variants of a run: how kernels are compiled, or by which MPI and transport ranks exchange messages.

A variant is a factor of a run's plan: its parts are parameters of every case that it was measured in. By a build
variant only sources that a record names under `[unit.NAME]` are compiled; clock, sampler and check never are. An MPI
variant compiles and starts the same message-passing program by another MPI, has it use another transport, or compiles
the whole of it by another compiler, with the same flags.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from assay.benchmark.record import Benchmark
from assay.case import Case, Parameters

KEYS = ("compiler", "flags", "isa")
MPI_KEYS = ("mpi", "transport")
WITHOUT_ISA = "default"  # the compiler's own choice: no -march
USUAL = "default"  # the MPI and the compiler of a run without variants; the transport that an MPI chooses itself


@dataclass(frozen=True)
class Variant:
    """One compiler as it is called, optimisation flags, and what -march says (`default`: nothing)."""

    compiler: str
    flags: str
    isa: str

    @property
    def factors(self) -> dict[str, str]:
        """Its parts as parameters of a case."""
        return asdict(self)

    @property
    def words(self) -> str:
        """The flags that the compiler is given."""
        return self.flags if self.isa == WITHOUT_ISA else f"-march={self.isa} {self.flags}"

    @property
    def title(self) -> str:
        """The compiler with its flags."""
        return f"{self.compiler} {self.words}"

    @staticmethod
    def of(case: Parameters) -> Variant | None:
        """The build variant that a case was measured in; None where it was in none."""
        parts = [case.get(key) for key in KEYS]
        return Variant(*map(str, parts)) if all(isinstance(part, str) for part in parts) else None


@dataclass(frozen=True)
class MpiVariant:
    """One MPI as it was named (a compiler wrapper, or the folder of an installation), what carries its messages, and
    the compiler of the programs.
    """

    mpi: str
    transport: str
    compiler: str = USUAL

    @property
    def factors(self) -> dict[str, str]:
        """Its parts as parameters of a case; a compiler where one was named."""
        return {key: value for key, value in asdict(self).items() if key in MPI_KEYS or value != USUAL}

    @property
    def title(self) -> str:
        """All parts in one."""
        return " ".join(self.factors.values())

    @staticmethod
    def of(case: Parameters) -> MpiVariant | None:
        """The MPI variant that a case was measured in; None where it was in none."""
        parts = [case.get(key) for key in MPI_KEYS]
        mpi, transport = parts
        if not isinstance(mpi, str) or not isinstance(transport, str):
            return None
        return MpiVariant(mpi, transport, str(case.get("compiler", USUAL)))


AnyVariant = Variant | MpiVariant


def variant_of(case: Parameters) -> AnyVariant | None:
    """The variant of either kind that a case was measured in; None where it was in none."""
    return Variant.of(case) or MpiVariant.of(case)


def varied_by(record: Benchmark, variants: Sequence[AnyVariant]) -> list[AnyVariant]:
    """Those of `variants` that a benchmark is measured in: of builds with kernels of its own, of MPIs with ranks."""
    return [each for each in variants if (exchanges(record) if isinstance(each, MpiVariant) else record.units)]


def exchanges(record: Benchmark) -> bool:
    """Whether a benchmark's ranks exchange messages by a transport that can be chosen: a process that they start
    themselves is reached by TCP only.
    """
    return record.kind == "ranks" and not record.host


def without(case: Parameters) -> Case:
    """A case without its variant."""
    variant = variant_of(case)
    return Case(case).without(() if variant is None else variant.factors)


def labels(variants: Sequence[AnyVariant]) -> dict[AnyVariant, str]:
    """What tells each of several variants from the others; of a single one its flags, or its MPI and transport."""
    keys = dict.fromkeys(key for each in variants for key in each.factors)
    parts = {key for key in keys if len({each.factors[key] for each in variants}) > 1} or {"flags", *MPI_KEYS}
    return {each: " ".join(value for key, value in each.factors.items() if key in parts) for each in variants}
