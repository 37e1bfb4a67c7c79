"""``walproof recover --drop``: copies of systemd journals without the entries of a query."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from conformance.saving import named_in_errors, publish, temporary_sibling
from reference_impl.answer import Record
from reference_impl.formats import Format, named
from walproof.cli.journal_query import NOT_A_JOURNAL, SYSTEMD
from walproof.cli.opening import logs_of, source_of
from walproof.cli.output import EXIT_STATUS, say
from walproof.formats.systemd_journal.query.filters import BadFilter
from walproof.formats.systemd_journal.query.journal_file import JournalEntry, JournalFile
from walproof.formats.systemd_journal.query.selection import Paths, Query, Rest, select
from walproof.quantity import counted
from walproof.spool import Shelf
from walproof.summary.unpacked import Unpacked
from walproof.systems.model import of_all

WriteAnew = Callable[[Format, Path, Sequence[Record], Path, Mapping[str, Any]], None]


def recover_without(
    typed: str, query: Query, out: Path, format_id: str | None, write_anew: WriteAnew
) -> int:
    """Write copies of the journals of a path without the entries that a query selects.

    Such an entry is left out of every file that has it. ``out`` becomes a file for a file, and a
    folder with the journals alone for a folder. Return the exit status. Raises ``ValueError`` and
    ``OSError``.
    """
    if format_id not in (None, SYSTEMD):
        raise click.UsageError(f"--drop: {NOT_A_JOURNAL}")
    with source_of(typed, format_id) as source, _journals(source) as paths:
        try:
            dropped = {_identity(entry) for entry in select(paths, query, Rest())}
        except BadFilter as error:
            raise click.UsageError(f"--boot: {error}") from None
        if not source.path.is_dir():
            ((name, path),) = paths
            return _say(typed, out, [_write(name, path, out, dropped, write_anew)])
        if out.absolute().resolve().is_relative_to(source.path.resolve()):
            raise click.UsageError(f"--out {out} lies in {typed}: choose a path outside of it")
        with temporary_sibling(out) as made, named_in_errors(out):
            made.mkdir()
            done = []
            for name, path in paths:
                new = made / _below(source.path, name, path)
                new.parent.mkdir(parents=True, exist_ok=True)
                done.append(_write(name, path, new, dropped, write_anew))
            if not all(one.is_refused for one in done):
                publish(made, out)
        say("Journals alone were written: other files may hold what was left out.", err=True)
        return _say(typed, out, done)


@contextmanager
def _journals(source: Unpacked) -> Iterator[Paths]:
    if source.path.is_dir():
        with logs_of(source, SYSTEMD) as paths:
            yield paths
    else:
        yield [(f"{source.typed}{source.came}", source.path)]


def _below(folder: Path, name: str, path: Path) -> Path:
    """The name of a file below the folder that was given."""
    return path.relative_to(folder) if path.is_relative_to(folder) else Path(Path(name).name)


class _Written:
    """The result for one file: its entries that were written and left out, and its losses."""

    def __init__(self, file: JournalFile) -> None:
        self.file = file
        self.records: Shelf[Record] = Shelf()
        self.dropped = self.missing_fields = 0

    @property
    def is_refused(self) -> bool:
        """Return whether the file is no journal that can be read."""
        return self.file.end.verdict == "refused"

    @property
    def lost_bytes(self) -> int:
        """The bytes of the file that could not be read."""
        return sum(gap.end - gap.start for gap in self.file.lost)


def _identity(entry: JournalEntry) -> tuple[bytes, int, int, int]:
    """Return the numbers that all copies of an entry have in common."""
    return entry.boot_id, entry.monotonic, entry.realtime, entry.xor_hash


def _write(
    name: str,
    path: Path,
    new: Path,
    dropped: set[tuple[bytes, int, int, int]],
    write_anew: WriteAnew,
) -> _Written:
    done = _Written(JournalFile(name, path))
    for entry in done.file.entries():
        if _identity(entry) in dropped:
            done.dropped += 1
            continue
        record = entry.record()
        done.missing_fields += "missing" in record.fields
        done.records.append(record)
    if not done.is_refused:
        write_anew(named(SYSTEMD), path, done.records, new, {})
    return done


def _say(typed: str, out: Path, done: Sequence[_Written]) -> int:
    """Say what was written, left out and lost: exit status."""
    for one in done:
        if one.is_refused:
            say(f"{one.file.name}: refused ({one.file.end.reason}); not written", err=True)
    if all(one.is_refused for one in done):
        return EXIT_STATUS["refused"]
    written = sum(len(one.records) for one in done)
    dropped = sum(one.dropped for one in done)
    lost = sum(one.lost_bytes for one in done)
    say(
        f"{out}: {counted(written, 'record')}; {counted(dropped, 'record')} left out;"
        f" {counted(lost, 'byte')} lost of {typed}",
        err=True,
    )
    for one in done:
        for gap in one.file.lost:
            place = f"{one.file.name}: " if len(done) > 1 else ""
            say(f"  lost  {place}[{gap.start}, {gap.end})  {gap.reason}", err=True)
    if missing := sum(one.missing_fields for one in done):
        text = "some of their fields are lost, so no filter sees them"
        say(f"  look  {counted(missing, 'record')} of {out}: {text}", err=True)
    return EXIT_STATUS[of_all([one.file.end for one in done]).verdict]
