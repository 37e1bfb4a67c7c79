"""The systemd journal file, executable: spec/systemd-journal.md says the same in prose.

Upstream authority: systemd ``src/libsystemd/sd-journal/`` (``journal-def.h``, ``journal-file.c``,
``journal-verify.c``, ``journal-authenticate.c``, ``fsprg.c``, ``sd-journal.c``).
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reference_impl.answer import Event, NewRecord
from reference_impl.systemd_journal import appending, layout, reader, writer


@contextmanager
def mapped(path: Path) -> Iterator[mmap.mmap | bytes]:
    """The bytes of a file, read-only and not loaded before they are looked at (SDJ-058)."""
    with path.open("rb") as log:
        if log.seek(0, 2) < layout.HEADER_MIN:
            log.seek(0)
            yield log.read()
            return
        with mmap.mmap(log.fileno(), 0, access=mmap.ACCESS_READ) as data:
            yield data


def recognise(path: Path) -> bool:
    """Whether a file begins like a journal file: signature, state and header size."""
    if path.is_dir():
        return False
    with path.open("rb") as log:
        head = log.read(layout.HEADER_FULL)
    if len(head) < layout.HEADER_MIN:
        return len(head) >= 8 and head.startswith(layout.SIGNATURE)
    return head.startswith(layout.SIGNATURE)


def read(path: Path, profile: str, context: Mapping[str, Any]) -> Iterator[Event]:
    """The answer to a journal file."""
    with mapped(path) as data:
        yield from reader.read(data, profile, context)


def write(path: Path, records: Sequence[NewRecord], context: Mapping[str, Any]) -> None:
    """A new file from records; the context names options of :class:`writer.Options`."""
    made = writer.Writer(writer.Options.from_context(context))
    for record in records:
        made.write(record)
    with path.open("xb") as log:
        log.write(made.finish())


def append(path: Path, records: Sequence[NewRecord], context: Mapping[str, Any]) -> None:
    """Go on with a file. Raises ``ValueError`` where a new one must be begun (SDJ-087)."""
    with mapped(path) as data:
        made = appending.reopen(bytes(data), context)
    for record in records:
        made.write(record)
    whole = made.finish()
    # As systemd does: objects first, the header last, so that a crash leaves the old counts.
    with path.open("r+b") as log:
        log.seek(made.header.header_size)
        log.write(whole[made.header.header_size :])
        log.flush()
        log.seek(0)
        log.write(whole[: made.header.header_size])
