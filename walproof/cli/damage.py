"""``walproof damage``: write damaged copies of a log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from conformance.contents import Contents, write_contents
from conformance.kaitai.compile import GrammarError, ToolMissing
from conformance.saving import named_in_errors, publish, saved, temporary_sibling
from reference_impl.formats import Format
from walproof.cli.context import format_option
from walproof.cli.opening import opened
from walproof.cli.output import say
from walproof.cli.record_table import gather
from walproof.damage.family import family
from walproof.damage.log import LogToDamage, log_at
from walproof.damage.manifest import Manifest
from walproof.damage.operation_text import BadOperation, forms
from walproof.damage.operation_text import damage as carry_out
from walproof.inspection.note import Note
from walproof.inspection.show import value_text
from walproof.quantity import counted

MANIFEST = "manifest.json"


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

    With --random, the folder NEW also receives manifest.json. It lists the operations for each copy
    and the answer of the executable specification.

    Exit status: 0 on success, 1 for a usage or I/O error.
    """
    requested = _Arguments(words, out, listed, count, seed)
    try:
        with opened(log, format_id) as result:
            if (system := result.logs_apart) is not None:
                raise click.UsageError(
                    f"{log}: a {system.title}: expected one of its logs, such as"
                    f" {system.logs[0].name if system.logs else 'none'}"
                )
            path, format = result.path, result.format
            return _damaged(lambda: log_at(path, format.id), path, format, requested)
    except (BadOperation, GrammarError, ToolMissing) as error:
        raise click.ClickException(str(error)) from None


@dataclass(frozen=True)
class _Arguments:
    """The arguments other than the log."""

    words: tuple[str, ...]
    out: Path | None
    listed: bool
    count: int | None
    seed: int

    def place(self) -> Path:
        """Return the output path. Raises ``ClickException`` if the arguments are invalid."""
        if self.out is None:
            raise click.UsageError("missing option --out NEW")
        if self.out.exists() or self.out.is_symlink():
            raise click.ClickException(f"{self.out} already exists: expected a new path")
        if (self.count is None) == (not self.words):
            raise click.UsageError("expected either an OPERATION or --random N")
        return self.out


def _damaged(
    make: Callable[[], LogToDamage], log: Path, format: Format, arguments: _Arguments
) -> int:
    """Damage the log that ``make`` loads."""
    if arguments.listed:
        _list(make())
        return 0
    out = arguments.place()
    if arguments.count is not None:
        _write_family(make, log, format, arguments.count, arguments.seed, out)
        return 0
    created = make()
    for each in arguments.words:
        carry_out(created, each)
    _write(created.contents, out)
    given = gather(format.read(out, "recover", {}), 0, 0)
    end = given.end
    say(
        f"{out}: {end.verdict}{f' ({end.reason})' if end.reason else ''},"
        f" {counted(given.record_count, 'record')}, {counted(given.lost_bytes, 'byte')} lost"
    )
    return 0


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


def _write(contents: Contents, out: Path) -> None:
    with temporary_sibling(out) as created:
        with named_in_errors(out):
            write_contents(contents, created)
        publish(created, out)


def _write_family(
    make: Callable[[], LogToDamage],
    log: Path,
    format: Format,
    count: int,
    seed: int,
    out: Path,
) -> None:
    about = {"log": log.name, "format": format.id, "seed": seed}
    with temporary_sibling(out) as created:
        with named_in_errors(out):
            created.mkdir()
        with named_in_errors(out), saved(created / MANIFEST) as file:
            manifest = Manifest(file, about)
            copies: Iterator[tuple[list[str], Contents]] = family(make, count, seed)
            for number, (words, contents) in enumerate(copies, start=1):
                name = f"{number:0{len(str(count))}}{log.suffix}"
                with named_in_errors(out):
                    write_contents(contents, created / name)
                manifest.add(name, words, contents, format.read(created / name, "recover", {}))
            manifest.finish()
        publish(created, out)
    few = f"of {count:,} requested: the log allows no more" if manifest.count < count else ""
    say(f"{out}: {counted(manifest.count, 'damaged copy')}{few}")
