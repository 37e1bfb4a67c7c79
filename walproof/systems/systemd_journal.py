"""A folder of systemd journals: the files of a host, or of several, merged as journalctl does.

Upstream authority: systemd ``src/libsystemd/sd-journal/sd-journal.c`` (``compare_locations``,
``next_beyond_location``, ``add_root_directory``, ``file_type_wanted``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reference_impl.answer import Event
from reference_impl.systemd_journal import layout, read
from reference_impl.systemd_journal.layout import Header, parse_header
from walproof.quantity import counted, moment
from walproof.summary.model import Summary
from walproof.systems.model import Finding, Kind, OtherFile, System, SystemLog
from walproof.systems.systemd_boots import Boots
from walproof.systems.systemd_merge import merged

FORMAT = "systemd-journal"
SUFFIXES = (".journal", ".journal~")
MACHINE = re.compile(r"[0-9a-f]{32}(\..+)?|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""A folder of one machine, with its namespace if it has one."""
BESIDE = {"fss": "the key that seals the journal of today", "fss.tmp": "a key that was being made"}
_ARCHIVED = re.compile(r"(?P<source>.+)@(?P<rest>[0-9a-f-]+)\.journal(?P<aside>~?)")
HEADER = 512


@dataclass(frozen=True)
class Held:
    """A journal file of a folder, and its header; None where there is none to read.

    ``fault`` says why a file cannot be opened.
    """

    name: str
    header: Header | None
    fault: str | None = None

    @property
    def first(self) -> tuple[int, str]:
        """What puts files in order: the time of the first entry, then the name."""
        return (self.header.head_entry_realtime if self.header else 0, self.name)


class Journals(Kind):
    """See :class:`Kind`."""

    def recognise(self, folder: Path) -> System | None:
        """See :class:`Kind`. Files of another kind in the folder make it none of systemd's."""
        places = [folder]
        others = []
        names: list[str] = []
        for entry in sorted(folder.iterdir()):
            if entry.is_dir() and MACHINE.fullmatch(entry.name):
                places.append(entry)
        for place in places:
            for entry in sorted(place.iterdir()):
                name = entry.relative_to(folder).as_posix()
                # A link to nowhere may have been a journal; to open a pipe would wait for a writer.
                may_be_read = entry.is_file() or not entry.exists()
                if entry.name.endswith(SUFFIXES) and may_be_read:
                    names.append(name)
                elif entry.name in BESIDE and entry.is_file():
                    others.append(OtherFile(name, BESIDE[entry.name], entry.stat().st_size, True))
                elif entry.is_file() and not entry.name.startswith("."):
                    return None
        held = sorted((_held(folder, name) for name in names), key=_first)
        if not any(one.header for one in held):
            return None
        machines = {one.header.machine_id for one in held if one.header}
        title = "journals of one host" if len(machines) == 1 else "journals"
        if len(machines) > 1:
            title = f"journals of {len(machines)} hosts"
        logs = [SystemLog(one.name, _role(one)) for one in held]
        findings = list(_findings(held))
        return System(self, f"systemd, {title}", folder, FORMAT, logs, others, findings)

    def of_log(self, system: System, log: SystemLog, found: Summary) -> Iterator[Finding]:
        """See :class:`Kind`: a file counts its entries, also those in a part that was cut off."""
        header = _held(system.folder, log.name).header
        if header is not None and found.records < header.n_entries:
            gone = counted(header.n_entries - found.records, "entry")
            text = f"its header counts {header.n_entries:,} entries, {found.records:,} are here"
            yield Finding(f"{text}: {gone} cannot be read any more", log.name, "lost")

    def observer(self, system: System) -> Boots:
        """See :class:`Kind`: the boots."""
        return Boots()

    def read(self, system: System, profile: str, context: Mapping[str, Any]) -> Iterator[Event]:
        """See :class:`Kind`: the entries of all files as journalctl merges them."""
        held = [_held(system.folder, log.name) for log in system.logs]
        sources = [
            [(one, lambda path=system.folder / one: read(path, profile, context)) for one in chain]
            for chain in _chains([one for one in held if one.fault is None])
        ]
        return merged(sources)


def _first(one: Held) -> tuple[int, str]:
    return one.first


def _held(folder: Path, name: str) -> Held:
    try:
        with (folder / name).open("rb") as file:
            head = file.read(HEADER)
    except OSError as error:
        return Held(name, None, error.strerror or str(error))
    if len(head) < layout.HEADER_MIN or head[:8] != layout.SIGNATURE:
        return Held(name, None)
    return Held(name, parse_header(head))


def _chains(held: Sequence[Held]) -> list[list[str]]:
    """Files that follow each other, going by their headers: all numbers of one are below the next.

    Only one file of a chain is in memory at a time.
    """
    chains: list[tuple[bytes, int, list[str]]] = []
    for one in sorted(held, key=lambda one: one.header.head_entry_seqnum if one.header else 0):
        header = one.header
        source = header.seqnum_id if header else one.name.encode()
        low = header.head_entry_seqnum if header else 0
        high = header.tail_entry_seqnum if header else 0
        for number, (whose, last, names) in enumerate(chains):
            if whose == source and last < low <= high:
                chains[number] = (whose, high, [*names, one.name])
                break
        else:
            chains.append((source, high, [one.name]))
    return [names for _, _, names in chains]


def _role(one: Held) -> str:
    """Whose file it is, and whether it is still written to."""
    name = one.name.rpartition("/")[2]
    match = _ARCHIVED.fullmatch(name)
    source = match["source"] if match else re.sub(r"\.journal~?$", "", name)
    user = re.fullmatch(r"user-(\d+)", source)
    whose = "the system" if source == "system" else f"user {user[1]}" if user else source
    if name.endswith("~"):
        state = ", put aside: it was not closed, or was damaged"
    elif match:
        state = ", archived"
    else:
        is_online = one.header is not None and one.header.state == layout.ONLINE
        state = ", in use when it was copied" if is_online else ""
    since = moment(one.header.head_entry_realtime) if one.header and one.header.n_entries else ""
    return f"{whose}{state}{f'; from {since}' if since else ''}"


def _findings(held: Sequence[Held]) -> Iterator[Finding]:
    spans: dict[bytes, list[tuple[int, int]]] = {}
    for one in held:
        if one.fault is not None:
            yield Finding(f"it cannot be read: {one.fault}", one.name)
        elif one.header is None:
            yield Finding("no journal file: it does not begin as one", one.name)
        elif one.header.n_entries:
            span = (one.header.head_entry_seqnum, one.header.tail_entry_seqnum)
            spans.setdefault(one.header.seqnum_id, []).append(span)
    for found in spans.values():
        reached = min(found)[1]
        for low, high in sorted(found):
            if low > reached + 1:
                missing = low - reached - 1
                yield Finding(
                    f"{counted(missing, 'entry')}, numbers"
                    f" {reached + 1} to {low - 1}, are in no file here: one was deleted or lost, or"
                    " is a user's that was not copied"
                )
            reached = max(reached, high)


KIND = Journals()
