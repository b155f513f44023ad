"""The twins of what one node computes: memory bandwidth, speedups and rates, by the node programs of a description.

The programs are those that a run of the same name plays (`assay.execute.node_simulated`), so that a page, a run and a
rank program's `compute` have one number. Of Table 3.1 of the Paragon's report the sums have twins: each processor's
share is an equal part of them. Table 3.4 has the speedup of three processors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.benchmark.record import Scalar, benchmark
from assay.described.shipped import open_described
from assay.machine import catalogue
from assay.machine.catalogue import PublishedCell
from assay.published.cells.answers import Answers, Setting
from assay.published.cells.rules import Pairs, rule
from assay.published.tables.paragon import BANDWIDTH, KERNELS

# Speedups of Table 3.4: also of the Fortran programs that have the C programs' arithmetic.
SPEEDUPS = {**KERNELS, "kernel.integration-f": KERNELS["kernel.integration-c"]}


def processors(cell: PublishedCell) -> int:
    """How many processors of a node a cell is of: the greatest where it names several."""
    named = cell.params.get("cpus", 1)
    return int(max(named) if isinstance(named, list | tuple) else named)


def by_threads(
    answers: Answers, machine: str, name: str, figure: str, counts: Sequence[int], **params: Setting
) -> Mapping[int, float]:
    """A figure of a node program by the number of processors at work."""
    found = answers.ask(machine, name, figure, threads=tuple(sorted({*counts})), **params)
    return {int(each.params["threads"]): each.value for each in found}


def bandwidths(answers: Answers, machine: str, row: str, counts: Sequence[int]) -> Mapping[int, float]:
    """Bytes per second of so many processors together, of a row of Table 3.1."""
    name, params, scale = BANDWIDTH[row]
    return {cpus: scale * rate for cpus, rate in by_threads(answers, machine, name, "rate", counts, **params).items()}


@rule(*BANDWIDTH)
def bandwidth(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """Bytes per second of all processors together, or of each where the cell is a rate per processor."""
    made: Pairs = []
    for cell in cells:
        if cell.params.get("cpu", "sum") != "sum":
            continue
        cpus = processors(cell)
        rates = bandwidths(answers, machine, cell.benchmark, (cpus,))
        if cpus in rates:
            made.append((cell, rates[cpus] / (cpus if cell.metric == "rate_per_cpu" else 1)))
    return made


@rule(*SPEEDUPS)
def speedups(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """Speedup on so many processors, or the rate of one."""
    made: Pairs = []
    for cell in cells:
        name, params = SPEEDUPS[cell.benchmark]
        cpus = processors(cell)
        rates = by_threads(answers, machine, name, "rate", (1, cpus), **params)
        if {1, cpus} <= set(rates):
            made.append((cell, rates[cpus] / rates[1] if cell.metric == "speedup" else rates[cpus]))
    return made


@rule("linpack")
def linpack(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """LINPACK's rate with 100 equations."""
    found = answers.ask(machine, "linpack", "rate", size=100, code="ours", threads=1)
    return [(cell, found[0].value) for cell in cells if found]


@rule("livermore")
def livermore(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """The harmonic mean of the Livermore loops' rates."""
    found = answers.ask(machine, "livermore", "rate_harmonic_mean")
    return [(cell, found[0].value) for cell in cells if found]


def _kernels() -> dict[str, str]:
    """Our vector kernel of each of EuroBen's; both are in the order of the paper's tables."""
    record = benchmark("vectors")
    return dict(zip(record.published, map(str, record.parameters["kernel"].choices), strict=True))


VECTORS = tuple(benchmark("vectors").published)
FIRST, SECOND = (-512, -256), (128, 640)  # elements of one array beyond what the first cache holds
BEYOND = {"r_max_L1": FIRST, "cycles_per_op_per_element": FIRST, "latency_L1": FIRST, "r_max_L2": SECOND}
IN_CYCLES = ("cycles_per_op_per_element", "latency_L1")
NO_CYCLE = 1e-3  # the start-up of a kernel without a described one, but for rounding
USUAL = ("-O3", "-O2")  # the flags of the tables of contiguous vectors


def first_cache(machine: str) -> float:
    """Bytes of a processor's first cache; 0 where the description has none."""
    node = open_described(machine).node
    return 0.0 if node is None else node.cache


def clock(machine: str) -> float:
    """Cycles per second of a published machine's processor."""
    return 1e6 * float(catalogue.machine(machine).fact("clock_MHz"))


@rule(*VECTORS)
def vectors(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """The rate of long vectors out of either cache, by the paper's count of flops: the slope of time over length.

    That slope from the first cache in cycles, and the time that is not in proportion to the length: the start-up.
    """
    made: Pairs = []
    record = benchmark("vectors")
    for cell in cells:
        usual = cell.params.get("flags", USUAL[0]) in USUAL and "stride" not in cell.params
        if not usual or cell.metric not in BEYOND or not (cache := first_cache(machine)):
            continue
        kernel = _kernels()[cell.benchmark]
        of = record.constants({"kernel": kernel})
        arrays = 1 if BEYOND[cell.metric] == SECOND else int(of["arrays"])
        lengths = tuple(int(cache / 8 + more) // arrays for more in BEYOND[cell.metric])
        found = answers.ask(machine, "vectors", "rate", kernel=kernel, access="contiguous", length=lengths)
        work = float(of["flops"])
        times = {int(each.params["length"]): work * int(each.params["length"]) / each.value for each in found}
        if len(times) == len(lengths):
            short, long = sorted(times)
            flops = 1 if kernel == "copy" else float(of["paper"])  # a copy's .76 is a misprint
            slope = (times[long] - times[short]) / (long - short)
            startup = times[long] - slope * long
            if cell.metric in IN_CYCLES:
                cycles = clock(cell.machine or "") * (slope if cell.metric == "cycles_per_op_per_element" else startup)
                made += [(cell, cycles)] if cycles > NO_CYCLE else []
            else:
                made.append((cell, flops / slope))
    return made


@rule("euroben.mod2a")
def matrix_vector(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """The rate with the largest matrix that the first cache holds, by inner products or by columns, or the better."""
    made: Pairs = []
    size = int((first_cache(machine) / 8) ** 0.5)
    found = answers.ask(machine, "matrix-vector", "rate", code="ours", form=("dot", "axpy"), size=size) if size else []
    rates = {"dotproduct" if each.params["form"] == "dot" else "axpy": each.value for each in found}
    for cell in cells:
        form = cell.params.get("implementation")
        if rates and cell.params.get("flags", USUAL[0]) in USUAL:
            made.append((cell, rates[form] if form in rates else max(rates.values())))
    return made


@rule("euroben.mod2b")
def linear_system(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """The rate with the largest system that the first cache holds."""
    size = int((first_cache(machine) / 8) ** 0.5)
    found = answers.ask(machine, "linpack", "rate", size=size, code="ours", threads=1) if size else []
    return [(cell, found[0].value) for cell in cells if found]


def _operations() -> dict[str, dict[str, Scalar]]:
    """The case of caltech that each row of Table 3 is."""
    return benchmark("caltech").published_cases


@rule(*_operations())
def operations(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """Time of an operation of scalars; the text's rates are the same measurements again."""
    made: Pairs = []
    for cell in cells:
        if cell.metric == "time_per_op":
            found = answers.ask(machine, "caltech", cell.metric, **_operations()[cell.benchmark])
            made += [(cell, found[0].value)] if found else []
    return made


@rule("floatmath", "sieve", "dhrystone")
def whole_tests(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """Times of Table 4: repetitions of operations, passes of the sieve to 8190 and of Dhrystone's mix."""
    found = {name: answers.ask(machine, name, "time") for name in {cell.benchmark for cell in cells}}
    return [(cell, found[cell.benchmark][0].value) for cell in cells if found[cell.benchmark]]


@rule("malloc")
def memory(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """Memory that a program on a node can have; the machine's total is not described."""
    found = answers.ask(machine, "memory", "memory_available")
    return [(cell, found[0].value) for cell in cells if found and cell.metric == "memory_available"]
