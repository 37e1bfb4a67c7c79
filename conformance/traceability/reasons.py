"""Reason codes: a closed list per format, each defined by a requirement and used by a vector."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.traceability.tree import Found, Tree
from conformance.vectors import Vector

VERDICT_OF_KIND = {"torn": "torn", "damage": "damaged", "refused": "refused"}


def undefined_reason(tree: Tree) -> Iterator[Found]:
    """Report reason codes that the chapter does not list, or not for the vector's verdict."""
    for vector in tree.vectors.values():
        chapter = tree.chapter_of(vector)
        reasons = chapter.reasons if chapter else {}
        for verdict, code in sorted(_codes(vector)):
            if code not in reasons:
                yield vector.id, f"the chapter's table of reason codes does not list {code}"
            elif verdict and verdict not in _verdicts(reasons[code][0]):
                yield vector.id, f"{verdict} for {code}, which the chapter calls {reasons[code][0]}"


def unused_reason(tree: Tree) -> Iterator[Found]:
    """Report codes of a chapter's table that no vector uses or no requirement defines."""
    for chapter in tree.chapters.values():
        vectors = [v for v in tree.vectors.values() if v.body["format"] == chapter.format]
        used = {code for vector in vectors for _, code in _codes(vector)}
        for code, (_, cited) in chapter.reasons.items():
            if code not in used:
                yield tree.show(chapter.path), f"no vector uses the reason code {code}"
            if not set(cited) & chapter.ids:
                yield tree.show(chapter.path), f"no requirement defines the reason code {code}"


def _verdicts(kinds: str) -> set[str | None]:
    """Return the verdicts that a cell such as ``torn, damage`` allows."""
    return {VERDICT_OF_KIND.get(kind.strip()) for kind in kinds.split(",")}


def _codes(vector: Vector) -> set[tuple[str, str]]:
    """Return the reason codes of a vector with their verdicts; "" for a lost range."""
    body = vector.body
    answers = [body["expect"], body.get("expect_strict"), *body.get("table", ())]
    for entry in body.get("accept", ()):
        answers += [entry["answer"], entry.get("answer_strict")]
    codes = {("", gap["reason"]) for answer in answers if answer for gap in answer.get("lost", ())}
    codes |= {(answer["verdict"], answer["reason"]) for answer in answers if answer}
    return {(verdict, code) for verdict, code in codes if code is not None}
