"""The bytes that an example is about, before and after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.contents import Contents, by_name
from walproof.review.logs import LogUnderReview

SHOWN = 8
"""Bytes that are shown of each side."""


def bytes_of(log: LogUnderReview, control: LogUnderReview | None) -> str:
    """Of a damaged log what the damage changed; of another one where the two answers part.

    Empty where no byte shows it: the answers differ in what is said of the log as a whole.
    """
    if control is not None:
        changed = first_change(control.contents, log.contents)
        if changed is not None:
            file, at = changed
            before, after = (_at(one, file, at) for one in (control.contents, log.contents))
            return f"bytes from {_place(file, at)}: {before} → {after}"
    place = _parting(log.answers.get("old", {}), log.answers.get("new", {}))
    if place is None:
        return ""
    file, at = place
    return f"bytes from {_place(file, at)}: {_at(log.contents, file, at)}"


def first_change(one: Contents, other: Contents) -> tuple[str, int] | None:
    """File and offset of the first byte that differs; None if none does."""
    old, new = by_name(one), by_name(other)
    for name in sorted(old.keys() | new.keys()):
        a, b = old.get(name, b""), new.get(name, b"")
        if a == b:
            continue
        pairs = enumerate(zip(a, b, strict=False))
        return name, next((at for at, (x, y) in pairs if x != y), min(len(a), len(b)))
    return None


def _parting(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, int] | None:
    """Where the first record or lost range is that only one of two answers has."""
    for part, start in (("records", "at"), ("lost", "from")):
        sides = [reply.get("answer", {}).get(part, []) for reply in (old, new)]
        for one in (*sides[0], *sides[1]):
            if not all(one in side for side in sides) and start in one:
                return str(one.get("file", "")), int(one[start])
    return None


def _at(contents: Contents, file: str, at: int) -> str:
    found = by_name(contents).get(file, b"")[at : at + SHOWN]
    return found.hex(" ") or "the end of the file"


def _place(file: str, at: int) -> str:
    return f"{at} of {file}" if file else str(at)
