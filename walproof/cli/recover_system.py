"""``walproof recover FOLDER``: a copy of the folder in which damaged logs are written anew."""

from __future__ import annotations

import errno
import os
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeGuard

import click

from conformance.saving import named_in_errors, publish, temporary_sibling
from conformance.text import one_line
from reference_impl.answer import Record
from reference_impl.formats import Format, named
from walproof.cli.output import EXIT_STATUS, say
from walproof.cli.reading import events, watched
from walproof.cli.record_table import Gathered, gather
from walproof.cli.summary import progress
from walproof.quantity import counted, in_bytes
from walproof.summary.logs import FoundOne
from walproof.summary.lost_bytes import lost_counter
from walproof.summary.model import size_of
from walproof.summary.summary import summarise
from walproof.systems import System, SystemFolder, SystemLog, examine, recognise
from walproof.systems.contents import Contents, title_of
from walproof.systems.copying import NotCopied, copy_folder, shares_blocks, size_on_disk
from walproof.systems.model import WHOLE
from walproof.systems.text_conversion import before_conversion

WriteAnew = Callable[[Format, Path, Sequence[Record], Path, Mapping[str, Any]], None]
"""Writes the records of a log as a new one. ``ValueError`` if they cannot stand in one."""
LARGE_COPY_BYTES = 256 << 20
"""Size from which on a copy is announced."""
ASIDE = ".before-recovery"
"""Ends the names of files that are replaced in a copy: the copy keeps them."""


@dataclass
class Recovery:
    """The outcome for one system, in lines for the user.

    ``replaced`` names each file that is not as it was, ``left`` each log that stayed damaged.
    """

    system: System
    records: int = 0
    lost_bytes: int = 0
    lost: list[str] = field(default_factory=list)
    more: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    is_whole: bool = True
    read: int = 0

    @property
    def is_refused(self) -> bool:
        """Whether it has logs, and none of them could be read."""
        return bool(self.left) and not self.read


def recover_folder(
    found: Contents,
    folder: Path,
    typed: str,
    write_anew: WriteAnew,
    out: Path,
    context: Mapping[str, Any],
    only_logs: bool = False,
) -> int:
    """Copy ``folder`` to ``out`` and write damaged logs anew in the copy: exit status.

    ``found`` is what the folder holds, ``typed`` its name for the user. With ``only_logs`` nothing
    but logs is copied. Raises ``OSError`` if ``out`` cannot be written; then nothing is left there.
    """
    if out.absolute().resolve().is_relative_to(folder.resolve()):
        raise click.UsageError(f"--out {out} lies in {typed}: choose a path outside of it")
    systems = [system for system in found.systems if system.folder.is_relative_to(folder)]
    systems += [_alone(item.what) for item in found.items if _is_a_log(item.what, folder)]
    with temporary_sibling(out) as made, named_in_errors(out):
        copy = partial(_copy_logs, systems) if only_logs else _copy
        not_copied = copy(folder, made, out)
        done = [
            _recover(one, made / one.folder.relative_to(folder), write_anew, context)
            for one in systems
        ]
        publish(made, out)
    results = [_result(one, out / one.system.folder.relative_to(folder)) for one in done]
    _say(done, results, not_copied, folder, typed, out)
    if done and all(one.is_refused for one in done):
        return EXIT_STATUS["refused"]
    is_whole = all(one.is_whole for one in done) and not any(one.is_lost for one in not_copied)
    is_lost = any(one.harm == "lost" for system in [*systems, *results] for one in system.findings)
    return 0 if is_whole and not is_lost else 3


def _is_a_log(what: object, folder: Path) -> TypeGuard[FoundOne]:
    """Whether an item is a log of one file in the folder itself: neither packed nor unpacked."""
    return (
        isinstance(what, FoundOne)
        and what.format is not None
        and not what.is_packed
        and what.path.is_relative_to(folder)
    )


def _alone(log: FoundOne) -> System:
    """A log of one file that is in no system's folder, as a system of its own."""
    assert log.format is not None
    title = title_of(log.format)
    return System(
        SystemFolder(), title, log.path.parent, log.format, [SystemLog(log.path.name, title)]
    )


def _copy(folder: Path, made: Path, out: Path) -> list[NotCopied]:
    """Copy a folder; a large copy is announced, and one for which there is no room not begun."""
    files, size = size_on_disk(folder)
    if not shares_blocks(folder, made):
        free = shutil.disk_usage(out.absolute().parent).free
        if size > free:
            needed = f"{in_bytes(size)} needed for a copy of {folder}, {in_bytes(free)} free"
            raise OSError(errno.ENOSPC, f"{os.strerror(errno.ENOSPC)}: {needed}", str(out))
        if size >= LARGE_COPY_BYTES:
            say(
                f"copying {in_bytes(size)} in {counted(files, 'file')} to {out}"
                f" ({in_bytes(free)} are free)",
                err=True,
            )
    with progress(size, "copying") as told:
        return copy_folder(folder, made, told)


def _copy_logs(systems: Sequence[System], folder: Path, made: Path, out: Path) -> list[NotCopied]:
    """Copy the logs alone: what could not be copied."""
    made.mkdir()
    left = []
    for system in systems:
        for name in system.folder_type.log_files(system):
            old = system.folder / name
            new = made / old.relative_to(folder)
            new.parent.mkdir(parents=True, exist_ok=True)
            try:
                old.open("rb").close()
            except OSError as error:
                left.append(NotCopied(old.relative_to(folder).as_posix(), error.strerror or ""))
            else:
                shutil.copy2(old, new)
    return left


def _recover(
    system: System, made: Path, write_anew: WriteAnew, context: Mapping[str, Any]
) -> Recovery:
    """Write the damaged logs of a system anew in the copy ``made`` of its folder."""
    done = Recovery(system)
    for log in system.logs:
        with ExitStack() as scratch:
            _recover_log(done, log, made, write_anew, context, scratch)
    stale = system.folder_type.stale_files(system)
    is_damaged = any(one.harm == "lost" and one.file in stale for one in system.findings)
    if done.replaced or is_damaged:
        for name in stale:
            if (made / name).exists():
                (made / name).rename(made / f"{name}{ASIDE}")
                why = "damaged" if is_damaged else "it pointed into the old log"
                done.replaced.append(f"{name}: {why}; it is now {name}{ASIDE}")
    for name, content in system.folder_type.repaired_files(system).items():
        old = "it was missing"
        if (made / name).exists():
            (made / name).rename(made / f"{name}{ASIDE}")
            old = f"the old one is {name}{ASIDE}"
        (made / name).write_bytes(content)
        text = content.decode("utf-8", "replace").strip()
        done.replaced.append(f"{name}: now {one_line(text)}; {old}")
    return done


def _recover_log(
    done: Recovery,
    log: SystemLog,
    made: Path,
    write_anew: WriteAnew,
    context: Mapping[str, Any],
    scratch: ExitStack,
) -> None:
    """Write a log anew in the copy ``made`` if it is damaged."""
    system = done.system
    path = system.path(log)
    name = "the log" if log.name == WHOLE else log.name
    try:
        converted = scratch.enter_context(before_conversion(system.format, path, context))
        if converted is not None:
            path = converted[0]
            done.more.append(f"{name}: each LF in it had become CR LF; this was undone")
        with progress(size_of(path)) as told:
            seen = watched(events(named(system.format), path, context), path, told)
            found = gather(seen, count_lost=lost_counter(system.format, path))
    except OSError as error:
        done.left.append(f"{name}: {error.strerror or error}")
        done.is_whole = False
        return
    if found.end.verdict == "refused" or system.folder_type.foreign_dialect(path):
        reason = found.end.reason if found.end.verdict == "refused" else "foreign-dialect"
        done.left.append(f"{name}: refused ({reason}): it stays as it is")
        done.is_whole = False
        return
    done.read += 1
    before = found.record_count
    found, more = with_more(found, system.folder_type, path)
    done.more += [f"{name}: {more}"] if more else []
    done.records += found.record_count
    done.lost_bytes += found.lost_bytes
    is_unusable = any(one.harm == "lost" and one.file == log.name for one in system.findings)
    if found.end.verdict == "intact" and not is_unusable and converted is None:
        return
    done.is_whole = False
    done.lost += [
        f"{gap.file or log.name}: [{gap.start}, {gap.end})  {gap.reason}"
        for gap in found.kept.lost()
    ]
    reason = system.folder_type.not_rewritten(system)
    if reason is None and not found.record_count:
        reason = "none of its records survives"
    if reason is None:
        try:
            done.replaced += _replace(system, log, path, found, before, made, write_anew, context)
            return
        except ValueError as error:
            reason = f"its survivors cannot stand in one log: {error}"
    done.left.append(f"{name}: not written anew, it stays as it is: {reason}")


def with_more(found: Gathered, folder_type: SystemFolder, log: Path) -> tuple[Gathered, str]:
    """The survivors of a damaged log with those of a second reading, and a line if it has more."""
    if found.end.verdict == "damaged" and (events := folder_type.more_events(log)) is not None:
        again = gather(events)
        if (more := again.record_count - found.record_count) > 0:
            text = f"{counted(more, 'more record')} found by the length of a damaged one before"
            return again, text
    return found, ""


def _replace(
    system: System,
    log: SystemLog,
    path: Path,
    found: Gathered,
    before: int,
    made: Path,
    write_anew: WriteAnew,
    context: Mapping[str, Any],
) -> list[str]:
    """Write a damaged log anew in place of its copy, which stays beside it: a line for each file.

    ``path`` is where the old log can be read, ``before`` the number of its records. Raises
    ``ValueError`` if the survivors cannot stand in one log; then nothing has changed.
    """
    counts = f"{counted(before, 'record')} before, {found.record_count:,} after"
    with temporary_sibling(made / "log") as new:
        write_anew(named(system.format), path, found.kept.records, new, context)
        if log.name != WHOLE:
            (made / log.name).rename(made / f"{log.name}{ASIDE}")
            new.rename(made / log.name)
            lost = counted(found.lost_bytes, "byte")
            return [f"{log.name}: {counts}, {lost} lost; the old one is {log.name}{ASIDE}"]
        old = {name for name in system.folder_type.log_files(system) if (made / name).exists()}
        for name in old:
            (made / name).rename(made / f"{name}{ASIDE}")
        written = [path for path in sorted(new.rglob("*")) if path.is_file()]
        for path in written:
            target = made / path.relative_to(new)
            target.parent.mkdir(parents=True, exist_ok=True)
            path.rename(target)
    names = [path.relative_to(new).as_posix() for path in written]
    lines = [f"all files of the log: {counts}"]
    for name in sorted({*names, *old}):
        if name not in names:
            lines.append(f"{name}: its records are in {names[0]}; it is now {name}{ASIDE}")
        else:
            lines.append(f"{name}: {f'the old one is {name}{ASIDE}' if name in old else 'new'}")
    return lines


def _result(done: Recovery, folder: Path) -> System:
    """The recovered system, with the findings of its folder and of its logs as they are now."""
    system = recognise(folder, done.system.format)
    if system is None:  # logs alone
        return replace(done.system, folder=folder, findings=(), facts={})
    found = {}
    for log in system.logs:
        with suppress(OSError):
            found[log.name] = summarise(system.format, system.path(log), {})
    return examine(system, found)


def _say(
    done: Sequence[Recovery],
    results: Sequence[System],
    not_copied: Sequence[NotCopied],
    folder: Path,
    typed: str,
    out: Path,
) -> None:
    """Say what is lost, what to do with the result, and last each file that was replaced."""
    records = sum(one.records for one in done)
    lost = sum(one.lost_bytes for one in done)
    say(f"{out}: {counted(records, 'record')}; {counted(lost, 'byte')} lost of {typed}", err=True)
    for left in not_copied:
        say(f"  not copied  {one_line(left.name)}: {left.why}", err=True)
    for one, result in zip(done, results, strict=True):
        place = one.system.folder.relative_to(folder).as_posix()
        prefix = "" if place == "." else f"{one_line(place)}/"
        for text in one.more:
            say(f"  found  {prefix}{text}", err=True)
        for text in one.lost:
            say(f"  lost  {prefix}{text}", err=True)
        _say_findings(result, prefix)
        for text in one.left:
            say(f"  unchanged  {prefix}{text}", err=True)
        for advice in result.folder_type.after_recovery(result):
            say(f"  {advice.replace('NEW', shlex.quote(str(result.folder)))}", err=True)
    replaced = 0
    for one in done:
        place = one.system.folder.relative_to(folder).as_posix()
        prefix = "" if place == "." else f"{one_line(place)}/"
        for text in one.replaced:
            replaced += 1
            say(f"  replaced  {prefix}{text}", err=True)
    if not replaced:
        say("  Nothing was replaced: every file is a copy of the original.", err=True)


def _say_findings(system: System, prefix: str) -> None:
    for finding in system.findings:
        if finding.harm != "none":
            about = f"{prefix}{finding.file}: " if finding.file else prefix and f"{prefix[:-1]}: "
            word = "gone" if finding.harm == "lost" else "look"
            say(f"  {word}  {about}{finding.text}", err=True)
