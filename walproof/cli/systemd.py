"""``walproof systemd``: query systemd journals, list fields, import exported entries."""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path
from typing import BinaryIO, get_args

import click

from conformance.saving import save
from reference_impl.systemd_journal.builder import CannotWrite, Options, Writer
from reference_impl.systemd_journal.export_format import is_text
from walproof.cli.journal_query import (
    JournalFilters,
    filter_options,
    journal_files,
    print_entries,
    split_words,
)
from walproof.cli.output import EXIT_STATUS, require_new_path, say
from walproof.formats.systemd_journal.exported_entries import Skipped, WholeEntry, read_entries
from walproof.formats.systemd_journal.query.journal_file import JournalFile
from walproof.formats.systemd_journal.query.output import Mode
from walproof.quantity import counted

#: Before systemd 254, journalctl cannot verify files with a longer header.
SYSTEMD_252_HEADER_BYTES = 264


@click.group()
def systemd() -> None:
    """Query systemd journals; list fields; import entries."""


@systemd.command("read")
@click.argument("words", metavar="PATH... [FIELD=VALUE | +]...", nargs=-1, required=True)
@filter_options()
@click.option(
    "-o",
    "--output",
    "mode",
    type=click.Choice(get_args(Mode)),
    default="short",
    show_default=True,
    help="Output format; json, cat and export as in journalctl.",
)
def read_journals(words: tuple[str, ...], journal_filters: JournalFilters, mode: Mode) -> int:
    """Print the journal entries that filters select.

    PATH is a journal file, a compressed journal file, a pipe, or a folder. Entries of several files
    are merged as by journalctl. Values of the same field are alternatives, different fields must
    all match, and + separates alternative groups. UNIT and NAME may be shell patterns.

    TIME is 2023-11-14, "2023-11-14 22:13:20", 22:13, now, today, yesterday, tomorrow, -1h, +5min,
    "2 days ago", or @ and the seconds since 1970. Times without a zone are in UTC. A time may end
    with a zone, as in "2023-11-14 22:13 Europe/Berlin".

    From damaged files, all surviving entries are printed; lost ranges go to standard error.

    \b
    walproof systemd read /var/log/journal --unit ssh --since yesterday
    walproof systemd read broken.journal -p err -o json
    walproof systemd read a.journal b.journal _UID=0 + _COMM=cron --not PRIORITY=7

    Exit status: 0 intact, 3 torn or damaged, 4 refused, 1 for a usage or I/O error.
    """
    typed, matches = split_words(words)
    query = journal_filters.query(matches)
    with journal_files(typed) as paths:
        return print_entries(paths, " ".join(typed), query, mode)


@systemd.command()
@click.argument("log", metavar="PATH")
@click.argument("name", metavar="[FIELD]", required=False)
def fields(log: str, name: str | None) -> int:
    """List the fields of journals, or all values of a field.

    PATH is a journal file, a compressed journal file, a pipe, or a folder. Values are listed newest
    first. The output for a file equals that of journalctl --fields and journalctl --field=FIELD.
    For a folder, each line appears once. Values that are not one line of text are printed as
    {"hex": "…"}.

    \b
    walproof systemd fields system.journal
    walproof systemd fields system.journal _SYSTEMD_UNIT

    Exit status: 0 intact, 3 torn or damaged, 4 refused, 1 for a usage or I/O error.
    """
    status = 0
    listed: dict[bytes, None] = {}  # unique values, in the order of the files
    with journal_files([log]) as paths:
        for shown, path in paths:
            file = JournalFile(shown, path)
            values = file.names() if name is None else file.values(os.fsencode(name))
            listed.update(dict.fromkeys(values))
            if file.end.reason:
                text = f"{file.end.verdict} ({file.end.reason}); walproof verify lists the findings"
                say(f"{shown}: {text}", err=True)
            status = max(status, EXIT_STATUS[file.end.verdict])
    for value in sorted(listed) if name is None else listed:
        say(value.decode() if is_text(value) else json.dumps({"hex": value.hex()}))
    return status


@systemd.command("import")
@click.argument("stream", metavar="[EXPORT]", type=click.File("rb"), default="-")
@click.option(
    "--out", required=True, metavar="FILE", type=click.Path(path_type=Path), help="New file."
)
@click.option("--strict", is_flag=True, help="Write nothing if an entry is incomplete.")
def import_(stream: BinaryIO, out: Path, strict: bool) -> int:
    """Write a journal from exported entries.

    EXPORT is in the Journal Export Format; the default is standard input. Times, boot ids and
    fields are preserved. Sequence numbers start again, as with systemd-journal-remote.

    Incomplete entries and text between entries are skipped, and standard error lists the offsets of
    skipped ranges. --strict stops at the first skipped range.

    \b
    journalctl -o export | walproof systemd import --out copy.journal

    Exit status: 0 written, 3 written with skipped ranges, 1 for a usage or I/O error, or if the
    input has only incomplete entries.
    """
    require_new_path(out)
    file_id = secrets.token_bytes(16)
    options = Options(
        header_size=SYSTEMD_252_HEADER_BYTES,
        compression="zstd",
        file_id=file_id,
        seqnum_id=file_id,
        machine_id=_machine_id(),
    )
    created = Writer(options)
    try:
        skipped = _write_all(created, stream.read(), strict)
        if skipped and not created.header.n_entries:
            raise click.ClickException(f"no complete entry found; nothing was written to {out}")
        save(out, created.finish(), replace=False)
    except CannotWrite as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        raise click.ClickException(f"{out}: {error.strerror or error}") from None
    more = f"; {counted(skipped, 'range')} of the input skipped" if skipped else ""
    say(f"{out}: {counted(created.header.n_entries, 'entry')}{more}", err=True)
    return 3 if skipped else 0


def _write_all(writer: Writer, stream: bytes, strict: bool) -> int:
    count = 0
    for entry in read_entries(stream):
        if isinstance(entry, WholeEntry):
            before = len(writer.out)
            try:
                writer.append(entry.payloads, entry.realtime, entry.monotonic, entry.boot_id)
                continue
            except CannotWrite as error:
                if len(writer.out) != before:
                    raise
                entry = Skipped(entry.start, entry.end, str(error))
        if strict:
            raise click.ClickException(f"at {entry.start}: {entry.why}")
        count += 1
        say(f"skipped [{entry.start}, {entry.end}): {entry.why}", err=True)
    return count


def _machine_id() -> bytes:
    try:
        return bytes.fromhex(Path("/etc/machine-id").read_text().strip())
    except (OSError, ValueError):
        return bytes(16)
