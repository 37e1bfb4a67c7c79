"""``walproof export``: a systemd journal file in the Journal Export Format."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from reference_impl.answer import End, Lost
from reference_impl.systemd_journal import layout, mapped
from reference_impl.systemd_journal.export_format import export_entry
from reference_impl.systemd_journal.reader import read

EXIT_STATUS = {"intact": 0, "torn": 3, "damaged": 3, "refused": 4}


@click.command()
@click.argument("log", metavar="FILE", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--match", metavar="FIELD=VALUE", help="Only entries that have this field.")
def export(log: Path, match: str | None) -> int:
    """Print the entries of a systemd journal file in the Journal Export Format.

    What journalctl -o export prints for the same file, but the fields of an entry are sorted; of
    a damaged file, all that survives. What is lost is listed on standard error.

    \b
    walproof export system.journal | systemd-journal-remote --output=copy.journal -
    walproof export broken.journal | walproof import --output mended.journal

    Exit status: 0 intact, 3 torn or damaged, 4 refused, 1 for a usage or I/O error.
    """
    context = {"match": match} if match else {}
    out = sys.stdout.buffer
    status = 0
    try:
        with mapped(log) as data:
            seqnum_id = bytes(data[72:88]).hex() if len(data) >= layout.HEADER_MIN else ""
            for event in read(data, "recover", context):
                if isinstance(event, Lost):
                    click.echo(f"lost {event.start}–{event.end}: {event.reason}", err=True)
                elif isinstance(event, End):
                    status = EXIT_STATUS[event.verdict]
                    if event.reason:
                        click.echo(f"{log}: {event.verdict} ({event.reason})", err=True)
                else:
                    out.write(export_entry(event.fields, seqnum_id, event.payload))
    except OSError as error:
        raise click.ClickException(f"{log}: {error.strerror or error}") from None
    out.flush()
    return status
