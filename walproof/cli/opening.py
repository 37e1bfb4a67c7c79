"""What a command was given, opened: a log, a pipe, a packed file, an archive, a system's folder.

One way for all commands: what cannot be read, and what is no log, is one line that begins with
what the user typed.
"""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from reference_impl.answer import Event
from reference_impl.formats import Context, Format, UnknownFormat, named
from walproof.cli.output import EXIT_STATUS, say
from walproof.lake.recognition import recognise_log
from walproof.summary.logs import FoundOne
from walproof.summary.unpacked import CannotUnpack, Unpacked, unpacked
from walproof.systems import System, recognise
from walproof.systems.contents import contents_of
from walproof.systems.reading import read_log


@dataclass(frozen=True)
class Opened:
    """A log that can be read: where it lies now, what the user typed, and its format.

    ``system`` is whose folder it is, if it is a system's.
    """

    source: Unpacked
    format: Format
    system: System | None = None

    @property
    def path(self) -> Path:
        """Where the log can be read: for what was packed or piped, a scratch copy."""
        return self.source.path

    @property
    def logs_apart(self) -> System | None:
        """The system, if its logs are files that its format knows one at a time."""
        return None if self.system is None or self.system.is_one_log else self.system

    def events(self, profile: str, context: Context, tells: bool = True) -> Iterator[Event]:
        """The answer, about all logs of a system; ``tells`` first what is wrong with its folder."""
        if tells:
            self.tell()
        if self.logs_apart is not None:
            return self.logs_apart.folder_type.read(self.logs_apart, profile, context, read_log)
        return self.format.read(self.path, profile, context)

    def tell(self) -> None:
        """Say on standard error what is wrong with the folder of a system."""
        for finding in self.system.findings if self.system is not None else ():
            if finding.harm != "none":
                about = f"{finding.file}: " if finding.file else ""
                say(f"{self.source.typed}: {about}{finding.text}", err=True)

    @property
    def may_resume(self) -> bool:
        """Whether a writer could go on with it: not with a copy, nor where something is gone."""
        if self.source.is_copy or self.logs_apart is not None:
            return False
        findings = self.system.findings if self.system is not None else ()
        return not any(finding.harm == "lost" for finding in findings)

    @property
    def name(self) -> str:
        """What the user typed, and how the log came out of it: ``a.gz, unpacked from gzip``."""
        return f"{self.source.typed}{self.source.came}"


@contextlib.contextmanager
def opened(typed: str | Path, format_id: str | None = None) -> Iterator[Opened]:
    """The log that ``typed`` leads to, in the format that was told or that it shows.

    Ends the command with a line on standard error: with status 4 for what is no log, with 1 for
    what cannot be read.
    """
    with source_of(typed, format_id) as source:
        yield log_in(source, format_id)


def log_in(source: Unpacked, format_id: str | None) -> Opened:
    """The log that is there, in the format that was told or that it shows. ``UnknownFormat``."""
    system = recognise(source.path, format_id)
    if format_id:
        return Opened(source, named(format_id), system)
    try:
        id = system.format if system else recognise_log(source.path)
        return Opened(source, named(id), system)
    except UnknownFormat as error:
        if not source.path.is_dir() or source.typed == "-":
            raise
        name, where = shlex.quote(source.typed), "in" if source.is_copy else "below"
        raise UnknownFormat(f"{error}; walproof {name} reads each log {where} it") from None


@contextlib.contextmanager
def source_of(
    typed: str | Path, format_id: str | None = None, tells_faults: bool = True
) -> Iterator[Unpacked]:
    """What ``typed`` leads to, of whatever format. Errors end the command as in :func:`opened`.

    Without ``tells_faults`` the caller says what is broken in the packing.
    """
    typed = str(typed)
    source: Unpacked | None = None
    try:
        if format_id:
            named(format_id)
        with unpacked(typed) as source:
            for fault in source.faults if tells_faults else ():
                say(f"{typed}: only what came out before a fault of the packing: {fault}", err=True)
            yield source
    except UnknownFormat as error:
        if format_id:
            raise click.ClickException(str(error)) from None
        say(f"Error: {_as_typed(str(error), source)}", err=True)
        raise click.exceptions.Exit(EXIT_STATUS["refused"]) from None
    except CannotUnpack as error:
        raise click.ClickException(str(error)) from None
    except BrokenPipeError:
        raise  # `| head` has read enough; the log is not at fault
    except OSError as error:
        name = str(error.filename or typed)
        why = error.strerror or str(error)
        raise click.ClickException(f"{_as_typed(name, source)}: {why}") from None


@contextlib.contextmanager
def logs_of(source: Unpacked, format_id: str) -> Iterator[list[tuple[str, Path]]]:
    """Name and path of each log of a format in a folder, at every level. ``UnknownFormat``."""
    with contents_of(source.path, "" if source.is_copy else source.typed) as found:
        paths: list[tuple[str, Path]] = []
        for item in found.items:
            if isinstance(item.what, System):
                if item.what.format == format_id:
                    parts = ((log.name, item.what.path(log)) for log in item.what.logs)
                    paths += [(str(Path(item.name, name)), path) for name, path in parts]
            elif isinstance(item.what, FoundOne) and item.what.format == format_id:
                if item.what.is_packed:
                    say(f"{item.name}: packed, not read: walproof {item.name} reads it", err=True)
                else:
                    paths.append((item.name, item.what.path))
        if not paths:
            raise UnknownFormat(
                f"{source.path}: expected a log of {format_id}, or a folder of some"
            )
        yield paths


def _as_typed(text: str, source: Unpacked | None) -> str:
    """A message that names the user's file where it named a scratch copy."""
    if source is None or not source.is_copy:
        return text
    return text.replace(str(source.path), source.typed)
