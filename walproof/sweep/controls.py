"""Controls: the undamaged logs that a sweep damages."""

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

from conformance.contents import Contents, by_name, read_contents, size
from conformance.recipes.generate import answer_to
from conformance.vectors import Vector
from reference_impl.answer import Record
from walproof.formats import plugin_for
from walproof.sweep.fields import FieldsOfFile, fields_of
from walproof.sweep.settings import (
    Setting,
    changed_contexts,
    context_values,
    settings,
    writing_contexts,
)

#: Maximum bytes of a control, by depth; also of all its payloads, which may be compressed. A
#: control has one prefix per byte.
MAX_CONTROL_BYTES = {"quick": 40 << 10, "full": 128 << 10}

#: Maximum records of a control, by depth; each case reads all of them.
MAX_CONTROL_RECORDS = {"quick": 64, "full": 1000}


class NoControl(ValueError):
    """Raised if no vector can serve as a control."""


@dataclass(frozen=True)
class Control:
    """An undamaged log, with the data for damaging it and for judging the answers."""

    id: str
    format: str
    contents: Contents
    #: File name of the log. Some formats derive the file type from its extension.
    name: str
    context: Mapping[str, Any] = field(default_factory=dict)
    #: Records that the executable specification returns.
    records: tuple[Record, ...] = ()
    #: Field map of each file, so that workers need no grammars.
    fields: Mapping[str, FieldsOfFile] = field(default_factory=dict, repr=False)
    #: Additional contexts for reading.
    contexts: tuple[Mapping[str, Any], ...] = ()
    #: Contexts in which a writer appends to this log.
    to_append: tuple[Mapping[str, Any], ...] = ({},)
    #: Contexts in which a writer writes a similar log.
    to_write: tuple[Mapping[str, Any], ...] = ({},)

    @property
    def path(self) -> Path:
        """Return the path that the JSON file of the log would have as a vector.

        If the file name of the log has another stem, the name affects how the log is read.
        """
        return Path(f"{self.id.rpartition('/')[2]}.json")

    @functools.cached_property
    def stored_records(self) -> Sequence[Record]:
        """The records that were written: those of ``records``, and hidden ones."""
        return plugin_for(self.format).sweep.stored_records(self.files, self.records)

    @functools.cached_property
    def settings(self) -> list[Setting]:
        """All settings; the first two are the control's own context in both profiles of reading."""
        return settings(self.context, self.contexts, self.to_append, self.to_write)

    @property
    def files(self) -> Mapping[str, bytes]:
        """Contents by file name; the name is empty in a log of one file."""
        return by_name(self.contents)

    @property
    def size(self) -> int:
        """Total bytes of all files."""
        return size(self.contents)


def control_of(
    vector: Vector,
    known_values: Mapping[str, Sequence[Any]] | None = None,
    vectors: Collection[Vector] = (),
) -> Control:
    """Return a vector as a control, read by the executable specification.

    ``known_values`` lists values of context keys for additional contexts. ``vectors`` provides the
    contexts for appending and writing.
    """
    format, name = str(vector.body["format"]), vector.input.name
    context = dict(vector.body.get("context", {}))
    answer = answer_to(format, vector.contents, context, name=name)
    bare = with_fields(Control(vector.id, format, vector.contents, name, context, answer.records))
    contexts = (
        changed_contexts(format, context, bare.files, bare.records, known_values)
        if known_values is not None
        else ()
    )
    append, write = (
        writing_contexts(vectors, format, operation, name, context)
        for operation in ("append", "write")
    )
    return replace(bare, contexts=contexts, to_append=append, to_write=write)


def is_selected(id: str, patterns: Sequence[str]) -> bool:
    """Return whether the id of a vector, or its slug, matches a pattern."""
    names = (id, id.partition("/")[2])
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns for name in names)


def control_at(path: Path, format: str, context: Mapping[str, Any]) -> Control:
    """Return a log of the user as a control without records. Raises ``OSError``."""
    bare = Control(str(path), format, read_contents(path), path.name, context)
    return with_fields(bare)


def with_fields(bare: Control) -> Control:
    """Return a control with its field maps."""
    return replace(
        bare,
        fields={
            file: fields_of(data, bare.format, file or bare.name)
            for file, data in bare.files.items()
        },
    )


def choose(
    vectors: Mapping[str, Vector], format: str, patterns: Sequence[str], depth: str
) -> list[Control]:
    """Return the controls of a sweep, smallest log first.

    ``patterns`` select vectors by id or slug. By default, the controls are all undamaged vectors
    that are intact, not empty and not too large. Raises :class:`NoControl`.
    """
    controls = []
    values = context_values(vectors.values(), format)
    for vector in vectors.values():
        body = vector.body
        if body["format"] != format or body["operation"] not in ("read", "truncations"):
            continue
        is_intact = body["expect"]["verdict"] == "intact"
        if patterns:
            if not is_selected(vector.id, patterns):
                continue
            if not is_intact:
                raise NoControl(f"{vector.id}: expected an intact log, found a damaged one")
        elif (
            vector.control is not None
            or vector.damage
            or "accept" in body  # several answers are correct: a difference would mean nothing
            or not 0 < body["size"] <= MAX_CONTROL_BYTES[depth]
            or not is_intact
        ):
            continue
        control = control_of(vector, values, vectors.values())
        payloads = [len(record.payload) for record in control.records]
        is_small = len(payloads) <= MAX_CONTROL_RECORDS[depth]
        if patterns or (is_small and sum(payloads) <= MAX_CONTROL_BYTES[depth]):
            controls.append(control)
    if not controls:
        selection = ", ".join(patterns) or "the default selection"
        raise NoControl(f"no vector of {format} matches {selection}")
    return sorted(controls, key=lambda control: (control.size, control.id))


def fingerprint(contents: Contents, start: int = 0) -> int:
    """Return a 64-bit fingerprint of a log, which is the same in every process."""
    if isinstance(contents, bytes):
        return crc32c(contents, start & 0xFFFFFFFF) << 32 | zlib.crc32(contents, start >> 32)
    for name, data in contents.items():
        label = f"{name}\0{len(data)}\0".encode()
        start = crc32c(label, start & 0xFFFFFFFF) << 32 | zlib.crc32(label, start >> 32)
        start = crc32c(data, start & 0xFFFFFFFF) << 32 | zlib.crc32(data, start >> 32)
    return start


def seed_of(control: Control, setting: Setting) -> int:
    """Return the start value for the fingerprints of a control, which covers its setting."""
    suffix = control.name.rpartition(".")[2] if "." in control.name else ""
    text = json.dumps([suffix, setting.profile, dict(setting.context)], sort_keys=True).encode()
    return fingerprint(text)
