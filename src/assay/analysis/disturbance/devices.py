"""What slowed a device down while it was measured, by its vendor's accounting: power, temperature, other processes.

A block's accounts have, where a device was looked at meanwhile: `device_power`, `device_temperature` and
`device_hardware`, the share of looks at which this limited its clock; `device_slower`, by how much the median clock of
these looks was below the highest one, relative; `device_others`, the most other processes on it.
"""

from __future__ import annotations

from assay.analysis.disturbance.block import describe_span
from assay.analysis.disturbance.findings import Findings

LIMITS = {
    "device_power": "its power limit",
    "device_temperature": "its temperature",
    "device_hardware": "a brake of its hardware",
}


def devices(findings: Findings) -> None:
    """Find blocks in which the device's clock was lowered, or in which other processes were on it.

    A reading is longer by the ratio of the clocks at most: what waits for memory is slowed less. Processes that share a
    device are given it in turn.
    """
    blocks = findings.blocks
    limited = [i for i, block in enumerate(blocks) if any(block.counted(key) for key in LIMITS)]
    if limited:
        why = [words for key, words in LIMITS.items() if any(blocks[i].counted(key) for i in limited)]
        slower = {i: blocks[i].counted("device_slower") for i in limited}
        most = max(slower.values())
        text = f"the device was slowed down by {' and '.join(why)}, its clock by up to {most / (1 + most):.0%}"
        findings.add("throttled", text + describe_span(blocks, limited), limited, amount=most)
        for i in limited:
            findings.evenly([i], 0.0, slower[i])
    shared = [i for i, block in enumerate(blocks) if block.counted("device_others")]
    if shared:
        others = max(blocks[i].counted("device_others") for i in shared)
        text = f"up to {others:.0f} other process{'es were' if others > 1 else ' was'} on the device"
        findings.add("shared device", text + describe_span(blocks, shared), shared, amount=others)
        for i in shared:
            findings.evenly([i], 0.0, blocks[i].counted("device_others"))
