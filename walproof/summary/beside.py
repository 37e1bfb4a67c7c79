"""Files in a folder that no reader takes as they lie there: packed ones, and what is no file."""

from __future__ import annotations

import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from reference_impl.formats import UnknownFormat, detect
from reference_impl.register import registers
from walproof.lake.trees import HEAD
from walproof.summary.unpacked import ARCHIVES, CannotUnpack, name_inside, packing, peeked

_SPECIAL = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


@dataclass(frozen=True)
class Beside:
    """A file below a folder, and what it is, in words.

    ``format`` is that of the log that is packed in it. ``is_fault``: it cannot be opened at all.
    """

    path: Path
    what: str
    format: str | None = None
    size: int = 0
    is_fault: bool = False


def beside(folder: Path) -> Iterator[Beside]:
    """What lies below a folder and is named but not read with it, in order of the paths.

    What has a hidden name is passed over, as with logs; so is a packed file in which no log is.
    """
    yield from _below(folder, set())


def what_it_is(path: Path) -> str | None:
    """What a path is that is neither a file nor a folder, in words; links are followed."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        if not path.is_symlink():
            return "gone: it was deleted while this was read"
        return f"a link to {str(path.readlink())!a}, where nothing is"
    except OSError as error:
        return "a link that leads in a circle" if path.is_symlink() else error.strerror
    return next((words for is_it, words in _SPECIAL if is_it(mode)), None)


def _below(folder: Path, seen: set[tuple[int, int]]) -> Iterator[Beside]:
    try:
        own = folder.stat()
        if (own.st_dev, own.st_ino) in seen:
            return
        seen.add((own.st_dev, own.st_ino))
        paths = sorted(folder.iterdir())
    except OSError:
        return  # the search for logs says so
    for path in paths:
        if path.name.startswith((".", "_")):
            continue
        if path.is_dir():
            yield from _below(path, seen)
        elif (found := _looked_at(path)) is not None:
            yield found


def _looked_at(path: Path) -> Beside | None:
    if (what := what_it_is(path)) is not None:
        return Beside(path, what, is_fault=path.is_symlink() and not path.exists())
    try:
        kind = packing(path)
        if kind is None:
            return None
        if kind in ARCHIVES:
            return Beside(path, f"an archive ({kind})")
        head = peeked(path, kind, HEAD)
        with tempfile.TemporaryDirectory(prefix="walproof-") as scratch:
            begins = Path(scratch, name_inside(path))
            begins.write_bytes(head)
            if not head:
                return None  # no log at all, whatever its name
            if (inner := packing(begins)) is not None:
                return Beside(path, f"an archive ({inner} in {kind})")
            found = detect(begins).id
    except UnknownFormat:
        return None
    except CannotUnpack as error:
        return Beside(path, str(error), is_fault=True)
    except OSError as error:
        return Beside(path, error.strerror or str(error), is_fault=True)
    title = registers()[found].title.partition(" (")[0]
    return Beside(path, f"a {title}, packed by {kind}", found, path.stat().st_size)
