"""The requirements that grammars cite (``-requirement``), which the compiler does not see."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Any

from walproof.review.finding import Finding, Severity
from walproof.review.grammar_model import Member, Model, Name
from walproof.review.structure import StructureDiff

KEY = "-requirement"


def compare_citations(
    diff: StructureDiff, known: Set[str], gone: Set[str] = frozenset()
) -> Iterator[Finding]:
    """Fields and instances that cite other requirements, or one that no chapter has (any more).

    ``known`` are the ids of the new chapters, ``gone`` those that only the old ones have.
    """
    paired: set[tuple[Name, str]] = set()
    for old, new in _pairs(diff):
        paired.add((new.owner, new.id))
        before, after = cited(diff.old, old), cited(diff.new, new)
        if before != after:
            yield _citation(diff.new, new, before, after, known)
        elif left := sorted(after & gone):
            yield Finding(
                "CITATION", ("TEXT",), "warning", new.shown, f"still cites {', '.join(left)}",
                "readers of the grammar: the requirement was removed", diff.new.where(new, KEY),
            )  # fmt: skip
    for kind in diff.new.classes.values():
        for member in (*kind.seq, *kind.instances.values()):
            after = cited(diff.new, member)
            if (member.owner, member.id) not in paired and not after <= known:
                yield _citation(diff.new, member, set(), after, known)


def cited(model: Model, member: Member) -> set[str]:
    """The requirements that a member cites."""
    said: Any = model.written(member).get(KEY, ())
    return {said} if isinstance(said, str) else {str(one) for one in said}


def _pairs(diff: StructureDiff) -> Iterator[tuple[Member, Member]]:
    for a, b in diff.pairing.classes.items():
        yield from diff.pairing.alignments[a].pairs
        instances = diff.new.classes[b].instances
        for id, old in diff.old.classes[a].instances.items():
            if new := instances.get(diff.pairing.rename(a, id)):
                yield old, new


def _citation(
    model: Model, member: Member, before: set[str], after: set[str], known: Set[str]
) -> Finding:
    change = "; ".join(
        f"{word} {', '.join(sorted(ids))}"
        for word, ids in (("no longer cites", before - after), ("cites", after - before))
        if ids
    )
    severity: Severity = "note"
    hurts = "nobody: no byte is read in another way"
    if unknown := sorted(after - before - known):
        severity, hurts = "warning", f"readers of the grammar: no chapter has {', '.join(unknown)}"
    elif before and not after:
        severity, hurts = "warning", "readers of the grammar: nothing says what the field means"
    where = model.where(member, *([KEY] if after else []))
    return Finding("CITATION", ("TEXT",), severity, member.shown, change, hurts, where)
