"""The folder of a zmq-raft node: its log, the snapshot on which the log builds, and its state.

Upstream authority: npm ``zmq-raft`` ``lib/server/builder.js`` (the names of the files),
``lib/server/persistence.js`` (state files and their rotation).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from reference_impl.answer import End, Record
from reference_impl.zmq_raft import recognise
from reference_impl.zmq_raft.directory import folders, index_files
from reference_impl.zmq_raft.reader import SNAPSHOT_NAME, STATE_NAME, read
from walproof.quantity import counted
from walproof.quoted import quoted
from walproof.systems.model import WHOLE, Finding, Kind, OtherFile, System, SystemLog

FORMAT = "zmq-raft"
MOST_STATE = 1 << 20
"""Bytes of a state file that is read here; real ones begin anew at 1 MiB."""


class Node(Kind):
    """See :class:`Kind`."""

    def recognise(self, folder: Path) -> System | None:
        """See :class:`Kind`."""
        if not recognise(folder):
            return None
        parts = folders(folder, {})
        files = index_files(parts.log)
        others, findings = [], []
        for path in sorted(folder.iterdir()):
            if path == parts.snapshot or not path.is_file():
                continue
            if STATE_NAME.fullmatch(path.name) and recognise(path):
                other, found = _state(path)
                others.append(other)
                findings += found
            elif SNAPSHOT_NAME.fullmatch(path.name):
                others.append(OtherFile(path.name, "another snapshot", path.stat().st_size))
        snapshot = "a snapshot and " if parts.snapshot and parts.snapshot.is_file() else ""
        role = f"{snapshot}{counted(len(files), 'index file')} of the log"
        logs = (SystemLog(WHOLE, role),)
        return System(self, "zmq-raft node", folder, FORMAT, logs, others, findings)


def _state(path: Path) -> tuple[OtherFile, list[Finding]]:
    size = path.stat().st_size
    if size > MOST_STATE:
        return OtherFile(path.name, "state of the node", size), []
    last = None
    for event in read(path, "recover", {"kind": "state"}):
        if isinstance(event, Record):
            last = event
        elif isinstance(event, End):
            end = event
    said = ", ".join(_said(last)) if last is not None else ""
    other = OtherFile(path.name, f"state of the node{': ' if said else ''}{said}", size)
    if end.verdict == "intact":
        return other, []
    text = f"the state is {end.verdict} ({end.reason}): there may have been a later vote"
    return other, [Finding(text, path.name, "lost" if end.verdict == "damaged" else "look")]


def _said(last: Record) -> Iterator[str]:
    """The last state in words: term, vote."""
    state = last.fields.get("state")
    if isinstance(state, dict):
        for key in sorted(state):
            if isinstance(state[key], str | int):
                yield f"{key} {quoted(str(state[key]).encode(), 24)}"


KIND = Node()
