"""Read directories of systemd journals of one or several hosts, merged as journalctl does.

Upstream authority: systemd ``src/libsystemd/sd-journal/sd-journal.c`` (``compare_locations``,
``next_beyond_location``, ``add_root_directory``, ``file_type_wanted``), ``journal-file.c``
(``journal_file_open``, ``journal_file_fss_load``).
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from reference_impl.answer import End, Event, Lost
from reference_impl.formats import UnknownFormat, detect
from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal import recognise as recognise_file
from reference_impl.systemd_journal.layout import Header, parse_header
from reference_impl.systemd_journal.objects import Entry
from walproof.formats.systemd_journal.query.journal_file import JournalEntry, JournalFile
from walproof.formats.systemd_journal.system_folder.boots import Boots
from walproof.formats.systemd_journal.system_folder.merge import Newest, merged
from walproof.lake.recognition import is_blank
from walproof.quantity import counted, moment
from walproof.quoted import quoted
from walproof.summary.lost_bytes import last_byte_end
from walproof.summary.model import Summary
from walproof.systems.model import (
    Finding,
    OtherFile,
    ReadLog,
    System,
    SystemFolder,
    SystemLog,
    by_specification,
)

FORMAT = "systemd-journal"
SUFFIXES = (".journal", ".journal~")
#: Name of the directory of a machine, with or without a namespace.
MACHINE = re.compile(r"[0-9a-f]{32}(\..+)?|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
BESIDE = {"fss": "the current sealing key", "fss.tmp": "an unfinished sealing key"}
#: File names used by journald and journal-remote.
OF_JOURNALD = re.compile(r"(system|user-\d+|remote(-.+)?)(@[0-9a-f-]+)?\.journal~?")
_PACKED = re.compile(r".+\.journal~?\.\w+")
_ARCHIVED = re.compile(r".+@[0-9a-f-]+\.journal")
HEADER = 512


@dataclass(frozen=True)
class Held:
    """A journal file in a directory, with its parsed header."""

    name: str
    #: None if the header cannot be read.
    header: Header | None
    #: Reason why the file cannot be opened.
    fault: str | None = None


class SystemdFolder(SystemFolder):
    """See :class:`SystemFolder`."""

    def recognise(self, folder: Path) -> System | None:
        """Recognise the directory by a file name of journald, or by the header of a journal."""
        locations = [folder]
        for path in sorted(folder.iterdir()):
            if path.is_dir() and MACHINE.fullmatch(path.name):
                locations.append(path)
        merged_folders = {place.resolve() for place in locations}
        beside: list[Path] = []
        held: list[Held] = []
        subfolders: list[Path] = []
        for place in locations:
            for entry in sorted(place.iterdir()):
                # A dangling link may have pointed to a journal, so it is listed as a file that
                # cannot be opened. Pipes are skipped, because opening a pipe would block.
                may_be_read = entry.is_file() or not entry.exists()
                if entry.name.endswith(SUFFIXES) and may_be_read:
                    held.append(_held_at(entry, entry.relative_to(folder).as_posix()))
                elif entry.is_file() and not entry.name.startswith("."):
                    beside.append(entry)
                elif entry.is_dir() and entry.resolve() not in merged_folders:
                    subfolders.append(entry)
        headers = [each.header for each in held if each.header]
        if not any(OF_JOURNALD.fullmatch(Path(each.name).name) for each in held) and (
            not headers or any(map(_is_another_log, beside))
        ):
            return None
        held.sort(
            key=lambda each: (each.header.head_entry_realtime if each.header else 0, each.name)
        )
        # Other files and folders are inspected only now, after the directory has been recognised,
        # because any directory may contain a million files.
        others = [
            OtherFile(
                path.relative_to(folder).as_posix(), _role_of_other(path), path.stat().st_size
            )
            for path in beside
        ]
        findings = [*_findings(folder, held)]
        for subfolder in subfolders:
            findings += _unmerged_folder(subfolder, subfolder.relative_to(folder).as_posix())
        hosts = len({header.machine_id for header in headers})
        of_hosts = {0: "", 1: " of one host"}.get(hosts, f" of {hosts} hosts")
        logs = [SystemLog(each.name, _role(each)) for each in held]
        return System(self, f"systemd, journals{of_hosts}", folder, FORMAT, logs, others, findings)

    def of_log(self, system: System, log: SystemLog, found: Summary) -> Iterator[Finding]:
        """See :class:`SystemFolder`. The header contains the expected number of entries."""
        header = _held_at(system.path(log), log.name).header
        if header is not None and found.records < header.n_entries:
            gone = counted(header.n_entries - found.records, "entry")
            text = f"its header counts {header.n_entries:,} entries, {found.records:,} are here"
            yield Finding(f"{text}: {gone} cannot be read any more", log.name, "lost")

    def written_end(self, log: Path) -> int | None:
        """Return the end of the last written byte, or None if the header is not reliable."""
        header = _held_at(log, log.name).header
        if header is None or log.stat().st_size < header.header_size + header.arena_size:
            return None
        end = last_byte_end(log)
        return end if 0 < header.tail_object_offset < end else None

    def observer(self, system: System) -> Boots:
        """See :class:`SystemFolder`. The observer lists the boots."""
        return Boots()

    def read(
        self,
        system: System,
        profile: str,
        context: Mapping[str, Any],
        read_log: ReadLog = by_specification,
    ) -> Iterator[Event]:
        """Yield the entries of all files, merged as journalctl does. ``read_log`` is not used."""
        paths = [(log.name, system.path(log)) for log in system.logs]
        for event in merge_files(paths, profile, context):
            if isinstance(event, JournalEntry):
                yield replace(event.record(), file=event.file.name)
            else:
                yield event


def merge_files(
    paths: Sequence[tuple[str, Path]], profile: str = "recover", context: Mapping[str, Any] = {}
) -> Iterator[JournalEntry | Lost | End]:
    """Yield the entries of several files in journalctl's order, then lost ranges and one ``End``.

    ``paths`` contains the display name and the path of each file. A file that cannot be opened is
    skipped. Raises ``OSError`` and ``BadKey``.
    """
    held = [_held_at(path, name) for name, path in paths]
    by_name = dict(paths)
    chains = [
        [partial(JournalFile, name, by_name[name], profile, context) for name in chain]
        for chain in _chains([each for each in held if each.fault is None])
    ]
    return merged(chains, boot_times(paths))


def boot_times(paths: Sequence[tuple[str, Path]]) -> dict[bytes, Newest]:
    """Return, for each boot, the newest entry that is the last entry of a file.

    The merge orders boots by the times of these entries.
    """
    boots: dict[bytes, Newest] = {}
    for name, path in paths:
        each = _held_at(path, name)
        if each.header is None:
            continue
        with contextlib.suppress(OSError):
            if (tail := _tail_entry(path, each.header)) is None:
                continue
            known = boots.get(tail.boot_id)
            if known is None or known.realtime < tail.realtime:
                boots[tail.boot_id] = Newest(each.header.machine_id, tail.realtime)
    return boots


def _tail_entry(path: Path, header: Header) -> Entry | None:
    """Return the last entry in the main chain of a file, or None if there is none."""
    slots, at, before = b"", header.entry_array_offset, 0
    width = header.slot_size
    with path.open("rb") as file:
        while at > before:
            file.seek(at)
            fixed = file.read(layout.FIXED_SIZE[layout.ENTRY_ARRAY])
            if len(fixed) < layout.FIXED_SIZE[layout.ENTRY_ARRAY]:
                break
            kind, _, size = layout.OBJECT_HEADER.unpack_from(fixed)
            if kind != layout.ENTRY_ARRAY or size > path.stat().st_size:
                break
            body = file.read(size - len(fixed))
            slots = body if any(body) else slots
            before, at = at, int.from_bytes(fixed[layout.OBJECT_SIZE :], "little")
        last = len(slots.rstrip(b"\0")) + width - 1
        place = int.from_bytes(slots[last // width * width - width :][:width], "little")
        file.seek(place)
        entry = file.read(layout.FIXED_SIZE[layout.ENTRY])
    if len(entry) < layout.FIXED_SIZE[layout.ENTRY] or entry[0] != layout.ENTRY:
        return None
    return Entry(*layout.ENTRY_FIXED.unpack_from(entry, layout.OBJECT_SIZE))


def _held_at(path: Path, name: str) -> Held:
    try:
        with path.open("rb") as file:
            head = file.read(HEADER)
    except OSError as error:
        return Held(name, None, error.strerror or str(error))
    if len(head) < layout.HEADER_MIN or head[:8] != layout.SIGNATURE:
        return Held(name, None)
    return Held(name, parse_header(head))


def _role_of_other(path: Path) -> str:
    if path.name in BESIDE:
        return BESIDE[path.name]
    if _PACKED.fullmatch(path.name):
        return "a compressed journal, not read with the others"
    with contextlib.suppress(OSError):  # no permission to read it
        if recognise_file(path):
            return "a journal under a name that journalctl does not read"
    return "not a systemd file"


def _is_another_log(path: Path) -> bool:
    try:
        return path.name not in BESIDE and detect(path).id != FORMAT
    except (UnknownFormat, OSError):
        return False


def _unmerged_folder(folder: Path, name: str) -> Iterator[Finding]:
    files = [
        path
        for path in folder.rglob("*")
        if (path.name.endswith(SUFFIXES) or _PACKED.fullmatch(path.name)) and path.is_file()
    ]
    if files:
        them = "it" if len(files) == 1 else "them"
        text = f"{counted(len(files), 'journal file')} in this folder: journalctl does not merge"
        yield Finding(f"{text} {them} with the others, nor do read and export", name)


def _shown(path: Path) -> str:
    size = path.stat().st_size
    if size == 0:
        return "an empty file"
    if is_blank(path):
        return f"{size:,} zeros"
    with path.open("rb") as file:
        head = file.read(16)
    return quoted(head.partition(b"\n")[0] or head)


def _chains(held: Sequence[Held]) -> list[list[str]]:
    chains: list[tuple[bytes, int, list[str]]] = []
    for each in sorted(held, key=lambda each: each.header.head_entry_seqnum if each.header else 0):
        header = each.header
        source = header.seqnum_id if header else each.name.encode()
        low = header.head_entry_seqnum if header else 0
        high = header.tail_entry_seqnum if header else 0
        for number, (first_source, last, names) in enumerate(chains):
            if first_source == source and last < low <= high:
                chains[number] = (first_source, high, [*names, each.name])
                break
        else:
            chains.append((source, high, [each.name]))
    return [names for _, _, names in chains]


def _role(held: Held) -> str:
    if held.name.endswith("~"):
        state = "set aside: not closed cleanly, or damaged"
    elif _ARCHIVED.fullmatch(held.name):
        state = "archived"
    else:
        is_online = held.header is not None and held.header.state == layout.ONLINE
        state = "in use when it was copied" if is_online else "current"
    since = moment(held.header.head_entry_realtime) if held.header and held.header.n_entries else ""
    return f"{state}; from {since}" if since else state


def _fault_of(path: Path) -> str:
    if recognise_file(path):
        expected, content = f"a header of {layout.HEADER_MIN} bytes", f"{path.stat().st_size} bytes"
    else:
        expected, content = "a journal (LPKSHHRH)", _shown(path)
    return f"expected {expected} at 0, found {content}: its entries are lost"


def _findings(folder: Path, held: Sequence[Held]) -> Iterator[Finding]:
    spans: dict[bytes, list[tuple[int, int]]] = {}
    for each in held:
        if each.fault is not None:
            yield Finding(f"cannot be read: {each.fault}", each.name)
        elif each.header is None:
            yield Finding(_fault_of(folder / each.name), each.name, "lost")
            continue
        else:
            claimed = each.header.header_size + each.header.arena_size
            if (size := (folder / each.name).stat().st_size) < claimed:
                text = f"expected {claimed:,} bytes according to its header, found {size:,}"
                yield Finding(f"{text}: journalctl ignores the whole file", each.name, "lost")
        if each.header is not None and each.header.n_entries:
            span = (each.header.head_entry_seqnum, each.header.tail_entry_seqnum)
            spans.setdefault(each.header.seqnum_id, []).append(span)
    for ranges in spans.values():
        reached = min(ranges)[1]
        for low, high in sorted(ranges):
            if low > reached + 1:
                missing = low - reached - 1
                yield Finding(
                    f"{counted(missing, 'entry')}, numbers"
                    f" {reached + 1} to {low - 1}, are missing: a file was deleted or lost, or"
                    " the journal of a user was not copied"
                )
            reached = max(reached, high)


SYSTEM_FOLDER = SystemdFolder()
