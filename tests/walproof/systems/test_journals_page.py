"""The examples of ``docs/journals.md`` print the output that the page shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance import ROOT
from tests.real_files import read_journal
from walproof.cli import walproof

PAGE = (ROOT / "docs" / "journals.md").read_text("utf-8")


def test_the_examples_show_the_output_of_the_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "journal"
    folder.mkdir()
    for name in ("v252-compact-keyed-zstd", "v257-compact-512k", "v257-lz4"):
        (folder / f"{name}.journal").write_bytes(read_journal(name))
    damaged = folder / "v257-compact-512k.journal"
    data = bytearray(damaged.read_bytes())
    data[40_800] ^= 1
    damaged.write_bytes(data)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```console\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    examples = [
        each for block in blocks for each in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    ]
    assert len(examples) == 6
    for example in examples:
        command, _, shown = example.partition("\n")
        command, _, target = command.partition(" > ")
        done = CliRunner().invoke(walproof, shlex.split(command)[1:], standalone_mode=False)
        assert done.exception is None, done.exception
        if target:
            Path(target).write_bytes(done.stdout_bytes)
        else:
            assert done.stdout + done.stderr == shown, command
