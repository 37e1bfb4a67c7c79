"""Pack logs into byte strings, which fuzzers work on, and unpack them.

The first line is JSON with the format, the name, the context and the file sizes. The file contents
follow.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from conformance.contents import Contents, digest, size
from conformance.kaitai.field_map import Field, ParseStopped, iter_fields
from conformance.vectors import Vector
from walproof.sweep.controls import Control
from walproof.sweep.histories import generate_controls

#: The suffix of files that contain a packed input.
SUFFIX = ".fuzz"
MAX_FILES = 64
#: The maximum total size of an input's files: one and a half blocks of a LevelDB log.
MAX_INPUT_BYTES = 48 << 10
#: The maximum number of fields to read from a file.
MAX_FIELDS = 4000
#: The number of generated logs among the seeds.
GENERATED_SEEDS = 24


class NotPacked(ValueError):
    """The bytes are not a packed input; the message gives the reason."""


@dataclass(frozen=True)
class Input(Control):
    """A log to read. ``id`` names the vector or generated log from which it was derived."""

    def pack(self) -> bytes:
        """Return the input as bytes, from which :func:`unpack` restores it."""
        head: dict[str, Any] = {
            "format": self.format,
            "name": self.name,
            "context": dict(self.context),
            "origin": self.id,
        }
        if isinstance(self.contents, bytes):
            head["size"] = len(self.contents)
        else:
            head["files"] = [[name, len(data)] for name, data in self.contents.items()]
        line = json.dumps(head, ensure_ascii=True, separators=(",", ":")).encode()
        return b"\n".join((line, b"".join(self.files.values())))

    def spans(self, file: str) -> tuple[Field, ...]:
        """Return the fields of a file, one per span, up to the point where the grammar fails."""
        return _fields_of(self.files[file], self.format, file or self.name)

    def with_bytes(self, file: str, data: bytes) -> Input:
        """Return the input with new bytes in a file."""
        is_single = isinstance(self.contents, bytes)
        return replace(self, contents=data if is_single else {**self.files, file: data})


def unpack(packed: bytes) -> Input:
    """Return the input that the bytes encode. Raises :class:`NotPacked`."""
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
            contents = _cut(rest, [(str(file), int(count)) for file, count in sizes])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise NotPacked(f"line 1: expected the description of a log as JSON ({error})") from None
    if not newline or not is_name(name) or "/" in name:
        raise NotPacked(f"line 1: expected the name of a log, found {name!r}")
    return Input(origin, format, contents, name, context)


def _cut(data: bytes, sizes: list[tuple[str, int]]) -> dict[str, bytes]:
    if len(sizes) > MAX_FILES:
        raise ValueError(f"more than {MAX_FILES} files")
    files: dict[str, bytes] = {}
    at = 0
    for name, count in sizes:
        folders = {str(above) for above in PurePosixPath(name).parents}
        is_folder = any(f"{name}/" == other[: len(name) + 1] for other in files)
        if count < 0 or name in files or not is_name(name) or is_folder or folders & files.keys():
            raise ValueError("no folder can hold these files")
        files[name] = data[at : at + count]
        at += count
    return files


def is_name(name: str) -> bool:
    """Return whether a name is a relative path without ``.`` and ``..``."""
    parts = name.split("/")
    return "\0" not in name and all(
        part not in ("", ".", "..") and len(part.encode("utf-8", "replace")) < 250 for part in parts
    )


def seeds(vectors: Iterable[Vector], format: str) -> list[Input]:
    """Return the distinct logs of the vectors and some generated logs, smallest first."""
    inputs: dict[str, Input] = {}
    for log in generate_controls(format, GENERATED_SEEDS, seed=0):
        if log.size <= MAX_INPUT_BYTES:
            inputs[log.id] = Input(log.id, format, log.contents, log.name, log.context)
    for vector in vectors:
        body = vector.body
        reads = body["operation"] in ("read", "truncations", "append")
        if body["format"] != format or not reads or size(vector.contents) > MAX_INPUT_BYTES:
            continue
        context = dict(body.get("context", {})) if body["operation"] != "append" else {}
        seed = Input(vector.id, format, vector.contents, vector.input.name, context)
        key = json.dumps([vector.input.suffix, context], sort_keys=True)
        inputs.setdefault(key + digest(seed.contents), seed)
    return sorted(inputs.values(), key=lambda seed: (seed.size, seed.id))


@functools.lru_cache(2048)
def _fields_of(data: bytes, format: str, name: str) -> tuple[Field, ...]:
    """Return the fields with 0 for each value, because a value would keep its parser in memory."""
    spans: dict[tuple[int, int], Field] = {}
    with contextlib.suppress(ParseStopped):
        for field in itertools.islice(iter_fields(data, format, name), MAX_FIELDS):
            if field.start < field.end <= len(data):
                value = None if field.value is None else 0
                bare = replace(field, value=value, requirements=(), doc="")
                spans.setdefault((field.start, field.end), bare)
    return tuple(spans.values())
