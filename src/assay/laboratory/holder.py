"""A script: the first process of a laboratory's namespaces. It builds hosts and links, and its death removes them all.

Started as `unshare -Urnmpf --kill-child --mount-proc python -I -S holder.py assay-laboratory SPECIFICATION`, it is
process 1 of its PID namespace: when it ends, however it ends, the kernel kills every process in there, and with the
last of them the network namespaces, interfaces and the private file system on /dev/shm go.

It reads a plan from standard input (a line of JSON, see raising.py), answers with `ready` or with an error, and stays
only if a further line comes: without it whoever started it was killed, and it ends. It ends too when the links' process
ends, or on SIGTERM. It uses the standard library only.
"""

import ctypes
import fcntl
import json
import os
import signal
import socket
import struct
import subprocess
import sys

ROOM = "/dev/shm"  # private to the laboratory
NIC_ADDRESS = "02:00:00:00:00:01"  # of all: frames are addressed to whoever is at the other end, without ARP
_NEWUTS, _NEWNET = 0x04000000, 0x40000000
_MS_BIND = 4096
_SIOCETHTOOL = 0x8946
# ETHTOOL_STXCSUM, ETHTOOL_SSG, ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO: frames leave as they would on a wire.
_OFFLOADS = (0x17, 0x19, 0x1F, 0x24, 0x2C)
_SETTINGS = {
    "ipv4/ip_forward": "1",
    "ipv4/conf/all/rp_filter": "0",
    "ipv4/conf/default/rp_filter": "0",
    "ipv4/tcp_congestion_control": "reno",
    "ipv4/tcp_slow_start_after_idle": "0",
    "ipv4/tcp_no_metrics_save": "1",
    "ipv6/conf/all/disable_ipv6": "1",
    "ipv6/conf/default/disable_ipv6": "1",
}
_AGENT = f"""#!/bin/sh
# Starts a command on a host of this laboratory, as ssh would; /sys shows the host's own interfaces.
host=$1
shift
exec nsenter --net={ROOM}/net/"$host" --uts={ROOM}/uts/"$host" unshare -m \\
  sh -c 'mount -t sysfs sysfs /sys 2>/dev/null; exec sh -c "$1"' sh "$*"
"""
_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


def _mount(source: str, target: str, kind: str | None, flags: int = 0) -> None:
    named = None if kind is None else kind.encode()
    _check(_libc.mount(source.encode(), target.encode(), named, flags, None), f"mount {target}")


def _apart(work) -> None:  # type: ignore[no-untyped-def]
    """Do `work` in a process of its own, whose namespaces may be others; OSError where it fails."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            work()
        except Exception as error:
            os.write(writing, str(error).encode()[:4000])
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        words = pipe.read()
    os.waitpid(child, 0)
    if words:
        raise OSError(words)


def _ip(lines: list[str]) -> None:
    done = subprocess.run(["ip", "-batch", "-"], input="\n".join(lines) + "\n", capture_output=True, text=True)
    if done.returncode != 0:
        raise OSError(f"ip: {' / '.join(done.stderr.split(chr(10))[:2])}")


def _write(path: str, text: str, mode: int = 0o644) -> None:
    with open(path, "w", opener=lambda name, flags: os.open(name, flags, mode)) as file:
        file.write(text)


def _new_host(name: str) -> None:
    _check(_libc.unshare(_NEWNET | _NEWUTS), "unshare")
    _check(_libc.sethostname(name.encode(), len(name)), "sethostname")
    for kind in ("net", "uts"):
        _write(f"{ROOM}/{kind}/{name}", "")
        _mount(f"/proc/{os.getpid()}/ns/{kind}", f"{ROOM}/{kind}/{name}", None, _MS_BIND)


def _enter(name: str) -> None:
    space = os.open(f"{ROOM}/net/{name}", os.O_RDONLY)
    _check(_libc.setns(space, _NEWNET), "setns")


def _without_offloads(interfaces: list[str]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:
        for interface in interfaces:
            for setting in _OFFLOADS:
                value = ctypes.create_string_buffer(struct.pack("II", setting, 0))
                request = struct.pack("16sP", interface.encode(), ctypes.addressof(value))
                try:
                    fcntl.ioctl(channel, _SIOCETHTOOL, request.ljust(40, b"\0"))
                except OSError:
                    continue  # of an older kernel, or off for good


def _set_up_host(name: str, plan: dict) -> None:  # type: ignore[type-arg]
    """Addresses, interfaces and routes of one host or switch."""
    _enter(name)
    address = plan["addresses"].get(name)
    interfaces = [f"l{at}" for at, cable in enumerate(plan["cables"]) if name in cable["ends"]]
    lines = ["link set lo up"]
    if address:
        lines += ["link add name host0 type bridge", f"address add {address}/32 dev host0", "link set host0 up"]
    lines += [f"link set {each} address {NIC_ADDRESS} arp off" for each in interfaces]
    for setting, value in _SETTINGS.items():
        if os.path.exists(f"/proc/sys/net/{setting}"):  # noqa: PTH110
            _write(f"/proc/sys/net/{setting}", value)
    _without_offloads(interfaces)
    lines += [f"link set {each} up" for each in interfaces]
    source = f" src {address}" if address else ""
    lines += [f"route add {plan['addresses'][to]}/32 dev l{at}{source}" for to, at in plan["routes"][name].items()]
    _ip(lines)
    for each in interfaces:
        _write(f"/proc/sys/net/ipv4/conf/{each}/rp_filter", "0")


def _build(plan: dict) -> subprocess.Popen:  # type: ignore[type-arg]
    """Build everything; the process that plays the links."""
    _mount("laboratory", ROOM, "tmpfs")
    for folder in ("net", "uts", "run"):
        os.mkdir(f"{ROOM}/{folder}")  # noqa: PTH102
    _write(f"{ROOM}/agent", _AGENT, 0o755)
    hosts = "".join(f"{address} {name}\n" for name, address in plan["addresses"].items())
    _write(f"{ROOM}/hosts", f"127.0.0.1 localhost\n{hosts}")
    if os.path.exists("/etc/hosts"):  # noqa: PTH110
        _mount(f"{ROOM}/hosts", "/etc/hosts", None, _MS_BIND)
    for name in plan["routes"]:
        _apart(lambda name=name: _new_host(name))
    words, lines = [plan["program"], f"{ROOM}/counts"], ["link set lo up"]
    for at, cable in enumerate(plan["cables"]):
        for side, end in zip("ab", cable["ends"], strict=True):
            lines += [f"link add name {side}{at} mtu 1500 type veth peer name l{at} netns {ROOM}/net/{end}"]
            lines += [f"link set {side}{at} up"]
        rest = [cable["per_byte"], plan["delay"], plan["queue"]]
        for way in ((f"a{at}", f"b{at}"), (f"b{at}", f"a{at}")):
            words += [*way, *map(str, rest)]
    _write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1") if os.path.exists("/proc/sys/net/ipv6") else None  # noqa: PTH110
    _ip(lines)
    for name in plan["routes"]:
        _apart(lambda name=name: _set_up_host(name, plan))
    links = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    assert links.stdout is not None
    if links.stdout.readline() != b"ready\n":
        raise OSError(f"the links' process did not start (status {links.wait()})")
    return links


def _hold() -> int:
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    plan = json.loads(sys.stdin.buffer.readline() or b"{}")
    if not plan:
        return 1
    try:
        links = _build(plan)
    except (OSError, subprocess.SubprocessError) as error:
        print(str(error).replace("\n", " "), flush=True)
        return 1
    print("ready", flush=True)
    if not sys.stdin.buffer.readline():
        return 1
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    while True:
        pid, _ = os.waitpid(-1, 0)
        if pid == links.pid:
            return 1


if __name__ == "__main__":
    os._exit(_hold())
