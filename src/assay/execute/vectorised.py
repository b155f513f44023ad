"""What a compiler made of kernels: the widest vector register of each function's arithmetic, by a disassembler.

Compilers' own remarks (-fopt-info-vec, -Rpass) name loops by lines, differ from one to the other, and are silent about
what another pass made; the object itself has the instructions. Those of x86 are read, as objdump prints them.
"""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.execute import process_tree
from assay.execute.mpi import launch_environment

DISASSEMBLE_WITHIN = 60.0  # s, one object
_FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")
_INSTRUCTION = re.compile(r"^\s*[0-9a-f]+:\s+(?:(?:lock|rep\w*|bnd|notrack|data16)\s+)*(\S+)\s*(.*)$")
# of floating-point numbers: packed arithmetic on integers mostly counts addresses
_ARITHMETIC = re.compile(
    r"v?(?:add|sub|mul|div|sqrt|max|min|addsub|round|rndscale)p[sdh]|vfn?m(?:add|sub|addsub|subadd)\w*p[sdh]"
)
_MOVE = re.compile(r"v?mov(?:[au]p[sd]|dq[au]\d*|ntp[sd]|ntdqa?|lddqu)|vp?(?:gather|scatter)[dq](?:p[sd]|[dq])")
_REGISTER = re.compile(r"%([xyz])mm\d+")
_BITS = {"x": 128, "y": 256, "z": 512}
_CALLED = re.compile(r"R_X86_64_(?:PLT32|PC32|GOTPCRELX?|REX_GOTPCRELX)\s+(mem(?:cpy|set|move))\b")


@dataclass(frozen=True)
class Kernel:
    """One function of an object.

    `bits`: width of the widest register that its packed arithmetic uses, 0 where all is scalar; of a function without
    arithmetic on vectors `moves`, that of its packed loads and stores. `calls`: of the C library, in its place.
    """

    name: str
    bits: int
    moves: int
    calls: tuple[str, ...]

    @property
    def text(self) -> str:
        """The width in words."""
        if self.bits:
            return f"{self.bits} bits"
        if self.calls:
            return ", ".join(self.calls)
        return f"{self.moves} bits (moves)" if self.moves else "scalar"


def kernels(objects: Sequence[Path]) -> tuple[Kernel, ...] | None:
    """The functions of objects that one compiler made, in their order; None without `objdump` or x86."""
    words = shutil.which("objdump")
    if words is None or os.uname().machine not in ("x86_64", "i686"):
        return None
    found: dict[str, Kernel] = {}
    for path in objects:
        command = (words, "-d", "-r", "-C", "--no-show-raw-insn", str(path))
        environment = launch_environment(os.environ) | {"LC_ALL": "C"}
        ended, disassembly = process_tree.ask(command, timeout=DISASSEMBLE_WITHIN, environment=environment)
        if ended.missing or ended.timed_out or any(ended.statuses):
            return None
        for kernel in read(disassembly):
            before = found.get(kernel.name, kernel)
            calls = tuple(dict.fromkeys((*before.calls, *kernel.calls)))
            most = max(before.bits, kernel.bits), max(before.moves, kernel.moves)
            found[kernel.name] = Kernel(kernel.name, *most, calls)
    return tuple(found.values())


def read(listing: str) -> Iterator[Kernel]:
    """The functions of a listing of `objdump -d -r -C`."""
    name, bits, moves, calls = "", 0, 0, dict[str, None]()
    for line in [*listing.splitlines(), "0 <>:"]:
        opened = _FUNCTION.match(line)
        if opened or line == "0 <>:":
            if name:
                yield Kernel(name, bits, moves, tuple(calls))
            name, bits, moves, calls = short(opened[1]) if opened else "", 0, 0, {}
            continue
        called = _CALLED.search(line)
        if called:
            calls[called[1]] = None
        instruction = _INSTRUCTION.match(line)
        if instruction is None:
            continue
        mnemonic, operands = instruction.groups()
        width = max((_BITS[each] for each in _REGISTER.findall(operands)), default=0)
        if _ARITHMETIC.fullmatch(mnemonic):
            bits = max(bits, width)
        elif _MOVE.fullmatch(mnemonic) and "(" in operands and "%rsp" not in operands and "%rip" not in operands:
            moves = max(moves, width)


def short(symbol: str) -> str:
    """A function's name without its namespaces, result and arguments; "" of a part that is never executed."""
    if "[clone .cold" in symbol or symbol.endswith(".cold"):
        return ""
    text = re.sub(r" \[clone [^\]]*\]", "", symbol).replace("(anonymous namespace)::", "")
    depth = 0
    for i, char in enumerate(text):
        depth += (char == "<") - (char == ">")
        if char == "(" and depth == 0:
            text = text[:i]
            break
    text = re.sub(r"\b\w+::", "", text)
    if "<" not in text:
        return text.rpartition(" ")[2]
    return _without_brackets(text.partition("<")[0].rpartition(" ")[2] + text[text.index("<") :])


def _without_brackets(name: str) -> str:
    """What a template was made for in words: `dot (strided 3)` of dot<Strided<3> >, `hydro (double)` of a member's."""
    text = name.replace(" ", "")
    made_for = ", ".join(re.findall(r"<(.*?)>(?=::|$)", text))
    words = re.sub(r" *, *", ", ", re.sub(r"[<>]+", " ", made_for)).strip().lower()
    return f"{re.sub(r'<.*?>(?=::|$)', '', text).rpartition('::')[2]} ({words})"


def list_kernels(objects: Mapping[str, Path]) -> tuple[Kernel, ...] | None:
    """The functions of a program's units, by the units' names; one that several units hold is named with its unit."""
    of = {unit: kernels([path]) for unit, path in objects.items()}
    found = [(unit, kernel) for unit, each in of.items() for kernel in each or ()]
    times = Counter(kernel.name for _, kernel in found)
    if any(each is None for each in of.values()):
        return None
    return tuple(
        kernel if times[kernel.name] == 1 else replace(kernel, name=f"{kernel.name} ({unit.replace('_', ' ')})")
        for unit, kernel in found
    )


def kernels_as_dicts(found: Sequence[Kernel] | None) -> list[dict[str, object]] | None:
    """Kernels as plain data, for a run's provenance."""
    return None if found is None else [vars(each) | {"text": each.text} for each in found]
