"""The reader of a whole log, which is one data file or a folder of data files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from reference_impl.answer import End, Event, Lost, Verdict
from reference_impl.kahadb_journal.data_file import Scan
from reference_impl.kahadb_journal.layout import EOF_RECORD, HEADER, data_files, file_id, sibling
from reference_impl.kahadb_journal.source import Source

LOOK_AHEAD = 65536
FIRST_FILE = "db-1.log"


def read(path: Path, profile: str, context: Mapping[str, Any]) -> Iterator[Event]:
    """Yield the records and lost ranges of a data file or a folder of them, then the end.

    ``context`` is ignored. Raises ``OSError``, and ``ValueError`` for an unknown profile.
    """
    if profile not in ("recover", "strict"):
        raise ValueError(f"unknown profile {profile!r}: expected 'recover' or 'strict'")
    yield from Journal(path, profile).events()


class Journal:
    """The data files of one log, which are read in order in one profile."""

    def __init__(self, path: Path, profile: str) -> None:
        self.path = path
        self.files: list[tuple[str | None, Path]] = [(None, path)]
        self.doubles: list[str] = []
        if path.is_dir():
            names, self.doubles = data_files(path)
            self.files = [(name, path / name) for name in names]
        self.siblings = [sibling(_head(file)) is not None for _, file in self.files]
        self.is_refused = bool(self.siblings) and all(self.siblings)  # KDB-055
        self.is_strict = profile == "strict"
        self.damage: str | None = None
        self.torn: str | None = None

    def events(self) -> Iterator[Event]:
        """Yield records and lost ranges, then the end."""
        if self.is_refused:
            yield End("refused", "foreign-journal", None)
            return
        last = self.last_used()
        end: int | None = 0
        end_name: str | None = FIRST_FILE
        for number, (name, path) in enumerate(self.files):
            with path.open("rb") as stream:
                scan = self.scan(stream, name)
                if self.siblings[number]:
                    yield from self._note(Lost(0, scan.size, "foreign-journal", file=name))
                else:
                    for event in scan.events(number >= last):
                        if isinstance(event, Lost):
                            yield from self._note(event)
                            if self.is_strict and self.damage:
                                yield from self._rest(number, event.start, scan.size)
                                return
                        else:
                            yield event
                if self.is_strict and self.damage:
                    yield from self._rest(number, 0, scan.size)
                    return
            if number <= last:
                end, end_name = scan.end, name
        if end == 0 and self._has_a_double(end_name):
            # Readers skip empty files, so a reader would then read the other file with this id
            # (KDB-051).
            end = None
        for name in self.doubles:
            size = (self.path / name).stat().st_size
            yield from self._note(Lost(0, size, "duplicate-id", file=name))  # KDB-004
        if self.is_strict and self.damage:
            yield from self._rest_of_doubles()
            return
        yield self._end(end, end_name)

    def scan(self, stream: BinaryIO, name: str | None) -> Scan:
        """Start a pass over a data file."""
        return Scan(Source(stream), name)

    def _note(self, lost: Lost) -> Iterator[Lost]:
        """Note a lost range, and yield it unless it is damage in ``strict``."""
        if lost.torn:
            self.torn = lost.reason
        else:
            self.damage = self.damage or lost.reason
        if lost.torn or not self.is_strict:
            yield lost

    def _rest(self, number: int, start: int, size: int) -> Iterator[Event]:
        """Report the log from the first damage on, for ``strict``, one range per file (KDB-052)."""
        assert self.damage is not None
        yield Lost(start, size, self.damage, file=self.files[number][0])
        for name, path in self.files[number + 1 :]:
            yield Lost(0, path.stat().st_size, self.damage, file=name)
        yield from self._rest_of_doubles()

    def _rest_of_doubles(self) -> Iterator[Event]:
        assert self.damage is not None
        for name in self.doubles:
            yield Lost(0, (self.path / name).stat().st_size, self.damage, file=name)
        yield End("damaged", self.damage, None)

    def _end(self, end: int | None, name: str | None) -> End:
        verdict: Verdict = "damaged" if self.damage else "torn" if self.torn else "intact"
        # A writer that cannot append at an offset chooses the name of its new file (KDB-050,
        # KDB-051).
        return End(verdict, self.damage or self.torn, end, name if end is not None else None)

    def _has_a_double(self, name: str | None) -> bool:
        """Return whether another file has the same id as a data file (KDB-004)."""
        return name is not None and file_id(name) in map(file_id, self.doubles)

    def last_used(self) -> int:
        """Return the index of the last file that is not just preallocated space (KDB-049)."""
        for number, (_, path) in reversed(list(enumerate(self.files))):
            with path.open("rb") as stream:
                if Source(stream).fill_start():
                    return number
        return 0


def recognise(path: Path) -> bool:
    """Return whether a log is a KahaDB journal or in a related format, which readers refuse.

    A journal begins with a control record header or an EOF record. If the first bytes are
    inconclusive, for example zeros, the result depends on the file name.
    """
    if path.is_dir():
        names, _ = data_files(path)
        if names:
            return any(recognise(path / name) for name in names)
        return any(file_id(entry.name) is not None and entry.is_file() for entry in path.iterdir())
    head = _head(path)
    if head.startswith((HEADER, EOF_RECORD)):
        return True
    if file_id(path.name) is None:
        return False
    return sibling(head) is not None or HEADER in head or head.count(0) == len(head)


def _head(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(LOOK_AHEAD)
