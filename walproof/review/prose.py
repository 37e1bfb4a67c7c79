"""What a change does to the specification as text: requirements and vectors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from walproof.review.behaviour import describe, several
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
    """All requirements of the chapters of a tree, by id."""
    by_id: dict[str, Requirement] = {}
    for path in sorted((root / folder).glob("*.md")):
        for requirement in _requirements_of(path, f"{folder}/{path.name}"):
            by_id.setdefault(requirement.id, requirement)
    return by_id


_STRENGTH = re.compile(r"\b(?:(?:must|shall|should)(?: not)?|MAY(?: NOT)?|never)\b", re.I)
_AS_PROSE = re.compile(r"\bmay\b")
"""In lower case this is no word of a norm."""


def strength(text: str) -> list[str]:
    """The words of a norm in a text, in order: ``must``, ``should not`` and the like."""
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
    """Requirements that were added, removed, reworded or given another level.

    ``vectors`` are those of the new side: one that is removed names those that still exercise it.
    """
    before, after = requirements(old), requirements(new)
    for id, was in before.items():
        now = after.get(id)
        if now is None:
            left = [name for name, body in (vectors or {}).items() if id in body["requirements"]]
            said = f"“{was.text}”"
            if left:
                said = f"{several(left)} still exercise{'s' * (len(left) == 1)} it: {said}"
            yield _text("REQUIREMENT_REMOVED", "warning", id, said,
                        "implementations that rely on it", was.where)  # fmt: skip
            continue
        if was.level != now.level:
            yield _text("REQUIREMENT_LEVEL", "warning", id, f"{was.level} → {now.level}",
                        "implementations, whose conformance may change", now.where)  # fmt: skip
        if was.text != now.text:
            words = strength(was.text), strength(now.text)
            is_weighty = words[0] != words[1]
            said = f"“{was.text}” → “{now.text}”"
            if is_weighty:
                said = f"{_listed(words[0])} → {_listed(words[1])}: {said}"
            yield _text("REQUIREMENT_REWORDED", "warning" if is_weighty else "note", id, said,
                        "implementations, whose conformance may change" if is_weighty
                        else "nobody, if it means the same", now.where)  # fmt: skip
    for id, now in after.items():
        if id not in before:
            yield _text("REQUIREMENT_ADDED", "warning" if "MUST" in now.level else "note", id,
                        f"{now.level}: “{now.text}”",
                        "implementations that do not meet it yet", now.where)  # fmt: skip


def _listed(words: list[str]) -> str:
    return ", ".join(words) or "no norm"


def compare_vectors(
    old: Mapping[str, Mapping[str, Any]], new: Mapping[str, Mapping[str, Any]]
) -> Iterator[Finding]:
    """Vectors that were added or removed, answer differently, or exercise other requirements."""
    gone = sorted(set(old) - set(new))
    come = sorted(set(new) - set(old))
    for id in gone:
        yield _text("VECTOR_REMOVED", "warning", id, "removed",
                    "implementations: what it showed is no longer checked", "")  # fmt: skip
    for id in come:
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
        yield _text("VECTOR_REQUIREMENT", severity, id, change,
                    "whoever counts on the coverage of a requirement", _at(id))  # fmt: skip
    how = _answers(was, now)
    if not how:
        return
    if was["sha256"] != now["sha256"]:
        yield _text("VECTOR_ANSWER", "note", id, f"other bytes, and another answer: {how}",
                    "nobody: it is another log now", _at(id))  # fmt: skip
        return
    damaged = now.get("control") is not None or now["kind"] in ("corrupt", "eof")
    who: Class = "RECOVER" if damaged else "READ"
    yield Finding(
        "VECTOR_ANSWER", (who,), "breaking", id, how,
        "implementations that gave the old answer", _at(id), format=str(now["format"]),
    )  # fmt: skip


def _answers(was: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    differences = []
    for key in ("expect", "expect_strict"):
        if key in was and key in now:
            how = describe({"answer": was[key]}, {"answer": now[key]})
            if how and how not in differences:
                differences.append(how)
    if was.get("table") != now.get("table"):
        differences.append("other answers to its truncations")
    if was.get("accept") != now.get("accept"):
        differences.append("other answers are accepted besides")
    return "; ".join(differences)


def _at(id: str) -> str:
    return f"vectors/{id}.json"


def _text(rule: str, severity: Any, subject: str, change: str, hurts: str, where: str) -> Finding:
    return Finding(rule, ("TEXT",), severity, subject, change, hurts, where)
