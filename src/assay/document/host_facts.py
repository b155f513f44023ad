"""Circumstances of a host as it stated them, with types for the keys that a report reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NotRequired, TypedDict

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from assay.document.params import Facts


class StatedCache(TypedDict):
    """A cache of one core: its level, bytes, and whether it is for data, instructions or both."""

    level: int
    size: float
    kind: NotRequired[str]


@dataclass(frozen=True)
class HostFacts:
    """A view of what was stated: a host's data in SI units; a key that it did not state is None."""

    stated: Facts

    @property
    def host(self) -> str | None:
        """Its name."""
        found: str | None = self.stated.get("host")
        return found

    @property
    def cpu(self) -> str | None:
        """The processor's model."""
        found: str | None = self.stated.get("cpu")
        return found

    @property
    def architecture(self) -> str | None:
        """Such as x86_64."""
        found: str | None = self.stated.get("architecture")
        return found

    @property
    def sockets(self) -> int | None:
        """How many sockets."""
        found: int | None = self.stated.get("sockets")
        return found

    @property
    def cores(self) -> int | None:
        """How many cores."""
        found: int | None = self.stated.get("cores")
        return found

    @property
    def threads(self) -> int | None:
        """How many hardware threads."""
        found: int | None = self.stated.get("threads")
        return found

    @property
    def usable_cpus(self) -> float | None:
        """How many hardware threads this process may use, by affinity and quota."""
        found: float | None = self.stated.get("usable_cpus")
        return found

    @property
    def frequency(self) -> float | None:
        """Clock (Hz)."""
        found: float | None = self.stated.get("frequency")
        return found

    @property
    def stated_clock(self) -> float | None:
        """The clock that the processor states (Hz): of older runs the present one."""
        found: float | None = self.stated.get("stated_clock") or self.frequency
        return found

    @property
    def flags(self) -> list[str] | None:
        """What the processor can do, as the kernel names it; of a host behind a launcher the compiler's flags."""
        found: list[str] | None = self.stated.get("flags")
        return found

    @property
    def vectors(self) -> list[str] | None:
        """The flags of vector instructions, as a program behind a launcher stated them."""
        found: list[str] | None = self.stated.get("vectors")
        return found

    @property
    def memory(self) -> float | None:
        """Bytes."""
        found: float | None = self.stated.get("memory")
        return found

    @property
    def memory_limit(self) -> float | None:
        """Bytes that the cgroup allows."""
        found: float | None = self.stated.get("memory_limit")
        return found

    @property
    def kernel(self) -> str | None:
        """The kernel's release."""
        found: str | None = self.stated.get("kernel")
        return found

    @property
    def distribution(self) -> str | None:
        """The system's name."""
        found: str | None = self.stated.get("distribution")
        return found

    @property
    def virtualised(self) -> bool | None:
        """Whether it is a guest."""
        found: bool | None = self.stated.get("virtualised")
        return found

    @property
    def hypervisor(self) -> str | None:
        """Whose guest."""
        found: str | None = self.stated.get("hypervisor")
        return found

    @property
    def container(self) -> str | None:
        """What container this is."""
        found: str | None = self.stated.get("container")
        return found

    @property
    def submitted_from(self) -> str | None:
        """The host that a run was submitted from, where another one measured."""
        found: str | None = self.stated.get("submitted_from")
        return found

    @property
    def hosts(self) -> list[str]:
        """All hosts that measured, where this represents several."""
        return list(self.stated.get("hosts") or ())

    @property
    def limits(self) -> Facts | None:
        """What no message can do better, by the description of a simulated machine (described/limits.py)."""
        found: Facts | None = self.stated.get("limits")
        return found

    @property
    def caches(self) -> list[StatedCache]:
        """The caches of one core."""
        found: list[StatedCache] = (self.stated.get("caches") or {}).get("caches") or []
        return found

    @property
    def mpi(self) -> Facts | None:
        """The MPI that launched: implementation, version."""
        found: Facts | None = self.stated.get("mpi")
        return found


def _read(data: Any) -> HostFacts:
    if isinstance(data, HostFacts):
        return data
    if not isinstance(data, Mapping):
        raise ValueError("a host's facts are an object")
    return HostFacts(dict(data))


Host = Annotated[
    HostFacts, PlainValidator(_read), PlainSerializer(lambda host: host.stated), WithJsonSchema({"type": "object"})
]
