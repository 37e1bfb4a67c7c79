"""Recognising a LevelDB log, which has no magic number, among other files."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import random
import sqlite3
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from reference_impl import formats
from reference_impl.leveldb_log.layout import (
    BLOCK_SIZE,
)
from reference_impl.leveldb_log.reader import (
    looks_like as recognise,
)

Write = Callable[..., bytes]

TEXT = "Nov 21 04:26:01 host systemd[1]: Started Daily apt download activities.\n" * 2000


def png() -> bytes:
    def chunk(chunk_type: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data))
            + chunk_type
            + data
            + struct.pack(">I", zlib.crc32(chunk_type + data))
        )

    header = struct.pack(">IIBBBBB", 64, 64, 8, 0, 0, 0, 0)
    pixels = zlib.compress(bytes(64 * 65))
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    )


def zip_file() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("log.txt", TEXT)
    return out.getvalue()


def sqlite_file(folder: Path) -> bytes:
    path = folder / "made.sqlite"
    database = sqlite3.connect(path)
    database.execute("create table t (a, b)")
    database.execute("insert into t values (1, 'alpha')")
    database.commit()
    database.close()
    return path.read_bytes()


def pickles() -> bytes:
    return b"\x80\x04\x95\x1a\0\0\0\0\0\0\0}\x94" * 20


OTHERS: dict[str, bytes] = {
    "app.log": TEXT.encode(),
    "app-utf16.log": TEXT.encode("utf-16"),
    "app-crlf.log": TEXT.replace("\n", "\r\n").encode(),
    "umlauts.log": ("Übergrößenträger\n" * 100).encode(),
    "lines.jsonl": b'{"a": 1}\n' * 500,
    "table.csv": b"a,b,c\n1,2,3\n" * 500,
    "picture.png": png(),
    "archive.gz": gzip.compress(TEXT.encode(), mtime=0),
    "archive.bz2": bz2.compress(TEXT.encode()),
    "archive.zip": zip_file(),
    "page.pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + bytes(range(256)) * 20,
    "program": b"\x7fELF\2\1\1\0" + bytes(8) + b"\2\0\x3e\0" + bytes(range(256)) * 40,
    "pickle.bin": pickles(),
    "ones.bin": b"\xff" * 100_000,
    "numbers.json": json.dumps(list(range(5000))).encode(),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_files_are_not_recognised(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(OTHERS[name])
    with pytest.raises(formats.UnknownFormat, match="--format"):
        formats.detect(path)


def test_another_database_is_not_recognised(tmp_path: Path) -> None:
    assert not recognise(sqlite_file(tmp_path), "made.sqlite")


def test_random_bytes_are_not_recognised() -> None:
    rng = random.Random(7)
    assert not any(recognise(rng.randbytes(4 * BLOCK_SIZE), "data.bin") for _ in range(500))


@pytest.mark.parametrize("name", ["000003.log", "copy of a log", "MANIFEST-000002", "x.ldb.bak"])
def test_a_log_is_recognised_by_its_structure(tmp_path: Path, write: Write, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(write(b"alpha", b"b" * 100_000, b"charlie"))
    assert formats.detect(path).id == "leveldb-log"


@pytest.mark.parametrize("at", [0, 4, 6, 9])
def test_damage_to_the_first_record_does_not_hide_a_log(write: Write, at: int) -> None:
    log = bytearray(write(b"alpha", b"bravo", b"c" * 100_000))
    log[at] ^= 0x40
    assert recognise(bytes(log), "copy")


def test_a_wiped_first_block_does_not_hide_a_log(write: Write) -> None:
    log = write(*[b"a" * 1000] * 100)
    for wiped in (bytes(BLOCK_SIZE), b"\xff" * BLOCK_SIZE):
        assert recognise(wiped + log[BLOCK_SIZE:], "copy")


def test_without_a_checksum_a_plausible_header_needs_the_name(write: Write) -> None:
    torn = write(b"a" * 5000)[:100]
    damaged = write(b"alpha")[:-1] + b"!"
    for head in (torn, damaged):
        assert recognise(head, "copy.log")
        assert not recognise(head, "copy")
    assert not recognise(b"\7" * 100, "copy.log"), "no type of a plain log"


@pytest.mark.parametrize("name", ["copy", "copy.log", "000005.log"])
def test_another_dialect_is_not_recognised_whatever_its_name(name: str) -> None:
    assert not recognise(bytes.fromhex("2c32617b 0300 05 01000000 666f6f"), name)


@pytest.mark.parametrize("head", [b"", b"\1\2\3", bytes(6), bytes(7), bytes(4 * BLOCK_SIZE)])
def test_the_name_decides_if_the_bytes_are_inconclusive(head: bytes) -> None:
    for name in ("000005.log", "MANIFEST-000004", "copy.log"):
        assert recognise(head, name), name
    for name in ("data.bin", "log", "000005.log.gz"):
        assert not recognise(head, name), name


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("000001.log", True),
        ("1234567.log", True),
        ("MANIFEST-000001", True),
        ("00001.log", False),
        ("MANIFEST-1", False),
        ("x000001.log", False),
        ("000001.LOG", False),
        ("MANIFEST-000001.bak", False),
        ("000001.ldb", False),
    ],
)
def test_leveldbs_own_names_override_the_bytes(name: str, known: bool) -> None:
    assert recognise(b"\xee" * 100_000, name) is known


def test_a_folder_is_not_a_leveldb_log(tmp_path: Path) -> None:
    (tmp_path / "000001.log").mkdir()
    with pytest.raises(formats.UnknownFormat, match="found other files"):
        formats.detect(tmp_path / "000001.log")


def test_an_empty_file_is_reported_as_empty(tmp_path: Path) -> None:
    (tmp_path / "nothing").touch()
    with pytest.raises(formats.UnknownFormat, match="an empty file"):
        formats.detect(tmp_path / "nothing")


def test_the_first_bytes_are_shown(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"hello, world")
    with pytest.raises(formats.UnknownFormat, match=r"at offset 0.*68 65 6c 6c 6f 2c 20 77"):
        formats.detect(tmp_path / "x")


def test_a_missing_file_is_an_error_of_the_file_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        formats.detect(tmp_path / "000001.log")


def test_an_unknown_format_lists_the_known_ones() -> None:
    with pytest.raises(formats.UnknownFormat, match=r"'leveldb'.*leveldb-log"):
        formats.named("leveldb")
    assert formats.named("leveldb-log").title.startswith("LevelDB")


def test_a_log_that_fits_two_formats_must_be_named(
    tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "000001.log"
    path.write_bytes(write(b"alpha"))
    second_format = formats.Format("twin", "", lambda _: True, *[lambda *_: iter(())] * 3)  # type: ignore[arg-type]
    monkeypatch.setitem(formats.FORMATS, "twin", second_format)
    with pytest.raises(formats.UnknownFormat, match="leveldb-log and twin"):
        formats.detect(path)
