"""The command ``walproof``. One file per subcommand, named after it."""

from __future__ import annotations

import importlib
import os

import click

from walproof.cli.command_group import LazyGroup, Renamed, run

SECTIONS = {
    "For a log": {
        "summary": "Show what a path is, whether it is whole, what is lost.",
        "read": "Read a log: records, lost ranges, where to resume.",
        "inspect": "Show every byte of a log: field, value, rule.",
        "verify": "Verify a log; in systemd journals every hash and link.",
        "recover": "Write the records that survive into a new log.",
        "carve": "Find logs and single records in an image of a disk.",
        "diff": "Compare the records of two logs.",
        "export": "Print systemd journals as text, or any log as Parquet.",
        "audit": "Read many logs into tables of records and damage.",
        "damage": "Damage a copy of a log, in the words of the vectors.",
        "explain": "Explain a requirement, a reason code or a field.",
    },
    "For a reader, a grammar or a format": {
        "check": "Run the vectors against implementations.",
        "ask": "Run one vector and show the messages.",
        "sweep": "Damage vectors in every way and compare the answers.",
        "parsers": "Generate parsers in other languages; lint and test grammars.",
        "review": "Report which readers a format change breaks.",
    },
    "For one format": {
        "systemd": "Query systemd journals; list fields, import entries.",
    },
}
"""Command → its line in ``walproof --help``, by section."""
COMMANDS = tuple(name for section in SECTIONS.values() for name in section)
REPLACEMENTS = {
    "list": "walproof DIR --all",
    "dump": "walproof read LOG --each DIR",
    "fields": "walproof systemd fields",
    "import": "walproof systemd import",
    "smoke": "walproof check --smoke",
    "compare-runs": "walproof check --baseline REPORT",
    "one-bit": "walproof sweep --flips",
    "lint-ksy": "walproof parsers lint",
    "ksy-test": "walproof parsers test",
    "vectors": "make vectors (python -m conformance.recipes)",
    "setup": "make setup (python -m walproof.setup)",
    "cross": "python -m lab crossing",
    **{
        name: f"python -m lab {name}"
        for name in ("crash", "databases", "fuzz", "mutants", "bench", "scenarios", "site")
    },
}
"""Former command → what does its work now."""


def _load(name: str) -> click.Command:
    command = getattr(importlib.import_module(f"{__name__}.{name}"), name)
    assert isinstance(command, click.Command)
    return command


class _Commands(LazyGroup):
    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Take ``walproof PATH`` for ``walproof summary PATH``."""
        first = args[0]
        if first in REPLACEMENTS:
            raise Renamed(f"walproof {first} is now: {REPLACEMENTS[first]}")
        if first not in COMMANDS and (first == "-" or "/" in first or os.path.lexists(first)):
            return "summary", self.get_command(context, "summary"), args
        if first not in COMMANDS and "." in first:
            raise click.UsageError(f"{first}: no such file or folder, nor such a command", context)
        return super().resolve_command(context, args)


@click.group(
    cls=_Commands,
    sections=SECTIONS,
    load=_load,
    context_settings={"help_option_names": ["-h", "--help"]},
)
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
    """Run the command ``walproof``."""
    run(walproof)
