"""The kernels by whose rates a described node computes: what a unit of work is, and which other rate stands for it.

One table for node programs (a record's `[described] kernel`) and for rank programs (`compute(Work{"KERNEL", count},
body)`, a record's `computes`). A kernel of which `[compute]` has no rate has that of the first of `like` that it has.
`read`, `written`: bytes per unit of work that pass between a processor and memory where the data fit no cache. Where
`[compute]` has both rate and cached of a kernel, these say what the bus takes. A person's own programs may name kernels
of their own, which have neither.
"""

from __future__ import annotations

from dataclasses import dataclass

COMPILED = ("compiled", "linpack")  # a compiler's code, whatever the loop


@dataclass(frozen=True)
class Kernel:
    """A kind of work: its unit, what it is, kernels whose rate stands for it; bytes from and to memory per unit."""

    unit: str
    meaning: str
    like: tuple[str, ...] = ()
    read: float = 0.0
    written: float = 0.0

    @property
    def traffic(self) -> float:
        """Bytes per unit, in and out."""
        return self.read + self.written


KERNELS: dict[str, Kernel] = {
    "stream": Kernel("B", "bytes to or from memory, which [node] bus bounds", (), 1.0),
    "compiled": Kernel("flop", "what a compiler makes of any loop, where nothing better is stated", ("linpack",)),
    "linpack": Kernel("flop", "LINPACK's solver by columns: multiples of vectors added to others", ("axpy", "compiled")),
    "dot": Kernel("flop", "inner product of two vectors", COMPILED, 8.0),
    "axpy": Kernel("flop", "x = x + a y", COMPILED, 8.0, 4.0),
    "zaxpy": Kernel("flop", "the same of complex numbers", COMPILED, 4.0, 2.0),
    "gemv": Kernel("flop", "matrix-vector product as a whole", ("axpy", *COMPILED), 4.0),
    "cholesky": Kernel("flop", "Cholesky factorisation, untuned: of two operands one is read from memory", COMPILED, 4.0),
    "jacobi": Kernel("flop", "five-point sweep over a grid: a point read and one written for four flops", COMPILED, 2.0, 2.0),
    "integration": Kernel("flop", "numerical integration, all in registers", COMPILED),
    "livermore": Kernel("flop", "the Livermore loops, by the harmonic mean of their rates", COMPILED),
    "fft": Kernel("flop", "Fourier transform, 5 n log2 n flops by convention", COMPILED),
    "wavelet": Kernel("flop", "wavelet transform", COMPILED),
    "eigenvalues": Kernel("flop", "eigenvalues of a symmetric matrix", COMPILED),
    "broadcast": Kernel("flop", "z = a; a kernel without arithmetic counts one per element", (), 0.0, 8.0),
    "assign": Kernel("flop", "z = x", (), 8.0, 8.0),
    "add": Kernel("flop", "z = x + y", (), 16.0, 8.0),
    "subtract": Kernel("flop", "z = x - y", (), 16.0, 8.0),
    "multiply": Kernel("flop", "z = x y", (), 16.0, 8.0),
    "divide": Kernel("flop", "z = x / y", (), 16.0, 8.0),
    "triad": Kernel("flop", "z = x + a y", (), 8.0, 4.0),
    "rotation": Kernel("flop", "z = x y + u v", (), 32 / 3, 8 / 3),
    "recursion1": Kernel("flop", "x_i = a x_(i-1) + y_i", (), 4.0, 4.0),
    "recursion2": Kernel("flop", "x_i = a x_(i-1) + b x_(i-2) + y_i", (), 2.0, 2.0),
    "difference2": Kernel("flop", "z_i = x_i - 2 x_(i+1) + x_(i+2)", (), 8 / 3, 8 / 3),
    "polynomial9": Kernel("flop", "z = c_0 + x (c_1 + ... + x c_9)", (), 8 / 18, 8 / 18),
    "turn": Kernel("1", "a turn of a loop that only computes (1 ns unless it is said)"),
    "pack": Kernel("B", "bytes packed or unpacked in a rank's own memory (nothing unless it is said)"),
    "copy": Kernel("B", "bytes copied in a rank's own memory (nothing unless it is said)"),
    "maximum": Kernel("B", "bytes of which a reduction takes the greatest (nothing unless it is said)"),
    "rearrange": Kernel("B", "bytes rearranged in a rank's own memory (nothing unless it is said)"),
    "gather": Kernel("B", "bytes that a rank receives as it gathers (nothing unless it is said)"),
}


def stand_ins(kernel: str) -> tuple[str, ...]:
    """The kernels whose rate a kernel has, the first that is stated: itself, then those it is like."""
    known = KERNELS.get(kernel)
    return (kernel, *(each for each in known.like if each != kernel)) if known else (kernel,)
