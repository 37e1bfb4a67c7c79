"""The command ``walproof``. One file per subcommand, named after it."""

from __future__ import annotations

import importlib
import keyword
import os

import click

from conformance import __version__
from walproof.cli.output import say, say_lines

SUBCOMMANDS = (
    "summary",
    "read",
    "inspect",
    "verify",
    "export",
    "fields",
    "import",
    "list",
    "dump",
    "damage",
    "recover",
    "carve",
    "audit",
    "explain",
    "scenarios",
    "check",
    "ask",
    "smoke",
    "diff",
    "compare-runs",
    "review",
    "sweep",
    "one-bit",
    "bench",
    "vectors",
    "mutants",
    "setup",
    "parsers",
    "lint-ksy",
    "ksy-test",
)


class _Subcommands(click.Group):
    """Loads a subcommand when it is needed: ``walproof read`` must not wait for the harness."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(SUBCOMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in SUBCOMMANDS:
            return None
        function = name.replace("-", "_")
        if keyword.iskeyword(function):  # import
            function += "_"
        command = getattr(importlib.import_module(f"{__name__}.{function}"), function)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """``walproof PATH`` is ``walproof summary PATH``."""
        first = args[0]
        if first not in SUBCOMMANDS and (first == "-" or "/" in first or os.path.lexists(first)):
            return "summary", self.get_command(context, "summary"), args
        return super().resolve_command(context, args)


@click.group(cls=_Subcommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="walproof")
def walproof() -> None:
    """Says what a journal file means, which records survive its damage, and who gets it right.

    \b
    walproof 000003.log                   what it is, whether it is whole, what is lost
    walproof read 000003.log              its records, and what is lost between them
    walproof inspect 000003.log           every byte of it, with field and rule
    walproof check --cmd './my-reader'    does my reader agree?
    """


def main() -> None:
    """Entry point. Usage errors exit with 1, as every subcommand says: 2 to 4 are answers."""
    try:
        status = walproof.main(standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as nothing:
        click.echo(nothing.format_message())
        raise SystemExit(0) from None
    except click.exceptions.Abort:
        raise SystemExit(130) from None
    except click.ClickException as error:
        _show(error)
        raise SystemExit(1) from None
    except OSError as error:
        if error.filename is None:  # nothing to tell a user: a defect of ours
            raise
        say(f"Error: {os.fsdecode(error.filename)}: {error.strerror}", err=True)
        raise SystemExit(1) from None
    raise SystemExit(status if isinstance(status, int) else 0)


def _show(error: click.ClickException) -> None:
    """What ``error.show`` prints, with foreign text in it made visible."""
    context = getattr(error, "ctx", None)
    if isinstance(error, click.UsageError) and context is not None:
        click.echo(context.get_usage(), err=True)
        click.echo(f"Try '{context.command_path} --help' for help.\n", err=True)
    say_lines(f"Error: {error.format_message()}", err=True)
