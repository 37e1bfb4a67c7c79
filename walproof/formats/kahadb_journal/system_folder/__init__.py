"""Read ActiveMQ's KahaDB directories: message, scheduler and temporary stores.

Upstream authority: apache/activemq ``kahadb/MessageDatabase.java`` (replay of the journal without
an index), ``kahadb/scheduler/JobSchedulerStoreImpl.java`` (upgrade of a store from before 5.11),
``kahadb/plist/PListStoreImpl.java``, ``kahadb/MultiKahaDBTransactionStore.java``.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

from reference_impl.answer import Record
from reference_impl.formats import named
from reference_impl.kahadb_journal.layout import data_files, file_id
from walproof.formats.kahadb_journal.system_folder.index import Index, read_index
from walproof.lake.recognition import is_blank
from walproof.quantity import counted
from walproof.summary.model import Summary
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

FORMAT = "kahadb-journal"
#: Names of the index files, without the suffixes ``.data``, ``.redo`` and ``.free``.
MESSAGES, SCHEDULER, TEMPORARY = "db", "scheduleDB", "tmpDB"
INDEXES = (MESSAGES, SCHEDULER, TEMPORARY)
LEGACY = "legacy"
TITLES = {
    MESSAGES: ("ActiveMQ's message store (KahaDB)", "the journal: all that the broker stored"),
    SCHEDULER: ("ActiveMQ's scheduler store", "the journal: all changes of the scheduled jobs"),
    LEGACY: (
        "ActiveMQ's scheduler store from before 5.11",
        "the journal: the payloads of the jobs, and nothing else",
    ),
    TEMPORARY: (
        "ActiveMQ's temporary store (PList)",
        "the journal: messages that did not fit in memory; a broker deletes it at startup",
    ),
}
#: Titles of journals without an index, by the name of their folder.
FOLDERS = {
    "txStore": "ActiveMQ's transactions across stores (mKahaDB's txStore)",
    "data-archive": "ActiveMQ's archive of journal files that the broker no longer needs",
}
INDEX_ROLES = {
    MESSAGES: "index of the messages; a broker rebuilds it from the journal",
    SCHEDULER: "index of the jobs; a broker rebuilds it from the journal",
    LEGACY: "the jobs and the offsets of their payloads; it cannot be rebuilt",
    TEMPORARY: "index of the temporary messages",
}
ROLES = {
    ".redo": "index pages being written",
    ".free": "free pages of the index, written at shutdown",
}
OTHER_ROLES = {
    "lock": "lock held by the broker that uses the folder",
    "db-log.template": "template of new journal files",
}
#: Number of records that are read to detect whether a journal contains broker commands.
_FIRST_RECORDS = 8


class KahaDBFolder(SystemFolder):
    """See :class:`SystemFolder`."""

    def log_files(self, system: System) -> list[str]:
        """See :class:`SystemFolder`. Includes empty files and files with a duplicate number."""
        return sorted(
            path.name
            for path in system.folder.iterdir()
            if file_id(path.name) is not None and path.is_file()
        )

    def not_rewritten(self, system: System) -> str | None:
        """See :class:`SystemFolder`."""
        if system.facts["type"] == LEGACY:
            return f"{SCHEDULER}.data refers to job payloads by their offsets in this journal"
        return None

    def stale_files(self, system: System) -> list[str]:
        """See :class:`SystemFolder`. Returns the index files, unless the store is a legacy one."""
        if system.facts["type"] == LEGACY:
            return []
        return [
            name
            for suffix in (".data", *ROLES)
            if (system.folder / (name := f"{system.facts['index']}{suffix}")).is_file()
        ]

    def after_recovery(self, system: System) -> list[str]:
        """See :class:`SystemFolder`."""
        if system.facts["type"] == TEMPORARY:
            return ["A broker deletes this folder at startup, so no file here is needed."]
        if system.facts["type"] == LEGACY:
            return [
                "Start a broker on a copy. Since 5.11 it moves the store to legacySchedulerStore.",
                "If it cannot read a job payload, it fails, and later starts without jobs.",
            ]
        index = f"{system.facts['index']}.data"
        stale = self.stale_files(system)
        if any(finding.file in stale and finding.harm == "lost" for finding in system.findings):
            return [
                f"Move {_listed(stale)} out of NEW before a broker starts on it.",
                "A broker without an index replays the journal into a new one.",
            ]
        if index in stale:
            return [f"All pages of {index} that a broker needs were read."]
        text = (
            f"There is no {index}: a broker that starts on NEW replays the journal into a new one."
        )
        if system.facts["type"] == SCHEDULER:
            return [text]
        return [text, "With an indexDirectory, move the old index out of that folder first."]

    def recognise(self, folder: Path) -> System | None:
        """See :class:`SystemFolder`. A directory with an index and no journal is also a store."""
        names = {entry.name for entry in folder.iterdir() if entry.is_file()}
        parts = [(name, suffix) for suffix in (".data", *ROLES) for name in INDEXES]
        name = next((name for name, suffix in parts if f"{name}{suffix}" in names), None)
        has_index = name in (MESSAGES, SCHEDULER) and f"{name}.data" in names
        index = _read(folder, name) if has_index and name is not None else None
        if not named(FORMAT).recognise(folder) and not _is_index(name, names, index):
            return None
        store = name or MESSAGES
        if store == SCHEDULER and _is_legacy(folder, index):
            store = LEGACY
        title, role = TITLES[store]
        if name is None:
            title = FOLDERS.get(folder.name, title)
        return System(
            self,
            title,
            folder,
            FORMAT,
            (SystemLog(WHOLE, role),),
            list(_others(folder, names, store, name or MESSAGES)),
            list(_findings(folder, names, store, index)),
            {"type": store, "index": name or MESSAGES, "read": index},
        )

    def beyond(self, system: System, found: Summary) -> Iterator[Finding]:
        """See :class:`SystemFolder`. Finds lost records to which the index refers."""
        index: Index | None = system.facts["read"]
        is_readable = found.verdict in ("intact", "torn")
        if index is None or index.last_update is None or not is_readable:
            return
        number, offset = index.last_update
        if found.end is None or file_id(found.end_file or "") != number or offset < found.end:
            return
        yield Finding(
            f"the index has a record at {offset:,}, found the end of the journal at"
            f" {found.end:,}: the records between are lost",
            found.end_file,
            "lost" if index.is_clean else "look",
        )


def _read(folder: Path, name: str) -> Index:
    """Read an index. If its file cannot be opened, the error is the fault of the index."""
    try:
        return read_index(folder, name)
    except OSError as error:
        return Index({f"{name}.data": f"cannot be read: {error.strerror or error}"})


def _is_index(name: str | None, names: set[str], index: Index | None) -> bool:
    """Return whether a directory without a journal has an index, by content or file names."""
    if f"{name}.redo" in names and f"{name}.data" in names:
        return True
    return index is not None and not index.faults


def _is_legacy(folder: Path, index: Index | None) -> bool:
    """Return whether a scheduler store is from before 5.11, according to its index or journal."""
    if index is not None and index.is_legacy is not None:
        return index.is_legacy
    events = named(FORMAT).read(folder, "recover", {})
    records = (event for event in events if isinstance(event, Record))
    first = list(itertools.islice(records, _FIRST_RECORDS))
    return bool(first) and not any("command" in record.fields for record in first)


def _others(folder: Path, names: set[str], store: str, index: str) -> Iterator[OtherFile]:
    roles = {f"{index}.data": INDEX_ROLES[store], **OTHER_ROLES}
    roles |= {f"{index}{suffix}": role for suffix, role in ROLES.items()}
    for name in sorted(names):
        if name in roles:
            yield OtherFile(name, roles[name], size_of_all(folder / name))


def _findings(folder: Path, names: set[str], store: str, index: Index | None) -> Iterator[Finding]:
    files, _ = data_files(folder)
    if store == TEMPORARY:
        yield Finding("a broker deletes this store at startup", None, "none")
        return
    if index is not None:
        yield from _of_index(store, index)
    elif store == LEGACY:
        text = f"expected {SCHEDULER}.data with the jobs, found no file: all jobs are lost"
        yield Finding(text, None, "lost")
    if not files and index is not None:
        yield Finding(
            "expected db-<number>.log with records, found none: the journal is gone, unless it is"
            " in another folder (indexDirectory). The index itself contains no messages",
            None,
            "lost",
        )
        return
    numbers = {number for name in files if (number := file_id(name)) is not None}
    empty = {number for name in names if (number := file_id(name)) is not None} - numbers
    for number in sorted(empty):
        if number < max(numbers, default=number):
            text = "expected a batch of records at 0, found an empty file: its records are lost"
            yield Finding(text, f"db-{number}.log", "lost")
    if index is not None and index.last_update is not None:
        blank = {file_id(name) for name in files if is_blank(folder / name)}
        name = MESSAGES if store == MESSAGES else SCHEDULER
        yield from _missing_for(index, name, numbers - blank)
    if folder.name not in FOLDERS:
        yield from _missing(numbers | empty, index)


def _of_index(store: str, index: Index) -> Iterator[Finding]:
    consequence = {
        MESSAGES: ". With it, a broker may deliver fewer messages and delete their journal files",
        SCHEDULER: ". A broker may start without jobs, or move all files to legacySchedulerStore",
        LEGACY: ". The jobs in the damaged part are lost",
    }[store]
    for name, fault in index.faults.items():
        yield Finding(f"{fault}{consequence * name.endswith('.data')}", name, "lost")


def _missing_for(index: Index, name: str, numbers: set[int]) -> Iterator[Finding]:
    """Find missing or empty data files to which an index refers."""
    assert index.last_update is not None
    lost = {number: count for number, count in index.messages.items() if number not in numbers}
    number, offset = index.last_update
    if lost:
        text = f"refers to {counted(sum(lost.values()), 'message')} in"
        text += f" {_listed([f'db-{number}.log' for number in sorted(lost)])}"
    elif number not in numbers:
        text = f"refers to a record at {offset:,} in db-{number}.log"
    else:
        return
    text += ", found no such file with records: they are lost, and no broker starts with this"
    text += " index"
    yield Finding(text, f"{name}.data", "lost")


def _missing(numbers: set[int], index: Index | None) -> Iterator[Finding]:
    """Find gaps in the numbers of data files.

    A gap may be normal, because a broker deletes files that it no longer needs.
    """
    missing = list(gaps(numbers))
    if not missing:
        return
    count = sum(end - begin + 1 for begin, end in missing)
    first, last = missing[0][0], missing[-1][1]
    if index and not index.faults and index.is_legacy is None and index.last_update:
        is_needed = index.messages.keys() - numbers or last >= index.last_update[0]
        if not is_needed:
            return
    between = f"db-{first}.log" + (f" to db-{last}.log" if count > 1 else "")
    text = f"{count} of the journal's files {'is' if count == 1 else 'are'} not there ({between}):"
    text += " a broker deletes files that it no longer needs; if it did not, their records are lost"
    yield Finding(text)


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


SYSTEM_FOLDER = KahaDBFolder()
