"""The kernels with whose rates a node computes: what a unit of work is, and which other rate substitutes for it.

One table for node programs (a record's `[described] kernel`) and for rank programs (`compute(Work{"KERNEL", count},
body)`, a record's `computes`). A kernel of which `[compute]` has no rate has that of the first of `like` that it has.
`read`, `written`: bytes per unit of work that pass between a processor and memory where the data fit no cache. Where
`[compute]` has both rate and cached of a kernel, these give the bus's share. `beyond`: the same (read, written) where
the caches do not even hold what a loop reuses (`memory` of Work): lines of a
transform, the rows around a row. tests/test_nas_traffic.py counts them by a simulated cache. A person's own programs
may name kernels of their own, which have neither.
"""

from __future__ import annotations

from dataclasses import dataclass

COMPILED = ("compiled", "linpack")  # a compiler's code, whatever the loop


@dataclass(frozen=True)
class WorkKind:
    """A kind of work: its unit, what it is, kernels whose rate substitutes for it; bytes from and to memory per unit.

    `made_of`: where none is stated, a unit takes these shares of units of other kernels, one after another.
    """

    unit: str
    meaning: str
    like: tuple[str, ...] = ()
    read: float = 0.0
    written: float = 0.0
    made_of: tuple[tuple[str, float], ...] = ()
    beyond: tuple[float, float] | None = None

    @property
    def traffic(self) -> float:
        """Bytes per unit, in and out."""
        return self.read + self.written


KERNELS: dict[str, WorkKind] = {
    "stream": WorkKind("B", "bytes to or from memory, which [node] bus bounds", (), 1.0),
    "compiled": WorkKind("flop", "what a compiler makes of any loop, where nothing better is stated", ("linpack",)),
    "linpack": WorkKind(
        "flop", "LINPACK's solver by columns: multiples of vectors added to others", ("axpy", "compiled")
    ),
    "dot": WorkKind("flop", "inner product of two vectors", COMPILED, 8.0),
    "axpy": WorkKind("flop", "x = x + a y", COMPILED, 8.0, 4.0),
    "zaxpy": WorkKind("flop", "the same of complex numbers", COMPILED, 4.0, 2.0),
    "gemv": WorkKind("flop", "matrix-vector product as a whole", ("axpy", *COMPILED), 4.0),
    "cholesky": WorkKind(
        "flop", "Cholesky factorisation, untuned: of two operands one is read from memory", COMPILED, 4.0
    ),
    "float32_cholesky": WorkKind("flop", "the same in single precision", ("cholesky", *COMPILED), 2.0),
    "gemm": WorkKind("flop", "products of blocks of a matrix, out of the cache or registers", COMPILED),
    "float32_gemm": WorkKind("flop", "the same in single precision", ("gemm", *COMPILED)),
    "jacobi": WorkKind(
        "flop", "five-point sweep over a grid: a point read and one written for four flops", COMPILED, 2.0, 2.0
    ),
    "integration": WorkKind("flop", "numerical integration, all in registers", COMPILED),
    "livermore": WorkKind("flop", "the Livermore loops, by the harmonic mean of their rates", COMPILED),
    "fft": WorkKind(
        "flop",
        "Fourier transform, 5 n log2 n flops by convention: a line of 256 once in and out, or in each step of four",
        COMPILED,
        0.4,
        0.4,
        beyond=(2.4, 2.4),
    ),
    "wavelet": WorkKind("flop", "wavelet transform", COMPILED),
    "ep": WorkKind("flop", "pairs of random deviates of the NAS kernel EP: 49.7 flops per number", COMPILED),
    "mg": WorkKind(
        "flop",
        "stencils of the NAS kernel MG over grids: of nine rows three are new, or all come from memory",
        COMPILED,
        1.7,
        0.5,
        beyond=(3.8, 1.0),
    ),
    "cg": WorkKind("flop", "products of the NAS kernel CG: a value and its column per two flops", COMPILED, 6.0),
    "is": WorkKind(
        "1",
        "a key of the NAS kernel IS put into its bucket, or counted: indices and counts, four integer additions",
        (),
        12.0,
        8.0,
        made_of=(("int32_add", 4.0),),
    ),
    "pulsars": WorkKind("flop", "steps of pulsars that are followed one by one, all in registers", COMPILED),
    "slalom": WorkKind("flop", "form factors, and a factorisation by panels of a few columns", COMPILED),
    "lattice": WorkKind(
        "flop",
        "lattice Boltzmann, 229 flops and 456 bytes per cell: without a rate of compiled code as dot reads these",
        COMPILED,
        made_of=(("dot", 57 / 229),),
    ),
    "colloid": WorkKind(
        "flop",
        "forces between charged spheres in a cache: polynomials, for all that exp, erfc and roots are",
        (*COMPILED, "polynomial9"),
    ),
    "scattering": WorkKind(
        "flop",
        "elimination of complex columns by zaxpy, the pivot's column in the cache, each other one read and written",
        ("zaxpy", *COMPILED),
        2.0,
        2.0,
    ),
    "integrals": WorkKind(
        "flop", "repulsion integrals over Gaussian functions, in the first cache", ("polynomial9", *COMPILED)
    ),
    "eigenvalues": WorkKind("flop", "eigenvalues of a symmetric matrix", COMPILED),
    "broadcast": WorkKind("flop", "z = a; a kernel without arithmetic counts one per element", (), 0.0, 8.0),
    "assign": WorkKind("flop", "z = x", (), 8.0, 8.0),
    "add": WorkKind("flop", "z = x + y", (), 16.0, 8.0),
    "subtract": WorkKind("flop", "z = x - y", (), 16.0, 8.0),
    "multiply": WorkKind("flop", "z = x y", (), 16.0, 8.0),
    "divide": WorkKind("flop", "z = x / y", (), 16.0, 8.0),
    "triad": WorkKind("flop", "z = x + a y", (), 8.0, 4.0),
    "rotation": WorkKind("flop", "z = x y + u v", (), 32 / 3, 8 / 3),
    "recursion1": WorkKind("flop", "x_i = a x_(i-1) + y_i", (), 4.0, 4.0),
    "recursion2": WorkKind("flop", "x_i = a x_(i-1) + b x_(i-2) + y_i", (), 2.0, 2.0),
    "difference2": WorkKind("flop", "z_i = x_i - 2 x_(i+1) + x_(i+2)", (), 8 / 3, 8 / 3),
    "polynomial9": WorkKind("flop", "z = c_0 + x (c_1 + ... + x c_9)", (), 8 / 18, 8 / 18),
    "integer": WorkKind("1", "an addition of the machine's own int and its assignment", ("int32_add",)),
    "int16_add": WorkKind("1", "an addition of scalars of 16 bits and its assignment"),
    "int32_add": WorkKind("1", "the same of 32 bits"),
    "int16_multiply": WorkKind("1", "a multiplication of scalars of 16 bits and its assignment"),
    "int32_multiply": WorkKind("1", "the same of 32 bits"),
    "int16_compound": WorkKind(
        "1", "a b + c d + e f of 16 bits, by operations", made_of=(("int16_multiply", 3 / 5), ("int16_add", 2 / 5))
    ),
    "int32_compound": WorkKind("1", "the same of 32 bits", made_of=(("int32_multiply", 3 / 5), ("int32_add", 2 / 5))),
    "float32_add": WorkKind("flop", "an addition of scalars and its assignment, one after another"),
    "float64_add": WorkKind("flop", "the same in double precision"),
    "float32_multiply": WorkKind("flop", "a multiplication of scalars and its assignment"),
    "float64_multiply": WorkKind("flop", "the same in double precision"),
    "float32_compound": WorkKind(
        "flop", "a b + c d + e f, by operations", made_of=(("float32_multiply", 3 / 5), ("float32_add", 2 / 5))
    ),
    "float64_compound": WorkKind(
        "flop", "the same in double precision", made_of=(("float64_multiply", 3 / 5), ("float64_add", 2 / 5))
    ),
    "floatmath": WorkKind(
        "flop",
        "add, multiply, subtract and divide in turn, a division counts as a multiplication",
        made_of=(("float64_add", 1 / 2), ("float64_multiply", 1 / 2)),
    ),
    "device_memory": WorkKind("B", "bytes that a kernel streams from and to a device's memory ([device] memory)"),
    "device_float64": WorkKind("flop", "arithmetic of a device's kernel in double precision ([device] peak)"),
    "device_float32": WorkKind("flop", "the same in single precision"),
    "device_float16": WorkKind("flop", "the same in half precision"),
    "device_link": WorkKind("B", "bytes between a host and its device, either way ([device] link)"),
    "device_launch": WorkKind("1", "a launch of a device's kernel ([device] launch)"),
    "turn": WorkKind("1", "a turn of a loop that only computes (1 ns by default)"),
    "pack": WorkKind("B", "bytes packed or unpacked in a rank's own memory (nothing by default)"),
    "copy": WorkKind("B", "bytes copied in a rank's own memory (nothing by default)"),
    "maximum": WorkKind("B", "bytes of which a reduction takes the greatest (nothing by default)"),
    "rearrange": WorkKind("B", "bytes rearranged in a rank's own memory (nothing by default)"),
    "gather": WorkKind("B", "bytes that a rank receives as it gathers (nothing by default)"),
}


def stand_ins(kernel: str) -> tuple[str, ...]:
    """The kernels whose rate a kernel has, the first that is stated: itself, then those it is like."""
    known = KERNELS.get(kernel)
    return (kernel, *(each for each in known.like if each != kernel)) if known else (kernel,)
