"""Read the state of a LevelDB, RocksDB or Pebble database from its MANIFEST, and check the tables.

Upstream authority: google/leveldb 1.23 ``db/version_set.cc`` (``VersionSet::Recover``),
``table/format.cc``; facebook/rocksdb 1dfa729 ``db/version_set.cc``, ``table/format.h``;
cockroachdb/pebble f82e3ff ``internal/manifest/version_edit.go``, ``sstable/table.go``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reference_impl.answer import End, Lost
from reference_impl.formats import named
from walproof.decode.fault import Undecodable
from walproof.formats.leveldb_log.decoder import version_edit
from walproof.quantity import counted

FORMAT = "leveldb-log"
BYTEWISE = "leveldb.BytewiseComparator"
#: The last eight bytes of a table.
TABLE_MAGICS = frozenset(
    bytes.fromhex(magic)
    for magic in (
        "57fb808b247547db",  # LevelDB, and RocksDB's and Pebble's oldest tables
        "f7cff485b741e288",  # RocksDB, block based
        "9564bf2966234282",  # RocksDB, plain table
        "b8138f7aeb18344f",  # RocksDB before 3.x, plain table
        "733817c5d0896792",  # RocksDB, cuckoo table
        "f09faab3f09faab3",  # Pebble
    )
)
#: The first four bytes of a RocksDB blob file and of the footer of a blob file.
BLOB_MAGIC = bytes.fromhex("378f2400")
BLOB_FOOTER_BYTES = 32
#: Total size of the header and the footer of a RocksDB blob file.
BLOB_FRAME_BYTES = 30 + BLOB_FOOTER_BYTES

Edit = Mapping[str, Any]


@dataclass
class Manifest:
    """The tables and logs that the readable part of a MANIFEST lists."""

    name: str
    is_pebble: bool = False
    #: Number of the first log to replay, or None if the MANIFEST has none.
    first_log: int | None = None
    log_before: int | None = None
    next_file: int = 0
    comparator: str | None = None
    #: Size of each file in bytes, by file number; None if the MANIFEST does not store it.
    tables: dict[int, int | None] = field(default_factory=dict)
    #: Size of each file in bytes, by file number; None if the MANIFEST does not store it.
    blobs: dict[int, int | None] = field(default_factory=dict)
    #: Number of tables in other directories.
    elsewhere: int = 0
    edits: int = 0
    #: Damaged or missing parts.
    faults: list[str] = field(default_factory=list)
    #: Names of the fields in all edits.
    _seen: set[str] = field(default_factory=set)
    #: Live tables by column family, level and number.
    _levels: dict[tuple[int, int, int], Edit] = field(default_factory=dict)
    #: Number of live values and size in bytes of each blob file, by file number.
    _blobs: dict[int, tuple[int, int | None]] = field(default_factory=dict)
    #: First log of each column family.
    _first_logs: dict[int, int] = field(default_factory=dict)
    _log_to_keep: int = 0

    @property
    def is_whole(self) -> bool:
        """Return whether the MANIFEST was read to its end without a fault."""
        return bool(self.name) and not self.faults

    def needs(self, log: int) -> bool:
        """Return whether the database replays a log when it opens."""
        return self.first_log is None or log >= self.first_log or log == self.log_before

    def read(self, path: Path) -> None:
        """Read the whole file; a disk error ends the reading and is added to the faults."""
        try:
            self._read(path)
        except OSError as error:
            self.faults.append(error.strerror or str(error))

    def _read(self, path: Path) -> None:
        size, lost = path.stat().st_size, 0
        group: list[Edit] = []
        for event in named(FORMAT).read(path, "recover", {}):
            if isinstance(event, Lost):
                lost += event.end - event.start
                continue
            if isinstance(event, End):
                end = event
                continue
            try:
                edit = version_edit.decode(event.payload, self.is_pebble)
            except Undecodable as error:
                self.faults.append(f"the edit at {event.at} cannot be read: {error}")
                continue
            self.edits += 1
            if "edits_left_in_group" not in edit:
                self._apply(edit)
                continue
            group.append(edit)
            if not edit["edits_left_in_group"]:  # the edits of a group are atomic
                for each in group:
                    self._apply(each)
                group = []
        if end.verdict == "torn":
            self.faults.append(f"its last edit is cut at {size:,}")
        elif end.verdict != "intact":
            self.faults.append(f"{end.verdict} ({end.reason}), {counted(lost, 'byte')} lost")
        elif not size:
            self.faults.append("it is empty")
        elif end.end is not None and end.end < size:
            zeros = f"{size - end.end:,} zeros"
            text = f"edits expected at {end.end:,}, {zeros} found" if end.end else zeros
            self.faults.append(text)
        self._finish()
        if group:
            self.faults.append(f"{counted(len(group), 'edit')} of a group without its end")
        needed = {"comparator", "next_file_number"}
        if not self.is_pebble:
            needed |= {"log_number", "last_sequence"}
        if not self.faults and (missing := sorted(needed - self._seen)):
            self.faults.append(f"it names no {', '.join(missing).replace('_', ' ')}")

    def _apply(self, edit: Edit) -> None:
        self._seen |= edit.keys()
        family = edit.get("column_family") or 0
        for gone in edit.get("deleted_files", ()):
            self._levels.pop((family, gone["level"], gone["number"]), None)
        for new in edit.get("new_files", ()):
            self._levels[family, new["level"], new["number"]] = new
        if edit.get("column_family_dropped"):
            self._levels = {key: new for key, new in self._levels.items() if key[0] != family}
            self._first_logs.pop(family, None)
        elif "log_number" in edit:
            self._first_logs[family] = max(self._first_logs.get(family, 0), edit["log_number"])
        self._log_to_keep = max(self._log_to_keep, edit.get("min_log_number_to_keep", 0))
        if "prev_log_number" in edit:
            self.log_before = edit["prev_log_number"] or None
        self.next_file = max(self.next_file, edit.get("next_file_number", 0))
        if not family:
            self.comparator = edit.get("comparator", self.comparator)
        for blob in edit.get("new_blob_files", ()):
            self._blobs[blob["number"]] = blob["blobs"], BLOB_FRAME_BYTES + blob["bytes"]
        for blob in edit.get("blob_garbage", ()):
            if blob["number"] in self._blobs:
                left, size = self._blobs[blob["number"]]
                self._blobs[blob["number"]] = left - blob["blobs"], size
        for part in edit.get("fields", ()):
            if part["name"] == "new_blob_file":
                self._blobs[part["number"]] = 1, None
            elif part["name"] == "deleted_blob_file":
                self._blobs.pop(part["number"], None)

    def _finish(self) -> None:
        """Determine the live files after all edits."""
        if self._first_logs:
            self.first_log = max(min(self._first_logs.values()), self._log_to_keep)
        elif self._log_to_keep:
            self.first_log = self._log_to_keep
        self.tables = dict.fromkeys(number for _, _, number in self._levels)
        for _, new in sorted(self._levels.items(), key=lambda pair: pair[0]):
            parts = {part["name"]: part.get("number") for part in new.get("fields", ())}
            if new.get("path_id") or parts.get("path_id"):
                self.elsewhere += 1
                self.tables.pop(new["number"], None)
            elif "backing_table" in parts:  # a virtual table has no file of its own
                self.tables.pop(new["number"], None)
                self.tables[parts["backing_table"]] = None
            else:
                self.tables[new["number"]] = new["size"]
        self.blobs = {n: size for n, (left, size) in self._blobs.items() if left > 0}


def wrong_current(content: bytes, named: str | None) -> str | None:
    """Describe the fault in the content of CURRENT, or return None."""
    if named is not None and content == f"{named}\n".encode():
        return None
    expected = "the name of an existing MANIFEST" if named is None else f"'{named}\\n'"
    return f"expected {expected}, found {content[:40].decode('latin-1')!a}"


def wrong_table(path: Path, size: int | None, named_by: str) -> str | None:
    """Describe the fault in the size or the footer of a table, or return None."""
    found = path.stat().st_size
    if size is not None and found != size:
        return f"expected {size:,} bytes ({named_by}), found {found:,}"
    try:
        with path.open("rb") as file:
            file.seek(max(0, found - 8))
            end = file.read(8)
    except OSError as error:
        return error.strerror or str(error)
    if end in TABLE_MAGICS:
        return None
    what = "no bytes" if not end else "zeros" if not end.strip(b"\0") else end.hex(" ")
    return f"expected the footer of a table at its end, found {what}"


def wrong_blob_file(path: Path, size: int | None) -> str | None:
    """Describe what is wrong with a blob file, or return None.

    ``size`` is the size in the MANIFEST, or None for a file of Pebble.
    """
    found = path.stat().st_size
    if size is None:
        return None if found else "expected blobs, found no bytes"
    if found != size:
        return f"expected {size:,} bytes, found {found:,}"
    with path.open("rb") as file:
        head = file.read(4)
        file.seek(size - BLOB_FOOTER_BYTES)
        footer = file.read(4)
    if head != BLOB_MAGIC or footer != BLOB_MAGIC:
        return "expected the header and the footer of a blob file, found other bytes"
    return None
