"""Open the log named on the command line, or report why it cannot be read."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import BinaryIO, cast

import click

from reference_impl.formats import UnknownFormat
from walproof.cli.context import context_of
from walproof.cli.output import EXIT_STATUS, say
from walproof.log import Log, Profile
from walproof.log import open as open_log


@contextlib.contextmanager
def opened(
    typed: str, format_id: str | None, context: Sequence[str] = (), profile: Profile = "recover"
) -> Iterator[Log]:
    """Open a log; ``-`` is standard input. The context has the form ``KEY=VALUE``.

    Exits with status 4 if the path is not a log, and with status 1 if it is unreadable.
    """
    with (
        errors_of(typed),
        open_log(_standard_input() if typed == "-" else typed, format_id, profile) as log,
    ):
        log.context = context_of(context, log.format)
        try:
            yield log
        except OSError as error:
            if log.is_copy and error.filename == str(log.path):
                error.filename = typed
            raise


def _standard_input() -> BinaryIO:
    if sys.stdin.isatty():
        raise click.ClickException("standard input is a terminal: expected a log")
    return cast("BinaryIO", SimpleNamespace(name="-", read=sys.stdin.buffer.read))


@contextlib.contextmanager
def errors_of(typed: str) -> Iterator[None]:
    """Convert errors that occur while a path is read to ``click.ClickException``.

    Exits with status 4 if the path is not a log.
    """
    try:
        yield
    except UnknownFormat as error:
        say(f"Error: {error}", err=True)
        raise click.exceptions.Exit(EXIT_STATUS["refused"]) from None
    except ValueError as error:  # the format rejects a --context
        raise click.ClickException(str(error)) from None
    except BrokenPipeError:
        # The log has no error: the program that reads the output closed the pipe.
        raise
    except OSError as error:
        why = error.strerror or str(error)
        raise click.ClickException(f"{error.filename or typed}: {why}") from None
