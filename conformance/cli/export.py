"""``walproof export``: a systemd journal file in the Journal Export Format."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click

from reference_impl.answer import End, Lost
from reference_impl.systemd_journal import layout, mapped
from reference_impl.systemd_journal.export_format import export_entry
from reference_impl.systemd_journal.objects import FIELD_NAME
from reference_impl.systemd_journal.reader import read

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
EXIT_STATUS = {"intact": 0, "torn": 3, "damaged": 3, "refused": 4}


@click.command()
@click.argument("log", metavar="FILE", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.argument("matches", metavar="[FIELD=VALUE]...", nargs=-1)
@click.option("-S", "--since", metavar="TIME", help="Only entries at or after this time.")
@click.option("--from-seqnum", metavar="N", type=click.IntRange(0), help="Only from this one on.")
def export(log: Path, matches: tuple[str, ...], since: str | None, from_seqnum: int | None) -> int:
    """Print the entries of a systemd journal file in the Journal Export Format.

    What journalctl -o export prints for the same file, but the fields of an entry are sorted; of
    a damaged file, all that survives. What is lost is listed on standard error.

    Matches are those of journalctl: of two values of one field either will do, of two fields both
    must be there. TIME is 2023-11-14, "2023-11-14 22:13:20", both in UTC, or @ and seconds since
    1970, with a fraction if need be.

    \b
    walproof export system.journal | systemd-journal-remote --output=copy.journal -
    walproof export broken.journal | walproof import --output mended.journal
    walproof export system.journal _UID=0 PRIORITY=3 PRIORITY=2 --since @1700000000

    Exit status: 0 intact, 3 torn or damaged, 4 refused, 1 for a usage or I/O error.
    """
    for match in matches:
        if not FIELD_NAME.fullmatch(match.partition("=")[0].encode()) or "=" not in match:
            raise click.UsageError(f"expected FIELD=VALUE, found {match!r}")
    context: dict[str, Any] = {"match": list(matches)} if matches else {}
    if since is not None:
        context["from_realtime"] = str(microseconds(since))
    if from_seqnum is not None:
        context["from_seqnum"] = str(from_seqnum)
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


def microseconds(text: str) -> int:
    """A time as journalctl takes it: a date, a date and a time of day, or ``@`` and seconds."""
    try:
        if text.startswith("@"):
            seconds, _, fraction = text[1:].partition(".")
            return int(seconds) * 1_000_000 + int(f"{fraction:0<6}"[:6])
        when = datetime.fromisoformat(text)
    except ValueError:
        raise click.UsageError(f"--since: no time: {text!r}") from None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return (when - EPOCH) // timedelta(microseconds=1)
