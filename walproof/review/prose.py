"""Compare the chapters and the registers of the specification."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from conformance.chapter import Requirement, chapter
from walproof.explain import failures_of
from walproof.review.finding import ReviewFinding, Severity

_STRENGTH = re.compile(r"\b(?:(?:must|shall|should)(?: not)?|MAY(?: NOT)?|never)\b", re.I)
#: Lower-case ``may`` is not normative, so remove it before the search.
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


def _evidence(id: str, format: str, root: Path) -> str:
    """Describe which vectors exercise a requirement, and which readers are known to fail them."""
    files = sorted((root / "vectors" / format).glob("*.json"))
    bodies = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    ids = [body["id"] for body in bodies if id in body.get("requirements", ())]
    vectors = ", ".join(id.partition("/")[2] for id in ids[:3]) + ", …" * (len(ids) > 3)
    readers = ", ".join(failures_of(set(ids)))
    text = f"; vectors: {len(ids)} ({vectors})" if ids else ""
    return f"{text}; known to fail them: {readers}" if readers else text


def _full_text(requirement: Requirement) -> str:
    return " ".join(requirement.markdown.split())


def compare_requirements(old: Path, new: Path) -> Iterator[ReviewFinding]:
    """Yield a finding for each requirement that was added, removed or changed."""
    before, after = _requirements(old), _requirements(new)
    for id, was in before.items():
        now = after.get(id)
        if now is None:
            yield _text("REQUIREMENT_REMOVED", "warning", id, f"“{_full_text(was)}”",
                        "implementations that rely on it", was.where)  # fmt: skip
            continue
        texts = _full_text(was), _full_text(now)
        if (was.level, texts[0]) == (now.level, texts[1]):
            continue
        evidence = _evidence(id, Path(now.where).name.partition(".")[0], new)
        conformance = f"implementations, whose conformance may change{evidence}"
        if was.level != now.level:
            yield _text("REQUIREMENT_LEVEL", "warning", id, f"{was.level} → {now.level}",
                        conformance, now.where)  # fmt: skip
        if texts[0] != texts[1]:
            norms = [", ".join(strength(text)) or "not normative" for text in texts]
            is_weighty = norms[0] != norms[1]
            yield _text(
                "REQUIREMENT_REWORDED", "warning" if is_weighty else "note", id,
                f"{norms[0]} → {norms[1]}: " * is_weighty + word_difference(*texts),
                conformance if is_weighty else f"nobody, if the meaning is unchanged{evidence}",
                now.where,
            )  # fmt: skip
    for id, now in after.items():
        if id not in before:
            severity: Severity = "warning" if "MUST" in now.level else "note"
            yield _text("REQUIREMENT_ADDED", severity, id, f"{now.level}: “{_full_text(now)}”",
                        "implementations that do not satisfy it yet", now.where)  # fmt: skip


def word_difference(old: str, new: str) -> str:
    """Return the new text with removed words as ``[-…-]`` and added words as ``{+…+}``.

    At most three unchanged words surround each change.
    """
    a, b = old.split(), new.split()
    opcodes = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    parts = []
    for number, (operation, i, end_i, j, end_j) in enumerate(opcodes):
        if operation == "equal":
            before = a[i:end_i][: 3 * (number > 0)]
            after = a[i + len(before) : end_i][-3:] if number + 1 < len(opcodes) else []
            gap = ["…"] * (len(before) + len(after) < end_i - i)
            parts += [*before, *gap, *after]
        else:
            parts += [f"[-{' '.join(a[i:end_i])}-]"] * (i < end_i)
            parts += [f"{{+{' '.join(b[j:end_j])}+}}"] * (j < end_j)
    return " ".join(parts)


def compare_registers(old: Path, new: Path) -> Iterator[ReviewFinding]:
    """Yield a finding for each register entry that differs, such as a reason code, field or key."""
    names = [{path.name for path in (root / "spec").glob("*.toml")} for root in (old, new)]
    for name in sorted(names[0] & names[1]):
        was, now = (_entries(root / "spec" / name) for root in (old, new))
        for entry in sorted(was.keys() | now.keys()):
            if was.get(entry) != now.get(entry):
                severity: Severity = "note" if entry in now else "warning"
                change = word_difference(str(was.get(entry, "")), str(now.get(entry, "")))
                yield _text("REGISTER_CHANGED", severity, entry, change,
                            "programs that use the register", f"spec/{name}")  # fmt: skip


def _entries(register: Path) -> dict[str, Any]:
    """Return the entries of a register by name, such as ``reasons.zero-gap``."""
    entries: dict[str, Any] = {}
    for section, body in tomllib.loads(register.read_text("utf-8")).items():
        if isinstance(body, dict):
            entries |= {f"{section}.{name}": value for name, value in body.items()}
        else:
            entries[section] = body
    return entries


def _text(
    rule: str, severity: Severity, subject: str, change: str, hurts: str, where: str
) -> ReviewFinding:
    return ReviewFinding(rule, ("TEXT",), severity, subject, change, hurts, where)
