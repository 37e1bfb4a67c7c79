"""Read the directory of a LevelDB, RocksDB or Pebble database: logs, MANIFEST and tables.

Upstream authority: google/leveldb 1.23 ``db/db_impl.cc`` (``DBImpl::Recover``,
``RemoveObsoleteFiles``), ``db/filename.cc``, ``db/repair.cc``; cockroachdb/pebble f82e3ff
``open.go``, ``vfs/atomicfs/marker.go``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reference_impl.answer import Event, Lost
from reference_impl.leveldb_log.dialects import is_foreign
from reference_impl.leveldb_log.layout import BLOCK_SIZE, HEADER, HEADER_SIZE
from reference_impl.leveldb_log.reader import Scan
from walproof.formats.leveldb_log.discovery import PLAIN, dialect_of, first_dialect
from walproof.formats.leveldb_log.system_folder.manifest import (
    BYTEWISE,
    FORMAT,
    Manifest,
    wrong_blob_file,
    wrong_current,
    wrong_table,
)
from walproof.lake.recognition import is_blank, named_like
from walproof.quantity import counted
from walproof.quoted import quoted
from walproof.summary.model import Summary
from walproof.systems.model import Finding, OtherFile, System, SystemFolder, SystemLog, size_of_all

CURRENT = "CURRENT"
LOG_NAME = re.compile(r"(\d{6,20})\.log")
TABLE_NAME = re.compile(r"(\d{6,20})\.(ldb|sst)")
BLOB_NAME = re.compile(r"(\d{6,20})\.blob")
MANIFEST_NAME = re.compile(r"MANIFEST-(\d{6,20})")
OPTIONS_NAME = re.compile(r"OPTIONS-(\d{6,20})")
MARKER_NAME = re.compile(r"marker\.(?P<name>[^.]+)\.(?P<step>\d+)\.(?P<value>.+)")
#: Number of blocks at the start of a log that are searched for its dialect.
MAX_BLOCKS = 4
ROLES = {
    CURRENT: "names the MANIFEST",
    "LOCK": "held by the process that has the database open",
    "LOG": "reports of the database",
    "LOG.old": "reports from before the last start",
    "IDENTITY": "the id of the database",
}
MOST_NAMED = 5


@dataclass(frozen=True)
class Engine:
    """A database engine; ``repair`` is its repair command, or None."""

    name: str
    repair: str | None


LEVELDB = Engine("LevelDB", "RepairDB (in Python plyvel.repair_db)")
ROCKSDB = Engine("RocksDB", "`ldb repair --db={}`")
PEBBLE = Engine("Pebble", None)


@dataclass(frozen=True)
class Files:
    """The sorted names of all files of a database, and the names of each type by file number."""

    folder: Path
    names: Sequence[str]
    logs: Mapping[int, str]
    tables: Mapping[int, str]
    blobs: Mapping[int, str]
    manifests: Mapping[int, str]
    options: Mapping[int, str]
    #: Value of each current marker, by the name of the marker.
    markers: Mapping[str, str]
    engine: Engine

    @classmethod
    def of(cls, folder: Path) -> Files | None:
        """Return the files of a database, or None for another folder. Raises ``OSError``."""
        names = sorted(entry.name for entry in folder.iterdir() if entry.is_file())
        types = (LOG_NAME, TABLE_NAME, BLOB_NAME, MANIFEST_NAME, OPTIONS_NAME)
        logs, tables, blobs, manifests, options = (
            {int(match[1]): name for name in names if (match := pattern.fullmatch(name))}
            for pattern in types
        )
        # The marker with the highest step is current; it comes last among the sorted names.
        found = filter(None, map(MARKER_NAME.fullmatch, names))
        markers = {match["name"]: match["value"] for match in found}
        has_current = CURRENT in names and (
            logs or tables or _head(folder / CURRENT, 9) == b"MANIFEST-"
        )
        if not (manifests or "manifest" in markers or (tables and logs) or has_current):
            return None
        is_pebble = "manifest" in markers or any(
            b"pebble_version" in _head(folder / name, 4096) for name in options.values()
        )
        other = ROCKSDB if options or "IDENTITY" in names else LEVELDB
        engine = PEBBLE if is_pebble else other
        return cls(folder, names, logs, tables, blobs, manifests, options, markers, engine)


def _head(path: Path, size: int) -> bytes:
    with path.open("rb") as file:
        return file.read(size)


class LevelDBFolder(SystemFolder):
    """A directory in which every log is a plain LevelDB log. See :class:`SystemFolder`."""

    format = FORMAT

    def takes(self, logs: Sequence[Path]) -> bool:
        """Return whether the logs of a folder have this format. Raises ``OSError``."""
        return not any(map(is_in_foreign_dialect, logs))

    def recognise(self, folder: Path) -> System | None:
        """See :class:`SystemFolder`."""
        files = Files.of(folder)
        if files is None or not self.takes([folder / name for name in files.logs.values()]):
            return None
        findings: list[Finding] = []
        chosen = _chosen(files, findings)
        state = Manifest(chosen or "", files.engine is PEBBLE)
        if chosen:
            state.read(folder / chosen)
        if state.faults:
            findings.append(_damaged(state))
        findings += _missing(state, files)
        findings += _wrong_tables(state, files)
        findings += _wrong_options(files)
        findings += _unread(files)
        live = {number: name for number, name in files.logs.items() if state.needs(number)}
        is_certain = state.is_whole
        return System(
            self,
            f"{files.engine.name} database",
            folder,
            self.format,
            [
                SystemLog(name, "live" if is_certain else "perhaps live: no MANIFEST decides")
                for _, name in sorted(live.items())
            ],
            sorted(
                _others(files, set(live.values()), state),
                key=lambda other: bool(TABLE_NAME.fullmatch(other.name)),  # tables last: often many
            ),
            findings,
            {"manifest": state, "files": files},
        )

    def of_log(self, system: System, log: SystemLog, found: Summary) -> Iterator[Finding]:
        """See :class:`SystemFolder`."""
        path = system.path(log)
        yield from self.of_dialect(path)
        if not found.records and path.stat().st_size and is_blank(path):
            text = f"expected records at 0, found {path.stat().st_size:,} zeros"
            yield Finding(
                f"{text}: records written after the last table are lost", log.name, "lost"
            )

    def of_dialect(self, log: Path) -> Iterator[Finding]:
        """See :class:`SystemFolder`."""
        if (dialect := self.foreign_dialect(log)) is not None:
            formats = [one for one in named_like(log.name) if one != FORMAT]
            how = f": --format {formats[0]} reads it" if len(formats) == 1 else ""
            yield Finding(f"a log in the {dialect} dialect{how}", log.name)

    def foreign_dialect(self, log: Path) -> str | None:
        """See :class:`SystemFolder`."""
        return dialect_of(log)

    def more_events(self, log: Path) -> Iterator[Event] | None:
        """See :class:`SystemFolder`."""
        return _events_by_lengths(log)

    def repaired_files(self, system: System) -> Mapping[str, bytes]:
        """See :class:`SystemFolder`. Repairs only CURRENT, if the MANIFEST is intact."""
        state, files = system.facts["manifest"], system.facts["files"]
        if not state.is_whole or files.engine is PEBBLE or not _are_tables_right(system):
            return {}
        content = (files.folder / CURRENT).read_bytes() if CURRENT in files.names else b""
        named = MANIFEST_NAME.match(content.strip().decode("ascii", "replace"))
        if wrong_current(content, state.name) is None or (named and named[0] != state.name):
            return {}
        return {CURRENT: f"{state.name}\n".encode()}

    def after_recovery(self, system: System) -> Sequence[str]:
        """See :class:`SystemFolder`."""
        state, files = system.facts["manifest"], system.facts["files"]
        engine = files.engine
        wrong = [one for one in system.findings if one.harm != "none"]
        if not wrong:
            tables = f"{counted(len(state.tables), 'table')} (size and footer)"
            logs = counted(len(system.logs), "log")
            checked = f"Checked: {state.name} to its end, {tables}, {logs}, comparator"
            sound = "if the blocks of its tables are sound" if state.tables else "as it is"
            return [
                f"{checked} {state.comparator}.",
                f"{engine.name} opens it {sound}{', which were not read' * bool(state.tables)}.",
            ]
        unnamed = [name for number, name in files.tables.items() if number not in state.tables]
        advice = []
        if unnamed and engine is not PEBBLE:
            advice.append(
                f"Do not open it yet: {engine.name} deletes the {counted(len(unnamed), 'table')}"
                " that its MANIFEST does not name."
            )
        return [*advice, *_repair_advice(state, files)]


def is_in_foreign_dialect(log: Path) -> bool:
    """Return whether a log begins in a dialect of RocksDB or Pebble. Raises ``OSError``."""
    return is_foreign(_head(log, MAX_BLOCKS * BLOCK_SIZE), log.name)


class _ByLengths(Scan):
    """A scan that continues after a damaged record if its length leads to a valid record.

    LDB-037 requires readers to skip the rest of the block, because no checksum covers the length.
    """

    def _rest_of_block_lost(self, at: int, block: bytes, base: int, reason: str) -> Iterator[Event]:
        _, length, _ = HEADER.unpack_from(block, at - base)
        after = at - base + HEADER_SIZE + length
        if reason == "checksum-mismatch" and first_dialect(block[after:]) == PLAIN:
            yield Lost(at, base + after, reason)
            yield from self._open_record_lost()
            yield from self._block(block, base, after)
        else:
            yield from super()._rest_of_block_lost(at, block, base, reason)


def _events_by_lengths(log: Path) -> Iterator[Event]:
    with log.open("rb") as file:
        yield from _ByLengths(file).events()


def _chosen(files: Files, findings: list[Finding]) -> str | None:
    """Return the MANIFEST that CURRENT or a marker names, or else the latest; add findings."""
    manifests = files.manifests
    latest = manifests[max(manifests)] if manifests else None
    latest_is = f"the latest one is {latest}" if latest else "there is no other MANIFEST"

    def lost(text: str, file: str | None = None) -> None:
        findings.append(Finding(text, file, "lost"))

    if files.engine is PEBBLE and (CURRENT not in files.names or files.markers):
        for name in files.names:
            if name.startswith("marker.") and not MARKER_NAME.fullmatch(name):
                lost("expected marker.NAME.STEP.VALUE: Pebble does not open a folder with it", name)
        if "format-version" not in files.markers:
            text = "marker.format-version is not there: Pebble takes it for format 1, and does not"
            lost(f"{text} open it")
        named = files.markers.get("manifest")
        if named is None:
            text = "marker.manifest is not there: Pebble begins a new database here"
            lost(f"{text}; {latest_is}")
        elif named not in manifests.values():
            text = f"marker.manifest names {quoted(named.encode())}, which is not there"
            lost(f"{text}; {latest_is}")
    elif CURRENT not in files.names:
        text = "CURRENT is not there: a database that is opened here begins anew"
        lost(f"{text}; {latest_is}")
        return latest
    else:
        content = _head(files.folder / CURRENT, 4096)
        named = content.strip().decode("ascii", "replace")
        is_there = named in manifests.values()
        if (fault := wrong_current(content, named if is_there else None)) is not None:
            lost(fault if is_there else f"{fault}; {latest_is}", CURRENT)
    return named if named in manifests.values() else latest


def _damaged(state: Manifest) -> Finding:
    first = f"; it begins with log {state.first_log:06}" if state.first_log is not None else ""
    known = f"{counted(state.edits, 'edit')}, {counted(len(state.tables), 'table')}"
    text = f"{'; '.join(state.faults[:3])}. Still readable: {known}{first}"
    return Finding(text, state.name, "lost")


def _missing(state: Manifest, files: Files) -> Iterator[Finding]:
    missing = sorted(state.tables.keys() - files.tables.keys())
    if state.faults and missing:
        verb = "is" if len(missing) == 1 else "are"
        what = f"of the tables that it still names, {len(missing)} {verb} not there"
        yield Finding(f"{what}: a part that is lost may have deleted them", state.name)
    elif missing:
        noun = "table that it names is" if len(missing) == 1 else "tables that it names are"
        yield Finding(
            f"{len(missing)} {noun} not there ({_listed(missing)}): no database opens like this,"
            " and what they held is lost",
            state.name,
            "lost",
        )
    for number in sorted(state.blobs.keys() & files.blobs.keys()):
        name = files.blobs[number]
        if (fault := wrong_blob_file(files.folder / name, state.blobs[number])) is not None:
            yield Finding(f"{fault}: the values in it are lost", name, "lost")
    if blobs := sorted(state.blobs.keys() - files.blobs.keys()):
        text = f"{counted(len(blobs), 'blob file')} that it names: not there ({_listed(blobs)})"
        yield Finding(text, state.name, "lost")
    if state.elsewhere:
        text = f"{counted(state.elsewhere, 'table')} of it: in another directory, not checked"
        yield Finding(text, state.name)
    later = any(number > (state.first_log or 0) for number in files.logs)
    if (
        state.first_log
        and state.is_whole
        and not (files.engine is PEBBLE and later)  # Pebble may skip a number
        and state.first_log not in files.logs
        and not (files.engine is not LEVELDB and not files.logs)  # a checkpoint has no logs
    ):
        yield Finding(
            f"log {state.first_log:06}, which it begins with, is missing: records written after"
            " the last table are lost",
            state.name,
            "look" if later else "lost",
        )
    unnamed = sorted(files.tables.keys() - state.tables.keys())
    newer = [number for number in unnamed if number >= state.next_file]
    if state.is_whole and newer:
        yield Finding(
            f"{counted(len(newer), 'table')} ({_listed(newer)}) with a number that it does not know"
            f" yet (next: {state.next_file}): written just before a crash, or its last edits are"
            " lost; the database deletes them",
            state.name,
        )


def _listed(numbers: Sequence[int]) -> str:
    names = ", ".join(f"{number:06}" for number in numbers[:MOST_NAMED])
    return f"{names} and {len(numbers) - MOST_NAMED} more" if len(numbers) > MOST_NAMED else names


def _wrong_tables(state: Manifest, files: Files) -> Iterator[Finding]:
    """Find tables with a wrong footer, or with a size that differs from the MANIFEST."""
    wrong = []
    for number, name in sorted(files.tables.items()):
        if number in state.tables or not state.is_whole:
            fault = wrong_table(files.folder / name, state.tables.get(number), state.name)
            if fault is not None:
                wrong.append((name, fault))
    for name, fault in wrong[:MOST_NAMED]:
        yield Finding(f"{fault}: the keys in it are lost", name, "lost")
    if len(wrong) > MOST_NAMED:
        text = f"{counted(len(wrong) - MOST_NAMED, 'more table')} of a wrong size or without footer"
        yield Finding(text, None, "lost")


def _are_tables_right(system: System) -> bool:
    state, files = system.facts["manifest"], system.facts["files"]
    return (
        not next(_wrong_tables(state, files), None) and state.tables.keys() <= files.tables.keys()
    )


def _wrong_options(files: Files) -> Iterator[Finding]:
    """Check the latest OPTIONS file: Pebble does not open a database if it cannot read the file."""
    if not files.options:
        return
    latest = files.options[max(files.options)]
    data = _head(files.folder / latest, 1 << 20)
    if b"[Version]" not in data or b"\0" in data or not data.endswith(b"\n"):
        found = f"{counted(len(data), 'byte')}, which start with {quoted(data[:16])}"
        expected = "expected options as text with a section [Version] and a newline at the end"
        text = f"{expected}, found {found}: the database does not load its options"
        yield Finding(text, latest, "lost")


def _unread(files: Files) -> Iterator[Finding]:
    """Find logs of Pebble's WAL failover: their order does not follow from their names."""
    for name in files.names:
        if re.fullmatch(r"\d{6,20}-\d+\.log", name):
            yield Finding("a log of Pebble's WAL failover: not read with the others", name)


def _repair_advice(state: Manifest, files: Files) -> Iterator[str]:
    """Yield the repair command of the engine, or a warning if the command would lose data."""
    engine, comparator = files.engine, state.comparator
    if comparator is None and files.folder.name.endswith(".indexeddb.leveldb"):
        comparator = "idb_cmp1"
    if engine.repair is None:
        yield f"{engine.name} has no repair: `pebble db check NEW` states what it can read."
        return
    repair = engine.repair.format("NEW")
    if files.blobs:
        count = counted(len(files.blobs), "blob file")
        yield f"Do not run {repair}: it deletes the {count}, and the values in them would be lost."
    elif comparator == BYTEWISE:
        yield f"{repair} makes a new MANIFEST from all tables and logs. Run it on a copy."
    elif comparator is not None:
        yield (
            f"Do not run {repair}: it would sort with {BYTEWISE}, and the database with comparator"
            f" {comparator} then refuses its files or loses keys."
        )
    else:
        yield (
            f"{repair} makes a new MANIFEST from all tables and logs, for {BYTEWISE}. No MANIFEST"
            " names the comparator here: with another one, as IndexedDB has, it would lose data."
        )


def _others(files: Files, live: set[str], state: Manifest) -> list[OtherFile]:
    roles = {name: "marker: its name is its content" for name in files.names
             if MARKER_NAME.fullmatch(name)} | ROLES  # fmt: skip
    for names, role in (
        (files.manifests, "a MANIFEST that is not the current one"),
        (files.logs, "obsolete log: its records are in tables"),
        (files.options, "options of the database"),
    ):
        roles |= dict.fromkeys(names.values(), role)
    for names, role, named in (
        (files.tables, "table", state.tables),
        (files.blobs, "blob file", state.blobs),
    ):
        for number, name in names.items():
            is_obsolete = state.is_whole and number < state.next_file and number not in named
            unnamed = " that the MANIFEST does not name: obsolete" if is_obsolete else ""
            roles[name] = f"{role}{unnamed}"
    known = f"{counted(len(state.tables), 'table')}, in {counted(state.edits, 'edit')}"
    roles[state.name] = f"which tables and logs there are: {known}"
    return [
        OtherFile(name, roles[name], size_of_all(files.folder / name))
        for name in files.names
        if name in roles and name not in live
    ]


SYSTEM_FOLDER = LevelDBFolder()
