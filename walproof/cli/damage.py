"""``walproof damage``: write a damaged copy of a log."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.contents import write_contents
from conformance.kaitai.compile import GrammarError, ToolMissing
from conformance.saving import named_in_errors, publish, temporary_sibling
from walproof.cli.context import format_option
from walproof.cli.opening import opened
from walproof.cli.output import require_new_path, say
from walproof.cli.record_table import gather
from walproof.inspection.note import Note
from walproof.inspection.show import value_text
from walproof.operation_text import BadOperation, LogToDamage, forms, log_at
from walproof.operation_text import damage as carry_out
from walproof.quantity import counted


@click.command()
@click.argument("log", metavar="LOG")
@click.argument("words", metavar="[OPERATION]...", nargs=-1)
@click.option(
    "--out", metavar="NEW", type=click.Path(path_type=Path), help="Path of the damaged log."
)
@format_option
@click.option("--list", "listed", is_flag=True, help="List the fields and the operations.")
def damage(
    log: str,
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
        with opened(log, format_id) as result:
            if (system := result.logs_apart) is not None:
                raise click.UsageError(
                    f"{log}: a {system.title}: expected one of its logs, such as"
                    f" {system.logs[0].name if system.logs else 'none'}"
                )
            damaged = log_at(result.path, result.format.id)
            if listed:
                _list(damaged)
                return 0
            if out is None:
                raise click.UsageError("missing option --out NEW")
            require_new_path(out)
            if not words:
                raise click.UsageError("expected an OPERATION")
            for each in words:
                carry_out(damaged, each)
            with temporary_sibling(out) as created:
                with named_in_errors(out):
                    write_contents(damaged.contents, created)
                publish(created, out)
            given = gather(result.format.read(out, "recover", {}), 0, 0)
            reason = f" ({given.end.reason})" if given.end.reason else ""
            records, lost = counted(given.record_count, "record"), counted(given.lost_bytes, "byte")
            say(f"{out}: {given.end.verdict}{reason}, {records}, {lost} lost")
            return 0
    except (BadOperation, GrammarError, ToolMissing) as error:
        raise click.ClickException(str(error)) from None


def _list(log: LogToDamage) -> None:
    for file in sorted(log.files):
        for field in log.each_field(file):
            path = f"{file}:{field.path}" if file else field.path
            span = f"{field.start:>10} {field.end - field.start:>8}"
            say(f"{span}  {path}  {value_text(field, Note(), 40)}".rstrip())
    say("")
    say("Operations:")
    for form in forms():
        say(f"  {form}")
