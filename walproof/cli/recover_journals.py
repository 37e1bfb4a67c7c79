"""``walproof recover --drop``: copy systemd journals without the entries of a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click

from conformance.saving import named_in_errors, publish, temporary_sibling
from reference_impl.answer import Record
from reference_impl.formats import named
from walproof.cli.journal_query import NOT_A_JOURNAL, SYSTEMD
from walproof.cli.new_log import write_log
from walproof.cli.opening import logs_of, source_of
from walproof.cli.output import EXIT_STATUS, say
from walproof.formats.systemd_journal.query.filters import BadFilter
from walproof.formats.systemd_journal.query.journal_file import JournalEntry, JournalFile
from walproof.formats.systemd_journal.query.selection import Query, Rest, select
from walproof.quantity import counted
from walproof.spool import Shelf
from walproof.systems.model import of_all


def recover_without(typed: str, query: Query, out: Path, format_id: str | None) -> int:
    """Copy the journals of a path without the entries that a query selects.

    Returns the exit status. Raises ``ValueError`` and ``OSError``.
    """
    if format_id not in (None, SYSTEMD):
        raise click.UsageError(f"--drop: {NOT_A_JOURNAL}")
    with source_of(typed, format_id) as source:
        is_folder = source.path.is_dir()
        name = f"{source.typed}{source.origin}"
        paths = logs_of(source, SYSTEMD) if is_folder else [(name, source.path)]
        try:
            dropped = {_identity(entry) for entry in select(paths, query, Rest())}
        except BadFilter as error:
            raise click.UsageError(f"--boot: {error}") from None
        if not is_folder:
            return _say(typed, out, [_write(name, source.path, out, dropped)])
        if out.absolute().resolve().is_relative_to(source.path.resolve()):
            raise click.UsageError(f"--out {out} is inside {typed}: choose a path outside")
        with temporary_sibling(out) as created, named_in_errors(out):
            created.mkdir()
            done = []
            for name, path in paths:
                new = created / path.relative_to(source.path)
                new.parent.mkdir(parents=True, exist_ok=True)
                done.append(_write(name, path, new, dropped))
            if not all(map(_is_refused, done)):
                publish(created, out)
        say("Only journals were written: other files may contain the removed entries.", err=True)
        return _say(typed, out, done)


@dataclass
class _Written:
    file: JournalFile
    records: Shelf[Record] = field(default_factory=Shelf)
    dropped: int = 0
    missing_fields: int = 0


def _identity(entry: JournalEntry) -> tuple[bytes, int, int, int]:
    """Return the values that are equal in all copies of an entry."""
    return entry.boot_id, entry.monotonic, entry.realtime, entry.xor_hash


def _write(name: str, path: Path, new: Path, dropped: set[tuple[bytes, int, int, int]]) -> _Written:
    done = _Written(JournalFile(name, path))
    for entry in done.file.entries():
        if _identity(entry) in dropped:
            done.dropped += 1
            continue
        record = entry.record()
        done.missing_fields += "missing" in record.fields
        done.records.append(record)
    if _is_refused(done):
        say(f"{name}: refused ({done.file.end.reason}); not written", err=True)
    else:
        write_log(named(SYSTEMD), path, done.records, new, {})
    return done


def _is_refused(done: _Written) -> bool:
    return done.file.end.verdict == "refused"


def _say(typed: str, out: Path, done: Sequence[_Written]) -> int:
    if all(map(_is_refused, done)):
        return EXIT_STATUS["refused"]
    written = sum(len(each.records) for each in done)
    dropped = sum(each.dropped for each in done)
    lost = sum(gap.end - gap.start for each in done for gap in each.file.lost)
    say(
        f"{out}: {counted(written, 'record')}; {counted(dropped, 'record')} removed;"
        f" {counted(lost, 'byte')} of {typed} lost",
        err=True,
    )
    for each in done:
        for gap in each.file.lost:
            place = f"{each.file.name}: " if len(done) > 1 else ""
            say(f"  lost  {place}[{gap.start}, {gap.end})  {gap.reason}", err=True)
    if missing := sum(each.missing_fields for each in done):
        text = "some fields are lost, so filters may not match"
        say(f"  check  {counted(missing, 'record')} of {out}: {text}", err=True)
    return EXIT_STATUS[of_all([each.file.end for each in done]).verdict]
