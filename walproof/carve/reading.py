"""Read a find as a file of its own."""

from __future__ import annotations

import contextlib
import importlib.util
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from reference_impl.answer import End, Event, Lost
from reference_impl.formats import named
from walproof.carve.image import Image
from walproof.carve.model import Reading

CHUNK = 1 << 16
_ZEROS = bytes(CHUNK)
#: Bytes of a format from which on loading its compiled scanner pays off.
MIN_SCANNER_BYTES = 1 << 17
#: Bytes of each format read so far.
_read = Counter[str]()


def read_file(path: Path, format_id: str) -> Reading:
    """Read a log with the scanner, or with the executable specification if there are few small
    logs.

    Loading a compiled scanner takes longer than reading a few small logs without it.
    """
    records = lost = 0
    last: tuple[int, int] | None = None
    for count, event in _events(path, format_id):
        records += count
        if isinstance(event, Lost):
            lost += event.end - event.start
            last = max(last or (0, 0), (event.start, event.end))
        elif isinstance(event, End):
            end = event
    return Reading(end.verdict, end.reason, records, lost, last)


def _events(path: Path, format_id: str) -> Iterator[tuple[int, Event | None]]:
    _read[format_id] += path.stat().st_size
    if _read[format_id] < MIN_SCANNER_BYTES or not all(
        map(importlib.util.find_spec, ("numba", "pyarrow"))
    ):
        for event in named(format_id).read(path, "recover", {}):
            yield int(not isinstance(event, Lost | End)), event
        return
    from walproof.scan import scanner
    from walproof.scan.log import Log
    from walproof.scan.model import Wanted

    no_columns = Wanted(payload=False, columns=frozenset())
    for run in scanner(format_id).scan(Log(path), no_columns):
        if isinstance(run, Lost | End):
            yield 0, run
        else:
            yield len(run), None


@contextlib.contextmanager
def as_file(
    image: Image,
    parts: Sequence[tuple[int, int]],
    suffix: str,
    consume: Callable[[bytes], object] = lambda _: None,
) -> Iterator[Path]:
    """Write parts ``[at, end)`` of an image to a scratch file, with holes for zeros.

    Each piece is also passed to ``consume``.
    """
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
