"""Compare two versions of a grammar, field by field, and name the affected parties."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any, NamedTuple

from conformance.kaitai.types import Type
from walproof.review.finding import Class, Finding, Severity
from walproof.review.grammar import EXTENT, AcceptedValues, Attributes, Grammar, Member

BOTH: tuple[Class, ...] = ("READ", "WRITE")
MISREAD = "both sides: each misreads every log of the other that has the field"
PUSHED = "both sides: each misreads everything after this field in logs of the other"
_RESERVED = ("_unnamed", "reserved", "unused", "padding", "pad", "unknown", "spare", "filler")
_COVERAGE = re.compile(r"(checksum|crc|hash|digest|hmac).*(input|range|bytes|data|area)|_input$")


class _Rule(NamedTuple):
    """A rule for an attribute that differs, with the YAML keys that determine the attribute."""

    id: str
    keys: tuple[str, ...]
    is_expression: bool = True
    classes: tuple[Class, ...] = BOTH
    severity: Severity = "breaking"
    hurts: str = MISREAD


_NAMES = "programs that use the field in a generated parser"
_RULES = {
    "if": _Rule("FIELD_CONDITION", ("if",)),
    "repeat": _Rule("FIELD_REPEAT", ("repeat", "repeat-expr", "repeat-until")),
    "pos": _Rule("FIELD_POSITION", ("pos",)),
    "io": _Rule("FIELD_POSITION", ("io",)),
    "value": _Rule(
        "VALUE_CHANGED", ("value",), classes=("READ",),
        hurts="programs that use the instance: its value differs for the same bytes",
    ),
    "on": _Rule("SWITCH_SELECTOR", ("type",)),
    "arguments": _Rule("FIELD_ARGUMENTS", ("type",)),
    "extent": _Rule("FIELD_RESIZED", (*EXTENT, "type")),
    "endian": _Rule("FIELD_ENDIANNESS", ("type",), False),
    "packed": _Rule("FIELD_TYPE", ("type",), False),
    "signed": _Rule(
        "FIELD_SIGN", ("type",), False,
        hurts="both sides, for numbers with the highest bit set: negative or large",
    ),
    "encoding": _Rule("FIELD_ENCODING", ("encoding",), False),
    "process": _Rule("FIELD_PROCESSED", ("process",), False),
    "pad-right": _Rule("FIELD_PROCESSED", ("pad-right",), False),
}  # fmt: skip
_RENAMED = _Rule("FIELD_RENAMED", (), False, ("API",), "warning", _NAMES)
_ENUM = _Rule("ENUM_ATTACHED", ("enum",), False, ("API",), "warning", _NAMES)
_MOVED = _Rule("FIELD_MOVED", (), False, hurts=PUSHED)
_TYPE = _Rule("FIELD_TYPE", ("type", "size", "contents"), False)
_SAME_BYTES = _Rule(
    "FIELD_TYPE", ("type", "size", "contents"), False, ("API", "READ"), "warning",
    f"{_NAMES}; also new readers, if an old log holds bytes that do not fit the type",
)  # fmt: skip
_RESIZED = _Rule("FIELD_RESIZED", ("size", "type"), False)

_INSTANCES: dict[str, tuple[tuple[Class, ...], Severity, str]] = {
    "INSTANCE_ADDED": (("API",), "note", "nobody"),
    "INSTANCE_REMOVED": (("API",), "warning", "programs that use it"),
    "CHECKSUM_ADDED": (("RECOVER",), "note", "nobody, if old logs satisfy the checksum"),
    "CHECKSUM_REMOVED": (
        ("RECOVER",), "breaking",
        "readers that verify the checksum with it: damage is no longer detected",
    ),
}  # fmt: skip


@dataclass
class Alignment:
    """The fields of two versions of a type, and pairs of their indexes in the new order."""

    old: list[Member]
    new: list[Member]
    pairs: list[tuple[int, int]] = field(default_factory=list)
    moved: set[int] = field(default_factory=set)

    def members(self) -> list[tuple[Member, Member]]:
        """Return the pairs of fields."""
        return [(self.old[i], self.new[j]) for i, j in self.pairs]


class GrammarDiff:
    """The differences between two versions of a grammar."""

    def __init__(self, old: Grammar, new: Grammar) -> None:
        self.old, self.new = old, new
        # Both versions use the same renames: one type may keep a name that another type changed.
        old.renames = new.renames
        self._types: list[tuple[Type, Type, Alignment]] = []
        self._enums: dict[str, str] = {}
        #: Key of an old field → key and name of the new field. Fields whose bytes are divided among
        #: other fields are missing.
        self.pairs: dict[str, tuple[str, str]] = {}
        self._pair()
        split = {m for _, _, a in self._types for gap in self._split(a) for m in (*gap[0], *gap[1])}
        for a, b, alignment in self._types:
            grown = self._grown(alignment)
            for m, n in (*alignment.members(), *self._instances(a, b)):
                if not {m, n} & split and n not in grown:
                    self.pairs[m.key] = n.key, n.shown

    def findings(self, moved: bool = False) -> list[Finding]:
        """Return the findings; ``moved`` means that fields have other offsets in a log."""
        return list(dict.fromkeys(self._findings(moved)))

    # -- pairs -------------------------------------------------------------------------------------

    def _pair(self) -> None:
        news = self.new.types.types
        by_name = [
            (a, news[a.name], False) for a in self.old.types.types.values() if a.name in news
        ]
        waiting = deque(by_name[:1])
        visited: set[tuple[str, str, bool]] = set()
        while waiting:
            a, b, is_group = waiting.popleft()
            if (a.name, b.name, is_group) not in visited:
                visited.add((a.name, b.name, is_group))
                waiting += self._pair_members(a, b, is_group)
            if not waiting:  # types that no field uses, in libraries for other grammars
                names = {name for name, _, _ in visited}
                waiting += [pair for pair in by_name if pair[0].name not in names][:1]

    def _pair_members(self, a: Type, b: Type, is_group: bool) -> Iterator[tuple[Type, Type, bool]]:
        """Pair the members of two types; yield the pairs of their types.

        The flag is true for the types of a group of fields.
        """
        # The fields of a group are compared where the group is used.
        alignment = Alignment([], []) if is_group else self._align(a, b)
        self._types.append((a, b, alignment))
        for m, n in (*alignment.members(), *self._instances(a, b)):
            if m.id != n.id:
                self.new.renames[m.id] = n.id
            if len(m.groups) == len(n.groups):
                for (_, old_group), (_, new_group) in zip(m.groups, n.groups, strict=True):
                    yield old_group, new_group, True
            olds, news = self.old.targets(m), self.new.targets(n)
            yield from ((olds[case], news[case], False) for case in olds if case in news)
            if "enum" in m.body and "enum" in n.body:
                old_enum = self.old.types.enum_of(m.body["enum"], m.owner)
                self._enums[old_enum] = self.new.types.enum_of(n.body["enum"], n.owner)

    def _align(self, a: Type, b: Type) -> Alignment:
        """Pair fields by name in order, then by position, then by name alone."""
        old, new = self.old.flat(a), self.new.flat(b)
        ids = [m.id for m in old], [m.id for m in new]
        alignment = Alignment(old, new)
        matcher = SequenceMatcher(None, *ids, autojunk=False)
        for operation, i, end_i, j, end_j in matcher.get_opcodes():
            if end_i - i != end_j - j:
                continue
            candidates = list(zip(range(i, end_i), range(j, end_j), strict=True))
            if operation == "equal" or all(
                self._may_be_renamed(old[m], new[n], ids) for m, n in candidates
            ):
                alignment.pairs += candidates
        unpaired = {id: m for m, id in enumerate(ids[0]) if m not in dict(alignment.pairs)}
        paired = {n for _, n in alignment.pairs}
        for n, id in enumerate(ids[1]):
            if n not in paired and id in unpaired:
                alignment.pairs.append((unpaired.pop(id), n))
                alignment.moved.add(n)
        alignment.pairs.sort(key=lambda pair: pair[1])
        return alignment

    def _may_be_renamed(self, m: Member, n: Member, ids: tuple[list[str], list[str]]) -> bool:
        kept = m.id in ids[1] or n.id in ids[0]
        kinds = [g.attributes(x)["kind"] for g, x in ((self.old, m), (self.new, n))]
        return not kept and kinds[0] == kinds[1] and self.old.bits(m) == self.new.bits(n)

    def _instances(self, a: Type, b: Type) -> list[tuple[Member, Member]]:
        """Pair instances by name; pair a single removed and a single added instance by text."""
        old, new = self.old.instances(a), self.new.instances(b)
        pairs = [(old[id], new[id]) for id in old if id in new]
        removed = [m for id, m in old.items() if id not in new]
        added = [m for id, m in new.items() if id not in old]
        if len(removed) == len(added) == 1 and removed[0].written() == added[0].written():
            pairs.append((removed[0], added[0]))
        return pairs

    # -- findings ----------------------------------------------------------------------------------

    def _findings(self, moved: bool) -> Iterator[Finding]:
        for a, b, alignment in self._types:
            yield from self._fields(a, b, alignment, moved)
            yield from self._compare_instances(a, b)
        for old_enum, new_enum in self._enums.items():
            yield from self._compare_enums(old_enum, new_enum)

    def _fields(self, a: Type, b: Type, alignment: Alignment, moved: bool) -> Iterator[Finding]:
        done: set[Member] = set()
        for removed, added in [] if moved else self._split(alignment):
            done |= {*removed, *added}
            yield self._reshaped(removed, added)
        pairs = alignment.members()
        for (m, n), (_, j) in zip(pairs, alignment.pairs, strict=True):
            if n not in done:
                yield from self._compare(m, n)
            if j in alignment.moved:
                yield self._finding(_MOVED, m, n, "changed position among its neighbours")
        if any(len(m.groups) != len(n.groups) for m, n in pairs):
            yield Finding(
                "FIELD_REGROUPED", ("API",), "warning", b.ids[-1], "the same fields in other types",
                f"{_NAMES}; the bytes are unchanged", self.new.location(b),
            )  # fmt: skip
        sides = (
            (self.old, a, alignment.old, {m for m, _ in pairs}),
            (self.new, b, alignment.new, {n for _, n in pairs}),
        )
        for grammar, type, members, paired in sides:
            for number, member in enumerate(members):
                if member not in paired and member not in done:
                    after = [m for m in members[number + 1 :] if m in paired]
                    is_last = all(self._holds_rest(grammar, m) for m in after)
                    is_end = is_last and grammar.is_bounded(type)
                    yield self._added_or_removed(grammar, member, is_end)

    def _added_or_removed(self, grammar: Grammar, member: Member, is_end: bool) -> Finding:
        is_added = grammar is self.new
        having, lacking = ("new", "old") if is_added else ("old", "new")
        # The class of a finding about the side with the field, and about the side without it.
        own, other = BOTH if is_added else BOTH[::-1]
        absent = _may_be_absent(grammar.attributes(member))
        effects: dict[tuple[bool, str], tuple[tuple[Class, ...], Severity, str]] = {
            (True, "condition"): (
                (own,), "warning",
                f"{having} readers of {lacking} logs, if its condition can be true",
            ),
            (True, ""): (
                (own,), "breaking",
                f"{having} readers, which reach the end of {lacking} logs at this field",
            ),
            (False, "condition"): (
                (other,), "breaking",
                f"{lacking} readers, which misread all bytes after the field in {having} logs",
            ),
        }  # fmt: skip
        classes, severity, hurts = effects.get((is_end, absent), (BOTH, "breaking", PUSHED))
        rule = "FIELD_ADDED" if is_added else "FIELD_REMOVED"
        if absent == "never":
            classes, severity, hurts = ("API",), "note", "nobody: the field is never present"
        elif is_end and absent == "end" and is_added:
            rule, classes, severity = "FIELD_APPENDED", ("WRITE",), "note"
            hurts = "nobody: old readers skip the field, and new readers accept logs without it"
        elif is_end and absent == "end":
            classes, severity, hurts = ("API",), "warning", _NAMES
        type = member.body.get("type") or ("contents" if "contents" in member.body else "bytes")
        condition = f" if {member.body['if']}" if "if" in member.body else ""
        change = f"{'added' if is_added else 'removed'} ({type}){condition}"
        return Finding(rule, classes, severity, member.shown, change, hurts,
                       grammar.location(member.owner, *member.path))  # fmt: skip

    def _holds_rest(self, grammar: Grammar, member: Member) -> bool:
        """Return whether a field contains all remaining raw bytes, reserved for future fields."""
        attributes = grammar.attributes(member)
        extent = attributes.get("extent") or {}
        return attributes["kind"] == "bytes" and extent.get("size-eos") == "true"

    def _grown(self, alignment: Alignment) -> set[Member]:
        """Return the fields that contain the remaining bytes after an added field."""
        paired = {n for _, n in alignment.members()}
        added = [number for number, n in enumerate(alignment.new) if n not in paired]
        after = alignment.new[min(added) :] if added else []
        return {n for n in after if n in paired and self._holds_rest(self.new, n)}

    # -- the same bytes, divided differently -------------------------------------------------------

    def _split(self, alignment: Alignment) -> Iterator[tuple[list[Member], list[Member]]]:
        """Yield groups of fields that were replaced by others with the same number of bits."""
        stable = [
            (i, j) for i, j in alignment.pairs
            if j not in alignment.moved
            and self.old.bits(alignment.old[i]) == self.new.bits(alignment.new[j])
        ]  # fmt: skip
        ends = [(-1, -1), *stable, (len(alignment.old), len(alignment.new))]
        for (i, j), (end_i, end_j) in pairwise(ends):
            removed, added = alignment.old[i + 1 : end_i], alignment.new[j + 1 : end_j]
            if len(removed) == len(added) or not (removed and added):
                continue
            before = [self.old.bits(member) for member in removed]
            after = [self.new.bits(member) for member in added]
            if None in (*before, *after) or _total(before) != _total(after):
                continue
            conditions = {self.old.attributes(m)["if"] for m in removed}
            conditions |= {self.new.attributes(n)["if"] for n in added}
            # Logs show whether different conditions agree, but logs show nothing about reserved
            # bytes.
            if len(conditions) == 1 or not _is_spare(removed):
                yield removed, added

    def _reshaped(self, removed: Sequence[Member], added: Sequence[Member]) -> Finding:
        is_spare = _is_spare(removed)
        hurts = (
            "new readers of old logs, unless the reserved bytes are valid in the new fields"
            if is_spare
            else "both sides: the same bytes have a different meaning"
        )
        change = " → ".join(", ".join(m.id for m in side) for side in (removed, added))
        return Finding(
            "FIELD_RESHAPED", ("READ",) if is_spare else BOTH,
            "warning" if is_spare else "breaking", added[0].shown, change, hurts,
            self.new.location(added[0].owner, *added[0].path),
        )  # fmt: skip

    # -- pairs of members --------------------------------------------------------------------------

    def _compare(self, m: Member, n: Member) -> Iterator[Finding]:
        old, new = self.old.attributes(m), self.new.attributes(n)
        if m.id != n.id and not n.id.startswith("_unnamed"):
            yield self._finding(_RENAMED, m, n, f"{m.id} → {n.id}")
        findings = list(self._compare_attributes(m, n, old, new))
        if "pos" in n.body and _COVERAGE.search(n.id) and findings:
            fields = findings[0].fields if all(f.fields for f in findings) else ()
            yield Finding(
                "CHECKSUM_COVERAGE", ("READ", "WRITE", "RECOVER"), "breaking", n.shown,
                "; ".join(dict.fromkeys(f.change for f in findings)),
                "both sides: each rejects the checksums of the other, and reports damage",
                findings[0].where, fields=fields,
            )  # fmt: skip
        else:
            yield from findings
        if "accepts" in old and "accepts" in new and old["accepts"] != new["accepts"]:
            yield self._accepted(m, n, old["accepts"], new["accepts"])

    def _compare_attributes(
        self, m: Member, n: Member, old: Attributes, new: Attributes
    ) -> Iterator[Finding]:
        kinds = {old["kind"], new["kind"]}
        if len(kinds) > 1:
            same = kinds <= {"bytes", "text", "type"} and old["extent"] == new["extent"]
            same = same or (kinds == {"bytes", "integer"} and old["bits"] == new["bits"])
            yield self._finding(_SAME_BYTES if same else _TYPE, m, n)
            return
        sizes = old.get("bits"), new.get("bits")
        is_resized = None not in sizes and sizes[0] != sizes[1]
        if is_resized:
            yield self._finding(_RESIZED, m, n, " → ".join(_size(bits) for bits in sizes if bits))
        for attribute, rule in _RULES.items():
            if old.get(attribute) == new.get(attribute) or (
                is_resized and attribute in ("extent", "endian")
            ):
                continue
            if attribute == "value" and self.new.uses(n):
                rule = rule._replace(classes=BOTH)
            fallback = f"{old.get(attribute)} → {new.get(attribute)}"
            yield self._finding(rule, m, n, fallback=fallback)
        if ("enum" in old) != ("enum" in new):
            yield self._finding(_ENUM, m, n)
        if "cases" in old:
            yield from self._cases(m, n, old["cases"], new["cases"])

    def _cases(self, m: Member, n: Member, old: Attributes, new: Attributes) -> Iterator[Finding]:
        is_sized = "size" in n.body or "size-eos" in n.body
        unknown = "the bytes are skipped" if is_sized else "the length of the field is unknown"
        for case in [*old, *(case for case in new if case not in old)]:
            if case in old and case in new:
                yield from self._compare_attributes(m, n, old[case], new[case])
            elif case in old:
                hurts = f"new readers of old logs with this case: {unknown}"
                rule = _Rule("SWITCH_CASE_REMOVED", ("type",), False, ("READ",), hurts=hurts)
                yield self._finding(rule, m, n, f"case {case}")
            else:
                hurts = f"old readers of new logs with this case: {unknown}"
                severity: Severity = "note" if is_sized else "breaking"
                rule = _Rule("SWITCH_CASE_ADDED", ("type",), False, ("WRITE",), severity, hurts)
                yield self._finding(rule, m, n, f"case {case}")

    def _accepted(self, m: Member, n: Member, a: AcceptedValues, b: AcceptedValues) -> Finding:
        rule = _Rule("VALUES_CHANGED", ("valid", "contents"), False,
                     hurts="both sides: each rejects logs of the other")  # fmt: skip
        if a.is_within(b):
            hurts = (
                "old readers, which reject new logs with the new values; also recovery: damage that"
                " produces a new value is not detected"
            )
            rule = rule._replace(id="VALUES_LOOSENED", classes=("WRITE",), hurts=hurts)
        elif b.is_within(a):
            hurts = "new readers, which reject old logs with the other values"
            rule = rule._replace(id="VALUES_TIGHTENED", classes=("READ",), hurts=hurts)
        return self._finding(rule, m, n, fallback="the members of its enum changed")

    def _finding(
        self, rule: _Rule, m: Member, n: Member, change: str = "", fallback: str = ""
    ) -> Finding:
        keys = [key for key in rule.keys if m.body.get(key) != n.body.get(key)]
        parts = [f"{k}: {_text(m.body.get(k))} → {_text(n.body.get(k))}" for k in keys]
        key = next((key for key in (*keys, *rule.keys) if key in n.body), None)
        return Finding(
            rule.id, rule.classes, rule.severity, n.shown, change or "; ".join(parts) or fallback,
            rule.hurts, self.new.location(n.owner, *n.path, *([key] if key else [])),
            fields=(n.key,) if rule.is_expression else (),
        )  # fmt: skip

    # -- instances and enums -----------------------------------------------------------------------

    def _compare_instances(self, a: Type, b: Type) -> Iterator[Finding]:
        pairs = self._instances(a, b)
        for m, n in pairs:
            yield from self._compare(m, n)
        for grammar, type, paired in (
            (self.old, a, [m.id for m, _ in pairs]), (self.new, b, [n.id for _, n in pairs]),
        ):  # fmt: skip
            word = "ADDED" if grammar is self.new else "REMOVED"
            for id, member in grammar.instances(type).items():
                if id not in paired:
                    is_checksum = "pos" in member.body and _COVERAGE.search(id)
                    rule = f"{'CHECKSUM' if is_checksum else 'INSTANCE'}_{word}"
                    classes, severity, hurts = _INSTANCES[rule]
                    yield Finding(rule, classes, severity, member.shown, word.lower(), hurts,
                                  grammar.location(type, *member.path))  # fmt: skip

    def _compare_enums(self, a: str, b: str) -> Iterator[Finding]:
        old, new = self.old.types.enums[a], self.new.types.enums[b]
        old_values, new_values = ({v: k for k, v in side.items()} for side in (old, new))

        def finding(
            rule: str, classes: tuple[Class, ...], severity: Severity, name: str, change: str,
            hurts: str, value: int | None,
        ) -> Finding:  # fmt: skip
            subject = f"{b.rpartition('.')[2]}::{name}"
            where = self.new.enum_location(b, value)
            return Finding(f"ENUM_{rule}", classes, severity, subject, change, hurts, where)

        for name, value in old_values.items():
            if name in new_values and new_values[name] != value:
                yield finding(
                    "RENUMBERED", BOTH, "breaking", name, f"{value} → {new_values[name]}",
                    "both sides: the same value has a different meaning", new_values[name],
                )  # fmt: skip
            elif name not in new_values and value not in new:
                yield finding(
                    "MEMBER_REMOVED", ("READ",), "breaking", name, f"{value} lost its name",
                    "new readers of old logs with this value: its meaning is unknown", None,
                )  # fmt: skip
            elif name not in new_values and new[value] not in old_values:
                yield finding(
                    "MEMBER_RENAMED", ("API",), "warning", name, f"{name} → {new[value]}",
                    "programs that use the name; the bytes are unchanged", value,
                )  # fmt: skip
        for value, name in new.items():
            if value not in old and name not in old_values:
                yield finding(
                    "MEMBER_ADDED", ("WRITE",), "note", name, f"{value} is new",
                    "old readers of new logs: the value has no name; whether they reject it"
                    " depends on the field", value,
                )  # fmt: skip


def _may_be_absent(attributes: Attributes) -> str:
    """Return the reason why a log may lack this field, or "" if every log has the field.

    The reason ``never`` means that the condition is always false, ``condition`` that the condition
    may be false, and ``end`` that the log may end before the field.
    """
    condition = attributes["if"]
    if condition == "false":
        return "never"
    if condition is not None:
        return "end" if re.search(r"\b_io \. (eof|size|pos)", condition) else "condition"
    is_open = attributes["kind"] in ("bytes", "text") and "size-eos" in attributes["extent"]
    return "end" if is_open or attributes["repeat"][0] == "eos" else ""


def _is_spare(members: Iterable[Member]) -> bool:
    return all(member.id.startswith(_RESERVED) for member in members)


def _total(widths: Iterable[int | None]) -> int:
    return sum(filter(None, widths))


def _size(bits: int) -> str:
    if bits % 8:
        return f"{bits} bit{'s' * (bits != 1)}"
    return f"{bits // 8} byte{'s' * (bits != 8)}"


def _text(value: Any) -> str:
    if isinstance(value, dict) and "cases" in value:
        cases = ", ".join(f"{case}: {type}" for case, type in value["cases"].items())
        return f"switch on {value.get('switch-on')} ({cases})"
    return "nothing" if value is None else " ".join(str(value).split())
