"""The systemd scanner agrees with the executable specification on files that no vector has."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba")
from reference_impl.answer import Answer, NewRecord, collect
from reference_impl.formats import named
from reference_impl.systemd_journal.layout import ENTRY_ARRAY, Header
from reference_impl.systemd_journal.objects import hash_of
from tests.reference_impl.systemd_journal.journal_files import hello, journal_bytes
from walproof.formats.systemd_journal import scanner as systemd_scanner
from walproof.formats.systemd_journal.scanner import contents
from walproof.formats.systemd_journal.scanner.intact import check_file
from walproof.log import Log
from walproof.scanners import scanner
from walproof.scanners.answers import answer
from walproof.scanners.model import Records, Wanted
from walproof.scanners.reference import ReferenceScanner

FORMAT = "systemd-journal"
LONG = [b"MESSAGE=" + b"x" * 700, b"BLOB=\x00\xff\n" + b"y" * 5000, "UNIT=ünïcode \ufdd0".encode()]


def reference_answer(path: Path) -> Answer:
    return collect(named(FORMAT).read(path, "recover", {}))


def compare(path: Path, data: bytes) -> bool:
    """Compare the scanner with the executable specification; return whether the file is intact."""
    path.write_bytes(data)
    right = reference_answer(path)
    assert answer(FORMAT, scanner(FORMAT).scan(Log(FORMAT, path), Wanted())) == right
    return right.verdict == "intact"


def check(path: Path, data: bytes) -> bool:
    """Like :func:`compare`, but also require that the kernels accept exactly the intact files."""
    is_intact = compare(path, data)
    assert (check_file(data, {}) is not None) == is_intact
    return is_intact


@pytest.mark.parametrize("is_new", [False, True])
def test_every_changed_byte(is_new: bool, tmp_path: Path) -> None:
    """No check of the executable specification is missing from the kernels."""
    options = {"compact": True, "keyed": True, "compression": "zstd"} if is_new else {}
    data = journal_bytes(*hello(6), LONG, **options)
    assert check(tmp_path / "a.journal", data)
    for at in range(0, len(data), 13):
        changed = data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :]
        compare(tmp_path / "a.journal", changed)


def table(path: Path, reader: Any, wanted: Wanted) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for run in reader.scan(Log(FORMAT, path), wanted):
        if isinstance(run, Records):
            columns: dict[str, Any] = {name: col.to_pylist() for name, col in run.fields.items()}
            columns |= {"at": run.at.tolist(), "size": run.size.tolist()}
            if run.payload is not None:
                columns["payload"] = run.payload.to_pylist()
            cut = np.zeros(len(run), np.bool_) if run.truncated is None else run.truncated
            columns["cut"] = cut.tolist()
            rows += [{name: values[n] for name, values in columns.items()} for n in range(len(run))]
    return rows


@pytest.mark.parametrize("compression", ["none", "zstd"])
@pytest.mark.parametrize("most", [0, 1, 9, 17, 40, 300, 5007, 1 << 30])
def test_long_values_are_truncated(most: int, compression: str, tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    many = [b"F%d=%d" % (n % 70, n) for n in range(200)]
    path.write_bytes(journal_bytes(*hello(3), LONG, many, compression=compression, compact=True))
    for columns in (None, frozenset[str](), frozenset({"fields"}), frozenset({"missing"})):
        for payload in (True, False):
            wanted = Wanted(payload, columns, most)
            expected = table(path, ReferenceScanner(FORMAT), wanted)
            assert table(path, scanner(FORMAT), wanted) == expected


def test_fields_are_in_order(tmp_path: Path) -> None:
    """Fields keep their order in entries with few fields, many fields, and repeated names."""
    names = [b"N%d" % number for number in range(700)]
    random.Random(4).shuffle(names)
    entries = [[name + b"=1" for name in names[at : at + 100]] for at in range(0, len(names), 100)]
    entries += [[name + b"=%d" % value for value in (2, 1, 2)] for name in sorted(names)[-3:]]
    entries += [[b"A=2", b"B=1", b"A=1", b"B=1"], [b"B=1", b"A=1", b"B=1"]]
    assert check(tmp_path / "a.journal", journal_bytes(*entries, data_buckets=5000, compact=True))


def test_text_and_binary_values(tmp_path: Path) -> None:
    edges = [0x7F, 0x80, 0x9F, 0xA0, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFDCF, 0xFDD0, 0xFDEF, 0xFDF0]
    edges += [0xFFFD, 0xFFFE, 0x10000, 0x1FFFF, 0x10FFFF]
    values = [chr(edge).encode() for edge in edges] + [bytes([byte]) for byte in range(256)]
    values += [
        b"\xc1\xbf",
        b"\xe0\x9f\xbf",
        b"\xed\xa0\x80",
        b"\xf0\x8f\xbf\xbf",
        b"\xf4\x90\x80\x80",
    ]
    entries = [[b"E=" + value] for value in values]
    entries += [[b"E=abcdefgh" + value + b"ijklmnopq"] for value in values]
    assert check(tmp_path / "a.journal", journal_bytes(*entries, keyed=True, data_buckets=200))


@pytest.mark.parametrize("compact", [False, True])
def test_an_empty_slot_before_the_last_entry_of_an_array(compact: bool, tmp_path: Path) -> None:
    data = journal_bytes(*hello(12), compact=compact)
    width = 4 if compact else 8
    moved, at = 0, int.from_bytes(data[88:96], "little")
    while at < len(data):
        size = int.from_bytes(data[at + 8 : at + 16], "little")
        end = at + 24 + len(data[at + 24 : at + size].rstrip(b"\0")) + width - 1
        end -= (end - at - 24) % width
        if data[at] == ENTRY_ARRAY and end < at + size:
            slot = data[end - width : end]
            broken = data[: end - width] + bytes(width) + slot + data[end + width :]
            assert not check(tmp_path / "a.journal", broken)
            moved += 1
        at += (size + 7) & ~7
    assert moved > 2


def test_an_entry_above_the_limit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    path.write_bytes(journal_bytes(*hello(3), LONG, *hello(2)))
    monkeypatch.setattr(systemd_scanner, "LIMIT", 1000)
    run, _ = scanner(FORMAT).scan(Log(FORMAT, path), Wanted())
    assert isinstance(run, Records) and run.payload is not None and run.truncated is not None
    assert run.truncated.tolist() == [False, False, False, True, False, False]
    assert run.fields["fields"].is_null().tolist() == run.truncated.tolist()
    assert [len(each) > 0 for each in run.payload.to_pylist()] == (~run.truncated).tolist()


def test_runs_of_few_bytes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(systemd_scanner, "_RUN_BYTES", 100)
    assert check(tmp_path / "a.journal", journal_bytes(*hello(8), LONG))
    assert len(list(scanner(FORMAT).scan(Log(FORMAT, tmp_path / "a.journal"), Wanted()))) > 4


def test_runs_take_no_time_for_the_fields_of_others(tmp_path: Path) -> None:
    """A run must not take time for all ranks; a 1 GiB journal may have millions."""
    path = tmp_path / "a.journal"
    path.write_bytes(journal_bytes([b"A=1", b"B=2", b"A=3"], [b"A=2", b"A=1"]))
    file = check_file(path.read_bytes(), {})
    assert file is not None
    columns = systemd_scanner._EntryColumns(file, Wanted())
    expected = [each.payload for each in reference_answer(path).records]
    columns.n_ranks = 1 << 26
    began = time.process_time()
    for _ in range(10):
        assert [row for run in columns.runs() for row in run.payload.to_pylist()] == expected
    assert time.process_time() - began < 1


def test_cursors_of_numbers_of_every_length(tmp_path: Path) -> None:
    for first in (0x1, 0xF, 0x10, 0xFFFF, 0x1000, 0xABCDEF0123, (1 << 55) - 9):
        assert check(tmp_path / "a.journal", journal_bytes(*hello(4), first=first, step=1))


def test_decompressed_fields_that_exceed_the_memory_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a damaged file has too many fields to decompress, the specification reads them."""
    monkeypatch.setattr(contents, "MAX_PLAIN_BYTES", 0)
    data = bytearray(journal_bytes(*hello(6), LONG, compression="zstd", compact=True))
    data[data.index(b"MESSAGE=") + 8] ^= 1
    assert not compare(tmp_path / "a.journal", bytes(data))


@pytest.mark.parametrize("is_keyed", [False, True])
def test_compiled_hashes(is_keyed: bool) -> None:
    numbers = random.Random(5)
    header = Header(file_id=numbers.randbytes(16))
    for size in range(100):
        payload = numbers.randbytes(size)
        right = hash_of(payload, header, is_keyed)
        assert systemd_scanner.hash_of(payload, header, is_keyed) == right


def test_write_records(tmp_path: Path) -> None:
    """The scanner writes the same bytes as the executable specification."""
    fields = {"realtime": "5", "monotonic": "6", "boot_id": "0123456789abcdef" * 2}
    records = [NewRecord(b"MESSAGE=%d\nUNIT=a\n" % number, fields) for number in range(9)]
    for keyed in (False, True):
        named(FORMAT).write(tmp_path / f"{keyed}", records, {"keyed": keyed})
        systemd_scanner.write_records(tmp_path / f"{keyed}.fast", records, {"keyed": keyed})
        written = (tmp_path / f"{keyed}.fast").read_bytes()
        assert written == (tmp_path / f"{keyed}").read_bytes()
