"""Turn vectors into requests, and replies into judgements."""

from __future__ import annotations

import functools
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance import postconditions
from conformance.compare import Difference, differences, every_part, normalise
from conformance.contents import Contents, read_contents, read_file, size, write_contents
from conformance.vectors import Vector
from reference_impl import formats
from reference_impl.answer import collect

DEFAULT_WALL_MS = 2000
# Only generated parsers have this profile. They list fields and return no answer.
STRUCTURE = "structure"
REPLY_BYTES = 2 << 20
REPLY_BYTES_PER_BYTE = 64


@dataclass(frozen=True)
class ReplyJudgement:
    """The differences between a reply and the expectation."""

    #: Differences between the reply and the expected reply.
    differences: Sequence[Difference]
    expected: Mapping[str, Any]
    actual: Mapping[str, Any] | None
    #: Fault such as :data:`REFUSED`, if a comparison of the answers does not fully describe it.
    effect: str = ""
    #: Parts that were compared in the two answers.
    parts: Sequence[str] = ()
    #: The name of the request, if the case has several requests.
    request: Difference | None = None

    @property
    def difference(self) -> str | None:
        """Return the differences as one line, or None."""
        return f"{self.request or ''}{'; '.join(self.differences)}" if self.differences else None

    @property
    def found(self) -> dict[str, Any]:
        """Return what was found in each part that differs."""
        of_request = [self.request] if self.request else []
        return {each.part: each.found for each in [*of_request, *self.differences]}


CHANGED_LOG = "changes-the-log"
# A :class:`ReplyJudgement` uses these names for the faults of writers.
REFUSED, CHANGED_WHILE_REFUSING, NOT_REFUSED, NO_LOG, OTHER_BYTES, OTHER_FILES = (
    "refused", "changed-while-refusing", "not-refused", "no-log", "other-bytes", "other-files",
)  # fmt: skip


@dataclass(frozen=True)
class VectorCase:
    """One vector in one profile: the requests to send and the judgement of the replies."""

    vector: Vector
    profile: str

    @functools.cached_property
    def reply_bytes(self) -> int:
        """Return the maximum length of a reply, in bytes."""
        usual = usual_reply_bytes(size(self.vector.contents))
        return int(self.vector.body.get("limits", {}).get("reply_bytes", usual))

    @functools.cached_property
    def wall_ms(self) -> int:
        """Return the time limit of one request, in milliseconds."""
        return int(self.vector.body.get("limits", {}).get("wall_ms", DEFAULT_WALL_MS))

    @property
    def expect(self) -> Mapping[str, Any] | None:
        """Return the expected answer, or ``None`` if each request has its own expected answer."""
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
    """A request that can judge its reply."""

    def prepare(self, path: Path) -> None:
        """Put the scratch copy in place."""
        raise NotImplementedError

    def request(self, case: VectorCase, path: Path, seq: int) -> dict[str, Any]:
        """Return the message to send."""
        raise NotImplementedError

    def details(self, case: VectorCase, path: Path, seq: int) -> dict[str, Any] | None:
        """Return a second request for the details of a failed reply, or None."""
        return None

    def judge(self, reply: Mapping[str, Any], path: Path, reports: Sequence[str]) -> ReplyJudgement:
        """Compare the reply and the files on disk with the expectation."""
        raise NotImplementedError


@dataclass(frozen=True)
class ReadStep(Step):
    """A request to read a scratch copy, which the reader must not change."""

    contents: Contents
    expect: Mapping[str, Any]
    accept: Sequence[Mapping[str, Any]] = ()
    label: Difference | None = None

    def prepare(self, path: Path) -> None:
        """Write the scratch copy."""
        write_contents(self.contents, path)

    def request(self, case: VectorCase, path: Path, seq: int) -> dict[str, Any]:
        """Return a read message."""
        return read_request(case, path, seq, case.vector.body.get("context", {}))

    def judge(self, reply: Mapping[str, Any], path: Path, reports: Sequence[str]) -> ReplyJudgement:
        """Compare the answer with the expected answer and, if necessary, the accepted answers."""
        actual = reply["answer"]
        wrong: list[Difference] = []
        if actual != self.expect or "signals" in reports:
            actual = normalise(actual)
            wrong = differences(self.expect, actual, reports)
        if wrong and any(not differences(other, actual, reports) for other in self.accept):
            wrong = []
        # A reader must not write, not even to repair a log (LDB-042 and similar requirements).
        is_changed = contents_at(path) != self.contents
        if is_changed:
            wrong.append(Difference("log", "changed", "the reader changed the log it read"))
        effect = CHANGED_LOG if is_changed else ""
        return ReplyJudgement(wrong, self.expect, actual, effect, reports, self.label)


def read_request(
    case: VectorCase, path: Path, seq: int, context: Mapping[str, Any]
) -> dict[str, Any]:
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
    """Return the default limit of a reply in bytes, for a log of ``size`` bytes."""
    return REPLY_BYTES + REPLY_BYTES_PER_BYTE * size


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
            label = Difference("prefix", length, f"prefix of {length}: ")
            yield ReadStep(data[:length], expect, label=label)


@dataclass(frozen=True)
class WritingStep(Step):
    """A write or an append. The judgement covers the log, the other files, and a refusal."""

    vector: Vector

    @property
    def after(self) -> Mapping[str, Any]:
        """Return the postconditions."""
        return dict(self.vector.body["after"])

    @property
    def expect(self) -> Mapping[str, Any]:
        """Return the expected answer for the log after the write."""
        return dict(self.vector.body["expect"])

    def _refused(self, why: str, path: Path, before: Contents | None) -> ReplyJudgement:
        """Judge a refusal: the vector must require or allow it, and no file may have changed."""
        body = self.vector.body
        stated_name = self._as_stated(path.name, path)
        # The path of the scratch copy differs between runs, so replace it.
        why = why.replace(str(path), f"…/{stated_name}").replace(str(path.parent), "…")
        if not body.get("must_refuse") and not body.get("may_refuse"):
            refusal = Difference("refused", why, f"the writer refused: {why}")
            return ReplyJudgement([refusal], self.expect, None, REFUSED)
        now = contents_at(path)
        changed = [] if now == before else [_change(before, now)]
        files = {} if before is None else postconditions.files_of(before, stated_name)
        if not changed:
            changed = postconditions.file_differences(
                files, self._files_by_stated_name(path), self._free
            )
        if changed:
            text = f"the writer refused, but changed the log: {'; '.join(changed)}"
            found = {each.part: each.found for each in changed}
            actual = _answer(path, self.vector)
            difference = Difference("changed", found, text)
            return ReplyJudgement([difference], self.expect, actual, CHANGED_WHILE_REFUSING)
        return ReplyJudgement([], self.expect, self.expect)

    def _not_refused(self, path: Path) -> ReplyJudgement:
        actual = _answer(path, self.vector)
        wrong = Difference("refused", False, "the writer must refuse, but replied done")
        return ReplyJudgement([wrong], self.expect, actual, NOT_REFUSED)

    def _read_back(self, path: Path) -> ReplyJudgement:
        """Compare the files with the expected files, and the answer that is read from the log."""
        actual = _answer(path, self.vector)
        if actual is None:
            wrong = Difference("log", None, "the writer replied done, but the path holds no log")
            return ReplyJudgement([wrong], self.expect, None, NO_LOG)
        parts = postconditions.compared_parts(self.vector.body["format"], self._free)
        files = self._files(path, self.after)
        problems = differences(self.expect, actual, parts) + files
        for other in self.vector.body.get("accept", []) if problems else []:
            if not differences(other["answer"], actual, parts) and not self._files(
                path, other["after"]
            ):
                problems = []
        return ReplyJudgement(problems, self.expect, actual, OTHER_FILES if files else "", parts)

    def _files(self, path: Path, after: Mapping[str, Any]) -> list[Difference]:
        neutral = path.name == self.vector.neutral_name

        def place_of(name: str) -> Path:
            return path.parent / (self.vector.in_neutral_names(name) if neutral else name)

        files = self._files_by_stated_name(path)
        return postconditions.differences(after, self._free, files, place_of)

    def _files_by_stated_name(self, path: Path) -> dict[str, int]:
        files = postconditions.files_in(path.parent)
        return {self._as_stated(name, path): size for name, size in files.items()}

    def _as_stated(self, name: str, path: Path) -> str:
        """Return the name of the log, or of a file next to it, in the form of the vector."""
        vector = self.vector
        return vector.in_its_names(name) if path.name == vector.neutral_name else name

    @property
    def _free(self) -> list[str]:
        return postconditions.freedoms(self.after)


@dataclass(frozen=True)
class WriteStep(WritingStep):
    """A request to write a new log."""

    def prepare(self, path: Path) -> None:
        """Do nothing, because the writer creates the log."""

    def request(self, case: VectorCase, path: Path, seq: int) -> dict[str, Any]:
        """Return a write message."""
        return _with_records("write", self.vector, path, seq)

    def judge(self, reply: Mapping[str, Any], path: Path, reports: Sequence[str]) -> ReplyJudgement:
        """Compare the log byte for byte, unless the vector leaves choices to the writer.

        If the bytes differ, the answer for the written log helps to explain the difference.
        """
        if "refused" in reply:
            return self._refused(reply["refused"], path, None)
        if self.vector.body.get("must_refuse"):
            return self._not_refused(path)
        if self._free:
            return self._read_back(path)
        written = contents_at(path)
        if written is None:
            there = os.path.lexists(path)
            state = "the log cannot be read" if there else "there is no file"
            wrong = [Difference("log", None, f"the writer replied done, but {state}")]
            return ReplyJudgement(wrong, self.expect, None, NO_LOG)
        if written != self.vector.contents:
            wrong = [_first_difference(self.vector.contents, written)]
            actual = _answer(path, self.vector)
            parts = every_part([self.vector.body["format"]])
            return ReplyJudgement(wrong, self.expect, actual, OTHER_BYTES, parts)
        wrong = self._files(path, self.after)
        return ReplyJudgement(wrong, self.expect, self.expect, OTHER_FILES)


@dataclass(frozen=True)
class AppendStep(WritingStep):
    """A request to append to a scratch copy. The executable specification reads the result."""

    def prepare(self, path: Path) -> None:
        """Write the scratch copy."""
        write_contents(self.vector.contents, path)

    def request(self, case: VectorCase, path: Path, seq: int) -> dict[str, Any]:
        """Return an append message."""
        return _with_records("append", self.vector, path, seq)

    def judge(self, reply: Mapping[str, Any], path: Path, reports: Sequence[str]) -> ReplyJudgement:
        """Judge a refusal, or the state after the append."""
        if "refused" in reply:
            return self._refused(reply["refused"], path, self.vector.contents)
        if self.vector.body.get("must_refuse"):
            return self._not_refused(path)
        return self._read_back(path)


def _change(before: Contents | None, actual: Contents | None) -> Difference:
    if before is None:
        return Difference("log", "created", "a log where none existed")
    if actual is None:
        return Difference("log", None, "the log was deleted")
    return _first_difference(before, actual)


def _with_records(command: str, vector: Vector, path: Path, seq: int) -> dict[str, Any]:
    return {
        "cmd": command,
        "seq": seq,
        "format": vector.body["format"],
        "path": str(path),
        "records": vector.records_to_write(),
        "context": vector.body.get("context", {}),
    }


def contents_at(path: Path) -> Contents | None:
    """Return the contents at a path, or ``None`` if no readable file or directory is there."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - this is done for every request
        if stat.S_ISREG(mode):
            return read_file(path)
        return read_contents(path) if stat.S_ISDIR(mode) else None
    except (OSError, ValueError):
        return None


def _answer(path: Path, vector: Vector) -> dict[str, Any] | None:
    format = formats.named(vector.body["format"])
    if not path.exists():
        return {"verdict": "intact", "reason": None, "records": [], "lost": [], "end": 0}
    if contents_at(path) is None:
        return None
    try:
        return collect(format.read(path, "recover", vector.body.get("context", {}))).to_json()
    except (OSError, ValueError):  # no reader accepts this context, so a writer must refuse it
        return None


def _first_difference(expected: Contents, actual: Contents) -> Difference:
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        if sorted(expected) != sorted(actual):
            names = [", ".join(sorted(files)) for files in (expected, actual)]
            text = f"files: expected {names[0]}, found {names[1]}"
            return Difference("files", sorted(actual), text)
        name = next(name for name in expected if expected[name] != actual[name])
        inner = _first_difference(expected[name], actual[name])
        return Difference("bytes", {"file": name, **inner.found}, f"{name}: {inner}")
    if not isinstance(expected, bytes) or not isinstance(actual, bytes):
        text = "expected a folder, found a file, or the other way round"
        return Difference("log", "file" if isinstance(actual, bytes) else "folder", text)
    pairs = zip(expected, actual, strict=False)
    at = next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(expected), len(actual)))
    found = {"size": len(actual), "at": at, "bytes": actual[at : at + 8].hex()}
    text = (
        f"bytes: expected {len(expected)}, found {len(actual)}; at offset {at}:"
        f" expected {expected[at : at + 8].hex(' ') or 'the end'},"
        f" found {actual[at : at + 8].hex(' ') or 'the end'}"
    )
    return Difference("bytes", found, text)


_PROFILES = {
    "read": ("recover", "strict"),
    "truncations": ("recover",),
    "write": ("write",),
    "append": ("append",),
}


def cases_of(vectors: Sequence[Vector], profiles: Sequence[str] = ()) -> list[VectorCase]:
    """Return a case for every vector in each selected profile of its operation."""
    return [
        VectorCase(vector, profile)
        for vector in vectors
        for profile in _PROFILES[vector.operation]
        if not profiles or profile in profiles
    ]
