"""Writes and appends in a sweep, with the results of the executable specification."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from random import Random
from typing import Any

from conformance import postconditions
from conformance.cases import contents_at
from conformance.contents import MAX_BYTES, Contents, digest, size, write_contents
from conformance.recipes.generate import NOTHING, record_to_json
from conformance.vectors import Vector
from reference_impl.answer import Answer, NewRecord, Record, collect
from reference_impl.formats import named
from walproof.formats import plugin_for
from walproof.sweep import invariants
from walproof.sweep.controls import Control
from walproof.sweep.enumeration import Enumeration
from walproof.sweep.format_sweep import Task
from walproof.sweep.settings import Setting


@dataclass(frozen=True)
class Request:
    """A write or append: its vector, the answer for the existing log, and the new records."""

    vector: Vector
    before: Answer
    new: Sequence[NewRecord]
    #: Invariants that the executable specification violates.
    faults: Sequence[str] = ()
    #: False if the correct result exceeds the size limit of the harness.
    is_judged: bool = True


@dataclass(frozen=True)
class _State:
    """State after an operation: the refusal if any, the answer, the log, and all files."""

    refused: bool
    answer: Answer
    contents: Contents | None
    files: Mapping[str, int]
    digests: Mapping[str, str]


class Writer:
    """A writer that uses the executable specification and an exclusive scratch folder."""

    def __init__(self, format: str, folder: Path) -> None:
        self.format = named(format)
        self.format_sweep = plugin_for(format).sweep
        self.folder = folder / "written"

    def request(
        self, control: Control, setting: Setting, contents: Contents, new: Sequence[NewRecord]
    ) -> Request:
        """Return a request to write a log or to append to these contents, with its result."""
        if setting.profile == "write":
            return self._write(control, setting, new)
        name = control.name
        before = self._read(name, contents, setting)
        state = self._perform(name, contents, new, setting)
        free = self.format_sweep.free(contents)
        exact = {} if state.refused or free else state.digests
        more: dict[str, Any] = {"after": postconditions.to_json(state.files, {}, free, exact)}
        if not state.refused:
            if self.format_sweep.may_refuse(before, contents):
                more["may_refuse"] = True
            if alternative := self.format_sweep.otherwise(new, before, _task(control, setting)):
                more["accept"] = [self._alternative(name, contents, setting, *alternative)]
        faults = self._append_faults(name, setting, contents, new, before, state)
        body = self._body(control, setting, name, contents, new, state) | more
        is_judged = sum(state.files.values()) <= MAX_BYTES
        return Request(Vector(control.path, body, contents), before, new, faults, is_judged)

    def _write(self, control: Control, setting: Setting, new: Sequence[NewRecord]) -> Request:
        name = f"new{PurePath(control.name).suffix}"
        state = self._perform(name, None, new, setting)
        faults = []
        if state.refused and state.files:
            faults.append(invariants.CHANGED_REFUSING)
        payloads = _payloads(state.answer.records)
        is_written = payloads[len(payloads) - len(new) :] == _payloads(new)
        if not (state.refused or is_written or self.format_sweep.takes_back(new)):
            faults.append(invariants.NOT_READ)
        contents = b"" if state.contents is None else state.contents
        body = self._body(control, setting, name, contents, new, state)
        is_judged = sum(state.files.values()) <= MAX_BYTES
        return Request(Vector(Path(name), body, contents), NOTHING, new, faults, is_judged)

    def _alternative(
        self, name: str, contents: Contents, setting: Setting, new: Sequence[NewRecord],
        because: str,
    ) -> dict[str, Any]:  # fmt: skip
        state = self._perform(name, contents, new, setting)
        old = postconditions.files_of(contents, name)
        files = {name if name in old else f"{name}*": n for name, n in state.files.items()}
        after = postconditions.to_json(files, {}, ())
        return {"answer": state.answer.to_json(), "because": because, "after": after}

    def _append_faults(
        self, name: str, setting: Setting, contents: Contents, new: Sequence[NewRecord],
        before: Answer, state: _State,
    ) -> list[str]:  # fmt: skip
        """Return the invariants that an append of the executable specification breaks."""
        takes_back = self.format_sweep.takes_back(new)
        expected = _payloads(before.records) + _payloads(new)

        def continues(after: _State) -> bool:
            return takes_back or _payloads(after.answer.records) == expected

        faults = []
        if state.refused:
            old = contents, postconditions.files_of(contents, name)
            if (state.contents, state.files) != old:
                faults.append(invariants.CHANGED_REFUSING)
        elif not continues(state):
            faults.append(invariants.NOT_READ)
        cut = invariants.cut_at_end(contents, before)
        if cut is None:
            if isinstance(contents, bytes) and new and not (state.refused or takes_back):
                faults.append(invariants.NO_END)
        elif self._read(name, cut, setting).records != before.records:
            faults.append(invariants.CUT_LOSES)
        elif not state.refused:
            # A refusal after the cut is not a fault: the shorter file may lack space for the
            # records.
            after_cut = self._perform(name, cut, new, setting)
            if not (after_cut.refused or continues(after_cut)):
                faults.append(invariants.NOT_READ_AT_END)
        return faults

    def _perform(
        self, name: str, contents: Contents | None, new: Sequence[NewRecord], setting: Setting
    ) -> _State:
        path = self._empty_path(name)
        if contents is not None:
            write_contents(contents, path)
        act = self.format.append if setting.profile == "append" else self.format.write
        refused = False
        try:
            act(path, new, setting.context)
        except ValueError:
            refused = True
        files = postconditions.files_in(path.parent)
        exactly = self.format_sweep.appends_exactly
        digests = postconditions.digests_in(path.parent) if exactly else {}
        answer = NOTHING
        if path.exists():
            answer = collect(self.format.read(path, "recover", setting.context))
        return _State(refused, answer, contents_at(path), files, digests)

    def _read(self, name: str, contents: Contents, setting: Setting) -> Answer:
        path = self._empty_path(name)
        write_contents(contents, path)
        return collect(self.format.read(path, "recover", setting.context))

    def _empty_path(self, name: str) -> Path:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        return self.folder / name

    def _body(
        self, control: Control, setting: Setting, name: str, contents: Contents,
        new: Sequence[NewRecord], state: _State,
    ) -> dict[str, Any]:  # fmt: skip
        return {
            "id": control.id,
            "format": self.format.id,
            "operation": setting.profile,
            "input": name,
            "sha256": digest(contents),
            "size": size(contents),
            "control": control.id if setting.profile == "append" else None,
            "context": dict(setting.context),
            "records": [record_to_json(record) for record in new],
            "expect": state.answer.to_json(),
            "after": postconditions.to_json(state.files, {}, []),
            **({"must_refuse": True} if state.refused else {}),
        }


def _payloads(records: Iterable[Record | NewRecord]) -> list[bytes]:
    return [record.payload for record in records]


def records_for(
    enumeration: Enumeration, setting: Setting, family: int, number: int
) -> list[NewRecord]:
    """Return the generated records of a case, the same in every process."""
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
    """Describe a request: ``append 2 records of 1, 40 bytes``."""
    sizes = ", ".join(str(len(record.payload)) for record in new)
    lengths = f" of {sizes} bytes" if new else ""
    return f"{setting.profile} {len(new)} record{'' if len(new) == 1 else 's'}{lengths}"
