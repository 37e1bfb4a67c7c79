"""Command groups that import a command on first use."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import click

from conformance.declaration import BrokenDeclaration
from walproof.cli.checkout import NeedsCheckout
from walproof.cli.output import say, say_lines
from walproof.extras import advice


class Renamed(click.ClickException):
    """The command has a new name. The message gives this name; the exit status is 2."""

    exit_code = 2


class LazyGroup(click.Group):
    """A group of commands in sections. ``--help`` lists the commands without importing them.

    ``load`` imports the command with a given name.
    """

    def __init__(
        self,
        *arguments: Any,
        sections: Mapping[str, Mapping[str, str]],
        load: Callable[[str], click.Command],
        **options: Any,
    ) -> None:
        super().__init__(*arguments, **options)
        self.sections = sections
        self.load = load

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the command names in the order of the sections."""
        return [name for commands in self.sections.values() for name in commands]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Import a command, or return None for an unknown name."""
        return self.load(name) if name in self.list_commands(context) else None

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one table per section."""
        for title, commands in self.sections.items():
            with formatter.section(title):
                formatter.write_dl(list(commands.items()))


def run(group: click.Command) -> None:
    """Run a command or group and exit with its status; usage errors exit with 1."""
    # By default, numpy starts threads that wait in a busy loop, which costs 50 ms per command.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        status = group.main(standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as nothing:
        click.echo(nothing.format_message())
        raise SystemExit(0) from None
    except click.exceptions.Abort:
        raise SystemExit(130) from None
    except click.ClickException as error:
        _show(error)
        has_status = isinstance(error, NeedsCheckout | Renamed)
        raise SystemExit(error.exit_code if has_status else 1) from None
    except BrokenDeclaration as error:
        say_lines(f"Error: {error}", err=True)
        raise SystemExit(1) from None
    except ModuleNotFoundError as error:
        needed = advice(error)
        if needed is None:
            raise
        say(f"Error: this {needed}", err=True)
        raise SystemExit(1) from None
    except OSError as error:
        if error.filename is None:  # an error without a file name is a defect in Walproof
            raise
        say(f"Error: {os.fsdecode(error.filename)}: {error.strerror}", err=True)
        raise SystemExit(1) from None
    raise SystemExit(status if isinstance(status, int) else 0)


def _show(error: click.ClickException) -> None:
    """Print the same as ``error.show``, with control characters escaped."""
    context = getattr(error, "ctx", None)
    if isinstance(error, click.UsageError) and context is not None:
        click.echo(context.get_usage(), err=True)
        click.echo(f"Try '{context.command_path} --help' for help.\n", err=True)
    say_lines(f"Error: {error.format_message()}", err=True)
