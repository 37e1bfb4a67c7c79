"""Append records in a sweep, with the executable specification."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from conformance import postconditions
from conformance.contents import MAX_BYTES, Contents, digest, size, write_contents
from conformance.recipes.generate import NOTHING, record_to_json
from conformance.vector_cases import contents_at
from conformance.vectors import Vector
from reference_impl.answer import Answer, NewRecord, collect
from reference_impl.formats import named
from walproof.formats import plugin_for
from walproof.sweep import properties
from walproof.sweep.controls import Control
from walproof.sweep.format_sweep import AppendTask
from walproof.sweep.settings import Setting


@dataclass(frozen=True)
class AppendRequest:
    """A request to append, as a vector; the answer for the log before it; and the new records."""

    vector: Vector
    before: Answer
    new: Sequence[NewRecord]
    #: The invariants that the answer of the executable specification violates.
    faults: Sequence[str] = ()
    #: False if the correct result is larger than the harness allows.
    is_judged: bool = True


@dataclass(frozen=True)
class _AfterAppend:
    """The state after an append: whether it was refused, the answer, the log, and all files."""

    refused: bool
    answer: Answer
    contents: Contents | None
    files: Mapping[str, int]
    digests: Mapping[str, str]


class Appender:
    """Appends records with the executable specification, in an exclusive scratch folder."""

    def __init__(self, format: str, folder: Path) -> None:
        self.format = named(format)
        self.format_sweep = plugin_for(format).sweep
        self.folder = folder / "written"

    def request(
        self, control: Control, setting: Setting, contents: Contents, new: Sequence[NewRecord]
    ) -> AppendRequest:
        """Return a request to append records to these contents, with its result."""
        name = control.name
        before = self._read(name, contents, setting)
        if control.earlier and new:
            new = [self._aimed(control, setting, contents, before)]
        state = self._perform(name, contents, new, setting)
        free = self.format_sweep.free(contents)
        exact = {} if state.refused or free else state.digests
        more: dict[str, Any] = {"after": postconditions.to_json(state.files, {}, free, exact)}
        if not state.refused:
            if self.format_sweep.may_refuse(before, contents):
                more["may_refuse"] = True
            if alternative := self.format_sweep.otherwise(new, before, task_of(control, setting)):
                more["accept"] = [self._alternative(name, contents, setting, *alternative)]
        faults = self._append_faults(name, setting, contents, new, before, state)
        body = self._body(control, setting, name, contents, new, state) | more
        is_judged = sum(state.files.values()) <= MAX_BYTES
        return AppendRequest(Vector(control.path, body, contents), before, new, faults, is_judged)

    def _aimed(
        self, control: Control, setting: Setting, contents: Contents, before: Answer
    ) -> NewRecord:
        """Return a new record for a generated log.

        It may end at an offset that is stored in lost bytes.
        """
        chance = Random(digest(contents))
        sizes = properties.aimed_sizes(contents, before) or [0, 1, 20, 200]
        return self.format_sweep.sized(task_of(control, setting), chance.choice(sizes))

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
        before: Answer, state: _AfterAppend,
    ) -> list[str]:  # fmt: skip
        """Return the invariants that an append of the executable specification breaks."""
        old_records = before.records
        faults = []
        if state.refused:
            old = contents, postconditions.files_of(contents, name)
            if (state.contents, state.files) != old:
                faults.append(properties.CHANGED_REFUSING)
        elif not properties.continues(old_records, new, state.answer):
            faults.append(properties.NOT_READ)
        cut = properties.cut_at_end(contents, before)
        if cut is None:
            if isinstance(contents, bytes) and new and not state.refused:
                faults.append(properties.NO_END)
        elif self._read(name, cut, setting).records != before.records:
            faults.append(properties.CUT_LOSES)
        elif not state.refused:
            # A refusal after the cut is valid, because the shorter file may lack space for the
            # records.
            after_cut = self._perform(name, cut, new, setting)
            is_read = properties.continues(old_records, new, after_cut.answer)
            if not (after_cut.refused or is_read):
                faults.append(properties.NOT_READ_AT_END)
        return faults

    def _perform(
        self, name: str, contents: Contents, new: Sequence[NewRecord], setting: Setting
    ) -> _AfterAppend:
        path = self._empty_path(name)
        write_contents(contents, path)
        refused = False
        try:
            self.format.append(path, new, setting.context)
        except ValueError:
            refused = True
        files = postconditions.files_in(path.parent)
        exactly = self.format_sweep.appends_exactly
        digests = postconditions.digests_in(path.parent) if exactly else {}
        answer = NOTHING
        if path.exists():
            answer = collect(self.format.read(path, "recover", setting.context))
        return _AfterAppend(refused, answer, contents_at(path), files, digests)

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
        new: Sequence[NewRecord], state: _AfterAppend,
    ) -> dict[str, Any]:  # fmt: skip
        return {
            "id": control.id,
            "format": self.format.id,
            "operation": "append",
            "input": name,
            "sha256": digest(contents),
            "size": size(contents),
            "control": control.id,
            "context": dict(setting.context),
            "records": [record_to_json(record) for record in new],
            "expect": state.answer.to_json(),
            "after": postconditions.to_json(state.files, {}, []),
            **({"must_refuse": True} if state.refused else {}),
        }


def task_of(control: Control, setting: Setting) -> AppendTask:
    """Return a request to append to a damaged copy of a control."""
    return AppendTask(control.name, control.records, setting.context)
