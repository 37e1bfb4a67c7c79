"""``walproof list``: the logs in a folder, one line per file."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping, MutableSequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import click

from conformance.text import one_line
from reference_impl.answer import End, Event, Lost, Record
from reference_impl.formats import Format, UnknownFormat, named
from reference_impl.register import registers
from walproof.cli.opening import source_of
from walproof.cli.output import EXIT_STATUS, say, say_json
from walproof.lake.recognition import recognise_log
from walproof.summary import of_system
from walproof.summary.unpacked import Unpacked
from walproof.systems import System
from walproof.systems.contents import contents_of
from walproof.systems.model import WHOLE
from walproof.verdict import VERDICT_STYLE


@dataclass
class Listed:
    """One file, or a log of several: what it holds.

    ``first`` and ``last`` are the indexes of its first and last record if the format has indexes.
    ``format`` is None for a file that is neither a log nor a part of one. ``role`` says what the
    file is to the system whose folder it is in, ``error`` why it could not be read.
    """

    file: str
    size: int
    format: str | None = None
    records: int = 0
    first: str | None = None
    last: str | None = None
    term: str | None = None
    lost: int = 0
    verdict: str | None = None
    reason: str | None = None
    role: str | None = None
    error: str | None = None

    def take(self, event: Event) -> None:
        """Add an event of the reader to the counts."""
        if isinstance(event, Record):
            self.records += 1
            index = event.fields.get("index")
            self.first = self.first or index
            self.last = index or self.last
            self.term = event.fields.get("term", self.term)
        elif isinstance(event, Lost):
            self.lost += event.end - event.start
            self.reason = self.reason or event.reason
        else:
            self.verdict, self.reason = event.verdict, event.reason

    def to_json(self) -> dict[str, Any]:
        """The file as ``--json`` prints it, without what is not known."""
        return {name: value for name, value in vars(self).items() if value is not None}


@click.command("list")
@click.argument("folder", metavar="DIR")
@click.option("--format", "format_id", metavar="ID", help="Format id; detected if not given.")
@click.option("--json", "as_json", is_flag=True, help="Print one object per line instead.")
def list_logs(folder: str, format_id: str | None, as_json: bool) -> int:
    """List the logs in a folder and below it: size, records, indexes, and what is lost.

    If the folder is itself a log of several files, each of them has a line, and a last line is
    about the log as a whole. Other files are shown with their size only. In the folder of a system
    (a database, a broker's store, a raft node, the journals of a host) each file has its role, and
    what is missing is said first.

    \b
    walproof list /var/lib/raft
    walproof list /var/lib/raft --json | jq 'select(.lost > 0)'

    Exit status: 0 if all logs are intact, 3 if one is torn or damaged or something of the system is
    gone, 4 if one is refused, 1 for a usage or I/O error, also of one file: its line says so.
    """
    with source_of(folder, format_id) as source:
        if not source.path.is_dir():
            raise click.UsageError(
                f"{folder} is a file: walproof read {folder} shows what is in it"
            )
        return list_folder(source, format_id, as_json)


def list_folder(source: Unpacked, format_id: str | None = None, as_json: bool = False) -> int:
    """List a folder, or an archive: the exit status. Raises ``UnknownFormat``, ``OSError``."""
    rows = []
    asked = named(format_id) if format_id else None
    is_log = asked is None or "folder" in registers()[asked.id].log
    format = (asked or _format_of(source.path)) if is_log else None
    name = "" if source.is_copy else source.typed
    with contents_of(source.path, name, format_id) as found:
        systems = [(item.name, item.what) for item in found.items if isinstance(item.what, System)]
        roles: dict[str, str] = {}
        for _, system in systems:
            below = system.folder.is_relative_to(source.path)  # else it is in a packed file
            roles |= _roles(system, source) if below else {}
        for row in _list(source.path, source.typed, format, asked):
            row.role = _role(row.file, roles)
            rows.append(row)
            if as_json:
                say_json(row.to_json())
    if not as_json:
        for name, system in systems:
            say(one_line(f"{name or source.typed}: {system.title}"))
            width = shutil.get_terminal_size().columns
            for text, style in of_system.findings(system.findings, width):
                say(text, style=style)
        _print_table(rows)
    lost = 3 if any(of_system.is_lost(system.findings) for _, system in systems) else 0
    unread = [1 for row in rows if row.error]
    return max([lost, *unread, *(EXIT_STATUS[row.verdict] for row in rows if row.verdict)])


def _roles(system: System, source: Unpacked) -> dict[str, str]:
    """What the files of a system are for, by their names below the folder that is listed."""
    place = system.folder.relative_to(source.path)
    roles = {(place / other.name).as_posix(): other.role for other in system.others}
    for log in system.logs:
        is_top = log.name == WHOLE and place == Path()
        roles[source.typed if is_top else (place / log.name).as_posix()] = log.role
    return roles


def _role(file: str, roles: Mapping[str, str]) -> str | None:
    """The role of a file: its own, or that of the folder it is in."""
    places = [file, *(str(folder) for folder in PurePosixPath(file).parents)]
    return next((roles[place] for place in places if place in roles), None)


def _format_of(path: Path) -> Format | None:
    try:
        return named(recognise_log(path))
    except UnknownFormat:
        return None


def _list(
    folder: Path, typed: str, format: Format | None, asked: Format | None
) -> Iterator[Listed]:
    """The files in order of their names, then the log that they form, if they form one.

    ``format`` is that of the folder, None if it is no log; ``asked`` comes first for its files.
    """
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    whole = None
    parts: dict[str, Listed] = {}
    if format is not None:
        whole = Listed(typed, sum(path.stat().st_size for path in files), format.id)
        for event in format.read(folder, "recover", {}):
            whole.take(event)
            if not isinstance(event, End) and event.file is not None:
                part = parts.setdefault(event.file, Listed(event.file, 0, format.id))
                part.take(event)
    for path in files:
        name = path.relative_to(folder).as_posix()
        if name in parts:
            parts[name].size = path.stat().st_size
            yield parts[name]
            continue
        alone = _alone(path, name, asked)
        if format is not None and alone.format != format.id and not alone.records:
            # Preallocated zeros look like an empty log of any format without a magic number.
            alone = Listed(name, alone.size)
        yield alone
    if whole is not None:
        yield whole


def _alone(path: Path, name: str, asked: Format | None) -> Listed:
    """A file by itself: a log, a part of one that holds no records, or something else.

    One that cannot be read does not end the list: what is known of it has its ``error``.
    """
    row = Listed(name, 0)
    try:
        row.size = path.stat().st_size
        format = asked if asked is not None and asked.recognise(path) else _format_of(path)
        if format is not None:
            row.format = format.id
            for event in format.read(path, "recover", {}):
                row.take(event)
    except OSError as error:
        row.error = error.strerror or str(error)
    return row


Table = MutableSequence[tuple[str, ...]]


def _print_table(rows: Iterable[Listed]) -> None:
    heads = ("file", "format", "size", "records", "first", "last", "term", "lost", "", "")
    table: Table = [heads]
    for row in rows:
        records = str(row.records) if row.format else ""
        lost = str(row.lost) if row.lost or row.reason else ""
        said = row.error or row.reason or row.verdict or ""
        known = (
            row.first or "",
            row.last or "",
            row.term or "",
            lost,
            said,
            one_line(row.role or ""),
        )
        table.append((one_line(row.file), row.format or "–", str(row.size), records, *known))
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    verdicts = [None, *map(_verdict, rows)]
    for line, verdict in zip(table, verdicts, strict=True):
        cells = [
            cell.ljust(width) if number < 2 or number >= 8 else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        text = "  ".join(cells).rstrip()
        style = VERDICT_STYLE.get(verdict or "intact") if verdict != "intact" else None
        say(text, style=style if verdict else None)


def _verdict(row: Listed) -> str | None:
    """What a row is coloured as."""
    return row.verdict or ("damaged" if row.reason or row.error else None)


list = list_logs  # found by the name of the subcommand; nothing here needs the builtin
