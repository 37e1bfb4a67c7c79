"""Compare the text of the specification."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from conformance.chapter import Requirement, chapter
from walproof.review.finding import Finding, Severity

_STRENGTH = re.compile(r"\b(?:(?:must|shall|should)(?: not)?|MAY(?: NOT)?|never)\b", re.I)
#: Lower-case ``may`` is not normative.
_AS_PROSE = re.compile(r"\bmay\b")


def strength(text: str) -> list[str]:
    """Return the normative words of a text in order, such as ``must`` and ``should not``."""
    return [word.lower() for word in _STRENGTH.findall(_AS_PROSE.sub("", text))]


def _requirements(root: Path) -> dict[str, Requirement]:
    return {
        id: requirement
        for path in sorted((root / "spec").glob("*.md"))
        for id, requirement in chapter(path.stem, path.parent).requirements.items()
    }


def _full_text(requirement: Requirement) -> str:
    return " ".join(requirement.markdown.split())


def compare_requirements(old: Path, new: Path) -> Iterator[Finding]:
    """Yield a finding for each requirement that was added, removed, reworded or has a new level."""
    before, after = _requirements(old), _requirements(new)
    conformance = "implementations, whose conformance may change"
    for id, was in before.items():
        now = after.get(id)
        if now is None:
            yield _text("REQUIREMENT_REMOVED", "warning", id, f"“{_full_text(was)}”",
                        "implementations that rely on it", was.where)  # fmt: skip
            continue
        if was.level != now.level:
            yield _text("REQUIREMENT_LEVEL", "warning", id, f"{was.level} → {now.level}",
                        conformance, now.where)  # fmt: skip
        texts = _full_text(was), _full_text(now)
        if texts[0] != texts[1]:
            norms = [", ".join(strength(text)) or "not normative" for text in texts]
            is_weighty = norms[0] != norms[1]
            yield _text(
                "REQUIREMENT_REWORDED", "warning" if is_weighty else "note", id,
                f"{norms[0]} → {norms[1]}: " * is_weighty + f"“{texts[0]}” → “{texts[1]}”",
                conformance if is_weighty else "nobody, if the meaning is unchanged", now.where,
            )  # fmt: skip
    for id, now in after.items():
        if id not in before:
            severity: Severity = "warning" if "MUST" in now.level else "note"
            yield _text("REQUIREMENT_ADDED", severity, id, f"{now.level}: “{_full_text(now)}”",
                        "implementations that do not satisfy it yet", now.where)  # fmt: skip


def _text(
    rule: str, severity: Severity, subject: str, change: str, hurts: str, where: str
) -> Finding:
    return Finding(rule, ("TEXT",), severity, subject, change, hurts, where)
