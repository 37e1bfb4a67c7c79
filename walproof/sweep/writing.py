"""Writes and appends in a sweep, with the results of the executable specification.

Each request is a vector in memory. The harness sends and judges it like any other vector.
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
from walproof.sweep.specification import ReaderOutput, collect_output

#: State before a log is written.
NO_LOG = ReaderOutput([], [], End("intact", None, 0), [End("intact", None, 0)])


@dataclass(frozen=True)
class Request:
    """A write or append: its vector, the answer for the existing log, and the new records.

    ``faults`` are invariants that the executable specification violates. ``is_judged`` is false if
    the correct result exceeds the size limit of the harness.
    """

    vector: Vector
    before: ReaderOutput
    new: Sequence[NewRecord]
    faults: Sequence[str] = ()
    is_judged: bool = True


@dataclass(frozen=True)
class _State:
    """State after an operation: the refusal if any, the answer, the log, and all files."""

    refused: str | None
    answer: ReaderOutput
    contents: Contents | None
    files: Mapping[str, int]
    digests: Mapping[str, str]

    @property
    def is_looked_at(self) -> bool:
        """True if the log is small enough to be judged."""
        return sum(self.files.values()) <= MAX_BYTES


class Writer:
    """Write and append with the executable specification, in an exclusive scratch folder."""

    def __init__(self, format: str, folder: Path) -> None:
        self.format = named(format)
        self.format_sweep = plugin_for(format).sweep
        self.folder = folder / "written"

    def request(
        self, control: Control, setting: Setting, contents: Contents, new: Sequence[NewRecord]
    ) -> Request:
        """Return a request to write a log, or to append to these contents, with the expected
        result.

        Any error of the executable specification other than a refusal is raised, because it is a
        finding.
        """
        if setting.profile == "write":
            return self._write(control, setting, new)
        return self._append(control, setting, contents, new)

    def _write(self, control: Control, setting: Setting, new: Sequence[NewRecord]) -> Request:
        name = f"new{PurePath(control.name).suffix}"
        state = self._perform("write", name, None, new, setting.context)
        faults = []
        if state.refused is not None and state.files:
            faults.append(invariants.CHANGED_REFUSING)
        payloads = [record.payload for record in state.answer.records]
        expected = [record.payload for record in new]
        loses = (
            not self.format_sweep.takes_back(new)
            and payloads[len(payloads) - len(expected) :] != expected
        )
        if state.refused is None and loses:
            faults.append(invariants.NOT_READ)
        contents = b"" if state.contents is None else state.contents
        body = self._body(setting, name, contents, new, state)
        vector = Vector(Path(name), body, contents)
        return Request(vector, NO_LOG, new, faults, is_judged=state.is_looked_at)

    def _append(
        self, control: Control, setting: Setting, contents: Contents, new: Sequence[NewRecord]
    ) -> Request:
        before = self._read(control.name, contents, setting.context)
        state = self._perform("append", control.name, contents, new, setting.context)
        faults = self._faults(control, setting, contents, new, before, state)
        body = self._body(setting, control.name, contents, new, state)
        body["id"] = body["control"] = control.id
        if state.refused is None:
            if alternative := self._alternative(control, setting, contents, new, before):
                body["accept"] = [alternative]
            if self.format_sweep.may_refuse(before.end, contents):
                body["may_refuse"] = True
        vector = Vector(control.path, body, contents)
        return Request(vector, before, new, faults, is_judged=state.is_looked_at)

    def _alternative(
        self,
        control: Control,
        setting: Setting,
        contents: Contents,
        new: Sequence[NewRecord],
        before: ReaderOutput,
    ) -> dict[str, Any] | None:
        """Return another correct result, if the format has one."""
        alternative = self.format_sweep.otherwise(new, before.end, _task(control, setting))
        if alternative is None:
            return None
        state = self._perform("append", control.name, contents, alternative[0], setting.context)
        log_files = postconditions.files_of(contents, control.name)
        files = {name if name in log_files else f"{name}*": n for name, n in state.files.items()}
        answer = state.answer.answer().to_json()
        return {
            "answer": answer,
            "because": alternative[1],
            "after": postconditions.to_json(files, {}, ()),
        }

    def _faults(
        self,
        control: Control,
        setting: Setting,
        contents: Contents,
        new: Sequence[NewRecord],
        before: ReaderOutput,
        state: _State,
    ) -> list[str]:
        """Return the invariants that an append of the executable specification breaks."""
        faults = []
        if state.refused is not None:
            if state.contents != contents or state.files != postconditions.files_of(
                contents, control.name
            ):
                faults.append(invariants.CHANGED_REFUSING)
        elif not self._continues(before, new, state.answer):
            faults.append(invariants.NOT_READ)
        cut = invariants.cut_at_end(contents, before)
        if cut is None:
            goes_on = state.refused is None and new and not self.format_sweep.takes_back(new)
            if isinstance(contents, bytes) and goes_on:
                faults.append(invariants.NO_END)
            return faults
        if self._read(control.name, cut, setting.context).records != before.records:
            faults.append(invariants.CUT_LOSES)
        elif state.refused is None:
            # A refusal is no fault of the cut: the shorter file may lack space for the records.
            after_cut = self._perform("append", control.name, cut, new, setting.context)
            if after_cut.refused is None and not self._continues(before, new, after_cut.answer):
                faults.append(invariants.NOT_READ_AT_END)
        return faults

    def _continues(
        self, before: ReaderOutput, new: Sequence[NewRecord], after: ReaderOutput
    ) -> bool:
        """Return whether a read gives the earlier records, then the appended ones."""
        if self.format_sweep.takes_back(new):
            return True
        expected = [record.payload for record in before.records]
        expected += [record.payload for record in new]
        return [record.payload for record in after.records] == expected

    def _perform(
        self,
        operation: str,
        name: str,
        contents: Contents | None,
        new: Sequence[NewRecord],
        context: Mapping[str, Any],
    ) -> _State:
        path = self._empty_path(name)
        if contents is not None:
            write_contents(contents, path)
        act = self.format.append if operation == "append" else self.format.write
        refused = None
        try:
            act(path, new, context)
        except ValueError as error:
            refused = str(error) or "refused"
        files = postconditions.files_in(path.parent)
        digests = (
            postconditions.digests_in(path.parent) if self.format_sweep.appends_exactly else {}
        )
        answer = NO_LOG
        if path.exists():
            answer = collect_output(self.format.read(path, "recover", context))
        return _State(refused, answer, contents_at(path), files, digests)

    def _read(self, name: str, contents: Contents, context: Mapping[str, Any]) -> ReaderOutput:
        path = self._empty_path(name)
        write_contents(contents, path)
        return collect_output(self.format.read(path, "recover", context))

    def _empty_path(self, name: str) -> Path:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        return self.folder / name

    def _body(
        self,
        setting: Setting,
        name: str,
        contents: Contents,
        new: Sequence[NewRecord],
        state: _State,
    ) -> dict[str, Any]:
        append = setting.profile == "append"
        free = self.format_sweep.free(contents) if append else []
        exact = state.digests if append and state.refused is None and not free else {}
        expect = state.answer.answer() if append or state.refused is None else NOTHING
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
            "after": postconditions.to_json(state.files, {}, free, exact),
        }
        if state.refused is not None:
            body["must_refuse"] = True
        return body


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
