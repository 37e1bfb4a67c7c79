"""``walproof read`` and the summary print the same table of records."""

from __future__ import annotations

import struct
from pathlib import Path

from click.testing import CliRunner

from reference_impl.answer import NewRecord
from reference_impl.formats import named
from walproof.cli import walproof


def test_the_table_shows_why_a_record_is_not_described(tmp_path: Path) -> None:
    """``walproof read`` and the summary give the same reason, here a wrong operation count."""
    log = tmp_path / "000003.log"
    records = [NewRecord(struct.pack("<QI", 1, 5) + b"\x01\x01a\x011", {})]
    named("leveldb-log").write(log, records, {})
    reasons = set()
    for words in (["read", str(log)], [str(log)]):
        done = CliRunner(env={"COLUMNS": "200"}).invoke(walproof, words)
        (line,) = [line for line in done.stdout.splitlines() if "expected the number" in line]
        reasons.add(line.partition("  (")[2])
    assert reasons == {"payload at 8: expected the number of operations (1), found 5)"}


def test_the_whole_size_of_a_large_value_is_shown(tmp_path: Path) -> None:
    batch = struct.pack("<QI", 1, 1) + b"\x01\x01k\xa0\x8d\x06" + b"A" * 100_000
    log = tmp_path / "000003.log"
    named("leveldb-log").write(log, [NewRecord(batch, {})], {})
    for words in (["read", str(log)], [str(log)]):
        done = CliRunner(env={"COLUMNS": "200"}).invoke(walproof, words)
        assert "100000 bytes" in done.stdout or "100,000 bytes" in done.stdout
