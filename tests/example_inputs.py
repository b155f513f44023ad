"""Small inputs that tests of the verbs share: shipped examples, a study, a trace of messages, runs of a description."""

from __future__ import annotations

from pathlib import Path

from command_line import assay

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
HYPERCUBE, CONSTANT = str(EXAMPLES / "hypercube.toml"), str(EXAMPLES / "constant.toml")
SHORT = ("--set", "method.cycles=2000")  # a simulation of less than a second


def study(replications: int, *swept: str) -> str:
    """Write a study of a small hypercube; `swept`: lines of its [sweep]."""
    lines = ["[study]", 'title = "x"', "[network]", 'topology = "hypercube"', "dimension = 3", "[method]"]
    lines += ["cycles = 2000", "warmup_cycles = 100", f"replications = {replications}", "[sweep]", *swept]
    return "\n".join(lines) + "\n"


SATURATION = """[saturation]
precision = 0.2
seeds = 1
cycles = 2000
cases = [{ "traffic.flits" = 16 }]
"""


def small_mix(folder: Path) -> None:
    """Give the folder a schedule of three jobs, the table of them, and a machine for them."""
    (folder / "mix").write_text("0: 1 * wide\n10: 2 * narrow\n")
    (folder / "jobs.toml").write_text(
        '[wide]\nprocessors = 4\ntime = "50 s"\n[narrow]\nprocessors = 2\ntime = "10 s"\nlimit = "20 s"\n'
    )
    (folder / "batch.toml").write_text("[machine]\nnodes = 2\ncpus_per_node = 2\n")


CONTRACT = (
    '[[requirement]]\nname = "latency"\nbenchmark = "echo"\nfigure = "half_round_trip"\ncase = { bytes = 8 }\n'
    'at_most = "1 ms"\n'
)


# What is known of the numbers of CONSTANT, as a fit of a run would write it.
KNOWN = """
[uncertainty]
level = 0.9
keys = ["messages.startup", "messages.per_byte"]
low = ["66 us", "0.39 us/B"]
high = ["74 us", "0.41 us/B"]
covariance = [[0.0012, 0.0], [0.0, 0.00023]]
[[uncertainty.launches]]
benchmark = "echo"
figure = "half_round_trip"
relative = 0.02
"""


def described_runs(folder: Path) -> Path:
    """Give the folder a study, a trace, a schedule, a contract, a model, and two runs, `a` and `b`, of that."""
    small_mix(folder)
    (folder / "study.toml").write_text(study(3, '"traffic.load" = [0.1, 2.0]') + SATURATION)
    (folder / "contract.toml").write_text(CONTRACT)
    (folder / "model.toml").write_text(Path(CONSTANT).read_text() + KNOWN)
    (folder / "messages.csv").write_text("id,cycle,source,destination,flits\n1,0,0,1,5\n2,7,3,9,8\n")
    for name, startup in (("a", "70 us"), ("b", "80 us")):
        words = ("--set", f"machine.messages.startup={startup}", "--out", str(folder / name))
        assert assay("run", "echo", "--on", CONSTANT, *words).status == 0
    return folder
