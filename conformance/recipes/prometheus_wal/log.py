"""The builder of Prometheus write-ahead logs, and the book of their recipes."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conformance.contents import Contents, by_name, read_contents
from conformance.recipes.leveldb_log.log import numbered
from conformance.recipes.recipe import Book, Log
from reference_impl.answer import NewRecord
from reference_impl.prometheus_wal.layout import (
    FIRST,
    FULL,
    HEADER_SIZE,
    LAST,
    MIDDLE,
    PAGE_SIZE,
    SNAPPY,
    ZSTD,
    frame,
)
from reference_impl.prometheus_wal.writer import Writer, write

__all__ = ["FIRST", "FULL", "LAST", "MIDDLE", "PAGE_SIZE", "SNAPPY", "ZSTD", "frame", "numbered"]


class PrometheusLog(Log):
    """A log under construction: one segment, or a folder of segments and checkpoints."""

    def __init__(self, control: Contents, payloads: Sequence[bytes]) -> None:
        super().__init__(control, payloads, "prometheus-wal")

    def write(self, *payloads: bytes, compression: str = "none") -> None:
        """Write these records after the existing records of a segment."""
        self.data = bytearray(segment(*payloads, compression=compression, before=self.data))
        self.payloads += payloads

    def frames(self, *frames: bytes) -> None:
        """Add these frames after the existing ones."""
        self.data += b"".join(frames)

    def fill_page_but(self, left: int) -> None:
        """Write one record that leaves ``left`` bytes of the current page."""
        self.write(numbered(PAGE_SIZE - len(self.data) % PAGE_SIZE - HEADER_SIZE - left))

    def close(self) -> None:
        """Pad the last page."""
        self.data = bytearray(padded(self.data))

    def build(self, *payloads: bytes, **context: Any) -> None:
        """Write a new log."""
        self.payloads += payloads
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "log"
            write(path, [NewRecord(payload) for payload in payloads], context)
            contents = read_contents(path)
        self.files = {name: bytearray(data) for name, data in by_name(contents).items()}

    def build_files(self, **files: Sequence[bytes] | bytes) -> None:
        """Make segments of these records or bytes.

        The keyword ``s2`` stands for segment 2, and ``c1_s0`` for segment 0 of checkpoint 1.
        """
        self.files = {}
        for key, content in files.items():
            checkpoint, _, number = key.rpartition("_")
            name = f"{int(number[1:]):08d}"
            if checkpoint:
                name = f"checkpoint.{int(checkpoint[1:]):08d}/{name}"
            if not isinstance(content, bytes):
                self.payloads += content
                content = padded(segment(*content))
            self.files[name] = bytearray(content)

    # Table rows call the methods below by name.

    def part(self, number: int, start: int, end: int) -> bytes:
        """Return a part of a record that a reader cannot distinguish from a record, to name a
        survivor."""
        return self.payloads[number][start:end]

    def joined(self, *parts: int) -> bytes:
        """Return one payload that joins parts of records. Each part has a record number, start and
        end."""
        triples = zip(parts[::3], parts[1::3], parts[2::3], strict=True)
        return b"".join(self.payloads[number][start:end] for number, start, end in triples)

    def payload_a(self, size: int) -> bytes:
        """Return a payload of ``size`` letters, to name a survivor."""
        return b"a" * size

    def retype(self, path: str, kind: int) -> None:
        """Change the type byte of a frame, which no checksum covers."""
        self.set(f"{path}.header.type", kind)

    def zeros(self, at: int, size: int) -> None:
        """Set bytes to zero."""
        self.overwrite(at, bytes(size))

    def add_frame(self, kind: int, text: str = "", flags: int = 0) -> None:
        """Add a frame after the end of the segment."""
        self.extend(frame(kind, flags, text.encode()))

    def with_context(self, key: str, value: int) -> None:
        """Set a boolean key of the context."""
        self.context[key] = bool(value)


def segment(*payloads: bytes, compression: str = "none", before: bytes | bytearray = b"") -> bytes:
    """Return a segment with these records after the bytes ``before``."""
    writer = Writer(Path(), {"compression": compression}, None)
    writer.segment += before
    for payload in payloads:
        writer.add(payload)
    return bytes(writer.segment)


def padded(data: bytes | bytearray) -> bytes:
    """Return a segment with its last page padded to the full size."""
    return bytes(data) + bytes(-len(data) % PAGE_SIZE)


BOOK: Book[PrometheusLog] = Book("prometheus-wal", PrometheusLog, ".wal")
APPENDING = BOOK.group("appending")
CHECKPOINTS = BOOK.group("checkpoints")
CHECKSUM = BOOK.group("checksum")
COMPRESSION = BOOK.group("compression")
FRAGMENTS = BOOK.group("fragments")
LAYOUT = BOOK.group("layout")
LENGTHS = BOOK.group("lengths")
LIMITS = BOOK.group("limits")
PADDING = BOOK.group("padding")
SEGMENTS = BOOK.group("segments")
TAILS = BOOK.group("tails")
TYPES = BOOK.group("types")
WRITING = BOOK.group("writing")
