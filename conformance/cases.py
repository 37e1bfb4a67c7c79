"""Turn vectors into requests, and replies into judgements."""

from __future__ import annotations

import functools
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance import postconditions
from conformance.compare import differences, every_part, normalise, pin
from conformance.contents import Contents, read_contents, read_file, size, write_contents
from conformance.vectors import Vector
from reference_impl import formats
from reference_impl.answer import collect

DEFAULT_WALL_MS = 2000
# The profile of generated parsers, which list fields instead of answering.
STRUCTURE = "structure"
REPLY_BYTES = 2 << 20
REPLY_BYTES_PER_BYTE = 64


@dataclass(frozen=True)
class Judgement:
    """The judgement of one reply. ``difference`` is ``None`` for an expected reply.

    ``effect`` names a fault that the answer to the log does not show, or not alone. ``parts`` are
    the parts of the two answers that were compared.
    """

    difference: str | None
    expected: Mapping[str, Any]
    actual: Mapping[str, Any] | None
    effect: str = ""
    parts: Sequence[str] = ()


CHANGED_LOG = "changes-the-log"
# Effects of a read, then of a write or an append (:class:`Judgement`).
REFUSED, CHANGED_WHILE_REFUSING, NOT_REFUSED, NO_LOG, OTHER_BYTES, OTHER_FILES = (
    "refused", "changed-while-refusing", "not-refused", "no-log", "other-bytes", "other-files",
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One vector in one profile: the requests to send and the judgement of the replies.

    A ``truncations`` vector is one case with many requests: both ends of every row of its table.
    """

    vector: Vector
    profile: str

    @functools.cached_property
    def reply_bytes(self) -> int:
        """Return the maximal length of a reply, in bytes."""
        usual = usual_reply_bytes(size(self.vector.contents))
        return int(self.vector.body.get("limits", {}).get("reply_bytes", usual))

    @functools.cached_property
    def wall_ms(self) -> int:
        """Return the time limit of one request, in milliseconds."""
        return int(self.vector.body.get("limits", {}).get("wall_ms", DEFAULT_WALL_MS))

    @property
    def expect(self) -> Mapping[str, Any] | None:
        """Return the expected answer, ``None`` if it depends on the request."""
        if self.vector.operation == "truncations":
            return None
        key = "expect_strict" if self.profile == "strict" else "expect"
        return dict(self.vector.body[key])

    def steps(self) -> Iterator[Step]:
        """Yield the requests of this case, in order."""
        body = self.vector.body
        if self.profile in ("recover", "strict"):
            if self.vector.operation == "truncations":
                yield from _truncation_steps(self.vector)
            else:
                of = "" if self.profile == "recover" else "_strict"
                allowed = [entry[f"answer{of}"] for entry in body.get("accept", [])]
                yield ReadStep(self.vector.contents, body[f"expect{of}"], allowed)
        elif self.profile == "write":
            yield WriteStep(self.vector)
        else:
            yield AppendStep(self.vector)


@dataclass(frozen=True)
class Step:
    """One request and its judgement."""

    def prepare(self, place: Path) -> None:
        """Put the scratch copy in place."""
        raise NotImplementedError

    def request(self, case: Case, place: Path, seq: int) -> dict[str, Any]:
        """Return the message to send."""
        raise NotImplementedError

    def details(self, case: Case, place: Path, seq: int) -> dict[str, Any] | None:
        """Return a second request, for the details of a failed reply, or None."""
        return None

    def judge(self, reply: Mapping[str, Any], place: Path, reports: Sequence[str]) -> Judgement:
        """Compare the reply and the files on disk with the expected ones."""
        raise NotImplementedError


@dataclass(frozen=True)
class ReadStep(Step):
    """Read a scratch copy; it must be unchanged afterwards."""

    contents: Contents
    expect: Mapping[str, Any]
    accept: Sequence[Mapping[str, Any]] = ()
    label: str = ""

    def prepare(self, place: Path) -> None:
        """Write the scratch copy."""
        write_contents(self.contents, place)

    def request(self, case: Case, place: Path, seq: int) -> dict[str, Any]:
        """Return a read message."""
        return read_request(case, place, seq, case.vector.body.get("context", {}))

    def judge(self, reply: Mapping[str, Any], place: Path, reports: Sequence[str]) -> Judgement:
        """Compare the answer with the expected one, then with each accepted one."""
        actual = reply["answer"]
        found = []
        if actual != self.expect or "signals" in reports:
            actual = normalise(actual)
            found = differences(self.expect, actual, reports)
        if found and any(not differences(other, actual, reports) for other in self.accept):
            found = []
        # A reader never writes, not even to repair (LDB-042 and similar requirements).
        is_changed = found_at(place) != self.contents
        if is_changed:
            found.append("the reader changed the log it read")
        difference = self.label + pin(found, actual, reports) if found else None
        effect = CHANGED_LOG if is_changed else ""
        return Judgement(difference, self.expect, actual, effect, reports)


def read_request(case: Case, path: Path, seq: int, context: Mapping[str, Any]) -> dict[str, Any]:
    """Return a read message that follows its schema."""
    return {
        "cmd": "read",
        "seq": seq,
        "format": case.vector.body["format"],
        "path": str(path),
        "profile": case.profile,
        "context": dict(context),
        "limits": {"wall_ms": case.wall_ms, "reply_bytes": case.reply_bytes},
    }


def usual_reply_bytes(size: int) -> int:
    """Return the default reply limit for a log of ``size`` bytes: several times what it can hold.

    A vector whose records share bytes of the log sets its own limit.
    """
    return REPLY_BYTES + REPLY_BYTES_PER_BYTE * size


_PREFIX = re.compile(r"prefix of (\d+): ")


def prefix_asked(difference: str) -> int | None:
    """Return the prefix length in a difference of a ``truncations`` vector."""
    found = _PREFIX.match(difference)
    return int(found[1]) if found else None


def _truncation_steps(vector: Vector) -> Iterator[ReadStep]:
    control = vector.body["expect"]["records"]
    data = vector.contents
    assert isinstance(data, bytes), "only a log of one file has prefixes"
    for row in vector.body["table"]:
        for length in sorted({row["from"], row["to"]}):
            end = length if row["end"] == "length" else row["end"]
            lost = [{"from": end, "to": length, "reason": row["reason"]}]
            expect = {
                "verdict": row["verdict"],
                "reason": row["reason"],
                "records": control[: row["records"]],
                "lost": lost if row["verdict"] == "torn" else [],
                "end": end,
            }
            yield ReadStep(data[:length], expect, label=f"prefix of {length}: ")


@dataclass(frozen=True)
class WritingStep(Step):
    """A write or an append, judged by the log, by the files beside it, and by a refusal."""

    vector: Vector

    @property
    def after(self) -> Mapping[str, Any]:
        """Return the postconditions."""
        return dict(self.vector.body["after"])

    @property
    def expect(self) -> Mapping[str, Any]:
        """Return the expected answer for the log afterwards."""
        return dict(self.vector.body["expect"])

    def _refused(self, why: str, place: Path, before: Contents | None) -> Judgement:
        """Judge a refusal: the vector must require or allow it, and nothing may have changed."""
        body = self.vector.body
        own = self._as_stated(place.name, place)
        # Do not depend on the path of the scratch copy, which differs between runs.
        why = why.replace(str(place), f"…/{own}").replace(str(place.parent), "…")
        if not body.get("must_refuse") and not body.get("may_refuse"):
            return Judgement(f"the writer refused: {why}", self.expect, None, REFUSED)
        found = found_at(place)
        changed = [] if found == before else [_change(before, found)]
        files = {} if before is None else postconditions.files_of(before, own)
        if not changed:
            changed = postconditions.file_differences(
                files, self._files_by_stated_name(place), self._free
            )
        if changed:
            text = f"the writer refused, and changed what is there: {'; '.join(changed)}"
            actual = _answer(place, self.vector)
            return Judgement(text, self.expect, actual, CHANGED_WHILE_REFUSING)
        return Judgement(None, self.expect, self.expect)

    def _not_refused(self, place: Path) -> Judgement:
        actual = _answer(place, self.vector)
        text = "the writer says done where it must refuse"
        return Judgement(text, self.expect, actual, NOT_REFUSED)

    def _files(self, place: Path, after: Mapping[str, Any]) -> list[str]:
        """Return the differences in the files, those of the log and those beside it."""
        found = self._files_by_stated_name(place)
        wrong = postconditions.file_differences(
            postconditions.stated_files(after), found, self._free
        )

        def place_of(name: str) -> Path:
            return place.parent / (self.vector.in_neutral_names(name) if neutral else name)

        neutral = place.name == self.vector.neutral_name
        wrong = wrong or postconditions.byte_differences(
            postconditions.stated_bytes(after), place_of
        )
        return wrong or postconditions.digest_differences(
            postconditions.stated_digests(after), place_of
        )

    def _files_by_stated_name(self, place: Path) -> dict[str, int]:
        """Return the existing files under the names that the vector has for them."""
        found = postconditions.files_in(place.parent)
        return {self._as_stated(name, place): size for name, size in found.items()}

    def _as_stated(self, name: str, place: Path) -> str:
        """Return a name below the directory of ``place`` in the form that the vector states."""
        vector = self.vector
        return vector.in_its_names(name) if place.name == vector.neutral_name else name

    @property
    def _free(self) -> list[str]:
        return postconditions.freedoms(self.after)


@dataclass(frozen=True)
class WriteStep(WritingStep):
    """Write a new log; its bytes are determined."""

    def prepare(self, place: Path) -> None:
        """Do nothing: the log does not exist yet."""

    def request(self, case: Case, place: Path, seq: int) -> dict[str, Any]:
        """Return a write message."""
        return _with_records("write", self.vector, place, seq)

    def judge(self, reply: Mapping[str, Any], place: Path, reports: Sequence[str]) -> Judgement:
        """Compare byte for byte. The answer for the written log helps to explain a difference."""
        if "refused" in reply:
            return self._refused(reply["refused"], place, None)
        if self.vector.body.get("must_refuse"):
            return self._not_refused(place)
        written = found_at(place)
        if written is None:
            there = os.path.lexists(place)
            what = "what is there cannot be read" if there else "there is no file"
            return Judgement(f"the writer says done, and {what}", self.expect, None, NO_LOG)
        if written != self.vector.contents:
            difference = _first_difference(self.vector.contents, written)
            actual = _answer(place, self.vector)
            parts = every_part([self.vector.body["format"]])
            return Judgement(difference, self.expect, actual, OTHER_BYTES, parts)
        wrong = self._files(place, self.after)
        return Judgement("; ".join(wrong) or None, self.expect, self.expect, OTHER_FILES)


@dataclass(frozen=True)
class AppendStep(WritingStep):
    """Recover a scratch copy, append, and read it again with the executable specification."""

    def prepare(self, place: Path) -> None:
        """Write the scratch copy."""
        write_contents(self.vector.contents, place)

    def request(self, case: Case, place: Path, seq: int) -> dict[str, Any]:
        """Return an append message."""
        return _with_records("append", self.vector, place, seq)

    def judge(self, reply: Mapping[str, Any], place: Path, reports: Sequence[str]) -> Judgement:
        """Compare the files, and the answer for the log as it is now.

        Every survivor and every acknowledged record must be read again, in order, at its offset.
        """
        if "refused" in reply:
            return self._refused(reply["refused"], place, self.vector.contents)
        if self.vector.body.get("must_refuse"):
            return self._not_refused(place)
        actual = _answer(place, self.vector)
        if actual is None:
            text = "the writer says done, and what is there is no log"
            return Judgement(text, self.expect, None, NO_LOG)
        parts = postconditions.compared_parts(self.vector.body["format"], self._free)
        files = self._files(place, self.after)
        found = differences(self.expect, actual, parts) + files
        for other in self.vector.body.get("accept", []) if found else []:
            wrong = differences(other["answer"], actual, parts)
            if not wrong and not self._files(place, other["after"]):
                found = []
        difference = pin(found, actual, parts) if found else None
        return Judgement(difference, self.expect, actual, OTHER_FILES if files else "", parts)


def _change(before: Contents | None, found: Contents | None) -> str:
    if before is None:
        return "a log, where there was none"
    if found is None:
        return "there is no log any more"
    return _first_difference(before, found)


def _with_records(command: str, vector: Vector, place: Path, seq: int) -> dict[str, Any]:
    return {
        "cmd": command,
        "seq": seq,
        "format": vector.body["format"],
        "path": str(place),
        "records": vector.records_to_write(),
        "context": vector.body.get("context", {}),
    }


def found_at(place: Path) -> Contents | None:
    """Return the contents at a path, ``None`` for nothing or for what cannot be read at once."""
    try:
        mode = os.stat(place).st_mode  # noqa: PTH116 - this is done for every request
        if stat.S_ISREG(mode):
            return read_file(place)
        return read_contents(place) if stat.S_ISDIR(mode) else None
    except (OSError, ValueError):
        return None


def _answer(place: Path, vector: Vector) -> dict[str, Any] | None:
    """Return the executable specification's answer for the written log, ``None`` for no log."""
    format = formats.named(vector.body["format"])
    if not place.exists():
        return {"verdict": "intact", "reason": None, "records": [], "lost": [], "end": 0}
    if found_at(place) is None:
        return None
    try:
        return collect(format.read(place, "recover", vector.body.get("context", {}))).to_json()
    except (OSError, ValueError):  # a context that no reader accepts, and that a writer must refuse
        return None


def _first_difference(expected: Contents, found: Contents) -> str:
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        if sorted(expected) != sorted(found):
            return (
                f"files: expected {', '.join(sorted(expected))}, found {', '.join(sorted(found))}"
            )
        name = next(name for name in expected if expected[name] != found[name])
        return f"{name}: {_first_difference(expected[name], found[name])}"
    if not isinstance(expected, bytes) or not isinstance(found, bytes):
        return "expected a folder, found a file, or the other way round"
    pairs = zip(expected, found, strict=False)
    at = next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(expected), len(found)))
    return (
        f"bytes: expected {len(expected)}, found {len(found)}; at offset {at}:"
        f" expected {expected[at : at + 8].hex(' ') or 'the end'},"
        f" found {found[at : at + 8].hex(' ') or 'the end'}"
    )


_PROFILES = {
    "read": ("recover", "strict"),
    "truncations": ("recover",),
    "write": ("write",),
    "append": ("append",),
}


def cases_of(vectors: Sequence[Vector], profiles: Sequence[str] = ()) -> list[Case]:
    """Return a case for every vector in each selected profile of its operation."""
    return [
        Case(vector, profile)
        for vector in vectors
        for profile in _PROFILES[vector.operation]
        if not profiles or profile in profiles
    ]
