"""An input as one string of bytes: a line of JSON with what a reader is told, then the files.

A fuzzer keeps, changes and merges strings of bytes. The first line makes them logs again, of one
file or of several, each with its name and context; a person can read it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from conformance.contents import Contents, by_name, size
from walproof.sweep.controls import Control

SUFFIX = ".fuzz"
"""How the name of a file with a packed input ends."""
MOST_FILES = 64


class NotPacked(ValueError):
    """Bytes that are no packed input; the message says why."""


@dataclass(frozen=True)
class Input:
    """A log with all that a reader is told of it. ``origin`` is the vector that it came from."""

    format: str
    name: str
    contents: Contents
    context: Mapping[str, Any] = field(default_factory=dict)
    origin: str = ""

    @property
    def size(self) -> int:
        """Bytes in all files together."""
        return size(self.contents)

    @property
    def files(self) -> Mapping[str, bytes]:
        """Bytes by file name; the name is empty in a log of one file."""
        return by_name(self.contents)

    @property
    def control(self) -> Control:
        """The same as the readers of a sweep take it."""
        return Control(self.origin, self.format, self.contents, self.name, self.context)

    def pack(self) -> bytes:
        """The input as bytes; :func:`unpack` is the way back."""
        head: dict[str, Any] = {
            "format": self.format,
            "name": self.name,
            "context": dict(self.context),
            "origin": self.origin,
        }
        if isinstance(self.contents, bytes):
            head["size"] = len(self.contents)
        else:
            head["files"] = [[name, len(data)] for name, data in self.contents.items()]
        line = json.dumps(head, ensure_ascii=True, separators=(",", ":")).encode()
        return b"\n".join((line, b"".join(self.files.values())))


def unpack(packed: bytes) -> Input:
    """The input that these bytes stand for. Raises :class:`NotPacked`."""
    line, newline, rest = packed.partition(b"\n")
    try:
        head = json.loads(line)
        format, name, origin = str(head["format"]), str(head["name"]), str(head["origin"])
        context = dict(head["context"])
        sizes = head.get("files")
        contents: Contents
        if sizes is None:
            contents = rest[: int(head["size"])]
        else:
            contents = _cut(rest, [(str(one), int(many)) for one, many in sizes])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise NotPacked(f"line 1: expected what a log is, as JSON ({error})") from None
    if not newline or not is_name(name) or "/" in name:
        raise NotPacked(f"line 1: expected the name of a log, found {name!r}")
    return Input(format, name, contents, context, origin)


def _cut(rest: bytes, sizes: list[tuple[str, int]]) -> dict[str, bytes]:
    if len(sizes) > MOST_FILES:
        raise ValueError(f"more than {MOST_FILES} files")
    found: dict[str, bytes] = {}
    at = 0
    for name, many in sizes:
        folders = {str(above) for above in PurePosixPath(name).parents}
        inside = any(f"{name}/" == other[: len(name) + 1] for other in found)
        if many < 0 or name in found or not is_name(name) or inside or folders & found.keys():
            raise ValueError("no folder can hold these files")
        found[name] = rest[at : at + many]
        at += many
    return found


def is_name(name: str) -> bool:
    """Whether a file below a folder can have this name, and no other place is meant by it."""
    parts = name.split("/")
    return "\0" not in name and all(
        part not in ("", ".", "..") and len(part.encode("utf-8", "replace")) < 250 for part in parts
    )
