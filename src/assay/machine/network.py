"""Network interfaces, and the fabrics of parallel machines: InfiniBand, RoCE, Omni-Path, Slingshot. By /sys/class."""

from __future__ import annotations

from pathlib import Path

from assay.machine import reading


class Interface(reading.HostPart):
    """A network interface; `rate` in B/s as the link negotiated it."""

    name: str
    state: str | None = None
    rate: float | None = None
    mtu: int | None = None
    driver: str | None = None
    virtual: bool = False


class FabricPort(reading.HostPart):
    """A port of a fast network; `rate` in B/s (signalling rate)."""

    device: str
    port: int
    kind: str
    state: str | None = None
    rate: float | None = None


class HostNetwork(reading.HostPart):
    """What may carry messages away from this host."""

    interfaces: tuple[Interface, ...] = ()
    fabrics: tuple[FabricPort, ...] = ()


def network(root: Path = Path("/")) -> HostNetwork:
    """Read the interfaces of the host under `root`; the loopback is left out."""
    interfaces = []
    for each in reading.entries(root / "sys/class/net"):
        if each.name == "lo" or not each.is_dir():
            continue
        megabits = reading.number(each / "speed")
        driver = each / "device/driver"
        interfaces.append(
            Interface(
                name=each.name,
                state=reading.text(each / "operstate"),
                rate=megabits * 125000.0 if megabits is not None and megabits > 0 else None,
                mtu=reading.number(each / "mtu"),
                driver=driver.resolve().name if driver.exists() else None,
                virtual=not (each / "device").exists(),
            )
        )
    fabrics = []
    for device in reading.entries(root / "sys/class/infiniband"):
        for port in reading.entries(device / "ports"):
            layer = reading.text(port / "link_layer") or "InfiniBand"
            kind = "Omni-Path" if device.name.startswith("hfi1") else "RoCE" if layer == "Ethernet" else layer
            gigabits = reading.real((reading.text(port / "rate") or "").partition("Gb/sec")[0])
            state = reading.text(port / "state") or ""
            fabrics.append(
                FabricPort(
                    device=device.name,
                    port=int(port.name) if port.name.isdecimal() else 0,
                    kind=kind,
                    state=state.partition(":")[2].strip().lower() or None,
                    rate=None if gigabits is None else gigabits * 125e6,
                )
            )
    for device in reading.entries(root / "sys/class/cxi"):
        fabrics.append(FabricPort(device=device.name, port=0, kind="Slingshot"))
    return HostNetwork(interfaces=tuple(interfaces), fabrics=tuple(fabrics))
