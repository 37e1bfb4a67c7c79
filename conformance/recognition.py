"""The examples of ``vectors/recognition.json``: files and directories with expected formats."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance import VECTORS
from conformance.contents import Contents, write_contents
from conformance.json_schema import first_problem
from conformance.vectors import BrokenVector, load
from reference_impl.formats import FORMATS

EXAMPLES = VECTORS / "recognition.json"


@dataclass(frozen=True)
class Example:
    """A named file or directory, and the ids of the formats that it matches, in order."""

    title: str
    name: str
    contents: Contents
    formats: tuple[str, ...]

    def put(self, folder: Path) -> Path:
        """Write the file or directory into a directory and return its path."""
        path = folder / self.name
        write_contents(self.contents, path)
        return path


def recognised(path: Path) -> tuple[str, ...]:
    """Return the formats that the executable specification recognises at a path.

    Raises ``OSError``.
    """
    return tuple(sorted(format.id for format in FORMATS.values() if format.recognise(path)))


def load_examples(path: Path = EXAMPLES) -> list[Example]:
    """Load the examples. Raises :class:`BrokenVector`."""
    body = json.loads(path.read_text("utf-8"))
    if (problem := first_problem(VECTORS / "recognition.schema.json", body)) is not None:
        where, message = problem
        raise BrokenVector(f"{path}: {where or 'the examples'}: {message}")
    return [_example(example) for example in body["examples"]]


def _example(body: Mapping[str, Any]) -> Example:
    contents: Contents
    if "files" in body:
        contents = {name: _bytes(parts) for name, parts in body["files"].items()}
    else:
        contents = _bytes(body["contents"])
    return Example(body["title"], body["name"], contents, tuple(body["formats"]))


def _bytes(parts: Sequence[str | Mapping[str, Any]]) -> bytes:
    return b"".join(map(_part, parts))


def _part(part: str | Mapping[str, Any]) -> bytes:
    if isinstance(part, str):
        return bytes.fromhex(part)
    if "fill" in part:
        return bytes.fromhex(part["fill"]) * int(part["size"])
    return _input_of(part["vector"])[part.get("from", 0) : part.get("to")]


@functools.cache
def _input_of(vector_id: str) -> bytes:
    contents = load(VECTORS / f"{vector_id}.json").contents
    if not isinstance(contents, bytes):
        raise BrokenVector(f"{EXAMPLES}: {vector_id}: expected a log of one file")
    return contents
