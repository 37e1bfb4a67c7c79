"""The undamaged logs that a sweep damages, and what they hold."""

from __future__ import annotations

import fnmatch
import functools
import json
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from crc32c import crc32c

from conformance.contents import Contents, size
from conformance.recipes.generate import answer_to
from conformance.vectors import Vector
from reference_impl.answer import Record
from walproof.formats import plugin_for
from walproof.sweep.fields import FieldsOfFile, fields_of
from walproof.sweep.settings import Setting, context_values, others, settings, writing_contexts

LARGEST = {"quick": 40 << 10, "full": 128 << 10}
"""Bytes of the largest log that a depth damages, and of all its payloads together, which may be
compressed; every prefix of a log costs its length."""

MOST_RECORDS = {"quick": 64, "full": 1000}
"""Records in the longest log that a depth damages; each case reads all of them."""


class NoControl(ValueError):
    """No vector can serve as a control."""


@dataclass(frozen=True)
class Control:
    """One undamaged log: picklable, and all that a worker needs to damage and to judge.

    ``name`` is the file name it must have (its ending may tell the kind of file). ``records`` is
    what the executable specification reads from it, ``fields`` the field map of each file: grammars
    and what compiles them are where the control is made, and need not be where it is damaged.
    ``contexts`` are others that it is read with, too; ``to_append`` and ``to_write`` those of a
    writer that appends to it, or writes a log like it.
    """

    id: str
    format: str
    contents: Contents
    name: str
    context: Mapping[str, Any] = field(default_factory=dict)
    records: tuple[Record, ...] = ()
    fields: Mapping[str, FieldsOfFile] = field(default_factory=dict, repr=False)
    contexts: tuple[Mapping[str, Any], ...] = ()
    to_append: tuple[Mapping[str, Any], ...] = ({},)
    to_write: tuple[Mapping[str, Any], ...] = ({},)

    @property
    def path(self) -> Path:
        """The description of a vector beside it: the log's name has a meaning if it differs."""
        return Path(f"{self.id.rpartition('/')[2]}.json")

    @functools.cached_property
    def settings(self) -> list[Setting]:
        """How it is asked about; the first two are its own context in both profiles."""
        return settings(self.context, self.contexts, self.to_append, self.to_write)

    @property
    def files(self) -> Mapping[str, bytes]:
        """Bytes by file name; the name is empty in a log of one file."""
        return {"": self.contents} if isinstance(self.contents, bytes) else self.contents

    @property
    def size(self) -> int:
        """Bytes in all files together."""
        return size(self.contents)


def control_of(
    vector: Vector,
    known: Mapping[str, Sequence[Any]] | None = None,
    vectors: Collection[Vector] = (),
) -> Control:
    """A vector as a control, read by the executable specification.

    With ``known``, values for the keys of a context, it is read with other contexts, too. The
    ``vectors`` that write and append say what a writer is told.
    """
    body = vector.body
    context = dict(body.get("context", {}))
    name = vector.input.name
    answer = answer_to(str(body["format"]), vector.contents, context, name=name)
    format = str(body["format"])
    bare = Control(vector.id, format, vector.contents, name, context, answer.records)
    fields = {file: fields_of(data, format, file or name) for file, data in bare.files.items()}
    contexts = others(format, context, bare.files, bare.records, known) if known is not None else ()
    format_sweep = plugin_for(format).sweep
    append, write = (
        tuple(
            new_context
            for new_context in writing_contexts(
                vectors,
                format,
                operation,
                name,
                context,
                format_sweep.near,
                format_sweep.of_the_log,
            )
            if format_sweep.determines(new_context)
        )
        or ({},)
        for operation in ("append", "write")
    )
    return replace(bare, fields=fields, contexts=contexts, to_append=append, to_write=write)


def choose(
    vectors: Mapping[str, Vector], format: str, patterns: Sequence[str], depth: str
) -> list[Control]:
    """The controls of a sweep, smallest first: the simplest log that shows a finding is met first.

    Without patterns: every vector of the format that is intact, undamaged, not empty and within
    :data:`LARGEST` and :data:`MOST_RECORDS`. Raises :class:`NoControl`.
    """
    controls = []
    known = context_values(vectors.values(), format)
    for vector in vectors.values():
        body = vector.body
        if body["format"] != format or body["operation"] not in ("read", "truncations"):
            continue
        undamaged = vector.control is None and not vector.damage
        if patterns:
            slug = vector.id.partition("/")[2]
            if not any(fnmatch.fnmatchcase(n, p) for p in patterns for n in (slug, vector.id)):
                continue
            if body["expect"]["verdict"] != "intact":
                raise NoControl(f"{vector.id}: expected an intact log, found a damaged one")
        elif (
            not undamaged
            or "accept" in body  # another answer is as right: a difference would say nothing
            or body["size"] > LARGEST[depth]
            or body["size"] == 0
            or body["expect"]["verdict"] != "intact"
        ):
            continue
        control = control_of(vector, known, vectors.values())
        payloads = sum(len(record.payload) for record in control.records)
        small = len(control.records) <= MOST_RECORDS[depth] and payloads <= LARGEST[depth]
        if patterns or small:
            controls.append(control)
    if not controls:
        wanted = ", ".join(patterns) or "the default choice"
        raise NoControl(f"no vector of {format} fits {wanted}")
    return sorted(controls, key=lambda control: (control.size, control.id))


def fingerprint(contents: Contents, start: int = 0) -> int:
    """64 bits that tell damaged logs apart, the same in every process.

    Two CRCs of different polynomials, 32 bits each: they cost little beside reading the log.
    """
    if isinstance(contents, bytes):
        return crc32c(contents, start & 0xFFFFFFFF) << 32 | zlib.crc32(contents, start >> 32)
    for name, data in contents.items():
        label = f"{name}\0{len(data)}\0".encode()
        start = crc32c(label, start & 0xFFFFFFFF) << 32 | zlib.crc32(label, start >> 32)
        start = crc32c(data, start & 0xFFFFFFFF) << 32 | zlib.crc32(data, start >> 32)
    return start


def seed_of(control: Control, setting: Setting) -> int:
    """Where the fingerprints of a control start: what the reader is told is part of a case."""
    suffix = control.name.rpartition(".")[2] if "." in control.name else ""
    text = json.dumps([suffix, setting.profile, dict(setting.context)], sort_keys=True).encode()
    return fingerprint(text)
