"""``walproof recover FOLDER`` for a system: its logs anew, and the files that the system needs."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.saving import made_beside, named_in_errors, publish
from reference_impl.answer import Record
from reference_impl.formats import Format, named
from walproof.cli.output import EXIT_STATUS, say
from walproof.cli.reading import events, watched
from walproof.cli.record_table import Gathered, gather
from walproof.cli.summary import progress
from walproof.quantity import counted
from walproof.summary.summary import size_of
from walproof.systems import System, SystemLog

WriteAnew = Callable[[Format, Path, Sequence[Record], Path, Mapping[str, Any]], None]
"""Writes the records of a log as a new one. ``ValueError`` if they cannot stand in one."""


def recover_system(
    system: System, typed: str, write_anew: WriteAnew, out: Path, context: Mapping[str, Any]
) -> int:
    """Write the logs of a system anew, and what it keeps, into the folder ``out``: exit status.

    ``typed`` is what the user calls the system's folder.

    A log of several whose survivors cannot stand in one is left out, and said. Raises ``OSError``,
    ``ValueError`` if it is the only one, and ``ClickException`` if nothing can be written.
    """
    done: list[tuple[SystemLog, Gathered]] = []
    left_out: list[str] = []
    with made_beside(out) as made:
        with named_in_errors(out):
            if not system.is_one_log:
                made.mkdir()
        for log in system.logs:
            path = system.path(log)
            try:
                with progress(size_of(path)) as told:
                    found = events(named(system.format), path, context)
                    answer = gather(watched(found, path, told))
            except OSError as error:
                left_out.append(f"{log.name}: {error.strerror or error}")
                continue
            why = f"refused ({answer.end.reason})"
            if answer.end.verdict != "refused":
                new = made if system.is_one_log else made / log.name
                with named_in_errors(out):
                    new.parent.mkdir(parents=True, exist_ok=True)
                try:
                    with named_in_errors(out):
                        write_anew(named(system.format), path, answer.kept.records, new, context)
                    done.append((log, answer))
                    continue
                except ValueError as error:
                    if system.is_one_log:
                        raise
                    why = f"its survivors cannot stand in one log: {error}"
            left_out.append(f"{log.name}: {why}")
        if left_out and not done:
            say(f"{typed}: {left_out[0]}", err=True)
            return EXIT_STATUS["refused"]
        for other in system.others:
            if other.is_kept:
                with named_in_errors(out):
                    _copy(system.folder / other.name, made / other.name)
        publish(made, out)
    _say(system, typed, out, done, left_out)
    is_whole = all(answer.end.verdict == "intact" for _, answer in done) and not left_out
    return 0 if is_whole and not any(one.harm == "lost" for one in system.findings) else 3


def _say(
    system: System,
    typed: str,
    out: Path,
    done: Sequence[tuple[SystemLog, Gathered]],
    left_out: Sequence[str],
) -> None:
    """What was written, what is lost, what stands beside it, and what to do with the result."""
    records = sum(answer.record_count for _, answer in done)
    lost = sum(answer.lost_bytes for _, answer in done)
    several = "" if system.is_one_log else f" in {counted(len(done), 'log')}"
    say(
        f"{out}: {counted(records, 'record')}{several}; {counted(lost, 'byte')} lost of {typed}",
        err=True,
    )
    for log, answer in done:
        if not system.is_one_log:
            say(f"  log   {log.name}: {counted(answer.record_count, 'record')}", err=True)
        for gap in answer.kept.lost():
            place = gap.file if system.is_one_log else log.name
            say(f"  lost  {place}: [{gap.start}, {gap.end})  {gap.reason}", err=True)
    for text in left_out:
        say(f"  left out  {text}", err=True)
    for is_kept, word in ((True, "copied as they are"), (False, "left out")):
        names = [other.name for other in system.others if other.is_kept == is_kept]
        if names:
            say(f"  {word}: {_listed(names)}", err=True)
    for finding in system.findings:
        if finding.harm != "none":
            about = f"{finding.file}: " if finding.file else ""
            say(
                f"  {'gone' if finding.harm == 'lost' else 'look'}  {about}{finding.text}", err=True
            )
    if advice := system.kind.after_recovery(system):
        say(f"  {advice}", err=True)


def _listed(names: Sequence[str], most: int = 6) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def _copy(old: Path, new: Path) -> None:
    new.parent.mkdir(parents=True, exist_ok=True)
    if old.is_dir():
        shutil.copytree(old, new)
    else:
        shutil.copyfile(old, new)
