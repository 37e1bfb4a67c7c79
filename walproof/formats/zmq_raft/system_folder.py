"""Read the directory of a zmq-raft node: log, base snapshot and state.

Upstream authority: npm ``zmq-raft`` ``lib/server/builder.js`` (file names, files required at
startup), ``lib/common/file_persistence.js``, ``lib/server/raft_persistence.js`` (state files),
``lib/utils/filerotate.js``, ``lib/utils/tempfiles.js`` (names of older and temporary files).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Any

from reference_impl.answer import Lost, Record
from reference_impl.zmq_raft import index_file, recognise
from reference_impl.zmq_raft.directory import Folders, files_of, folders, index_files
from reference_impl.zmq_raft.layout import read_at
from reference_impl.zmq_raft.reader import SNAPSHOT_NAME, STATE_NAME, read
from reference_impl.zmq_raft.snapshot import HEADER
from walproof.quantity import counted
from walproof.quoted import quoted
from walproof.summary.model import Shown, Summary
from walproof.systems.model import (
    WHOLE,
    Finding,
    OtherFile,
    System,
    SystemFolder,
    SystemLog,
    size_of_all,
)

FORMAT = "zmq-raft"
STATE, MACHINE_STATE, LOG, SNAPSHOT = "raft.pers", "state.pers", "log", "snap"
#: Types that ``RaftPersistence`` and ``BroadcastStateMachine`` accept for values in state files.
TYPES: Mapping[str, Mapping[str, tuple[type, ...]]] = {
    STATE: {
        "currentTerm": (int,),
        "votedFor": (str, NoneType),
        "peers": (list, dict),
        "peersUpdateRequest": (str, NoneType),
        "peersIndex": (int, NoneType),
    },
    MACHINE_STATE: {"lastApplied": (int,)},
}
#: Maximum bytes read of a state file.
MAX_STATE_BYTES = 1 << 20
_OLDER = re.compile(r"-\d{4}-\d{2}-\d{2}-\d{6}-\d{3}[0-9a-z]+$")
_UNFINISHED = re.compile(r"\.tmp-\d+-[0-9a-z]+$")


@dataclass(frozen=True)
class State:
    """A state file: the merged values of its intact updates, and its first fault."""

    name: str
    size: int
    values: Mapping[str, Any]
    fault: str | None = None

    @property
    def base(self) -> str:
        """Return the name without the suffix of an older or an unfinished file."""
        return _UNFINISHED.sub("", _OLDER.sub("", self.name))

    @property
    def is_current(self) -> bool:
        """Return whether a node reads this file at startup."""
        return self.base == self.name

    @property
    def remark(self) -> str:
        """Return the numbers and texts of the state in one line."""
        return ", ".join(
            f"{key} {quoted(str(value).encode(), 24)}"
            for key, value in sorted(self.values.items())
            if isinstance(value, str | int)
        )


class ZmqRaftFolder(SystemFolder):
    """See :class:`SystemFolder`."""

    def log_files(self, system: System) -> list[str]:
        """See :class:`SystemFolder`. Returns the snapshot and the index files."""
        return [name for name, _ in files_of(system.folder, {})]

    def after_recovery(self, system: System) -> list[str]:
        """See :class:`SystemFolder`."""
        return [
            "If entries or a vote are lost, do not let this node vote: keep the folder, and have"
            " the other nodes send their log to an empty one.",
        ]

    def recognise(self, folder: Path) -> System | None:
        """See :class:`SystemFolder`.

        State files next to a log directory are sufficient, regardless of their content.
        """
        if not recognise(folder) and not _is_a_node(folder):
            return None
        parts = folders(folder, {})
        files = index_files(parts.log)
        names = sorted(path.name for path in folder.iterdir() if path.is_file())
        states = [
            _read_state(folder / name)
            for name in names
            if STATE_NAME.fullmatch(name) and (_base(name) in TYPES or recognise(folder / name))
        ]
        state = next((each for each in states if each.name == STATE), None) or next(
            (each for each in states if each.is_current and "currentTerm" in each.values), None
        )
        findings = [*_of_states(states), *_unread(parts, files)]
        if state and state.values.get("currentTerm") and not (files or _is_log_replaced(folder)):
            text = f"expected index files in {LOG}, found none: the log is lost"
            findings.append(Finding(text, None, "lost"))
        snapshot = "a snapshot and " if parts.snapshot and parts.snapshot.is_file() else ""
        role = f"{snapshot}{counted(len(files), 'index file')} of the log"
        logs = (SystemLog(WHOLE, role),)
        others = list(_others(folder, states))
        facts = {"state": state, "states": states, "is_node": parts.snapshot is not None}
        return System(self, "zmq-raft node", folder, FORMAT, logs, others, findings, facts)

    def beyond(self, system: System, found: Summary) -> Iterator[Finding]:
        """See :class:`SystemFolder`. Finds contradictions between the log and the state files."""
        reached = found.indexes[1] if found.indexes else 0
        state, states = system.facts["state"], system.facts["states"]
        for each in states:
            for key, what in (("lastApplied", "applied"), ("peersIndex", "in the log")):
                index = each.values.get(key)
                if each.is_current and isinstance(index, int) and index > reached:
                    text = f"{key} is {index}, the log and its snapshot end at {reached}: entries"
                    text += f" that were {what} are lost"
                    yield Finding(text, each.name, "lost")
        term = _term_of(system.folder, found.last)
        if state is None:
            has_older = any(each.base == STATE for each in states)
            if system.facts["is_node"] and (term or has_older):
                beside = "older states" if has_older else f"entries of term {term}"
                text = f"expected {STATE} next to {beside}, found none: the vote is lost"
                yield Finding(text, None, "lost")
            return
        known = state.values.get("currentTerm", 0)
        if state.fault is None and isinstance(known, int) and known < term:
            what = f"currentTerm is {known}" if state.size else "found an empty file"
            text = f"expected currentTerm {term} or above, as in the log; {what}: the vote is lost"
            yield Finding(text, state.name, "lost")


def _is_a_node(folder: Path) -> bool:
    names = [path.name for path in folder.iterdir() if path.is_file()]
    has_state = any(_base(name) == STATE for name in names)
    log = folder / LOG
    if log.is_dir():
        return has_state or any(_head(path)[:4] == b"RLOG" for path in log.rglob("*.rlog"))
    return has_state and SNAPSHOT in names


def _is_log_replaced(folder: Path) -> bool:
    """Return whether a node renamed its log because another node sent a snapshot."""
    return any(folder.glob(f"{LOG}-*"))


def _head(path: Path) -> bytes:
    if not path.is_file():
        return b""
    with path.open("rb") as file:
        return read_at(file, 0, index_file.HEADER.size)


def _base(name: str) -> str:
    return State(name, 0, {}).base


def _read_state(path: Path) -> State:
    updates: list[Record] = []
    fault = None
    for event in read(path, "recover", {"kind": "state"}):
        if isinstance(event, Record):
            updates.append(event)
        elif isinstance(event, Lost):
            fault = _fault(path, event)
    values = dict(updates[-1].fields.get("state") or {}) if updates else {}
    if fault is None and (types := TYPES.get(_base(path.name))):
        fault = next(_contradictions(updates, values, types), None)
    return State(path.name, path.stat().st_size, values, fault)


def _contradictions(
    updates: Sequence[Record], values: Mapping[str, Any], types: Mapping[str, tuple[type, ...]]
) -> Iterator[str]:
    """Find values that no node writes."""
    for key, value in values.items():
        is_negative = key != "peersIndex" and isinstance(value, int) and value < 0
        if is_negative or not isinstance(value, types.get(key, ())):
            found = quoted(f"{key}: {value}".encode())
            yield f"expected a valid value of a known key, found {found}"
    term = 0
    for update in updates:
        before, term = term, (update.fields.get("update") or {}).get("currentTerm", term)
        if isinstance(before, int) and isinstance(term, int) and term < before:
            yield f"expected currentTerm {before} or above at {update.at:,}, found {term}"


def _fault(path: Path, lost: Lost) -> str:
    with path.open("rb") as file:
        data = read_at(file, lost.start, MAX_STATE_BYTES)
    if lost.torn and data[-1:] != b"\0":
        return f"the end of the file cuts the state record at {lost.start:,}"
    found = quoted(data[:16]) if data.strip(b"\0") else f"{len(data):,} zeros"
    text = f"expected a MessagePack state record at {lost.start:,}, found {found}"
    return f"{text}, so the node may not start"


def _of_states(states: Sequence[State]) -> Iterator[Finding]:
    for state in states:
        if state.fault is None or not state.is_current:
            continue
        what = "index" if state.base == MACHINE_STATE else "vote"
        lost = f"a later {what} may be lost" if state.values else f"its {what} is lost"
        known = f". Readable values: {state.remark}" if state.remark else ""
        yield Finding(f"{state.fault}: {lost}{known}", state.name, "lost")
        older = [
            each
            for each in states
            if each.base == state.name and not each.is_current and not each.fault and each.remark
        ]
        if older:
            newest = max(older, key=lambda each: each.name)
            text = f"the newest intact state before {state.name}: {newest.remark}"
            yield Finding(text, newest.name, "look")


def _term_of(folder: Path, shown: Shown | None) -> int:
    """Return the term of an entry or a snapshot; 0 if there is neither."""
    if shown is None or shown.file is None:
        return 0
    with (folder / shown.file).open("rb") as file:
        head = read_at(file, shown.at, HEADER.size)
    if head[:4] == b"SNAP" and shown.at == 0:
        return int(HEADER.unpack(head)[4])
    return int.from_bytes(index_file.ENTRY.unpack_from(head)[2], "little")


def _unread(parts: Folders, files: Sequence[Path]) -> Iterator[Finding]:
    """Find index files that no node reads because of their names or directories."""
    locations = {*parts.log.rglob("*.rlog"), *parts.root.glob("*.rlog")} - {*files}
    for path in sorted(path for path in locations if path.is_file()):
        text = "expected a name of 14 lower-case hexadecimal digits in the folder of these digits:"
        yield Finding(f"{text} no node reads this file", parts.name(path))


def _others(folder: Path, states: Sequence[State]) -> Iterator[OtherFile]:
    for state in states:
        role = "state of the state machine" if state.base == MACHINE_STATE else "state of the node"
        role = f"{role}: {state.remark}" if state.remark else role
        yield OtherFile(state.name, f"{_age(state.name)}{role}", state.size)
    for path in sorted(folder.iterdir()):
        name = path.name
        if path.is_dir() and name.startswith(f"{LOG}-") and _OLDER.search(name):
            role = "the log before another node sent a snapshot"
        elif path.is_file() and SNAPSHOT_NAME.fullmatch(name) and name != SNAPSHOT:
            role = f"{_age(name)}snapshot"
        else:
            continue
        yield OtherFile(name, role, size_of_all(path))


def _age(name: str) -> str:
    older = "older " if _OLDER.search(name) else ""
    return "unfinished " if _UNFINISHED.search(name) else older


SYSTEM_FOLDER = ZmqRaftFolder()
