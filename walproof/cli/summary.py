"""``walproof PATH``: summarise a log or folder and suggest the next commands."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import click

from reference_impl.formats import Context
from reference_impl.register import registers
from walproof.cli.context import context_of, context_option, format_option
from walproof.cli.opening import findings_of_file, log_in, source_of, system_around
from walproof.cli.output import EXIT_STATUS, say, say_json
from walproof.lake.recognition import is_blank
from walproof.quantity import counted
from walproof.summary.logs import Row, recognised_by
from walproof.summary.model import Observer, size_of
from walproof.summary.screen import (
    Line,
    faults_of,
    is_lost,
    screen,
    system_part,
    system_screen,
    table,
)
from walproof.summary.summary import summarise
from walproof.summary.unpacked import Unpacked
from walproof.systems import (
    Finding,
    Harm,
    OtherFile,
    System,
    SystemLog,
    examine,
    size_of_all,
)
from walproof.systems.contents import (
    Contents,
    FoundLog,
    NotRead,
    contents_of,
    what_it_is,
)
from walproof.systems.model import WHOLE

#: Size in bytes from which a progress bar is shown.
LONG = 16 << 20
#: The largest number of unread files that the output names.
MOST_ASIDE = 8
#: Width in columns without a terminal.
WIDTH = 100


@click.command()
@click.argument("path", metavar="PATH")
@format_option
@context_option
@click.option("--all", "all_logs", is_flag=True, help="Print one line for every log of a folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per log.")
def summary(
    path: str, format_id: str | None, context_items: tuple[str, ...], all_logs: bool, as_json: bool
) -> int:
    """Summarise a log or folder: format, state, losses.

    PATH is a log, a folder of logs, a pipe, or - for standard input. PATH may also be a zip or tar
    archive, or a file compressed with gzip, bzip2, xz, zstd or lz4. PATH is never changed. The
    summary counts the records, shows the first and the last record, and suggests the next commands.
    `walproof PATH` is the same command.

    \b
    walproof 000003.log
    walproof /var/log/journal
    zcat old.log.gz | walproof -

    Exit status: 0 if everything is intact, 3 if something is torn or damaged, 4 if something is
    refused or not a log, 1 for a usage or I/O error.
    """
    if context_items and format_id is None:
        raise click.UsageError("--context needs --format: each format has its own keys")
    try:
        with source_of(path, format_id, tells_faults=False) as log:
            context = context_of(context_items, format_id) if format_id else {}
            return about(log, format_id, context, all_logs, as_json)
    except ValueError as error:  # a --context that the format rejects
        raise click.ClickException(str(error)) from None


def about(
    log: Unpacked,
    format_id: str | None,
    context: Context,
    all_logs: bool = False,
    as_json: bool = False,
) -> int:
    """Print the summary of a log or folder; return the exit status.

    Raises ``OSError`` and ``ValueError``.
    """
    report = _Report(log, context, all_logs, as_json)
    if log.path.is_dir():
        result = contents_of(log.path, report.name, format_id)
        top = [each for each in result.systems if each.folder == log.path]
        if len(top) == 1:
            rest = Contents([i for i in result.items if i.what is not top[0]], result.foreign)
            status = report.system(_with_unread(top[0], rest))
            return max(status, report.tree(rest, is_rest=True)) if rest.items else status
        if format_id is None or "folder" not in registers()[format_id].log:
            return report.tree(result)
    found = log_in(log, format_id)
    by = "told" if format_id else recognised_by(found.path, found.format.id)
    target = FoundLog(found.path, found.format.id, size_of(found.path))
    return replace(report, log=found.source).one(target, by)


def _with_unread(system: System, rest: Contents) -> System:
    """Move the unread files of the system's own folder from ``rest`` to the system's findings."""
    known = {finding.file for finding in system.findings} | {part.name for part in system.logs}
    results = []
    for item in [*rest.items]:
        what = item.what
        if isinstance(what, NotRead) and what.path.parent == system.folder:
            rest.items.remove(item)
            if what.path.name not in known:
                text = f"{what.why}; not part of the system"
                harm: Harm = "look" if what.is_fault else "none"
                results.append(Finding(text, what.path.name, harm))
    if rest.foreign:
        text = f"{counted(rest.foreign, 'other file')} outside of the system"
        results.append(Finding(text, None, "none"))
        rest.foreign = 0
    return replace(system, findings=[*system.findings, *results])


@dataclass(frozen=True)
class _Report:
    """A printer of the summary of one path. The public methods return exit statuses."""

    log: Unpacked
    context: Context
    all_logs: bool
    as_json: bool

    @property
    def name(self) -> str:
        """The path as typed; empty for a copy, because its logs have no path."""
        return "" if self.log.is_copy else self.log.typed

    def one(self, log: FoundLog, by: str = "content", system: System | None = None) -> int:
        """Print one log, or a system that is one log."""
        with progress(log.size) as given:
            about = summarise(log.format, log.path, self.context, given)
        row = Row(self.log.typed, log.size, about, by, system is None and is_blank(log.path))
        title: str | None = None
        others: Sequence[OtherFile] = ()
        findings: Sequence[Finding]
        if system is None:
            findings = findings_of_file(log.path, about, system_around(log.path))
            more = {"findings": [each.to_json() for each in findings]} if findings else {}
        else:
            system = examine(system, {WHOLE: about})
            findings, others, more = system.findings, system.others, system.to_json()
            title = f"{system.title}: {system.logs[0].role}"
        if self.as_json:
            say_json({**row.to_json(self.log), **more})
        else:
            _print(screen(self.log, row, terminal_size().columns, title, findings, others))
        return max(EXIT_STATUS[about.verdict], 3 if is_lost(findings) else 0)

    def system(self, system: System) -> int:
        if system.is_one_log:
            return self.one(_found_log(system, system.logs[0]), system=system)
        observer = system.folder_type.observer(system)
        rows, status, system = self._of_system(self.name, system, observer)
        observed = observer.lines() if observer is not None else []
        if self.as_json:
            say_json({"folder": self.log.typed, **system.to_json(), "about": observed})
        else:
            say(self.log.typed)
            _print(
                system_screen(
                    self.log, system, rows, observed, terminal_size().columns, self._height()
                )
            )
        return status

    def tree(self, contents: Contents, is_rest: bool = False) -> int:
        """Print all systems and logs in a folder.

        ``is_rest`` is true if these are the other contents of a system's folder.
        """
        pairs = ((item.name, item.what) for item in contents.items)
        unread = [(name, what) for name, what in pairs if isinstance(what, NotRead)]
        faults = {name: what.why for name, what in unread if what.is_fault}
        aside = [(name, what.why) for name, what in unread if name not in faults]
        if not is_rest:
            contents.require_logs(self.log.typed)
        if not self.as_json:
            if is_rest:
                say("")
            say("  also in this folder" if is_rest else self.log.typed)
            _print(() if is_rest else faults_of(self.log))
        rows: list[Row] = []
        codes: list[tuple[int, str]] = []
        broken = 0
        for item in contents.items:
            if isinstance(item.what, System):
                these, code, system = self._of_system(item.name, item.what)
                if self.as_json:
                    say_json({"folder": item.name, **system.to_json()})
                else:
                    _print(system_part(item.name, system, these, terminal_size().columns))
                broken += code != 0
            elif isinstance(item.what, FoundLog):
                these, code = self._summaries([(item.name, item.what, None)])
                code = code or max((EXIT_STATUS[row.summary.verdict] for row in these), default=0)
            else:
                continue
            rows += these
            codes.append((code, item.name))
        for name, why in faults.items():
            say(f"Error: {name}: {why}", err=True)
        if not self.as_json and contents.systems:
            say("")
            state = f"{broken} not intact" if broken else "all intact"
            say(f"{counted(len(contents.systems), 'system')}; {state}")
        worst = max(codes, key=lambda each: each[0], default=(0, ""))
        if not self.as_json and rows:
            say("")
            _print(table(rows, self._height(), terminal_size().columns))
            if worst[0] and not self.log.is_copy:  # logs in an archive have no path
                say("")
                say(f"  walproof {shlex.quote(worst[1])}", style="cyan")
        _say_aside(aside, self.as_json)
        if contents.foreign and not self.as_json:
            say(f"  skipped {counted(contents.foreign, 'other file')}")
        elif contents.foreign:
            say_json({"folder": self.log.typed, "other_files": contents.foreign})
        return 1 if faults or 1 in dict(codes) else worst[0]

    def _of_system(
        self, name: str, system: System, observer: Observer | None = None
    ) -> tuple[list[Row], int, System]:
        """Return the rows of a system's logs, the status, and the system with all findings."""
        logs = [(_inside(name, part.name), _found_log(system, part), part) for part in system.logs]
        rows, status = self._summaries(logs, observer)
        system = examine(system, {row.part.name: row.summary for row in rows if row.part})
        codes = [EXIT_STATUS[row.summary.verdict] for row in rows]
        if is_lost(system.findings):
            codes.append(3)
        if any(code != EXIT_STATUS["refused"] for code in codes):
            # A refused log among others counts as damage of the system.
            codes = [min(code, 3) for code in codes]
        return rows, status or max(codes, default=0), system

    def _summaries(
        self,
        logs: Sequence[tuple[str, FoundLog, SystemLog | None]],
        observer: Observer | None = None,
    ) -> tuple[list[Row], int]:
        """Return the rows of the readable logs, and the status: 1 if a log is unreadable."""
        rows: list[Row] = []
        status = passed = 0
        with progress(sum(log.size for _, log, _ in logs)) as given:

            def after(at: int) -> None:
                given(passed + at)

            for name, log, part in logs:
                try:
                    about = summarise(log.format, log.path, self.context, after, observer)
                except (OSError, ValueError) as error:
                    if (what := what_it_is(log.path)) and not log.path.is_symlink():
                        _say_aside([(name, what)], self.as_json)
                        continue
                    say(f"Error: {name}: {getattr(error, 'strerror', None) or error}", err=True)
                    status = 1
                    continue
                passed += log.size
                rows.append(Row(name, log.size, about, part=part))
                if self.as_json:
                    say_json(rows[-1].to_json(self.log))
        return rows, status

    def _height(self) -> int:
        return sys.maxsize if self.all_logs or not sys.stdout.isatty() else terminal_size().lines


def _inside(folder: str, name: str) -> str:
    if name == WHOLE:
        return folder or "."
    return f"{folder.rstrip('/')}/{name}" if folder else name


def _found_log(system: System, part: SystemLog) -> FoundLog:
    path = system.path(part)
    others = sum(other.size for other in system.others) if part.name == WHOLE else 0
    return FoundLog(path, system.format, size_of_all(path) - others)


def _say_aside(aside: Sequence[tuple[str, str]], as_json: bool) -> None:
    if as_json:
        for name, what in aside:
            say_json({"file": name, "not_read": what})
        return
    if aside:
        say("")
    for name, what in aside[:MOST_ASIDE]:
        say(f"  not read: {name}, {what}")
    if len(aside) > MOST_ASIDE:
        say(f"  and {len(aside) - MOST_ASIDE:,} more (--json lists them)")


def _print(lines: Iterable[Line]) -> None:
    for text, colour in lines:
        say(text, style=colour)


def terminal_size() -> os.terminal_size:
    """Return the columns and lines of the terminal."""
    return shutil.get_terminal_size((WIDTH, 24))


@contextlib.contextmanager
def progress(size: int, doing: str = "reading") -> Iterator[Callable[[int], None]]:
    """Show a progress bar for long operations, and remove it at the end."""
    if size < LONG:
        yield lambda at: None
        return
    # Import only for large logs: the import takes longer than reading a small log.
    from walproof.progress import progress_bar

    with progress_bar(doing, size, in_bytes=True) as bar:
        yield lambda at: bar.show(done=at)
