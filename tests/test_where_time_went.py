"""Where the time went: start-up, copying, waiting, transport and protocol add up to the message's time, exactly."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from assay.described.shipped import open_described, room, shipped
from started import play

KINDS = ("startup", "copying", "waiting", "transport", "protocol")
VARIANTS = ("delta:text", "paragon-mp:turbo", "paragon-mp:sunmos")
HOSTS = ("ipsc1", "ipsc2", "ipsc860", "ncube3200", "ncube6400")


@cache
def events(machine: str, program: str, *arguments: str) -> list[dict[str, Any]]:
    described = open_described(machine)
    ranks = min(room(described) or 64, 128)
    words = [word for each in arguments for word in ("--set", each)]
    return [json.loads(line) for line in play(program, described.for_core(), ranks, words).splitlines()]


def pairs(machine: str, program: str, *arguments: str) -> list[tuple[dict[str, Any], float, dict[str, Any]]]:
    """Each case with its time (s) and the account that follows it."""
    said = events(machine, program, *arguments)
    blocks = [event for event in said if event["event"] == "block" and event["metric"] in ("round_trip", "time")]
    accounts = {json.dumps(event["case"]): event for event in said if event["event"] == "where"}
    return [(block["case"], block["values"][0], accounts[json.dumps(block["case"])]) for block in blocks]


@pytest.mark.parametrize("machine", [*sorted(shipped()), *VARIANTS])
def test_the_parts_of_an_echo_add_up_to_its_round_trip(machine: str) -> None:
    """Both messages, every hop count of 128 nodes, lengths of every protocol; to a picosecond a message."""
    found = pairs(machine, "echo", "bytes=8,100,101,2048,8192,100000")
    assert found
    for case, took, account in found:
        assert account["messages"] == 2
        assert 2 * sum(account[kind] for kind in KINDS) == pytest.approx(took, abs=2e-12), case


@pytest.mark.parametrize("machine", ["ipsc860", "delta", "paragon-mp"])
def test_the_parts_of_forced_messages_add_up_too(machine: str) -> None:
    for case, took, account in pairs(machine, "forced", "bytes=8,8192", "send=ready"):
        parts = sum(account[kind] for kind in KINDS) * account["messages"]
        assert parts >= took - 2e-12, case  # the word that says the receive is posted is counted, and not timed


@pytest.mark.parametrize("machine", HOSTS)
def test_the_parts_of_self_and_host_are_start_up_and_copying(machine: str) -> None:
    for program in ("self", "host"):
        for case, took, account in pairs(machine, program, "bytes=8,1024,8192"):
            messages = account["messages"]
            whole = messages * (account["startup"] + account["copying"])
            assert whole == pytest.approx(took, abs=messages * 1e-12), case
            assert account["waiting"] == account["transport"] == account["protocol"] == 0


def test_waiting_is_where_messages_meet() -> None:
    """Fan-in from one neighbour waits for nobody but its own messages; from six, messages wait for the interface."""
    accounts = {
        case["neighbours"]: account for case, _, account in pairs("ipsc860", "fan-in", "bytes=8192", "neighbours=1,6")
    }
    assert accounts[6]["waiting"] > 2 * accounts[1]["waiting"]
    assert accounts[6]["transport"] == pytest.approx(accounts[1]["transport"], rel=0.01)
