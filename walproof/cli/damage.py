"""``walproof damage``: write damaged copies of a log."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from conformance.contents import Contents, digest, read_contents, size, write_contents
from conformance.kaitai.compile import GrammarError, ToolMissing
from conformance.saving import named_in_errors, publish, save, temporary_sibling
from conformance.text import json_text
from reference_impl.answer import collect
from reference_impl.formats import Format
from walproof.cli.context import format_option
from walproof.cli.opening import opened
from walproof.cli.output import say
from walproof.cli.record_table import gather
from walproof.inspection.note import Note
from walproof.inspection.show import value_text
from walproof.operation_text import BadOperation, LogToDamage, forms, log_at
from walproof.operation_text import damage as carry_out
from walproof.quantity import counted
from walproof.sweep.controls import MAX_CONTROL_BYTES, control_at
from walproof.sweep.enumeration import random_damages

MANIFEST = "manifest.json"
#: Number of random damages for each copy; some are equal, or have no words on a command line.
ATTEMPTS = 50


@click.command()
@click.argument("log", metavar="LOG")
@click.argument("words", metavar="[OPERATION]...", nargs=-1)
@click.option(
    "--out", metavar="NEW", type=click.Path(path_type=Path), help="Path of the damaged log."
)
@format_option
@click.option("--list", "listed", is_flag=True, help="List the fields and the operations.")
@click.option(
    "--random", "count", metavar="N", type=click.IntRange(min=1),
    help="Number of random damaged copies in the folder NEW.",
)  # fmt: skip
@click.option("--seed", type=int, default=1, show_default=True, help="Seed for --random.")
def damage(
    log: str,
    words: tuple[str, ...],
    out: Path | None,
    format_id: str | None,
    listed: bool,
    count: int | None,
    seed: int,
) -> int:
    """Write a damaged copy of a log.

    LOG itself is never changed. OPERATION uses the language of the test vectors. Its fields are
    those of the grammar, as shown by `walproof inspect` and --list. In a log of several files,
    write FILE:FIELD. Operations run in the given order, but field paths refer to the undamaged log:
    put operations that change the length last.

    \b
    walproof damage 000003.log --list
    walproof damage 000003.log 'flip bit 3 of blocks[0].records[1].header.checksum' --out bad.log
    walproof damage 000003.log 'set blocks[0].records[0].header.type to 9' \\
        'reseal blocks[0].records[0]' --out bad.log
    walproof damage 000003.log --random 100 --seed 7 --out family/

    With --random, the damages are those of `walproof sweep`, and LOG must be small. The folder NEW
    also receives manifest.json. It lists the operations for each copy and the answer of the
    executable specification.

    Exit status: 0 on success, 1 for a usage or I/O error.
    """
    try:
        with opened(log, format_id) as result:
            if (system := result.logs_apart) is not None:
                raise click.UsageError(
                    f"{log}: a {system.title}: expected one of its logs, such as"
                    f" {system.logs[0].name if system.logs else 'none'}"
                )
            path, format = result.path, result.format

            def make() -> LogToDamage:
                return log_at(path, format.id)

            if listed:
                _list(make())
                return 0
            if out is None:
                raise click.UsageError("missing option --out NEW")
            if out.exists() or out.is_symlink():
                raise click.ClickException(f"{out} already exists: expected a new path")
            if (count is None) == (not words):
                raise click.UsageError("expected either an OPERATION or --random N")
            if count is not None:
                _write_copies(path, format, count, seed, out)
                return 0
            damaged = make()
            for each in words:
                carry_out(damaged, each)
            with temporary_sibling(out) as created:
                with named_in_errors(out):
                    write_contents(damaged.contents, created)
                publish(created, out)
            given = gather(format.read(out, "recover", {}), 0, 0)
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


def _write_copies(path: Path, format: Format, count: int, seed: int, out: Path) -> None:
    """Write distinct damaged copies, and a manifest with their operations and answers."""
    contents = read_contents(path)
    if size(contents) > MAX_CONTROL_BYTES["full"]:
        raise click.ClickException(
            f"{path}: expected at most {MAX_CONTROL_BYTES['full']:,} bytes for --random,"
            f" found {size(contents):,}"
        )
    listed: list[dict[str, Any]] = []
    with temporary_sibling(out) as created, named_in_errors(out):
        created.mkdir()
        # The same log gives the same copies, whatever its path is.
        control = replace(control_at(path, format.id, {}), id=format.id)
        damages = random_damages(control, seed)
        earlier = {digest(contents)}
        for words, damaged in itertools.islice(damages, ATTEMPTS * count):
            mark = digest(damaged)
            if mark in earlier or not _is_repeatable(log_at(path, format.id), words, damaged):
                continue
            earlier.add(mark)
            name = f"{len(listed) + 1:0{len(str(count))}}{path.suffix}"
            write_contents(damaged, created / name)
            answer = collect(format.read(created / name, "recover", {}))
            listed.append(
                {
                    "name": name,
                    "damage": words,
                    "size": size(damaged),
                    "sha256": mark,
                    "verdict": answer.verdict,
                    "reason": answer.reason,
                    "records": len(answer.records),
                    "lost": [gap.to_json() for gap in answer.lost],
                }
            )
            if len(listed) == count:
                break
        about = {"log": path.name, "format": format.id, "seed": seed, "copies": listed}
        save(created / MANIFEST, json_text(about, indent=1) + "\n")
        publish(created, out)
    few = f" of {count:,} requested: the log allows no more" if len(listed) < count else ""
    say(f"{out}: {counted(len(listed), 'damaged copy')}{few}")


def _is_repeatable(log: LogToDamage, words: Sequence[str], damaged: Contents) -> bool:
    """Return whether the operations, as arguments of this command, give the same bytes."""
    try:
        for each in words:
            carry_out(log, each)
    except BadOperation:
        return False
    return log.contents == damaged
