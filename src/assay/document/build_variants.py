"""Variants of a run, compared: what each was made by or run with, what differs, whose results are wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from assay.document.comparison import FigureRow, JudgedRow
from assay.document.json_form import WRITTEN_IF_SET
from assay.document.params import Params


@dataclass(frozen=True, kw_only=True)
class VariantBuild:
    """One variant: its `label` among those of the run, its parts, the compiler or MPI that it is (`by`), commands.

    Of a build variant `compiler`, `flags` and `isa`, of an MPI variant `mpi`, `transport` and, where it was named, the
    `compiler` of the whole program; its environment and that compiler's version are in `commands` then.
    """

    label: str
    compiler: str | None = None
    flags: str | None = None
    isa: str | None = None
    mpi: Annotated[str | None, WRITTEN_IF_SET] = None
    transport: Annotated[str | None, WRITTEN_IF_SET] = None
    by: str | None
    version: str | None
    commands: list[str]


@dataclass(frozen=True, kw_only=True)
class WrongResult:
    """A check that failed in one variant: its benchmark and case, and its message."""

    label: str
    benchmark: str
    params: Params
    detail: str
    text: str


@dataclass(frozen=True, kw_only=True)
class VectorisedKernel:
    """What the compilers made of one function, variant by variant (execute/vectorised.py).

    `bits`: width of the widest register of its packed arithmetic, 0 where all is scalar; `texts` the same in words.
    None where a variant's object holds no such function (it became part of another), or it is unknown.
    """

    benchmark: str
    kernel: str
    bits: list[int | None]
    texts: list[str | None]


@dataclass(frozen=True, kw_only=True)
class BuildVariants:
    """The variants in the order in which they were given; `rows` compare each with the first one.

    `vectorised` is None without a disassembler.
    """

    builds: list[VariantBuild]
    rows: list[JudgedRow | FigureRow]
    wrong: list[WrongResult]
    vectorised: list[VectorisedKernel] | None
