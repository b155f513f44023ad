"""Was the machine ours while it was measured? `clean`, `disturbed` or `invalid`, with reasons (METHOD rules 11 and 14).

Two witnesses. The accounting of each block (what others ran, stolen time, switches, faults, frequency), gathered over
windows long enough for the kernel's ticks; and the samples themselves (two modes, a step or drift within a launch,
launches apart, long tails). Each case's readings are divided by that launch's median of the case and laid out in
time, so that a change that starts midway shows over all cases together. No sample is deleted: blocks are marked, and
the verdict names the estimator that still stands.

The marking rules are fixed before the data; they are the constants below.
"""

import enum
import math
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from assay.analysis.result import Result

Floats = NDArray[np.float64]

# --- accounting, a second of wall time ------------------------------------------------------------------------------
WINDOW = 0.25  # s: shorter blocks are gathered up to this, since the kernel counts busy time in ticks
TICK = 0.010  # s: /proc/stat counts in hundredths; half a tick a block is its rounding
OTHERS = 0.17  # busy processors of everybody else: an idle virtual machine's daemons stay under 0.1, one hog is 1.0
OTHERS_A_PROCESSOR = 0.005  # and so much more for each processor: daemons come with the size of the machine
STEAL = 0.05  # processors stolen by the hypervisor: a twentieth moves a median by up to as much
SWITCHES = 100.0  # involuntary switches of ours: ticks and daemons cause tens, a competitor 125 and more
STARVED = 0.85  # our processor time, as a share of the case's best blocks: below it somebody else ran in our place
FREQUENCY = 0.05  # relative range of the processor's frequency: a time follows it one to one
MOSTLY = 0.8  # of the blocks: when more are marked, the rest is too little to stand for the run
PREEMPTED = 0.5  # involuntary switches a reading: above it the median reading itself was interrupted
SCHEDULER_SLICE = 3e-3  # s: the same of a reading longer than this under contention, where switches were not counted

# --- samples --------------------------------------------------------------------------------------------------------
EFFECT = 0.05  # relative: a smaller step is not named, since medians within 5% of the quiet ones are good enough
SIGNIFICANT = 0.01  # of a step, after counting every place where it could have been; EFFECT must pass as well
PIECES = 40  # a launch's blocks are cut into about so many together, so that a change inside a long block is seen
MODE_SHARE = 0.15  # of the readings that the lesser mode must hold
MODE_GAP = 0.10  # relative distance of two modes: the alignment of buffers alone, varied on purpose, makes smaller ones
MODE_DISTANCE = 5.5  # Ashman's D: a normal sample cut in two has 2.7, a uniform one 3.5, an exponential one under 4
LONG_READINGS = 0.25  # of the time spent above the median: mean over median, less 1
BOUND = "best reading, a bound"  # an interruption only lengthens a reading
APART = 0.25  # greatest over least launch median, less 1: twice what idle machines show (METHOD: 10 to 17%)


class State(enum.Enum):
    """What may be claimed of a number."""

    CLEAN = "clean"
    DISTURBED = "disturbed"
    INVALID = "invalid"


@dataclass(frozen=True)
class Block:
    """One block of readings: `values` (n,) in the metric's SI unit an operation, `t0` and `t1` in Unix seconds.

    `batch` is the operations that one reading of the clock covers; `accounting` as the programs write it: steal,
    others, own, wall (s), involuntary, voluntary, minor_faults, major_faults, frequency (Hz or None). A key that is
    missing is not judged.
    """

    metric: str
    case: Hashable
    launch: int
    block: int
    batch: int
    values: Floats
    accounting: Mapping[str, float | None] = field(default_factory=dict)
    t0: float = 0.0
    t1: float = 0.0

    @property
    def wall(self) -> float:
        """Wall time (s) that the accounting covers."""
        return float(self.accounting.get("wall") or (self.t1 - self.t0))

    def counted(self, key: str) -> float:
        """Give an account as a number, 0 where it was not taken."""
        return float(self.accounting.get(key) or 0.0)


@dataclass(frozen=True)
class Reason(Result):
    """One finding.

    The `rule`, a sentence in plain words, the launches and cases it touches, the share of blocks marked.
    """

    rule: str
    text: str
    launches: tuple[int, ...]
    share: float


@dataclass(frozen=True)
class Disturbance(Result):
    """The verdict.

    `marked` holds the indices of the blocks that a rule marked; `estimator` names what still stands.
    """

    state: State
    reasons: tuple[Reason, ...]
    estimator: str
    marked: tuple[int, ...]

    @property
    def warnings(self) -> tuple[str, ...]:
        """The reasons' sentences; empty when clean."""
        return tuple(reason.text for reason in self.reasons)


def judge(blocks: Sequence[Block], processors: int, ranks: int = 1) -> Disturbance:
    """Judge the `blocks` of one run (or of one figure) on a host of `processors`, measured by `ranks` processes there.

    Blocks may come in any order and from any number of launches, metrics and cases.
    """
    if not blocks or any(len(block.values) == 0 for block in blocks):
        return _invalid("a block holds no reading" if blocks else "there is no sample")
    if not all(np.isfinite(block.values).all() and (np.asarray(block.values) >= 0).all() for block in blocks):
        return _invalid("a reading is negative or not a finite number")
    findings = _Findings(blocks)
    _accounts(findings, processors, ranks)
    _frequency(findings)
    _midway(findings)
    _shapes(findings)
    return _verdict(findings)


@dataclass
class _Findings:
    """What the rules have found so far: reasons, marked blocks, and blocks in which processors were contended for."""

    blocks: Sequence[Block]
    reasons: list[Reason] = field(default_factory=list)
    marked: set[int] = field(default_factory=set)
    contended: set[int] = field(default_factory=set)

    def add(self, rule: str, text: str, indices: Sequence[int], mark: bool = True) -> None:
        launches = tuple(sorted({self.blocks[i].launch for i in indices}))
        self.reasons.append(Reason(rule, text, launches, len(set(indices)) / len(self.blocks)))
        if mark:
            self.marked.update(indices)


def _invalid(text: str) -> Disturbance:
    return Disturbance(State.INVALID, (Reason("samples", text, (), 1.0),), "none", ())


def _verdict(findings: _Findings) -> Disturbance:
    """Choose what stands: the quiet blocks if every case has them, the median if readings are short, else a bound."""
    blocks, marked, reasons = findings.blocks, findings.marked, tuple(findings.reasons)
    order = tuple(sorted(marked))
    if not reasons:
        return Disturbance(State.CLEAN, (), "median", ())
    if not marked:
        return Disturbance(State.DISTURBED, reasons, "median", order)
    cases = {(block.metric, block.case) for block in blocks}
    quiet = {(block.metric, block.case) for i, block in enumerate(blocks) if i not in marked}
    if quiet == cases and len(marked) <= MOSTLY * len(blocks):
        return Disturbance(State.DISTURBED, reasons, "median of the unmarked blocks", order)
    preempted = [i for i in findings.contended if _interrupted(blocks[i])]
    if 2 * len(preempted) > len(blocks):
        text = (
            "others wanted the same processors and most single readings were interrupted, so that any of them may "
            "hold somebody else's work: no median stands, and the best reading is a bound, no estimate"
        )
        verdict = Reason("preempted", text, (), len(preempted) / len(blocks))
        return Disturbance(State.DISTURBED, (*reasons, verdict), BOUND, order)
    return Disturbance(State.DISTURBED, reasons, "median", order)


def _interrupted(block: Block) -> bool:
    """Whether the block's median reading was itself switched out."""
    if block.accounting.get("involuntary") is not None:
        return block.counted("involuntary") > PREEMPTED * len(block.values)
    return float(np.median(block.values)) * block.batch > SCHEDULER_SLICE


# --- what the kernel counted ----------------------------------------------------------------------------------------


def _windows(blocks: Sequence[Block]) -> Iterator[list[int]]:
    """Gather the blocks of each launch, in time, into windows of at least WINDOW seconds."""
    by_launch: dict[int, list[int]] = defaultdict(list)
    for i, block in enumerate(blocks):
        by_launch[block.launch].append(i)
    for members in by_launch.values():
        members.sort(key=lambda i: (blocks[i].t0, blocks[i].block))
        windows: list[list[int]] = [[]]
        for i in members:
            if sum(blocks[j].wall for j in windows[-1]) >= WINDOW:
                windows.append([])
            windows[-1].append(i)
        if len(windows) > 1 and sum(blocks[j].wall for j in windows[-1]) < WINDOW:
            rest = windows.pop()
            windows[-1] += rest
        yield from windows


def _accounts(findings: _Findings, processors: int, ranks: int) -> None:
    blocks = findings.blocks
    hits: dict[str, list[int]] = defaultdict(list)
    worst: dict[str, float] = defaultdict(float)
    share = _own_share(blocks)

    def hit(rule: str, window: list[int], size: float) -> None:
        hits[rule] += window
        worst[rule] = max(worst[rule], size)

    for window in _windows(blocks):
        wall = sum(blocks[i].wall for i in window)
        if wall <= 0:
            continue
        rounding = TICK * max(2.0, len(window) / 2) / wall
        others = sum(blocks[i].counted("others") for i in window) / wall
        steal = sum(blocks[i].counted("steal") for i in window) / wall
        own = sum(blocks[i].counted("own") for i in window) / wall
        switches = sum(blocks[i].counted("involuntary") for i in window) / wall
        starving = [i for i in window if share[i] < STARVED]
        if others > OTHERS + OTHERS_A_PROCESSOR * processors + rounding:
            hit("others", window, others)
        if steal > STEAL + rounding:
            hit("steal", window, steal)
        if switches > SWITCHES * ranks:
            hit("switches", window, switches)
        if starving and 2 * len(starving) >= len(window):
            hit("starved", starving, 1 - min(share[i] for i in starving))
        if own + others + steal > processors - 0.1 and others + steal > OTHERS + rounding:
            findings.contended.update(window)
        findings.contended.update(starving)
    faulted = [i for i, block in enumerate(blocks) if block.counted("major_faults") > 0]
    if faulted:
        hit("faults", faulted, sum(blocks[i].counted("major_faults") for i in faulted))
    texts = {
        "others": "other processes kept up to {0:.2g} of {1} processors busy",
        "steal": "the hypervisor took up to {0:.2g} processors away",
        "switches": "our processes were switched out up to {0:.0f} times a second against their will",
        "starved": "our processes got up to {0:.0%} less processor time than in the best blocks of the same case",
        "faults": "{0:.0f} pages had to be read from disk or swap while timing",
    }
    for rule, indices in hits.items():
        findings.add(rule, texts[rule].format(worst[rule], processors) + _when(blocks, indices), indices)


def _own_share(blocks: Sequence[Block]) -> Floats:
    """Our processor time a wall second of each block, relative to the case's best blocks (their 90th percentile).

    1 if unknown.
    """
    known = [block.wall > 0 and block.accounting.get("own") is not None for block in blocks]
    busy = np.array([b.counted("own") / b.wall if ok else np.nan for b, ok in zip(blocks, known, strict=True)])
    share = np.ones(len(blocks))
    for members in _cases(blocks).values():
        mine = busy[members]
        best = np.quantile(mine, 0.9) if np.isfinite(mine).all() else np.nan
        if best > 0.5:  # a program that mostly waits, for a disk say, is not judged by its processor time
            share[members] = mine / best
    return share


def _frequency(findings: _Findings) -> None:
    blocks = findings.blocks
    hertz = {i: block.counted("frequency") for i, block in enumerate(blocks) if block.counted("frequency") > 0}
    if len(hertz) < 2:
        return
    middle = float(np.median(list(hertz.values())))
    away = [i for i, value in hertz.items() if abs(value / middle - 1) > FREQUENCY]
    if away:
        low, high = min(hertz.values()), max(hertz.values())
        text = f"the processor's frequency went from {low / 1e9:.2f} to {high / 1e9:.2f} GHz"
        findings.add("frequency", text + _when(blocks, away), away)


def _when(blocks: Sequence[Block], indices: Sequence[int]) -> str:
    """Say when: all the while, from the middle on, until the middle, or now and then."""
    if len(set(indices)) == len(blocks):
        return ", all the while"
    order = sorted(range(len(blocks)), key=lambda i: (blocks[i].t0, blocks[i].launch, blocks[i].block))
    touched = set(indices)
    flags = np.array([i in touched for i in order])
    percent = f"in {flags.mean():.0%} of the blocks"
    start, end = int(flags.argmax()), len(flags) - int(flags[::-1].argmax())
    if flags[start:].mean() > 0.9:
        return f", from block {start + 1} of {len(flags)} on ({percent})"
    if flags[:end].mean() > 0.9:
        return f", up to block {end} of {len(flags)} ({percent})"
    return f", now and then ({percent})"


# --- what the samples say -------------------------------------------------------------------------------------------


def _cases(blocks: Sequence[Block], by_launch: bool = False) -> dict[Hashable, list[int]]:
    cases: dict[Hashable, list[int]] = defaultdict(list)
    for i, block in enumerate(blocks):
        cases[(block.metric, block.case, block.launch if by_launch else None)].append(i)
    return cases


def _midway(findings: _Findings) -> None:
    """Find a step or a drift within a launch, over all its cases together.

    Levels relative to the launch's median of the case.
    """
    blocks = findings.blocks
    pieces: dict[int, Floats] = {}
    per_launch: dict[int, int] = defaultdict(int)
    for block in blocks:
        per_launch[block.launch] += 1
    for members in _cases(blocks, by_launch=True).values():
        # the mean of the blocks, since a median of half of them changed would fall to either side
        base = float(np.mean([np.median(blocks[i].values) for i in members]))
        for i in members:
            values = np.asarray(blocks[i].values, float)
            wanted = math.ceil(PIECES / per_launch[blocks[i].launch])
            chunks = np.array_split(values, min(wanted, max(1, len(values) // 8)))
            pieces[i] = np.array([np.median(chunk) for chunk in chunks]) / base if base > 0 else np.ones(1)
    by_launch: dict[int, list[int]] = defaultdict(list)
    for i, block in enumerate(blocks):
        by_launch[block.launch].append(i)
    for launch, members in sorted(by_launch.items()):
        members.sort(key=lambda i: (blocks[i].t0, blocks[i].block))
        series = np.concatenate([pieces[i] for i in members])
        owner = np.concatenate([np.full(len(pieces[i]), i) for i in members])
        step = find_step(series)
        if step is None:
            continue
        at, effect = step
        high = owner[at:] if effect > 0 else owner[:at]
        text = (
            f"launch {launch}: readings {'rise' if effect > 0 else 'fall'} by {abs(effect):.0%} after "
            f"{at / len(series):.0%} of the launch and stay there"
        )
        findings.add("step", text, sorted(set(high.tolist())))


def find_step(series: Floats) -> tuple[int, float] | None:
    """Find where a series (n,) of relative levels changes for good: the index and the relative change, or None.

    The split with the greatest rank sum (Pettitt 1979); it counts if its effect passes EFFECT and its probability, 2
    exp(-6 U^2 / (n^3 + n^2)) for the best of all splits, is below SIGNIFICANT. U^2 is reduced by (1 - r) / (1 + r), r
    the correlation of neighbours, since correlated levels wander without a cause.
    """
    n = len(series)
    if n < 8:
        return None
    _, place, alike = np.unique(series, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(alike) - (alike - 1) / 2)[place]  # the mean rank of those that are alike
    k = np.arange(1, n)
    u = 2 * np.cumsum(ranks)[:-1] - k * (n + 1)
    at = int(np.argmax(np.abs(u))) + 1
    if min(at, n - at) < 2:
        return None
    before, after = float(np.median(series[:at])), float(np.median(series[at:]))
    if before <= 0:
        return None
    effect = after / before - 1
    r = _correlation(ranks, at)
    p = 2 * math.exp(-6 * float(u[at - 1]) ** 2 * (1 - r) / (1 + r) / (n**3 + n**2))
    return (at, effect) if abs(effect) > EFFECT and p < SIGNIFICANT else None


def _correlation(ranks: Floats, at: int) -> float:
    """Correlation of neighbours that neither a step at `at` nor a drift pretends: the lesser of two estimates.

    One from the residuals around the two levels, which a step does not touch; one from first differences,
    1 + 2 corr(d, next d), which a drift does not.
    """

    def neighbours(series: Floats) -> float:
        power = float(series @ series)
        return float(series[:-1] @ series[1:]) / power if power > 0 else 0.0

    levels = np.concatenate([ranks[:at] - ranks[:at].mean(), ranks[at:] - ranks[at:].mean()])
    difference = np.diff(ranks)
    difference = difference - difference.mean()
    by_difference = 1 + 2 * neighbours(difference) if difference.any() else 0.0
    return min(max(min(neighbours(levels), by_difference), 0.0), 0.9)


def _shapes(findings: _Findings) -> None:
    """Two modes or long readings within launches, and launches apart, case by case; none of them marks a block."""
    blocks = findings.blocks
    two: list[int] = []
    long: list[int] = []
    gap = excess = 0.0
    for members in _cases(blocks, by_launch=True).values():
        values = np.concatenate([blocks[i].values for i in members])
        modes = find_modes(values)
        if modes is not None:
            two += members
            gap = max(gap, modes[1] / modes[0] - 1)
        middle = float(np.median(values))
        if len(values) >= 20 and middle > 0 and float(np.mean(values)) / middle - 1 > LONG_READINGS:
            long += members
            excess = max(excess, float(np.mean(values)) / middle - 1)
    if two:
        findings.add(
            "modes", f"readings fall into two groups up to {gap:.0%} apart" + _when(blocks, two), two, mark=False
        )
    if long:
        text = f"a few long readings add up to {excess:.0%} to the mean, which the median does not follow"
        findings.add("tail", text + _when(blocks, long), long, mark=False)
    apart: dict[Hashable, float] = {}
    for case, members in _cases(blocks).items():
        launches: dict[int, list[Floats]] = defaultdict(list)
        for i in members:
            launches[blocks[i].launch].append(blocks[i].values)
        medians = np.array([np.median(np.concatenate(values)) for values in launches.values()])
        if len(medians) > 1 and medians.min() > 0 and medians.max() / medians.min() - 1 > APART:
            apart[case] = float(medians.max() / medians.min() - 1)
    if apart:
        cases = _cases(blocks)
        text = f"launches are up to {max(apart.values()):.0%} apart in {len(apart)} of {len(cases)} cases"
        findings.add("launches", text, [i for case in apart for i in cases[case]], mark=False)


def find_modes(values: Floats) -> tuple[float, float] | None:
    """Find two modes in `values` (n,): their centres, or None.

    The cut of the sorted logarithms with the least spread inside both parts; it counts if Ashman's D passes
    MODE_DISTANCE, the centres are MODE_GAP apart and each part holds MODE_SHARE of the readings.
    """
    n = len(values)
    if n < 20 or np.min(values) <= 0:
        return None
    logs = np.sort(np.log(np.asarray(values, float)))
    logs = logs - logs.mean()
    k = np.arange(1, n)
    first, square = np.cumsum(logs), np.cumsum(logs**2)
    left = square[:-1] - first[:-1] ** 2 / k
    right = (square[-1] - square[:-1]) - (first[-1] - first[:-1]) ** 2 / (n - k)
    inside = left + right
    least = max(2, math.ceil(MODE_SHARE * n))
    inside[: least - 1] = np.inf
    inside[n - least :] = np.inf
    at = int(np.argmin(inside)) + 1
    low, high = logs[:at], logs[at:]
    distance = float(np.median(high) - np.median(low))
    spread = math.sqrt((float(np.var(low)) + float(np.var(high))) / 2)
    if distance < math.log1p(MODE_GAP) or distance < MODE_DISTANCE * spread:
        return None
    ordered = np.sort(np.asarray(values, float))
    return float(np.median(ordered[:at])), float(np.median(ordered[at:]))
