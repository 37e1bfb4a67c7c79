"""Which type, field and enum of the old grammars is which of the new ones.

Fields keep their name or their place, types are found through the fields that use them: a type
under another name, or keys in another order, are not a change.
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
    """The fields of one type, old against new.

    ``pairs`` are in the new order; ``moved`` are new fields that changed places with others.
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
        # Names as they stand: enough to recognise the values of enums in the cases of a switch.
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
        """New name of a member of an old type; without a type, if all types agree on it."""
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
        one, other = self.old.classes[a], self.new.classes[b]
        alignment = align(one.seq, other.seq)
        self._part(alignment)
        self.alignments[a] = alignment
        same = [
            (i, other.instances[id]) for id, i in one.instances.items() if id in other.instances
        ]
        for old, new in (*alignment.pairs, *same, *zip(one.params, other.params, strict=False)):
            self._ids[old.owner, old.id] = new.id
            if old.role != "value" and new.role != "value":
                self._pair_types(old.node["dataType"], new.node["dataType"], a, b, waiting)

    def _part(self, alignment: Alignment) -> None:
        """Undo pairs of fields under two names whose types are known to be two types."""
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
        kinds = (a["_"], b["_"])
        if kinds == ("SwitchType", "SwitchType"):
            keys = {self._new_plain.case(key, new_owner): case for key, case in b["cases"]}
            for key, case in a["cases"]:
                if (wanted := self._old_plain.case(key, owner)) in keys:
                    self._pair_types(case, keys[wanted], owner, new_owner, waiting)
        elif kinds == ("EnumType", "EnumType"):
            one, other = tuple(a["enumSpec"]["name"]), tuple(b["enumSpec"]["name"])
            if self._may_be(one, other, self.old.enums, self.new.enums):
                self.enums.setdefault(one, other)
        else:
            was, now = target(a), target(b)
            if was and now and self._may_be(was, now, self.old.classes, self.new.classes):
                waiting.append((was, now))

    def _may_be(
        self, a: Name, b: Name, olds: dict[Name, Class] | dict[Name, dict[int, str]],
        news: dict[Name, Class] | dict[Name, dict[int, str]],
    ) -> bool:  # fmt: skip
        """A name that both sides still know stands for itself; others may have been renamed."""
        if self._moved_name(a) == b:
            return True
        return self._moved_name(a) not in news and not any(self._moved_name(n) == b for n in olds)

    def _moved_name(self, name: Name) -> Name:
        return (self.tops.get(name[0], name[0]), *name[1:])

    def _left_by_name(self) -> Iterator[tuple[Name, Name]]:
        taken = set(self.classes.values())
        for name in self.old.classes:
            moved = self._moved_name(name)
            if name not in self.classes and moved in self.new.classes and moved not in taken:
                yield name, moved


def align(old: Sequence[Member], new: Sequence[Member]) -> Alignment:
    """Pair fields by name in order, then by place and shape, then by name only."""
    anchors = _common([m.id for m in old if not m.unnamed], [m.id for m in new if not m.unnamed])
    found = Alignment()
    pairs: dict[int, int] = {}
    i = j = 0
    for anchor in (*anchors, None):
        end_i = _index(old, anchor, i)
        end_j = _index(new, anchor, j)
        pairs |= _renamed(old, new, range(i, end_i), range(j, end_j))
        if anchor is not None:
            pairs[end_i] = end_j
        i, j = end_i + 1, end_j + 1
    left = {m.id: n for n, m in enumerate(new) if n not in pairs.values() and not m.unnamed}
    for n, member in enumerate(old):
        if n not in pairs and not member.unnamed and member.id in left:
            pairs[n] = left[member.id]
            found.moved.add(member.id)
    backwards = {b: a for a, b in pairs.items()}
    found.pairs = [(old[backwards[n]], new[n]) for n in sorted(backwards)]
    found.removed = [member for n, member in enumerate(old) if n not in pairs]
    found.added = [member for n, member in enumerate(new) if n not in backwards]
    return found


def _renamed(
    old: Sequence[Member], new: Sequence[Member], olds: range, news: range
) -> dict[int, int]:
    """Between two fields that kept their names: fields of one shape in order, or one for one."""
    kept_old = {m.id for m in old}
    kept_new = {m.id for m in new}
    a = [n for n in olds if old[n].unnamed or old[n].id not in kept_new]
    b = [n for n in news if new[n].unnamed or new[n].id not in kept_old]
    if len(a) == len(b) == 1 and _kind(old[a[0]]) == _kind(new[b[0]]):
        return {a[0]: b[0]}
    shapes = ([_shape(old[n]) for n in a], [_shape(new[n]) for n in b])
    pairs = {}
    start = 0
    for shape in _common(*shapes):
        at = shapes[1].index(shape, start)
        start = at + 1
        first = next(n for n in a if n not in pairs and _shape(old[n]) == shape)
        # Two numbers of four bytes are one field renamed only if the rest of the gap agrees.
        if len(a) == len(b) or old[first].unnamed:
            pairs[first] = b[at]
    return pairs


def _kind(member: Member) -> str:
    kind = str(member.node["dataType"]["_"])
    return "Int" if kind.startswith("Int") else "Bytes" if kind.startswith("Bytes") else kind


def _shape(member: Member) -> tuple[str, str]:
    """Kind, width and size as written; what a field keeps when it only gets another name."""
    node = member.node["dataType"]
    return _kind(member), repr([node.get("width"), node.get("size"), node.get("name")])


def _common(one: list[T], other: list[T]) -> list[T]:
    """The longest common subsequence."""
    best = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one) - 1, -1, -1):
        for j in range(len(other) - 1, -1, -1):
            same = one[i] == other[j]
            best[i][j] = best[i + 1][j + 1] + 1 if same else max(best[i + 1][j], best[i][j + 1])
    i = j = 0
    found = []
    while i < len(one) and j < len(other):
        if one[i] == other[j]:
            found.append(one[i])
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return found


def _index(members: Sequence[Member], id: object, start: int) -> int:
    if id is None:
        return len(members)
    return next(n for n in range(start, len(members)) if members[n].id == id)


def _pair_tops(old: Model, new: Model) -> dict[str, str]:
    """Grammars by name; if one is gone and one is new, and no others, it was renamed."""
    pairs = {name: name for name in old.tops if name in new.tops}
    gone = [name for name in old.tops if name not in pairs]
    come = [name for name in new.tops if name not in pairs]
    if len(gone) == len(come) == 1:
        pairs[gone[0]] = come[0]
    return pairs
