"""Read the directory of a zmq-raft node: log, base snapshot and state.

Upstream authority: npm ``zmq-raft`` ``lib/server/builder.js`` (file names, files required at
startup), ``lib/common/file_persistence.js``, ``lib/server/raft_persistence.js`` (state files),
``lib/utils/filerotate.js``, ``lib/utils/tempfiles.js`` (names of older and temporary files).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reference_impl.answer import Lost, Record
from reference_impl.zmq_raft import index_file, recognise
from reference_impl.zmq_raft.directory import Folders, files_of, first_index, folders, index_files
from reference_impl.zmq_raft.layout import VERSION, Refusal, find_marker, read_at
from reference_impl.zmq_raft.message_pack import SAFE_INTEGER
from reference_impl.zmq_raft.reader import SNAPSHOT_NAME, STATE_NAME, read
from reference_impl.zmq_raft.snapshot import BODY, HEADER
from walproof.quantity import counted
from walproof.quoted import quoted
from walproof.summary.model import Summary
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
KEYS = {
    STATE: {"currentTerm", "votedFor", "peers", "peersUpdateRequest", "peersIndex"},
    MACHINE_STATE: {"lastApplied"},
}
NEW_SNAPSHOT = "compact/snap.new"
_OLDER = re.compile(r"-\d{4}-\d{2}-\d{2}-\d{6}-\d{3}[0-9a-z]+$")
_UNFINISHED = re.compile(r"\.tmp-\d+-[0-9a-z]+$")
#: Characters of ``peersUpdateRequest``: 12 bytes in base64.
REQUEST_ID_LENGTH = 16


@dataclass(frozen=True)
class State:
    """A state file: the merged intact updates, and a description of the first fault."""

    name: str
    size: int
    values: Mapping[str, Any]
    fault: str | None = None
    #: Whether the file ends within the last update, which a node accepts.
    is_cut: bool = False
    #: Whether a node does not start with this file.
    is_refused: bool = False

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
        """Describe its numbers and texts."""
        return ", ".join(
            f"{key} {quoted(str(value).encode(), 24)}"
            for key, value in sorted(self.values.items())
            if isinstance(value, str | int)
        )


class ZmqRaftFolder(SystemFolder):
    """See :class:`SystemFolder`."""

    def log_files(self, system: System) -> list[str]:
        """See :class:`SystemFolder`: the snapshot, and the index files."""
        return [name for name, _ in files_of(system.folder, {})]

    def after_recovery(self, system: System) -> list[str]:
        """See :class:`SystemFolder`."""
        state = system.facts["state"]
        remark = f"{state.name}: {state.remark}." if state is not None and state.remark else ""
        return [
            *([remark] if remark else []),
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
            if STATE_NAME.fullmatch(name) and (_base(name) in KEYS or recognise(folder / name))
        ]
        state = next((each for each in states if each.name == STATE), None) or next(
            (each for each in states if each.is_current and "currentTerm" in each.values), None
        )
        findings = [
            *_of_states(states),
            *_of_history(parts, files, state, names),
            *_of_snapshots(folder, names),
            *_unread(parts, files),
        ]
        snapshot = "a snapshot and " if parts.snapshot and parts.snapshot.is_file() else ""
        role = f"{snapshot}{counted(len(files), 'index file')} of the log"
        logs = (SystemLog(WHOLE, role),)
        others = [*_others(folder, states)]
        facts = {"state": state, "states": states}
        return System(self, "zmq-raft node", folder, FORMAT, logs, others, findings, facts)

    def beyond(self, system: System, found: Summary) -> Iterator[Finding]:
        """See :class:`SystemFolder`: later entries according to the state files."""
        reached = found.indexes[1] if found.indexes else 0
        for state in system.facts["states"]:
            for key, what in (("lastApplied", "applied"), ("peersIndex", "in the log")):
                index = state.values.get(key)
                if state.is_current and _is_index(index) and index > reached:
                    text = f"{key} is {index}, the log and its snapshot end at {reached}: entries"
                    text += f" that were {what} are lost"
                    yield Finding(text, state.name, "lost")


def _is_a_node(folder: Path) -> bool:
    names = [path.name for path in folder.iterdir() if path.is_file()]
    has_state = any(_base(name) == STATE for name in names)
    log = folder / LOG
    if log.is_dir():
        return has_state or any(_head(path)[:4] == b"RLOG" for path in log.rglob("*.rlog"))
    return has_state and SNAPSHOT in names


def _head(path: Path) -> bytes:
    if not path.is_file():
        return b""
    with path.open("rb") as file:
        return read_at(file, 0, index_file.HEADER.size)


def _base(name: str) -> str:
    return State(name, 0, {}).base


def _read_state(path: Path) -> State:
    updates: list[Record] = []
    lost: Lost | None = None
    for event in read(path, "recover", {"kind": "state"}):
        if isinstance(event, Record):
            updates.append(event)
        elif isinstance(event, Lost):
            lost = event
    values = dict(updates[-1].fields.get("state") or {}) if updates else {}
    state = State(path.name, path.stat().st_size, values)
    fault, is_cut, is_refused = None, False, False
    if lost is not None:
        with path.open("rb") as file:
            first = read_at(file, lost.start, 1)
            is_zeros = not read_at(file, lost.end - 1, 1).strip(b"\0")
        is_cut = lost.torn and not is_zeros
        if is_cut:
            fault = f"the end of the file cuts the state record at {lost.start:,}"
        else:
            what = f"expected a MessagePack state record at {lost.start:,}"
            fault = f"{what}, found {_shown(path, lost.start)}"
            is_refused = _stops_a_node(first[0])
    else:
        fault, is_refused = next(_contradictions(state, updates), (None, False))
    return replace(state, fault=fault, is_cut=is_cut, is_refused=is_refused)


def _shown(path: Path, at: int) -> str:
    """Describe the bytes from an offset on."""
    size = path.stat().st_size - at
    with path.open("rb") as file:
        head = read_at(file, at, 16)
        is_blank = not head.strip(b"\0") and not any(
            read_at(file, place, 1 << 16).strip(b"\0") for place in range(at, at + size, 1 << 16)
        )
    if size <= 0:
        return "the end of the file" if at else "an empty file"
    return f"{size:,} zeros" if is_blank else quoted(head.partition(b"\n")[0] or head)


def _stops_a_node(first: int) -> bool:
    """Return whether a node rejects a value with this first byte, because it is not an object."""
    is_number_or_text = 0xA0 <= first <= 0xBF or 0xCA <= first <= 0xD3 or 0xD9 <= first <= 0xDB
    return first < 0x80 or first >= 0xE0 or first in (0xC1, 0xC2, 0xC3) or is_number_or_text


def _contradictions(state: State, updates: Sequence[Record]) -> Iterator[tuple[str, bool]]:
    """Yield descriptions of values that no node writes, and whether a node refuses them."""
    for key, value in state.values.items():
        if state.base in KEYS and key in _ACCEPTED and not _ACCEPTED[key](value):
            yield f"expected a valid {key}, found {quoted(str(value).encode())}", True
    term = 0
    for update in updates:
        changes = update.fields.get("update") or {}
        unknown = sorted(changes.keys() - KEYS[state.base]) if state.base in KEYS else []
        if unknown:
            key = quoted(unknown[0].encode())
            yield f"the record at {update.at:,} has the key {key}, which the node ignores", False
        before, term = term, changes.get("currentTerm", term)
        if _is_index(before) and _is_index(term) and term < before:
            yield f"currentTerm decreases from {before} to {term} at {update.at:,}", False


def _is_index(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= SAFE_INTEGER


#: Values that a node accepts: ``RaftPersistence``, ``BroadcastStateMachine``.
_ACCEPTED: Mapping[str, Callable[[Any], bool]] = {
    "currentTerm": _is_index,
    "lastApplied": _is_index,
    "votedFor": lambda value: value is None or isinstance(value, str),
    "peers": lambda value: (
        isinstance(value, list)
        or (isinstance(value, dict) and all(isinstance(value.get(n), list) for n in ("old", "new")))
    ),
    "peersUpdateRequest": lambda value: (
        value is None or (isinstance(value, str) and len(value) == REQUEST_ID_LENGTH)
    ),
    "peersIndex": lambda value: value is None or type(value) is int,
}


def _of_states(states: Sequence[State]) -> Iterator[Finding]:
    for state in states:
        if state.fault is None:
            continue
        if not state.is_current:
            if _UNFINISHED.search(state.name):
                text = f"{state.fault}; the node deletes this unfinished file at startup"
                yield Finding(text, state.name, "none")
            elif state.is_cut:
                text = f"{state.fault}: a node renames this file and begins another"
                yield Finding(text, state.name, "none")
            else:
                yield Finding(
                    f"{state.fault}; the node does not read this file", state.name, "lost"
                )
            continue
        what = "index" if state.base == MACHINE_STATE else "vote"
        lost = f"a later {what} may be lost" if state.values else f"its {what} is lost"
        stops = "the node does not start, and " if state.is_refused else ""
        known = f". Readable values: {state.remark}" if state.remark else ""
        yield Finding(f"{state.fault}: {stops}{lost}{known}", state.name, "lost")
        older = [
            each
            for each in states
            if each.base == state.name and not each.is_current and not each.fault and each.remark
        ]
        if older:
            newest = max(older, key=lambda each: each.name)
            text = f"the newest intact state before {state.name}: {newest.remark}"
            yield Finding(text, newest.name, "look")


def _of_history(
    parts: Folders, files: Sequence[Path], state: State | None, names: Sequence[str]
) -> Iterator[Finding]:
    """Return the contradictions between the log and the state."""
    term = _last_term(parts, files)
    if state is None and parts.snapshot is not None:
        if any(_base(name) == STATE for name in names):
            text = "expected raft.pers next to older states, found none: the vote is lost"
            yield Finding(text, None, "lost")
        elif term is not None:
            text = (
                f"expected raft.pers next to entries of term {term}, found none: the vote is lost"
            )
            yield Finding(text, None, "lost")
    if state is None or state.fault:
        return
    value = state.values.get("currentTerm")
    known = value if isinstance(value, int) else 0
    if term is not None and known < term:
        what = f"currentTerm is {known}" if state.size else "found an empty file"
        text = f"expected currentTerm {term} or above, as in the log; {what}: the vote is lost"
        yield Finding(text, state.name, "lost")
    is_replaced = any(parts.root.glob(f"{LOG}-*"))
    if known and not files and not is_replaced:
        yield Finding(f"expected index files in {LOG}, found none: the log is lost", None, "lost")


def _last_term(parts: Folders, files: Sequence[Path]) -> int | None:
    """Return the term of the last entry, else that of the snapshot; None without either."""
    for path in reversed(files):
        with path.open("rb") as file:
            try:
                index = index_file.read_layout(file, path.stat().st_size, first_index(path))
            except Refusal:
                return None
            if isinstance(index, Lost):
                continue
            spans = [span for span in index_file.spans(index) if span.reason is None]
            if not spans or index.data is None:
                continue
            head = read_at(file, index.data + spans[-1].start, index_file.ENTRY.size)
        if len(head) < index_file.ENTRY.size:
            return None
        term = int.from_bytes(index_file.ENTRY.unpack(head)[2], "little")
        return term if 1 <= term <= index_file.MAX_TERM else None
    if parts.snapshot is None or not parts.snapshot.is_file():
        return None
    found_snapshot = _snapshot(parts.snapshot)
    return (found_snapshot[1] or None) if isinstance(found_snapshot, tuple) else None


def _snapshot(path: Path) -> tuple[int, int] | str:
    """Return index and term of a snapshot, or a description of its fault."""
    size = path.stat().st_size
    with path.open("rb") as file:
        head = read_at(file, 0, HEADER.size)
        if len(head) < HEADER.size or head[:4] != b"SNAP":
            return f"expected a snapshot (SNAP) at 0, found {_shown(path, 0)}"
        _, length, version, index, term, data_size = HEADER.unpack(head)
        if length != BODY or version != VERSION or max(index, term) > SAFE_INTEGER:
            return f"expected a snapshot header at 4, found {quoted(head[4:20])}"
        data = find_marker(file, b"DATA", HEADER.size)
    if data is None:
        return "expected the DATA of a snapshot, found the end of the file"
    if size - data != data_size:
        return f"expected {data_size:,} bytes of data at {data:,}, found {size - data:,}"
    return index, term


def _of_snapshots(folder: Path, names: Sequence[str]) -> Iterator[Finding]:
    """Report damaged snapshots, and an intact older one if the current one is damaged."""
    locations = [name for name in names if SNAPSHOT_NAME.fullmatch(name)]
    locations += [NEW_SNAPSHOT] if (folder / NEW_SNAPSHOT).is_file() else []
    snapshots = {name: _snapshot(folder / name) for name in locations}
    for name, about in snapshots.items():
        if isinstance(about, tuple):
            continue
        if _UNFINISHED.search(name):
            text = f"{about}; the node deletes this unfinished file at startup"
            yield Finding(text, name, "none")
        elif name == SNAPSHOT:
            yield Finding(f"{about}: the node does not start", name, "lost")
        else:
            yield Finding(f"{about}; the node does not read this file", name, "lost")
    if isinstance(snapshots.get(SNAPSHOT), str):
        intact = [(about, name) for name, about in snapshots.items() if isinstance(about, tuple)]
        if intact:
            (index, term), name = max(intact)
            text = f"an intact snapshot of the entries up to {index}, of term {term}"
            yield Finding(text, name, "look")


def _unread(parts: Folders, files: Sequence[Path]) -> Iterator[Finding]:
    """Return the index files that no node reads because of their names or directories."""
    locations = {*parts.log.rglob("*.rlog"), *parts.root.glob("*.rlog")} - {*files}
    for path in sorted(locations):
        if not path.is_file():
            continue
        if index_file.NAME.fullmatch(path.name):
            wanted = parts.log / index_file.path_of(first_index(path))
            expected = f"expected it at {wanted.relative_to(parts.root).as_posix()}"
        else:
            expected = "expected a name of 14 lower-case hexadecimal digits"
        head = _head(path)
        holds = f"contains {quoted(head[:16])}" if head else "is empty"
        if len(head) == index_file.HEADER.size and head[:4] == b"RLOG":
            holds = f"begins with index {index_file.HEADER.unpack(head)[4]}"
        name = path.relative_to(parts.root).as_posix()
        yield Finding(f"{expected}: no node reads this file, which {holds}", name)


def _others(folder: Path, states: Sequence[State]) -> Iterator[OtherFile]:
    for state in states:
        role = "state of the node"
        if state.base == MACHINE_STATE:
            role = "state of the state machine"
        role = f"an older {role}" if _OLDER.search(state.name) else role
        role = f"an unfinished {role}" if _UNFINISHED.search(state.name) else role
        yield OtherFile(
            state.name, f"{role}{': ' if state.remark else ''}{state.remark}", state.size
        )
    for path in sorted([*folder.iterdir(), folder / NEW_SNAPSHOT]):
        name = path.relative_to(folder).as_posix()
        if path.is_dir() and name.startswith(f"{LOG}-") and _OLDER.search(name):
            role = "the log before another node sent a snapshot"
            yield OtherFile(name, role, size_of_all(path))
        elif path.is_file() and (SNAPSHOT_NAME.fullmatch(name) or name == NEW_SNAPSHOT):
            if name == SNAPSHOT:
                continue
            role = "an older snapshot" if _OLDER.search(name) else "another snapshot"
            role = "an unfinished snapshot" if _UNFINISHED.search(name) else role
            role = "a snapshot to be installed" if name == NEW_SNAPSHOT else role
            yield OtherFile(name, role, path.stat().st_size)


SYSTEM_FOLDER = ZmqRaftFolder()
