"""Reading a journal file: recognised by its header, then inspected (``inspection.py``)."""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reference_impl.answer import Event
from reference_impl.systemd_journal import inspection, layout


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
        yield from inspection.read(data, profile, context)
