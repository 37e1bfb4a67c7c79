"""The table of records: how many are held at a time."""

from __future__ import annotations

import struct
from pathlib import Path

from click.testing import CliRunner

from reference_impl.answer import Lost, NewRecord, Record
from reference_impl.formats import named
from walproof.cli import walproof
from walproof.cli.record_table import AT_ONCE, HELD, pieces


def test_what_is_held_together_is_small() -> None:
    """An update of 32 KiB is an object of 4 MiB: 256 of them took a GiB."""
    large = Record(0, HELD // 2, b"")
    update = Record(0, 9, b"", {"update": {}})
    small: list[Record | Lost] = [Record(0, 9, b""), Lost(0, 9, "toy")]
    items = [*small * AT_ONCE, large, large, large, update, update, *small]
    rows = list(enumerate(items))
    found = list(pieces(rows))
    assert [row for piece in found for row in piece] == rows
    assert [len(piece) for piece in found] == [AT_ONCE, AT_ONCE, 2, 2, 1, 2]


def test_the_reason_why_a_record_is_not_decoded(tmp_path: Path) -> None:
    """The table states it, as the summary does: a batch may announce a wrong count."""
    log = tmp_path / "000003.log"
    records = [NewRecord(struct.pack("<QI", 1, 5) + b"\x01\x01a\x011", {})]
    named("leveldb-log").write(log, records, {})
    for words in (["read", str(log)], [str(log)]):
        done = CliRunner(env={"COLUMNS": "200"}).invoke(walproof, words)
        assert "(not decoded: neither a write batch (expected 5 operations, found 1)" in done.stdout


def test_a_payload_that_is_longer_than_what_is_decoded(tmp_path: Path) -> None:
    """Its own size is stated, or none: not that of the part that was decoded."""
    batch = struct.pack("<QI", 1, 1) + b"\x01\x01k\xa0\x8d\x06" + b"A" * 100_000
    for number, payload in enumerate((batch, b"no batch" * 10_000)):
        log = tmp_path / f"00000{number}.log"
        named("leveldb-log").write(log, [NewRecord(payload, {})], {})
        for words in (["read", str(log)], [str(log)]):
            done = CliRunner(env={"COLUMNS": "200"}).invoke(walproof, words)
            assert "(65536 bytes)" not in done.stdout and "maxPayload" not in done.stdout
            expected = "the value of 100,000 bytes" if payload is batch else "payload was truncated"
            assert expected in done.stdout
