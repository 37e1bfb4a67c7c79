"""Unpacked content is unchanged, its faults have positions, and its size is limited."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tarfile
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path

import lz4.frame  # type: ignore[import-untyped,unused-ignore]
import pytest
import zstandard

from conformance import VECTORS
from walproof.summary import unpacked as module
from walproof.summary.unpacked import CannotUnpack, unpacked

LOG = (VECTORS / "leveldb-log" / "payload-flipped-in-second-record.log").read_bytes()
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstandard.ZstdCompressor().compress,
    "lz4": lz4.frame.compress,
}


@pytest.mark.parametrize("kind", PACKED)
def test_a_compressed_file(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "000003.log.gz"
    packed = PACKED[kind](LOG)
    path.write_bytes(packed)
    with unpacked(str(path)) as log:
        assert log.path.read_bytes() == LOG
        assert log.path.name == "000003.log"  # the name may determine the format
        assert (log.how, log.is_copy, log.faults) == ((kind,), True, ())
    assert not log.path.exists()
    assert path.read_bytes() == packed


@pytest.mark.parametrize("kind", PACKED)
def test_concatenated_compressed_files(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(PACKED[kind](LOG) + PACKED[kind](LOG))
    with unpacked(str(path)) as log:
        assert log.path.read_bytes() == LOG + LOG


@pytest.mark.parametrize("kind", PACKED)
def test_a_truncated_file_gives_its_first_part(kind: str, tmp_path: Path) -> None:
    content = os.urandom(1 << 20)
    whole = PACKED[kind](content)
    path = tmp_path / "x"
    path.write_bytes(whole[: len(whole) // 2])
    try:
        with unpacked(str(path)) as log:
            result = log.path.read_bytes()
            assert log.faults, "half of a file was taken for a whole one"
            assert content.startswith(result)
    # the cut is inside a bzip2 block of 900 KB, so nothing can be unpacked
    except CannotUnpack as error:
        assert kind == "bzip2", error
        assert str(error).startswith(str(path))


def test_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(gzip.compress(LOG),))
    writer.start()
    with unpacked(str(path)) as log:
        assert log.path.read_bytes() == LOG
        assert log.how == ("pipe", "gzip")
    writer.join()


def archive(kind: str, members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as created:
            for name, data in members.items():
                created.writestr(name, data)
    else:
        with tarfile.open(fileobj=out, mode="w") as created:
            for name, data in members.items():
                info = tarfile.TarInfo(name)
                info.size = len(data)
                created.addfile(info, io.BytesIO(data))
            link = tarfile.TarInfo("link")
            link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
            created.addfile(link)
    return out.getvalue()


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_an_archive_of_one_file_and_of_several(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(archive(kind, {"db/000003.log": LOG}))
    with unpacked(str(path)) as log:
        assert (log.path.name, log.path.read_bytes()) == ("000003.log", LOG)
    path.write_bytes(archive(kind, {"db/000003.log": LOG, "db/old/000001.log": b""}))
    with unpacked(str(path)) as log:
        files = {p.relative_to(log.path).as_posix() for p in log.path.rglob("*") if p.is_file()}
        assert files == {"db/000003.log", "db/old/000001.log"}
        assert log.how == (kind,)


@pytest.mark.parametrize("kind", ["zip", "tar"])
@pytest.mark.parametrize("name", ["../out.log", "/tmp/out.log", "a/../../out.log"])
def test_members_outside_of_the_archive_are_refused(kind: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(archive(kind, {name: LOG}))
    with pytest.raises(CannotUnpack, match="points outside of the archive"), unpacked(str(path)):
        pass
    assert list(tmp_path.rglob("out.log")) == []


@pytest.mark.parametrize("kind", [*PACKED, "zip", "tar"])
def test_a_bomb_stops_at_the_limit(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    zeros = bytes(8 << 20)
    path.write_bytes(PACKED[kind](zeros) if kind in PACKED else archive(kind, {"a": zeros}))
    with pytest.raises(CannotUnpack, match="at most 1048576 bytes"), unpacked(str(path), 1 << 20):
        pass


def test_nested_compression_is_limited(tmp_path: Path) -> None:
    path = tmp_path / "x"
    data = LOG
    for _ in range(9):
        data = gzip.compress(data)
    path.write_bytes(data)
    with pytest.raises(CannotUnpack, match="too many layers of compression"), unpacked(str(path)):
        pass


def test_zeros_take_no_space(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(gzip.compress(bytes(64 << 20) + LOG))
    with unpacked(str(path)) as log:
        result = log.path.stat()
        assert result.st_size == (64 << 20) + len(LOG)
        assert result.st_blocks * 512 < 1 << 20
    assert module.PIECE <= 1 << 20
