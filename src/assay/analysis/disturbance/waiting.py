"""How long our threads waited for a processor, by the scheduler's own account: exact in each block, however short."""

from assay.analysis.disturbance.accounts import slowed, touched
from assay.analysis.disturbance.block import describe_span
from assay.analysis.disturbance.findings import Findings

WAITED = 0.05  # of a block's time, all threads together: a twentieth moves a median by up to as much
WAITED_A_THREAD = 0.005  # and so much more per further thread: daemons come with the size of the machine


def waiting(findings: Findings, processors: int, ranks: int) -> None:
    """Find blocks in which our threads were ready to run and others had their processors.

    Threads that meet wait for the one that waits: what each of them lost is lost by all. Where more of our threads than
    `processors` work, on `ranks` processes, they take turns by themselves and are not judged.
    """
    blocks = findings.blocks
    hit = {}
    for i, block in enumerate(blocks):
        threads = ranks * block.threads
        waited = block.counted("waited") / block.wall if block.wall > 0 else 0.0
        if threads > processors or waited <= WAITED + WAITED_A_THREAD * (threads - 1):
            continue
        hit[i] = waited
        findings.met("slices", [i], touched(blocks, [i], waited), slowed(waited))
    if hit:
        most = max(hit.values())
        text = f"our threads waited for a processor up to {most:.0%} of the time, all together"
        findings.add("waited", text + describe_span(blocks, list(hit)), list(hit), amount=most)
