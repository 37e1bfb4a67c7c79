"""The writer of SQLite write-ahead logs, described by spec/sqlite-wal.md.

Upstream authority: sqlite/sqlite ``src/wal.c``, ``walFrames`` and ``walEncodeFrame``.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from reference_impl.answer import End, NewRecord
from reference_impl.sqlite_wal.layout import (
    MAX_PAGE,
    PAGE_SIZES,
    FrameHeader,
    Header,
    Order,
    State,
    covered,
    frames,
)
from reference_impl.sqlite_wal.opening import NoHeader, Opening, Refused, open_log
from reference_impl.sqlite_wal.reader import Scan, read_file

DEFAULT_PAGE_SIZE = 4096


def write(path: Path, records: Sequence[NewRecord], context: Mapping[str, Any]) -> None:
    """Create a log at a path that does not exist yet (SQW-050 to SQW-052).

    The context keys are ``page_size``, ``byte_order``, ``sequence``, ``salt_1`` and ``salt_2``.
    Raises ``OSError``, and ``ValueError`` if the records or the context are invalid.
    """
    header = _header(context)
    encoded, _ = _encode(records, header, header.checksum, None)
    with path.open("xb") as log:
        log.write(header.to_bytes() + encoded)


def append(path: Path, records: Sequence[NewRecord], context: Mapping[str, Any]) -> None:
    """Recover a log file and append to it (SQW-053, SQW-054).

    ``context`` is used only if the log has no header. Raises ``OSError``, and ``ValueError`` if the
    log must not be appended to or the records are invalid.
    """
    with path.open("r+b") as log:
        size = path.stat().st_size
        *_, last = read_file(log, size)
        assert isinstance(last, End)
        if last.end is None:
            raise ValueError(f"the log must not be appended to ({last.reason}): start a new file")
        if not records:
            return
        if last.end:
            scan = Scan(log, size, open_log(log, size))
            for _ in scan.committed_records():
                pass
            header, value, before = scan.opening.header, scan.committed_value, scan.last_commit
            assert header is not None and value is not None
            start = b""
        else:
            header = _header(context)
            value, before, start = header.checksum, None, header.to_bytes()
        encoded, _ = _encode(records, header, value, before)
        log.truncate(last.end)
        log.seek(last.end)
        log.write(start + encoded)


def copied(path: Path, context: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the context for copying a log, with the known values of its header."""
    with path.open("rb") as log:
        opening = _opening(log, path.stat().st_size)
    if opening is None:
        return context
    first, second = (int.from_bytes(half, "big") for half in (opening.salts[:4], opening.salts[4:]))
    sequence = opening.header.sequence if opening.header else 0
    order = "big" if opening.order == ">" else "little"
    return {
        "page_size": opening.page_size,
        "byte_order": order,
        "sequence": sequence,
        "salt_1": first,
        "salt_2": second,
    }


def _opening(log: BinaryIO, size: int) -> Opening | None:
    try:
        return open_log(log, size) if size else None
    except (Refused, NoHeader):
        return None


def _header(context: Mapping[str, Any]) -> Header:
    """Return the header of a new log (SQW-050)."""
    page_size = context.get("page_size", DEFAULT_PAGE_SIZE)
    if page_size not in PAGE_SIZES:
        raise ValueError(
            f"page_size: expected a power of two from {PAGE_SIZES[0]} to {PAGE_SIZES[-1]},"
            f" found {page_size}"
        )
    salts = [context.get(f"salt_{n}", secrets.randbits(32)).to_bytes(4, "big") for n in (1, 2)]
    order: Order = ">" if context.get("byte_order") == "big" else "<"
    return Header(order, page_size, context.get("sequence", 0), b"".join(salts))


def _encode(
    records: Sequence[NewRecord], header: Header, value: State, before: bytes | None
) -> tuple[bytes, State]:
    """Encode records as frames. ``before`` is the last commit frame before them, if any."""
    images: list[tuple[int, int, bytes]] = []
    last = _contents(before)
    for number, record in enumerate(records):
        new = list(_images(record, header.page_size, number))
        if new == [last]:
            raise ValueError(
                f"record {number}: repeats the commit before it, and is read as padding"
            )
        images += new
        last = new[-1]
    return frames(images, header, value)


def _contents(slot: bytes | None) -> tuple[int, int, bytes] | None:
    if slot is None:
        return None
    frame = FrameHeader.of(slot)
    return frame.page, frame.db_pages, covered(slot)[8:]


def _images(record: NewRecord, page_size: int, number: int) -> Iterator[tuple[int, int, bytes]]:
    """Yield each frame's page number, database size and image (SQW-051, SQW-052)."""
    count, rest = divmod(len(record.payload), page_size)
    if rest or not count:
        raise ValueError(
            f"record {number}: expected page images of {page_size} bytes,"
            f" found {len(record.payload)} bytes"
        )
    pages = record.fields.get("pages", list(range(1, count + 1)))
    if len(pages) != count or not all(1 <= page <= MAX_PAGE for page in pages):
        raise ValueError(
            f"record {number}: pages: expected {count} numbers from 1 to {MAX_PAGE}, found {pages}"
        )
    db_pages = record.fields.get("db_pages", max(pages))
    if not 1 <= db_pages <= MAX_PAGE:
        raise ValueError(f"record {number}: db_pages: expected 1 to {MAX_PAGE}, found {db_pages}")
    for index, page in enumerate(pages):
        image = record.payload[index * page_size : (index + 1) * page_size]
        yield page, db_pages if index == count - 1 else 0, image
