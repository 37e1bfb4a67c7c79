"""Damage SQLite logs in a sweep."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator

from conformance.contents import by_name
from reference_impl.answer import Answer, NewRecord, Record
from reference_impl.sqlite_wal.layout import (
    FRAME_HEADER_SIZE,
    HEADER_SIZE,
    PAGE_SIZES,
    SALTS,
    FrameHeader,
    Header,
    Order,
    covered,
    frames,
)
from walproof.sweep.format_sweep import AppendTask, FormatSweep, LogState
from walproof.sweep.history_writer import HistoryWriter


class SqliteSweep(FormatSweep):
    """In this format, a chain of checksums covers the header and all frames."""

    # If the header is damaged, only 32 bits verify the log, so some pairs of bit flips remain
    # unnoticed.
    pairs_tell = False
    appends_exactly = True

    def is_made_of(self, payload: bytes, written: Collection[bytes]) -> bool:
        """Return True for the end of a payload: padding repeats the last page image (SQW-014)."""
        return any(each.endswith(payload) for each in written)

    def is_framing(self, before: bytes, after: bytes, record: Record) -> bool:
        """Return whether damage turned a record into padding or older frames (SQW-014, SQW-030)."""
        size = record.size // len(record.fields["pages"])
        slots = range(record.at, record.at + record.size, size)
        return not any(
            FrameHeader.of(after[at : at + size]).has_salts(before[at : at + size][SALTS])
            for at in slots
            if at + FRAME_HEADER_SIZE <= len(after)
        ) or (
            record.size == size
            and covered(after[record.at : record.at + size])
            in (covered(after[at : at + size]) for at in range(HEADER_SIZE, record.at, size))
        )

    def plain(self, task: AppendTask) -> NewRecord:
        """Return one short record that every writer accepts."""
        return NewRecord(b"x" * _page_size(task))

    def reach(self, control: LogState, file: str, start: int, end: float) -> tuple[int, float]:
        """Damage destroys all transactions that it touches, and may destroy the next (SQW-040)."""
        later = [record.at + record.size for record in control.records if record.at >= end]
        return start, later[0] if len(later) > 1 else math.inf

    def tears_look_damaged(self, control: LogState, answer: Answer) -> bool:
        """Return True if dropped frames with the same salts may follow the torn frames."""
        before = control.earlier[0]
        data = before.files[""]
        end = max([HEADER_SIZE, *(record.at + record.size for record in before.records)])
        return data[16:24] in data[end:]

    def write_history(self, log: HistoryWriter) -> None:
        """Write several generations over one another, with padded and rolled-back transactions."""
        chance, log.name = log.chance, "test.db-wal"
        order: Order = chance.choice(("<", ">"))
        for generation in range(chance.randrange(1, 4)):
            below = by_name(log.contents)[""] if log.states else b""
            salts = (7 + generation).to_bytes(4, "big") + chance.randbytes(4)
            header = Header(order, 512, generation, salts)
            data, state = header.to_bytes(), header.checksum
            log.put(data + below[len(data) :], [])
            for _ in range(chance.randrange(1, 6)):
                images = list(self._images(log))
                payload = b"".join(image for _, _, image in images)
                if chance.random() < 0.3:  # This pads the transaction up to a sector (SQW-014).
                    images += images[-1:] * chance.randrange(1, 4)
                new, after = frames(images, header, state)
                # The transaction was rolled back, or the writer crashed.
                if chance.random() < 0.2:
                    # Keep less than one frame: whole frames with these salts would look damaged
                    # later.
                    cut = chance.randrange(536 if len(payload) > 512 else FRAME_HEADER_SIZE)
                    below = data + new[:cut] + below[len(data) + cut :]
                else:
                    data, state = data + new, after
                    log.payloads = [*(log.payloads or []), payload]
                log.put(data + below[len(data) :])

    def _images(self, log: HistoryWriter) -> Iterator[tuple[int, int, bytes]]:
        pages = log.chance.sample(range(1, 9), log.chance.choice((1, 1, 2, 3)))
        for page in pages:
            image = (b"%d " % log.chance.getrandbits(20) + log.payload((512,))).ljust(512, b"\0")
            yield page, 9 if page == pages[-1] else 0, image[:512]


def _page_size(task: AppendTask) -> int:
    if task.records:
        record = task.records[0]
        return len(record.payload) // len(record.fields["pages"])
    configured = int(task.context.get("page_size", 512))
    return configured if configured in PAGE_SIZES else 512


SWEEP = SqliteSweep()
