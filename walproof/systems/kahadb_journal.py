"""The folder of ActiveMQ's KahaDB: its journal, and an index that a broker can make again.

Upstream authority: apache/activemq ``kahadb/MessageDatabase.java`` (what is read back when there is
no ``db.data``), ``kahadb/disk/page/PageFile.java`` (``.data``, ``.redo``, ``.free``).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from reference_impl.formats import named
from reference_impl.kahadb_journal.layout import data_files, file_id
from walproof.systems.model import (
    WHOLE,
    Finding,
    Kind,
    OtherFile,
    System,
    SystemLog,
    gaps,
    size_of_all,
)

FORMAT = "kahadb-journal"
INDEX, REDO, FREE, LOCK = "db.data", "db.redo", "db.free", "lock"
ROLES = {
    INDEX: "index of the messages; a broker makes it again from the journal",
    REDO: "pages of the index on their way into it",
    FREE: "free pages of the index, written when the broker stops",
    LOCK: "held by the broker that uses the folder",
}


class KahaDb(Kind):
    """See :class:`Kind`."""

    def after_recovery(self, system: System) -> str:
        """See :class:`Kind`."""
        return "A broker that is started on it makes a new index of what is there."

    def recognise(self, folder: Path) -> System | None:
        """See :class:`Kind`. A folder with an index and no journal is one, too."""
        names = {entry.name for entry in folder.iterdir() if entry.is_file()}
        if not named(FORMAT).recognise(folder) and not (INDEX in names and REDO in names):
            return None
        others = [
            OtherFile(name, ROLES[name], size_of_all(folder / name))
            for name in ROLES
            if name in names
        ]
        return System(
            self,
            "ActiveMQ's message store (KahaDB)",
            folder,
            FORMAT,
            (SystemLog(WHOLE, "the journal: all that the broker stored"),),
            others,
            list(_findings(folder, names)),
        )


def _findings(folder: Path, names: set[str]) -> Iterator[Finding]:
    found, twins = data_files(folder)
    numbers = [number for name in found if (number := file_id(name)) is not None]
    if not found:
        yield Finding("the journal is gone: the index alone holds no message", INDEX, "lost")
    missing = list(gaps(numbers))
    if missing:
        count = sum(last - first + 1 for first, last in missing)
        first, last = missing[0][0], missing[-1][1]
        between = f"db-{first}.log" + (f" to db-{last}.log" if count > 1 else "")
        yield Finding(
            f"{count} of the journal's files {'is' if count == 1 else 'are'} not there"
            f" ({between}): the broker deletes those that hold nothing it needs; if it did not"
            " delete them, their messages are lost"
        )
    for name in twins:
        yield Finding("another file has the same number: a broker reads one of them", name)
    if INDEX in names and found:
        yield Finding(
            "an index that knows records which are lost keeps a broker from starting: what"
            " `walproof recover` writes has none, and the broker makes a new one",
            INDEX,
            "none",
        )


KIND = KahaDb()
