"""``walproof recover FOLDER``: copy a folder and rewrite its damaged logs."""

from __future__ import annotations

import errno
import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeGuard

import click

from conformance.saving import named_in_errors, publish, temporary_sibling
from conformance.text import one_line
from reference_impl.formats import named
from walproof.cli.new_log import Survivors, survivors
from walproof.cli.opening import examined
from walproof.cli.output import EXIT_STATUS, say
from walproof.cli.summary import progress
from walproof.quantity import counted, in_bytes
from walproof.systems import System, SystemFolder, SystemLog, recognise
from walproof.systems.contents import Contents, FoundLog, title_of
from walproof.systems.copying import NotCopied, copy_folder, size_on_disk
from walproof.systems.model import WHOLE

#: Suffix of the old versions of replaced files in a copy.
ASIDE = ".before-recovery"


@dataclass
class Recovery:
    """The outcome for one system, as lines of text.

    ``replaced`` names each changed file, and ``left`` names each log that remains damaged.
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
        """Return whether there are logs and all of them are refused."""
        return bool(self.left) and not self.read


def recover_folder(
    contents: Contents,
    folder: Path,
    typed: str,
    out: Path,
    context: Mapping[str, Any],
) -> int:
    """Copy ``folder`` to ``out`` and rewrite damaged logs in the copy; return the exit status.

    Removes ``out`` and raises ``OSError`` if ``out`` cannot be written.
    """
    if out.absolute().resolve().is_relative_to(folder.resolve()):
        raise click.UsageError(f"--out {out} is inside {typed}: choose a path outside")
    systems = [system for system in contents.systems if system.folder.is_relative_to(folder)]
    systems += [_alone(item.what) for item in contents.items if _is_a_log(item.what, folder)]
    with temporary_sibling(out) as created, named_in_errors(out):
        not_copied = _copy(folder, created, out)
        done = [
            _recover(each, created / each.folder.relative_to(folder), context) for each in systems
        ]
        publish(created, out)
    results = [_result(each, out / each.system.folder.relative_to(folder)) for each in done]
    _say(done, results, not_copied, folder, typed, out)
    if done and all(each.is_refused for each in done):
        return EXIT_STATUS["refused"]
    is_whole = all(each.is_whole for each in done) and not any(each.is_lost for each in not_copied)
    is_lost = any(
        each.harm == "lost" for system in [*systems, *results] for each in system.findings
    )
    return 0 if is_whole and not is_lost else 3


def _is_a_log(what: object, folder: Path) -> TypeGuard[FoundLog]:
    return isinstance(what, FoundLog) and what.path.is_relative_to(folder)


def _alone(log: FoundLog) -> System:
    """Return a system that consists of one single-file log."""
    title = title_of(log.format)
    return System(
        SystemFolder(), title, log.path.parent, log.format, [SystemLog(log.path.name, title)]
    )


def _copy(folder: Path, copy: Path, out: Path) -> list[NotCopied]:
    size = size_on_disk(folder)
    free = shutil.disk_usage(out.absolute().parent).free
    if size > free:
        needed = f"{in_bytes(size)} needed for a copy of {folder}, {in_bytes(free)} free"
        raise OSError(errno.ENOSPC, f"{os.strerror(errno.ENOSPC)}: {needed}", str(out))
    with progress(size, "copying") as given:
        return copy_folder(folder, copy, given)


def _recover(system: System, copy: Path, context: Mapping[str, Any]) -> Recovery:
    done = Recovery(system)
    for log in system.logs:
        name = "the log" if log.name == WHOLE else log.name
        with ExitStack() as stack:
            try:
                read = survivors(named(system.format), system.path(log), context)
                left = stack.enter_context(read)
            except OSError as error:
                done.left.append(f"{name}: {error.strerror or error}")
                done.is_whole = False
            else:
                _recover_log(done, log, name, left, copy)
    stale = system.folder_type.stale_files(system)
    is_damaged = any(each.harm == "lost" and each.file in stale for each in system.findings)
    if done.replaced or is_damaged:
        for name in stale:
            if _set_aside(copy, name):
                why = "damaged" if is_damaged else "pointed into the old log"
                done.replaced.append(f"{name}: {why}; renamed to {name}{ASIDE}")
    for name, content in system.folder_type.repaired_files(system).items():
        old = f"old version: {name}{ASIDE}" if _set_aside(copy, name) else "was missing"
        (copy / name).write_bytes(content)
        text = content.decode("utf-8", "replace").strip()
        done.replaced.append(f"{name}: now {one_line(text)}; {old}")
    return done


def _recover_log(done: Recovery, log: SystemLog, name: str, left: Survivors, copy: Path) -> None:
    system, answer = done.system, left.answer
    if left.is_converted:
        done.more.append(f"{name}: undid a text conversion: each LF had become CR LF")
    if left.refusal is not None:
        done.left.append(f"{name}: refused ({left.refusal})")
        done.is_whole = False
        return
    done.read += 1
    done.more += [f"{name}: {left.more}"] if left.more else []
    done.records += answer.record_count
    done.lost_bytes += answer.lost_bytes
    is_unusable = any(each.harm == "lost" and each.file == log.name for each in system.findings)
    if answer.end.verdict == "intact" and not is_unusable and not left.is_converted:
        return
    done.is_whole = False
    done.lost += [
        f"{gap.file or log.name}: [{gap.start}, {gap.end})  {gap.reason}"
        for gap in answer.stored.lost()
    ]
    reason = system.folder_type.not_rewritten(system)
    if reason is None and not answer.record_count:
        reason = "no record survives"
    if reason is None:
        try:
            done.replaced += _replace(done, log, left, copy)
            return
        except ValueError as error:
            reason = f"the surviving records cannot form one log: {error}"
    done.left.append(f"{name}: not rewritten: {reason}")


def _replace(done: Recovery, log: SystemLog, left: Survivors, copy: Path) -> list[str]:
    """Rewrite a damaged log next to its old version; return one line per file.

    Raises ``ValueError`` and changes nothing if the surviving records cannot form one log.
    """
    counts = f"{counted(left.before, 'record')} before, {len(left.kept):,} after"
    with temporary_sibling(copy / "log") as new:
        left.write(new)
        if log.name != WHOLE:
            _set_aside(copy, log.name)
            new.rename(copy / log.name)
            done.more += [f"{log.name}: {text}" for text in left.write_evidence(copy / log.name)]
            lost = counted(left.answer.lost_bytes, "byte")
            return [f"{log.name}: {counts}, {lost} lost; old version: {log.name}{ASIDE}"]
        files = done.system.folder_type.log_files(done.system)
        old = {name for name in files if _set_aside(copy, name)}
        written = [path for path in sorted(new.rglob("*")) if path.is_file()]
        for path in written:
            target = copy / path.relative_to(new)
            target.parent.mkdir(parents=True, exist_ok=True)
            path.rename(target)
    names = [path.relative_to(new).as_posix() for path in written]
    lines = [f"all files of the log: {counts}"]
    for name in sorted({*names, *old}):
        if name not in names:
            lines.append(f"{name}: its records are in {names[0]}; renamed to {name}{ASIDE}")
        else:
            lines.append(f"{name}: {f'old version: {name}{ASIDE}' if name in old else 'new'}")
    return lines


def _set_aside(copy: Path, name: str) -> bool:
    if not (copy / name).exists():
        return False
    (copy / name).rename(copy / f"{name}{ASIDE}")
    return True


def _result(done: Recovery, folder: Path) -> System:
    system = recognise(folder, done.system.format)
    if system is None:  # a log that belongs to no system
        return replace(done.system, folder=folder, findings=(), facts={})
    return examined(system)


def _say(
    done: Sequence[Recovery],
    results: Sequence[System],
    not_copied: Sequence[NotCopied],
    folder: Path,
    typed: str,
    out: Path,
) -> None:
    records = sum(each.records for each in done)
    lost = sum(each.lost_bytes for each in done)
    say(f"{out}: {counted(records, 'record')}; {counted(lost, 'byte')} of {typed} lost", err=True)
    for left in not_copied:
        say(f"  not copied  {one_line(left.name)}: {left.why}", err=True)
    for each, result in zip(done, results, strict=True):
        prefix = _prefix(each.system, folder)
        for text in each.more:
            say(f"  found  {prefix}{text}", err=True)
        for text in each.lost:
            say(f"  lost  {prefix}{text}", err=True)
        _say_findings(result, prefix)
        for text in each.left:
            say(f"  unchanged  {prefix}{text}", err=True)
        for advice in result.folder_type.after_recovery(result):
            about = f"{prefix[:-1]}: " if prefix else ""
            say(f"  {about}{advice.replace('NEW', shlex.quote(str(result.folder)))}", err=True)
    for each in done:
        for text in each.replaced:
            say(f"  replaced  {_prefix(each.system, folder)}{text}", err=True)
    if not any(each.replaced for each in done):
        say("  No file was replaced: all files are copies of the originals.", err=True)


def _prefix(system: System, folder: Path) -> str:
    place = system.folder.relative_to(folder).as_posix()
    return "" if place == "." else f"{one_line(place)}/"


def _say_findings(system: System, prefix: str) -> None:
    for finding in system.findings:
        if finding.harm != "none":
            about = f"{prefix}{finding.file}: " if finding.file else prefix and f"{prefix[:-1]}: "
            word = "lost" if finding.harm == "lost" else "check"
            say(f"  {word}  {about}{finding.text}", err=True)
