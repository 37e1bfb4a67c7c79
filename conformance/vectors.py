"""Load the golden vectors and select among them."""

from __future__ import annotations

import fnmatch
import functools
import hashlib
import json
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance import VECTORS
from conformance.contents import Contents, digest, read_contents
from conformance.damage.text import SHOWN_BYTES, render
from conformance.declaration import BrokenDeclaration, parse_json
from conformance.json_schema import first_problem
from reference_impl import context
from reference_impl.register import registers

# Scratch copies have this base name, which does not identify the vector.
NEUTRAL = "case"


class BrokenVector(BrokenDeclaration):
    """An inconsistent vector: a defect of this project, never of an implementation."""


@dataclass(frozen=True)
class Vector:
    """One vector: the description ``<slug>.json`` and the input next to it."""

    path: Path
    body: Mapping[str, Any]
    # The bytes of a log that is not stored in a file, such as a damaged log of a sweep.
    generated: Contents | None = None

    @functools.cached_property
    def id(self) -> str:
        """Return ``<format>/<slug>``."""
        return str(self.body["id"])

    @property
    def operation(self) -> str:
        """Return the operation: ``read``, ``truncations``, ``write`` or ``append``."""
        return str(self.body["operation"])

    @property
    def control(self) -> str | None:
        """Return the id of the undamaged vector that the damaged vector was made from."""
        return self.body.get("control")

    @property
    def damage(self) -> list[Mapping[str, Any]]:
        """Return the damage operations with their edits, in order."""
        return list(self.body["made_by"].get("damage", []))

    @property
    def damage_texts(self) -> list[str]:
        """Return the damage operations as text. Long bytes are shortened."""
        return [render(operation, SHOWN_BYTES) for operation in self.damage]

    @property
    def damaged_id(self) -> str | None:
        """Return the id of the vector whose input is damaged (by default, the control)."""
        made_by: Mapping[str, str] = self.body["made_by"]
        return made_by.get("source", self.control)

    @property
    def input(self) -> Path:
        """Return the path of the log: a file, or a directory for a multi-file log."""
        return self.path.parent / str(self.body["input"])

    @functools.cached_property
    def neutral_name(self) -> str:
        """Return the name of a scratch copy, which does not identify the vector."""
        return self.in_neutral_names(self.input.name)

    def in_neutral_names(self, name: str) -> str:
        """Return a file name with the prefix of the input replaced by that of scratch copies."""
        return neutral(name, self.path.stem)

    def in_its_names(self, name: str) -> str:
        """Return a file name with the prefix of scratch copies replaced by that of the input."""
        if self.neutral_name != self.input.name and name.startswith(NEUTRAL):
            return self.path.stem + name.removeprefix(NEUTRAL)
        return name

    @functools.cached_property
    def option(self) -> str:
        """Return the quoted value for ``--vector``: the id of a golden vector, or a file."""
        ours = self.path.parent.parent == VECTORS
        return self.id if ours else shlex.quote(os.path.relpath(self.path))

    @functools.cached_property
    def contents(self) -> Contents:
        """Return the log's bytes, checked against the recorded SHA-256."""
        if self.generated is not None:
            return self.generated
        data = read_contents(self.input)
        actual = digest(data)
        if actual != self.body["sha256"]:
            raise BrokenVector(
                f"{self.input}: expected sha256 {self.body['sha256']}, found {actual};"
                " restore it from git or run make vectors"
            )
        return data

    @functools.cached_property
    def digest(self) -> bytes:
        """Return a digest of the description, which includes the SHA-256 of the input."""
        return hashlib.sha256(json.dumps(self.body, sort_keys=True).encode()).digest()

    @property
    def short_digest(self) -> str:
        """Return the start of the digest, by which a report recognises the vector."""
        return self.digest[:8].hex()

    def records_to_write(self) -> list[dict[str, Any]]:
        """Return the records of a ``write`` or ``append`` vector in the form of the protocol."""
        return [expand_payload(record) for record in self.body["records"]]


def requirements_deciding(body: Mapping[str, Any], profile: str) -> dict[str, Any]:
    """Return the ids of the requirements that decide the parts of an answer in a profile.

    ``body`` is the vector. The dictionary is empty if the vector has no such ids.
    """
    decided = body.get("decided_by", {})
    of_strict = decided.get("expect_strict", {}) if profile == "strict" else {}
    return {**decided.get("expect", {}), **of_strict}


def expand_payload(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with ``{"fill": hex, "size": bytes}`` expanded to ``{"payload": hex}``."""
    if "payload" in record:
        return dict(record)
    fields = {name: value for name, value in record.items() if name not in ("fill", "size")}
    return {"payload": record["fill"] * int(record["size"]), **fields}


def neutral(name: str, slug: str) -> str:
    """Return a name with the slug at its start replaced. Other names stay unchanged."""
    return NEUTRAL + name.removeprefix(slug) if name.startswith(slug) else name


def load(path: Path) -> Vector:
    """Load one vector from its description. Raises :class:`BrokenVector`."""
    body = parse_json(path.read_bytes(), path, BrokenVector)
    if (problem := first_problem(VECTORS / "schema.json", body)) is not None:
        where, message = problem
        raise BrokenVector(f"{path}: {where or 'the vector'}: {message}")
    try:
        context.check(body["format"], body.get("context", {}))
    except KeyError:
        known = ", ".join(registers())
        raise BrokenVector(
            f"{path}: format: expected one of {known}, found {body['format']!r}"
        ) from None
    except context.BadContext as error:
        raise BrokenVector(f"{path}: context: {error}") from None
    return Vector(path, body)


def load_all(root: Path = VECTORS) -> dict[str, Vector]:
    """Load all vectors under a directory by id, ordered by id. Each process reads them once."""
    return dict(_load_all(root))


@functools.cache
def _load_all(root: Path) -> dict[str, Vector]:
    paths = sorted(path for path in root.glob("*/*.json"))
    vectors = {vector.id: vector for vector in map(load, paths)}
    if len(vectors) != len(paths):
        raise BrokenVector(f"{root}: two vectors share an id")
    return vectors


@dataclass(frozen=True)
class Selection:
    """The vectors to run. An empty field selects everything. Patterns are shell globs on the id."""

    patterns: Sequence[str] = ()
    formats: Sequence[str] = ()
    requirements: Sequence[str] = ()
    kinds: Sequence[str] = ()
    groups: Sequence[str] = ()
    #: Patterns of vectors to leave out.
    excluded: Sequence[str] = ()

    def choose(self, vectors: Iterable[Vector]) -> list[Vector]:
        """Return the selected vectors, in their order."""
        return [vector for vector in vectors if self._chosen(vector)]

    def unmatched(self, vectors: Iterable[Vector]) -> Iterator[tuple[str, str, list[str]]]:
        """Yield each value that selects nothing: its option, the value, and the valid values."""
        every = list(vectors)
        formats = [vector for vector in every if vector.body["format"] in self.formats] or every
        named: tuple[tuple[str, Sequence[str], Iterable[str]], ...] = (
            ("format", self.formats, (vector.body["format"] for vector in every)),
            ("kind", self.kinds, (vector.body["kind"] for vector in formats)),
            ("group", self.groups, (vector.body["group"] for vector in formats)),
        )
        for option, values, there in named:
            known = list(dict.fromkeys(there))
            for value in values:
                if value not in known:
                    yield option, value, known
        for option, patterns in (("vector", self.patterns), ("exclude", self.excluded)):
            for pattern in patterns:
                if not any(_matches(vector.id, pattern) for vector in every):
                    slugs = (vector.id.split("/", 1)[1] for vector in every)
                    yield option, pattern, [*(vector.id for vector in every), *slugs]
        for pattern in self.requirements:
            ids = {id for vector in formats for id in vector.body["requirements"]}
            if not fnmatch.filter(ids, pattern):
                yield "requirement", pattern, sorted(ids)

    def _chosen(self, vector: Vector) -> bool:
        body = vector.body
        return (
            (not self.patterns or any(_matches(vector.id, p) for p in self.patterns))
            and not any(_matches(vector.id, p) for p in self.excluded)
            and (not self.formats or body["format"] in self.formats)
            and (not self.kinds or body["kind"] in self.kinds)
            and (not self.groups or body["group"] in self.groups)
            and (
                not self.requirements
                or any(
                    fnmatch.fnmatchcase(requirement, pattern)
                    for requirement in body["requirements"]
                    for pattern in self.requirements
                )
            )
        )


def _matches(vector_id: str, pattern: str) -> bool:
    slug = vector_id.split("/", 1)[1]
    return fnmatch.fnmatchcase(vector_id, pattern) or fnmatch.fnmatchcase(slug, pattern)
