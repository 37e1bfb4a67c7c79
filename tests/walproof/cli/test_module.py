"""``python -m walproof`` runs the command."""

from __future__ import annotations

import subprocess
import sys

from conformance import ROOT


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "walproof", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)


def test_help_shows_the_typed_command() -> None:
    given = run("--help")
    assert given.returncode == 0
    assert given.stdout.startswith("Usage: python -m walproof ")


def test_the_exit_code_of_the_command_is_returned() -> None:
    given = run("read", "no-such-log")
    assert given.returncode == 1
    assert "no-such-log" in given.stderr
