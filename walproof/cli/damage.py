"""``walproof damage``: a log of anybody's, damaged on purpose."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import click

from conformance.contents import Contents, size, write_contents
from conformance.kaitai.compile import GrammarError, ToolMissing
from conformance.saving import named_in_errors, publish, saved, temporary_sibling
from reference_impl.formats import Format
from walproof.cli.opening import opened, source_of
from walproof.cli.output import say
from walproof.cli.record_table import gather
from walproof.damage.family import family
from walproof.damage.foreign import FORMAT, ForeignGrammar
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
@click.option("--out", metavar="NEW", type=click.Path(path_type=Path), help="The damaged log.")
@click.option("--format", "format_id", metavar="ID", help="Format id; detected if not given.")
@click.option(
    "--ksy", metavar="GRAMMAR", type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A Kaitai grammar of your own, for a file of any format.",
)  # fmt: skip
@click.option("--list", "listed", is_flag=True, help="List the fields and the operations.")
@click.option(
    "--random", "count", metavar="N", type=click.IntRange(min=1),
    help="N damaged copies in the folder NEW, with a manifest.",
)  # fmt: skip
@click.option("--seed", type=int, default=1, show_default=True, help="Of --random.")
def damage(
    log: str,
    words: tuple[str, ...],
    out: Path | None,
    format_id: str | None,
    ksy: Path | None,
    listed: bool,
    count: int | None,
    seed: int,
) -> int:
    """Damage a copy of LOG, in the words that the vectors use; LOG is never changed.

    Fields are those of the grammar, as `walproof inspect` and --list show them. In a log of several
    files a field is FILE:FIELD. Operations are carried out in order; the fields are those of the
    log before the first one, so what changes the length comes last.

    \b
    walproof damage 000003.log --list
    walproof damage 000003.log 'flip bit 3 of blocks[0].records[1].header.checksum' --out bad.log
    walproof damage 000003.log 'set blocks[0].records[0].header.type to 9' \\
        'reseal blocks[0].records[0]' --out bad.log
    walproof damage 000003.log --random 100 --seed 7 --out family/
    walproof damage wal.bin --ksy my_wal.ksy 'flip bit 3 of entries[0].crc' --out bad.bin

    With --random the folder NEW gets manifest.json: what was done to each copy, and what the
    executable specification says of it. With --ksy it says what was done: nothing is known of such
    a format but its fields. The grammar is compiled, and its parser run, in a box.

    Exit status: 0 if it was written, 1 for a usage or I/O error.
    """
    if ksy is not None and format_id is not None:
        raise click.UsageError("--ksy is for a file of any format: it excludes --format")
    asked = _Asked(words, out, listed, count, seed)
    try:
        if ksy is not None:
            with source_of(log) as source, closing(ForeignGrammar(ksy)) as grammar:
                if held := grammar.sandbox.isolation()["could"]:
                    say(f"not isolated: the parser could {'; '.join(held)}", err=True)
                path = source.path
                return _damaged(lambda: log_at(path, FORMAT, grammar.fields), path, None, asked)
        with opened(log, format_id) as found:
            if (system := found.logs_apart) is not None:
                raise click.UsageError(
                    f"{log}: a {system.title}: expected one of its logs, such as"
                    f" {system.logs[0].name if system.logs else 'none'}"
                )
            path, format = found.path, found.format
            return _damaged(lambda: log_at(path, format.id), path, format, asked)
    except (BadOperation, GrammarError, ToolMissing) as error:
        raise click.ClickException(str(error)) from None


@dataclass(frozen=True)
class _Asked:
    """What was typed besides the log."""

    words: tuple[str, ...]
    out: Path | None
    listed: bool
    count: int | None
    seed: int

    def place(self) -> Path:
        """Where the damaged log goes. Raises ``ClickException`` for what cannot be done."""
        if self.out is None:
            raise click.UsageError("say where the damaged log goes: --out NEW")
        if self.out.exists() or self.out.is_symlink():
            raise click.ClickException(f"{self.out} exists: expected a path where nothing is")
        if (self.count is None) == (not self.words):
            raise click.UsageError("say what to do: an operation, or --random N")
        return self.out


def _damaged(
    make: Callable[[], LogToDamage], log: Path, format: Format | None, asked: _Asked
) -> int:
    """Do what was asked to the log that ``make`` gives; ``format`` is None for a foreign one."""
    if asked.listed:
        _list(make())
        return 0
    out = asked.place()
    if asked.count is not None:
        _write_family(make, log, format, asked.count, asked.seed, out)
        return 0
    made = make()
    for one in asked.words:
        carry_out(made, one)
    _write(made.contents, out)
    if format is None:
        say(f"{out}: {counted(size(made.contents), 'byte')}; {'; '.join(made.operations)}")
        return 0
    told = gather(format.read(out, "recover", {}), 0, 0)
    end = told.end
    say(
        f"{out}: {end.verdict}{f' ({end.reason})' if end.reason else ''},"
        f" {counted(told.record_count, 'record')}, {counted(told.lost_bytes, 'byte')} lost"
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
    with temporary_sibling(out) as made:
        with named_in_errors(out):
            write_contents(contents, made)
        publish(made, out)


def _write_family(
    make: Callable[[], LogToDamage],
    log: Path,
    format: Format | None,
    count: int,
    seed: int,
    out: Path,
) -> None:
    about = {"log": log.name, "format": format.id if format is not None else None, "seed": seed}
    with temporary_sibling(out) as made:
        with named_in_errors(out):
            made.mkdir()
        with named_in_errors(out), saved(made / MANIFEST) as file:
            manifest = Manifest(file, about)
            copies: Iterator[tuple[list[str], Contents]] = family(make, count, seed)
            for number, (words, contents) in enumerate(copies, start=1):
                name = f"{number:0{len(str(count))}}{log.suffix}"
                with named_in_errors(out):
                    write_contents(contents, made / name)
                said = format.read(made / name, "recover", {}) if format is not None else None
                manifest.add(name, words, contents, said)
            manifest.finish()
        publish(made, out)
    few = f", of {count:,}: the log has room for no more" if manifest.count < count else ""
    say(f"{out}: {counted(manifest.count, 'damaged copy')}{few}")
