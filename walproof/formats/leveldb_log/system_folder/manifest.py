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
from walproof.quoted import quoted

FORMAT = "leveldb-log"
BYTEWISE = "leveldb.BytewiseComparator"
TABLE_MAGICS = frozenset(
    bytes.fromhex(magic)
    for magic in (
        "57fb808b247547db",  # LevelDB, and RocksDB's and Pebble's oldest tables
        "f7cff485b741e288",  # RocksDB, block based
        "9564bf2966234282",  # RocksDB, plain table
        "b8138f7aeb18344f",  # RocksDB, plain table of before 3.x
        "733817c5d0896792",  # RocksDB, cuckoo table
        "f09faab3f09faab3",  # Pebble
    )
)
"""The last eight bytes of a table."""

BLOB_MAGIC = bytes.fromhex("378f2400")
"""The first four bytes of a RocksDB blob file, and of its footer."""
BLOB_FOOTER_BYTES = 32
BLOB_FRAME_BYTES = 30 + BLOB_FOOTER_BYTES
"""Bytes of a RocksDB blob file besides its records: header and footer."""


@dataclass
class Manifest:
    """The tables and logs that the readable part of a MANIFEST lists.

    ``faults`` describes damaged or missing parts. ``first_log`` is the number of the first log to
    replay, or None if the MANIFEST has none. ``tables`` and ``blobs`` map file numbers to sizes in
    bytes; a size is None if the MANIFEST does not store it. ``elsewhere`` is the number of tables
    in other directories.
    """

    name: str
    first_log: int | None = None
    log_before: int | None = None
    next_file: int = 0
    comparator: str | None = None
    tables: dict[int, int | None] = field(default_factory=dict)
    blobs: dict[int, int | None] = field(default_factory=dict)
    elsewhere: int = 0
    edits: int = 0
    has_families: bool = False
    faults: list[str] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """True if it was read to its end without a fault."""
        return bool(self.name) and not self.faults

    def needs(self, log: int) -> bool:
        """Return whether the database replays a log when it opens."""
        return self.first_log is None or log >= self.first_log or log == self.log_before


class _State:
    """The state after some edits: which tables are live, and from which log on."""

    def __init__(self, manifest: Manifest, is_pebble: bool) -> None:
        self.manifest, self.is_pebble = manifest, is_pebble
        self.tables: dict[tuple[int, int, int], dict[str, Any]] = {}
        self.backing: dict[int, int | None] = {}
        self.blobs: dict[int, int] = {}
        self.blob_sizes: dict[int, int | None] = {}
        self.first_logs: dict[int, int] = {}
        self.log_to_keep = 0
        self.seen: set[str] = set()
        self.group: list[Mapping[str, Any]] = []

    def take(self, edit: Mapping[str, Any]) -> None:
        """Apply an edit; the edits of an atomic group when the last of them is there."""
        self.manifest.edits += 1
        if "edits_left_in_group" in edit:
            self.group.append(edit)
            if edit["edits_left_in_group"]:
                return
            group, self.group = self.group, []
            for one in group:
                self._apply(one)
        else:
            self._apply(edit)

    def _apply(self, edit: Mapping[str, Any]) -> None:
        self.seen |= edit.keys()
        family = edit.get("column_family") or 0
        self.manifest.has_families |= bool(family)
        for gone in edit.get("deleted_files", ()):
            self.tables.pop((family, gone["level"], gone["number"]), None)
        for new in edit.get("new_files", ()):
            self.tables[family, new["level"], new["number"]] = new
        if edit.get("column_family_dropped"):
            self.tables = {key: new for key, new in self.tables.items() if key[0] != family}
            self.first_logs.pop(family, None)
        elif "log_number" in edit:
            self.first_logs[family] = max(self.first_logs.get(family, 0), edit["log_number"])
        self.log_to_keep = max(self.log_to_keep, edit.get("min_log_number_to_keep", 0))
        if "prev_log_number" in edit:
            self.manifest.log_before = edit["prev_log_number"] or None
        self.manifest.next_file = max(self.manifest.next_file, edit.get("next_file_number", 0))
        if not family:
            self.manifest.comparator = edit.get("comparator", self.manifest.comparator)
        for blob in edit.get("new_blob_files", ()):
            self.blobs[blob["number"]] = blob["blobs"]
            self.blob_sizes[blob["number"]] = BLOB_FRAME_BYTES + blob["bytes"]
        for blob in edit.get("blob_garbage", ()):
            if blob["number"] in self.blobs:
                self.blobs[blob["number"]] -= blob["blobs"]
        for part in edit.get("fields", ()):
            self._apply_of_pebble(part.get("name"), part.get("number"))

    def _apply_of_pebble(self, name: str | None, number: Any) -> None:
        if name == "new_backing_table":
            self.backing[number] = None
        elif name == "deleted_backing_table":
            self.backing.pop(number, None)
        elif name == "new_blob_file":
            self.blobs[number] = 1
        elif name == "deleted_blob_file":
            self.blobs.pop(number, None)

    def finish(self) -> None:
        """Put what is live into the manifest."""
        manifest = self.manifest
        if self.first_logs:
            manifest.first_log = max(min(self.first_logs.values()), self.log_to_keep)
        elif self.log_to_keep:
            manifest.first_log = self.log_to_keep
        for _, _, number in self.tables:
            manifest.tables[number] = None
        for _, new in sorted(self.tables.items(), key=lambda pair: pair[0]):
            parts = {part["name"]: part.get("number") for part in new.get("fields", ())}
            if new.get("path_id") or parts.get("path_id"):
                manifest.elsewhere += 1
                manifest.tables.pop(new["number"], None)
            elif "backing_table" in parts:  # a virtual table has no file of its own
                manifest.tables.pop(new["number"], None)
                manifest.tables[parts["backing_table"]] = None
            else:
                manifest.tables[new["number"]] = new["size"]
        manifest.blobs = {
            number: self.blob_sizes.get(number) for number, left in self.blobs.items() if left > 0
        }
        if self.group:
            manifest.faults.append(f"{counted(len(self.group), 'edit')} of a group without its end")
        if not manifest.faults:
            needed = {"comparator", "next_file_number"}
            if not self.is_pebble:
                needed |= {"log_number", "last_sequence"}
            if missing := sorted(needed - self.seen):
                listed = ", ".join(missing).replace("_", " ")
                manifest.faults.append(f"it names no {listed}")


def read_manifest(path: Path, is_pebble: bool) -> Manifest:
    """Read a MANIFEST as far as it goes; an error of the disk is one of its faults."""
    found = Manifest(path.name)
    try:
        _read_into(found, path, is_pebble)
    except OSError as error:
        found.faults.append(error.strerror or str(error))
    return found


def _read_into(found: Manifest, path: Path, is_pebble: bool) -> None:
    state, lost = _State(found, is_pebble), 0
    size = path.stat().st_size
    for event in named(FORMAT).read(path, "recover", {}):
        if isinstance(event, Lost):
            lost += event.end - event.start
        elif isinstance(event, End):
            end = event
        else:
            try:
                state.take(version_edit.decode(event.payload, is_pebble))
            except Undecodable as error:
                found.faults.append(f"the edit at {event.at} cannot be read: {error}")
    if end.verdict == "torn":
        found.faults.append(f"its last edit is cut at {size:,}")
    elif end.verdict != "intact":
        found.faults.append(f"{end.verdict} ({end.reason}), {counted(lost, 'byte')} lost")
    elif not size:
        found.faults.append("it is empty")
    elif end.end is not None and end.end < size:
        zeros = f"{size - end.end:,} zeros"
        found.faults.append(f"edits expected at {end.end:,}, {zeros} found" if end.end else zeros)
    state.finish()


def wrong_current(content: bytes, named: str | None) -> str | None:
    """State how the content of CURRENT differs from the name of a MANIFEST and a newline."""
    if named is not None and content == f"{named}\n".encode():
        return None
    if not content:
        return "it is empty"
    if not content.strip(b"\0"):
        return f"it holds {counted(len(content), 'zero')} instead of a name"
    if content.endswith(b"\r\n"):
        return "it ends with CR LF: the database takes the CR for a part of the name"
    if named is not None and content.strip() == named.encode():
        return "the newline after the name is missing"
    return f"it names {quoted(content.strip(), 40)}, which is not there"


def wrong_table(path: Path, size: int | None, named_by: str) -> str | None:
    """State how a table differs from its size in the MANIFEST, or that it has no footer."""
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

    The size must be that in the MANIFEST, and a RocksDB file must have its header and footer.
    ``size`` is None for a file of Pebble; in this case, the file must not be empty.
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


def describe(faults: list[str]) -> str:
    """Join the first faults of a MANIFEST into a phrase."""
    return "; ".join(faults[:3]) + ("; …" if len(faults) > 3 else "")
