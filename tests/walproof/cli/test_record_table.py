"""The table of records in ``walproof read`` and in the summary."""

from __future__ import annotations

import struct
from pathlib import Path

from click.testing import CliRunner

from reference_impl.answer import NewRecord
from reference_impl.formats import named
from walproof.cli import walproof


def test_the_table_shows_why_decoding_failed(tmp_path: Path) -> None:
    """``walproof read`` and the summary show the same reason, here a wrong operation count."""
    log = tmp_path / "000003.log"
    records = [NewRecord(struct.pack("<QI", 1, 5) + b"\x01\x01a\x011", {})]
    named("leveldb-log").write(log, records, {})
    for words in (["read", str(log)], [str(log)]):
        done = CliRunner(env={"COLUMNS": "200"}).invoke(walproof, words)
        assert "(not decoded: neither a write batch (expected 5 operations, found 1)" in done.stdout


def test_the_whole_size_of_a_large_payload_is_shown(tmp_path: Path) -> None:
    """The table shows the size of the whole payload, not the size of the part that is decoded."""
    batch = struct.pack("<QI", 1, 1) + b"\x01\x01k\xa0\x8d\x06" + b"A" * 100_000
    for number, payload in enumerate((batch, b"no batch" * 10_000)):
        log = tmp_path / f"00000{number}.log"
        named("leveldb-log").write(log, [NewRecord(payload, {})], {})
        for words in (["read", str(log)], [str(log)]):
            done = CliRunner(env={"COLUMNS": "200"}).invoke(walproof, words)
            assert "(65536 bytes)" not in done.stdout and "maxPayload" not in done.stdout
            expected = "the value of 100,000 bytes" if payload is batch else "payload was truncated"
            assert expected in done.stdout
