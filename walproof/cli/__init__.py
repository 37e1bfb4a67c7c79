"""Define the command ``walproof``. Each subcommand has a module of the same name."""

from __future__ import annotations

import importlib
import os

import click

from walproof.cli.command_group import LazyGroup, run

#: ``walproof --help`` lists the commands in these sections, with their descriptions.
SECTIONS = {
    "Work with logs": {
        "summary": "Summarise a log, or list the logs of a directory.",
        "read": "List the records and lost ranges of a log.",
        "inspect": "Show each byte of a log with its field and rule.",
        "recover": "Write the surviving records to a new log.",
        "export": "Write records and lost ranges as Parquet tables.",
        "audit": "Write tables of the records and damage of many logs.",
        "damage": "Write a damaged copy of a log.",
        "explain": "Explain a requirement, reason code, field or context key.",
    },
    "Test readers, grammars and formats": {
        "skeleton": "Write an adapter for your reader or writer.",
        "check": "Run the vectors against implementations.",
        "ask": "Run one vector and show the messages.",
        "sweep": "Compare answers on systematically damaged logs.",
        "parsers": "Generate parsers in other languages.",
        "review": "Report which readers a format change breaks.",
    },
}
COMMANDS = tuple(name for section in SECTIONS.values() for name in section)


def _load(name: str) -> click.Command:
    command = getattr(importlib.import_module(f"{__name__}.{name}"), name)
    assert isinstance(command, click.Command)
    return command


class _Commands(LazyGroup):
    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve ``walproof PATH`` to ``walproof summary PATH``."""
        first = args[0]
        if first not in COMMANDS and (first == "-" or "/" in first or os.path.lexists(first)):
            return "summary", self.get_command(context, "summary"), args
        if first not in COMMANDS and "." in first:
            raise click.UsageError(f"{first}: no such file, folder or command", context)
        return super().resolve_command(context, args)


@click.group(
    cls=_Commands,
    sections=SECTIONS,
    load=_load,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(None, "-V", "--version", package_name="walproof", prog_name="walproof")
def walproof() -> None:
    """Check, recover and test journal files (write-ahead logs).

    \b
    walproof 000003.log                   summarise a log: format, verdict, losses
    walproof read 000003.log              list its records and lost ranges
    walproof inspect 000003.log           show each byte with its field and rule
    walproof check --cmd './my-reader'    test a reader of your own

    Tab completion: eval "$(_WALPROOF_COMPLETE=bash_source walproof)" in ~/.bashrc, zsh_source in
    ~/.zshrc. For fish: _WALPROOF_COMPLETE=fish_source walproof | source.
    """


def main() -> None:
    """Run the command ``walproof``."""
    run(walproof)
