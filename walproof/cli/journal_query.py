"""Options and arguments that select entries of systemd journals."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import click

from conformance.text import printable
from reference_impl.formats import UnknownFormat, named
from walproof.cli.opening import Opened, logs_of, source_of
from walproof.cli.output import EXIT_STATUS, say
from walproof.formats.systemd_journal.query import filters, output
from walproof.formats.systemd_journal.query.filters import BadFilter, Cursor, Filter
from walproof.formats.systemd_journal.query.selection import Paths, Query, Rest, select
from walproof.formats.systemd_journal.query.times import parse_time
from walproof.quantity import counted
from walproof.systems import recognise

SYSTEMD = "systemd-journal"
NOT_A_JOURNAL = "only systemd journals have fields and a text form; use export --parquet DIR"


@dataclass(frozen=True)
class JournalFilters:
    """Values of the options that select entries."""

    since: str | None
    until: str | None
    boot: str | None
    units: Sequence[str]
    user_units: Sequence[str]
    priority: str | None
    identifiers: Sequence[str]
    pattern: str | None
    case_sensitive: bool | None
    excluded: Sequence[str]
    lines: str | None
    is_reverse: bool
    after_cursor: str | None

    @property
    def are_given(self) -> bool:
        """Return whether any option was given."""
        return any(getattr(self, each.name) not in (None, (), False) for each in fields(self))

    def query(self, words: Sequence[str] = ()) -> Query:
        """Build a query from these options and ``FIELD=VALUE`` arguments. Raises ``UsageError``."""
        now = time.time_ns() // 1000
        encoded = [os.fsencode(word) for word in words]
        groups = [
            _option("--unit", filters.group_of_units, self.units, self.user_units),
            _option("--identifier", filters.group_of_identifiers, self.identifiers or None),
            _option("--priority", filters.group_of_priorities, self.priority),
            _option("", filters.group_of_matches, encoded or None),
        ]
        excluded = [
            _option("--not", filters.parse_match, os.fsencode(word)) for word in self.excluded
        ]
        pattern = _option("--grep", filters.message_pattern, self.pattern, self.case_sensitive)
        lines, are_oldest = _lines(self.lines)
        return Query(
            Filter([group for group in groups if group], excluded, pattern),
            _option("--since", parse_time, self.since, now),
            _option("--until", parse_time, self.until, now),
            self.boot,
            lines,
            are_oldest,
            # Like journalctl, search backwards for the last N entries that match a pattern.
            self.is_reverse or (pattern is not None and lines is not None and not are_oldest),
            _option("--after-cursor", Cursor.parse, self.after_cursor),
        )


def _option(name: str, parse: Callable[..., Any], value: object, *more: object) -> Any:
    """Parse the value of an option; None if it was not given. Raises ``UsageError``."""
    try:
        return None if value is None else parse(value, *more)
    except BadFilter as error:
        raise click.UsageError(f"{name}: {error}" if name else str(error)) from None


def _lines(text: str | None) -> tuple[int | None, bool]:
    """Return the number of entries to show (None for all), and whether they are the oldest."""
    if text is None or text == "all":
        return None, False
    if not text.removeprefix("+").isdecimal():
        raise click.UsageError(f"--lines: expected a number, +N or all, found {text!r}")
    return int(text), text.startswith("+")


def filter_options(is_hidden: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds the filters for journal entries as ``journal_filters``."""
    option = functools.partial(click.option, hidden=is_hidden)
    several = functools.partial(option, multiple=True)
    boots = "Entries of a boot: 0 for the last, -1, 1, or an id."
    case = "Case of --grep; default: yes if REGEX has capitals."
    options = (
        option("-S", "--since", metavar="TIME", help="Entries at or after this time."),
        option("-U", "--until", metavar="TIME", help="Entries at or before this time."),
        option("-b", "--boot", metavar="ID", help=boots),
        several("-u", "--unit", "units", metavar="UNIT", help="Entries of and about a unit."),
        several("--user-unit", "user_units", metavar="UNIT", help="The same for a user unit."),
        option("-p", "--priority", metavar="LEVEL", help="err and above, or a range: 3..6."),
        several("-t", "--identifier", "identifiers", metavar="NAME", help="A syslog identifier."),
        option("-g", "--grep", "pattern", metavar="REGEX", help="Entries whose message matches."),
        option("--case-sensitive", type=bool, metavar="BOOL", help=case),
        several("--not", "excluded", metavar="FIELD=VALUE", help="Entries without this field."),
        option("-n", "--lines", metavar="N", help="The last N entries, or the first +N."),
        option("-r", "--reverse", "is_reverse", is_flag=True, help="Newest entries first."),
        option("--after-cursor", metavar="CURSOR", help="Entries after this cursor."),
    )

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def with_filters(**values: Any) -> Any:
            chosen = {each.name: values.pop(each.name) for each in fields(JournalFilters)}
            return command(journal_filters=JournalFilters(**chosen), **values)

        return functools.reduce(lambda result, add: add(result), reversed(options), with_filters)

    return decorate


def split_words(words: Iterable[str]) -> tuple[list[str], list[str]]:
    """Split arguments into paths and filter terms; a term is ``FIELD=VALUE`` or ``+``."""
    paths: list[str] = []
    matches: list[str] = []
    for word in words:
        is_match = word == "+" or ("=" in word and not Path(word).exists())
        if not is_match and paths and not os.path.lexists(word) and "/" not in word:
            raise click.UsageError(f"expected FIELD=VALUE or a path, found {word!r}")
        (matches if is_match else paths).append(word)
    return paths, matches


@contextlib.contextmanager
def journal_files(typed: Sequence[str], format_id: str | None = None) -> Iterator[Paths]:
    """Yield the journal files at the given paths. Fail if a file is unreadable or not a journal."""
    results: list[tuple[str, Path]] = []
    with contextlib.ExitStack() as stack:
        for path in typed:
            source = stack.enter_context(source_of(path, format_id))
            if not source.path.is_dir():
                results.append((f"{path}{source.origin}", source.path))
                continue
            system = recognise(source.path, format_id)
            if system is not None and system.format != SYSTEMD:
                raise UnknownFormat(NOT_A_JOURNAL)
            if system is not None:
                Opened(source, named(SYSTEMD), system).tell()
                prefix = f"{path}/" if len(typed) > 1 else ""
                results += [(f"{prefix}{log.name}", system.path(log)) for log in system.logs]
            else:
                logs = logs_of(source, SYSTEMD)
                say(f"{path}: {counted(len(logs), 'journal file')} below it", err=True)
                results += logs
        yield results


def print_entries(paths: Paths, name: str, query: Query, mode: output.Mode) -> int:
    """Print the selected entries and the lost ranges; return the exit status.

    ``name`` is the display name of all files together.
    """
    rest = Rest()
    write = _write_to_terminal if sys.stdout.isatty() else sys.stdout.buffer.write
    is_empty = True
    try:
        for piece in output.printed(select(paths, query, rest), mode):
            write(piece)
            is_empty = False
    except BadFilter as error:  # only the files show whether the boot id exists
        raise click.UsageError(f"--boot: {error}") from None
    sys.stdout.buffer.flush()
    if is_empty and mode in ("short", "short-iso") and rest.end.verdict != "refused":
        say("-- No entries --", err=True)
    for gap in rest.lost:
        place = f"{gap.file}: " if len(paths) > 1 else ""
        say(f"lost {place}{gap.start}–{gap.end}: {gap.reason}", err=True)
    if rest.end.reason:
        say(f"{name}: {rest.end.verdict} ({rest.end.reason})", err=True)
    return EXIT_STATUS[rest.end.verdict]


def _write_to_terminal(piece: bytes) -> None:
    click.echo(printable(piece.decode("utf-8", "backslashreplace")), nl=False)
