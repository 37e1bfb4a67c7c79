"""What a change to the grammars does, from their resolved models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

from walproof.review.expression import ExpressionReader
from walproof.review.facets import FacetReader, Facets
from walproof.review.finding import Class, Finding, Severity, in_order
from walproof.review.grammar_model import Member, Model, Name
from walproof.review.layout import (
    bounded,
    depends_on_position,
    flattened,
    inlined,
    may_be_absent,
    names_in,
    replaced,
    takes_what_is_left,
)
from walproof.review.members import BOTH, MemberDiff, is_coverage
from walproof.review.pairing import Alignment, Pairing

PUSHED = "old readers misread all that follows in new logs, new readers in old ones"
_RESERVED = ("reserved", "unused", "padding", "pad", "unknown", "spare", "filler")


class StructureDiff:
    """The findings between two models, and which member of one is which of the other."""

    def __init__(self, old: Model, new: Model) -> None:
        self.old, self.new = old, new
        self.pairing = Pairing(old, new)
        self._read_old = FacetReader(old, ExpressionReader(old, self.pairing.rename))
        self._read_new = FacetReader(new, ExpressionReader(new, lambda _, name: name))
        self._members = MemberDiff(old, new, self._same_type, self._same_enum)
        self._regrouped: set[Name] = set()
        self.spared: set[tuple[Name, str]] = set()
        """Reserved fields of the old model that others took bytes of: no value to compare."""
        self.grown: set[tuple[Name, str]] = set()
        """Fields of the new model that take whatever is left, before which others were added."""
        self.findings = in_order(self._findings())

    def _findings(self) -> Iterator[Finding]:
        yield from self._grammars()
        pairs = list(self.pairing.classes.items())
        for a, b in pairs:
            yield from self._instance_names(a, b)
        for a, b in pairs:
            if a not in self._regrouped and self._is_regrouped(a, b):
                yield self._regrouping(b)
        for a, b in pairs:
            if a not in self._regrouped:
                yield from self._fields(a, b)
            yield from self._instances(a, b)
        for one, other in self.pairing.enums.items():
            yield from compare_enums(self.old, self.new, one, other)

    def _grammars(self) -> Iterator[Finding]:
        for name in self.old.tops:
            if name not in self.pairing.tops:
                yield Finding(
                    "GRAMMAR_REMOVED", ("API",), "warning", name, "removed",
                    "users of its parsers", self.old.place(name, ()),
                )  # fmt: skip
        for name in self.new.tops:
            if name not in self.pairing.tops.values():
                where = self.new.place(name, ())
                yield Finding("GRAMMAR_ADDED", ("API",), "note", name, "added", "nobody", where)

    # -- fields --------------------------------------------------------------------------------

    def _fields(self, a: Name, b: Name) -> Iterator[Finding]:
        alignment = self.pairing.alignments[a]
        reshaped = self._reshaped(a, b, alignment)
        yield from reshaped.findings
        for old, new in alignment.pairs:
            if new not in reshaped.added:
                yield from self._pair(old, new)
            if new.id in alignment.moved:
                where = self.new.where(new)
                yield Finding(
                    "FIELD_MOVED", BOTH, "breaking", new.shown, "stands elsewhere among its"
                    " neighbours", PUSHED, where,
                )  # fmt: skip
        for member in alignment.removed:
            if member not in reshaped.removed:
                yield self._removed(member)
        for member in alignment.added:
            if member not in reshaped.added:
                yield self._added(member)
        old_params, new_params = self.old.classes[a].params, self.new.classes[b].params
        if len(old_params) != len(new_params):
            yield Finding(
                "PARAMETERS_CHANGED", ("API",), "note", b[-1],
                f"{len(old_params)} → {len(new_params)} parameters",
                "programs that make the type themselves",
                self.new.place(b[0], self.new.classes[b].path),
            )  # fmt: skip

    def _pair(self, old: Member, new: Member) -> Iterator[Finding]:
        yield from self._members.compare(old, new, self._read_old.of(old), self._read_new.of(new))

    def _added(self, member: Member) -> Finding:
        facets = self._read_new.of(member)
        followed = self._followed(self.new, member, {m.id for m in self._old_ids(member)})
        return self._come_or_gone(member, facets, self.new, followed, added=True)

    def _removed(self, member: Member) -> Finding:
        facets = self._read_old.of(member)
        news = self.pairing.alignments[member.owner].pairs
        followed = self._followed(self.old, member, {old.id for old, _ in news})
        return self._come_or_gone(member, facets, self.old, followed, added=False)

    def _old_ids(self, member: Member) -> list[Member]:
        """Fields of the new type that the old one has too."""
        for a, b in self.pairing.classes.items():
            if b == member.owner:
                return [new for _, new in self.pairing.alignments[a].pairs]
        return []

    def _followed(self, model: Model, member: Member, paired: set[str]) -> bool:
        """Whether a field that both sides have follows this one.

        The field that takes whatever is left does not count: it is there for what is new.
        """
        reader = self._read_new if model is self.new else self._read_old
        seq = model.classes[member.owner].seq
        after = [m for m in seq[seq.index(member) + 1 :] if m.id in paired]
        if any(not takes_what_is_left(reader.of(m), m) for m in after):
            return True
        if model is self.new:
            self.grown |= {(m.owner, m.id) for m in after}
        return False

    def _come_or_gone(
        self, member: Member, facets: Facets, model: Model, followed: bool, added: bool
    ) -> Finding:
        """A field that one side has: ``having`` reads what the ``lacking`` side wrote."""
        having, lacking = ("new", "old") if added else ("old", "new")
        # The class of trouble for the side that has the field, and for the side that has not.
        troubles: tuple[Class, ...] = BOTH if added else ("WRITE", "READ")
        absent = may_be_absent(facets, member)
        end = bounded(model, member.owner) and not followed
        rule = "FIELD_ADDED" if added else "FIELD_REMOVED"
        change = f"{'added' if added else 'removed'}{self._as(member, model)}"

        def finding(classes: tuple[Class, ...], severity: Severity, hurts: str) -> Finding:
            return Finding(
                rule, classes, severity, member.shown, change, hurts, model.where(member)
            )

        if _is_empty(facets):
            if facets["accepts"].everything:
                return finding(("API",), "note", "nobody: the field has no bytes")
            return finding((troubles[0],), "breaking", f"{having} readers check more, and may"
                         f" refuse {lacking} logs")  # fmt: skip
        if absent == "never":
            return finding(("API",), "note", "nobody: the field is never there")
        if end and absent in ("end", "empty"):
            rule = "FIELD_APPENDED" if added else rule
            if added:
                return finding(("WRITE",), "note", "nobody: old readers skip it, and new readers"
                             " read logs that end before it")  # fmt: skip
            return finding(("API",), "warning", "programs that use the field; readers skip it")
        if end and absent == "condition":
            return finding((troubles[0],), "warning", f"{having} readers of {lacking} logs, if its"
                         f" condition can hold there; {lacking} readers skip it")  # fmt: skip
        if end:
            return finding((troubles[0],), "breaking", f"{having} readers hit the end of {lacking}"
                         f" logs where the field should be; {lacking} readers skip it")  # fmt: skip
        if absent == "condition":
            return finding((troubles[1],), "breaking", f"{lacking} readers misread all that follows"
                         f" in {having} logs that have it; {having} readers only {lacking} logs in"
                         " which its condition holds")  # fmt: skip
        return finding(BOTH, "breaking", PUSHED)

    def _as(self, member: Member, model: Model) -> str:
        written = model.written(member)
        kind = written.get("type") or ("contents" if "contents" in written else "bytes")
        shown = f" ({kind})" if isinstance(kind, str) else ""
        return f"{shown} if {written['if']}" if "if" in written else shown

    # -- the same bytes, divided differently ---------------------------------------------------

    def _reshaped(self, a: Name, b: Name, alignment: Alignment) -> _Reshaped:
        """Gaps of the same number of bytes in which fields were replaced by others."""
        reshaped = _Reshaped()
        # A field may also have kept its name, and left a part of its bytes to others.
        divided = [
            (gone, come)
            for gone, come in self._gaps(a, b, alignment, lambda old: True)
            if len(gone) != len(come)
        ]
        spares = self._gaps(a, b, alignment, _is_spare)
        for gone, come in chain(divided, spares):
            if any(m in reshaped.removed for m in gone) or any(m in reshaped.added for m in come):
                continue
            widths = (self._widths(self._read_old, gone), self._widths(self._read_new, come))
            if not gone or not come or widths[0] is None or widths[0] != widths[1]:
                continue
            spare = all(map(_is_spare, gone))
            names = (", ".join(m.id for m in gone), ", ".join(m.id for m in come))
            hurts = (
                "new readers of old logs, unless writers left there what now means nothing"
                if spare
                else "both sides: the same bytes mean something else"
            )
            if spare:
                self.spared |= {(m.owner, m.id) for m in gone}
            reshaped.removed += gone
            reshaped.added += come
            reshaped.findings.append(
                Finding(
                    "FIELD_RESHAPED",
                    ("READ",) if spare else BOTH,
                    "warning" if spare else "breaking",
                    come[0].shown,
                    f"{names[0]} → {names[1]}",
                    hurts,
                    self.new.where(come[0]),
                )
            )
        return reshaped

    def _gaps(
        self, a: Name, b: Name, alignment: Alignment, may_shrink: Callable[[Member], bool]
    ) -> Iterator[tuple[list[Member], list[Member]]]:
        """Fields that went and fields that came between two that stayed with their width.

        Those for which ``may_shrink`` holds went if they have another width now.
        """
        stable = {old.id: new.id for old, new in alignment.pairs if new.id not in alignment.moved}
        resized = {
            old.id
            for old, new in alignment.pairs
            if self._read_old.of(old).get("bits") != self._read_new.of(new).get("bits")
            and may_shrink(old)
        }
        old_seq, new_seq = self.old.classes[a].seq, self.new.classes[b].seq
        ids = [m.id for m in new_seq]
        i = j = 0
        for n, member in enumerate([*old_seq, None]):
            if member is not None and (member.id not in stable or member.id in resized):
                continue
            end = ids.index(stable[member.id]) if member else len(new_seq)
            yield old_seq[i:n], new_seq[j:end]
            i, j = n + 1, end + 1

    def _widths(self, reader: FacetReader, members: list[Member]) -> list[tuple[Any, int]] | None:
        """The bits of fields, those in a row under one condition added up; None if not fixed.

        A condition that asks where the stream stands, or for one of these fields, may hold for the
        first and not for the next.
        """
        runs: list[tuple[Any, int]] = []
        names = {member.id for member in members}
        for member in members:
            bits = reader.expressions.bits(member)
            condition = reader.of(member).get("if")
            if bits is None or depends_on_position(condition) or names_in(condition) & names:
                return None
            if runs and runs[-1][0] == condition:
                bits += runs.pop()[1]
            runs.append((condition, bits))
        return runs

    # -- types ---------------------------------------------------------------------------------

    def _is_regrouped(self, a: Name, b: Name) -> bool:
        """Whether two types differ, but only in how they group the same fields."""
        alignment = self.pairing.alignments[a]
        if not (alignment.added or alignment.removed):
            return False
        if self._flat(self.old, self._read_old, a) != self._flat(self.new, self._read_new, b):
            return False
        self._regrouped |= self._see_through(self.old, self._read_old, a)
        self._see_through(self.new, self._read_new, b)
        return True

    def _see_through(self, model: Model, reader: FacetReader, name: Name) -> set[Name]:
        """Let the grouping of a type make no difference; returns it and the types inside it."""
        seen: set[Name] = set()
        waiting = [name]
        while waiting:
            outer = waiting.pop()
            seen.add(outer)
            for member in model.classes[outer].seq:
                if (inner := inlined(model, member)) and inner not in seen:
                    reader.expressions.transparent.add((outer, member.id))
                    waiting.append(inner)
        return seen

    def _flat(self, model: Model, reader: FacetReader, name: Name) -> list[Any]:
        """Return the list of :func:`flattened`, with paired types under one name."""
        fields = flattened(model, reader, name)
        if model is self.old:
            fields = [replaced(facets, self.pairing.classes) for facets in fields]
        return fields

    def _regrouping(self, b: Name) -> Finding:
        return Finding(
            "FIELD_REGROUPED", ("API",), "warning", b[-1], "the same fields in other types",
            "programs that use the fields in a generated parser; the bytes are the same",
            self.new.place(b[0], self.new.classes[b].path),
        )  # fmt: skip

    def _same_type(self, a: Name, b: Name) -> bool:
        """Whether types are the same: the same pair, or twins that describe the same bytes."""
        if self.pairing.classes.get(a) == b:
            return True
        if a not in self.old.classes or b not in self.new.classes:
            return a == b
        one = self._flat(self.old, self._read_old, a)
        return one == self._flat(self.new, self._read_new, b)

    def _same_enum(self, a: Name, b: Name) -> bool:
        return self.pairing.enums.get(a) == b or self.old.enums.get(a) == self.new.enums.get(b)

    # -- instances -----------------------------------------------------------------------------

    def _instance_names(self, a: Name, b: Name) -> Iterator[Finding]:
        """Instances that only got another name: nothing else about them differs."""
        olds, news = self.old.classes[a].instances, self.new.classes[b].instances
        come = {id: self._read_new.of(member) for id, member in news.items() if id not in olds}
        for id, member in olds.items():
            if id in news:
                continue
            facets = self._read_old.of(member)
            twin = next((new for new, found in come.items() if found == facets), None)
            if twin is not None:
                del come[twin]
                self.pairing.note_rename(member, news[twin])
                yield Finding(
                    "FIELD_RENAMED", ("API",), "warning", news[twin].shown, f"{id} → {twin}",
                    "programs that use the name in a generated parser; the bytes are the same",
                    self.new.where(news[twin]),
                )  # fmt: skip

    def _instances(self, a: Name, b: Name) -> Iterator[Finding]:
        olds, news = self.old.classes[a].instances, self.new.classes[b].instances
        paired = {self.pairing.rename(a, id): member for id, member in olds.items()}
        for id, member in news.items():
            old = paired.pop(id, None)
            if old is None:
                yield self._instance_added(member)
            elif old.role == member.role:
                yield from (f for f in self._pair(old, member) if f.rule != "FIELD_RENAMED")
            else:
                yield Finding(
                    "VALUE_CHANGED", ("READ",), "breaking", member.shown,
                    "computed, not read" if member.role == "value" else "read, not computed",
                    "programs that use it", self.new.where(member),
                )  # fmt: skip
        for member in paired.values():
            yield self._instance_removed(member)

    def _instance_added(self, member: Member) -> Finding:
        where = self.new.where(member)
        if member.role == "parse" and is_coverage(member, self.new):
            return Finding("CHECKSUM_ADDED", ("RECOVER",), "note", member.shown, "added",
                           "nobody, as long as old logs satisfy the checksum", where)  # fmt: skip
        return Finding("INSTANCE_ADDED", ("API",), "note", member.shown, "added", "nobody", where)

    def _instance_removed(self, member: Member) -> Finding:
        where = self.old.where(member)
        if member.role == "parse" and is_coverage(member, self.old):
            return Finding("CHECKSUM_REMOVED", ("RECOVER",), "breaking", member.shown, "removed",
                           "readers that verify the checksum with it: damage passes unseen",
                           where)  # fmt: skip
        return Finding("INSTANCE_REMOVED", ("API",), "warning", member.shown, "removed",
                       "programs that use it", where)  # fmt: skip


class _Reshaped:
    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.removed: list[Member] = []
        self.added: list[Member] = []


def _is_spare(member: Member) -> bool:
    return member.unnamed or member.id.startswith(_RESERVED)


def _is_empty(facets: Facets) -> bool:
    return facets.get("bits") == 0


def structure(old: Model, new: Model) -> list[Finding]:
    """The findings of the structural diff, without what data shows."""
    return [replace(finding) for finding in StructureDiff(old, new).findings]


def compare_enums(old: Model, new: Model, a: Name, b: Name) -> Iterator[Finding]:
    """Yield the findings between two enums: names are for programs, values are bytes."""
    before, after = old.enums[a], new.enums[b]
    values_before = {name: value for value, name in before.items()}
    values_after = {name: value for value, name in after.items()}

    def where(value: int | None) -> str:
        more = () if value is None else (str(value),)
        return new.place(b[0], new.enum_paths[b], *more)

    for name, value in values_before.items():
        subject = f"{b[-1]}::{name}"
        if name in values_after:
            if values_after[name] != value:
                yield Finding(
                    "ENUM_RENUMBERED", ("READ", "WRITE"), "breaking", subject,
                    f"{value} → {values_after[name]}",
                    "both sides: the same byte means one thing here and another there",
                    where(values_after[name]),
                )  # fmt: skip
        elif value in after and after[value] not in values_before:
            yield Finding(
                "ENUM_MEMBER_RENAMED", ("API",), "warning", subject, f"{name} → {after[value]}",
                "programs that use the name; the bytes are the same", where(value),
            )  # fmt: skip
        elif value not in after:
            yield Finding(
                "ENUM_MEMBER_REMOVED", ("READ",), "breaking", subject, f"{value} has no name now",
                "new readers, of old logs that hold it: they no longer know what it means",
                where(None),
            )  # fmt: skip
    for value, name in after.items():
        if value not in before and name not in values_before:
            yield Finding(
                "ENUM_MEMBER_ADDED", ("WRITE",), "note", f"{b[-1]}::{name}", f"{value} is new",
                "old readers of new logs meet a value without a name; whether they refuse it is"
                " up to the field", where(value),
            )  # fmt: skip
