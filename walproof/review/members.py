"""Compare two versions of a field or instance, and name the affected parties."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from walproof.review.facets import AcceptedValues, Facets
from walproof.review.finding import FOLLOWS, Class, Finding, Severity
from walproof.review.grammar_model import Member, Model, Name

BOTH: tuple[Class, ...] = ("READ", "WRITE")
MISREAD = "both sides: each misreads every log of the other that has the field"

_COVERAGE = re.compile(r"(checksum|crc|hash|digest|hmac).*(input|range|bytes|data|area)|_input$")
_EXTENT = ("how", "size", "terminator", "include", "consume", "eosError")
#: Keys of a member at which a finding of a rule is located; the first that exists counts.
_LOCATED_AT = {
    "VALUES_LOOSENED": ("valid", "contents"),
    "VALUES_TIGHTENED": ("valid", "contents"),
    "VALUES_CHANGED": ("valid", "contents"),
    "FIELD_CONDITION": ("if",),
    "FIELD_REPEAT": ("repeat-until", "repeat-expr", "repeat"),
    "FIELD_RESIZED": ("size", "size-eos", "type"),
    "FIELD_TYPE": ("type",),
    "FIELD_SIGN": ("type",),
    "FIELD_ENDIANNESS": ("type",),
    "FIELD_POSITION": ("pos", "io"),
    "VALUE_CHANGED": ("value",),
    "SWITCH_SELECTOR": ("type",),
    "SWITCH_CASE_ADDED": ("type",),
    "SWITCH_CASE_REMOVED": ("type",),
    "ENUM_ATTACHED": ("enum",),
    "CHECKSUM_COVERAGE": ("-checksum", "pos", "size"),
}
_KEYS = {
    "extent": ("size", "size-eos", "terminator", "include", "consume", "eos-error", "type"),
    "repeat": ("repeat", "repeat-expr", "repeat-until"),
}


def is_coverage(member: Member, model: Model) -> bool:
    """Return whether a member holds the bytes under a checksum, by its name or by ``-checksum``."""
    if member.role == "parse" and _COVERAGE.search(member.id):
        return True
    owner = model.classes[member.owner]
    rules = [model.written(member_of_owner).get("-checksum") for member_of_owner in owner.seq]
    return any(isinstance(rule, dict) and rule.get("over") == member.id for rule in rules)


class MemberDiff:
    """Compare pairs of members; ``same_type`` returns whether two types are the same."""

    def __init__(
        self, old: Model, new: Model, same_type: Callable[[Name, Name], bool],
        same_enum: Callable[[Name, Name], bool],
    ) -> None:  # fmt: skip
        self.old, self.new = old, new
        self.same_type, self.same_enum = same_type, same_enum

    def compare(self, a: Member, b: Member, fa: Facets, fb: Facets) -> Iterator[Finding]:
        """Yield the findings of one pair. The facets of ``a`` use the new names."""
        self._a, self._b = a, b
        if a.id != b.id and not (a.unnamed and b.unnamed) and b.role != "param":
            yield self._finding(
                "FIELD_RENAMED", ("API",), "warning", f"{a.id} → {b.id}",
                "programs that use the name in a generated parser; the bytes are unchanged",
            )  # fmt: skip
        findings = list(self._wire(fa, fb))
        if (
            b.role == "parse"
            and (is_coverage(b, self.new) or is_coverage(a, self.old))
            and findings
        ):
            change = "; ".join(dict.fromkeys(finding.change for finding in findings))
            yield self._coverage(change, findings)
        else:
            yield from findings
        yield from self._accepted(fa.get("accepts"), fb.get("accepts"))
        yield from self._checksum_rule()

    def _wire(self, fa: Facets, fb: Facets) -> Iterator[Finding]:
        yield from self._data_type(fa, fb)
        for key, rule in (("if", "FIELD_CONDITION"), ("repeat", "FIELD_REPEAT")):
            if fa.get(key) != fb.get(key):
                yield self._expression(rule, self._change(*_KEYS.get(key, (key,))))
        if (fa.get("pos"), fa.get("io")) != (fb.get("pos"), fb.get("io")):
            yield self._expression("FIELD_POSITION", self._change("pos", "io"))
        if fa.get("value") != fb.get("value"):
            yield self._finding(
                "VALUE_CHANGED", ("READ",), "breaking", self._change("value"),
                "programs that use the instance: its value differs for the same bytes",
                (b_id(self._b),),
            )  # fmt: skip

    def _data_type(self, fa: Facets, fb: Facets) -> Iterator[Finding]:
        types = (fa["kind"], fb["kind"])
        if types[0] != types[1]:
            yield from self._different_type(fa, fb)
            return
        if types[0] == "switch":
            yield from self._switch(fa, fb)
            return
        if fa.get("bits") != fb.get("bits") or any(fa.get(k) != fb.get(k) for k in _EXTENT):
            if fa.get("bits") is not None and fb.get("bits") is not None:
                old_bits, new_bits = fa["bits"], fb["bits"]
                shown = (
                    f"{_size(old_bits)} → {_size(new_bits)}"
                    if old_bits != new_bits
                    else self._extent()
                )
                yield self._finding("FIELD_RESIZED", BOTH, "breaking", shown, MISREAD)
            else:
                yield self._expression("FIELD_RESIZED", self._extent())
        if fa.get("endian") != fb.get("endian") and fa.get("endian") and fb.get("endian"):
            yield self._finding(
                "FIELD_ENDIANNESS", BOTH, "breaking", f"{_endian(fa)} → {_endian(fb)}", MISREAD
            )
        if fa.get("packed") != fb.get("packed") and fa.get("bits") == fb.get("bits"):
            yield self._finding("FIELD_TYPE", BOTH, "breaking", self._change("type"), MISREAD)
        if fa.get("signed") != fb.get("signed"):
            shown = f"{_sign(fa)} → {_sign(fb)}"
            hurts = "both sides, for numbers with the highest bit set: negative or large"
            yield self._finding("FIELD_SIGN", BOTH, "breaking", shown, hurts)
        if fa.get("encoding") != fb.get("encoding"):
            shown = f"{fa.get('encoding')} → {fb.get('encoding')}"
            yield self._finding("FIELD_ENCODING", BOTH, "breaking", shown, MISREAD)
        for key in ("process", "padRight", "is"):
            if fa.get(key) != fb.get(key):
                shown = self._change("process", "pad-right", "type")
                yield self._finding("FIELD_PROCESSED", BOTH, "breaking", shown, MISREAD)
        if types[0] == "type":
            yield from self._user_type(fa, fb)
        if fa.get("enum") != fb.get("enum"):
            yield from self._enum(fa.get("enum"), fb.get("enum"))

    def _different_type(self, fa: Facets, fb: Facets) -> Iterator[Finding]:
        """Compare fields of different types; over the same bytes only names may be affected."""
        types = {fa["kind"], fb["kind"]}
        extent = [tuple(f.get(key) for key in _EXTENT) for f in (fa, fb)]
        if types <= {"bytes", "type", "text", "switch"} and "switch" not in types:
            if extent[0] != extent[1]:
                yield self._expression("FIELD_RESIZED", self._extent())
            elif "type" in types:
                yield self._finding(
                    "FIELD_STRUCTURED", ("API", "READ"), "warning", self._change("type"),
                    "programs that use the field; also new readers, if an old log holds bytes"
                    " that do not fit the type",
                )  # fmt: skip
            else:
                yield self._finding(
                    "FIELD_TYPE", ("API",), "warning", self._change("type", "encoding"),
                    "programs that use the field: text instead of bytes, or bytes instead of text",
                )  # fmt: skip
        elif types == {"bytes", "integer"} and fa.get("bits") == fb.get("bits"):
            yield self._finding(
                "FIELD_TYPE", ("API",), "warning", self._change("type", "size"),
                "programs that use the field: a number instead of bytes, or the reverse",
            )  # fmt: skip
        else:
            shown = self._change("type", "size", "contents")
            yield self._finding("FIELD_TYPE", BOTH, "breaking", shown, MISREAD)

    def _user_type(self, fa: Facets, fb: Facets) -> Iterator[Finding]:
        if not self.same_type(fa["type"], fb["type"]):
            yield self._finding("FIELD_TYPE", BOTH, "breaking", self._change("type"), MISREAD)
        elif fa["args"] != fb["args"]:
            yield self._expression("FIELD_ARGUMENTS", self._change("type"))

    def _enum(self, a: Name | None, b: Name | None) -> Iterator[Finding]:
        if a and b and self.same_enum(a, b):
            return
        yield self._finding(
            "ENUM_ATTACHED", ("API",), "warning", self._change("enum"),
            "programs that compare the field with names or numbers; the bytes are unchanged",
        )  # fmt: skip

    def _switch(self, fa: Facets, fb: Facets) -> Iterator[Finding]:
        if fa["on"] != fb["on"]:
            yield self._expression("SWITCH_SELECTOR", self._change("type"))
        old, new = fa["cases"], fb["cases"]
        for key in [*old, *(key for key in new if key not in old)]:
            label = _label(key)
            if key not in new:
                yield from self._case_removed(label, old[key], new.get(("else",)))
            elif key not in old:
                yield from self._case_added(label, new[key], old.get(("else",)))
            elif key == ("else",):
                # Undamaged logs show whether any writer uses the default.
                for finding in self._data_type(old[key], new[key]):
                    yield replace(finding, fields=finding.fields or (b_id(self._b),))
            elif old[key]["kind"] == new[key]["kind"]:
                yield from self._data_type(old[key], new[key])
            else:
                yield from self._different_type(old[key], new[key])

    def _case_removed(self, label: str, case: Facets, default: Facets | None) -> Iterator[Finding]:
        skipped = default is not None and _extent(default) == _extent(case)
        hurts = (
            "new readers of old logs with this case: they skip the bytes"
            if skipped
            else "new readers of old logs with this case: the length of the field is unknown"
        )
        yield self._finding("SWITCH_CASE_REMOVED", ("READ",), "breaking", f"case {label}", hurts)

    def _case_added(self, label: str, case: Facets, default: Facets | None) -> Iterator[Finding]:
        if default is not None and _extent(default) == _extent(case) and "size" in case | default:
            yield self._finding(
                "SWITCH_CASE_ADDED", ("WRITE",), "note", f"case {label}",
                "nobody: old readers treat the field as raw bytes of the given size",
            )  # fmt: skip
        elif default is not None and _extent(default) == _extent(case) and "how" in case:
            yield self._finding(
                "SWITCH_CASE_ADDED", ("WRITE",), "note", f"case {label}",
                "nobody: old readers treat the field as raw bytes up to the end of the stream",
            )  # fmt: skip
        else:
            yield self._finding(
                "SWITCH_CASE_ADDED", ("WRITE",), "breaking", f"case {label}",
                "old readers of new logs with this case: the length of the field is unknown",
            )  # fmt: skip

    def _accepted(self, a: AcceptedValues | None, b: AcceptedValues | None) -> Iterator[Finding]:
        if a is None or b is None or a == b:
            return
        change = f"accepts {a.shown()} → {b.shown()}"
        if a.rules != b.rules and a.shown() == b.shown():
            change = self._change("valid")
        if a.is_within(b):
            yield self._finding(
                "VALUES_LOOSENED", ("WRITE",), "breaking", change,
                "old readers, which reject new logs with the new values; also recovery: damage"
                " that produces a new value is not detected",
            )  # fmt: skip
        elif b.is_within(a):
            yield self._finding(
                "VALUES_TIGHTENED", ("READ",), "breaking", change,
                "new readers, which reject old logs with the other values",
            )  # fmt: skip
        else:
            yield self._finding(
                "VALUES_CHANGED", BOTH, "breaking", change,
                "both sides: each rejects logs of the other",
            )  # fmt: skip

    def _checksum_rule(self) -> Iterator[Finding]:
        old, new = (
            {k: v for k, v in model.written(m).items() if k.startswith(("-checksum", "-crc"))}
            for model, m in ((self.old, self._a), (self.new, self._b))
        )
        if old and not new:
            yield self._finding(
                "CHECKSUM_REMOVED", ("RECOVER",), "breaking", "the checksum rule was removed",
                "recovery: damage is no longer detected",
            )  # fmt: skip
        elif new and not old:
            yield self._finding(
                "CHECKSUM_ADDED", ("RECOVER",), "note", "a checksum rule was added",
                "nobody, if old logs satisfy the rule",
            )  # fmt: skip
        elif old != new:
            yield self._coverage(f"{_text(old)} → {_text(new)}", [])

    def _coverage(self, change: str, parts: list[Finding]) -> Finding:
        fields = (b_id(self._b),) if parts and all(part.fields for part in parts) else ()
        return self._finding(
            "CHECKSUM_COVERAGE", ("READ", "WRITE", "RECOVER"), "breaking", change,
            "both sides: each rejects the checksums of the other, and reports damage",
            fields,
        )  # fmt: skip

    def _expression(self, rule: str, change: str) -> Finding:
        """Return a finding that rests only on an expression, which data may correct."""
        return self._finding(rule, BOTH, "breaking", change, MISREAD, (b_id(self._b),))

    def _finding(
        self, rule: str, classes: tuple[Class, ...], severity: Severity, change: str, hurts: str,
        fields: tuple[str, ...] = (),
    ) -> Finding:  # fmt: skip
        written = self.new.written(self._b)
        key = next((key for key in _LOCATED_AT.get(rule, ()) if key in written), None)
        location = self.new.member_location(self._b, *([key] if key else []))
        return Finding(
            rule, classes, severity, self._b.shown, change, hurts, location, fields=fields
        )

    def _extent(self) -> str:
        return self._change(*_KEYS["extent"])

    def _change(self, *keys: str) -> str:
        """Return the source of the keys that differ, old → new."""
        old, new = self.old.written(self._a), self.new.written(self._b)
        parts = [
            _differing_cases(key, old.get(key), new.get(key))
            or f"{key}: {_text(old.get(key))} → {_text(new.get(key))}"
            for key in keys
            if old.get(key) != new.get(key)
        ]
        return "; ".join(parts) or f"{keys[0]}: {FOLLOWS}"


def b_id(member: Member) -> str:
    """Return the name of a member in the reports of the worker: type and field."""
    return ".".join((*member.owner, member.id))


def _extent(facets: Facets) -> tuple[Any, ...]:
    return tuple(facets.get(key) for key in _EXTENT)


def _size(bits: int) -> str:
    if bits % 8:
        return f"{bits} bit{'s' * (bits != 1)}"
    return f"{bits // 8} byte{'s' * (bits != 8)}"


def _endian(facets: Facets) -> str:
    return "little-endian" if "Little" in str(facets["endian"]) else "big-endian"


def _sign(facets: Facets) -> str:
    return "signed" if facets.get("signed") else "unsigned"


def _label(key: Any) -> str:
    return "_" if key == ("else",) else str(key[1])


def _differing_cases(key: str, old: Any, new: Any) -> str:
    """Describe the difference between two switches: the selector, and the cases that differ."""
    if not all(isinstance(old_case, dict) and "cases" in old_case for old_case in (old, new)):
        return ""
    parts = []
    if old.get("switch-on") != new.get("switch-on"):
        parts.append(f"switch on {_text(old.get('switch-on'))} → {_text(new.get('switch-on'))}")
    cases = old["cases"], new["cases"]
    for case in [*cases[0], *(case for case in cases[1] if case not in cases[0])]:
        old_case, new_case = (side.get(case) for side in cases)
        if old_case != new_case:
            parts.append(f"case {case}: {_text(old_case)} → {_text(new_case)}")
    return f"{key}: {'; '.join(parts)}" if parts else ""


def _text(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict) and "cases" in value:
        cases = ", ".join(f"{case}: {type}" for case, type in value["cases"].items())
        return f"switch on {value.get('switch-on')} ({cases})"
    return " ".join(str(value).split())
