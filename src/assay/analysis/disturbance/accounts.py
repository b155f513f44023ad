"""What the kernel counted: others' work, stolen time, switches, faults, and the processor's frequency."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from assay.analysis.disturbance.block import REFERENCE, AccountedBlock, Floats, cases_of, describe_span
from assay.analysis.disturbance.findings import Findings

# Thresholds. Times and counts are per second of wall time: a time is then a number of busy hardware threads.
WINDOW = 0.25  # s: shorter blocks are gathered up to this, since the kernel counts busy time in ticks
TICK = 0.010  # s: /proc/stat counts in hundredths; half a tick per block is its rounding
STATED = 0.05  # s, five ticks: below this sum the number of hardware threads that were taken is not reported
OTHERS = (
    0.17  # hardware threads that others keep busy: an idle virtual machine's daemons stay under 0.1, one hog is 1.0
)
OTHERS_A_PROCESSOR = 0.005  # and so much more per hardware thread: daemons come with the size of the machine
STEAL = 0.05  # hardware threads stolen by the hypervisor: a twentieth moves a median by up to as much
SWITCHES = 100.0  # involuntary switches of ours per second: ticks and daemons cause tens, a competitor 125 and more
COMPETING = 0.3  # processors that others and the hypervisor took over all launches: another process competes with us
SWITCHES_A_RANK = 25.0  # and so many more for each further rank: a competitor is one rank's, the tens are everybody's
STARVED = 0.85  # our processor time, as a share of the case's best blocks: below it another process ran in our place
FREQUENCY = 0.05  # so much below the best, relative: a time follows the processor's frequency one to one
EVENT = 1e-3  # s: a process or a hypervisor takes a processor for so long at least (the scheduler's least slice)
SWITCH = 8e-3  # s: for so long a process that was switched out waits at most (a slice, in ticks of up to 4 ms)
EXACT = 0.02  # hardware threads: the time of a process of one thread is counted that well
LAG = 0.1  # hardware threads: a process of one thread never uses more than one and this
WAITS = 0.5  # hardware threads: a program that mostly waits, e.g. for a disk, is not judged by its processor time
DISK = 0.01  # s: for so long a page is read from disk
LONGEST = 0.9  # of the time that may be counted as lost: beyond it nothing is known
IDLE = 0.05  # hardware threads that an idle machine's daemons keep busy, over seconds
IDLE_A_PROCESSOR = 0.002  # and so much more per hardware thread
OVER = 1.0  # s: launches are gathered until they are accounted for so long that ticks do not matter
IDLE_STEAL = 0.02  # hardware threads that a quiet hypervisor takes for its own ticks, over seconds


def accounts(findings: Findings, processors: int, ranks: int, threads: int) -> None:
    """Find blocks that others' work, stolen time, switches or faults touched, on `processors` with `ranks` of ours.

    `threads`: hardware threads of the whole host, on which others run whatever we may use.
    """
    blocks = findings.blocks
    hits: dict[str, list[int]] = defaultdict(list)
    worst: dict[str, float] = defaultdict(float)
    short: dict[str, list[tuple[float, float]]] = defaultdict(list)  # windows of a few ticks: their size, how long
    windows = list(_windows(blocks))
    taken = _taken(blocks)
    share, busiest = _own_share(blocks, windows, ranks)

    def hit(rule: str, window: list[int], size: float) -> None:
        hits[rule] += window
        lasted = sum(blocks[i].wall for i in window)
        if rule in ("others", "steal", "taken") and lasted < WINDOW:
            short[rule].append((size, lasted))
        else:
            worst[rule] = max(worst[rule], size)

    for window in windows:
        wall = sum(blocks[i].wall for i in window)
        if wall <= 0:
            continue
        rounding = TICK * max(2.0, len(window) / 2) / wall
        others = sum(blocks[i].counted("others") for i in window) / wall
        steal = sum(blocks[i].counted("steal") for i in window) / wall
        own = sum(blocks[i].counted("own") for i in window) / wall
        switches = sum(blocks[i].counted("involuntary") for i in window) / wall
        starving = [i for i in window if share[i] < STARVED]
        idle = OTHERS + OTHERS_A_PROCESSOR * processors + rounding
        contended = own + others + steal > processors - 0.1 and others + steal > OTHERS + rounding
        counted = all(blocks[i].accounting.get("involuntary") is not None for i in window)
        # a process next to us can take as much of shared resources (memory, caches) as we do; one in our place shows
        # in our switches, and where these were not counted, in the same account
        beside = others if contended and not counted else min(others, threads - 1.0)
        if others > idle:
            hit("others", window, others)
            findings.met("beside", window, touched(blocks, window, others), beside)
        elif wall < WINDOW and taken > COMPETING:  # ticks show little of one short launch, and enough of all together
            hit("others", window, taken)
            findings.met("beside", window, touched(blocks, window, taken), min(taken, threads - 1.0))
        if steal > STEAL + rounding:
            hit("steal", window, steal)
            findings.met("steal", window, touched(blocks, window, steal), slowed(steal))
        elif others <= idle < others + steal:  # a process that the hypervisor stops now and then
            hit("taken", window, others + steal)
            findings.met("beside", window, touched(blocks, window, others), beside)
            findings.met("steal", window, touched(blocks, window, steal), slowed(steal))
        tolerated = SWITCHES + SWITCHES_A_RANK * (ranks - 1)
        if (
            wall < WINDOW and taken < COMPETING
        ):  # a few switches without a competitor: two standard deviations of chance
            tolerated += 2 * (tolerated / wall) ** 0.5
        if switches > tolerated:
            hit("switches", window, switches)
        for working, group in _by_threads(blocks, window):
            lost = _lost(blocks, group, ranks, busiest, others + steal + rounding)
            if switches > tolerated:
                lost = min(lost, switches * SWITCH)
                findings.met("slices", group, _switched(blocks, group, switches), slowed(lost))
            elif working > 1 and others + steal > max(idle, processors - ranks * working):
                # threads that meet lose much by few switches, where all processors are wanted
                findings.met("slices", group, touched(blocks, group, others + steal), slowed(lost))
        if starving and 2 * len(starving) >= len(window):
            least = min(share[i] for i in starving)
            hit("starved", starving, 1 - least)
            met = _switched(blocks, starving, switches) if counted else touched(blocks, starving, 1 - least)
            findings.met("slices", starving, met, slowed(1 - least))
        if contended:
            findings.contended.update(window)
        findings.contended.update(starving)
    faulted = [i for i, block in enumerate(blocks) if block.counted("major_faults") > 0]
    for i in faulted:
        lost = slowed(DISK * blocks[i].counted("major_faults") / max(blocks[i].wall, DISK))
        findings.met("disk", [i], [blocks[i].counted("major_faults") / len(blocks[i].values)], lost)
    if faulted:
        hit("faults", faulted, sum(blocks[i].counted("major_faults") for i in faulted))
    texts = {
        "others": "other processes used up to {0:.2g} of {1} hardware threads",
        "steal": "the hypervisor took up to {0:.2g} hardware threads away",
        "taken": "other processes and the hypervisor together took up to {0:.2g} of {1} hardware threads",
        "switches": "our processes were switched out up to {0:.0f} times per second involuntarily",
        "starved": "our processes got up to {0:.0%} less processor time than in the best blocks of the same case",
        "faults": "{0:.0f} pages had to be read from disk or swap while timing",
    }
    unsized = {
        "others": "other processes worked",
        "steal": "the hypervisor took hardware threads away",
        "taken": "other processes and the hypervisor together took hardware threads",
    }
    for rule, indices in hits.items():
        text, amount = texts[rule], worst[rule]
        if rule in short:
            together, most = _together(short[rule])
            if together < STATED and not amount:
                text = f"{unsized[rule]} in {1e3 * together:.2g} ms of measuring, too few clock ticks to quantify it"
            elif together >= STATED:
                amount = max(amount, most)
        if rule in unsized:  # ticks can show more than there are
            amount = min(amount, float(threads))
        findings.add(rule, text.format(amount, threads) + describe_span(blocks, indices), indices, amount=amount)
    _remainder(findings, processors)


def _together(short: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """How long (s) short windows last together, and their mean size: each alone is no more than some ticks."""
    lasted = sum(wall for _, wall in short)
    return lasted, sum(size * wall for size, wall in short) / lasted


def touched(blocks: Sequence[AccountedBlock], window: Sequence[int], busy: float) -> list[float]:
    """The share of each block's readings that meets something that is there for `busy` of the time, in EVENTs."""
    return [busy * (blocks[i].reading / EVENT + 1) for i in window]


def _switched(blocks: Sequence[AccountedBlock], window: Sequence[int], rate: float) -> list[float]:
    """The share of each block's readings that were switched out, at so many switches per second."""
    return [rate * blocks[i].reading for i in window]


def _by_threads(blocks: Sequence[AccountedBlock], window: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    """How many threads worked, and the blocks of a window in which so many did."""
    for threads in sorted({blocks[i].threads for i in window}):
        yield threads, [i for i in window if blocks[i].threads == threads]


def _lost(blocks: Sequence[AccountedBlock], group: Sequence[int], ranks: int, busiest: Floats, taken: float) -> float:
    """Most of these blocks' time (a share) that passed while one of our threads was not on a processor.

    Threads that meet wait for the one that is delayed: what each of them lost is lost by all, and adds up. That shows
    in our own time, of several threads to a tick of each; where more of ours ran than worked it does not, and others in
    our place are counted instead (`taken`, in processors).
    """
    wall, threads = sum(blocks[i].wall for i in group), blocks[group[0]].threads
    short = ranks * threads - sum(blocks[i].counted("own") for i in group) / wall
    if threads == 1 and all(busiest[i] <= ranks * (1 + EXACT) for i in group):
        return max(0.0, short) + EXACT
    unsure = 2 * TICK * threads * np.sqrt(ranks * len(group) / 6) / wall  # two readings, each uniform in a tick
    return float(max(0.0, short) + unsure + (taken if short < -unsure else 0.0))


def slowed(lost: float) -> float:
    """How much longer something takes, relative, of whose time so much is lost."""
    return 1 / (1 - min(lost, LONGEST)) - 1


def _remainder(findings: Findings, processors: int) -> None:
    """Of the blocks that no rule marked: what others and the hypervisor took beyond an idle machine, over seconds."""
    blocks = findings.blocks
    remaining: dict[str, list[tuple[float, list[int]]]] = defaultdict(list)  # by rule: how much, from what blocks
    gathered: list[list[int]] = [[]]  # launches, so many together that ticks do not matter
    unmarked = sorted((i for i in range(len(blocks)) if i not in findings.marked), key=lambda i: blocks[i].launch)
    for place, i in enumerate(unmarked):
        another = place > 0 and blocks[unmarked[place - 1]].launch != blocks[i].launch
        if another and sum(blocks[j].wall for j in gathered[-1]) >= OVER:
            gathered.append([])
        gathered[-1].append(i)
    for members in gathered:
        wall = sum(blocks[i].wall for i in members)
        if wall < OVER / 4:
            continue
        others = sum(blocks[i].counted("others") for i in members) / wall - IDLE - IDLE_A_PROCESSOR * processors
        steal = sum(blocks[i].counted("steal") for i in members) / wall - IDLE_STEAL
        others -= sum(_bias(blocks[i]) for i in members) / wall
        rounding = 2 * TICK / wall
        if others > rounding:
            findings.met("beside", members, touched(blocks, members, others), others)
            remaining["others"].append((others, members))
        if steal > rounding:
            findings.met("steal", members, touched(blocks, members, steal), slowed(steal))
            remaining["steal"].append((steal, members))
    texts = {
        "others": "other processes used up to {:.2g} more hardware threads than when idle, over seconds",
        "steal": "the hypervisor took up to {:.2g} hardware threads more than a quiet one does, over seconds",
    }
    for rule, found in remaining.items():
        amount = max(size for size, _ in found)
        findings.remain(rule, texts[rule].format(amount), [i for _, members in found for i in members], amount)


def _taken(blocks: Sequence[AccountedBlock]) -> float:
    """Processors that others and the hypervisor had over all launches, less what whole ticks show too much."""
    wall = sum(block.wall for block in blocks)
    busy = sum(block.counted("others") + block.counted("steal") - _bias(block) for block in blocks)
    return busy / wall if wall > 0 else 0.0


def _bias(block: AccountedBlock) -> float:
    """By how much (s) a block's account of others is too great where they do little.

    It is whole ticks less our own time, and no less than zero: of an error of up to a tick either way only what is
    above remains. Of a block of w < 1 ticks that is w (1 - w) on average, else 1/6; where others do more, nothing.
    """
    ticks, seen = block.wall / TICK, block.counted("others") / TICK
    usual = ticks * (1 - ticks) if ticks < 0.8 else 1 / 6
    return TICK * usual * min(1.0, max(0.0, 1 - (seen - 1)))


def _windows(blocks: Sequence[AccountedBlock]) -> Iterator[list[int]]:
    """Gather the blocks of each launch, in time, into windows of at least WINDOW seconds."""
    by_launch: dict[int, list[int]] = defaultdict(list)
    for i, block in enumerate(blocks):
        by_launch[block.launch].append(i)
    for members in by_launch.values():
        members.sort(key=lambda i: (blocks[i].t0, blocks[i].block))
        windows: list[list[int]] = [[]]
        lasts = 0.0
        for i in members:
            if lasts >= WINDOW:
                windows.append([])
                lasts = 0.0
            windows[-1].append(i)
            lasts += blocks[i].wall
        if len(windows) > 1 and lasts < WINDOW:
            rest = windows.pop()
            windows[-1] += rest
        yield from windows


def _own_share(blocks: Sequence[AccountedBlock], windows: Sequence[Sequence[int]], ranks: int) -> tuple[Floats, Floats]:
    """Our processor time per second of wall time of each block, relative to the case's best blocks.

    1 if unknown; and those best blocks' own, in processors, infinite if unknown. Of processes of one thread the best
    blocks are the case's 90th percentile. The kernel brings the time of a process's other threads up to date at ticks
    only: a block of several threads, or after one of several, has its own time to a tick per thread (up to 2.3 s per
    second were seen of two), so these are compared by window.
    """
    known = [block.wall > 0 and block.accounting.get("own") is not None for block in blocks]
    busy = np.array([b.counted("own") / b.wall if ok else np.nan for b, ok in zip(blocks, known, strict=True)])
    share, busiest = np.ones(len(blocks)), np.full(len(blocks), np.inf)
    usual = np.full(len(blocks), np.nan)  # of several threads: the case's mean
    more = [b.counted("own") - ranks * b.wall > EVENT for b in blocks]  # than that many threads can have had
    crowd = max([block.threads for block in blocks] + np.ceil(busy[more] / ranks - LAG).astype(int).tolist())
    for members in cases_of(blocks).values():
        mine = busy[members]
        if not np.isfinite(mine).all():
            continue
        if crowd > 1:
            mean = float(np.average(mine, weights=[blocks[i].wall for i in members]))
            usual[members] = mean if mean > WAITS else np.nan
        elif (best := np.quantile(mine, 0.9)) > WAITS:
            share[members] = mine / best
            busiest[members] = best
    best_launch = max(_launches(blocks, usual).values(), default=1.0)
    for window in windows:
        which = [i for i in window if np.isfinite(usual[i])]
        due = sum(blocks[i].wall * usual[i] * best_launch for i in which)
        if due > 0:
            unsure = 2 * TICK * (crowd - 1) * np.sqrt(ranks * len(which) / 6)  # two readings, each uniform in a tick
            share[which] = min(1.0, (sum(blocks[i].counted("own") for i in which) + unsure) / due)
    return share, busiest


def _launches(blocks: Sequence[AccountedBlock], usual: Floats) -> dict[int, float]:
    """Our processor time in each launch, relative to what is usual for its blocks: of those where that is known."""
    own: dict[int, float] = defaultdict(float)
    due: dict[int, float] = defaultdict(float)
    for i in np.flatnonzero(np.isfinite(usual)).tolist():
        own[blocks[i].launch] += blocks[i].counted("own")
        due[blocks[i].launch] += blocks[i].wall * usual[i]
    return {launch: own[launch] / due[launch] for launch in due}


def frequency(findings: Findings) -> None:
    """Find blocks in which the processor's frequency was below what it had in the best blocks (their 90th percentile).

    The undisturbed one of several frequencies is unknown; the greater is what the machine can do.
    """
    blocks = findings.blocks
    hertz = {i: block.counted("frequency") for i, block in enumerate(blocks) if block.counted("frequency") > 0}
    if len(hertz) < 2:
        return
    best = float(np.quantile(list(hertz.values()), 0.9))
    below = {i: best / value - 1 for i, value in hertz.items() if value < (1 - FREQUENCY) * best}
    if below:
        low, high = min(hertz.values()), max(hertz.values())
        text = f"the processor's frequency went from {low / 1e9:.2f} to {high / 1e9:.2f} GHz"
        findings.add("frequency", text + describe_span(blocks, list(below)), list(below), amount=max(below.values()))
        for i, slower in below.items():  # a time is the longer, the slower the clock
            findings.evenly([i], 0.0, slower)


def reference(findings: Findings) -> None:
    """Find launches whose reference loop, timed before and after, was slower than usual on this host."""
    blocks = findings.blocks
    slower = {i: block.reference for i, block in enumerate(blocks) if block.reference and block.reference > REFERENCE}
    if slower:
        most = max(slower.values())
        text = f"the processor itself was up to {most:.0%} slower than usual, by the reference loop of each launch"
        findings.add("reference", text + describe_span(blocks, list(slower)), list(slower), amount=most)
        for i, by in slower.items():
            findings.evenly([i], 0.0, by)
