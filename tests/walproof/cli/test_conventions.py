"""All commands share ``-o``, ``-q``, ``-V`` and tab completion."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from conformance import VECTORS, __version__
from conformance.process import run_program
from walproof.cli import COMMANDS, walproof

DAMAGED = str(VECTORS / "leveldb-log/checksum-flipped-in-first-block.log")


@pytest.mark.parametrize("name", COMMANDS)
def test_output_goes_to_out(name: str) -> None:
    command = walproof.get_command(click.Context(walproof), name)
    assert command is not None
    spellings = [set(option.opts) for option in command.params if isinstance(option, click.Option)]
    assert {"-q", "--quiet"} in spellings
    of_output = [each for each in spellings if {"-o", "--out", "--output", "--report"} & each]
    writers = ["audit", "check", "damage", "export", "parsers", "recover", "skeleton", "sweep"]
    assert [each - {"--parquet"} for each in of_output] == [{"-o", "--out"}] * (name in writers)


def test_quiet_leaves_the_exit_status_and_errors(tmp_path: Path) -> None:
    for words in ([DAMAGED], ["read", DAMAGED], ["recover", DAMAGED, "-o", str(tmp_path / "new")]):
        quiet = CliRunner().invoke(walproof, [*words, "-q"], standalone_mode=False)
        assert (quiet.output, quiet.return_value) == ("", 3)
    assert (tmp_path / "new").is_file()
    missing = CliRunner().invoke(walproof, ["read", "-q", str(tmp_path / "none")])
    assert missing.stdout == "" and "No such file" in missing.stderr
    # The option ``-q`` must not affect later commands in the same process.
    assert CliRunner().invoke(walproof, ["read", DAMAGED]).output


@pytest.mark.parametrize(
    ("words", "near"),
    [
        ("read --format leveldb LOG", "leveldb-log"),
        ("check --exclude one-recrd", "one-record"),
        ("sweep --format leveldb", "leveldb-log"),
        ("sweep --format leveldb-log --impl fast-scan --control three-record", "three-records"),
        ("sweep --format leveldb-log --impl fast-scan --damage flp", "flip"),
        ("parsers --grammar leveldb_lag", "leveldb_log"),
    ],
)
def test_mistyped_name_gives_a_near_one(words: str, near: str) -> None:
    given = CliRunner().invoke(walproof, words.replace("LOG", DAMAGED).split())
    assert given.exit_code != 0
    assert f"did you mean {near}" in given.stderr


def test_version() -> None:
    assert __version__ in CliRunner().invoke(walproof, ["-V"]).output


def test_bash_completes_commands_and_options() -> None:
    for words, expected in {"walproof rec": "recover", "walproof recover --o": "--out"}.items():
        done = run_program(
            [
                sys.executable,
                "-c",
                "import sys; sys.argv = ['walproof']; from walproof.cli import main; main()",
            ],
            60,
            variables={
                "PYTHONPATH": os.pathsep.join(sys.path),
                "_WALPROOF_COMPLETE": "bash_complete",
                "COMP_WORDS": words,
                "COMP_CWORD": str(len(words.split()) - 1),
            },
        )
        assert f"plain,{expected}" in done.stdout.splitlines(), done.stderr
