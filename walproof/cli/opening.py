"""Open the file, pipe, compressed file, archive or folder that a command line names."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from reference_impl.answer import Event
from reference_impl.formats import FORMATS, Context, Format, UnknownFormat, named
from walproof.cli.output import EXIT_STATUS, say
from walproof.formats import plugin_for
from walproof.lake.recognition import recognise_log
from walproof.summary.logs import looks_like
from walproof.summary.model import Summary
from walproof.summary.summary import summarise
from walproof.summary.unpacked import CannotUnpack, Unpacked, unpacked
from walproof.systems import Finding, System, examine, recognise
from walproof.systems.contents import FoundLog, NotRead, contents_of
from walproof.systems.reading import read_log
from walproof.systems.text_conversion import conversion_finding


@dataclass(frozen=True)
class Opened:
    """An open log.

    ``system`` is set if the path is the folder of a system. ``database`` is set if the path is a
    database file; the open log is then the log next to this file.
    """

    source: Unpacked
    format: Format
    system: System | None = None
    database: Unpacked | None = None

    @property
    def path(self) -> Path:
        """The readable path: a scratch copy if the log was compressed or piped."""
        return self.source.path

    @property
    def logs_apart(self) -> System | None:
        """The system if its logs are read one at a time, else None."""
        return None if self.system is None or self.system.is_one_log else self.system

    def events(self, profile: str, context: Context, tells: bool = True) -> Iterator[Event]:
        """Yield the answer for all logs; if ``tells`` is true, print findings about the folder."""
        if tells:
            self.tell()
        if self.logs_apart is not None:
            return self.logs_apart.folder_type.read(self.logs_apart, profile, context, read_log)
        return self.format.read(self.path, profile, context)

    def tell(self) -> None:
        """Print the findings about the folder of a system on standard error."""
        self.tell_of(self.findings)

    def losses(self) -> list[Finding]:
        """Read the logs of a system again, and return the losses that the summary reports.

        Some losses, such as a lost vote, only show when the logs are compared with other files. For
        a single file that belongs to a system, return the losses of this file.
        """
        findings: Sequence[Finding] = ()
        if self.system is not None:
            findings = examined(self.system).findings
        elif not self.source.is_copy and (around := system_around(self.path)) is not None:
            about = summarise(self.format.id, self.path, {})
            findings = findings_of_file(self.path, about, around)
        return [each for each in findings if each.harm == "lost"]

    @property
    def findings(self) -> Sequence[Finding]:
        """The findings about the folder of a system that do not depend on its records."""
        return self.system.findings if self.system is not None else ()

    def tell_of(self, findings: Iterable[Finding]) -> None:
        """Print findings on standard error, except harmless ones."""
        for finding in findings:
            if finding.harm != "none":
                about = f"{finding.file}: " if finding.file else ""
                say(f"{self.source.typed}: {about}{finding.text}", err=True)

    @property
    def may_resume(self) -> bool:
        """Return whether a writer may append; false for a copy and for a log with missing parts."""
        if self.source.is_copy or self.logs_apart is not None:
            return False
        return not any(finding.harm == "lost" for finding in self.findings)

    @property
    def name(self) -> str:
        """The path as typed, and how the log was unpacked: ``a.gz, unpacked from gzip``."""
        return f"{self.source.typed}{self.source.origin}"


def examined(system: System) -> System:
    """Read the logs of a system, and return the system with the findings from its logs."""
    summaries = {}
    for log in system.logs:
        with contextlib.suppress(OSError):
            summaries[log.name] = summarise(system.format, system.path(log), {})
    return examine(system, summaries)


def system_around(path: Path) -> System | None:
    """Return the system whose folder contains a file, or None."""
    try:
        return recognise(path.absolute().parent)
    except OSError:  # for example, no permission to list the folder
        return None


def findings_of_file(path: Path, about: Summary, around: System | None) -> list[Finding]:
    """Return the findings about a file, and about its role in the system ``around`` the file."""
    findings: list[Finding] = []
    part = None
    if around is not None:
        findings += [each for each in around.findings if each.file == path.name]
        part = next((log for log in around.logs if log.name == path.name), None)
    if around is not None and part is not None:
        findings += around.folder_type.of_log(around, part, about)
    elif path.is_file():
        findings += plugin_for(about.format).system_folder.of_dialect(path)
    if about.verdict != "intact":
        findings += conversion_finding(about.format, path, path.name)
    return findings


@contextlib.contextmanager
def opened(typed: str | Path, format_id: str | None = None) -> Iterator[Opened]:
    """Open the log at ``typed`` in the given or detected format.

    Exits with status 4 if the path is not a log, and with status 1 if it is unreadable.
    """
    try:
        with source_of(typed, format_id) as source:
            yield log_in(source, format_id)
    except ValueError as error:  # a --context that the format rejects
        raise click.ClickException(str(error)) from None


def log_in(source: Unpacked, format_id: str | None) -> Opened:
    """Return the log at a source, or the log next to it, in the given or detected format.

    Raises ``UnknownFormat`` with a description of the file.
    """
    system = recognise(source.path, format_id)
    if format_id is not None or system is not None:
        return Opened(source, named(format_id or system.format), system)  # type: ignore[union-attr]
    try:
        return Opened(source, named(recognise_log(source.path)))
    except UnknownFormat as error:
        if (log := _log_of(source)) is not None:
            typed = str(Path(source.typed).with_name(log.name))
            return replace(log_in(replace(source, path=log, typed=typed), None), database=source)
        name = shlex.quote(source.typed)
        if not source.path.is_dir():
            is_searched = not source.is_copy and source.path.stat().st_size
            carve = f"; walproof carve {name} searches it for logs" if is_searched else ""
            raise UnknownFormat(f"{looks_like(source.path, str(error))}{carve}") from None
        if source.typed == "-" or not any(source.path.iterdir()):
            raise
        raise UnknownFormat(f"{error}; walproof {name} summarises each log in it") from None


def _log_of(source: Unpacked) -> Path | None:
    if source.is_copy or not source.path.is_file():
        return None
    logs = (plugin_for(format_id).system_folder.log_of(source.path) for format_id in FORMATS)
    return next((log for log in logs if log is not None), None)


@contextlib.contextmanager
def source_of(
    typed: str | Path, format_id: str | None = None, tells_faults: bool = True
) -> Iterator[Unpacked]:
    """Open a source of any format. Errors end the command as in :func:`opened`.

    If ``tells_faults`` is false, the caller reports damaged compression.
    """
    typed = str(typed)
    source: Unpacked | None = None
    try:
        if format_id:
            named(format_id)
        with unpacked(typed) as source:
            for fault in source.faults if tells_faults else ():
                say(f"{typed}: unpacked only up to a fault: {fault}", err=True)
            yield source
    except UnknownFormat as error:
        if format_id:
            raise click.ClickException(str(error)) from None
        say(f"Error: {_as_typed(str(error), source)}", err=True)
        raise click.exceptions.Exit(EXIT_STATUS["refused"]) from None
    except CannotUnpack as error:
        raise click.ClickException(str(error)) from None
    except BrokenPipeError:
        raise  # the reader of the output closed the pipe; the log is readable
    except OSError as error:
        name = str(error.filename or typed)
        why = error.strerror or str(error)
        raise click.ClickException(f"{_as_typed(name, source)}: {why}") from None


def logs_of(source: Unpacked, format_id: str) -> list[tuple[str, Path]]:
    """List all logs of a format in a folder, with their names. Raises ``UnknownFormat``."""
    paths: list[tuple[str, Path]] = []
    for item in contents_of(source.path, "" if source.is_copy else source.typed).items:
        if isinstance(item.what, System):
            if item.what.format == format_id:
                parts = ((log.name, item.what.path(log)) for log in item.what.logs)
                paths += [(str(Path(item.name, name)), path) for name, path in parts]
        elif isinstance(item.what, FoundLog) and item.what.format == format_id:
            paths.append((item.name, item.what.path))
        elif isinstance(item.what, NotRead):
            say(f"{item.name}: not read: {item.what.why}", err=True)
    if not paths:
        raise UnknownFormat(f"{source.path}: expected a {format_id} log, or a folder of such logs")
    return paths


def _as_typed(text: str, source: Unpacked | None) -> str:
    if source is None or not source.is_copy:
        return text
    return text.replace(str(source.path), source.typed)
