"""The command ``walproof``. One file per subcommand, named after it."""

from __future__ import annotations

import importlib
import keyword
import os

import click

from conformance.declaration import BrokenDeclaration
from walproof.cli.checkout import NeedsCheckout
from walproof.cli.output import say, say_lines
from walproof.extras import advice

SUBCOMMANDS = {
    "summary": "Say what a path is, whether it is whole, what is lost.",
    "read": "Read a log: records, what is lost, where to resume.",
    "inspect": "Show every byte of a log: field, value, rule.",
    "verify": "Verify a log; of systemd journals every hash and link.",
    "export": "Print systemd journals as text, or any log as Parquet.",
    "fields": "List the fields of systemd journals, or their values.",
    "import": "Write a systemd journal from the Journal Export Format.",
    "list": "List the logs in a folder and below it.",
    "dump": "Write each record of a log to a file of its own.",
    "damage": "Damage a copy of a log, in the words that vectors use.",
    "recover": "Write the records that survive into a new log.",
    "carve": "Find logs and single records in an image of a disk.",
    "audit": "Take stock of a lake of logs, as tables.",
    "explain": "Explain a requirement, a reason code or a field.",
    "scenarios": "Say what happens to logs, and who keeps what.",
    "databases": "Open damaged logs with whole systems, and repair them.",
    "check": "Run the vectors against implementations.",
    "ask": "Ask a program for one vector; show what goes to and fro.",
    "diff": "Compare the records of two logs.",
    "review": "Report which readers and writers a format change breaks.",
    "sweep": "Damage intact logs in every way; compare every answer.",
    "fuzz": "Change logs again and again; ask who raises or differs.",
    "cross": "Let real writers write, and real readers read that.",
    "crash": "Say what a power failure leaves of what was safe.",
    "bench": "Measure readers and the harness, beside named peers.",
    "vectors": "Make the vectors, or check that nothing changes.",
    "mutants": "Change the executable specification: do vectors tell?",
    "site": "Make the site: pages of formats, vectors, readers.",
    "setup": "Build the adapters of the real implementations.",
    "parsers": "Make parsers of the formats in other languages.",
    "lint-ksy": "Find what parsers of a grammar will stumble over.",
    "ksy-test": "Check that a grammar of yours reads files as it should.",
}
"""Name → what ``walproof --help`` says. To say it, no subcommand is loaded."""


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

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(SUBCOMMANDS.items()))

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """``walproof PATH`` is ``walproof summary PATH``."""
        first = args[0]
        if first not in SUBCOMMANDS and (first == "-" or "/" in first or os.path.lexists(first)):
            return "summary", self.get_command(context, "summary"), args
        if first not in SUBCOMMANDS and "." in first:
            raise click.UsageError(f"{first}: no such file or folder, nor such a command", context)
        return super().resolve_command(context, args)


@click.group(cls=_Subcommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="walproof", prog_name="walproof")
def walproof() -> None:
    """Says what a journal file means, which records survive its damage, and who gets it right.

    \b
    walproof 000003.log                   what it is, whether it is whole, what is lost
    walproof read 000003.log              its records, and what is lost between them
    walproof inspect 000003.log           every byte of it, with field and rule
    walproof check --cmd './my-reader'    does my reader agree?
    """


def main() -> None:
    """Entry point. Usage errors exit with 1, as every subcommand says: 2 to 4 are answers.

    2 is also what a command exits with that needs a checkout, where there is none.
    """
    # numpy starts threads for linear algebra, which wait for work in a loop: 50 ms of each command.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        status = walproof.main(standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as nothing:
        click.echo(nothing.format_message())
        raise SystemExit(0) from None
    except click.exceptions.Abort:
        raise SystemExit(130) from None
    except NeedsCheckout as error:
        _show(error)
        raise SystemExit(error.exit_code) from None
    except click.ClickException as error:
        _show(error)
        raise SystemExit(1) from None
    except BrokenDeclaration as error:
        say(f"Error: {error}", err=True)
        raise SystemExit(1) from None
    except ModuleNotFoundError as error:
        needed = advice(error)
        if needed is None:
            raise
        say(f"Error: this {needed}", err=True)
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
