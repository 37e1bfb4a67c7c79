"""``walproof systemd``: the fields of systemd journals, and journals from exported entries."""

from __future__ import annotations

import json
import os
import re
import secrets
from pathlib import Path
from typing import get_args

import click

from conformance.saving import save
from reference_impl.register import registers
from reference_impl.systemd_journal import inspection, layout, loaded
from reference_impl.systemd_journal.builder import COMPRESSIONS, CannotWrite, Options, Writer
from reference_impl.systemd_journal.export_format import (
    BadExport,
    ExportedEntry,
    is_text,
    parse_export,
)
from reference_impl.systemd_journal.objects import FIELD_NAME
from reference_impl.systemd_journal.query import names, values
from reference_impl.systemd_journal.sealing import BadKey, VerificationKey
from walproof.cli.journal_query import (
    JournalFilters,
    filter_options,
    journal_files,
    print_entries,
    split_words,
)
from walproof.cli.opening import logs_of, source_of
from walproof.cli.output import say
from walproof.formats.systemd_journal.query.output import Mode
from walproof.quantity import counted

SYSTEMD = "systemd-journal"


@click.group()
def systemd() -> None:
    """Work with systemd journals alone."""


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
    help="Form of the entries; json, cat and export are those of journalctl.",
)
def read_entries(words: tuple[str, ...], journal_filters: JournalFilters, mode: Mode) -> int:
    """Print the entries of journals that filters select, also of damaged ones.

    PATH is a journal file, packed or in a pipe, or a folder of them. Entries of several files are
    merged as journalctl merges them. Filters work as in journalctl: values of one field are
    alternatives, different fields must all match, and + stands between alternatives of both.
    UNIT and NAME may be patterns of the shell.

    TIME is 2023-11-14, "2023-11-14 22:13:20", 22:13, now, today, yesterday, tomorrow, -1h, +5min,
    "2 days ago", or @ and the seconds since 1970. Times are read and printed in UTC; a time may be
    followed by its zone, as in "2023-11-14 22:13 Europe/Berlin".

    From damaged files it prints all that survives, and lists on standard error what is lost.

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
@click.option("--json", "as_json", is_flag=True, help="Print each as JSON, one per line.")
def fields(log: str, name: str | None, as_json: bool) -> int:
    """List the fields of systemd journals, or all values of one field, newest first.

    PATH is a journal file, packed or in a pipe, or a folder of them. It prints what journalctl
    --fields and journalctl --field=FIELD print for the same file; for a folder, each once. A value
    that is not one line of text is shown as {"hex": "…"}. From a damaged file it prints all that
    survives.

    \b
    walproof systemd fields system.journal
    walproof systemd fields system.journal _SYSTEMD_UNIT

    Exit status: 0 intact, 3 torn or damaged, 4 refused, 1 for a usage or I/O error.
    """
    status = 0
    listed: dict[bytes, None] = {}  # each once, in the order found
    with source_of(log) as source:
        if source.path.is_dir():
            with logs_of(source, SYSTEMD) as found:
                for shown, path in found:
                    status = max(status, _gather(shown, path, name, listed))
        else:
            status = _gather(f"{log}{source.came}", source.path, name, listed)
    for value in sorted(listed) if name is None else listed:
        say(_shown(value, as_json))
    return status


def _gather(log: str, path: Path, name: str | None, listed: dict[bytes, None]) -> int:
    """Add the names of the fields of a file, or the values of one: the exit status."""
    with loaded(path) as data:
        size = len(data)
        why = inspection.refusal(data) if size >= layout.HEADER_MIN else "torn-header"
        if why is not None:
            words = registers()["systemd-journal"].reasons[why].words
            say(f"{log}: {words} ({why})", err=True)
            return 3 if why == "torn-header" else 4
        found = inspection.inspect(data, {})
        listed.update(
            dict.fromkeys(names(found) if name is None else values(found, os.fsencode(name)))
        )
    if found.faults:
        say(f"{log}: {counted(len(found.faults), 'finding')}; walproof verify lists them", err=True)
    return 3 if found.faults else 0


def _shown(value: bytes, as_json: bool) -> str:
    try:
        text = value.decode()
    except UnicodeDecodeError:
        text = None
    if text is None or not (as_json or is_text(value)):
        return json.dumps({"hex": value.hex()})
    return json.dumps(text, ensure_ascii=False) if as_json else text


@systemd.command("import")
@click.argument("stream", metavar="[EXPORT]", type=click.File("rb"), default="-")
@click.option(
    "--out", required=True, metavar="FILE", type=click.Path(path_type=Path), help="New file."
)
@click.option("--compact/--regular", default=True, show_default=True, help="Layout.")
@click.option("--keyed/--jenkins", default=True, show_default=True, help="Hash.")
@click.option(
    "--compression", type=click.Choice(list(COMPRESSIONS)), default="zstd", show_default=True
)
@click.option("--header-size", type=int, default=264, show_default=True, help="264 is systemd 252.")
@click.option("--seal", "key", metavar="KEY", help="Seal with this verification key.")
def import_(
    stream: object,
    out: Path,
    compact: bool,
    keyed: bool,
    compression: str,
    header_size: int,
    key: str | None,
) -> int:
    """Write a systemd journal file from entries in the Journal Export Format.

    Reads standard input if no file is given. Times, boot id and fields are kept; sequence numbers
    begin anew, as with systemd-journal-remote. journalctl can read and verify the new file.

    \b
    journalctl -o export | walproof systemd import --out copy.journal

    Exit status: 0 written, 1 for a usage or I/O error or for input that is not in that format.
    """
    try:
        options = Options(
            header_size=header_size,
            compact=compact,
            keyed=keyed,
            compression=compression,
            key=VerificationKey.parse(key) if key else None,
            continuous=header_size >= 272,
            file_id=(file_id := secrets.token_bytes(16)),
            seqnum_id=file_id,
            machine_id=_machine_id(),
        )
        made = Writer(options)
        for entry in parse_export(stream):  # type: ignore[arg-type]
            _write(made, entry)
        save(out, made.finish(), replace=False)
    except (BadExport, CannotWrite, BadKey, ValueError) as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        raise click.ClickException(f"{out}: {error.strerror or error}") from None
    say(f"{out}: {made.header.n_entries} entries", err=True)
    return 0


def _write(made: Writer, entry: ExportedEntry) -> None:
    """One entry, without the fields whose names no writer accepts, as systemd does it."""
    boot = next(
        (p[9:].decode("ascii", "replace") for p in entry.payloads if p.startswith(b"_BOOT_ID=")), ""
    )
    if not re.fullmatch(r"[0-9a-f]{32}", boot):
        raise BadExport("an entry without _BOOT_ID")
    kept = [p for p in entry.payloads if FIELD_NAME.fullmatch(p.partition(b"=")[0])]
    try:
        realtime = int(entry.address["__REALTIME_TIMESTAMP"])
        monotonic = int(entry.address["__MONOTONIC_TIMESTAMP"])
    except (KeyError, ValueError):
        raise BadExport("an entry without __REALTIME_TIMESTAMP and __MONOTONIC_TIMESTAMP") from None
    made.append(kept, realtime, monotonic, bytes.fromhex(boot))


def _machine_id() -> bytes:
    """The id of this machine, or zeros if it has none."""
    try:
        return bytes.fromhex(Path("/etc/machine-id").read_text().strip())
    except (OSError, ValueError):
        return bytes(16)
