"""Group commands that are imported on first use."""

from __future__ import annotations

import gc
import os
import shlex
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import Any

import click

from conformance import __version__
from conformance.declaration import BrokenDeclaration
from walproof.cli.checkout import NeedsCheckout
from walproof.cli.near_names import did_you_mean
from walproof.cli.output import QUIET, say, say_lines
from walproof.cli.stopping import stoppable
from walproof.extras import advice


class LazyGroup(click.Group):
    """A command group with sections, whose ``--help`` does not import the commands.

    ``load`` imports a command by its name.
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
        """Import a command and add ``--quiet``, or return None for an unknown name."""
        if name not in self.list_commands(context):
            return None
        command = self.load(name)
        if QUIET not in command.params:
            command.params.append(QUIET)
        return command

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve a command. Raises a usage error with similar names for an unknown command."""
        names = self.list_commands(context)
        if args[0] not in names:
            near = did_you_mean(args[0], names)
            raise click.UsageError(f"no such command: {args[0]}{near}", context)
        return super().resolve_command(context, args)

    def invoke(self, context: click.Context) -> Any:
        """Run a command. On a signal that ends the program, remove its temporary files first."""
        with stoppable():
            return super().invoke(context)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one table per section."""
        for title, commands in self.sections.items():
            with formatter.section(title):
                formatter.write_dl(list(commands.items()))


def run(group: click.Command) -> None:
    """Run a command or group and exit with its status. Usage errors exit with status 1."""
    # Without this setting, numpy starts threads that wait busily, which costs each command 50 ms.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # With the default threshold, `read --jsonl` spends half its time on a search for reference
    # cycles.
    gc.set_threshold(10_000)
    try:
        status = group.main(standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as nothing:
        click.echo(nothing.format_message())
        raise SystemExit(0) from None
    except click.exceptions.Abort:
        raise SystemExit(130) from None
    except click.ClickException as error:
        _show(error)
        raise SystemExit(error.exit_code if isinstance(error, NeedsCheckout) else 1) from None
    except BrokenDeclaration as error:
        say_lines(f"Error: {error}", err=True)
        raise SystemExit(1) from None
    except ModuleNotFoundError as error:
        needed = advice(error)
        if needed is None:
            _show_defect()
        else:
            say(f"Error: this {needed}", err=True)
        raise SystemExit(1) from None
    except Exception as error:
        if not isinstance(error, OSError) or error.filename is None:
            _show_defect()
        else:
            say(f"Error: {os.fsdecode(error.filename)}: {error.strerror}", err=True)
        raise SystemExit(1) from None
    raise SystemExit(status if isinstance(status, int) else 0)


def _show_defect() -> None:
    """Print the exception that is being handled, and ask for a bug report."""
    say_lines(traceback.format_exc().rstrip(), err=True)
    say(f"Error: a defect in Walproof {__version__}: walproof {shlex.join(sys.argv[1:])}", err=True)
    say("Please report it with the lines above and, if possible, with the log.", err=True)


def _show(error: click.ClickException) -> None:
    """Print an error like ``error.show``, but with control characters escaped."""
    context = getattr(error, "ctx", None)
    if isinstance(error, click.UsageError) and context is not None:
        click.echo(context.get_usage(), err=True)
        click.echo(f"Try '{context.command_path} --help' for help.\n", err=True)
    say_lines(f"Error: {error.format_message()}", err=True)
