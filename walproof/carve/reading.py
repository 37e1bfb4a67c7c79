"""What a reader says of a find: the answer to a file with these bytes and no others."""

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
WORTH_A_KERNEL = 1 << 17
"""Bytes from which on a compiled kernel is worth loading: of one log, or of many small ones."""
_read = Counter[str]()
"""Bytes of each format that were read so far."""


def read_file(path: Path, format_id: str) -> Reading:
    """Read a log: a large one, or one of many, with the bulk scanner, if it is installed.

    A few small ones are read by the executable specification: to load the kernels of a format takes
    longer than that.
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
    if _read[format_id] < WORTH_A_KERNEL or not all(
        map(importlib.util.find_spec, ("numba", "pyarrow"))
    ):
        for event in named(format_id).read(path, "recover", {}):
            yield int(not isinstance(event, Lost | End)), event
        return
    from walproof.scan import scanner
    from walproof.scan.log import Log
    from walproof.scan.model import Wanted

    nothing = Wanted(payload=False, columns=frozenset())
    for run in scanner(format_id).scan(Log(path), nothing):
        if isinstance(run, Lost | End):
            yield 0, run
        else:
            yield len(run), None


@contextlib.contextmanager
def as_file(
    image: Image,
    parts: Sequence[tuple[int, int]],
    suffix: str,
    passed: Callable[[bytes], object] = lambda _: None,
) -> Iterator[Path]:
    """Parts ``[at, end)``, one after the other, as a scratch file. Zeros take no room in it.

    Each piece of them is ``passed`` on.
    """
    with tempfile.TemporaryDirectory(prefix="walproof-") as folder:
        path = Path(folder, f"carved{suffix}")
        with path.open("xb") as file:
            for at, end in parts:
                for place in range(at, end, CHUNK):
                    piece = image.read(place, min(CHUNK, end - place))
                    passed(piece)
                    if piece == _ZEROS[: len(piece)]:
                        file.seek(len(piece), 1)
                    else:
                        file.write(piece)
            file.truncate(sum(end - at for at, end in parts))
        yield path
