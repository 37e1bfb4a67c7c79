"""``walproof PATH``: what it is, whether it is whole, what is lost, and what to type next."""

from __future__ import annotations

import contextlib
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from reference_impl.formats import Context, UnknownFormat
from walproof.cli.context import context_of
from walproof.cli.opening import source_of
from walproof.cli.output import EXIT_STATUS, say, say_json
from walproof.quantity import counted
from walproof.summary import of_system
from walproof.summary.beside import Beside, beside, what_it_is
from walproof.summary.logs import FoundOne, below, one
from walproof.summary.model import Summary
from walproof.summary.screen import Line, screen, table
from walproof.summary.summary import Observer, size_of, summarise
from walproof.summary.unpacked import Unpacked, unpacked
from walproof.systems import Finding, System, recognise, size_of_all

LONG = 16 << 20
"""Bytes from which on a bar shows how far the reading is."""
MOST_ASIDE = 8
"""Files that are named though they were not read."""
WIDTH = 100
"""Columns where there is no terminal."""


@click.command()
@click.argument("path", metavar="PATH")
@click.option("--format", "format_id", metavar="ID", help="Format id; detected if not given.")
@click.option(
    "--context",
    "context_items",
    metavar="KEY=VALUE",
    multiple=True,
    help="What the reader is told besides the bytes; VALUE is JSON or text. With --format.",
)
@click.option("--all", "all_logs", is_flag=True, help="A line for every log of a folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one object per log instead.")
def summary(
    path: str, format_id: str | None, context_items: tuple[str, ...], all_logs: bool, as_json: bool
) -> int:
    """Say what PATH is, whether it is whole, what is lost, and what to type next.

    PATH is a log, a folder of logs, a pipe or - for standard input, a file packed by gzip, bzip2,
    xz, zstd or lz4, or a zip or tar archive. It is never changed. Records are counted; the
    first and the last are shown. `walproof PATH` is the same command.

    \b
    walproof 000003.log
    walproof /var/log/journal
    zcat old.log.gz | walproof -

    Exit status: 0 if all is whole, 3 if something is torn or damaged, 4 if something is refused or
    is no log, 1 for a usage or I/O error.
    """
    if context_items and format_id is None:
        raise click.UsageError("--context needs --format: each format has its own keys")
    try:
        with source_of(path, format_id, tells_faults=False) as log:
            context = context_of(context_items, format_id) if format_id else {}
            system = _system(log, format_id)
            if system is not None:
                return _about_system(log, system, context, all_logs, as_json)
            try:
                found = one(log.path, format_id)
            except UnknownFormat as error:
                raise UnknownFormat(f"{error}{_carved(log)}") from None
            if found is not None:
                return _about_one(log, replace(found, context=context), as_json)
            return _about_folder(log, all_logs, as_json)
    except ValueError as error:  # a --context that the format does not understand
        raise click.ClickException(str(error)) from None


def _system(log: Unpacked, told: str | None) -> System | None:
    """The system whose folder this is, with what is in it and not read with it."""
    system = recognise(log.path, told)
    if system is None:
        return None
    known = {finding.file for finding in system.findings}
    known |= {part.name for part in system.logs}
    found = []
    for other in beside(system.folder):
        name = other.path.relative_to(system.folder).as_posix()
        if name not in known:
            command = f": walproof {shlex.quote(str(other.path))} does" if other.format else ""
            text = f"{other.what}; nothing reads it with the folder{'' if log.is_copy else command}"
            found.append(Finding(text, name, "look" if other.format or other.is_fault else "none"))
    return replace(system, findings=[*system.findings, *found])


def _carved(log: Unpacked) -> str:
    """What else may be done with a file that is no log: logs may be in the midst of it."""
    if log.is_copy or not log.path.stat().st_size:
        return ""
    name = shlex.quote(log.typed)
    return f"; walproof carve {name} looks for logs inside it, as in an image of a disk"


def about_one(log: Unpacked, told: str | None, context: Context) -> int:
    """Print the screen about one log: the exit status. ``told`` is the format if the user said it.

    Its reader knows already that it is a log. Raises ``OSError`` and ``ValueError``.
    """
    system = _system(log, told)
    if system is not None:
        return _about_system(log, system, context, all_logs=False, as_json=False)
    found = one(log.path, told)
    assert found is not None
    return _about_one(log, replace(found, context=dict(context)), as_json=False)


def _about_one(log: Unpacked, found: FoundOne, as_json: bool, system: System | None = None) -> int:
    with progress(found.size) as told:
        about = _summarised(found, told)
    if system is None:
        findings = _of_a_part(found)
        if as_json:
            said = {"findings": [one.to_json() for one in findings]} if findings else {}
            say_json({**_json(log.typed, found, about, log), **said})
        else:
            told_of = list(of_system.findings(findings, _width()))
            is_all = not of_system.is_lost(findings)
            _print(screen(log, found, about, _width(), None, told_of, is_all=is_all))
        return max(EXIT_STATUS[about.verdict], 3 if of_system.is_lost(findings) else 0)
    system = replace(system, findings=[*system.findings, *system.kind.beyond(system, about)])
    if as_json:
        say_json({**_json(log.typed, found, about, log), **system.to_json()})
    else:
        width = _width()
        told_of = list(of_system.findings(system.findings, width))
        files = list(of_system.beside(system.others, width))
        title = f"{system.title}: {system.logs[0].role}"
        is_all = not of_system.is_lost(system.findings)
        _print(screen(log, found, about, width, title, told_of, files, is_all))
    return max(EXIT_STATUS[about.verdict], 3 if of_system.is_lost(system.findings) else 0)


def _of_a_part(found: FoundOne) -> list[Finding]:
    """What the folder around an empty file says of it, if it is a system's."""
    if not found.is_blank:
        return []
    around = recognise(found.path.absolute().parent)
    return [one for one in around.findings if one.file == found.path.name] if around else []


def _about_system(
    log: Unpacked, system: System, context: Context, all_logs: bool, as_json: bool
) -> int:
    if system.is_one_log:
        size = size_of_all(system.folder) - sum(other.size for other in system.others)
        found = FoundOne(system.folder, system.format, size, dict(context))
        return _about_one(log, found, as_json, system)
    observer = system.kind.observer(system)
    logs = [_one_of(path, system, context) for path in map(system.path, system.logs)]
    rows, status = _summaries(log, logs, as_json, observer)
    said = observer.lines() if observer is not None else []
    parts = {_below(system.path(part), log): part for part in system.logs}
    gone = [
        each for name, _, about in rows for each in system.kind.of_log(system, parts[name], about)
    ]
    system = replace(system, findings=[*system.findings, *gone])
    if as_json:
        say_json({"folder": log.typed, **system.to_json(), "about": said})
    else:
        say(log.typed)
        _print(of_system.screen(log, system, rows, said, _width(), _height(all_logs)))
    lost = 3 if of_system.is_lost(system.findings) else 0
    return status or max([lost, *(EXIT_STATUS[about.verdict] for _, _, about in rows)])


def _one_of(path: Path, system: System, context: Context) -> FoundOne:
    try:
        return FoundOne(path, system.format, size_of(path), dict(context))
    except OSError as error:
        return FoundOne(path, system.format, 0, fault=error.strerror or str(error))


def _about_folder(log: Unpacked, all_logs: bool, as_json: bool) -> int:
    others = list(beside(log.path))
    aside = [other for other in others if other.format is None and not other.is_fault]
    logs = [*below(log.path), *(_of_beside(other) for other in others if other not in aside)]
    logs.sort(key=lambda other: other.path)
    if not logs:
        files = sum(other.is_file() for other in log.path.rglob("*"))
        among = f"no log among {counted(files, 'file')}" if files else "no file"
        named = "".join(
            f"; {_below(other.path, log)} is {other.what}" for other in aside[:MOST_ASIDE]
        )
        raise UnknownFormat(
            f"{log.typed}: expected a log, or a folder with some below it, found {among}{named}"
        )
    rows, status = _summaries(log, logs, as_json)
    if not as_json and rows:
        say(f"{log.typed}")
        _print(table(rows, _height(all_logs), _width()))
        worst = max(rows, key=lambda row: EXIT_STATUS[row[2].verdict])
        if worst[2].verdict != "intact" and not log.is_copy:  # in an archive it has no path
            say("")
            say(f"  walproof {shlex.quote(worst[0])}", style="cyan")
    _say_aside([(_below(other.path, log), other.what) for other in aside], as_json)
    return status or max((EXIT_STATUS[about.verdict] for _, _, about in rows), default=0)


def _of_beside(other: Beside) -> FoundOne:
    fault = other.what if other.is_fault else None
    return FoundOne(other.path, other.format, other.size, fault=fault, is_packed=fault is None)


def _say_aside(aside: Sequence[tuple[str, str]], as_json: bool) -> None:
    """Name what is in a folder and was not read."""
    if as_json:
        for name, what in aside:
            say_json({"file": name, "not_read": what})
        return
    if aside:
        say("")
    for name, what in aside[:MOST_ASIDE]:
        say(f"  not read: {name}, {what}")
    if len(aside) > MOST_ASIDE:
        say(f"  and {counted(len(aside) - MOST_ASIDE, 'file')} more; --json names them")


def _height(all_logs: bool) -> int:
    return sys.maxsize if all_logs or not sys.stdout.isatty() else terminal_height()


def _summaries(
    log: Unpacked, logs: Sequence[FoundOne], as_json: bool, observer: Observer | None = None
) -> tuple[list[tuple[str, int, Summary]], int]:
    """Name, size and summary of each log that can be read; 1 if one cannot, which is said."""
    rows: list[tuple[str, int, Summary]] = []
    status = 0
    with progress(sum(found.size for found in logs)) as told:
        passed = 0
        for found in logs:
            name = _below(found.path, log)
            try:
                if found.fault is not None:
                    raise OSError(found.fault)
                with _unpacked(found, name, log) as (source, ready):
                    about = _summarised(ready, partial(_after, told, passed), observer)
            except (OSError, ValueError) as error:
                if (what := what_it_is(found.path)) is not None and not found.path.is_symlink():
                    _say_aside([(name, what)], as_json)
                    continue
                say(f"Error: {name}: {getattr(error, 'strerror', None) or error}", err=True)
                status = 1
                continue
            passed += found.size
            if as_json:
                say_json(_json(name, found, about, source))
            rows.append((name, found.size, about))
    return rows, status


@contextlib.contextmanager
def _unpacked(found: FoundOne, name: str, log: Unpacked) -> Iterator[tuple[Unpacked, FoundOne]]:
    """A log of a folder as it can be read. Raises ``OSError`` and ``ValueError``."""
    if not found.is_packed:
        yield log, found
        return
    with unpacked(str(found.path)) as source:
        for fault in source.faults:
            say(f"{name}: only what came out before a fault of the packing: {fault}", err=True)
        yield replace(source, how=(*log.how, *source.how)), replace(found, path=source.path)


def _after(told: Callable[[int], None], passed: int, at: int) -> None:
    told(passed + at)


def _summarised(
    found: FoundOne, told: Callable[[int], None], observer: Observer | None = None
) -> Summary:
    assert found.format is not None
    return summarise(found.format, found.path, found.context, told, observer)


def _json(name: str, found: FoundOne, about: Summary, log: Unpacked) -> dict[str, object]:
    return {
        "log": name,
        "size": found.size,
        "recognised_by": found.by,
        **({"unpacked": list(log.how)} if log.how else {}),
        **({"faults": list(log.faults)} if log.faults else {}),
        **about.to_json(),
    }


def _below(path: Path, log: Unpacked) -> str:
    """A log of a folder as the user would type it; inside an archive, as it is called there."""
    if log.is_copy:
        return path.relative_to(log.path).as_posix()
    return str(path)


def _print(lines: Iterable[Line]) -> None:
    for text, colour in lines:
        say(text, style=colour)


def _width() -> int:
    return shutil.get_terminal_size((WIDTH, 24)).columns


def terminal_height() -> int:
    """Lines of the terminal."""
    return shutil.get_terminal_size((WIDTH, 24)).lines


@contextlib.contextmanager
def progress(size: int, doing: str = "reading") -> Iterator[Callable[[int], None]]:
    """A bar on the terminal for what takes long; it leaves nothing there."""
    console = Console(stderr=True)
    if size < LONG or not console.is_terminal:
        yield lambda at: None
        return
    bar = Progress(
        TextColumn(doing),
        BarColumn(),
        DownloadColumn(binary_units=True),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )
    with bar:
        task = bar.add_task(doing, total=size)
        yield lambda at: bar.update(task, completed=at)
