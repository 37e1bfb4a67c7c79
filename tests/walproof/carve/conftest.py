"""Synthetic images: random bytes with logs at chosen offsets."""

from __future__ import annotations

import hashlib
import json
import random
import struct
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from reference_impl.answer import NewRecord, collect
from reference_impl.formats import named
from walproof.cli import main

#: Formats with checksums, whose loose records are distinguishable from random bytes.
CHECKED = (
    "leveldb-log", "kahadb-journal", "zeebe-journal", "systemd-journal", "rocksdb-wal",
    "sqlite-wal",
)  # fmt: skip


@dataclass
class Builder:
    """An image that grows; the bytes between its parts are random."""

    random: random.Random = field(default_factory=lambda: random.Random(11))
    data: bytearray = field(default_factory=bytearray)

    def filler(self, size: int) -> None:
        self.data += self.random.randbytes(size)

    def put(self, part: bytes, align: int = 4096, remainder: int = 0) -> int:
        """Append bytes at the next offset with this ``remainder``; pad with zeros to a sector."""
        self.data += self.random.randbytes((remainder - len(self.data)) % align)
        at = len(self.data)
        self.data += part
        if align % 512 == 0:
            self.data += bytes(-len(self.data) % 512)
        self.filler(self.random.randrange(3000, 9000))
        return at

    def save(self, path: Path) -> Path:
        path.write_bytes(self.data)
        return path


@pytest.fixture
def builder() -> Builder:
    new_builder = Builder()
    new_builder.filler(20_000)
    return new_builder


def batch(number: int, size: int = 40) -> bytes:
    """Return a write batch of LevelDB with one entry."""
    key, value = f"key{number:05}".encode(), random.Random(number).randbytes(size)
    entry = b"\1" + bytes([len(key)]) + key + _varint(size) + value
    return struct.pack("<QI", 1000 + number, 1) + entry


def _varint(number: int) -> bytes:
    text = b""
    while number >= 0x80:
        text += bytes([number & 0x7F | 0x80])
        number >>= 7
    return text + bytes([number])


def new_records(format_id: str, count: int, size: int = 40) -> list[NewRecord]:
    """Return distinct valid records of the format."""
    records = []
    for number in range(count):
        data = random.Random(number).randbytes(size)
        if format_id in ("leveldb-log", "rocksdb-wal"):
            records.append(NewRecord(batch(number, size)))
        elif format_id == "zeebe-journal":
            records.append(NewRecord(data, {"asqn": str(number + 1)}))
        elif format_id == "systemd-journal":
            body = f"MESSAGE={number} {data.hex()}\nUNIT=u{number % 3}\n".encode()
            moment = {"realtime": str(10**15 + number), "monotonic": str(number)}
            records.append(NewRecord(body, {**moment, "boot_id": "ab" * 16}))
        elif format_id == "zmq-raft":
            records.append(NewRecord(data, {"term": "3", "entry_type": 0}))
        elif format_id == "sqlite-wal":
            page = random.Random(number).randbytes(512)
            records.append(NewRecord(page, {"pages": [number % 5 + 1], "db_pages": 5}))
        else:
            records.append(NewRecord(data))
    return records


@pytest.fixture
def log_of(tmp_path: Path) -> Callable[..., bytes]:
    """Return a function that writes a log with the executable specification."""

    def write(format_id: str, count: int, size: int = 40, **context: Any) -> bytes:
        suffix = {"zmq-raft": ".rlog", "systemd-journal": ".journal"}.get(format_id, ".log")
        if format_id == "zeebe-journal":
            suffix = ""
        path = tmp_path / f"made-{len(list(tmp_path.iterdir()))}{suffix}"
        defaults = {"zmq-raft": {"capacity": 256}, "sqlite-wal": {"page_size": 512}}
        settings = {**defaults.get(format_id, {}), **context}
        named(format_id).write(path, new_records(format_id, count, size), settings)
        if path.is_dir():
            (path,) = [file for file in path.iterdir() if file.suffix == ".log"]
        return path.read_bytes()

    return write


def payloads(path: Path, format_id: str) -> list[bytes]:
    return [
        record.payload for record in collect(named(format_id).read(path, "recover", {})).records
    ]


@dataclass
class Carved:
    """The output of a run of ``walproof carve``."""

    folder: Path
    status: int
    output: str

    @property
    def rows(self) -> list[dict[str, Any]]:
        text = (self.folder / "manifest.jsonl").read_text("utf-8")
        return [json.loads(line) for line in text.splitlines()]

    @property
    def loose(self) -> list[dict[str, Any]]:
        path = self.folder / "loose.jsonl"
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        return [json.loads(line) for line in lines]

    def logs(self, format_id: str | None = None, kind: str = "log") -> list[dict[str, Any]]:
        return [
            row
            for row in self.rows
            if row["kind"] == kind and row["format"] == (format_id or row["format"])
        ]


@pytest.fixture
def carve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., Carved]:
    """Return a function that runs ``walproof carve`` and checks that the image is unchanged."""
    runs: list[int] = []

    def run(image: Path, *options: str, out: Path | None = None) -> Carved:
        folder = out or tmp_path / f"out-{len(runs)}"
        runs.append(1)
        before = _digest(image)
        arguments: Sequence[str] = ["walproof", "carve", str(image), "--out", str(folder), *options]
        monkeypatch.setattr(sys, "argv", list(arguments))
        with pytest.raises(SystemExit) as exit:
            main()
        assert _digest(image) == before
        return Carved(folder, int(exit.value.code or 0), "\n".join(capfd.readouterr()))

    return run


def _digest(path: Path) -> str | None:
    if path.stat().st_size > 1 << 28:
        return None
    return hashlib.sha256(path.read_bytes()).hexdigest()
