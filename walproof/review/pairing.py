"""Pair the types, fields and enums of the old grammars with those of the new ones.

Fields are paired by name or position, and types by the fields that use them. Renaming a type or
reordering keys is therefore not a change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from walproof.review.expression import ExpressionReader
from walproof.review.facets import FacetReader
from walproof.review.grammar_model import Class, Member, Model, Name, Node, target

T = TypeVar("T")


@dataclass
class Alignment:
    """Pairs of fields of one type.

    ``pairs`` are in the new order; ``moved`` are new fields that swapped positions with others.
    """

    pairs: list[tuple[Member, Member]] = field(default_factory=list)
    moved: set[str] = field(default_factory=set)
    removed: list[Member] = field(default_factory=list)
    added: list[Member] = field(default_factory=list)


class Pairing:
    """The pairs of two models. ``classes`` and ``enums`` map old names to new ones."""

    def __init__(self, old: Model, new: Model) -> None:
        self.old, self.new = old, new
        self.classes: dict[Name, Name] = {}
        self.enums: dict[Name, Name] = {}
        self.alignments: dict[Name, Alignment] = {}
        self._ids: dict[tuple[Name, str], str] = {}
        self.tops = _pair_tops(old, new)
        # Names without renaming: enough to recognise enum values in the cases of a switch.
        self._old_plain = FacetReader(old, ExpressionReader(old, lambda _, name: name))
        self._new_plain = FacetReader(new, ExpressionReader(new, lambda _, name: name))
        waiting: list[tuple[Name, Name]] = [((a,), (b,)) for a, b in self.tops.items()]
        while waiting:
            self._pair_class(*waiting.pop(0), waiting)
            if not waiting:
                waiting += self._left_by_name()
        for name in old.enums:
            if name not in self.enums and self._moved_name(name) in new.enums:
                self.enums[name] = self._moved_name(name)

    def rename(self, owner: Name | None, name: str) -> str:
        """Return the new name of a member of an old type; without a type, if all types agree."""
        if owner is not None:
            return self._ids.get((owner, name), name)
        news = {new for (_, old), new in self._ids.items() if old == name}
        return news.pop() if len(news) == 1 else name

    def note_rename(self, old: Member, new: Member) -> None:
        """Add a pair of instances that was found by comparing them."""
        self._ids[old.owner, old.id] = new.id

    def _pair_class(self, a: Name, b: Name, waiting: list[tuple[Name, Name]]) -> None:
        if a in self.classes or a not in self.old.classes or b not in self.new.classes:
            return
        if b in self.classes.values():
            return
        self.classes[a] = b
        old_class, new_class = self.old.classes[a], self.new.classes[b]
        alignment = align(old_class.seq, new_class.seq)
        self._part(alignment)
        self.alignments[a] = alignment
        instances = [
            (i, new_class.instances[id])
            for id, i in old_class.instances.items()
            if id in new_class.instances
        ]
        for old, new in (
            *alignment.pairs,
            *instances,
            *zip(old_class.params, new_class.params, strict=False),
        ):
            self._ids[old.owner, old.id] = new.id
            if old.role != "value" and new.role != "value":
                self._pair_types(old.node["dataType"], new.node["dataType"], a, b, waiting)

    def _part(self, alignment: Alignment) -> None:
        """Separate pairs of renamed fields whose types are different types."""
        for old, new in list(alignment.pairs):
            a, b = (target(member.node["dataType"]) for member in (old, new))
            if old.id == new.id or not a or not b:
                continue
            if not self._may_be(a, b, self.old.classes, self.new.classes):
                alignment.pairs.remove((old, new))
                alignment.removed.append(old)
                alignment.added.append(new)

    def _pair_types(
        self, a: Node, b: Node, owner: Name, new_owner: Name, waiting: list[tuple[Name, Name]]
    ) -> None:
        node_types = (a["_"], b["_"])
        if node_types == ("SwitchType", "SwitchType"):
            keys = {self._new_plain.case(key, new_owner): case for key, case in b["cases"]}
            for key, case in a["cases"]:
                if (value := self._old_plain.case(key, owner)) in keys:
                    self._pair_types(case, keys[value], owner, new_owner, waiting)
        elif node_types == ("EnumType", "EnumType"):
            old_enum, new_enum = tuple(a["enumSpec"]["name"]), tuple(b["enumSpec"]["name"])
            if self._may_be(old_enum, new_enum, self.old.enums, self.new.enums):
                self.enums.setdefault(old_enum, new_enum)
        else:
            old_type, new_type = target(a), target(b)
            if (
                old_type
                and new_type
                and self._may_be(old_type, new_type, self.old.classes, self.new.classes)
            ):
                waiting.append((old_type, new_type))

    def _may_be(
        self, a: Name, b: Name, olds: dict[Name, Class] | dict[Name, dict[int, str]],
        news: dict[Name, Class] | dict[Name, dict[int, str]],
    ) -> bool:  # fmt: skip
        """Return whether a type may be the same: a name that both sides have refers to one type."""
        if self._moved_name(a) == b:
            return True
        return self._moved_name(a) not in news and not any(self._moved_name(n) == b for n in olds)

    def _moved_name(self, name: Name) -> Name:
        return (self.tops.get(name[0], name[0]), *name[1:])

    def _left_by_name(self) -> Iterator[tuple[Name, Name]]:
        paired = set(self.classes.values())
        for name in self.old.classes:
            moved = self._moved_name(name)
            if name not in self.classes and moved in self.new.classes and moved not in paired:
                yield name, moved


def align(old: Sequence[Member], new: Sequence[Member]) -> Alignment:
    """Pair fields by name in order, then by position and shape, then by name only."""
    anchors = _longest_common_subsequence(
        [m.id for m in old if not m.unnamed], [m.id for m in new if not m.unnamed]
    )
    alignment = Alignment()
    pairs: dict[int, int] = {}
    i = j = 0
    for anchor in (*anchors, None):
        end_i = _index(old, anchor, i)
        end_j = _index(new, anchor, j)
        pairs |= _renamed(old, new, range(i, end_i), range(j, end_j))
        if anchor is not None:
            pairs[end_i] = end_j
        i, j = end_i + 1, end_j + 1
    remaining = {m.id: n for n, m in enumerate(new) if n not in pairs.values() and not m.unnamed}
    for n, member in enumerate(old):
        if n not in pairs and not member.unnamed and member.id in remaining:
            pairs[n] = remaining[member.id]
            alignment.moved.add(member.id)
    backwards = {b: a for a, b in pairs.items()}
    alignment.pairs = [(old[backwards[n]], new[n]) for n in sorted(backwards)]
    alignment.removed = [member for n, member in enumerate(old) if n not in pairs]
    alignment.added = [member for n, member in enumerate(new) if n not in backwards]
    return alignment


def _renamed(
    old: Sequence[Member], new: Sequence[Member], olds: range, news: range
) -> dict[int, int]:
    """Pair renamed fields between two unchanged fields, by shape or as the only candidates."""
    old_ids = {m.id for m in old}
    new_ids = {m.id for m in new}
    a = [n for n in olds if old[n].unnamed or old[n].id not in new_ids]
    b = [n for n in news if new[n].unnamed or new[n].id not in old_ids]
    if len(a) == len(b) == 1 and _type_group(old[a[0]]) == _type_group(new[b[0]]):
        return {a[0]: b[0]}
    shapes = ([_shape(old[n]) for n in a], [_shape(new[n]) for n in b])
    pairs = {}
    start = 0
    for shape in _longest_common_subsequence(*shapes):
        at = shapes[1].index(shape, start)
        start = at + 1
        first = next(n for n in a if n not in pairs and _shape(old[n]) == shape)
        # Fields of the same shape count as renamed only if the whole gap has equal length.
        if len(a) == len(b) or old[first].unnamed:
            pairs[first] = b[at]
    return pairs


def _type_group(member: Member) -> str:
    node_type = str(member.node["dataType"]["_"])
    return (
        "Int"
        if node_type.startswith("Int")
        else "Bytes"
        if node_type.startswith("Bytes")
        else node_type
    )


def _shape(member: Member) -> tuple[str, str]:
    """Return type, width and size as written, which a renamed field keeps."""
    node = member.node["dataType"]
    return _type_group(member), repr([node.get("width"), node.get("size"), node.get("name")])


def _longest_common_subsequence(first: list[T], second: list[T]) -> list[T]:
    """Return the longest common subsequence."""
    best = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i in range(len(first) - 1, -1, -1):
        for j in range(len(second) - 1, -1, -1):
            equal = first[i] == second[j]
            best[i][j] = best[i + 1][j + 1] + 1 if equal else max(best[i + 1][j], best[i][j + 1])
    i = j = 0
    common = []
    while i < len(first) and j < len(second):
        if first[i] == second[j]:
            common.append(first[i])
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return common


def _index(members: Sequence[Member], id: object, start: int) -> int:
    if id is None:
        return len(members)
    return next(n for n in range(start, len(members)) if members[n].id == id)


def _pair_tops(old: Model, new: Model) -> dict[str, str]:
    """Pair grammars by name; a single missing and a single new grammar count as renamed."""
    pairs = {name: name for name in old.tops if name in new.tops}
    removed = [name for name in old.tops if name not in pairs]
    added = [name for name in new.tops if name not in pairs]
    if len(removed) == len(added) == 1:
        pairs[removed[0]] = added[0]
    return pairs
