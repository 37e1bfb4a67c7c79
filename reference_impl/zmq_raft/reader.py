"""The reader of zmq-raft logs, which finds the file type and reports the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from reference_impl.answer import End, Event, Lost, Verdict
from reference_impl.zmq_raft import directory, index_file, message_pack, snapshot, state
from reference_impl.zmq_raft.layout import Parts, Refusal

KINDS_OF_FILES = ("index", "snapshot", "state")
_COPY = r"(\.tmp-\d+-[0-9a-z]+|-\d{4}-\d{2}-\d{2}-\d{6}-\d{3}[0-9a-z]+)?"
SNAPSHOT_NAME = re.compile(rf"(.*\.)?snap{_COPY}")
STATE_NAME = re.compile(rf".*\.pers{_COPY}")
HEAD = 1 << 16


def kind_of(path: Path, context: Mapping[str, Any]) -> str:
    """Return the file type: index, snapshot, state or directory (ZMR-105). Raises ``OSError``."""
    if path.is_dir():
        return "directory"
    if context.get("kind") in KINDS_OF_FILES:
        return str(context["kind"])
    with path.open("rb") as file:
        token = file.read(4)
    if token == b"RLOG" or path.name.endswith(".rlog"):
        return "index"
    if token == b"SNAP" or SNAPSHOT_NAME.fullmatch(path.name):
        return "snapshot"
    return "state"


def read(path: Path, profile: str, context: Mapping[str, Any]) -> Iterator[Event]:
    """Yield the events of a log. Raises ``OSError``, and ``ValueError`` for an unknown profile.

    The context may have ``kind``, ``first_index``, ``entries``, ``log`` and ``snapshot_file``. If
    ``entries`` is ``raw``, entries have no header.
    """
    if profile not in ("recover", "strict"):
        raise ValueError(f"unknown profile {profile!r}: expected 'recover' or 'strict'")
    if path.is_dir():
        files: list[tuple[str | None, int]] = [*directory.files_of(path, context)]
        yield from _answer(directory.read(path, context), profile, files)
        return
    with path.open("rb") as file:
        size = path.stat().st_size
        parts = _parts(file, size, path, context)
        yield from _answer(parts, profile, [(None, size)])


def _parts(file: BinaryIO, size: int, path: Path, context: Mapping[str, Any]) -> Parts:
    file_type = kind_of(path, context)
    if file_type == "index":
        first_index = context.get("first_index")
        named = index_file.index_in(path.name) if first_index is None else int(first_index)
        return index_file.read(file, size, named, str(context.get("entries")) == "raw")
    return {"snapshot": snapshot.read, "state": state.read}[file_type](file, size)


def _answer(parts: Parts, profile: str, files: list[tuple[str | None, int]]) -> Iterator[Event]:
    """Yield records and lost ranges, then the end (ZMR-100, ZMR-101, ZMR-102)."""
    damage = torn = None
    while True:
        try:
            event = next(parts)
        except StopIteration as stop:
            end = stop.value
            break
        except Refusal as refusal:
            yield End("refused", refusal.reason, None)
            return
        if isinstance(event, Lost):
            if event.torn:
                torn = torn or event.reason
            elif profile == "strict":
                yield from _rest(event, files)
                yield End("damaged", event.reason, None)
                return
            else:
                damage = damage or event.reason
        yield event
    verdict: Verdict = "damaged" if damage else "torn" if torn else "intact"
    file = end.file if end.at is not None else None
    yield End(verdict, damage or torn, end.at, file)


def _rest(event: Lost, files: list[tuple[str | None, int]]) -> Iterator[Lost]:
    """Report the log from a loss to the end, one range per file (ZMR-102)."""
    names = [name for name, _ in files]
    first = names.index(event.file)
    for name, size in files[first:]:
        start = event.start if name == event.file else 0
        yield Lost(start, size, event.reason, file=name)


def recognise(path: Path) -> bool:
    """Return whether a file or directory has the structure of one of the four file types.

    If a file is too short, the result depends on its name.
    """
    if path.is_dir():
        parts = directory.folders(path, {})
        for index_path in directory.index_files(parts.log):
            if len(index_path.relative_to(parts.log).parts) > len(directory.FOLDERS):
                return True  # Index files directly in this folder are separate logs.
        return parts.snapshot is not None and parts.snapshot.is_file() and recognise(parts.snapshot)
    with path.open("rb") as file:
        head = file.read(HEAD)
    if head[:4] in (b"RLOG", b"SNAP"):
        return _plausible_header(head)
    if index_file.NAME.fullmatch(path.name):
        return not head.strip(b"\0")
    return _is_state(head, STATE_NAME.fullmatch(path.name) is not None)


def _plausible_header(head: bytes) -> bool:
    """Return whether the length and version are plausible, which they never are in text."""
    return head[7:8] <= b"\x04" and not any(head[9:12])


def _is_state(head: bytes, is_named_so: bool) -> bool:
    at, keys = 0, 0
    while at < len(head):
        if not state.begins_map(head[at]):
            break
        try:
            value, at = message_pack.decode(head, at)
        except message_pack.Incomplete:
            # The bytes that were read may end inside an update.
            return is_named_so or keys > 0
        except ValueError:
            break
        if not all(isinstance(key, str) for key, _ in value.pairs):
            break
        keys += len(value.pairs)
    else:
        return is_named_so or keys > 0
    return is_named_so and at > 0
