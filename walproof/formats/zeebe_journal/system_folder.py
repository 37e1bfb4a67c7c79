"""Read the directory of a Zeebe partition: journal segments, node state and snapshots.

Upstream authority: camunda/camunda ``atomix/cluster`` ``RaftStorage.java`` (file names, lock),
``MetaStore.java`` and ``MetaStoreSerializer.java`` (``.meta``, ``.conf``), ``StateUtil.java`` (gap
between snapshot and journal); ``zeebe/snapshot`` ``FileBasedSnapshotStore.java``,
``FileBasedSnapshotId.java`` (index-term-processed-exported…), ``SnapshotChecksum.java`` and
``SfvChecksumImpl.java``; ``zeebe/journal`` ``SegmentsManager.java`` and ``SegmentFile.java``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crc32c import crc32c

from reference_impl.answer import Record
from reference_impl.zeebe_journal.layout import SEGMENT_NAME
from reference_impl.zeebe_journal.meta import read_flushed_index
from reference_impl.zeebe_journal.reader import (
    Segment,
    journal_name,
    open_segment,
    read,
    recognise,
    segment_files,
)
from reference_impl.zeebe_journal.segment import Cursor, Descriptor, Fault, SegmentScan
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
    gaps,
    size_of_all,
)

FORMAT = "zeebe-journal"
SNAPSHOT = re.compile(r"(?P<index>\d+)-(?P<term>\d+)-(?P<processed>\d+)-(?P<exported>\d+)(-.*)?")
PARTITION_NAME = re.compile(r"[\w-]*partition-\d+")
META = "term, vote and flushed index of the node"
SNAPSHOTS = "snapshots"
CHECKSUM = ".checksum"
#: Size of the checksum file of brokers before 1.3: one number, which is not checked.
OLD_CHECKSUM_BYTES = 8
META_BYTES = 256
#: Number of zeros in a ``.meta`` or ``.conf`` before a broker writes its first record.
NEW_FILE_BYTES = 32
#: Maximum bytes read of a ``.meta``, ``.conf``, lock or checksum file.
MAX_SMALL_BYTES = 1 << 20
CHUNK_BYTES = 1 << 20
#: Version byte, template and schema of both files: the header without the block length and the
#: schema version.
_META_KIND, _CONF_KIND = b"\1\6\0\x08\0", b"\1\5\0\x08\0"
_HEADER_BYTES = 9
#: Size of a ``.meta`` file up to the end of its term and flushed index.
_NUMBERS_BYTES = _HEADER_BYTES + 16
_MEMBER_TYPES = 4
_DELETED = re.compile(r".+\.log_\d+-deleted")
_CHECKSUM_LINE = re.compile(r"(.*) {3}([0-9a-fA-F]{1,16})")


class ZeebeFolder(SystemFolder):
    """See :class:`SystemFolder`."""

    def recognise(self, folder: Path) -> System | None:
        """See :class:`SystemFolder`.

        A partition with lost or blank segments is recognised by its other files.
        """
        name = _partition_name(folder)
        if name is None:
            return None
        paths = segment_files(folder).get(name, [])
        segments = [open_segment(path, path.name) for path in paths]
        snapshots = _snapshots(folder)
        is_new = not snapshots and not any(map(_has_entries, segments))
        meta = _content(folder / f"{name}.meta") or b""
        # Use the numbers of a damaged file as well, because a broker reads them without checks.
        page = meta[:META_BYTES].ljust(META_BYTES, b"\0")
        flushed = read_flushed_index(page) if len(meta) >= _NUMBERS_BYTES else None
        return System(
            self,
            "Zeebe partition",
            folder,
            FORMAT,
            (SystemLog(WHOLE, f"{counted(len(segments), 'segment')} of the journal {name}"),),
            [
                *_others(folder, name),
                *(other for each in snapshots for other in each.others),
                *_leftovers(folder, name),
            ],
            [
                *_segment_findings(name, segments, is_new),
                *_small_file_findings(folder, name, is_new),
                *(finding for each in snapshots for finding in each.findings),
            ],
            {
                "name": name,
                "flushed": flushed,
                "term": None if flushed is None else _number(page, _HEADER_BYTES, 8),
                "begins": segments[0].index if segments else None,
                "segments": len(segments),
                "snapshot": max((each.index for each in snapshots if each.is_usable), default=0),
                "snapshots": [each for each in snapshots if each.is_finished],
            },
        )

    def log_files(self, system: System) -> list[str]:
        """See :class:`SystemFolder`. Excludes the segments of other journals in the directory."""
        return [path.name for path in _paths(system)]

    def beyond(self, system: System, found: Summary) -> Iterator[Finding]:
        """See :class:`SystemFolder`. The node state and snapshots may refer to missing entries."""
        facts = system.facts
        begins, snapshot = facts["begins"], facts["snapshot"]
        first, last = found.indexes or (begins, begins - 1 if begins else 0)
        meta = f"{facts['name']}.meta"
        has_gap = (first or 0) > max(1, snapshot + 1)
        # Without .meta, a broker deletes the entries after damage, and all entries if the journal
        # begins blank.
        is_opened = found.verdict == "intact" and found.indexes is not None and not has_gap
        yield from _flushed_beyond(facts, last, meta, is_opened)
        if has_gap:
            yield Finding(
                f"expected entry {snapshot + 1}, found a journal that begins with {first}: the"
                f" node does not start. Entries {snapshot + 1} to {first - 1} are neither in the"
                " journal nor in a usable snapshot: take them from another node",
                harm="lost",
            )
        entry = _entry_at(system, found.last, last) if found.indexes and found.last else None
        if entry is None:
            return
        term = entry.fields["term"]
        if facts["term"] is not None and term is not None and facts["term"] < int(term):
            yield Finding(
                f"expected term {term} of the last entry, or a later one, at {_HEADER_BYTES},"
                f" found {facts['term']}: the node may vote a second time in a term",
                meta,
                "lost",
            )
        yield from _snapshots_beyond(system, entry, last)

    def after_recovery(self, system: System) -> list[str]:
        """See :class:`SystemFolder`."""
        lost = [finding for finding in system.findings if finding.harm == "lost"]
        if not lost:
            return ["Not checked: the databases in the snapshots, and whether a broker starts."]
        return [
            "Where other nodes hold the partition, move its folder on this node away: they send it"
            " again.",
            *(finding.advice for finding in lost if finding.advice is not None),
        ]


def _paths(system: System) -> list[Path]:
    return segment_files(system.folder).get(system.facts["name"], [])


def _partition_name(folder: Path) -> str | None:
    """Return the name of the journal of a partition; None for a folder that is not a partition."""
    snapshots = [path for path, _ in _snapshot_folders(folder)]
    if names := segment_files(folder):
        small = [file for name in names for file in (f"{name}.meta", f".{name}.lock")]
        is_partition = recognise(folder) or any((folder / file).is_file() for file in small)
        return journal_name(folder, {}) if is_partition or snapshots else None
    files = [file for pattern in ("*.meta", "*.conf", ".*.lock") for file in folder.glob(pattern)]
    stems = {file.stem.removeprefix(".") for file in files if file.is_file()}
    candidates = [stem for stem in stems if PARTITION_NAME.fullmatch(stem)]
    # Other programs also name folders ``snapshots/2024-01-02-0300``, but they write no checksums.
    has_snapshot = any(path.with_name(path.name + CHECKSUM).is_file() for path in snapshots)
    if len(candidates) == 1 and (has_snapshot or any(file.suffix != ".conf" for file in files)):
        return candidates[0]
    return "journal" if has_snapshot and not candidates else None


def _has_entries(segment: Segment) -> bool:
    """Return whether records follow the descriptor; true if the descriptor is damaged."""
    if not isinstance(segment.descriptor, Descriptor):
        return segment.descriptor is not None
    with segment.path.open("rb") as file:
        file.seek(segment.descriptor.length)
        return file.read(1) not in (b"", b"\0")


def _others(folder: Path, name: str) -> Iterator[OtherFile]:
    roles = {
        f"{name}.meta": META,
        f"{name}.conf": "members of the raft group",
        f".{name}.lock": "lock held by the node that uses the folder",
        "runtime": "the state, rebuilt from the newest snapshot and the journal",
        "pending": "unfinished snapshots",
        "bootstrap-snapshots": "copies of a snapshot for new partitions",
    }
    for file, role in roles.items():
        if (folder / file).exists():
            yield OtherFile(file, role, size_of_all(folder / file))


def _leftovers(folder: Path, name: str) -> Iterator[OtherFile]:
    """Yield files that look like segments of the journal but are not read."""
    for path in sorted(folder.iterdir()):
        match = SEGMENT_NAME.fullmatch(path.name)
        if _DELETED.fullmatch(path.name):
            role = "segment deleted by a broker, which removes the file at startup; not read"
        elif match is not None and match["name"] != name:
            role = f"segment of another journal, {match['name']}; not read"
        else:
            continue
        yield OtherFile(path.name, role, size_of_all(path))


def _segment_findings(name: str, segments: Sequence[Segment], is_new: bool) -> Iterator[Finding]:
    if not segments:
        text = f"expected segments {name}-1.log and later, found none: a broker begins an empty"
        text += " journal" + ("" if is_new else ". Take the entries from another node")
        yield Finding(text, harm="look" if is_new else "lost")
    for number, segment in enumerate(segments):
        size = counted(segment.size, "zero") if segment.size else "an empty file"
        expected = f"expected a segment descriptor at 0, found {size}"
        if isinstance(segment.descriptor, Fault):
            with segment.path.open("rb") as file:
                head = quoted(file.read(12))
            text = f"expected a segment descriptor at 0, found {head} ({segment.descriptor.reason})"
            text += ": a broker deletes this segment and the later ones, unless `.meta` counts"
            yield Finding(f"{text} their entries as flushed", segment.file, "lost")
        elif segment.descriptor is not None:
            if segment.size < segment.descriptor.max_segment_size:
                size_in_descriptor = segment.descriptor.max_segment_size
                text = f"expected {size_in_descriptor:,} bytes according to its descriptor"
                yield Finding(f"{text}, found {segment.size:,}: truncated", segment.file)
        elif number == 0:
            text = f"{expected}: the entries of this segment are lost. Take the entries after the"
            yield Finding(f"{text} newest snapshot from another node", segment.file, "lost")
        elif number == len(segments) - 1:
            text = f"{expected}: prepared but never used"
            yield Finding(text, segment.file, "none")
        else:
            text = f"{expected}, before later segments: its entries are lost"
            yield Finding(text, segment.file, "lost")
    ids = [int(match["id"]) for s in segments if (match := SEGMENT_NAME.fullmatch(s.path.name))]
    for first, last in gaps(ids):
        missing = f"segment {first}" + (f" to {last}" if last > first else "")
        yield Finding(f"expected {missing}, found only later ones: entries are lost", harm="lost")


def _flushed_beyond(
    facts: Mapping[str, Any], last: int, meta: str, is_opened: bool
) -> Iterator[Finding]:
    """Find missing flushed entries. A broker does not open a journal that lacks them.

    ``is_opened`` is true if a broker opens the journal without ``.meta`` and keeps its entries.
    """
    flushed = facts["flushed"]
    if flushed is None or flushed <= last:
        return
    has_rest = flushed <= facts["snapshot"]
    rest = "a snapshot has the rest, but" if has_rest else "take the rest from another node;"
    effect = "a broker does not open this journal"
    if not facts["segments"]:
        effect = "a broker begins an empty journal, without an error"
    text = f"expected entries up to {flushed}, which it counts as flushed, found"
    text += f" {f'entries up to {last}' if last else 'none'}: {rest} {effect}"
    advice = (
        f"Without another node, a broker opens the journal only without {meta}. The vote and the"
        " flushed entries after the end of the journal are then missing."
    )
    yield Finding(text, meta, "lost", advice if is_opened else None)


def _entry_at(system: System, shown: Shown, index: int) -> Record | None:
    path = system.folder / (shown.file or "")
    if not path.is_file():
        return None
    segment = open_segment(path, path.name)
    if not isinstance(segment.descriptor, Descriptor):
        return None
    with path.open("rb") as log:
        log.seek(shown.at)
        scan = SegmentScan(log, segment.size, segment.descriptor, Cursor(index), path.name)
        scan.at = shown.at
        entry = next(scan.events(), None)
    return entry if isinstance(entry, Record) else None


def _position(record: Record) -> int:
    """Return the highest position of an entry; -1 if it has none."""
    entry = record.fields.get("entry") or {}
    return int(entry.get("highest_asqn", record.fields["asqn"]))


def _last_position(system: System, entry: Record) -> int:
    """Return the highest position in the last segment with positions; -1 if there are none."""
    if (position := _position(entry)) >= 0:
        return position
    for path in reversed(_paths(system)):
        records = (event for event in read(path, "recover", {}) if isinstance(event, Record))
        if (position := max(map(_position, records), default=-1)) >= 0:
            return position
    return -1


# The small files of a node: .meta, .conf and the lock. These files have no checksum.


def _small_file_findings(folder: Path, name: str, is_new: bool) -> Iterator[Finding]:
    meta, conf, lock = f"{name}.meta", f"{name}.conf", f".{name}.lock"
    meta_data, conf_data = _content(folder / meta), _content(folder / conf)
    if conf_data is not None and meta_data is None:
        text = "expected it next to `.conf`, found none: the term and the vote of the node are lost"
        yield Finding(text, meta, "lost")
    if meta_data is not None and not _is_new_file(meta_data, is_new):
        fault = _meta_fault(meta_data)
        if fault is not None:
            effect = "the node may not start, or may read another term, vote or flushed index"
            yield Finding(f"{fault}: {effect}", meta, "lost")
    members: list[bytes] = []
    if conf_data is not None and not _is_new_file(conf_data, is_new):
        try:
            members = _members(conf_data)
        except ValueError as error:
            effect = "the node may not start, or may take the members from its own settings"
            yield Finding(f"{error}: {effect}", conf, "lost")
    node = _content(folder / lock)
    if node is not None and (not _is_member_id(node) or (members and node not in members)):
        group = f" of the group ({', '.join(map(quoted, members))})" if members else ""
        text = f"expected the id of a node{group} at 0, found {_seen(node)}: the node does not"
        yield Finding(f"{text} start. Delete this file: the broker writes it again", lock, "lost")


def _content(path: Path) -> bytes | None:
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return file.read(MAX_SMALL_BYTES)


def _is_new_file(data: bytes, is_new: bool) -> bool:
    """Return whether a broker created the file and has not written to it yet."""
    return is_new and data in (b"", bytes(NEW_FILE_BYTES))


def _seen(data: bytes) -> str:
    if not data:
        return "an empty file"
    return quoted(data[:16]) if any(data) else counted(len(data), "zero")


def _is_member_id(data: bytes) -> bool:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return bool(text) and text.isprintable() and " " not in text


def _number(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "little")


def _block_fault(data: bytes, header: bytes, block_bytes: int) -> str | None:
    """Return the fault in a header, or None. Versions above 4 may have a longer block."""
    if not any(data):
        return f"expected a record of the node at 0, found {_seen(data)}"
    if data[:1] + data[3:7] != header:
        return f"expected the header of a record at 0, found {quoted(data[:_HEADER_BYTES])}"
    block, version = _number(data, 1, 2), _number(data, 7, 2)
    if block < block_bytes or (version <= 4 and block != block_bytes):
        return f"expected a block of {block_bytes} bytes at 1, found {block:,}"
    return None


def _meta_fault(data: bytes) -> str | None:
    """Return the fault of a ``.meta`` file; None if the file is valid."""
    if fault := _block_fault(data, _META_KIND, 16 if _number(data, 7, 2) < 4 else 24):
        return fault
    if len(data) != META_BYTES:
        return f"expected {META_BYTES} bytes, found {len(data):,}"
    vote_at = _HEADER_BYTES + _number(data, 1, 2)
    size, start = _number(data, vote_at, 4), vote_at + 4
    if start + size > META_BYTES:
        return f"expected a vote at {vote_at}, found a length of {size:,}"
    if size and not _is_member_id(data[start : start + size]):
        found = quoted(data[start : start + size])
        return f"expected the id of a node at {start}, found {found}"
    return None


def _members(data: bytes) -> list[bytes]:
    """Return the members in a ``.conf`` file. Raises ``ValueError`` with the fault of the file."""
    version = _number(data, 7, 2)
    if fault := _block_fault(data, _CONF_KIND, 24 + (version >= 3)):
        raise ValueError(fault)
    if not _number(data, 25, 8):
        raise ValueError("expected the time of the configuration at 25, found 0")
    at = _HEADER_BYTES + _number(data, 1, 2)
    members: list[bytes] = []
    for _ in range(1 if version < 2 else 2):
        size, count = _number(data, at, 2), _number(data, at + 2, 1)
        if at + 3 > len(data) or not (count or members):
            raise ValueError(f"expected a list of members at {at}, found {_seen(data[at:])}")
        at += 3
        for _ in range(count):
            start = at + size + 4
            end = start + _number(data, at + size, 4)
            is_member = end <= len(data) and data[at] < _MEMBER_TYPES
            if not is_member or not _is_member_id(data[start:end]):
                raise ValueError(f"expected a member at {at}, found {_seen(data[at:end])}")
            members.append(data[start:end])
            at = end
    return members


# Snapshots.


@dataclass(frozen=True)
class Snapshot:
    """A snapshot of a partition.

    A broker writes the checksums last, and does not use a snapshot without checksums.
    """

    name: str
    others: Sequence[OtherFile]
    index: int
    processed: int
    exported: int
    is_finished: bool
    findings: Sequence[Finding]

    @property
    def is_usable(self) -> bool:
        """Return whether a broker can start from the snapshot."""
        return self.is_finished and not self.findings


def _snapshots(folder: Path) -> list[Snapshot]:
    return [_snapshot(path, match) for path, match in _snapshot_folders(folder)]


def _snapshot_folders(folder: Path) -> Iterator[tuple[Path, re.Match[str]]]:
    for path in sorted((folder / SNAPSHOTS).glob("*")):
        if path.is_dir() and (match := SNAPSHOT.fullmatch(path.name)):
            yield path, match


def _snapshot(path: Path, match: re.Match[str]) -> Snapshot:
    name, checksums = f"{SNAPSHOTS}/{path.name}", path.with_name(path.name + CHECKSUM)
    role = f"snapshot of all entries up to {match['index']}, of term {match['term']}"
    others = [OtherFile(name, role, size_of_all(path))]
    if is_finished := checksums.is_file():
        findings = list(_checksum_findings(path, checksums))
        text = "checksums of the files in the snapshot"
        others.append(OtherFile(f"{name}{CHECKSUM}", text, size_of_all(checksums)))
    else:
        text = f"expected {checksums.name} next to it, found none: a broker deletes this"
        findings = [Finding(f"{text} snapshot as unfinished", name)]
    index, processed, exported = map(int, match.group("index", "processed", "exported"))
    return Snapshot(name, others, index, processed, exported, is_finished, findings)


def _checksum_findings(snapshot: Path, checksums: Path) -> Iterator[Finding]:
    """Compare the files of a snapshot with its checksums, as a broker does at startup."""
    effect = "a broker does not use this snapshot"
    data = checksums.read_bytes()[:MAX_SMALL_BYTES]
    if len(data) == OLD_CHECKSUM_BYTES:
        return
    files = {path.name: path for path in snapshot.iterdir() if path.is_file()}
    lines = (line.strip() for line in data.decode("latin-1").splitlines())
    matches = [match for line in lines if (match := _CHECKSUM_LINE.fullmatch(line))]
    listed = {match[1].strip(): int(match[2], 16) for match in matches}
    if not listed:
        text = f"expected checksums of {counted(len(files), 'file')}, found {_seen(data)}: {effect}"
        yield Finding(text, f"{SNAPSHOTS}/{checksums.name}", "lost")
        return
    for name in sorted(listed.keys() | files.keys()):
        if name not in files:
            text = "expected this file, which is in the checksum list, found none"
        elif name not in listed:
            text = f"expected its checksum in {checksums.name}, found none"
        elif (actual := _crc(files[name])) != listed[name]:
            text = f"expected the checksum {listed[name]:08x} over its"
            text += f" {counted(files[name].stat().st_size, 'byte')}, found {actual:08x}"
        else:
            continue
        yield Finding(f"{text}: {effect}", f"{SNAPSHOTS}/{snapshot.name}/{name}", "lost")


def _crc(path: Path) -> int:
    crc = 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            crc = crc32c(chunk, crc)
    return crc


def _snapshots_beyond(system: System, entry: Record, last: int) -> Iterator[Finding]:
    """Find snapshots whose position is beyond the end of the journal."""
    snapshots = [each for each in system.facts["snapshots"] if each.index < last]
    if not snapshots:
        return
    position = _last_position(system, entry)
    for each in snapshots:
        if each.processed <= position or position < 0:
            continue
        text = f"expected position {each.processed} in the journal, found positions up to"
        text += f" {position} in entry {last}, after entry {each.index} of the snapshot"
        if each.exported and min(each.processed, each.exported) > position:
            text += ": a leader does not start from this snapshot"
            yield Finding(text, each.name, "lost")
        else:
            text += ": a leader starts from it only when later entries have arrived"
            yield Finding(text, each.name)


SYSTEM_FOLDER = ZeebeFolder()
