"""Compare the text of the specification: requirements and vectors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from walproof.review.behaviour import describe, first_names
from walproof.review.finding import Class, Finding

_MARK = re.compile(r"\*\*([A-Z]{3}-\d{3}) \(([A-Z ]+)\)\*\*")
_BEGINS_SOMETHING_ELSE = re.compile(r"#|\*[A-Z][^*]*\*|```|<!--")


@dataclass(frozen=True)
class Requirement:
    """One normative paragraph, with the list or table that belongs to it."""

    id: str
    level: str
    markdown: str
    where: str

    @property
    def text(self) -> str:
        """The paragraph as one line."""
        return " ".join(self.markdown.split())


def requirements(root: Path, folder: str = "spec") -> dict[str, Requirement]:
    """Return all requirements in the chapters of a tree, by id."""
    by_id: dict[str, Requirement] = {}
    for path in sorted((root / folder).glob("*.md")):
        for requirement in _requirements_of(path, f"{folder}/{path.name}"):
            by_id.setdefault(requirement.id, requirement)
    return by_id


_STRENGTH = re.compile(r"\b(?:(?:must|shall|should)(?: not)?|MAY(?: NOT)?|never)\b", re.I)
#: Lower-case ``may`` is not normative.
_AS_PROSE = re.compile(r"\bmay\b")


def strength(text: str) -> list[str]:
    """Return the normative words of a text in order, such as ``must`` and ``should not``."""
    return [word.lower() for word in _STRENGTH.findall(_AS_PROSE.sub("", text))]


def _requirements_of(path: Path, shown: str) -> Iterator[Requirement]:
    current: tuple[str, str, int] | None = None
    lines: list[str] = []
    fresh = True

    def finished() -> Iterator[Requirement]:
        if current is not None:
            text = "\n".join(lines).strip()
            yield Requirement(current[0], current[1], text, f"{shown}:{current[2]}")

    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if fresh and (mark := _MARK.match(line)):
            yield from finished()
            current, lines = (mark[1], mark[2], number), [line[mark.end() :]]
        elif fresh and _BEGINS_SOMETHING_ELSE.match(line):
            yield from finished()
            current, lines = None, []
        elif current is not None:
            lines.append(line)
        fresh = not line.strip()
    yield from finished()


def compare_requirements(
    old: Path, new: Path, vectors: Mapping[str, Mapping[str, Any]] | None = None
) -> Iterator[Finding]:
    """Yield a finding for each requirement that was added, removed or reworded, or whose level
    changed.

    ``vectors`` are the new vectors. The finding for a removed requirement lists the vectors that
    still cite it.
    """
    before, after = requirements(old), requirements(new)
    for id, old_requirement in before.items():
        new_requirement = after.get(id)
        if new_requirement is None:
            vectors_with_id = [
                name for name, body in (vectors or {}).items() if id in body["requirements"]
            ]
            change = f"“{old_requirement.text}”"
            if vectors_with_id:
                verb = "exercises" if len(vectors_with_id) == 1 else "exercise"
                change = f"{first_names(vectors_with_id)} still {verb} it: {change}"
            yield _text(
                "REQUIREMENT_REMOVED",
                "warning",
                id,
                change,
                "implementations that rely on it",
                old_requirement.where,
            )
            continue
        if old_requirement.level != new_requirement.level:
            yield _text(
                "REQUIREMENT_LEVEL",
                "warning",
                id,
                f"{old_requirement.level} → {new_requirement.level}",
                "implementations, whose conformance may change",
                new_requirement.where,
            )
        if old_requirement.text != new_requirement.text:
            norms = strength(old_requirement.text), strength(new_requirement.text)
            is_weighty = norms[0] != norms[1]
            change = f"“{old_requirement.text}” → “{new_requirement.text}”"
            if is_weighty:
                change = f"{_listed(norms[0])} → {_listed(norms[1])}: {change}"
            yield _text(
                "REQUIREMENT_REWORDED",
                "warning" if is_weighty else "note",
                id,
                change,
                "implementations, whose conformance may change"
                if is_weighty
                else "nobody, if the meaning is unchanged",
                new_requirement.where,
            )
    for id, new_requirement in after.items():
        if id not in before:
            yield _text(
                "REQUIREMENT_ADDED",
                "warning" if "MUST" in new_requirement.level else "note",
                id,
                f"{new_requirement.level}: “{new_requirement.text}”",
                "implementations that do not satisfy it yet",
                new_requirement.where,
            )


def _listed(norms: list[str]) -> str:
    return ", ".join(norms) or "not normative"


def compare_vectors(
    old: Mapping[str, Mapping[str, Any]], new: Mapping[str, Mapping[str, Any]]
) -> Iterator[Finding]:
    """Yield findings for vectors that were added, removed or changed."""
    removed = sorted(set(old) - set(new))
    added = sorted(set(new) - set(old))
    for id in removed:
        yield _text(
            "VECTOR_REMOVED",
            "warning",
            id,
            "removed",
            "implementations: this case is no longer tested",
            "",
        )
    for id in added:
        requirements = ", ".join(new[id]["requirements"])
        yield _text("VECTOR_ADDED", "note", id, f"for {requirements}", "nobody", _at(id))
    for id in sorted(set(old) & set(new)):
        yield from _same_vector(id, old[id], new[id])


def _same_vector(id: str, was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Finding]:
    lost = sorted(set(was["requirements"]) - set(now["requirements"]))
    added = sorted(set(now["requirements"]) - set(was["requirements"]))
    if lost or added:
        change = "; ".join(
            f"{word} {', '.join(ids)}" for word, ids in (("lost", lost), ("gained", added)) if ids
        )
        severity = "warning" if lost else "note"
        yield _text(
            "VECTOR_REQUIREMENT", severity, id, change, "the coverage of requirements", _at(id)
        )
    difference = _answers(was, now)
    if not difference:
        return
    if was["sha256"] != now["sha256"]:
        yield _text(
            "VECTOR_ANSWER",
            "note",
            id,
            f"different bytes and answer: {difference}",
            "nobody: the log itself changed",
            _at(id),
        )
        return
    damaged = now.get("control") is not None or now["kind"] in ("corrupt", "eof")
    class_: Class = "RECOVER" if damaged else "READ"
    yield Finding(
        "VECTOR_ANSWER", (class_,), "breaking", id, difference,
        "implementations that gave the old answer", _at(id), format=str(now["format"]),
    )  # fmt: skip


def _answers(was: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    differences = []
    for key in ("expect", "expect_strict"):
        if key in was and key in now:
            difference = describe({"answer": was[key]}, {"answer": now[key]})
            if difference and difference not in differences:
                differences.append(difference)
    if was.get("table") != now.get("table"):
        differences.append("different answers to its truncations")
    if was.get("accept") != now.get("accept"):
        differences.append("different additional answers are accepted")
    return "; ".join(differences)


def _at(id: str) -> str:
    return f"vectors/{id}.json"


def _text(
    rule: str, severity: Any, subject: str, change: str, hurts: str, location: str
) -> Finding:
    return Finding(rule, ("TEXT",), severity, subject, change, hurts, location)
