"""Write logs of all four file types, and append to existing logs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from shutil import copyfile, copytree
from tempfile import TemporaryDirectory
from typing import Any

from reference_impl.answer import End, NewRecord
from reference_impl.zmq_raft import directory, reader
from reference_impl.zmq_raft.directory_writer import DirectoryWriter
from reference_impl.zmq_raft.index_file import index_in
from reference_impl.zmq_raft.index_writer import (
    DEFAULT_CAPACITY,
    IndexWriter,
    check_entry,
    empty,
    entry_bytes,
)
from reference_impl.zmq_raft.layout import CREATED
from reference_impl.zmq_raft.snapshot import snapshot_bytes
from reference_impl.zmq_raft.state import StateWriter, write_all

Context = Mapping[str, Any]


def write(path: Path, records: Sequence[NewRecord], context: Context) -> None:
    """Create a log.

    ``kind`` in the context is the file type. By default, the name of the log implies the type.
    Depending on the type, the context may also have ``created``, ``hostname``, ``capacity``,
    ``first_index``, ``entries``, ``initial`` and ``snapshot``. Raises ``ValueError`` before any
    change if the file type cannot hold a record.
    """
    _rehearse(_write, path, records, context)
    _write(path, records, context)


def append(path: Path, records: Sequence[NewRecord], context: Context) -> None:
    """Recover a log and append to it (ZMR-018, ZMR-080).

    Raises ``ValueError`` before any change if the log must not be appended to. If there are no
    records, the log is not changed.
    """
    if not records:
        return
    _rehearse(_append, path, records, context)
    _append(path, records, context)


def copied(path: Path, context: Context) -> Context:
    """Return the context for copying a log, with its type and first index.

    The name of the copy may imply another type. The copy must begin with the same index, because a
    log cannot lack entries at its start.
    """
    kind = reader.kind_of(path, context)
    first = None
    if kind == "directory":
        log = directory.Reader(directory.folders(path, context), raw=True)
        deque(log.snapshot(), maxlen=0)
        first = max(log.covered, 0) + 1
    elif kind == "index":
        first = context.get("first_index", index_in(path.name))
    return {**context, "kind": kind, **({} if first is None else {"first_index": first})}


def _rehearse(
    act: Callable[[Path, Sequence[NewRecord], Context], None],
    path: Path,
    records: Sequence[NewRecord],
    context: Context,
) -> None:
    """Write to a temporary copy first, so that a refused record leaves the log unchanged."""
    with TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        if path.is_dir():
            copytree(path, copy)
        elif path.exists():
            copyfile(path, copy)
        act(copy, records, context)


def _write(path: Path, records: Sequence[NewRecord], context: Context) -> None:
    file_type = str(context.get("kind") or _kind_by_name(path))
    if file_type == "index":
        first = int(context.get("first_index", _first_index(path, records)))
        capacity = int(context.get("capacity", DEFAULT_CAPACITY))
        new = empty(first, capacity, context)
        with path.open("x+b") as file:
            file.write(new)
            _append_entries(IndexWriter(file, file.tell()), records, context)
    elif file_type == "snapshot":
        path.write_bytes(_snapshot(_only_one(records), context))
    elif file_type == "state":
        write_all(_state_writer(path, context), records)
    else:
        _write_directory(path, records, context)


def _append(path: Path, records: Sequence[NewRecord], context: Context) -> None:
    file_type = reader.kind_of(path, context)
    if file_type == "snapshot":
        raise ValueError("a snapshot cannot be appended to: write a new one")  # ZMR-064
    if file_type == "directory":
        _append_to_directory(path, records, context)
        return
    last = next(event for event in reader.read(path, "recover", context) if isinstance(event, End))
    if last.verdict in ("damaged", "refused") and last.end is None:
        raise ValueError(f"the log must not be appended to ({last.reason}): start a new file")
    if file_type == "index":
        if last.end == 0:
            path.unlink()  # The header was never finished (ZMR-044).
            _write(path, records, {**context, "kind": "index"})
            return
        with path.open("r+b") as file:
            _append_entries(IndexWriter(file, path.stat().st_size), records, context)
        return
    writer = _state_writer(path, context)
    if not (records[0].fields.get("rotate") or writer.is_full):
        with path.open("r+b") as file:
            file.truncate(last.end)  # After a rotation, the file stays unchanged (ZMR-080).
    write_all(writer, records)


def _kind_by_name(path: Path) -> str:
    if path.suffix == ".rlog":
        return "index"
    if reader.SNAPSHOT_NAME.fullmatch(path.name):
        return "snapshot"
    return "state" if reader.STATE_NAME.fullmatch(path.name) else "directory"


def _first_index(path: Path, records: Sequence[NewRecord]) -> int:
    named = index_in(path.name)
    if named is not None:
        return named
    return int(records[0].fields.get("index", 1)) if records else 1


def _only_one(records: Sequence[NewRecord]) -> NewRecord:
    try:
        (record,) = records
    except ValueError:
        raise ValueError(f"a snapshot holds one record: expected 1, found {len(records)}") from None
    return record


def _snapshot(record: NewRecord, context: Context) -> bytes:
    index, term = (int(record.fields.get(name, 0)) for name in ("index", "term"))
    return snapshot_bytes(index, term, record.payload, context)


def _state_writer(path: Path, context: Context) -> StateWriter:
    created = str(context.get("created", CREATED))
    return StateWriter(path, context.get("initial"), created)


def _append_entries(writer: IndexWriter, records: Sequence[NewRecord], context: Context) -> None:
    """Write each record at its ``index``, after rolling back to it, or at the end."""
    is_raw = context.get("entries") == "raw"
    for record in records:
        writer.truncate(int(record.fields.get("index", writer.next_index)))  # ZMR-020
        entry = entry_bytes(record, is_raw)
        if not is_raw:
            check_entry(entry, writer.last_term())
        writer.append(entry)


def _write_directory(root: Path, records: Sequence[NewRecord], context: Context) -> None:
    fields: Mapping[str, Any] = context.get("snapshot", {})
    snapshot = NewRecord(bytes.fromhex(str(fields.get("payload", ""))), fields)
    if records and "entry_type" not in records[0].fields and "index" in records[0].fields:
        # Readers return the snapshot as the first record. It has no entry type.
        snapshot, *records = records
    data = _snapshot(snapshot, context)
    root.mkdir()
    (root / "snap").write_bytes(data)
    _append_to_directory(root, records, context)


def _append_to_directory(root: Path, records: Sequence[NewRecord], context: Context) -> None:
    writer = DirectoryWriter(root, context)
    for record in records:
        writer.append(record)
