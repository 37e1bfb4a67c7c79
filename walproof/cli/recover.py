"""``walproof recover``: what survives in a damaged log, as a new log that is sound."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, overload

import click

from conformance.saving import UNFINISHED, named_in_errors, publish
from reference_impl.answer import End, Event, NewRecord, Record
from reference_impl.formats import Format
from walproof.cli.context import context_of
from walproof.cli.opening import opened
from walproof.cli.output import say
from walproof.cli.reading import EVERY, events, watched
from walproof.cli.record_table import Passed, gather
from walproof.cli.recover_system import recover_system
from walproof.cli.summary import progress
from walproof.quantity import counted
from walproof.summary.summary import size_of

ABOUT_THE_FILE = frozenset({"batch", "cursor", "checksum", "missing", "state", "fields"})
"""Fields of a record that describe the file around it, or repeat what its payload says."""


class Unlike(ValueError):
    """The new log does not hold what was read from the old one; the message says where."""


@click.command()
@click.argument("log", metavar="LOG")
@click.option(
    "--out", required=True, metavar="NEW", type=click.Path(path_type=Path), help="The new log."
)
@click.option("--format", "format_id", metavar="ID", help="Format id; detected if not given.")
@click.option(
    "--context",
    "context_items",
    metavar="KEY=VALUE",
    multiple=True,
    help="What the reader is told besides the bytes; VALUE is JSON or text.",
)
def recover(log: str, out: Path, format_id: str | None, context_items: tuple[str, ...]) -> int:
    """Write the records that survive in LOG into a new log of the same format.

    LOG is a log, or the folder of a system: a database, a broker's store, a raft node, journals of
    a host. Then NEW is a folder with its logs and what else the system needs; the command says what
    it left out.

    LOG is never changed, and NEW must not exist. NEW is read back before it gets its name: it must
    be intact and hold exactly the records that survived in LOG. If the format allows no gap (the
    indexes of a raft log), the command says which record is missing; `walproof dump` can then write
    each survivor to a file of its own.

    \b
    walproof recover 000003.log --out recovered.log
    walproof recover journal/ --out recovered/

    Exit status: 0 if nothing was lost, 3 if something was (NEW has the rest), 4 refused,
    1 for a usage or I/O error, or if the survivors cannot form one log.
    """
    if out.exists():
        raise click.ClickException(f"{out} exists: expected a path where nothing is")
    try:
        with opened(log, format_id) as old:
            format = old.format
            context = context_of(context_items, format.id)
            if old.system is not None:
                return recover_system(old.system, old.name, write_anew, out, context)
            with progress(size_of(old.path)) as told:
                found = gather(watched(events(format, old.path, context), old.path, told))
            if found.end.verdict == "refused":
                say(f"{old.name}: {format.id}, refused ({found.end.reason})", err=True)
                return 4
            write_anew(format, old.path, found.kept.records, out, context)
    except ValueError as error:
        raise click.ClickException(
            f"{log}: its survivors cannot stand in one log: {error}"
        ) from None
    say(
        f"{out}: {counted(found.record_count, 'record')};"
        f" {counted(found.lost_bytes, 'byte')} lost of {old.name}",
        err=True,
    )
    for gap in found.kept.lost():
        place = f"{gap.file}: " if gap.file else ""
        say(f"  lost  {place}[{gap.start}, {gap.end})  {gap.reason}", err=True)
    return 3 if found.end.verdict != "intact" else 0


def write_anew(
    format: Format, log: Path, records: Sequence[Record], out: Path, context: Mapping[str, Any]
) -> None:
    """Write the records of a log as a new one, which gets the name ``out`` only if it is right.

    Raises ``ValueError`` if the format's writer does not accept them, :class:`Unlike` if reading
    them back gives anything else, and ``OSError``.
    """
    with tempfile.TemporaryDirectory(
        dir=out.absolute().parent, prefix=f".{out.name[:200]}.", suffix=UNFINISHED
    ) as folder:
        # In some formats the name decides which kind of log to write.
        made = Path(folder) / log.resolve().name
        told = format.copied(log, context)
        try:
            with named_in_errors(out), progress(size_of(log), "writing") as passed:
                format.write(made, Anew(records, passed), told)
        except ValueError:
            if not records:  # a log of this format has at least one
                raise ValueError("no record survives") from None
            raise
        with progress(size_of(made), "reading back") as passed:
            _compare(records, watched(events(format, made, told), made, passed))
        publish(made, out)


class Anew(Sequence[NewRecord]):
    """Records as they are written, made when they are asked for.

    ``progress`` is told how many bytes they took in their log.
    """

    def __init__(
        self, records: Sequence[Record], progress: Callable[[int], None] = lambda _: None
    ) -> None:
        self._records, self._progress = records, progress

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[NewRecord]:
        passed = 0
        for number, record in enumerate(self._records):
            passed += record.size
            if number % EVERY == 0:
                self._progress(passed)
            yield NewRecord(record.payload, record.fields)

    @overload
    def __getitem__(self, at: int) -> NewRecord: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[NewRecord]: ...
    def __getitem__(self, at: int | slice) -> NewRecord | Sequence[NewRecord]:
        if isinstance(at, slice):
            return Anew(self._records[at])
        record = self._records[at]
        return NewRecord(record.payload, record.fields)


def _compare(old: Sequence[Record], new: Iterable[Event | Passed]) -> None:
    waiting = iter(old)
    count = 0
    for event in new:
        if isinstance(event, Record):
            one = next(waiting, None)
            if one is not None:
                _compare_two(count, one, event)
            count += 1
        elif isinstance(event, End):
            end = event
    if len(old) != count:
        raise Unlike(
            f"{counted(len(old), 'record')} found, {count} can be read back:"
            f" record {min(len(old), count)} is the first that differs"
        )
    if end.verdict != "intact":
        raise Unlike(f"what was written reads as {end.verdict} ({end.reason})")


def _compare_two(number: int, one: Record, other: Record) -> None:
    if one.payload != other.payload:
        raise Unlike(f"record {number} at {one.at} reads back with another payload")
    for name in sorted((one.fields.keys() | other.fields.keys()) - ABOUT_THE_FILE):
        if (was := one.fields.get(name)) != (found := other.fields.get(name)):
            raise Unlike(f"record {number} at {one.at}: {name} is {was} and would be {found}")
