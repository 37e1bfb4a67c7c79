"""Which logs lie in a lake: files and folders, all formats mixed.

A folder is searched for logs of several files first (a zmq-raft directory, the segments of a
Zeebe journal, the data files of a KahaDB store); every other file is a log of its own, or no log
at all, which is found out where it is read. Links to folders are not followed.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reference_impl import zeebe_journal, zmq_raft
from reference_impl.kahadb_journal import layout as kahadb_layout
from reference_impl.kahadb_journal import recognise as is_kahadb
from reference_impl.zmq_raft import directory as zmq_directory

_ZMQ_FOLDER = re.compile(r"[0-9a-f]{5}|log")


@dataclass(frozen=True, slots=True)
class Member:
    """One file of a log. ``name`` is what the log's answer calls it; None in a log of one file."""

    path: str
    name: str | None
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Found:
    """One log, or a file that may be one.

    ``log`` is its name in the tables, ``path`` what its reader is given. ``format`` is None where
    the reader shall find out. ``beside`` are files that are no part of the log but decide how it
    is read (Zeebe's flushed index). ``error`` says why there is nothing to read.
    """

    log: str
    path: str
    members: tuple[Member, ...]
    format: str | None = None
    context: Mapping[str, Any] = field(default_factory=dict)
    beside: tuple[Member, ...] = ()
    error: str | None = None

    @property
    def size(self) -> int:
        """Bytes of all its files."""
        return sum(member.size for member in self.members)


def shown(path: str) -> str:
    """A path as text that every table can hold: bytes that are not UTF-8 as ``\\xNN``."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def find(paths: Sequence[str], format_id: str | None = None, but: str = "") -> Iterator[Found]:
    """The logs below ``paths``, in order of their names, each once.

    ``format_id`` is what every file is read as; ``but`` is a folder that is left out: the
    output, when it lies in the lake. Raises ``OSError`` for a path of ``paths`` that is not there;
    what cannot be read below it is found as an error.
    """
    seen: set[str] = set()
    for given in paths:
        path = _absolute(given)
        if not stat.S_ISDIR(Path(path).stat().st_mode):
            if path not in seen:
                seen.add(path)
                yield _alone(path, format_id)
            continue
        yield from _Walk(format_id, _absolute(but) if but else "", seen).folder(path)


def _absolute(path: str) -> str:
    """Without ``..``, but as it was given: links are not followed."""
    return os.path.normpath(Path(path).absolute())


class _Walk:
    """One walk, top down: a log of several files takes them before they are looked at alone."""

    def __init__(self, format_id: str | None, but: str, seen: set[str]) -> None:
        self.format_id = format_id
        self.but = but
        self.seen = seen

    def folder(self, top: str) -> Iterator[Found]:
        waiting = [top]
        while waiting:
            path = waiting.pop()
            if path == self.but or path in self.seen:
                continue
            self.seen.add(path)
            try:
                with os.scandir(path) as listing:
                    entries = sorted(listing, key=lambda entry: entry.name)
            except OSError as error:
                yield Found(shown(path), path, (), error=_text(error))
                continue
            folders = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
            files = [entry.name for entry in entries if not _is_folder(entry)]
            for found in self._of_several(path, files, folders):
                self.seen.update(member.path for member in found.members)
                yield found
            for name in files:
                file = str(Path(path, name))
                if file not in self.seen:
                    self.seen.add(file)
                    yield _alone(file, self.format_id)
            waiting += reversed(folders)

    def _of_several(
        self, folder: str, files: Sequence[str], folders: Sequence[str]
    ) -> Iterator[Found]:
        makers: dict[str, Callable[[], Iterator[Found]]] = {
            "zmq-raft": lambda: _zmq_raft(folder, files, folders),
            "zeebe-journal": lambda: _zeebe(folder, files),
            "kahadb-journal": lambda: _kahadb(folder, files),
        }
        for format_id, make in makers.items():
            if self.format_id in (None, format_id):
                try:
                    yield from make()
                except OSError as error:
                    yield Found(shown(folder), folder, (), error=_text(error))


def _zmq_raft(folder: str, files: Sequence[str], folders: Sequence[str]) -> Iterator[Found]:
    names = map(os.path.basename, folders)
    if "snap" not in files and not any(_ZMQ_FOLDER.fullmatch(name) for name in names):
        return
    root = Path(folder)
    if zmq_raft.recognise(root) and (parts := zmq_directory.files_of(root, {})):
        members = tuple(_member(str(Path(folder, name)), name) for name, _ in parts)
        yield Found(shown(folder), folder, members, "zmq-raft")


def _zeebe(folder: str, files: Sequence[str]) -> Iterator[Found]:
    if not any(zeebe_journal.SEGMENT_NAME.fullmatch(name) for name in files):
        return
    journals = {
        name: segments
        for name, segments in zeebe_journal.segment_files(Path(folder)).items()
        if any(map(zeebe_journal.recognise, segments))
    }
    for name, segments in journals.items():
        meta = f"{name}.meta"
        alone = len(journals) == 1
        yield Found(
            shown(folder if alone else str(Path(folder, f"{name}-*.log"))),
            folder,
            tuple(_member(str(path), path.name) for path in segments),
            "zeebe-journal",
            # What was flushed was acknowledged: where it is missing, that is damage.
            {"name": name, "last_flushed_index": "meta"},
            (_member(str(Path(folder, meta)), meta),) if meta in files else (),
        )


def _kahadb(folder: str, files: Sequence[str]) -> Iterator[Found]:
    if not any(kahadb_layout.file_id(name) is not None for name in files):
        return
    root = Path(folder)
    names, doubles = kahadb_layout.data_files(root)
    if any(is_kahadb(root / name) for name in names if (root / name).stat().st_size):
        members = tuple(_member(str(Path(folder, name)), name) for name in [*names, *doubles])
        yield Found(shown(folder), folder, members, "kahadb-journal")


def _alone(path: str, format_id: str | None) -> Found:
    log = shown(path)
    try:
        if not stat.S_ISREG(Path(path).stat().st_mode):
            # Opening a pipe or a device may never return.
            return Found(log, path, (), error="not a regular file")
        return Found(log, path, (_member(path, None),), format_id)
    except OSError as error:
        return Found(log, path, (), error=_text(error))


def _member(path: str, name: str | None) -> Member:
    status = Path(path).stat()
    return Member(path, name, status.st_size, status.st_mtime_ns)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False  # a link that leads in a circle: reading it says so


def _text(error: OSError) -> str:
    return error.strerror or str(error)
