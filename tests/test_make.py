"""The Makefile targets that a reader's author runs work from a fresh clone."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from conformance import ROOT


def commands_of(*words: str, venv: Path) -> str:
    """Return the commands that make would run in a fresh clone with the environment ``venv``."""
    done = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", f"VENV={venv}", *words],
        cwd=ROOT, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    return done.stdout


def test_a_reader_of_ones_own_needs_python_and_the_vectors_alone(tmp_path: Path) -> None:
    chosen = ["conformance", "IMPL=./my-reader --fast", "FORMAT=zmq-raft"]
    commands = commands_of(*chosen, venv=tmp_path)
    assert "-r requirements.txt" in commands
    assert "check --cmd './my-reader --fast' --format zmq-raft" in commands
    for word in ("requirements-dev", "walproof.setup", "node", "editable"):
        assert word not in commands, word


def test_an_empty_command_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as refused:
        commands_of("conformance", "IMPL= ", venv=tmp_path)
    assert "IMPL is empty" in refused.value.stderr


def test_all_implementations_need_no_tools_of_developers(tmp_path: Path) -> None:
    commands = commands_of("conformance", venv=tmp_path)
    for word in ("-r requirements.txt", "numba", "editable", "node", "walproof check\n"):
        assert word in commands, word
    assert "-r requirements-dev.txt" not in commands
    assert "-r requirements-dev.txt" in commands_of("test", venv=tmp_path)


def test_vectors_of_all_formats_are_written_without_a_format(tmp_path: Path) -> None:
    for chosen, options in ((), []), (("FORMAT=zmq-raft",), ["--format", "zmq-raft"]):
        commands = commands_of("vectors", *chosen, venv=tmp_path)
        assert commands.split("conformance.recipes")[1].split() == options


def test_a_sweep_has_a_format(tmp_path: Path) -> None:
    for target in ("sweep", "flips"):
        assert "--format leveldb-log " in commands_of(target, venv=tmp_path)
        assert "--format zmq-raft " in commands_of(target, "FORMAT=zmq-raft", venv=tmp_path)
