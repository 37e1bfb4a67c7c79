"""``walproof recover``: write the surviving records of damaged logs to new logs."""

from __future__ import annotations

import filecmp
import itertools
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from conformance.saving import named_in_errors, publish, temporary_sibling
from reference_impl.formats import UnknownFormat
from walproof.cli.context import context_of, context_option, format_option
from walproof.cli.opening import errors_of, opened
from walproof.cli.output import EXIT_STATUS, require_new_path, say
from walproof.directory_copy import copy_directory, copy_directory_status, copy_owner_and_mode
from walproof.log import Log
from walproof.log_finder import find_logs
from walproof.new_log import CannotWrite, Survivors, after_loss_file, read_survivors
from walproof.quantity import counted

#: The original of a replaced file gets this suffix.
DAMAGED = ".damaged"


@click.command()
@click.argument("path", metavar="PATH")
@click.option(
    "-o",
    "--out",
    required=True,
    metavar="NEW",
    type=click.Path(path_type=Path),
    help="Path of the new log or directory.",
)
@format_option
@context_option
def recover(path: str, out: Path, format_id: str | None, context_items: tuple[str, ...]) -> int:
    """Write the surviving records to a new log.

    PATH is a log or a directory. It is never changed, and NEW must not exist. NEW appears only if
    it is complete and can be read back.

    For a log, NEW contains the records that `walproof read` returns. Records that the format cannot
    store in the same sequence, such as those after a loss, go to NEW.after-loss.jsonl instead: one
    JSON object per line, with the payload in hexadecimal.

    For a directory, NEW is a copy of the directory in which damaged logs are replaced. The original
    of each replaced file stays beside it as NAME.damaged. Links are copied as links; named pipes,
    sockets and devices are not copied.

    \b
    walproof recover 000003.log --out recovered.log
    walproof recover app.db-wal --out recovered.db-wal
    walproof recover journal/ --out recovered/

    Exit status: 0 if nothing was lost, 3 if something was lost (NEW has the rest), 4 if a log is
    refused, 1 for a usage or I/O error, or if the survivors cannot form one log.
    """
    for new in (out, after_loss_file(out)):
        require_new_path(new)
    if Path(path).is_dir():
        if context_items and format_id is None:
            raise click.UsageError("--context needs --format: each format has its own keys")
        with errors_of(path):
            context = context_of(context_items, format_id) if format_id else {}
            return _recover_directory(path, out, format_id, context)
    with opened(path, format_id, context_items) as log:
        survivors = read_survivors(log)
        if survivors.end.verdict == "refused":
            say(f"{path}: refused ({survivors.end.reason}); nothing was written", err=True)
            return EXIT_STATUS["refused"]
        try:
            survivors.publish(out)
        except CannotWrite as error:
            raise click.ClickException(f"{path}: {_not_one_log(survivors, error)}") from None
        say(f"{out}: {_counts(survivors, out)}")
        return max(EXIT_STATUS[survivors.end.verdict], 3 if survivors.others else 0)


def _counts(survivors: Survivors, out: Path) -> str:
    records = f"{counted(len(survivors.records), 'record')} returned"
    text = f"{records}, {counted(survivors.lost_bytes, 'byte')} lost"
    if not survivors.others:
        return text
    return f"{text}, {counted(len(survivors.others), 'record')} in {after_loss_file(out).name}"


def _not_one_log(survivors: Survivors, error: CannotWrite) -> str:
    found = f"{counted(survivors.count, 'record')}, {counted(survivors.lost_bytes, 'byte')} lost"
    return f"{found}; no new log was written: {error}"


def _recover_directory(
    path: str, out: Path, format_id: str | None, context: Mapping[str, Any]
) -> int:
    directory = Path(path).resolve()
    if out.absolute().resolve().is_relative_to(directory):
        raise click.UsageError(f"--out {out} is inside {path}: choose a path outside")
    found = find_logs(directory, format_id)
    if not found.logs and not any(unread.is_error for unread in found.unread):
        raise UnknownFormat(f"{path}: no log found; nothing was written")
    statuses, lines, replaced = [0], [], 0
    with temporary_sibling(out) as copy, named_in_errors(out):
        not_copied = copy_directory(directory, copy)
        found = find_logs(copy, format_id)
        for log in found.logs:
            name = Path(log.name).relative_to(copy)
            log.context |= context
            with log:
                survivors = read_survivors(log)
                statuses.append(EXIT_STATUS[survivors.end.verdict])
                if survivors.end.verdict == "refused":
                    lines.append(f"{name}: not replaced: refused ({survivors.end.reason})")
                elif survivors.end.verdict != "intact":
                    try:
                        lines.append(f"{name}: replaced: {_replace(log, survivors)}")
                        replaced += 1
                    except CannotWrite as error:
                        lines.append(f"{name}: not replaced: {_not_one_log(survivors, error)}")
        copy_directory_status(directory, copy)
        publish(copy, out)
    for line in lines:
        say(line)
    for each in not_copied:
        say(f"not copied: {each.name}: {each.reason}", err=True)
    say(f"{out}: {counted(replaced, 'log')} of {len(found.logs):,} replaced")
    return 1 if any(each.is_error for each in not_copied) else max(statuses)


def _replace(log: Log, survivors: Survivors) -> str:
    """Replace a log in a copy of its directory, and keep the originals of all replaced files.

    Return the number of records as text. If the survivors cannot form one log, change nothing and
    raise :class:`CannotWrite`.
    """
    place = log.path / log.files[0] if log.files else log.path
    with temporary_sibling(place) as scratch:
        scratch.mkdir(0o700)
        created = scratch / ("new" if log.files else log.path.name)
        survivors.write(created)
        targets = {created: log.path}
        if log.files:
            new_files = [path for path in created.rglob("*") if path.is_file()]
            targets = {path: log.path / path.relative_to(created) for path in new_files}
        if (others := after_loss_file(created)).exists():
            targets[others] = _unused(after_loss_file(place))
        for new, target in targets.items():
            copy_owner_and_mode(target if target.is_file() else place, new)
        suffixes = {target.suffix for target in targets.values()}
        for old in (log.path / file for file in log.files):
            # Leave files of other types, such as .meta, in place, because the writer does not
            # replace them.
            if old in targets.values() or old.suffix not in suffixes:
                continue
            # Rename the folder of a checkpoint too, because an empty checkpoint would still be part
            # of the log.
            folder = old.parent
            is_left = folder != log.path and not any(
                target.is_relative_to(folder) for target in targets.values()
            )
            if os.path.lexists(old):
                (folder if is_left else old).rename(_original(folder if is_left else old))
        for new, target in targets.items():
            if target.is_file() and filecmp.cmp(new, target, shallow=False):
                continue
            if os.path.lexists(target):
                target.rename(_original(target))
            target.parent.mkdir(parents=True, exist_ok=True)
            new.rename(target)
    return _counts(survivors, place)


def _original(path: Path) -> Path:
    """Return an unused path for the original of a file to be replaced."""
    return _unused(path.with_name(f"{path.name}{DAMAGED}"))


def _unused(path: Path) -> Path:
    """Return the path or, if it exists, the path with a number appended."""
    numbered = (path.with_name(f"{path.name}.{number}") for number in itertools.count(2))
    return next(name for name in itertools.chain([path], numbered) if not os.path.lexists(name))
