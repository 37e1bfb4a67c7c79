"""``walproof inspect`` has the right exit status and error messages."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance import VECTORS
from reference_impl.leveldb_log.layout import (
    HEADER,
    masked_crc,
)
from walproof.cli.inspect import inspect


def run(*arguments: object) -> Result:
    """Run the command. The result's ``return_value`` is the exit status."""
    return CliRunner().invoke(
        inspect, [str(argument) for argument in arguments], standalone_mode=False
    )


@pytest.fixture
def log(tmp_path: Path, example: bytes) -> Path:
    path = tmp_path / "000003.log"
    path.write_bytes(example)
    return path


def test_exit_status_follows_the_verdict(log: Path, example: bytes, damaged: bytes) -> None:
    assert run(log).return_value == 0
    log.write_bytes(damaged)
    assert run(log).return_value == 3
    log.write_bytes(example[:-1])
    assert run(log).return_value == 3
    covered = bytes([5]) + bytes(4) + b"recyclable"
    log.write_bytes(HEADER.pack(masked_crc(covered), 10, 5) + covered[1:])
    refused = run(log, "--format", "leveldb-log")
    assert refused.return_value == 4
    assert "refused (foreign-dialect)" in refused.output
    assert "type 5, length" not in refused.output
    assert "append" not in refused.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--format", "nonsense"], "unknown format 'nonsense': expected one of leveldb-log"),
        (["--from", "-1"], "expected an offset such as 32768 or 0x8000"),
        (["--from", "40052"], "--from 40052: the log ends at 40052"),
        (["--from", "9", "--to", "9"], "--to 9 is not after --from 9"),
    ],
)
def test_invalid_arguments_are_reported(log: Path, arguments: list[str], message: str) -> None:
    result = run(log, *arguments)
    assert message in str(result.exception.format_message())  # type: ignore[union-attr]


def test_missing_paths_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "missing.log"
    result = run(path, "--format", "leveldb-log")
    text = str(result.exception.format_message())  # type: ignore[union-attr]
    assert text.startswith(f"{path}: ")
    assert "No such file or directory" in text


def test_unknown_file_is_refused_unless_format_is_given(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("nothing but a few words of prose\n")
    assert run(text).return_value == 4
    forced = run(text, "--format", "leveldb-log")
    assert forced.return_value == 3
    assert "blocks[0].records[0].header.checksum" in forced.output


def test_a_lost_unit_that_a_record_overlaps_is_lost() -> None:
    result = run(VECTORS / "sqlite-wal" / "copy-at-the-start.db-wal", "--depth", "1")
    lines = result.output.splitlines()
    unit = next(line for line in lines if " frames[0] " in line)
    assert unit.startswith("x ")
    assert "536 bytes: lost" in unit


def test_a_decoded_record_follows_its_first_field() -> None:
    log = VECTORS / "leveldb-log" / "write-batches-of-a-real-database.log"
    lines = run(log, "--from", 60, "--to", 90, "--depth", 2).output.splitlines()
    assert lines[4] == '» record 2: put "k2" = "v2" (sequence 3)'
    assert "blocks[0].records[2]" in lines[3] and "blocks[0].records[3]" in lines[5]
    assert lines[6] == '» record 3: put "k3" = "v3" (sequence 4)'
