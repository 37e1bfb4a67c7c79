"""Controls: the undamaged logs that a sweep damages."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from conformance.contents import Contents, by_name, read_contents, size
from conformance.recipes.generate import answer_to
from conformance.vectors import Selection, Vector
from reference_impl.answer import Record
from walproof.formats import plugin_for
from walproof.sweep.fields import FieldsOfFile, fields_of
from walproof.sweep.settings import Setting, settings_of

#: Maximum size of a control in bytes. The limit also applies to the total size of its payloads,
#: which may be larger if the log is compressed. The sweep cuts a control at every offset, so each
#: byte adds a case.
MAX_CONTROL_BYTES = 40 << 10

#: Maximum number of records in a control, because each case reads all records.
MAX_CONTROL_RECORDS = 64


class NoControl(ValueError):
    """Raised if no vector can serve as a control."""


@dataclass(frozen=True)
class Control:
    """An undamaged log, with the data needed to damage it and to judge the answers."""

    id: str
    format: str
    contents: Contents
    #: The file name of the log. In some formats, its extension determines the file type.
    name: str
    context: Mapping[str, Any] = field(default_factory=dict)
    #: The records that the executable specification returns.
    records: tuple[Record, ...] = ()
    #: The fields of each file. Workers then do not need the grammars.
    fields: Mapping[str, FieldsOfFile] = field(default_factory=dict, repr=False)
    #: All settings. The first two combine the control's own context with the two reading profiles.
    settings: Sequence[Setting] = ()
    #: Earlier states of a generated log, newest first.
    earlier: Sequence[Control] = field(default=(), repr=False)

    @property
    def path(self) -> Path:
        """Path that the JSON file of a vector with this log would have.

        Readers may depend on the file name of the log. Scratch copies therefore keep this name,
        unless it starts with the stem of this path.
        """
        return Path(f"{self.id.rpartition('/')[2]}.json")

    @functools.cached_property
    def stored_records(self) -> Sequence[Record]:
        """All records in the log: ``records`` and those that are hidden from readers."""
        return plugin_for(self.format).sweep.stored_records(self.files, self.records)

    @property
    def files(self) -> Mapping[str, bytes]:
        """The contents by file name. If the log is a single file, the name is empty."""
        return by_name(self.contents)

    @property
    def size(self) -> int:
        """The total size of all files in bytes."""
        return size(self.contents)


def control_of(vector: Vector, vectors: Collection[Vector] = ()) -> Control:
    """Return a vector as a control, with further contexts from other ``vectors`` of its format."""
    format, name = str(vector.body["format"]), vector.input.name
    context = dict(vector.body.get("context", {}))
    records = answer_to(format, vector.contents, context, name=name).records
    settings = settings_of(vectors, format, context, records)
    return with_fields(
        Control(vector.id, format, vector.contents, name, context, records, settings=settings)
    )


def control_of_log(format: str, path: Path, context: Mapping[str, Any]) -> Control:
    """Return an undamaged log on disk as a control.

    Copies of the control have the name of the log.
    """
    contents = read_contents(path)
    records = answer_to(format, contents, context, name=path.name).records
    settings = settings_of((), format, context, records)
    id = f"{path} on disk"
    return with_fields(
        Control(id, format, contents, path.name, context, records, settings=settings)
    )


def undamaged(
    vectors: Mapping[str, Vector], format: str, patterns: Sequence[str]
) -> Iterator[Vector]:
    """Yield undamaged, intact, non-empty vectors that match the ``patterns``, if any are given."""
    for vector in Selection(patterns, [format]).choose(vectors.values()):
        body = vector.body
        if (
            vector.operation in ("read", "truncations")
            and vector.control is None
            and not vector.damage
            and body["size"] > 0
            and body["expect"]["verdict"] == "intact"
        ):
            yield vector


def with_fields(bare: Control) -> Control:
    """Return a control with its field maps."""
    return replace(
        bare,
        fields={
            file: fields_of(data, bare.format, file or bare.name)
            for file, data in bare.files.items()
        },
    )


def choose(vectors: Mapping[str, Vector], format: str, patterns: Sequence[str]) -> list[Control]:
    """Return the controls of a sweep, smallest log first. Raises :class:`NoControl`.

    Without ``patterns``, large logs are omitted.
    """
    controls = []
    of_format = [vector for vector in vectors.values() if vector.body["format"] == format]
    for vector in undamaged(vectors, format, patterns):
        # Omit vectors with several correct answers, because a difference does not prove a fault
        # there.
        if not patterns and ("accept" in vector.body or vector.body["size"] > MAX_CONTROL_BYTES):
            continue
        control = control_of(vector, of_format)
        payloads = [len(record.payload) for record in control.records]
        is_small = len(payloads) <= MAX_CONTROL_RECORDS and sum(payloads) <= MAX_CONTROL_BYTES
        if patterns or is_small:
            controls.append(control)
    if not controls:
        selection = ", ".join(patterns) or "the default selection"
        raise NoControl(f"no undamaged vector of {format} matches {selection}")
    return sorted(controls, key=lambda control: (control.size, control.id))
