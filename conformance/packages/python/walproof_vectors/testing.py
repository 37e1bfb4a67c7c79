"""A test for each vector under pytest: README.md has an example, RUNNERS.md the rules.

::

    @pytest.mark.parametrize("case", cases("leveldb-log", SUBJECT), ids=str)
    def test_vector(case):
        case.check()
"""

from __future__ import annotations

import copy
import ctypes
import hashlib
import json
import os
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from walproof_vectors import Vector, vectors
from walproof_vectors.comparing import (
    Json,
    below,
    differences,
    normalised,
    pin,
    prefixes,
    to_write,
)
from walproof_vectors.known import Known

WEIGHT = ("pass", "skipped", "fail", "crash", "timeout")
"""What came of the requests of one vector: the last of these is its result."""
PROFILES = {
    "read": ("recover", "strict"),
    "truncations": ("recover",),
    "write": ("write",),
    "append": ("append",),
}
FREE = "the writer is free here: only walproof check reads what it left"

Files = Mapping[str, bytes]


class Skip(Exception):
    """Raised to decline a request, saying why."""


class Refused(Exception):
    """Raised by a writer that does not take these records, or this log."""


@dataclass(frozen=True)
class Request:
    """What is asked. ``records`` are those to write: ``payload`` in bytes, and other fields."""

    format: str
    path: Path
    profile: str
    context: Mapping[str, Any]
    records: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Subject:
    """What is tested.

    ``read`` returns an answer as a dictionary: ``records`` (``payload`` in bytes, and other
    fields), ``signals``, and what else ``reports`` names. ``write`` and ``append`` raise
    :class:`Refused`. Each may raise :class:`Skip`.
    """

    read: Callable[[Request], Json] | None = None
    write: Callable[[Request], None] | None = None
    append: Callable[[Request], None] | None = None
    reports: Sequence[str] = ("records", "signals")
    profiles: Sequence[str] = ("recover",)
    known: Path | None = None
    """A file of known failures; WALPROOF_UPDATE_KNOWN=1 has it written."""
    choose: Callable[[Vector], bool] = lambda vector: True
    patience: int = 5
    """How many times its time limit a request may take."""
    results: Path | None = None
    """A file for a line of JSON a result; else WALPROOF_RESULTS names one."""


Outcome = tuple  # of a class and what differs, or why


@dataclass(frozen=True)
class Case:
    """A vector in a profile."""

    vector: Vector
    profile: str
    subject: Subject = field(repr=False)
    known: Known = field(repr=False)

    def __str__(self) -> str:
        return f"{self.vector.id}/{self.profile}"

    def check(self) -> None:
        """Ask the subject; pass, fail, skip or xfail the test that runs."""
        import pytest

        kind, difference = self.judge()
        self._keep(kind, difference)
        held = self.known.updated if self.known.updates else self.known.compared
        kind, why = held(self.vector.id, self.profile, kind, difference)
        text = f"{kind}: {why}\n{difference}".strip()
        if kind == "skipped":
            pytest.skip(text)
        if kind == "known-failure":
            pytest.xfail(text)
        if kind != "pass":
            needs = " ".join(self.vector.requirements)
            pytest.fail(f"{text}\n{self.vector.title}\n{needs}", pytrace=False)

    def _keep(self, kind: str, difference: str) -> None:
        name = self.subject.results or os.environ.get("WALPROOF_RESULTS")
        if name:
            row = {"vector": self.vector.id, "profile": self.profile, "result": kind}
            with Path(name).open("a", encoding="utf-8") as file:
                file.write(json.dumps({**row, "difference": difference}) + "\n")

    def judge(self) -> Outcome:
        """What came of it, before the list of known failures is looked at."""
        body, files = self.vector.body, self.vector.files()
        if self.profile == "write":
            return self._written(files)
        if self.profile == "append":
            return self._appended(files)
        if self.vector.operation != "truncations":
            strict = "_strict" if self.profile == "strict" else ""
            accepted = [other["answer" + strict] for other in body.get("accept", [])]
            return self._read(files, [body["expect" + strict], *accepted])
        worst: Outcome = ("pass", "")
        for length, expect in prefixes(body):
            kind, text = self._read({name: data[:length] for name, data in files.items()}, [expect])
            if WEIGHT.index(kind) > WEIGHT.index(worst[0]):
                worst = kind, f"prefix of {length}: {text}"
            if kind in ("crash", "timeout"):
                break
        return worst

    def _read(self, files: Files, right: Sequence[Json]) -> Outcome:
        with tempfile.TemporaryDirectory(prefix="walproof") as folder:
            place = self._place(Path(folder), files)
            kind, answer = self._call(self.subject.read, place)
            if kind != "done":
                return ("crash" if kind == "refused" else kind), answer
            actual = normalised(answer)
            reports = self.subject.reports
            wrong = differences(right[0], actual, reports)
            if any(not differences(other, actual, reports) for other in right[1:]):
                wrong = []
            if not self._is_at(place, files):
                wrong.append("the reader changed the log it read")
            return (
                ("fail", f"{'; '.join(wrong)} [{pin(actual, reports)}]") if wrong else ("pass", "")
            )

    def _written(self, files: Files) -> Outcome:
        with tempfile.TemporaryDirectory(prefix="walproof") as folder:
            place = self._place(Path(folder), {})
            kind, text = self._call(self.subject.write, place)
            if kind == "refused":
                return self._refused(place, None, text)
            if kind != "done":
                return kind, text
            if self.vector.must_refuse:
                return "fail", "the writer says done where it must refuse"
            if not self._is_at(place, files):
                return "fail", "bytes: the log is not what it should be"
            wrong = self._files_wrong(place, self.vector.body["after"])
            return ("fail", wrong) if wrong else ("pass", "")

    def _appended(self, files: Files) -> Outcome:
        with tempfile.TemporaryDirectory(prefix="walproof") as folder:
            place = self._place(Path(folder), files)
            kind, text = self._call(self.subject.append, place)
            if kind == "refused":
                return self._refused(place, files, text)
            if kind != "done":
                return kind, text
            if self.vector.must_refuse:
                return "fail", "the writer says done where it must refuse"
            body = self.vector.body
            found = []
            for after in [body["after"], *(other["after"] for other in body.get("accept", []))]:
                found.append(self._files_wrong(place, after))
                if not found[-1]:
                    whole = all("sha256" in file for file in after["files"])
                    return ("pass", "") if whole else ("skipped", FREE)
            return "fail", found[0]

    def _refused(self, place: Path, files: Files | None, why: str) -> Outcome:
        if not self.vector.must_refuse and not self.vector.may_refuse:
            return "fail", f"the writer refused: {why}"
        if os.path.lexists(place) if files is None else not self._is_at(place, files):
            return "fail", "the writer refused, and changed the log"
        own = self.vector.path.name
        names = {own if self._is_file else f"{own}/{name}": name for name in files or {}}
        stated = [{"name": name, "size": len(files[key])} for name, key in names.items()]  # type: ignore[index]
        free = self.vector.body["after"].get("free", [])
        wrong = self._files_wrong(place, {"files": stated, "free": free})
        return (
            ("fail", f"the writer refused, and changed what is there: {wrong}")
            if wrong
            else ("pass", "")
        )

    def _call(self, function: Callable[[Request], Any] | None, place: Path) -> Outcome:
        """``done`` and what was returned, or ``refused``, ``skipped``, ``crash``, ``timeout``."""
        if function is None:
            return "skipped", "there is no function for it"
        body, ended = self.vector.body, []
        context = copy.deepcopy(body.get("context", {}))
        asked = Request(self.vector.format, place, self.profile, context, to_write(body))

        def call() -> None:
            try:
                ended.append(("done", function(asked)))
            except Skip as skip:
                ended.append(("skipped", str(skip)))
            except Refused as refused:
                ended.append(("refused", str(refused)))
            except BaseException as error:  # whatever it is, it is a result
                ended.append(("crash", f"{type(error).__name__}: {error}"))

        wall_ms = body.get("limits", {}).get("wall_ms", 2000) * self.subject.patience
        thread = threading.Thread(target=call, daemon=True)
        thread.start()
        thread.join(wall_ms / 1000)
        if not thread.is_alive():
            return ended[0]  # type: ignore[no-any-return]
        # CPython leaves a loop in Python then; a call into C goes on.
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident or 0), ctypes.py_object(SystemExit)
        )
        return "timeout", f"no answer in {wall_ms} ms"

    @property
    def _is_file(self) -> bool:
        return self.vector.path.is_file()

    def _neutral(self, name: str) -> str:
        """A name without that of the vector: nobody may go by it. Other names mean something."""
        slug = self.vector.id.split("/")[1]
        return "case" + name[len(slug) :] if name.startswith(slug) else name

    def _own(self, name: str) -> str:
        """The opposite of :meth:`_neutral`."""
        own = self.vector.path.name
        if name.startswith("case") and self._neutral(own) != own:
            return self.vector.id.split("/")[1] + name[4:]
        return name

    def _place(self, folder: Path, files: Files) -> Path:
        place = folder / self._neutral(self.vector.path.name)
        for name, data in files.items():
            target = place if self._is_file else place / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        return place

    def _is_at(self, place: Path, files: Files) -> bool:
        try:
            if self._is_file:
                return place.is_file() and place.read_bytes() == next(iter(files.values()))
            found = {name: (place / name).read_bytes() for name in below(place)}
            return place.is_dir() and found == files
        except OSError:
            return False

    def _files_wrong(self, place: Path, after: Mapping[str, Any]) -> str:
        """What is wrong with the files in the folder of a place."""
        free = [one["freedom"] for one in after.get("free", [])]
        there = {self._own(name): size for name, size in below(place.parent).items()}
        wrong = []
        for file in after["files"]:
            name = file["name"]
            fitting = sorted(one for one in there if one == name or fnmatchcase(one, name))
            if not fitting:
                wrong.append(f"{name} is missing")
            elif (size := there.pop(fitting[0])) != file["size"] and "preallocation" not in free:
                wrong.append(f"{name}: expected {file['size']} bytes, found {size}")
        if "other-files" not in free:
            wrong += [f"{name} should not be there" for name in sorted(there)]
        for part in after.get("bytes", []):
            owed, at = bytes.fromhex(part["hex"]), part["at"]
            if self._bytes(place, part["name"])[at : at + len(owed)] != owed:
                wrong.append(f"{part['name']} at {at}: expected {part['hex']}")
        for file in after["files"]:
            data = self._bytes(place, file["name"]) if "sha256" in file else b""
            if "sha256" in file and hashlib.sha256(data).hexdigest() != file["sha256"]:
                wrong.append(f"{file['name']}: other bytes")
        return ", ".join(wrong)

    def _bytes(self, place: Path, name: str) -> bytes:
        file = place.parent / self._neutral(name)
        return file.read_bytes() if file.is_file() else b""


def cases(format: str, subject: Subject) -> list[Case]:
    """Every vector of a format in each profile that is asked. Raises ``ValueError``."""
    found = list(vectors(format))
    if not found:
        raise ValueError(f"no vectors of {format}")
    known = Known(subject.known)
    strangers = known.strangers(format, {vector.id for vector in found})
    if strangers and known.updates:
        known.forget(strangers)
    elif strangers:
        raise ValueError(f"{subject.known}: no vectors: {', '.join(strangers)}")
    return [
        Case(vector, profile, subject, known)
        for vector in found
        if subject.choose(vector)
        for profile in PROFILES[vector.operation]
        if profile in subject.profiles
    ]
