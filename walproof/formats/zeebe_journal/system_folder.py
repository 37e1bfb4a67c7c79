"""Read the directory of a Zeebe partition: journal segments, node state and snapshots.

Upstream authority: camunda/camunda ``atomix/cluster`` ``RaftStorage.java`` (file names, lock),
``MetaStore.java`` and ``MetaStoreSerializer.java`` (``.meta``, ``.conf``), ``StateUtil.java`` (gap
between snapshot and journal); ``zeebe/snapshot`` ``FileBasedSnapshotStore.java``,
``FileBasedSnapshotId.java`` (index-term-processed-exported…), ``SnapshotChecksum.java`` and
``SfvChecksumImpl.java``; ``zeebe/journal`` ``SegmentsManager.java`` and ``SegmentFile.java``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crc32c import crc32c

from reference_impl.answer import Record
from reference_impl.zeebe_journal.layout import SEGMENT_NAME
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
SNAPSHOTS, BOOTSTRAP_SNAPSHOTS = "snapshots", "bootstrap-snapshots"
CHECKSUM = ".checksum"
META_BYTES = 256
#: Zeros in a ``.meta`` or ``.conf`` before a broker writes its first record.
NEW_FILE_BYTES = 32
#: Maximum bytes read of a ``.meta``, ``.conf``, lock or checksum file.
MAX_SMALL_BYTES = 1 << 20
CHUNK_BYTES = 1 << 20
#: Version byte, template and schema: the header without block length and schema version.
_META_KIND, _CONF_KIND = b"\1\6\0\x08\0", b"\1\5\0\x08\0"
_HEADER_BYTES = 9
_CONF_BLOCK_BYTES = 24
_MEMBER_BYTES = 9
_MEMBER_TYPES = 4
_DELETED = re.compile(r".+\.log_\d+-deleted")
_CHECKSUM_LINE = re.compile(r"(.*) {3}([0-9a-fA-F]{1,16})")
_COMBINED_LINE = re.compile(r"combinedValue\s+=\s+([0-9a-fA-F]{1,16})")


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
        files = _SmallFiles(folder, name, is_new)
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
                *files.findings,
                *(finding for each in snapshots for finding in each.findings),
            ],
            {
                "name": name,
                "flushed": files.state.flushed if files.state else None,
                "term": files.state.term if files.state else None,
                "repaired": files.repaired,
                "begins": segments[0].index if segments else None,
                "segments": len(segments),
                "snapshot": max((each.index for each in snapshots if each.is_usable), default=0),
                "snapshots": [each for each in snapshots if each.is_finished],
            },
        )

    def log_files(self, system: System) -> list[str]:
        """See :class:`SystemFolder`. Excludes the segments of other journals in the directory."""
        return [path.name for path in _paths(system)]

    def repaired_files(self, system: System) -> Mapping[str, bytes]:
        """See :class:`SystemFolder`: the lock, if ``.conf`` proves the id of the node."""
        repaired: Mapping[str, bytes] = system.facts["repaired"]
        return repaired

    def beyond(self, system: System, found: Summary) -> Iterator[Finding]:
        """See :class:`SystemFolder`: later entries known to the node state and the snapshots."""
        facts = system.facts
        begins, snapshot = facts["begins"], facts["snapshot"]
        first, last = found.indexes or (begins, begins - 1 if begins else 0)
        meta = f"{facts['name']}.meta"
        has_gap = found.indexes is not None and first > max(1, snapshot + 1)
        # Without .meta, a broker deletes entries after damage, and all of them after a blank start.
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
        elif facts["flushed"] == 0:
            yield Finding(
                "expected the index of a flushed entry at 17, found 0, although the journal has"
                " entries. A broker then deletes damaged entries as unfinished writes",
                meta,
            )
        yield from _snapshots_beyond(system, entry, last)

    def after_recovery(self, system: System) -> list[str]:
        """Describe the checks after a recovery. See :class:`SystemFolder`."""
        facts, name = system.facts, system.facts["name"]
        checked = [f"{name}.meta"] * (facts["term"] is not None) + [
            file for file in (f"{name}.conf", f".{name}.lock") if (system.folder / file).is_file()
        ]
        if facts["snapshots"]:
            checked.append("the checksums of the snapshots")
        sentences = [f"Checked: {', '.join(['the descriptors of the segments', *checked])}."]
        lost = [finding for finding in system.findings if finding.harm == "lost"]
        if not lost:
            return [
                *sentences,
                "Not checked: the databases in the snapshots, and whether a broker starts.",
            ]
        sentences.append(
            "Where other nodes hold the partition, move its folder on this node away: they send it"
            " again."
        )
        sentences += [finding.advice for finding in lost if finding.advice is not None]
        return sentences


def _paths(system: System) -> list[Path]:
    return segment_files(system.folder).get(system.facts["name"], [])


def _partition_name(folder: Path) -> str | None:
    """Return the name of the journal of a partition; None for a folder that is not a partition."""
    names = segment_files(folder)
    if names:
        is_partition = recognise(folder) or any(_has_small_file(folder, name) for name in names)
        return journal_name(folder, {}) if is_partition or _snapshots(folder) else None
    small = [path for pattern in ("*.meta", "*.conf", ".*.lock") for path in folder.glob(pattern)]
    stems = {path.stem.removeprefix(".") for path in small if path.is_file()}
    candidates = [stem for stem in stems if PARTITION_NAME.fullmatch(stem)]
    has_snapshot = any(each.is_finished for each in _snapshots(folder))
    if len(candidates) == 1 and (has_snapshot or _has_small_file(folder, candidates[0])):
        return candidates[0]
    return "journal" if has_snapshot and not candidates else None


def _has_small_file(folder: Path, name: str) -> bool:
    return any((folder / file).is_file() for file in (f"{name}.meta", f".{name}.lock"))


def _has_entries(segment: Segment) -> bool:
    """Return whether a segment has bytes after its descriptor; true if it is unknown."""
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
    }
    for file, role in roles.items():
        if (folder / file).exists():
            yield OtherFile(file, role, size_of_all(folder / file))


def _leftovers(folder: Path, name: str) -> Iterator[OtherFile]:
    """Yield files that look like logs and are not read."""
    for path in sorted(folder.iterdir()):
        match = SEGMENT_NAME.fullmatch(path.name)
        if _DELETED.fullmatch(path.name):
            role = "segment deleted by a broker, which removes the file at startup; not read"
        elif match is not None and match["name"] != name:
            role = f"segment of another journal, {match['name']}; not read"
        elif path.name.endswith(".before-recovery"):
            role = "damaged original of a file that walproof replaced; not read"
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
    """Find flushed entries that are missing; a broker refuses such a journal.

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
    """Return the record that a summary shows as the last one."""
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
    """Return the position of the last entry that has one, searching its segment backwards."""
    if (position := _position(entry)) >= 0:
        return position
    for path in reversed(_paths(system)):
        records = (event for event in read(path, "recover", {}) if isinstance(event, Record))
        if (position := max(map(_position, records), default=-1)) >= 0:
            return position
    return -1


# The small files of a node: .meta, .conf and the lock.


@dataclass(frozen=True)
class NodeState:
    """The state of a node in ``.meta``, as a broker reads it. ``flushed`` is -1 for none."""

    term: int
    flushed: int
    vote: bytes


class _SmallFiles:
    """The small files of a partition, and those among them that can be repaired."""

    def __init__(self, folder: Path, name: str, is_new: bool) -> None:
        self.state: NodeState | None = None
        self.findings: list[Finding] = []
        self.repaired: dict[str, bytes] = {}
        meta, conf, lock = f"{name}.meta", f"{name}.conf", f".{name}.lock"
        members: list[bytes] = []
        if (data := _content(folder / meta)) is not None and not _is_new_file(data, is_new):
            self._check_meta(meta, data)
        if (folder / conf).is_file() and not (folder / meta).exists():
            text = "expected it next to `.conf`, found none: the term and the vote of the node are"
            self.findings.append(Finding(f"{text} lost", meta, "lost"))
        if (data := _content(folder / conf)) is not None and not _is_new_file(data, is_new):
            try:
                members = _members(data)
            except _Invalid as invalid:
                effect = "the node does not start, or takes the members from its own settings"
                self.findings.append(Finding(f"{invalid}: {effect}", conf, "lost"))
        if (data := _content(folder / lock)) is not None:
            self._check_lock(lock, data, members)

    def _check_meta(self, file: str, data: bytes) -> None:
        read_by_broker = _node_state(data)
        fault = _meta_fault(data, read_by_broker)
        has_header = data[:1] + data[3:7] == _META_KIND and len(data) >= _HEADER_BYTES + 16
        if read_by_broker is not None and has_header:
            self.state = read_by_broker
        if fault is None:
            return
        if read_by_broker is None:
            effect = "the node does not start, and its vote is lost"
        else:
            vote = f"the vote {quoted(read_by_broker.vote)}" if read_by_broker.vote else "no vote"
            effect = f"a broker reads term {read_by_broker.term}, {vote}"
            effect += f" and flushed index {read_by_broker.flushed}"
            if read_by_broker.flushed <= 0:
                effect += ". It then deletes damaged entries as unfinished writes"
        self.findings.append(Finding(f"{fault}: {effect}", file, "lost"))

    def _check_lock(self, file: str, data: bytes, members: Sequence[bytes]) -> None:
        if _is_member_id(data):
            if members and data not in members:
                group = ", ".join(quoted(member) for member in members)
                text = f"expected a node of the group ({group}), found {quoted(data)}: no other"
                self.findings.append(Finding(f"{text} node can use the folder", file, "lost"))
                if len(members) == 1:
                    self.repaired[file] = members[0]
            return
        text = f"expected the id of a node at 0, found {_seen(data)}: the node does not start."
        text += " Delete this file: the broker writes it again"
        self.findings.append(Finding(text, file, "lost"))
        known = [member for member in members if member == data.strip()] or members
        if len(known) == 1:
            self.repaired[file] = known[0]


class _Invalid(Exception):
    """A damaged small file. The message has the offset, the expected and the actual value."""


def _content(path: Path) -> bytes | None:
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return file.read(MAX_SMALL_BYTES)


def _is_new_file(data: bytes, is_new: bool) -> bool:
    """Return whether the file is newly created: the broker had not stored anything yet."""
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


def _node_state(data: bytes) -> NodeState | None:
    """Read a ``.meta`` file without checks, as a broker does; None if that fails."""
    page = data[:META_BYTES].ljust(META_BYTES, b"\0")
    vote_at = _HEADER_BYTES + _number(page, 1, 2)
    size = _number(page, vote_at, 4)
    if vote_at + 4 + size > META_BYTES:
        return None
    flushed = int.from_bytes(page[17:25], "little", signed=True)
    return NodeState(_number(page, 9, 8), flushed, page[vote_at + 4 : vote_at + 4 + size])


def _meta_fault(data: bytes, state: NodeState | None) -> str | None:
    """Return the fault of a ``.meta`` file, None if it is valid. The file has no checksum."""
    if not any(data):
        return f"expected the term and the vote of the node at 0, found {_seen(data)}"
    if data[:1] + data[3:7] != _META_KIND:
        return f"expected the header of a meta record at 0, found {quoted(data[:_HEADER_BYTES])}"
    block, version = _number(data, 1, 2), _number(data, 7, 2)
    expected = 16 if version < 4 else 24
    if block < expected or (version <= 4 and block != expected):
        return f"expected a block of {expected} bytes at 1, found {block:,}"
    if len(data) != META_BYTES:
        return f"expected {META_BYTES} bytes, found {len(data):,}"
    vote_at = _HEADER_BYTES + block
    if state is None:
        return f"expected a vote at {vote_at}, found a length of {_number(data, vote_at, 4):,}"
    if state.vote and not _is_member_id(state.vote):
        return f"expected the id of a node at {vote_at + 4}, found {quoted(state.vote)}"
    return None


def _members(data: bytes) -> list[bytes]:
    """Return the member ids in a ``.conf`` file, which has no checksum. Raises ``_Invalid``."""
    if not any(data):
        raise _Invalid(f"expected the members of the group at 0, found {_seen(data)}")
    if data[:1] + data[3:7] != _CONF_KIND:
        head = quoted(data[:_HEADER_BYTES])
        raise _Invalid(f"expected the header of a configuration at 0, found {head}")
    block, version = _number(data, 1, 2), _number(data, 7, 2)
    expected = _CONF_BLOCK_BYTES + (version >= 3)
    if block < expected or (version <= 4 and block != expected):
        raise _Invalid(f"expected a block of {expected} bytes at 1, found {block:,}")
    at = _HEADER_BYTES + block
    if len(data) >= at and not _number(data, 25, 8):
        raise _Invalid("expected the time of the configuration at 25, found 0")
    groups: list[list[bytes]] = []
    for _ in range(1 if version < 2 else 2):
        if at + 3 > len(data):
            raise _Invalid(f"expected a list of members at {at}, found the end of the file")
        size, count = _number(data, at, 2), data[at + 2]
        if size < _MEMBER_BYTES or (version <= 4 and size != _MEMBER_BYTES):
            raise _Invalid(f"expected members of {_MEMBER_BYTES} bytes at {at}, found {size:,}")
        at += 3
        groups.append([])
        for _ in range(count):
            start = at + size + 4
            end = start + _number(data, at + size, 4)
            if end > len(data):
                raise _Invalid(f"expected a member at {at}, found the end of the file")
            if data[at] >= _MEMBER_TYPES or not _is_member_id(data[start:end]):
                raise _Invalid(f"expected a member at {at}, found {quoted(data[at:end])}")
            groups[-1].append(data[start:end])
            at = end
    if not groups[0]:
        raise _Invalid(f"expected a member at {_HEADER_BYTES + block}, found none")
    return [member for group in groups for member in group]


# Snapshots.


@dataclass(frozen=True)
class Snapshot:
    """A snapshot of a partition."""

    name: str
    others: Sequence[OtherFile]
    index: int
    processed: int
    exported: int
    #: Whether the snapshot has a checksum file, which a broker writes last.
    is_finished: bool
    #: Whether a broker can start from the snapshot: its files match their checksums.
    is_usable: bool
    findings: Sequence[Finding] = ()


def _snapshots(folder: Path) -> list[Snapshot]:
    snapshots: list[Snapshot] = []
    for place in (SNAPSHOTS, BOOTSTRAP_SNAPSHOTS):
        inside = folder / place
        for path in sorted(inside.iterdir()) if inside.is_dir() else []:
            match = SNAPSHOT.fullmatch(path.name.removesuffix(CHECKSUM))
            if match is None or (path.name.endswith(CHECKSUM) and _has_folder(path)):
                continue
            if path.is_dir() or path.name.endswith(CHECKSUM):
                snapshots.append(_snapshot(folder, path, match))
    return snapshots


def _has_folder(checksums: Path) -> bool:
    return checksums.with_name(checksums.name.removesuffix(CHECKSUM)).is_dir()


def _snapshot(folder: Path, path: Path, match: re.Match[str]) -> Snapshot:
    name = path.relative_to(folder).as_posix()
    role = f"snapshot of all entries up to {match['index']}, of term {match['term']}"
    is_finished = path.is_dir() and path.with_name(path.name + CHECKSUM).is_file()
    findings: list[Finding] = []
    if not path.is_dir():
        role = "checksums of a missing snapshot"
        text = f"expected the folder {path.name.removesuffix(CHECKSUM)} next to it, found none"
        findings.append(Finding(f"{text}: the snapshot is lost", name, "lost"))
    elif not is_finished:
        role = "snapshot without checksums, which Zeebe ignores"
        text = f"expected {path.name}{CHECKSUM} next to it, found none: a broker deletes this"
        findings.append(Finding(f"{text} snapshot as unfinished", name))
    else:
        findings += _checksum_findings(folder, path)
    is_sound = is_finished and not any(finding.harm == "lost" for finding in findings)
    if is_finished and not is_sound:
        role = f"damaged {role}"
    others = [OtherFile(name, role, size_of_all(path))]
    if is_finished:
        checksums = path.with_name(path.name + CHECKSUM)
        text = "checksums of the files in the snapshot"
        others.append(OtherFile(f"{name}{CHECKSUM}", text, size_of_all(checksums)))
    return Snapshot(
        name,
        others,
        int(match["index"]),
        int(match["processed"]),
        int(match["exported"]),
        is_finished,
        is_sound and path.parent.name == SNAPSHOTS,
        findings,
    )


def _checksum_findings(folder: Path, snapshot: Path) -> Iterator[Finding]:
    """Compare the files of a snapshot with its checksums, as a broker does at startup."""
    checksums = snapshot.with_name(snapshot.name + CHECKSUM)
    about = checksums.relative_to(folder).as_posix()
    effect = "a broker does not use this snapshot"
    data = checksums.read_bytes()[:MAX_SMALL_BYTES]
    files = {path.name: path for path in sorted(snapshot.iterdir())}
    if inner := [name for name, path in files.items() if path.is_dir()]:
        name = f"{snapshot.relative_to(folder).as_posix()}/{inner[0]}"
        yield Finding(f"expected a file, found a folder: {effect}", name, "lost")
        return
    if b"\r\n" in data:
        text = "expected LF line ends, found CRLF: a broker accepts both"
        yield Finding(text, about, "none")
    listed, combined = _listed(data)
    if not listed and combined is None:
        text = f"expected checksums of {counted(len(files), 'file')}, found {_seen(data)}: {effect}"
        yield Finding(text, about, "lost")
    for name in sorted(listed.keys() | files.keys()) if listed else ():
        inside = f"{snapshot.relative_to(folder).as_posix()}/{name}"
        if name not in files:
            text = "expected this file, which is in the checksum list, found none"
        elif name not in listed:
            text = f"expected its checksum in {about}, found none"
        elif (actual := _crc([files[name]])) != listed[name]:
            text = f"expected the checksum {listed[name]:08x} over its"
            text += f" {counted(files[name].stat().st_size, 'byte')}, found {actual:08x}"
        else:
            continue
        yield Finding(f"{text}: {effect}", inside, "lost")
    if combined is None:
        return
    # Brokers from 8.6 on omit tables, because RocksDB stores their checksums.
    ways = [files.values(), [path for name, path in files.items() if not name.endswith(".sst")]]
    if combined not in [_crc(way, with_names=True) for way in ways]:
        text = f"expected the combined checksum of the files, found {combined:08x}"
        if listed:
            yield Finding(f"{text}: a broker up to 8.5 does not use this snapshot", about)
        else:
            yield Finding(f"{text}: {effect}", about, "lost")


def _listed(data: bytes) -> tuple[dict[str, int], int | None]:
    """Return the checksum of each file, and the combined one, as a broker reads them."""
    if len(data) == 8:  # before 1.3: only a number
        return {}, int.from_bytes(data, "big")
    listed: dict[str, int] = {}
    combined = None
    for line in re.split("[\r\n]+", data.decode("latin-1")):
        line = line.strip("".join(map(chr, range(33))))
        if line.startswith(";"):
            if match := _COMBINED_LINE.search(line):
                combined = int(match[1], 16)
        elif match := _CHECKSUM_LINE.search(line):
            listed[match[1].strip()] = int(match[2], 16)
    return listed, combined


def _crc(paths: Iterable[Path], with_names: bool = False) -> int:
    crc = 0
    for path in paths:
        if with_names:
            crc = crc32c(path.name.encode(), crc)
        with path.open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                crc = crc32c(chunk, crc)
    return crc


def _snapshots_beyond(system: System, entry: Record, last: int) -> Iterator[Finding]:
    """Find snapshots of positions that are missing from the journal."""
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
