"""The golden vectors of Walproof: journal files (write-ahead logs) and the expected answers.

``vectors/schema.json`` in :data:`FOLDER` describes each field.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent / "vectors"
if not FOLDER.is_dir():  # an unpacked sdist
    FOLDER = FOLDER.parents[1] / "vectors"


@dataclass(frozen=True)
class Vector:
    """A log and the expected answer. ``body`` is the whole description."""

    id: str
    title: str
    format: str
    operation: str
    context: Mapping[str, Any]
    path: Path
    body: Mapping[str, Any]

    def files(self) -> dict[str, bytes]:
        """Return the bytes of the log by file name, with / between names of nested folders."""
        if self.path.is_file():
            return {self.path.name: self.path.read_bytes()}
        paths = sorted(path for path in self.path.rglob("*") if path.is_file())
        return {path.relative_to(self.path).as_posix(): path.read_bytes() for path in paths}

    def answers(self, profile: str = "recover") -> list[Mapping[str, Any]]:
        """Return the correct answers of a reader in a profile, with the expected answer first.

        A writer vector has no answers in the profile ``strict``.
        """
        suffix = "_strict" if profile == "strict" else ""
        accepted = [other.get(f"answer{suffix}") for other in self.body.get("accept", ())]
        return [answer for answer in (self.body.get(f"expect{suffix}"), *accepted) if answer]


def index() -> Mapping[str, Any]:
    """Return ``index.json``: the version of the set, counts, ids and hashes."""
    return dict(json.loads((FOLDER / "index.json").read_text("utf-8")))


def vectors(format: str | None = None) -> Iterator[Vector]:
    """Yield the vectors of a format, or all vectors, in order of id."""
    for row in index()["vectors"]:
        if format is None or row["id"].startswith(f"{format}/"):
            yield load(row["id"])


def load(id: str) -> Vector:
    """Return the vector with an id. Raises ``KeyError``."""
    try:
        body = json.loads((FOLDER / f"{id}.json").read_text("utf-8"))
    except OSError:
        raise KeyError(id) from None
    return Vector(
        **{name: body[name] for name in ("id", "title", "format", "operation", "context")},
        path=FOLDER / body["format"] / body["input"],
        body=body,
    )
