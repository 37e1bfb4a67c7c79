"""Read the files of a SQLite database: ``NAME``, ``NAME-wal``, ``NAME-shm``, ``NAME-journal``.

Upstream authority: sqlite/sqlite ``src/wal.c``, ``src/pager.c`` (``pagerOpenWalIfPresent``,
``hasJournal``, ``sqlite3PagerClose``); sqlite.org ``fileformat2.html`` section 1.3.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from reference_impl.answer import Record
from reference_impl.sqlite_wal import read, recognise
from reference_impl.sqlite_wal.layout import (
    FRAME_HEADER_SIZE,
    HEADER_SIZE,
    ROLLBACK_JOURNAL,
    Slots,
)
from reference_impl.sqlite_wal.opening import NoHeader, Opening, Refused, open_log
from walproof.decode.fault import Undecodable
from walproof.formats.sqlite_wal.pages import (
    DB_HEADER_SIZE,
    DatabaseHeader,
    images_of,
    page_size_of,
    parse_page,
    record_values,
)
from walproof.formats.sqlite_wal.wal_index import WalIndex
from walproof.quantity import counted
from walproof.quoted import quoted
from walproof.summary.model import Summary
from walproof.systems.model import Finding, OtherFile, System, SystemFolder, SystemLog, size_of_all

LOG, INDEX, JOURNAL = "-wal", "-shm", "-journal"
_MODES = {None: "of an unknown mode", True: "WAL mode", False: "rollback mode"}
_COPY_FIRST = "Copy {0}, {0}-wal and {0}-shm first, and open only copies"


@dataclass(frozen=True)
class Database:
    """The files of a database; ``header`` is None if the file is missing or not a database."""

    folder: Path
    name: str
    header: DatabaseHeader | None

    @classmethod
    def at(cls, path: Path) -> Database:
        """Read the header of a database. Raises ``OSError``."""
        head = _head(path, DB_HEADER_SIZE) if path.is_file() else b""
        return cls(path.parent, path.name, DatabaseHeader.of(head))

    def path(self, suffix: str = "") -> Path:
        """Return the path of the database, or of the file beside it with this suffix."""
        return self.folder / f"{self.name}{suffix}"

    @property
    def is_one(self) -> bool:
        """Return whether a database or a valid log exists, and another of its files beside it."""
        log = self.path(LOG)
        if self.header is not None:
            return log.is_file() or self.path(INDEX).is_file() or self.has_hot_journal
        others = (self.path(suffix) for suffix in ("", INDEX, JOURNAL))
        is_log = log.is_file() and log.stat().st_size > 0 and recognise(log)
        return is_log and any(path.is_file() for path in others)

    @property
    def has_hot_journal(self) -> bool:
        """Return whether there is a rollback journal that SQLite plays back."""
        journal = self.path(JOURNAL)
        return journal.is_file() and _head(journal, len(ROLLBACK_JOURNAL)) == ROLLBACK_JOURNAL


class SQLiteFolder(SystemFolder):
    """All databases of a folder as one system. See :class:`SystemFolder`."""

    format = "sqlite-wal"

    def recognise(self, folder: Path) -> System | None:
        """See :class:`SystemFolder`."""
        ends = (LOG, INDEX, JOURNAL)
        files = [path.name for path in folder.iterdir() if path.name.endswith(ends)]
        names = {name.rpartition("-")[0] for name in files} - {""}
        databases = [
            each for each in map(Database.at, map(folder.joinpath, sorted(names))) if each.is_one
        ]
        if not databases:
            return None
        title = "SQLite database" if len(databases) == 1 else "SQLite databases"
        return System(
            self,
            title,
            folder,
            self.format,
            [
                SystemLog(each.path(LOG).name, f"log of {each.name}")
                for each in databases
                if each.path(LOG).is_file()
            ],
            [other for each in databases for other in _others(each)],
            [finding for each in databases for finding in _findings(each)],
            {"databases": {each.path(LOG).name: each for each in databases}},
        )

    def of_log(self, system: System, log: SystemLog, found: Summary) -> Iterator[Finding]:
        """See :class:`SystemFolder`."""
        database = system.facts["databases"][log.name]
        path = system.path(log)
        opening = _open(path)
        if opening is not None:
            yield from _of_index(database, opening, found)
            yield from _of_page_1(database, opening)
        yield from _of_opening(database, found)

    def log_of(self, path: Path) -> Path | None:
        """See :class:`SystemFolder`. The log of a database ``NAME`` is ``NAME-wal``."""
        database = Database.at(path)
        log = database.path(LOG)
        return log if database.header is not None and log.is_file() else None

    def is_evidence(self, record: Record) -> bool:
        """See :class:`SystemFolder`. Transactions after a loss are only evidence (SQW-039)."""
        return bool(record.fields.get("after_loss"))

    def stale_files(self, system: System) -> Sequence[str]:
        """See :class:`SystemFolder`. Returns the index files of the logs."""
        databases: Mapping[str, Database] = system.facts["databases"]
        return [each.path(INDEX).name for each in databases.values() if each.path(INDEX).is_file()]

    def after_recovery(self, system: System) -> Sequence[str]:
        """See :class:`SystemFolder`."""
        advice = []
        for database in system.facts["databases"].values():
            header, opening = database.header, _open(database.path(LOG))
            if header is None or opening is None or header.page_size != opening.page_size:
                continue
            advice.append(
                f"Checked: the header of {database.name}, its page size, and each frame of its log."
                f" SQLite opens {database.name}; its pages were not read:"
                " run `PRAGMA integrity_check` on a copy."
            )
        return advice

    def apply(self, path: Path, records: Sequence[Record], new: BinaryIO) -> None:
        """See :class:`SystemFolder`. Only the database size of the last transaction counts."""
        header = Database.at(path).header
        with path.open("rb") as old:
            shutil.copyfileobj(old, new)
        if not records:
            return
        page_size = page_size_of(records[-1])
        if header is not None and header.page_size != page_size:
            raise ValueError(_page_sizes(header, page_size))
        db_pages = records[-1].fields["db_pages"]
        # SQLite 3.39.4 has the same limit (``walCheckpoint``).
        grown = new.tell() + (1 << 16) + sum(record.size for record in records)
        if db_pages * page_size > grown:
            raise ValueError(
                f"the last transaction sets a size of {db_pages:,} pages of {page_size:,}"
                f" bytes; database and log have {grown:,} bytes"
            )
        for record in records:
            for number, image in images_of(record):
                if number <= db_pages:
                    new.seek((number - 1) * page_size)
                    new.write(image)
        new.truncate(db_pages * page_size)


def _open(log: Path) -> Opening | None:
    """Return the parameters of a log; None if they cannot be determined. Raises ``OSError``."""
    if not log.is_file() or log.stat().st_size < HEADER_SIZE:
        return None
    with log.open("rb") as file:
        try:
            return open_log(file, log.stat().st_size)
        except (Refused, NoHeader):
            return None


def _others(database: Database) -> Iterator[OtherFile]:
    path = database.path()
    if path.is_file():
        role = "not a SQLite database"
        if (header := database.header) is not None:
            pages = counted(path.stat().st_size // (header.page_size or 1), "page")
            role = f"database: {pages} of {header.page_size:,} bytes, {_MODES[header.is_wal]}"
        yield OtherFile(path.name, role, path.stat().st_size)
    for suffix, role in ((INDEX, "index of the log"), (JOURNAL, "rollback journal")):
        if (path := database.path(suffix)).is_file():
            yield OtherFile(path.name, role, size_of_all(path))


def _page_sizes(header: DatabaseHeader, page_size: int) -> str:
    return (
        f"the database has pages of {header.page_size:,} bytes, its log of {page_size:,}:"
        " the log is of another database"
    )


def _findings(database: Database) -> Iterator[Finding]:
    log, path = database.path(LOG), database.path()
    size = path.stat().st_size if path.is_file() else None
    if not log.is_file():
        yield from _missing_log(database)
        if database.has_hot_journal:
            text = "a rollback journal with the old content of pages: SQLite undoes an unfinished"
            text += f" transaction when it opens {path.name}, and deletes the journal. Copy both"
            yield Finding(f"{text} first, and open only copies", f"{path.name}{JOURNAL}")
        return
    if not size:
        found = "none" if size is None else "an empty file"
        text = f"expected the database {path.name} beside its log, found {found}"
        end = "SQLite deletes the log unread when it opens this name"
        yield Finding(f"{text}: {end}. {_COPY_FIRST.format(path.name)}", path.name, "lost")
        return
    if database.header is None:
        found = quoted(_head(path, 16))
        text = f"expected the header of a SQLite database at 0, found {found}"
        yield Finding(f"{text}: it is encrypted or damaged", path.name)
        return
    if database.header.is_wal is not True:
        mode = _MODES[database.header.is_wal]
        text = f"expected a database in WAL mode beside a log, found one {mode}"
        ignored = ": SQLite applies the log nevertheless" if mode == _MODES[False] else ""
        yield Finding(f"{text}{ignored}", path.name)
    opening = _open(log)
    if opening is not None and opening.page_size != database.header.page_size:
        yield Finding(_page_sizes(database.header, opening.page_size), log.name)
    if database.has_hot_journal:
        text = "a rollback journal: SQLite plays it back before it reads the log"
        yield Finding(f"{text}. {_COPY_FIRST.format(path.name)}", f"{path.name}{JOURNAL}")


def _head(path: Path, size: int) -> bytes:
    with path.open("rb") as file:
        return file.read(size)


def _missing_log(database: Database) -> Iterator[Finding]:
    index = WalIndex.of(database.path(INDEX))
    if index is None or index.backfilled >= index.frames:
        return
    missing = counted(index.frames - index.backfilled, "frame")
    text = f"its index counts {index.frames:,} frames of a log, and {database.name}{LOG} is missing"
    yield Finding(
        f"{text}: {missing} that no checkpoint has copied are lost",
        f"{database.name}{INDEX}",
        "lost",
    )


def _of_index(database: Database, opening: Opening, found: Summary) -> Iterator[Finding]:
    """Compare the log with the index that a crashed program left."""
    path = database.path(INDEX)
    index = WalIndex.of(path)
    if index is None:
        return
    is_of_log = (index.page_size, index.salts) == (opening.page_size, opening.salts)
    if is_of_log and found.end is not None:
        frames = (found.end - HEADER_SIZE) // (FRAME_HEADER_SIZE + opening.page_size)
        if index.frames > frames:
            text = f"it counts {index.frames:,} committed frames, the log has {frames:,}"
            more = "newer transactions are lost, or a program is writing to the log"
            yield Finding(f"{text}: {more}", path.name, "lost")


def _of_page_1(database: Database, opening: Opening) -> Iterator[Finding]:
    log, header = database.path(LOG), database.header
    if header is None or header.page_size != opening.page_size:
        return
    images = [*_images_of_page_1(log, opening)]
    headers = [each for image in images if (each := DatabaseHeader.of(image)) is not None]
    if not headers:
        return
    page = _head(database.path(), opening.page_size)
    if (ours := _tables(page)) and (theirs := _tables(images[0])) and not ours & theirs:
        names = f"{_list(ours)} in the database, {_list(theirs)} in the log"
        text = f"no table is in both: {names}: the log is of another database, or of another time"
        yield Finding(text, log.name)
    elif header.change_counter > headers[-1].change_counter:
        text = f"the database has change counter {header.change_counter:,}, the log ends at"
        text += f" {headers[-1].change_counter:,}: the database is newer than its log"
        yield Finding(f"{text}, and SQLite would take it back to an older state", log.name)


def _images_of_page_1(log: Path, opening: Opening) -> Iterator[bytes]:
    """Yield the first and the last image of page 1 in this generation."""
    with log.open("rb") as file:
        slots = Slots(file, log.stat().st_size, opening.page_size)
        numbers = [
            number
            for number in range(1, slots.count + 1)
            if (frame := slots.header(number)).page == 1 and frame.has_salts(opening.salts)
        ]
        for number in numbers[:1] + numbers[-1:]:
            yield slots.data(number)[FRAME_HEADER_SIZE:]


def _tables(page: bytes) -> set[str]:
    """Return the names of tables on page 1; none if the schema has more pages."""
    header = DatabaseHeader.of(page)
    assert header is not None
    names = set()
    try:
        for cell in parse_page(page, 1, header.reserved).cells:
            values, _ = record_values(cell.local, header.encoding, 5)
            match values:
                case ["table", str(name), *_]:
                    names.add(name)
    except Undecodable:
        return set()
    return names


def _list(names: set[str]) -> str:
    return ", ".join(sorted(names)[:3]) + (", …" if len(names) > 3 else "")


def _of_opening(database: Database, found: Summary) -> Iterator[Finding]:
    """Describe the effect of a program that opens the database, reads a row and closes it."""
    log = database.path(LOG)
    if found.reason == "bad-version":
        yield Finding("SQLite cannot open a database beside a log of another version", log.name)
        return
    deletes = f"deletes {log.name}"
    if found.verdict == "intact":
        if found.records:
            closes = f"the last program that closes {database.name}"
            yield Finding(f"{closes} copies the log into it, and {deletes}", log.name, "none")
        return
    survive = sum(isinstance(event, Record) for event in read(log, "strict", {}))
    lost = f"and {deletes} with all that follows the fault"
    if found.verdict == "damaged":
        shown = f"recovers {survive:,} of {counted(found.records, 'transaction')}"
    elif found.verdict == "torn":
        shown, lost = f"recovers {counted(survive, 'transaction')}", f"and {deletes}"
    else:
        shown, lost = "ignores this file", f"and {deletes}"
    harm: Any = "none" if found.verdict == "torn" else "look"
    text = f"a program that opens {database.name}, reads one row and closes it {shown} {lost}"
    modes = "`mode=ro` keeps the log, `immutable=1` ignores it"
    yield Finding(f"{text}. {_COPY_FIRST.format(database.name)}: {modes}", log.name, harm)


SYSTEM_FOLDER = SQLiteFolder()
