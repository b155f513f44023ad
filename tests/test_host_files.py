"""Files at the host of a hypercube: what a message to the host takes, the host's disk, and who waits for whom."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.described.machine_file import DescribedMachine, load
from assay.described.shipped import open_described
from assay.errors import InputError
from assay.published.cells.answers import Played
from assay.validation.claims import messages as claims
from test_every_key import written
from timed_files import time

STRIPE = 8192
DISK = {"access": "4 ms", "per_byte": "1 us/B"}
SHORT, LONG, COPY = 3e-3, 5e-3, 0.4e-6  # s of a message to or from the host: up to 100 bytes, longer, per byte
TABLE: dict[str, Any] = {
    "name": "m",
    "network": {"topology": "hypercube", "dimension": 3, "cycle": "1 ns", "flit_ticks": 400, "switching": "wormhole"},
    "protocol": [{"startup": "100 us"}],
    "host": [{"up_to": "100 B", "startup": "3 ms"}, {"startup": "5 ms", "copy": "0.4 us/B"}],
    "storage": {"host": True, "io_nodes": 1, "stripe": f"{STRIPE} B", "device": DISK},
}


def machine(**more: Any) -> DescribedMachine:
    return DescribedMachine.model_validate(TABLE | {"storage": TABLE["storage"] | more})


CALL = SHORT + 4e-3 + STRIPE * 1e-6 + LONG + (STRIPE + 32) * COPY
AROUND = 2 * 2 * SHORT  # a word there and back, for opening and closing


@pytest.mark.parametrize("calls", [1, 7])
def test_a_read_is_a_word_to_the_host_its_disk_and_the_bytes_back(calls: int) -> None:
    found = time(machine(), 1, bytes=STRIPE, section=calls * STRIPE)
    assert found == pytest.approx(AROUND + calls * CALL, rel=1e-9)


def test_the_host_passes_one_message_at_a_time() -> None:
    """With a disk that takes no time all nodes together get what one gets: the host's messages are the bound."""
    free = machine(device={"per_byte": "1 ps/B"})
    alone, together = (time(free, ranks, bytes=STRIPE, section=8 * STRIPE) for ranks in (1, 8))
    per_call = SHORT + LONG + (STRIPE + 32) * COPY
    assert alone == pytest.approx(AROUND + 8 * per_call, rel=1e-6)
    assert together == pytest.approx(8 * alone, rel=1e-6)


def test_a_claim_s_hosts_are_played_and_judged() -> None:
    """Dunigan 1991, section 5: the disk much slower than NFS. NFS by hand, from what the description says."""
    played, texts = Played(), claims.published()
    assert claims.judge(played, texts["d91h.local-disk-vs-nfs"]).outcome == "holds"
    assert len(claims.judge(played, texts["d91h.cfs-vs-host-file"]).parts) == 2
    on = open_described("ipsc860:host-nfs")
    assert on.storage is not None and on.storage.cache is None and on.storage.disk is None and on.storage.device
    short, long = on.host
    pieces = 16
    word = short.startup
    answer = long.startup + (STRIPE + 32) * long.copy_time
    serving = on.storage.device.access + STRIPE * on.storage.device.per_byte
    by_hand = pieces * (word + answer + serving) + 4 * word + on.storage.open_time + on.storage.close_time
    assert time(on, 1, bytes=65536, section=pieces * STRIPE) == pytest.approx(by_hand, rel=1e-6)


@pytest.mark.parametrize(("over", "said"), [
    ({"storage": TABLE["storage"] | {"io_nodes": 2}}, "whose host is the I/O node"),
    ({"storage": TABLE["storage"] | {"nodes": [3]}}, "whose host is the I/O node"),
    ({"host": []}, "need a way to it"),
])  # fmt: skip
def test_files_at_a_host_need_one(tmp_path: Path, over: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        load(written(tmp_path / "bad.toml", TABLE | over))
    assert "\n" not in str(caught.value) and "bad.toml" in str(caught.value)


def test_a_variant_leaves_a_table_out(tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    plain = TABLE | {"storage": TABLE["storage"] | {"cache": {"size": "64 KiB"}}}
    text = written(path, plain).read_text()
    path.write_text(text + '\n[variant.bare.storage]\ncache = "none"\n')
    bare, whole = load(path, {"variant": "bare"}), load(path)
    assert whole.storage is not None and whole.storage.cache is not None
    assert bare.storage is not None and bare.storage.cache is None and bare.storage.device == whole.storage.device
    path.write_text(text + '\n[variant.bare.storage]\ncash = "none"\n')
    with pytest.raises(InputError, match="cash"):
        load(path)
