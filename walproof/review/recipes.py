"""Recipes that damage a field by a name that the new grammars do not have.

A vector says what its recipe did to the log (``made_by.damage``), in the words of the algebra:
``flip bit 3 of blocks[0].records[1].header.checksum``. The recipe stops there once the field is
called otherwise, or is gone; no byte is read in another way, and no reader is hurt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from walproof.review.behaviour import several
from walproof.review.finding import Finding
from walproof.review.grammar_model import Member, Model, Name, targets
from walproof.review.grammars import grammars_of
from walproof.review.structure import StructureDiff

_PATH = re.compile(r"(?<![\w./-])[a-z_]\w*(?:\[-?\d+\])*(?:\.[a-z_]\w*(?:\[-?\d+\])*)*")
_INDEX = re.compile(r"\[-?\d+\]")


def stale_recipes(
    diff: StructureDiff, bodies: Mapping[str, Mapping[str, Any]], format: str
) -> Iterator[Finding]:
    """A finding for each field that recipes of a format name and only the old grammars have.

    ``bodies`` are the new vectors of the format.
    """
    aimed: dict[tuple[Name, str], list[str]] = {}
    for id, body in sorted(bodies.items()):
        for member in _gone(diff, body, format):
            aimed.setdefault((member.owner, member.id), []).append(id)
    for (owner, name), ids in aimed.items():
        old = diff.old.classes[owner].member(name)
        assert old is not None, "it was found there"
        renamed = diff.pairing.rename(owner, name)
        owners = diff.pairing.classes
        kept = diff.new.classes[owners[owner]].member(renamed) if owner in owners else None
        many = f"{len(ids)} recipe{'s' * (len(ids) != 1)}"
        damage = f"damage{'s' * (len(ids) == 1)}"
        said = f"is `{renamed}` now" if kept else "is not there any more"
        cure = f"write `{renamed}` there" if kept else "aim at what is there instead"
        yield Finding(
            "RECIPE_FIELD", ("TEXT",), "warning", old.shown,
            f"{said}; {many} {damage} it by its old name: {several(ids)}",
            f"whoever makes the vectors: these recipes stop there; {cure}",
            diff.new.where(kept) if kept else diff.old.where(old), format=format,
        )  # fmt: skip


def _gone(diff: StructureDiff, body: Mapping[str, Any], format: str) -> Iterator[Member]:
    """The fields that one recipe names: those that the old grammars have and the new have not."""
    found: dict[tuple[Name, str], Member] = {}
    for operation in body["made_by"].get("damage", ()):
        for path in _PATH.findall(str(operation)):
            steps = _INDEX.sub("", path).split(".")
            old = _walked(diff.old, grammars_of(diff.old, format), steps)
            if not old or _walked(diff.new, grammars_of(diff.new, format), steps):
                continue
            # The first step that the new grammars lack: what stands inside of it is not the cause.
            for number in range(1, len(steps) + 1):
                if not _walked(diff.new, grammars_of(diff.new, format), steps[:number]):
                    for member in _walked(diff.old, grammars_of(diff.old, format), steps[:number]):
                        found[member.owner, member.id] = member
                    break
    yield from found.values()


def _walked(model: Model, grammars: list[str], steps: list[str]) -> list[Member]:
    """The fields that a path may lead to: several, where a switch has several types."""
    places: list[Name] = [(grammar,) for grammar in grammars]
    found: list[Member] = []
    for step in steps:
        members = [model.classes[place].member(step) for place in places if place in model.classes]
        found = [member for member in members if member is not None]
        places = [
            name
            for member in found
            for name, _ in targets(member.node.get("dataType") or member.node["dataTypeOpt"] or {})
        ]
    return found
