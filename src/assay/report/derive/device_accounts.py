"""The state of a device during a block, as an account of the block: from the looks of the block's own launch."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median

from assay.samples import Block
from assay.stored.device_states import REASONS, DeviceStates
from assay.stored.launch_file import Tasks


def device_accounts(tasks: Tasks) -> Callable[[Block], dict[str, float]]:
    """Give what returns a block's accounts (analysis/disturbance/devices.py): none of one without a device's looks."""
    found: dict[tuple[str, int, int, object], DeviceStates] = {
        (each.host, about.launch, about.attempt, each.device): each
        for about, file in tasks
        for each in file.content.devices
    }

    def accounts(block: Block) -> dict[str, float]:
        states = found.get((block.host, block.launch, block.attempt, block.case.get("device")))
        looks = states.within(block.t0, block.t1) if states else ()
        if states is None or not looks:
            return {}
        clock = median(look.clock for look in looks)
        return {
            **{f"device_{why}": sum(why in look.limits for look in looks) / len(looks) for why in REASONS},
            "device_slower": states.highest / clock - 1 if clock > 0 else 0.0,
            "device_others": float(max(look.others for look in looks)),
        }

    return accounts
