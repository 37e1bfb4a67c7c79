"""Writes and appends in a sweep: the requests, and what the executable specification expects.

A request is a vector that stands in no file: the harness sends and judges it like any other.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from random import Random
from typing import Any

from conformance import postconditions
from conformance.cases import contents_at
from conformance.contents import MAX_BYTES, Contents, digest, size, write_contents
from conformance.recipes.generate import NOTHING, record_to_json
from conformance.vectors import Vector
from reference_impl.answer import End, NewRecord
from reference_impl.formats import named
from walproof.formats import plugin_for
from walproof.sweep import invariants
from walproof.sweep.controls import Control
from walproof.sweep.enumeration import Enumeration
from walproof.sweep.format_sweep import Task
from walproof.sweep.settings import Setting
from walproof.sweep.specification import Seen, seen

NO_LOG = Seen([], [], End("intact", None, 0), [End("intact", None, 0)])
"""What there is before a log is written."""


@dataclass(frozen=True)
class Request:
    """One write or append: its vector, the answer to the log before, and the new records.

    ``faults`` are invariants that the executable specification itself breaks. ``is_judged`` is
    False where the right result is a log larger than the harness looks at.
    """

    vector: Vector
    before: Seen
    new: Sequence[NewRecord]
    faults: Sequence[str] = ()
    is_judged: bool = True


@dataclass(frozen=True)
class _Left:
    """What an operation left: why it refused, the answer to the log, the log, all files."""

    refused: str | None
    answer: Seen
    contents: Contents | None
    files: Mapping[str, int]
    digests: Mapping[str, str]

    @property
    def is_looked_at(self) -> bool:
        """Whether the log is small enough to be judged."""
        return sum(self.files.values()) <= MAX_BYTES


class Writer:
    """Writes and appends by the executable specification, in a scratch folder of its own."""

    def __init__(self, format: str, folder: Path) -> None:
        self.format = named(format)
        self.format_sweep = plugin_for(format).sweep
        self.folder = folder / "written"

    def request(
        self, control: Control, setting: Setting, contents: Contents, new: Sequence[NewRecord]
    ) -> Request:
        """Return a write, or an append to these contents, with the expected result.

        Raises what the executable specification raises where it should refuse: a finding.
        """
        if setting.profile == "write":
            return self._write(control, setting, new)
        return self._append(control, setting, contents, new)

    def _write(self, control: Control, setting: Setting, new: Sequence[NewRecord]) -> Request:
        name = f"new{PurePath(control.name).suffix}"
        left = self._left("write", name, None, new, setting.context)
        faults = []
        if left.refused is not None and left.files:
            faults.append(invariants.CHANGED_REFUSING)
        payloads = [record.payload for record in left.answer.records]
        wanted = [record.payload for record in new]
        loses = (
            not self.format_sweep.takes_back(new)
            and payloads[len(payloads) - len(wanted) :] != wanted
        )
        if left.refused is None and loses:
            faults.append(invariants.NOT_READ)
        contents = b"" if left.contents is None else left.contents
        body = self._body(setting, name, contents, new, left)
        vector = Vector(Path(name), body, contents)
        return Request(vector, NO_LOG, new, faults, is_judged=left.is_looked_at)

    def _append(
        self, control: Control, setting: Setting, contents: Contents, new: Sequence[NewRecord]
    ) -> Request:
        before = self._read(control.name, contents, setting.context)
        left = self._left("append", control.name, contents, new, setting.context)
        faults = self._faults(control, setting, contents, new, before, left)
        body = self._body(setting, control.name, contents, new, left)
        body["id"] = body["control"] = control.id
        if left.refused is None:
            if other := self._otherwise(control, setting, contents, new, before):
                body["accept"] = [other]
            if self.format_sweep.may_refuse(before.end, contents):
                body["may_refuse"] = True
        vector = Vector(control.path, body, contents)
        return Request(vector, before, new, faults, is_judged=left.is_looked_at)

    def _otherwise(
        self,
        control: Control,
        setting: Setting,
        contents: Contents,
        new: Sequence[NewRecord],
        before: Seen,
    ) -> dict[str, Any] | None:
        """Another right result, if the format knows one."""
        other = self.format_sweep.otherwise(new, before.end, _task(control, setting))
        if other is None:
            return None
        left = self._left("append", control.name, contents, other[0], setting.context)
        log_files = postconditions.files_of(contents, control.name)
        files = {name if name in log_files else f"{name}*": n for name, n in left.files.items()}
        answer = left.answer.answer().to_json()
        return {
            "answer": answer,
            "because": other[1],
            "after": postconditions.to_json(files, {}, ()),
        }

    def _faults(
        self,
        control: Control,
        setting: Setting,
        contents: Contents,
        new: Sequence[NewRecord],
        before: Seen,
        left: _Left,
    ) -> list[str]:
        """The invariants that the executable specification breaks: its ``end`` must be sound."""
        faults = []
        if left.refused is not None:
            if left.contents != contents or left.files != postconditions.files_of(
                contents, control.name
            ):
                faults.append(invariants.CHANGED_REFUSING)
        elif not self._went_on(before, new, left.answer):
            faults.append(invariants.NOT_READ)
        cut = invariants.cut_at_end(contents, before)
        if cut is None:
            goes_on = left.refused is None and new and not self.format_sweep.takes_back(new)
            if isinstance(contents, bytes) and goes_on:
                faults.append(invariants.NO_END)
            return faults
        if self._read(control.name, cut, setting.context).records != before.records:
            faults.append(invariants.CUT_LOSES)
        elif left.refused is None:
            # A shorter file may have no room for them: that is no fault of where it was cut.
            after_cut = self._left("append", control.name, cut, new, setting.context)
            if after_cut.refused is None and not self._went_on(before, new, after_cut.answer):
                faults.append(invariants.NOT_READ_AT_END)
        return faults

    def _went_on(self, before: Seen, new: Sequence[NewRecord], after: Seen) -> bool:
        """Whether what was there is still read, and then what was appended."""
        if self.format_sweep.takes_back(new):
            return True
        expected = [record.payload for record in before.records]
        expected += [record.payload for record in new]
        return [record.payload for record in after.records] == expected

    def _left(
        self,
        operation: str,
        name: str,
        contents: Contents | None,
        new: Sequence[NewRecord],
        context: Mapping[str, Any],
    ) -> _Left:
        place = self._place(name)
        if contents is not None:
            write_contents(contents, place)
        act = self.format.append if operation == "append" else self.format.write
        refused = None
        try:
            act(place, new, context)
        except ValueError as error:
            refused = str(error) or "it refuses"
        files = postconditions.files_in(place.parent)
        digests = (
            postconditions.digests_in(place.parent) if self.format_sweep.appends_exactly else {}
        )
        answer = NO_LOG
        if place.exists():
            answer = seen(self.format.read(place, "recover", context))
        return _Left(refused, answer, contents_at(place), files, digests)

    def _read(self, name: str, contents: Contents, context: Mapping[str, Any]) -> Seen:
        place = self._place(name)
        write_contents(contents, place)
        return seen(self.format.read(place, "recover", context))

    def _place(self, name: str) -> Path:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        return self.folder / name

    def _body(
        self,
        setting: Setting,
        name: str,
        contents: Contents,
        new: Sequence[NewRecord],
        left: _Left,
    ) -> dict[str, Any]:
        append = setting.profile == "append"
        free = self.format_sweep.free(contents) if append else []
        exact = left.digests if append and left.refused is None else {}
        expect = left.answer.answer() if append or left.refused is None else NOTHING
        body: dict[str, Any] = {
            "id": f"{self.format.id}/{name}",
            "format": self.format.id,
            "operation": setting.profile,
            "input": name,
            "sha256": digest(contents),
            "size": size(contents),
            "control": None,
            "context": dict(setting.context),
            "records": [record_to_json(record) for record in new],
            "expect": expect.to_json(),
            "after": postconditions.to_json(left.files, {}, free, exact),
        }
        if left.refused is not None:
            body["must_refuse"] = True
        return body


def records_for(
    enumeration: Enumeration, setting: Setting, family: int, number: int
) -> list[NewRecord]:
    """The records of a case: the same ones whenever they are made."""
    control = enumeration.control
    task = _task(control, setting)
    if setting.plain:
        return [plugin_for(control.format).sweep.plain(task)]
    chance = Random(f"{enumeration.seed} {control.id} {family} {number}")
    return plugin_for(control.format).sweep.new_records(chance, task)


def _task(control: Control, setting: Setting) -> Task:
    name = control.name
    return Task(setting.profile, name, control.records, control.size, setting.context)


def text_of(new: Sequence[NewRecord], setting: Setting) -> str:
    """Return a request in words: ``append 2 records of 1, 40 bytes``."""
    sizes = ", ".join(str(len(record.payload)) for record in new)
    lengths = f" of {sizes} bytes" if new else ""
    return f"{setting.profile} {len(new)} record{'' if len(new) == 1 else 's'}{lengths}"
