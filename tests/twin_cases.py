"""Random small networks with random messages, written as the file that the twin and the engine under test both read."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parent.parent
TWIN = ROOT / "tests" / "native" / "twin"
Words = dict[str, str]
Rows = NDArray[np.int64]

SWITCHINGS = ("wormhole", "wormhole", "wormhole", "cut-through", "store-and-forward", "circuit")


@dataclass
class Case:
    """Keys of [network], unlike links, and messages (id, cycle, source, destination, flits) in order of cycle."""

    name: str
    keys: Words
    messages: Rows
    unlike: list[str] = field(default_factory=list)

    def text(self) -> str:
        lines = [f"case {self.name}", *(f"{key} {value}" for key, value in self.keys.items())]
        lines += [f"unlike {words}" for words in self.unlike]
        lines.append(f"messages {len(self.messages)}")
        rows = [" ".join(map(str, row)) + "\n" for row in self.messages.tolist()]
        return "\n".join(lines) + "\n" + "".join(rows)


def topology(random: np.random.Generator, kind: str) -> tuple[Words, int]:
    """Keys of a small network of this kind, and how many nodes it has."""
    draw = lambda low, high: int(random.integers(low, high + 1))  # noqa: E731
    match kind:
        case "hypercube":
            dimension = draw(1, 4)
            return {"dimension": str(dimension), "routing": "e-cube"}, 2**dimension
        case "io-hypercube":
            dimension = draw(2, 4)
            places = random.permutation(2**dimension)[: draw(2, 2 ** (dimension - 1))]
            keys = {"topology": "hypercube", "dimension": str(dimension), "io_nodes": " ".join(map(str, places))}
            keys |= {"io_b": str(draw(0, 3)), "io_m": str(draw(1, 3))}
            if keys["io_b"] != "0" and random.random() < 0.7:
                keys |= {"io_n": str(draw(1, 4)), "io_r": str(draw(1, 4))}
            return keys, 2**dimension + len(places)
        case "incomplete-hypercube":
            dimension = draw(2, 4)
            nodes = draw(2 ** (dimension - 1) + 1, 2**dimension)
            return {"topology": "hypercube", "dimension": str(dimension), "nodes": str(nodes)}, nodes
        case "mesh" | "torus":
            extents = [draw(2, 5) for _ in range(draw(1, 3))]
            extents = extents if np.prod(extents) <= 36 else extents[:2]
            keys = {
                "extents": " ".join(map(str, extents)),
                "order": str(random.choice(["highest-first", "lowest-first"])),
            }
            if kind == "torus":
                keys |= {"dateline": "none", "tie": str(random.choice(["plus", "minus", "alternate"]))}
            return keys, int(np.prod(extents))
        case "torus-lanes":
            extents = [draw(2, 5) for _ in range(draw(1, 2))]
            keys = {"topology": "torus", "extents": " ".join(map(str, extents))}
            return keys | {"tie": str(random.choice(["plus", "minus", "alternate"]))}, int(np.prod(extents))
        case "dragonfly-lanes":
            p, a, h = draw(1, 2), draw(1, 3), draw(1, 2)
            keys = {"topology": "dragonfly", "p": str(p), "a": str(a), "h": str(h)}
            return keys | {"arrangement": str(random.choice(["absolute", "relative"]))}, (a * h + 1) * a * p
        case "ring":
            nodes = draw(2, 8)
            return {"nodes": str(nodes), "dateline": "none", "tie": str(random.choice(["plus", "minus"]))}, nodes
        case "star" | "crossbar" | "bus":
            nodes = draw(2, 9)
            return {"nodes": str(nodes)}, nodes
        case "butterfly" | "omega":
            radix, stages = draw(2, 3), draw(1, 3)
            return {"radix": str(radix), "stages": str(stages)}, radix**stages
        case "k-ary-n-tree":
            radix, levels = draw(2, 3), draw(1, 3)
            return {
                "radix": str(radix),
                "levels": str(levels),
                "up": str(random.choice(["d-mod-k", "s-mod-k"])),
            }, radix**levels
        case "fat-tree":
            children = [draw(1, 4) for _ in range(draw(2, 3))]
            parents = [draw(1, 3) for _ in children[1:]]
            keys = {"children": " ".join(map(str, children)), "parents": " ".join(map(str, parents))}
            return keys, int(np.prod(children))
        case "hyperx":
            extents = [draw(2, 4) for _ in range(draw(1, 2))]
            concentration = draw(1, 2)
            keys = {"extents": " ".join(map(str, extents)), "concentration": str(concentration)}
            return keys, int(np.prod(extents)) * concentration
    raise ValueError(kind)


KINDS = (
    "hypercube",
    "io-hypercube",
    "incomplete-hypercube",
    "mesh",
    "torus",
    "ring",
    "star",
    "crossbar",
    "bus",
    "butterfly",
    "omega",
    "k-ary-n-tree",
    "fat-tree",
    "hyperx",
)
LANES = ("torus-lanes", "dragonfly-lanes")


def traffic(random: np.random.Generator, nodes: int, count: int) -> Rows:
    """Messages at 5 to 125 percent of what the sources can send; many at once, ids in no order of time."""
    load = float(random.uniform(0.05, 1.25))
    shape = random.integers(4)
    if shape == 0:
        flits = np.full(count, random.integers(1, 65))
    elif shape == 1:
        flits = random.integers(1, 201, count)
    elif shape == 2:
        flits = np.where(random.random(count) < 0.8, random.integers(1, 4), random.integers(40, 201))
    else:
        flits = random.integers(1, 9, count)
    cycles = np.floor(np.cumsum(random.exponential(flits.mean() / (load * nodes), count))).astype(np.int64)
    if random.random() < 0.5:
        cycles -= cycles % int(random.integers(2, 30))  # many in one cycle: ties
    source = random.integers(0, nodes, count)
    destination = (source + random.integers(0 if random.random() < 0.3 else min(1, nodes - 1), nodes, count)) % nodes
    if random.random() < 0.2:
        destination = np.where(random.random(count) < 0.5, random.integers(0, nodes), destination)
    identity = np.arange(count) if random.random() < 0.3 else random.permutation(3 * count)[:count]
    rows = np.stack([identity, cycles, source, destination, flits], 1)
    return rows[np.lexsort((rows[:, 0], rows[:, 1]))]


def case(number: int, seed: int, count: int, kinds: tuple[str, ...] = KINDS) -> Case:
    """Case `number` of a seed: network, switching, buffers, speeds and messages all drawn from it."""
    random = np.random.default_rng([seed, number])
    kind = str(random.choice(kinds))
    keys, nodes = topology(random, kind)
    keys = {"topology": kind} | keys
    switching = str(random.choice(SWITCHINGS))
    keys["switching"] = switching
    for name in ("injection_channels", "ejection_channels", "channels"):
        keys[name] = str(random.choice([1, 1, 1, 2, 3, 9]))
    keys["buffer_flits"] = str(random.choice([1, 1, 2, 3, 4, 5, 7, 8, 9]))
    if switching in ("cut-through", "store-and-forward"):
        keys["buffer_packets"] = str(random.choice([0, 1, 1, 2, 3]))
        if random.random() < 0.3:
            keys["buffers"] = "fifo"
    if switching == "circuit":
        keys["acknowledgement"] = str(random.choice([0, 1, 2, 5]))
        keys["circuit_release"] = str(random.choice(["tail", "end"]))
    if random.random() < 0.25:
        keys |= {"packet_flits": str(random.integers(1, 70)), "packet_gap": str(random.integers(1, 6))}
    unlike = []
    if kind in LANES:
        # Lanes share a wire flit by flit. With no delay in credits or bodies, what one wire does in a cycle would
        # hang on what others do in the same one.
        for name in ("acknowledgement", "circuit_release", "buffers", "buffer_packets"):
            keys.pop(name, None)
        keys |= speeds(random) | {"switching": "wormhole", "channels": "1"}
        keys |= {name: str(max(1, int(keys[name]))) for name in ("body_ticks", "credit_ticks")}
    elif switching != "wormhole" or random.random() < 0.5:
        keys |= speeds(random)
        if random.random() < 0.5:
            keys["sink_ticks"] = str(random.integers(1, 8))
        if kind != "io-hypercube" and random.random() < 0.5:
            places = [f"{end} {node}" for end in ("injection", "ejection") for node in range(nodes)]
            if kind == "hypercube":
                bits = range(nodes.bit_length() - 1)
                places += [f"network {node} {node ^ 1 << bit}" for node in range(nodes) for bit in bits]
            unlike = [f"{place} {unlike_words(random)}" for place in places]
    rows = traffic(random, nodes, count)
    if kind not in LANES and switching in ("cut-through", "store-and-forward") and "buffers" not in keys:
        drawn = np.random.default_rng([seed, number, 3])
        if drawn.random() < 0.4:
            keys |= {"buffers": "output", "output_packets": str(drawn.choice([0, 1, 1, 2, 3])), "engine": "packet"}
    later = np.random.default_rng([seed, number, 1])  # drawn apart: the cases of before stay what they were
    if kind in JOINED and later.random() < 0.25:
        joined = links(kind, keys, nodes)
        dead = later.permutation(len(joined))[: int(later.integers(1, 4))]
        keys["failed_links"] = " ".join(f"{joined[at][0]} {joined[at][1]}" for at in dead)
    return Case(f"{seed}.{number}", keys, rows, unlike)


def tied(number: int, seed: int, count: int) -> Case:
    """Packets that choose among channels of which some get free in the very tick: of one flit, credits at once."""
    random = np.random.default_rng([seed, number, 4])
    while True:
        found = case(int(random.integers(2**31)), seed, count)
        packets = found.keys["switching"] in ("cut-through", "store-and-forward")
        several = any(found.keys[name] != "1" for name in ("channels", "injection_channels", "ejection_channels"))
        if packets and several and (found.keys["buffer_packets"] in ("2", "3") or "buffers" in found.keys):
            break
    found.keys["credit_ticks"], found.unlike = "0", []
    found.messages[:, 4] = np.where(random.random(count) < 0.7, 1, found.messages[:, 4])
    return found


def held_back(number: int, seed: int, count: int) -> Case:
    """Links alike whose buffers do not cover the way of a credit, some on long paths; sinks of any speed."""
    random = np.random.default_rng([seed, number, 5])
    kind = str(random.choice(["mesh", "mesh", "hypercube", "crossbar"]))
    keys, nodes = topology(random, kind)
    if kind == "mesh" and number % 2:
        nodes = int(random.integers(20, 60))
        keys = {"extents": str(nodes)}
    buffer, flit, body = (int(random.integers(1, most)) for most in (5, 3, 5))
    credit = max(0, buffer * flit - body + 1) + int(random.integers(0, 3))
    keys = {"topology": kind, "switching": "wormhole", "buffer_flits": str(buffer), "flit_ticks": str(flit)} | keys
    keys |= {"body_ticks": str(body), "credit_ticks": str(credit), "head_ticks": str(body + int(random.integers(0, 3)))}
    keys |= {"sink_ticks": str(random.integers(1, 8))}
    return Case(f"held back {seed}.{number}", keys, traffic(random, nodes, count))


JOINED = ("hypercube", "mesh", "torus", "ring", "torus-lanes")


def links(kind: str, keys: Words, nodes: int) -> list[tuple[int, int]]:
    """The pairs of routers that a link joins, of topologies whose routers are numbered as their nodes."""
    if kind == "hypercube":
        return [(node, node ^ 1 << bit) for node in range(nodes) for bit in range(nodes.bit_length() - 1)]
    extents = [int(extent) for extent in keys.get("extents", keys.get("nodes", "")).split()]
    found, stride = [], 1
    for extent in extents:
        ahead = [node for node in range(nodes) if kind != "mesh" or node // stride % extent + 1 < extent]
        found += [(node, node + ((node // stride + 1) % extent - node // stride % extent) * stride) for node in ahead]
        stride *= extent
    return found


def rigid_cube(number: int, seed: int, count: int) -> Case:
    """A cube of unit links, buffers of one flit, every message longer than its path: what the rigid engine is for."""
    random = np.random.default_rng([seed, number, 2])
    dimension = int(random.integers(1, 6))
    keys = {"topology": "hypercube", "dimension": str(dimension), "routing": "e-cube", "switching": "wormhole"}
    for name in ("injection_channels", "ejection_channels"):
        keys[name] = str(random.choice([1, 1, 2, 3, 9]))
    rows = traffic(random, 2**dimension, count)
    rows[:, 4] += dimension + 1  # links of the longest path: the dimension's, injection and ejection
    return Case(f"rigid {seed}.{number}", keys, rows)


def crowded_cube(number: int, seed: int, count: int) -> Case:
    """A cube of unit links beyond saturation, whose sources wait for several injection channels: many ties."""
    random = np.random.default_rng([seed, number])
    dimension = int(random.integers(2, 5))
    nodes = 2**dimension
    keys = {"topology": "hypercube", "dimension": str(dimension), "routing": "e-cube", "switching": "wormhole"}
    keys |= {"injection_channels": str(random.choice([2, 3])), "ejection_channels": str(random.choice([1, 2, 9]))}
    keys |= {"channels": "1", "buffer_flits": "1"}
    flits = random.integers(dimension + 2, 40, count) if number % 2 else np.full(count, 16)
    cycles = np.floor(np.cumsum(random.exponential(flits.mean() / (1.3 * nodes), count))).astype(np.int64)
    source = random.integers(0, nodes, count)
    destination = (source + random.integers(1, nodes, count)) % nodes
    identity = np.arange(count) if number % 3 else random.permutation(3 * count)[:count]
    rows = np.stack([identity, cycles, source, destination, flits], 1)
    return Case(f"crowded {seed}.{number}", keys, rows[np.lexsort((rows[:, 0], rows[:, 1]))])


def speed(random: np.random.Generator) -> tuple[int, int, int, int]:
    """Flit time, body, head and credit ticks; the head is now and then faster than the body."""
    body = int(random.integers(0, 4))
    return int(random.integers(1, 4)), body, max(1, body + int(random.integers(-2, 3))), int(random.integers(0, 4))


def speeds(random: np.random.Generator) -> Words:
    flit, body, head, credit = speed(random)
    return {"flit_ticks": str(flit), "body_ticks": str(body), "head_ticks": str(head), "credit_ticks": str(credit)}


def unlike_words(random: np.random.Generator) -> str:
    flit, body, head, credit = speed(random)
    return f"flit={flit} body={body} head={head} credit={credit} buffer={random.integers(0, 10)}"


def compiler() -> str:
    return os.environ.get("CXX") or shutil.which("g++") or shutil.which("clang++") or "c++"


def build(name: str, sources: list[Path], *options: str, depends: list[Path] | None = None) -> Path:
    """Compile sources to build/twin/NAME-FINGERPRINT, once for these sources, headers and options."""
    folder = ROOT / "build" / "twin"
    folder.mkdir(parents=True, exist_ok=True)
    command = [
        compiler(),
        "-std=c++20",
        "-O2",
        "-ffp-contract=off",
        f"-I{ROOT / 'core'}",
        f"-I{ROOT / 'programs'}",
        f"-I{TWIN}",
    ]
    print_of = hashlib.sha256(" ".join([*command, *options]).encode())
    for path in sorted([*sources, *(depends or []), *TWIN.glob("*.hpp")]):
        print_of.update(path.read_bytes())
    out = folder / f"{name}-{print_of.hexdigest()[:16]}"
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not out.exists():
            fresh = out.with_suffix(".new")
            subprocess.run([*command, "-o", str(fresh), *map(str, sources), *options], check=True, timeout=900)
            for stale in folder.glob(f"{name}-{16 * '[0-9a-f]'}"):
                stale.unlink()
            fresh.rename(out)
    return out


def twin() -> Path:
    """The twin; nothing of core/ is compiled into it."""
    return build("twin", [TWIN / f"{name}.cpp" for name in ("main", "simulator", "atlas", "topologies")])


LIBRARY = ROOT / "build" / "core" / "libassay_core.a"


def engine(library: Path = LIBRARY, flags: tuple[str, ...] = (), mutants: bool = False) -> Path:
    """The engine under test, from the compiled core; its worm engine anew if deliberate errors are asked for."""
    headers = [path for room in ("network", "events") for path in (ROOT / "core" / room).rglob("*.[ch]pp")]
    sources = [TWIN / "engine.cpp", TWIN / "atlas.cpp"]
    options = [str(library), *flags]
    if mutants:
        sources += sorted((ROOT / "core" / "network" / "worm").glob("*.cpp"))
        options += ["-DASSAY_MUTANTS", "-O1"]
    return build(
        f"engine{'-mutants' if mutants else ''}{'-sanitized' if flags else ''}",
        sources,
        *options,
        depends=[*headers, library],
    )


def chains(library: Path = LIBRARY, flags: tuple[str, ...] = ()) -> Path:
    """The I/O nodes of the compiled core, writing down what they send."""
    headers = [path for room in ("network", "events", "storage") for path in (ROOT / "core" / room).rglob("*.[ch]pp")]
    sources = [TWIN / "chains.cpp"]
    return build(f"chains{'-sanitized' if flags else ''}", sources, str(library), *flags, depends=[*headers, library])


def play(program: Path, cases: list[Case], folder: Path, mutant: int = 0) -> str:
    """What a program says of the cases; with a deliberate error where it was compiled with them."""
    given, found = folder / "cases", folder / f"{program.name}.delivered"
    given.write_text("".join(one.text() for one in cases))
    environment = {**os.environ, "ASSAY_MUTANT": str(mutant)}
    subprocess.run([str(program), str(given), str(found)], check=True, timeout=3000, env=environment)
    return found.read_text()


def differences(cases: list[Case], expected: str, found: str) -> list[str]:
    """In words, one line a case that differs: its keys, how many messages, and the first of them."""
    if expected == found:
        return []
    words = []
    blocks = zip(cases, expected.split("case ")[1:], found.split("case ")[1:], strict=True)
    for one, left, right in blocks:
        if left != right:
            pairs = [pair for pair in zip(left.splitlines(), right.splitlines(), strict=True) if pair[0] != pair[1]]
            words.append(
                f"{one.name} {one.keys} {len(one.unlike)} unlike: {len(pairs)} differ, twin and engine: {pairs[0]}"
            )
    return words
