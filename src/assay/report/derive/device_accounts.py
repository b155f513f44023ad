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
        account = {"device_slower": states.highest / clock - 1 if clock > 0 else 0.0}
        if limits := [look.limits for look in looks if look.limits is not None]:
            account |= {f"device_{why}": sum(why in each for each in limits) / len(limits) for why in REASONS}
        if others := [look.others for look in looks if look.others is not None]:
            account["device_others"] = float(max(others))
        return account

    return accounts
