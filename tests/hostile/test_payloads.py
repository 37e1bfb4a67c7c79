"""Payloads of hostile logs decode to a struct or a reason, and never raise."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.hostile import sqlite_wal
from tests.hostile.logs import Hostile, logs
from walproof import decode
from walproof.cli import walproof
from walproof.formats.sqlite_wal.operations.database import StoredPages
from walproof.scan import scanner
from walproof.scan.log import Log
from walproof.scan.model import Records, Wanted

SIZE = 1 << 15
LOGS = list(logs())


@pytest.mark.parametrize("log", LOGS, ids=lambda log: f"{log.format}-{log.name}")
def test_each_payload_has_a_struct_or_a_reason(log: Hostile, tmp_path: Path) -> None:
    path = tmp_path / log.file_name
    path.write_bytes(log.make(SIZE))
    for event in scanner(log.format).scan(Log(path, {}), Wanted()):
        if isinstance(event, Records):
            first = event.slice(0, 1000)
            for piece in decode.pieces(log.format, first):
                values, message = decode.decoded(log.format, piece)
                assert values.type == decode.type_of(log.format)
                pairs = zip(values, message.to_pylist(), strict=True)
                assert all(fault is None for value, fault in pairs if value.is_valid)
            for row in decode.rows(first, first.fields):
                decode.phrase_of(log.format, row)


@pytest.mark.parametrize("log", LOGS, ids=lambda log: f"{log.format}-{log.name}")
def test_each_operation_is_a_line(log: Hostile, tmp_path: Path) -> None:
    path = tmp_path / log.file_name
    path.write_bytes(log.make(SIZE >> 1))
    words = ["read", "--operations", "--format", log.format, str(path)]
    done = CliRunner().invoke(walproof, words, standalone_mode=False)
    assert done.return_value in (0, 3, 4), done.output
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert all("at" in row for row in rows)


@pytest.mark.parametrize(
    "make",
    [
        sqlite_wal.chain_of_overflow_pages,
        sqlite_wal.long_freelist,
        sqlite_wal.large_schema_again_and_again,
    ],
)
def test_page_reads_of_many_small_transactions_are_limited(
    make: Callable[[int], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "database-wal"
    path.write_bytes(make(1 << 17))
    reads, read = [], StoredPages.read

    def counting_read(self: StoredPages, number: int) -> bytes:
        reads.append(number)
        return read(self, number)

    monkeypatch.setattr(StoredPages, "read", counting_read)
    monkeypatch.setattr(StoredPages, "READS_PER_PAGE", 8)
    words = ["read", "--operations", "--format", "sqlite-wal", str(path)]
    done = CliRunner().invoke(walproof, words, standalone_mode=False)
    pages = path.stat().st_size // sqlite_wal.PAGE_SIZE
    assert 8 * pages < len(reads) < 16 * pages
    faults = [row["fault"] for row in map(json.loads, done.stdout.splitlines()) if "fault" in row]
    assert sum(each.startswith("the transactions before") for each in faults) == 1
