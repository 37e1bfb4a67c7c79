"""Run the vectors in the profile ``structure``, which compares fields of generated parsers.

The first request is for a digest of the fields. If the digest differs, a second request is for the
fields themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.compare import Difference
from conformance.contents import Contents, by_name, write_contents
from conformance.kaitai.grammars import grammar_of_file
from conformance.structure.listing import Tells, expected_digest, listing
from conformance.vector_cases import (
    STRUCTURE,
    ReplyJudgement,
    Step,
    VectorCase,
    contents_at,
    read_request,
)
from conformance.vectors import Vector

STRUCTURE_WALL_MS = 20_000
_SHOWN = 3


def structure_cases(vectors: Sequence[Vector]) -> list[VectorCase]:
    """Return a case for every vector that has a file with a grammar."""
    cases = [StructureCase(vector, STRUCTURE) for vector in vectors]
    return [case for case in cases if next(case.steps(), None) is not None]


@dataclass(frozen=True)
class StructureCase(VectorCase):
    """One vector in the profile ``structure``."""

    @property
    def wall_ms(self) -> int:
        """Return a longer limit than that of the vector, because every field is listed."""
        return STRUCTURE_WALL_MS

    @property
    def expect(self) -> None:
        """Return None, because the case expects fields and not an answer."""
        return None

    def steps(self) -> Iterator[Step]:
        """Yield the requests for a vector, one for each file.

        The operation ``truncations`` has two requests per row of its table, one for each end of the
        row.
        """
        contents = self.vector.contents
        format = str(self.vector.body["format"])
        name = self.vector.input.name
        if self.vector.operation == "truncations" and isinstance(contents, bytes):
            rows = self.vector.body["table"]
            for length in sorted({row[end] for row in rows for end in ("from", "to")}):
                if grammar := grammar_of_file(format, name):
                    label = f"prefix of {length}: "
                    yield StructureStep(contents[:length], grammar, "", contents[:length], label)
            return
        files = by_name(contents)
        for inner, data in files.items():
            if grammar := grammar_of_file(format, inner or name):
                yield StructureStep(contents, grammar, inner, data, f"{inner}: " if inner else "")


@dataclass(frozen=True)
class StructureStep(Step):
    """A request for one file.

    ``inner`` is its path in the log, and is empty in a single-file log.
    """

    contents: Contents = field(repr=False)
    grammar: str
    inner: str
    data: bytes = field(repr=False)
    label: str = ""

    def prepare(self, path: Path) -> None:
        """Write the scratch copy of the whole log."""
        write_contents(self.contents, path)

    def request(self, case: VectorCase, path: Path, seq: int) -> dict[str, Any]:
        """Return a read message for one file."""
        file = path / self.inner if self.inner else path
        return read_request(case, file, seq, {}) | {"grammar": self.grammar}

    def details(self, case: VectorCase, path: Path, seq: int) -> dict[str, Any]:
        """Return the same request for a reply with the listing."""
        return self.request(case, path, seq) | {"listing": True}

    def judge(self, reply: Mapping[str, Any], path: Path, reports: Sequence[str]) -> ReplyJudgement:
        """Compare the digests, or report the first difference of the listings."""
        structure = reply.get("structure")
        if structure is None:
            return self._judged("answer", "an answer instead of fields")
        tells = Tells.of(reports)
        expected = expected_digest(self.data, self.grammar, tells)
        if contents_at(path) != self.contents:
            return self._judged("changed", "the parser changed the file it read")
        if (structure["fields"], structure["sha256"]) == (expected.fields, expected.sha256):
            return ReplyJudgement([], {}, None)
        text = f"expected {expected.fields} fields, found {structure['fields']}"
        if "listing" in structure:
            text += _first_difference(listing(self.data, self.grammar, tells), structure["listing"])
        return self._judged(structure["sha256"][:8], text)

    def _judged(self, found: str, sentence: str) -> ReplyJudgement:
        label = Difference("file", self.label, self.label) if self.label else None
        wrong = [Difference("fields", found, sentence)]
        return ReplyJudgement(wrong, {}, None, request=label)


def _first_difference(expected: Sequence[str], actual: Sequence[str]) -> str:
    if list(expected) == list(actual):
        return "; the listings are the same, so the digest is not that of the listing"
    pairs = zip(expected, actual, strict=False)
    at = next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(expected), len(actual)))
    expected_lines = " | ".join(expected[at : at + _SHOWN]) or "the end"
    found_lines = " | ".join(actual[at : at + _SHOWN]) or "the end"
    return f"; line {at + 1}: expected {expected_lines}; found {found_lines}"
