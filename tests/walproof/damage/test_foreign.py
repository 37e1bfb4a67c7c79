"""Damage with a custom grammar: its fields, its operations, and its sandbox."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from conformance.kaitai.compile import GrammarError
from conformance.kaitai.field_map import ParseStopped
from conformance.sandbox import bubblewrap
from walproof.cli import walproof
from walproof.damage.foreign import ForeignGrammar

GRAMMAR = """
meta:
  id: my_wal
  endian: le
seq:
  - id: magic
    contents: [0xca, 0xfe]
  - id: entries
    type: entry
    repeat: eos
types:
  entry:
    seq:
      - id: crc
        type: u4
      - id: kind
        type: u1
        enum: kinds
      - id: len_data
        type: u1
      - id: data
        size: len_data
enums:
  kinds:
    1: put
    2: drop
"""
LOG = bytes.fromhex("cafe 01020304 01 03 616263 05060708 02 00")
EVIL = '''meta:
  id: evil
doc: |
  x """
  import os
  def attempt(what):
      try:
          what()
      except OSError:
          pass
  attempt(lambda: open("{proof}", "w").write("was here"))
  open("said", "w").write(os.environ.get("WALPROOF_SECRET", "nothing"))
  r = """
seq:
  - id: a
    type: u1
'''


def run(*arguments: str | Path) -> Result:
    command = ["damage", *map(str, arguments)]
    return CliRunner().invoke(walproof, command, standalone_mode=False)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "wal.bin"
    path.write_bytes(LOG)
    return path


@pytest.fixture
def ksy(tmp_path: Path) -> Path:
    path = tmp_path / "my_wal.ksy"
    path.write_text(GRAMMAR)
    return path


@pytest.fixture
def grammar(ksy: Path) -> Iterator[ForeignGrammar]:
    opened = ForeignGrammar(ksy)
    yield opened
    opened.close()


def test_option_list_shows_the_fields_of_the_grammar(log: Path, ksy: Path) -> None:
    lines = run(log, "--ksy", ksy, "--list").stdout.splitlines()
    assert [line.split()[:3] for line in lines[:4]] == [
        ["0", "2", "magic"],
        ["2", "9", "entries[0]"],
        ["2", "4", "entries[0].crc"],
        ["6", "1", "entries[0].kind"],
    ]
    assert lines[3].endswith("put (1)") and lines[5].endswith('3 bytes  "abc"')
    assert "  flip bit N of FIELD" in lines


def test_operations_use_the_fields_of_the_grammar(log: Path, ksy: Path, tmp_path: Path) -> None:
    out = tmp_path / "bad.bin"
    operations = (
        "set entries[-1].kind to 1",
        "flip bit 3 of entries[0].crc",
        "drop entries[0].data",
    )
    result = run(log, *operations, "--ksy", ksy, "--out", out)
    assert result.return_value == 0, result.exception
    assert out.read_bytes() == bytes.fromhex("cafe 09020304 01 03 05060708 01 00")
    assert log.read_bytes() == LOG
    misspelled = str(
        run(log, "zero entries[0].crx", "--ksy", ksy, "--out", tmp_path / "x").exception
    )
    assert "did you mean entries[0].crc?" in misspelled
    resealed = run(log, "reseal entries[0]", "--ksy", ksy, "--out", tmp_path / "x")
    assert "no checksum covers entries[0]" in str(resealed.exception)
    assert "excludes --format" in str(
        run(log, "--ksy", ksy, "--list", "--format", "zmq-raft").exception
    )


def test_random_copies_are_reproducible_from_the_manifest(
    log: Path, ksy: Path, tmp_path: Path
) -> None:
    bodies = []
    for name in ("one", "two"):
        run(log, "--ksy", ksy, "--random", "12", "--seed", "5", "--out", tmp_path / name)
        bodies.append(json.loads((tmp_path / name / "manifest.json").read_text()))
    assert bodies[0] == bodies[1] and bodies[0]["format"] is None
    assert len({copy["sha256"] for copy in bodies[0]["copies"]}) == 12
    for copy in bodies[0]["copies"]:
        assert set(copy) == {"name", "damage", "size", "sha256"}
        again = tmp_path / f"again-{copy['name']}"
        run(log, *copy["damage"], "--ksy", ksy, "--out", again)
        assert again.read_bytes() == (tmp_path / "one" / copy["name"]).read_bytes()


def test_fields_before_a_parse_error_are_listed(log: Path, ksy: Path) -> None:
    log.write_bytes(LOG[:-3])
    shown = run(log, "--ksy", ksy, "--list").stdout
    assert "entries[0].data" in shown and "entries[1].len_data" not in shown


def test_invalid_grammar_is_reported(log: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.ksy"
    bad.write_text("meta:\n  id: bad\nseq:\n  - id: a\n    type: gone\n")
    assert "bad.ksy:5:5: error: unable to find type 'gone'" in str(
        run(log, "--ksy", bad, "--list").exception
    )


def test_code_of_a_grammar_is_sandboxed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if bubblewrap() is None:
        pytest.skip("needs bubblewrap: without it, the code can write anywhere")
    monkeypatch.setenv("WALPROOF_SECRET", "token")
    proof = tmp_path / "proof"
    path = tmp_path / "evil.ksy"
    path.write_text(EVIL.format(proof=proof))
    grammar = ForeignGrammar(path)
    try:
        assert [field.path for field in grammar.fields(b"\1", "")] == ["a"]
        assert (grammar.sandbox.work / "said").read_text() == "nothing", "its code did run"
        assert not proof.exists()
    finally:
        grammar.close()


@pytest.mark.parametrize(
    "fields",
    [
        None,
        [["a", 0, 1]],
        [["a", 0, 99, 1]],
        [["a", 2, 1, 1]],
        [["a\x1b[31m", 0, 1, 1]],
        [[1, 0, 1, 1]],
        [["a", 0, 1, ["name", "no number"]]],
    ],
)
def test_invalid_replies_of_the_process_are_rejected(
    fields: Any, grammar: ForeignGrammar, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply = {"fields": fields, "stopped": None}
    monkeypatch.setattr(grammar._parser, "request", lambda request: reply)
    with pytest.raises(GrammarError, match="expected a list of fields"):
        list(grammar.fields(LOG, ""))


def test_parse_error_follows_the_fields(grammar: ForeignGrammar) -> None:
    paths = []
    with pytest.raises(ParseStopped):
        for field in grammar.fields(LOG[:-3], ""):
            paths.append(field.path)
    assert "entries[0].data" in paths
