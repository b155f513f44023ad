"""Firmware of a host: its BIOS or UEFI and those of its InfiniBand cards, and the processors' microcode."""

from __future__ import annotations

from pathlib import Path

from assay.machine import reading


def microcode(root: Path = Path("/")) -> str | None:
    """The revision that the first processor states; None where it states none (other than x86)."""
    first = (reading.text(root / "proc/cpuinfo") or "").partition("\n\n")[0]
    return reading.pairs(first, ":").get("microcode")


def firmware(root: Path = Path("/")) -> str | None:
    """Vendor, version and date of the BIOS, then each card's; None where nothing is visible."""
    bios = [reading.text(root / f"sys/class/dmi/id/bios_{key}") for key in ("vendor", "version", "date")]
    cards = [reading.text(path / "fw_ver") for path in reading.entries(root / "sys/class/infiniband")]
    return " ".join([*filter(None, bios), *(f"card {each}" for each in cards if each)]) or None
