"""Read a find as a separate file."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from reference_impl.answer import End, Lost
from walproof.carve.image import Image
from walproof.carve.model import Reading
from walproof.scan import scanner
from walproof.scan.log import Log
from walproof.scan.model import Wanted

CHUNK = 1 << 16
_ZEROS = bytes(CHUNK)
_NO_COLUMNS = Wanted(payload=False, columns=frozenset())


def read_file(path: Path, format_id: str) -> Reading:
    """Read a log with the scanner, or with the executable specification if numba is missing."""
    records = lost = 0
    last: tuple[int, int] | None = None
    for event in scanner(format_id).scan(Log(path), _NO_COLUMNS):
        if isinstance(event, Lost):
            lost += event.end - event.start
            last = max(last or (0, 0), (event.start, event.end))
        elif isinstance(event, End):
            end = event
        else:
            records += len(event)
    return Reading(end.verdict, end.reason, records, lost, last)


@contextlib.contextmanager
def as_file(
    image: Image,
    parts: Sequence[tuple[int, int]],
    suffix: str,
    consume: Callable[[bytes], object] = lambda _: None,
) -> Iterator[Path]:
    """Write parts ``[at, end)`` of an image to a scratch file, with holes for zeros."""
    with tempfile.TemporaryDirectory(prefix="walproof-") as folder:
        path = Path(folder, f"carved{suffix}")
        with path.open("xb") as file:
            for at, end in parts:
                for offset in range(at, end, CHUNK):
                    piece = image.read(offset, min(CHUNK, end - offset))
                    consume(piece)
                    if piece == _ZEROS[: len(piece)]:
                        file.seek(len(piece), 1)
                    else:
                        file.write(piece)
            file.truncate(sum(end - at for at, end in parts))
        yield path
