"""Compare the resolved models of two sets of grammars."""

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
    holds_remaining_bytes,
    inlined,
    may_be_absent,
    names_in,
    replaced,
)
from walproof.review.members import BOTH, MemberDiff, is_coverage
from walproof.review.pairing import Alignment, Pairing

PUSHED = "both sides: each misreads everything after this field in logs of the other"
_RESERVED = ("reserved", "unused", "padding", "pad", "unknown", "spare", "filler")


class StructureDiff:
    """The structural findings between two models, and the pairing of their members.

    ``spared`` are reserved fields of the old model whose bytes belong to new fields; their values
    are not compared. ``grown`` are fields of the new model that follow an added field and extend to
    the end of the data.
    """

    def __init__(self, old: Model, new: Model) -> None:
        self.old, self.new = old, new
        self.pairing = Pairing(old, new)
        self._read_old = FacetReader(old, ExpressionReader(old, self.pairing.rename))
        self._read_new = FacetReader(new, ExpressionReader(new, lambda _, name: name))
        self._members = MemberDiff(old, new, self._same_type, self._same_enum)
        self._regrouped: set[Name] = set()
        self.spared: set[tuple[Name, str]] = set()
        self.grown: set[tuple[Name, str]] = set()
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
        for old_enum, new_enum in self.pairing.enums.items():
            yield from compare_enums(self.old, self.new, old_enum, new_enum)

    def _grammars(self) -> Iterator[Finding]:
        for name in self.old.tops:
            if name not in self.pairing.tops:
                yield Finding(
                    "GRAMMAR_REMOVED", ("API",), "warning", name, "removed",
                    "users of its parsers", self.old.location(name, ()),
                )  # fmt: skip
        for name in self.new.tops:
            if name not in self.pairing.tops.values():
                location = self.new.location(name, ())
                yield Finding("GRAMMAR_ADDED", ("API",), "note", name, "added", "nobody", location)

    # -- fields --------------------------------------------------------------------------------

    def _fields(self, a: Name, b: Name) -> Iterator[Finding]:
        alignment = self.pairing.alignments[a]
        reshaped = self._reshaped(a, b, alignment)
        yield from reshaped.findings
        for old, new in alignment.pairs:
            if new not in reshaped.added:
                yield from self._pair(old, new)
            if new.id in alignment.moved:
                location = self.new.member_location(new)
                yield Finding(
                    "FIELD_MOVED", BOTH, "breaking", new.shown, "changed position among its"
                    " neighbours", PUSHED, location,
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
                "programs that instantiate the type",
                self.new.location(b[0], self.new.classes[b].path),
            )  # fmt: skip

    def _pair(self, old: Member, new: Member) -> Iterator[Finding]:
        yield from self._members.compare(old, new, self._read_old.of(old), self._read_new.of(new))

    def _added(self, member: Member) -> Finding:
        facets = self._read_new.of(member)
        followed = self._followed(self.new, member, {m.id for m in self._old_ids(member)})
        return self._added_or_removed(member, facets, self.new, followed, added=True)

    def _removed(self, member: Member) -> Finding:
        facets = self._read_old.of(member)
        news = self.pairing.alignments[member.owner].pairs
        followed = self._followed(self.old, member, {old.id for old, _ in news})
        return self._added_or_removed(member, facets, self.old, followed, added=False)

    def _old_ids(self, member: Member) -> list[Member]:
        """Return the fields of the new type that the old type has too."""
        for a, b in self.pairing.classes.items():
            if b == member.owner:
                return [new for _, new in self.pairing.alignments[a].pairs]
        return []

    def _followed(self, model: Model, member: Member, paired: set[str]) -> bool:
        """Return whether a field that exists on both sides follows this one.

        A field that extends to the end of the data does not count, because its bytes are reserved
        for additions.
        """
        reader = self._read_new if model is self.new else self._read_old
        seq = model.classes[member.owner].seq
        after = [m for m in seq[seq.index(member) + 1 :] if m.id in paired]
        if any(not holds_remaining_bytes(reader.of(m), m) for m in after):
            return True
        if model is self.new:
            self.grown |= {(m.owner, m.id) for m in after}
        return False

    def _added_or_removed(
        self, member: Member, facets: Facets, model: Model, followed: bool, added: bool
    ) -> Finding:
        """Return the finding for a field that exists on only one side.

        The side with the field is called ``having``. Its readers must read the logs of the side
        without it (``lacking``).
        """
        having, lacking = ("new", "old") if added else ("old", "new")
        # The class of trouble for the side that has the field, and for the side that has not.
        troubles: tuple[Class, ...] = BOTH if added else ("WRITE", "READ")
        absent = may_be_absent(facets, member)
        end = bounded(model, member.owner) and not followed
        rule = "FIELD_ADDED" if added else "FIELD_REMOVED"
        change = f"{'added' if added else 'removed'}{self._type_text(member, model)}"

        def finding(classes: tuple[Class, ...], severity: Severity, hurts: str) -> Finding:
            return Finding(
                rule, classes, severity, member.shown, change, hurts, model.member_location(member)
            )

        if _is_empty(facets):
            if facets["accepts"].is_everything:
                return finding(("API",), "note", "nobody: the field has no bytes")
            return finding((troubles[0],), "breaking", f"{having} readers, which check more and may"
                         f" reject {lacking} logs")  # fmt: skip
        if absent == "never":
            return finding(("API",), "note", "nobody: the field is never present")
        if end and absent in ("end", "empty"):
            rule = "FIELD_APPENDED" if added else rule
            if added:
                return finding(("WRITE",), "note", "nobody: old readers skip the field, and new"
                             " readers accept logs that end before it")  # fmt: skip
            return finding(("API",), "warning", "programs that use the field; readers skip it")
        if end and absent == "condition":
            return finding((troubles[0],), "warning", f"{having} readers of {lacking} logs, if"
                         f" its condition can be true; {lacking} readers skip it")  # fmt: skip
        if end:
            return finding((troubles[0],), "breaking", f"{having} readers, which reach the end of"
                         f" {lacking} logs at this field; {lacking} readers skip it")  # fmt: skip
        if absent == "condition":
            return finding((troubles[1],), "breaking", f"{lacking} readers, which misread all bytes"
                         f" after the field in {having} logs; {having} readers misread {lacking}"
                         " logs in which the condition is true")  # fmt: skip
        return finding(BOTH, "breaking", PUSHED)

    def _type_text(self, member: Member, model: Model) -> str:
        written = model.written(member)
        type_name = written.get("type") or ("contents" if "contents" in written else "bytes")
        shown = f" ({type_name})" if isinstance(type_name, str) else ""
        return f"{shown} if {written['if']}" if "if" in written else shown

    # -- the same bytes, divided differently ---------------------------------------------------

    def _reshaped(self, a: Name, b: Name, alignment: Alignment) -> _Reshaped:
        """Find groups of fields that were replaced by others with the same number of bytes."""
        reshaped = _Reshaped()
        # A field may also keep its name and give a part of its bytes to others.
        divided = [
            (removed, added)
            for removed, added in self._gaps(a, b, alignment, lambda old: True)
            if len(removed) != len(added)
        ]
        spares = self._gaps(a, b, alignment, _is_spare)
        for removed, added in chain(divided, spares):
            if any(m in reshaped.removed for m in removed) or any(
                m in reshaped.added for m in added
            ):
                continue
            widths = (self._widths(self._read_old, removed), self._widths(self._read_new, added))
            if not removed or not added or widths[0] is None or widths[0] != widths[1]:
                continue
            spare = all(map(_is_spare, removed))
            names = (", ".join(m.id for m in removed), ", ".join(m.id for m in added))
            hurts = (
                "new readers of old logs, unless the reserved bytes are valid in the new fields"
                if spare
                else "both sides: the same bytes have a different meaning"
            )
            if spare:
                self.spared |= {(m.owner, m.id) for m in removed}
            reshaped.removed += removed
            reshaped.added += added
            reshaped.findings.append(
                Finding(
                    "FIELD_RESHAPED",
                    ("READ",) if spare else BOTH,
                    "warning" if spare else "breaking",
                    added[0].shown,
                    f"{names[0]} → {names[1]}",
                    hurts,
                    self.new.member_location(added[0]),
                )
            )
        return reshaped

    def _gaps(
        self, a: Name, b: Name, alignment: Alignment, may_shrink: Callable[[Member], bool]
    ) -> Iterator[tuple[list[Member], list[Member]]]:
        """Yield the removed and the added fields between consecutive unchanged fields.

        If ``may_shrink`` accepts a field with a changed width, it counts as removed, too.
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
        """Return the size of each group of fields with the same condition, in bits.

        Returns None if a size is not fixed. This includes groups whose condition depends on the
        stream position or on one of their own fields, because the condition may then hold for only
        some of the fields.
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
        """Return whether two types differ only in the grouping of the same fields."""
        alignment = self.pairing.alignments[a]
        if not (alignment.added or alignment.removed):
            return False
        if self._flat(self.old, self._read_old, a) != self._flat(self.new, self._read_new, b):
            return False
        self._regrouped |= self._ignore_grouping(self.old, self._read_old, a)
        self._ignore_grouping(self.new, self._read_new, b)
        return True

    def _ignore_grouping(self, model: Model, reader: FacetReader, name: Name) -> set[Name]:
        """Ignore the grouping inside a type; return the type and the types inside it."""
        visited: set[Name] = set()
        waiting = [name]
        while waiting:
            outer = waiting.pop()
            visited.add(outer)
            for member in model.classes[outer].seq:
                if (inner := inlined(model, member)) and inner not in visited:
                    reader.expressions.transparent.add((outer, member.id))
                    waiting.append(inner)
        return visited

    def _flat(self, model: Model, reader: FacetReader, name: Name) -> list[Any]:
        """Return the list of :func:`flattened`, with paired types under one name."""
        fields = flattened(model, reader, name)
        if model is self.old:
            fields = [replaced(facets, self.pairing.classes) for facets in fields]
        return fields

    def _regrouping(self, b: Name) -> Finding:
        return Finding(
            "FIELD_REGROUPED", ("API",), "warning", b[-1], "the same fields in different types",
            "programs that use the fields in a generated parser; the bytes are unchanged",
            self.new.location(b[0], self.new.classes[b].path),
        )  # fmt: skip

    def _same_type(self, a: Name, b: Name) -> bool:
        """Return whether types are paired, or describe the same bytes."""
        if self.pairing.classes.get(a) == b:
            return True
        if a not in self.old.classes or b not in self.new.classes:
            return a == b
        flat = self._flat(self.old, self._read_old, a)
        return flat == self._flat(self.new, self._read_new, b)

    def _same_enum(self, a: Name, b: Name) -> bool:
        return self.pairing.enums.get(a) == b or self.old.enums.get(a) == self.new.enums.get(b)

    # -- instances -----------------------------------------------------------------------------

    def _instance_names(self, a: Name, b: Name) -> Iterator[Finding]:
        """Yield findings for instances that were only renamed."""
        olds, news = self.old.classes[a].instances, self.new.classes[b].instances
        added = {id: self._read_new.of(member) for id, member in news.items() if id not in olds}
        for id, member in olds.items():
            if id in news:
                continue
            facets = self._read_old.of(member)
            match = next((new for new, new_facets in added.items() if new_facets == facets), None)
            if match is not None:
                del added[match]
                self.pairing.note_rename(member, news[match])
                yield Finding(
                    "FIELD_RENAMED", ("API",), "warning", news[match].shown, f"{id} → {match}",
                    "programs that use the name in a generated parser; the bytes are unchanged",
                    self.new.member_location(news[match]),
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
                    "now computed" if member.role == "value" else "now read from the log",
                    "programs that use it", self.new.member_location(member),
                )  # fmt: skip
        for member in paired.values():
            yield self._instance_removed(member)

    def _instance_added(self, member: Member) -> Finding:
        location = self.new.member_location(member)
        if member.role == "parse" and is_coverage(member, self.new):
            return Finding("CHECKSUM_ADDED", ("RECOVER",), "note", member.shown, "added",
                           "nobody, if old logs satisfy the checksum", location)  # fmt: skip
        return Finding(
            "INSTANCE_ADDED", ("API",), "note", member.shown, "added", "nobody", location
        )

    def _instance_removed(self, member: Member) -> Finding:
        location = self.old.member_location(member)
        if member.role == "parse" and is_coverage(member, self.old):
            return Finding("CHECKSUM_REMOVED", ("RECOVER",), "breaking", member.shown, "removed",
                           "readers that verify the checksum with it: damage is no longer detected",
                           location)  # fmt: skip
        return Finding("INSTANCE_REMOVED", ("API",), "warning", member.shown, "removed",
                       "programs that use it", location)  # fmt: skip


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
    """Return the findings of the structural diff, without correction by data."""
    return [replace(finding) for finding in StructureDiff(old, new).findings]


def compare_enums(old: Model, new: Model, a: Name, b: Name) -> Iterator[Finding]:
    """Yield the findings between two enums: names affect programs, values affect bytes."""
    before, after = old.enums[a], new.enums[b]
    values_before = {name: value for value, name in before.items()}
    values_after = {name: value for value, name in after.items()}

    def location(value: int | None) -> str:
        more = () if value is None else (str(value),)
        return new.location(b[0], new.enum_paths[b], *more)

    for name, value in values_before.items():
        subject = f"{b[-1]}::{name}"
        if name in values_after:
            if values_after[name] != value:
                yield Finding(
                    "ENUM_RENUMBERED", ("READ", "WRITE"), "breaking", subject,
                    f"{value} → {values_after[name]}",
                    "both sides: the same value has a different meaning",
                    location(values_after[name]),
                )  # fmt: skip
        elif value in after and after[value] not in values_before:
            yield Finding(
                "ENUM_MEMBER_RENAMED", ("API",), "warning", subject, f"{name} → {after[value]}",
                "programs that use the name; the bytes are unchanged", location(value),
            )  # fmt: skip
        elif value not in after:
            yield Finding(
                "ENUM_MEMBER_REMOVED", ("READ",), "breaking", subject, f"{value} lost its name",
                "new readers of old logs with this value: its meaning is unknown",
                location(None),
            )  # fmt: skip
    for value, name in after.items():
        if value not in before and name not in values_before:
            yield Finding(
                "ENUM_MEMBER_ADDED", ("WRITE",), "note", f"{b[-1]}::{name}", f"{value} is new",
                "old readers of new logs: the value has no name; whether they reject it depends"
                " on the field", location(value),
            )  # fmt: skip
