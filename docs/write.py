"""`./x docs`: write the reference pages from records and help texts; `--check` reports whether they are up to date."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.benchmark.record import Benchmark

HERE = Path(__file__).resolve().parent
NOTE = "<!-- Generated from the code by ./x docs; edit the code. -->\n\n"


# Counted by a build of the flit engine with counters; the barrier is the least of two threads that spin, on two cores.
PARALLEL = """
## One large network on several cores

One simulated network runs on one hardware thread. Replications, sweeps and studies use all hardware threads
(`./x bench network` measures the gain of two processes). A parallel simulation of a single network is not implemented.
The table shows why: it gives the largest possible speedup on two cores.

Two halves of a network could be simulated independently for the shortest delay of a link between them. With
`credit_ticks = 0`, the default, this delay is zero: a flit that leaves a buffer makes room for another one in the same
tick. The halves would then synchronise twice in each pass over the links. A barrier of two threads takes at least
0.2 us. The work of a pass is the links that the flit engine visits:

| network, load in flits per node per cycle | passes per tick | links per pass | of the busier half | speedup at most |
|---|---|---|---|---|
| torus 8 x 8, .2 | 1.6 | 4 | 73% | 0.7 |
| torus 16 x 16, .1 | 2.6 | 8 | 66% | 1.0 |
| torus 32 x 32, .06 | 5.3 | 19 | 60% | 1.5 |
| torus 64 x 64, .03 | 7.1 | 51 | 56% | 1.7 |
| dragonfly of 1,056 nodes, .2 | 3.1 | 26 | 58% | 1.5 |
| the same, credits after 2 ticks, body flits 2, heads 3 | 1.0 | 437 | 54% | 1.8 |

"Speedup at most" is one over the CPU time of the busier half plus the barriers. It omits further costs: messages
between the halves, one common order of requests and random numbers, the loads that adaptive routings read everywhere,
and traffic between caches. Up to a thousand nodes a speedup of 1.5 is out of reach. Replications, which an interval
needs anyway, use two cores fully.
"""


# CPU time: `./x bench network --quick --times 2`, an Intel Xeon guest of two cores, nothing else running;
# instructions: callgrind, between two lengths of a run.
SPEED = """
## The interval of a single run

`cycles` given alone is one run, whose interval is by batch means. A short run cannot judge by itself whether it is long
enough: those that seem so are the ones that vary too little (of 25 runs of 5,000 cycles of a 7-cube at 0.9 of the load
that saturates it, 9 intervals held the mean). So the autocorrelation time comes from a pilot run, also where the
warm-up is given, unless the run itself has 640 of its own. An interval needs 160 autocorrelation times and 5,000
messages; a warm-up that is given must not leave more in the mean than a fifth of the interval's half-width. Where there
is none the result gives the reason, and about the length needed: for both, with room for chance in what a run knows
(three standard deviations of the count of messages; twice the 160 autocorrelation times, three times where the pilot
run barely knows them: "or more"). An interval is of `confidence`, which the text names; in the JSON a figure has it as
`interval` {low, high, confidence}, and as `ci95` where it is of 95%. Of the intervals that are given 92 to 95% hold the
mean (7-cube at 0.9 of saturation, 49 of 53; M/D/1 at a load of .95, 189 of 200; I/O nodes, 92 of 99).

A pilot run for a warm-up that is given simulates a million messages at most, or those of the runs themselves, and
where that is not enough, there is no interval either.

Where a run deadlocks no mean has an interval, and all figures are invalid: the network is blocked from then on, and
what it accepted on average depends on its length. The measured cycles are the requested ones; the text reports
after which cycle nothing was delivered. In the JSON `deadlocked` counts such runs and `last_delivery` is that cycle,
from the start of a run, of the one in which messages arrived longest (to a 1,024th of the run; null where the runs are
as long as `messages` makes them).

## The load that saturates

`assay simulate --saturation` decides one load after the other by sixteen runs that start empty: above the saturation
point a backlog grows in proportion to time, at it as the square root, below it to a limit. A load is called saturated
where the backlog grows more than the power 2/3 of time: queues that hold one another up come near the root from above
(powers of 0.50 to 0.60 were found at saturation points of a 7-cube, a torus with lanes and a hot spot). A load that
sixteen runs cannot decide is run four times as long, up to a million messages each, eight times as many where few pass
what saturates first; where that does not decide it either, the bracket is wider than `precision`, 5% by default. The
I/O cube of Ghosh, Goveas and Draper saturates at 19.0 to 19.9 messages/ms with b = 0, at 11.4 to 11.7 with b = 1 and at
23.2 to 24.0 with b = 2, in 20 to 60 CPU s each. Studies find their saturation loads in the same way. For networks whose
growth stays below that power the bracket holds the point at the stated confidence for all loads tried together. Loads,
and what is accepted, are rates of each node, flit/node/cycle in the JSON; with I/O nodes the load is that of an
element, message/element/cycle. What is accepted is simulated at loads above the upper end, 1.1, 1.5 and 2 times as
high.

While a network fills its backlog grows whatever the load. So before a load is called saturated a pilot run at a 64th
of it measures how long messages are on their way (the autocorrelation time of what the network holds, the latencies of
whole transactions, the flits of a long message on the slowest link), and the runs last at least 16 times as long. Where
the description tells which nodes saturate first, as I/O nodes and hot spots do, only their share of the messages counts
for the growth that a load above saturation would show. A slow link that few messages pass is not known to be the
bottleneck: there use a smaller `precision`.

A load at which the network deadlocks is no saturation load: messages that can come to wait for one another in a circle
do so at any load in time, and the end of a search would lie where the runs happen to be too short to see it. Where a
run of the search deadlocks, the answer begins with "deadlock", and no load, interval or confidence is stated (in the
JSON `found` is false, these are null, and the figures are invalid). It gives at which loads runs deadlocked within how
many cycles, and the highest load below these at which none did: `deadlocks` and `no_deadlock_at` in the JSON.

## Speed and memory

CPU time per head hop (a message's head over one link), statistics included, on one core, with nothing else running, the
least of two runs, in ns; `./x bench network` prints it on any machine. AMD: a guest of a Zen 5 processor; Intel: of a
Xeon; `before`: the core for which the aims were set, on such an Intel guest:

| engine, case | AMD | Intel | before, Intel | aimed at |
|---|---|---|---|---|
| worm, unit mesh 16 x 16 / cube of slower links / two channels | 19 / 23 / 19 | 30 / 37 / 31 | 136 / 100 / 125 | 40 |
| worm, mesh beyond saturation | 33 | 68 | 273 | 100 |
| worm, short buffers, messages of 32 / 512 / 4,096 flits | 49 / 45 / 53 | 79 / 71 / 83 | 229 / 2,172 / more | 150 |
| worm, cut-through, mesh 16 x 16 | 48 | 73 | 149 | 80 |
| worm, cut-through, 40,000 messages to one node | 63 | 102 | | 150 |
| packets, torus 16 x 16, load .2 / beyond saturation | 39 / 53 | 61 / 84 | 155 / 205 | 80 |
| packets, UGAL on the torus 8 x 8 / dragonfly of 72 nodes | 42 / 50 | 67 / 80 | 259 / 210 | 80 |
| flits, torus 8 x 8 with lanes / dragonfly of 72 nodes | 108 / 120 | 174 / 195 | 1,972 / 2,032 | 250 |
| flits, messages of 512 flits / all to all, 1,024 flits | 175 / 224 | 309 / 408 | 24,507 / 44,893 | 400 |
| flits, UGAL on the torus 8 x 8 / dragonfly of 72 nodes | 181 / 150 | 291 / 239 | 2,693 / 2,451 | 250 |

On the Intel guest three cases miss the aim: flits under UGAL on the torus by 16%, packets beyond saturation by 5%, all
to all by 2% (580 ns in the other run). The AMD guest is 1.5 to 2.1 times as fast and reaches all aims.

The engines use these methods:

* **Worms in short buffers.** Where all links are equal and no head is faster than its body, the delay by buffers
  shorter than the credit loop has a closed form (`worm/train.hpp`). Others are computed flit by flit at each grant.
* **Packets.** A packet is one cache line. Its cost is spread evenly over requests, queues, grants, credits and
  routing.
* **Flits.** The engine plans when the flits of a message move, or goes tick by tick. Going tick by tick, it moves
  eight worms at a time by operations on machine words with one bit per lane (`flit/by_tick.hpp`, `flit/trains.hpp`).
  This needs links with unit times and buffers of one size. A short run at the start, at most a sixth of the whole,
  chooses the method; results are the same with both. Plans suit few messages, and long ones that share few links.
* **Links shared by lanes.** Passes over all links of a tick are needed only where the order within the tick matters:
  in 5% of the ticks on the torus and the dragonfly, and in 27% under UGAL on the torus. Otherwise a table decides
  which of two worms sends (`flit/contests.hpp`).

Memory per node, with a target of 400 bytes, on networks of about 1,000 nodes at half of the load that saturates them
(printed by the same command):

| engine | bytes per node |
|---|---|
| worms on equal links, also in short buffers | 64 to 200 |
| packets | 200 to 350 |
| flits | 260 to 390 |

Links and lanes of a torus with two lanes take 216 to 224 bytes of these, with the four lanes of UGAL 288 to 312. Near
saturation and in small networks the engines need more: at the loads of the table above flits take 350 to 700 bytes,
short buffers and the cut-through mesh 820 to 1,050, mostly for messages that wait at their sources. The routes that
UGAL and Valiant store in networks of up to 512 nodes are not included: 8 bytes for each pair of nodes and 4 for each
link of a route, 1.8 kB per node at 64 nodes. From 3,072 links on, packets use the packet engine where no link has
several channels: it is about as fast as the worm engine there and takes half of the memory. The memory of a message
does not depend on its length.
"""


def _ranks(record: Benchmark) -> str:
    """How many ranks a benchmark takes: the default, and the bounds."""
    from assay.execute.target import DEFAULT_RANKS

    usual = DEFAULT_RANKS if record.ranks is None else record.ranks
    least, most = record.least_ranks, record.most_ranks
    own = "one a processor" if usual == "all" else str(usual)
    among = f", {most} at most" if most and usual == "all" else ""
    return f"`-n` from {least}; otherwise {own}{among}, on a described machine as many as it has room for"


PLAYED_ON = {"bus": "paragon-mp", "stream": "paragon-mp", "contention": "delta"}  # else the iPSC/860 plays them
SHOWN = 18  # lines of an example's output


def _example(record: Benchmark) -> list[str]:
    """The command, and its output as the page has it: `./x docs --outputs` writes that anew.

    On a described machine where the benchmark runs on one, else measured: then only the table of figures, by its shape.
    """
    name, ranks = record.name, record.kind == "ranks"
    if not ranks and record.described is None:
        if record.needs_device:  # whose output is that of the reader's device
            return ["#### Example\n", f"    ./x assay run {name}\n"]
        command, keys = f"$ ./x assay run {name}", f'shape from="{record.title}" head={SHOWN}'
        here = "Measured on a small virtual machine:\n"
    else:
        command = f"$ ./x assay run {name} --on {PLAYED_ON.get(name, 'ipsc860')}{' -n 4' if ranks else ''}"
        keys = f"head={SHOWN}"
        here = f"Measured here by `./x assay run {name}{' -n 2' if ranks else ''}`; on a described machine:\n"
    page = HERE / "benchmarks" / f"{name}.md"
    _, found, rest = (page.read_text(encoding="utf-8") if page.exists() else "").partition(f"{command}\n")
    output = rest.partition("```")[0].splitlines() if found else []
    return ["#### Example\n", *([here] if output else []), f"```console {keys}", command, *output, "```\n"]


def benchmarks() -> str:
    """Every benchmark's record."""
    from assay.benchmark.record import PARTS, REPETITIONS, shortened, spelled_defaults
    from assay.benchmark.record import benchmarks as records

    lines = ["# Benchmarks\n", f"All of them take `--set {REPETITIONS.name}=N`: {REPETITIONS.help}.\n"]
    lines.append("Where a default names its value on a described machine, `--on MACHINE` takes that one, unless the")
    lines.append("machine's own file gives another (`defaults`). `assay run` takes the profile quick unless")
    lines.append("`--profile` names another; a profile that is not named takes the default. Lists of ten values and")
    lines.append("more are shortened; the record at the top of the program has all values.\n")
    for part in PARTS:
        of_part = [record for record in records().values() if record.part == part]
        lines += [f"## {part}\n"] if of_part else []
        for record in of_part:
            lines += [
                f"### {record.name}: {record.title}\n",
                f"{record.summary[:1].upper()}{record.summary[1:]}.\n",
                f"* Source: {record.source}",
                f"* Cost: {record.cost}",
                f"* Check: {record.check}",
                *([f"* Ranks: {_ranks(record)}"] if record.kind == "ranks" else []),
                f"* Program: `programs/{record.describe()['program']}`\n",
            ]
            if record.parameters:
                lines += ["| parameter | default | accepted | meaning |", "|---|---|---|---|"]
                for name, about in record.describe()["parameters"].items():
                    text = shortened(spelled_defaults(about)).replace(",", ", ")
                    lines.append(f"| {name} | {text} | {about['accepted']} | {about['help']} |")
                lines.append("")
            for parameter, choices in record.choice_constants.items():
                names = list(next(iter(choices.values())))
                lines += [f"| {parameter} | {' | '.join(names)} |", "|---" * (1 + len(names)) + "|"]
                lines += [f"| {each} | {' | '.join(str(of[n]) for n in names)} |" for each, of in choices.items()]
                lines.append("")
            if record.constants_mean:
                lines += [f"{record.constants_mean}.\n"]
            lines += ["| figure | unit | formula | meaning |", "|---|---|---|---|"]
            for figure in record.figures.values():
                lines.append(
                    f"| {figure.name} | {figure.unit} | `{figure.formula}` of {figure.metric} | {figure.help} |"
                )
            lines += ["", *_example(record)]
    return "\n".join(lines)


def commands() -> str:
    """Every verb's own help."""
    import typer
    from typer.main import get_command

    from assay.cli import application

    group = get_command(application())
    lines = ["# Commands\n", "Exit status: 0 good, 1 a measurement failed or is invalid, 2 the command or its input is"]
    lines.append("wrong, 3 measured well but a stated threshold was missed, 4 neither missed nor shown to be met;")
    lines.append("130 after Ctrl-C, 143 after SIGTERM, 141 where the reader closed the pipe (SIGPIPE).")
    lines.append("[Usage](usage.md#output-and-exit-status) has the details.\n")
    context = typer.Context(group, info_name="assay")
    verbs = sorted(getattr(group, "commands", {}).items())
    lines += ["| verb | what it does |", "|---|---|"]
    lines += [f"| [{name}](#assay-{name}) | {command.get_short_help_str(200)} |" for name, command in verbs]
    lines.append("")
    for name, command in verbs:
        inner = typer.Context(command, info_name=name, parent=context, max_content_width=100, terminal_width=100)
        lines += [f"## assay {name}\n", "```", command.get_help(inner).rstrip(), "```\n"]
    return "\n".join(lines)


def network() -> str:
    """Every key of NETWORK.toml."""
    from assay.network.figures import DEFINITIONS
    from assay.network.network_keys import markdown

    lines = [
        "# A network's file\n",
        "NETWORK.toml, which `assay simulate` and `assay replay` read; `assay simulate --keys` prints the same.",
    ]
    lines.append(
        'Times may be written with a unit ("0.05 us"), lengths in bytes ("4 KiB"). A key that would have no effect is'
    )
    lines.append("refused, such as `acknowledgement` without circuit switching. A graph must be connected before links")
    lines.append("fail. Its `file` is looked for in NETWORK.toml's folder first. If failed links block a message's")
    lines.append("route and the routing cannot avoid them, the message is counted as unroutable and not sent.")
    lines.append("`version = 1` at the top is the version of the file's form and may be left out.\n")
    lines.append(OTHERS)
    lines.append(
        "Latencies of the results (`definitions` in their JSON), A_1 and A_H being the cycles in which a message's"
    )
    lines.append(
        "head starts to cross its first and its last link, h_H the last link's `head_ticks` (`ejection_head_ticks`):\n"
    )
    lines.extend(f"* `{name}`: {text}." for name, text in DEFINITIONS.items())
    lines.append("")
    return "\n".join([*lines, markdown()]) + SPEED + PARALLEL


OTHERS = """\
In place of NETWORK.toml, `assay simulate` and `assay replay` read two formats of other simulators. What such a file
does not define is assumed, printed, and listed in the JSON (`assumptions`); `--set` changes it, and gives the traffic.
What has no counterpart is refused by its name. In Python, `assay.Network.read(FILE).to_toml()` gives the same network
as NETWORK.toml.

* BookSim2's `anynet` files (named `.anynet`, or beginning with `router 0` or `node 0`): a graph with the latencies of
  its links, and BookSim2's own routes. Assumed: a flit a cycle, no cycles in routers, one virtual channel, buffers of
  one flit. Refused: nodes whose links differ in latency.
* SimGrid's platforms (XML) of one cluster: FLAT with or without a backbone, TORUS, FAT_TREE, DRAGONFLY. SimGrid
  shares bandwidth among flows and has no flits; assumed are flits of 64 B, wormholes, and buffers that hold all that
  waits. Loopback links, limiters and the speed of hosts are named and not used. Refused: other elements (host, link,
  route), several clusters, links shared by both directions, backbones that are not shared.

A graph's links can be given channels and delays one by one (`link_channels`, `link_delays`), and any network ways of
one's own (`routing = "table"`, below). A table's lines are `router,destination,next` and, if wanted, `lane` and
`source`:

    [network]
    topology = "graph"
    links = [[0, 1], [1, 2]]
    routing = "table"
    table = '''
    router,destination,next
    0,1,1
    0,2,1
    1,0,0
    1,2,2
    2,0,1
    2,1,1
    '''

Ways that end too early or lead in a circle are refused. A table can let messages wait for one another in a circle;
that is reported where it happens, as for any routing.
"""


def documents() -> str:
    """What each verb gives under --json, and which file has its schema."""
    from assay import versions
    from assay.schemas.forms import WithFigures, forms

    lines = [
        "# JSON documents\n",
        "With `--json` a verb prints one document, in Python `document` of a result. Its form is published as",
        "JSON Schema (draft 2020-12): a file for each verb in `src/assay/schemas/`, which is in the package, too:\n",
        "```python",
        "from importlib.resources import files",
        "import json",
        "",
        'schema = json.loads(files("assay").joinpath("schemas", "simulate.json").read_text())',
        "```\n",
        "Names and shapes are a contract: keys may be added, never renamed or given another meaning, so that a schema",
        "allows keys that it does not name. `version` at the top of a document is the version of its form, now",
        f"{versions.DOCUMENT.version} (`simulate` and `study` have versions of their own). It rises when the values of",
        "a key change; `src/assay/versions.py` converts documents of older versions. The `$id` of a schema names its",
        "version. The schemas are generated from Assay's types, and the tests validate every document. Values are in",
        "SI units. Every verb with numbers has `figures` at the top of its document.\n",
        "| verb | documents | schema |",
        "|---|---|---|",
    ]
    for verb, kinds in sorted(forms().items()):
        types = [kind.kind if isinstance(kind, WithFigures) else kind for kind in kinds]
        texts = [" ".join((kind.__doc__ or kind.__name__).split("\n\n")[0].split()).rstrip(".") for kind in types]
        texts = [text.replace("|", "/") for text in texts]
        lines.append(f"| {verb} | {'<br>'.join(texts)} | [{verb}.json](../src/assay/schemas/{verb}.json) |")
    return "\n".join(lines)


def machine_keys() -> str:
    """Every key of a described machine."""
    from assay.described.machine_keys import markdown

    lines = [
        "# A described machine's file\n",
        "The file that `--on MACHINE.toml` reads; `assay catalogue --machine-keys` prints the same.",
    ]
    lines.append(
        'Times are written with a unit ("70 us"), times per byte also as a rate ("2.8 MB/s"), lengths as "2 KiB".'
    )
    lines.append(
        'Any single key can be set from outside: `--set machine.protocol.0.startup="60 us"`. An error names file,'
    )
    lines.append("line, key, value and what is accepted. Shipped files: `src/assay/catalogue/machines/`.")
    lines.append("The version of the file's form, `version = 1` at the top, may be left out.\n")
    return "\n".join([*lines, markdown()])


def pictures() -> dict[str, Callable[[], str]]:
    """The paper's activity graphs, drawn again from simulation."""
    from assay.throughput.paper_figures import FIGURES, paper_picture

    return {f"throughput/figure-{each.number}.svg": functools.partial(paper_picture, each) for each in FIGURES}


def benchmark_pages() -> dict[str, str]:
    """The list of benchmarks and a page for each, by path."""
    from assay.document.split_pages import split

    return split(benchmarks(), "benchmarks", lambda heading, _: heading.partition(":")[0] if ":" in heading else None)


PAGES: dict[str, Callable[[], str]] = {
    "commands.md": commands,
    "network.md": network,
    "machine_keys.md": machine_keys,
    "json.md": documents,
}


def schemas(check: bool) -> list[str]:
    """Write the schemas that differ from their types, or only name them."""
    from assay.schemas import made

    stale = {path: text for path, text in made.files().items() if not path.exists() or path.read_text() != text}
    for path, text in () if check else stale.items():
        path.write_text(text, encoding="utf-8")
    return [path.name for path in stale]


def main(arguments: list[str]) -> int:
    """Write or check every page."""
    stale = []
    made = {name: make() for name, make in (PAGES | pictures()).items()} | benchmark_pages()
    for path in sorted((HERE / "benchmarks").glob("*.md")):
        if f"benchmarks/{path.name}" not in made:
            stale.append(f"benchmarks/{path.name}, of no benchmark")
            if "--check" not in arguments:
                path.unlink()
    for name, content in made.items():
        path, text = HERE / name, NOTE + content.rstrip() + "\n"
        path.parent.mkdir(exist_ok=True)
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if "--check" not in arguments:
            path.write_text(text, encoding="utf-8")
    stale += schemas("--check" in arguments)
    if stale:
        print(f"{'stale' if '--check' in arguments else 'written'}: {', '.join(stale)}", file=sys.stderr)
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
