"""The logs that a path leads to: one, or those in a folder and below it."""

from __future__ import annotations

import functools
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reference_impl.formats import UnknownFormat, detect, named
from reference_impl.register import registers
from walproof.lake.blank import is_blank
from walproof.lake.discovery import FoundLog, find
from walproof.lake.options import Options
from walproof.lake.trees import absolute
from walproof.summary.beside import what_it_is
from walproof.summary.summary import size_of
from walproof.summary.unpacked import packing

_HEAD = 1 << 20
_VARIES = re.compile(
    r"(%0?[0-9]*l*[ud]|<[^>]*>|[0-9]{5,}|NAME|SEQNUM_ID|SEQNUM|REALTIME|TIME|RANDOM)"
)
"""What stands for something else in the names of files that a register gives."""


@dataclass(frozen=True)
class FoundOne:
    """A log: where it is, its format, and what its reader is told; or why it cannot be read.

    ``by`` says how the format is known: ``content``, ``name`` alone, or ``told``. A log
    ``is_blank`` if all of its bytes are zero, or there are none. ``is_packed``: it has to be
    unpacked first.
    """

    path: Path
    format: str | None
    size: int
    context: dict[str, Any] = field(default_factory=dict)
    fault: str | None = None
    by: str = "content"
    is_blank: bool = False
    is_packed: bool = False


def one(path: Path, format_id: str | None) -> FoundOne | None:
    """The log that ``path`` itself is; None for a folder that is none, but may hold some.

    Raises :class:`UnknownFormat` with what a file looks like, and ``OSError``.
    """
    size = size_of(path)
    if format_id is not None:
        return FoundOne(path, named(format_id).id, size, by="told", is_blank=is_blank(path))
    try:
        found = detect(path).id
        blank = is_blank(path)
        if blank and len(names := _named_like(path)) == 1:
            (found,) = names  # zeros look like a log of any format without a signature
        return FoundOne(path, found, size, by=_by(path, found), is_blank=blank)
    except UnknownFormat as error:
        if path.is_dir():
            return None
        raise UnknownFormat(looks_like(path, str(error))) from None


def below(folder: Path) -> Iterator[FoundOne]:
    """The logs in a folder and below it, in order of their paths.

    The paths begin with ``folder`` as it was given. A file that is no log as it lies there is left
    out: :mod:`walproof.summary.beside` names those. What cannot be read has its ``fault``.
    """
    here = absolute(str(folder))
    for log in find(Options((str(folder),), recursive=True)):
        found = _looked_at(log, folder / Path(log.path).relative_to(here))
        if found is not None:
            yield found


def _looked_at(log: FoundLog, path: Path) -> FoundOne | None:
    if what_it_is(path) is not None:
        return None
    if log.fault is not None:
        return FoundOne(path, None, log.size, fault=log.fault.strerror or str(log.fault))
    try:
        if log.format is None and packing(path) is not None:
            return None
        format_id = log.format or detect(path).id
    except UnknownFormat:
        return None
    except OSError as error:
        return FoundOne(path, None, log.size, fault=error.strerror or str(error))
    if log.size == 0 and format_id not in _named_like(path):
        return None  # an empty file is an empty log of a format whose name it has, and of no other
    return FoundOne(path, format_id, log.size, log.context)


def _by(path: Path, format_id: str) -> str:
    """Whether the content alone says what a log is: by looking at it under a name of no format."""
    if path.is_dir():
        return "content"
    with tempfile.TemporaryDirectory(prefix="walproof-") as folder:
        nameless = Path(folder, "unnamed")
        nameless.symlink_to(path.resolve())
        return "content" if named(format_id).recognise(nameless) else "name"


def looks_like(path: Path, error: str) -> str:
    """Why a file is no log, with what its name and its bytes say besides."""
    said = [error]
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if head and not head.strip(b"\0"):
        more = "or more " if len(head) == _HEAD else ""
        said.append(f"it begins with {len(head)} {more}zeros")
    if names := _named_like(path):
        said.append(f"its name is that of a {' or '.join(names)}, its bytes are not")
    return "; ".join(said)


def _named_like(path: Path) -> list[str]:
    """Formats whose files have such names."""
    return [
        register.id
        for register in registers().values()
        if any(_pattern(name).fullmatch(path.name) for name in register.file_names)
    ]


@functools.cache
def _pattern(name: str) -> re.Pattern[str]:
    """What a name in a register stands for: ``%06llu.log``, ``<name>-<id>.log``."""
    last = name.rpartition("/")[2]
    return re.compile("".join(map(_piece, _VARIES.split(last))))


def _piece(text: str) -> str:
    if re.fullmatch(r"%.*|<id>|<number>|[0-9]{5,}", text):
        return "[0-9]+"
    return ".+" if _VARIES.fullmatch(text) else re.escape(text)
