"""Logs that SQLite 3.40.1 and 3.54.1 wrote, and the chapter's numbers, are reproduced."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from conformance import SPEC
from reference_impl.answer import NewRecord
from reference_impl.sqlite_wal import append, copied, write
from reference_impl.sqlite_wal.layout import Header, Order, advance, rewind
from reference_impl.sqlite_wal.opening import open_log
from tests.reference_impl.sqlite_wal.conftest import REAL_LOGS, answer, real_log

VERSIONS = ("v3.40.1", "v3.54.1")
CHAPTER = (SPEC / "sqlite-wal.md").read_text("utf-8")
STEP = bytes(range(1, 9))

# Maps each log in tests/data/sqlite to its verdict, reason, number of frames in each transaction,
# and end.
EXPECTED = {
    "commits": ("intact", None, [2, 1, 1, 1, 1], 3248),
    "large-pages": ("intact", None, [2], 131152),
    "padding": ("intact", None, [2, 2], 8608),
    "restarted": ("intact", None, [1, 5], 6320),
    "rewriting": ("torn", "uncommitted", [2], 1104),
    "rewritten": ("intact", None, [2, 17], 10216),
    "rolled-back": ("torn", "uncommitted", [2, 1], 1640),
}


def test_there_are_logs_of_both_versions() -> None:
    assert set(REAL_LOGS) == {f"{version}-{name}" for version in VERSIONS for name in EXPECTED}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", EXPECTED)
def test_a_real_log_is_read(version: str, name: str) -> None:
    read = answer(real_log(f"{version}-{name}"))
    frames = [len(record.fields["pages"]) for record in read.records]
    assert (read.verdict, read.reason, frames, read.end) == EXPECTED[name]


@pytest.mark.parametrize("name", REAL_LOGS)
def test_a_real_log_without_its_header_is_read(name: str) -> None:
    log = real_log(name)
    read = answer(bytes(32) + log[32:])
    assert (read.verdict, read.reason) == ("damaged", "header-checksum")
    assert read.records == answer(log).records
    opened = open_log(io.BytesIO(bytes(32) + log[32:]), len(log))
    assert opened.header is not None and opened.header.to_bytes() == log[:32]


@pytest.mark.parametrize("name", [name for name in REAL_LOGS if "padding" not in name])
def test_the_records_of_a_real_log_are_written_as_sqlite_wrote_them(
    name: str, tmp_path: Path
) -> None:
    log = real_log(name)
    read = answer(log)
    real = tmp_path / "real-wal"
    real.write_bytes(log)
    records = [NewRecord(one.payload, one.fields) for one in read.records]
    context = copied(real, {})
    write(tmp_path / "all-wal", records, context)
    assert (tmp_path / "all-wal").read_bytes() == log[: read.end]
    write(tmp_path / "appended-wal", records[:1], context)
    append(tmp_path / "appended-wal", records[1:], {})
    assert (tmp_path / "appended-wal").read_bytes() == log[: read.end]


@pytest.mark.parametrize(
    ("order", "result"), [("<", (0x04030201, 0x0C0A0806)), (">", (0x01020304, 0x06080A0C))]
)
def test_a_step_and_its_inverse(order: Order, result: tuple[int, int]) -> None:
    assert advance((0, 0), STEP, order) == result
    assert rewind(result, STEP, order) == (0, 0)
    assert advance((1, 2), bytes(8), order) == (3, 5)


def test_the_headers_of_the_chapter() -> None:
    rows = re.findall(r"\| `377f068([23])` \| (\d+) \| `([0-9a-f ]{17})` \|", CHAPTER)
    assert len(rows) == 4
    for odd, page_size, checksum in rows:
        order: Order = ">" if odd == "3" else "<"
        header = Header(order, int(page_size), 0, bytes.fromhex("1111111122222222"))
        assert header.to_bytes()[24:] == bytes.fromhex(checksum)


def test_the_log_of_the_chapter() -> None:
    block = CHAPTER.split("### A small log, byte by byte")[1].split("```")[1]
    fields = re.findall(r"^ *\d+  ((?:[0-9a-f]{2} )+)", block, re.M)
    log = b"".join(map(bytes.fromhex, fields))[:56] + bytes(512)
    read = answer(log)
    assert (read.verdict, len(read.records), read.end) == ("intact", 1, 568)


def test_one_configured_salt(tmp_path: Path) -> None:
    """If one salt is configured, the other salt is random."""
    for number in range(2):
        write(tmp_path / f"{number}-wal", [], {"salt_1": 1})
    logs = [(tmp_path / f"{number}-wal").read_bytes() for number in range(2)]
    assert [log[16:20] for log in logs] == [bytes.fromhex("00000001")] * 2
    assert logs[0][20:24] != logs[1][20:24]
