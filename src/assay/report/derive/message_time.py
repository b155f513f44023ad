"""Where the messages' time went on a described machine: what the simulator says beside each case's samples."""

from __future__ import annotations

from assay.store import Run

PARTS = ("startup", "copying", "waiting", "transport", "protocol")


def where(run: Run) -> list[dict[str, object]]:
    """By case: how many messages, and the mean seconds of each on start-up, copying, waiting for channels, transport
    and protocol (handshakes, the receiver's part), over all messages from one case's end to the next one's.
    """
    found = []
    for _, file in sorted(run.tasks(), key=lambda task: task[1].path):
        for event in file.content.where:
            found.append({"case": event["case"], "messages": event["messages"]} | {p: event[p] for p in PARTS})
    return found
