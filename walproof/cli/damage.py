"""``walproof damage``: write a damaged copy of a log."""

from __future__ import annotations

from pathlib import Path

import click

from conformance import VECTORS
from conformance.contents import Contents, read_contents, write_contents
from conformance.damage.operations import BadOperation, DamagedLog
from conformance.damage.text import forms, parse
from conformance.kaitai.compile import GrammarError, ToolMissing
from conformance.kaitai.field_text import value_text
from conformance.saving import named_in_errors, publish, temporary_sibling
from conformance.vectors import load
from walproof.cli.context import format_option
from walproof.cli.opening import opened
from walproof.cli.output import require_new_path, say
from walproof.cli.record_table import gather
from walproof.log import Log
from walproof.quantity import counted


@click.command()
@click.argument("path", metavar="LOG")
@click.argument("words", metavar="[OPERATION]...", nargs=-1)
@click.option(
    "-o", "--out", metavar="NEW", type=click.Path(path_type=Path), help="Path of the damaged log."
)
@format_option
@click.option("--list", "listed", is_flag=True, help="List the fields and the operations.")
def damage(
    path: str,
    words: tuple[str, ...],
    out: Path | None,
    format_id: str | None,
    listed: bool,
) -> int:
    """Write a damaged copy of a log.

    LOG itself is never changed. OPERATION uses the language of the test vectors. `walproof inspect`
    and --list show the fields. For a log that consists of several files, write FILE:FIELD.
    Operations run in the given order, but field paths refer to the undamaged log. Put operations
    that change the length last.

    \b
    walproof damage 000003.log --list
    walproof damage 000003.log 'flip bit 3 of blocks[0].records[1].header.checksum' --out bad.log
    walproof damage 000003.log 'set blocks[0].records[0].header.type to 9' \\
    'reseal blocks[0].records[0]' --out bad.log

    Exit status: 0 on success, 1 for a usage or I/O error.
    """
    try:
        with opened(path, format_id) as log:
            damaged = DamagedLog(
                read_contents(log.path), log.format, log.path.name, _contents_of_vector
            )
            if listed:
                _list(damaged)
                return 0
            if out is None:
                raise click.UsageError("missing option --out NEW")
            require_new_path(out)
            if not words:
                raise click.UsageError("expected an OPERATION")
            for text in words:
                _apply(damaged, text)
            with temporary_sibling(out) as created:
                with named_in_errors(out):
                    write_contents(damaged.contents, created)
                publish(created, out)
            given = gather(log.format, Log(log.format, out).events(), 0, 0)
            reason = f" ({given.end.reason})" if given.end.reason else ""
            records, lost = counted(given.record_count, "record"), counted(given.lost_bytes, "byte")
            say(f"{out}: {given.end.verdict}{reason}, {records}, {lost} lost")
            return 0
    except (BadOperation, GrammarError, ToolMissing) as error:
        raise click.ClickException(str(error)) from None


def _contents_of_vector(id: str) -> Contents:
    path = VECTORS / f"{id}.json"
    if not path.is_file():
        raise BadOperation(f"there is no vector {id}")
    return load(path).contents


def _apply(log: DamagedLog, text: str) -> None:
    operation = parse(text)
    try:
        log.apply(operation)
    except BadOperation as error:
        raise BadOperation(f"{text}: {error}") from None


def _list(log: DamagedLog) -> None:
    for file in sorted(log.files):
        for field in log.fields_of(file):
            path = f"{file}:{field.path}" if file else field.path
            span = f"{field.start:>10} {field.end - field.start:>8}"
            say(f"{span}  {path}  {value_text(field, 40)}".rstrip())
    say("")
    say("Operations:")
    for form in forms():
        say(f"  {form}")
