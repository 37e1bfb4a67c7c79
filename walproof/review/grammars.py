"""Compare the fields of two grammar versions, and how their parsers read the logs."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from conformance.contents import by_name
from conformance.kaitai.compile import parser_folder
from conformance.kaitai.grammars import grammar_of
from conformance.kaitai.types import Type, Types
from walproof.review.behaviour import Changed, Effects, Table
from walproof.review.finding import Class, ReviewFinding, Severity
from walproof.review.logs import ReviewedLog
from walproof.review.revision import RevisionReaders

EFFECTS: Effects = {
    "READS_OLD_FILE": ("READ", "breaking", "parsers of the new grammar, on old logs"),
    "READS_NEW_FILE": ("WRITE", "breaking", "parsers of the old grammar, on new logs"),
    "GRAMMAR_ON_DAMAGE": ("RECOVER", "breaking", "recovery that uses the generated parsers"),
}
_NUMBER = re.compile(r"([usf][1248]|b\d+)(le|be)?")
#: These attributes determine the meaning of a field's bytes.
_MEANING = {"number", "contents", "encoding", "process", "pad-right"}
_COVERAGE = re.compile(r"(checksum|crc|hash|digest|hmac).*(input|range|bytes|data|area)|_input$")


class FieldText(NamedTuple):
    """The YAML attributes of a field or instance, without its documentation."""

    #: The name of the field, preceded by the name of its type, such as ``record_header.len_data``.
    name: str
    attributes: Mapping[str, str]
    #: The location of the field's definition, such as ``ksy/x.ksy:12``.
    where: str

    @property
    def is_instance(self) -> bool:
        """True if the parser computes the value or reads it from a given offset."""
        return bool({"value", "pos"} & self.attributes.keys())


def field_texts(grammar: str, root: Path) -> dict[str, FieldText]:
    """Return the fields and instances of a grammar by path.

    A path looks like ``records[].header.type``.

    Two grammars that differ only in type names, key order, number bases or where the byte order is
    stated have equal results.
    """
    types = Types(grammar, root / "ksy")
    documents = {file: yaml.compose(file.read_text("utf-8")) for file in types.files}
    texts: dict[str, FieldText] = {}
    visited: set[str] = set()
    waiting = deque([("", types.types[types.top])])
    # Visit types last if no field uses them. They form a library, which other grammars use.
    unused = deque((f"{name}.", type) for name, type in types.types.items())
    while waiting or unused:
        above, type = (waiting or unused).popleft()
        if type.name in visited:
            continue
        visited.add(type.name)
        for path, id, body in _members(type):
            name = f"{above}{id}{'[]' * ('repeat' in body)}"
            where = _line(documents[type.file], type, *path)
            texts[name] = FieldText(
                ".".join([*type.ids[1:], id]), _attributes(body, type, types),
                f"{type.file.relative_to(root).as_posix()}:{where}",
            )  # fmt: skip
            cases = list(types.types_of(body, type))
            for number, inner in enumerate(cases):
                waiting.append((f"{name}{f'<{number}>' * (len(cases) > 1)}.", inner))
    return texts


def _members(type: Type) -> Iterator[tuple[tuple[str, str], str, Any]]:
    """Yield the path in the YAML, the id and the body of each field and instance of a type."""
    for number, body in enumerate(type.body.get("seq") or ()):
        yield ("seq", str(number)), str(body.get("id", f"_unnamed{number}")), body
    for id, body in (type.body.get("instances") or {}).items():
        yield ("instances", id), id, body


def _attributes(body: Any, type: Type, types: Types) -> dict[str, str]:
    dropped = {"id", "doc", "doc-ref", "enum"}
    attributes = {
        key: _text(value)
        for key, value in body.items()
        if key not in dropped and not key.startswith("-")
    }
    meta = next(t for t in types.types.values() if t.file == type.file).body["meta"]
    written = body.get("type")
    if isinstance(written, dict):
        cases = {_text(k): _type_text(v, type, types) for k, v in written["cases"].items()}
        attributes["type"] = f"switch on {_text(written['switch-on'])} ({_text(cases)})"
    elif written and (number := _NUMBER.fullmatch(written)):
        endian = number[2] or meta.get("bit-endian" if written.startswith("b") else "endian", "")
        del attributes["type"]
        attributes["number"] = number[1] + _text(endian) * (number[1] not in ("u1", "s1"))
    elif written:
        attributes["type"] = _type_text(written, type, types)
    if written in ("str", "strz"):
        attributes.setdefault("encoding", str(meta.get("encoding")))
    if "contents" in body:
        parts = body["contents"] if isinstance(body["contents"], list) else [body["contents"]]
        raw = b"".join(bytes([p]) if isinstance(p, int) else str(p).encode() for p in parts)
        attributes["contents"] = raw.hex(" ")
    if "enum" in body:
        members = types.enums.get(types.enum_of(body["enum"], type), {})
        attributes |= {f"enum {name}": str(value) for value, name in members.items()}
        if isinstance(body.get("valid"), dict) and body["valid"].get("in-enum"):
            attributes["valid"] = f"one of {', '.join(map(str, sorted(members)))}"
    return attributes


def _type_text(written: str, type: Type, types: Types) -> str:
    """Return the text of a type, leaving out the name of a type that the grammar defines."""
    name, bracket, arguments = written.partition("(")
    return f"type{bracket}{arguments}" if types.resolve(name, type) else written


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(sorted(f"{key}: {_text(inner)}" for key, inner in value.items()))
    return str(value).lower() if isinstance(value, bool) else " ".join(str(value).split())


def _line(document: Any, type: Type, *path: str) -> int:
    """Return the line at which a path occurs in the YAML of a type."""
    line, node = 1, document
    for key in (*(part for id in type.ids[1:] for part in ("types", id)), *path):
        if isinstance(node, yaml.SequenceNode):
            node = node.value[int(key)]
            line = node.start_mark.line + 1
        else:
            name, node = next(pair for pair in node.value if str(pair[0].value) == key)
            line = name.start_mark.line + 1
    return line


@dataclass
class GrammarChange:
    """A grammar that differs between the two trees, and how its two parsers read the logs."""

    name: str
    old: dict[str, FieldText]
    new: dict[str, FieldText]
    #: The worker needs the directories of both parsers, the grammar and its class.
    request: Mapping[str, Any]
    #: The number of logs that both parsers read. The key is True for damaged logs.
    logs: Counter[bool] = field(default_factory=Counter)
    #: Rules that are violated because the parsers return different results.
    rules: set[str] = field(default_factory=set)
    #: Paths of the fields that occur in undamaged logs.
    paths: set[str] = field(default_factory=set)

    def findings(self) -> Iterator[ReviewFinding]:
        """Yield a finding for each changed field. Its severity depends on how the logs are read."""
        for path in [*self.old, *(path for path in self.new if path not in self.old)]:
            old, new = self.old.get(path), self.new.get(path)
            side = new or self.old[path]
            if old is None or new is None:
                was = "added" if new else "removed"
                text = ", ".join(f"{key}: {value}" for key, value in side.attributes.items())
                yield self._finding(f"FIELD_{was.upper()}", path, side, f"{was} ({text})")
            elif changed := _changed(old, new):
                parts = [
                    f"{key}: {old.attributes.get(key, 'nothing')} →"
                    f" {new.attributes.get(key, 'nothing')}"
                    for key in changed
                ]
                yield self._finding("FIELD_CHANGED", path, new, "; ".join(parts))
        order = [[p for p in side if p in self.old and p in self.new and not side[p].is_instance]
                 for side in (self.old, self.new)]  # fmt: skip
        for was, now in zip(*order, strict=True):
            if was != now:
                change = "changed position among its neighbours"
                yield self._finding("FIELD_MOVED", now, self.new[now], change)
                break

    def _finding(self, rule: str, path: str, side: FieldText, change: str) -> ReviewFinding:
        classes: tuple[Class, ...] = ("READ", "WRITE")
        severity: Severity = "breaking"
        is_checksum = side.is_instance and bool(_COVERAGE.search(path))
        effects = [EFFECTS[name] for name in EFFECTS if name in self.rules]
        changed = _changed(self.old[path], self.new[path]) if rule == "FIELD_CHANGED" else []
        if rule == "FIELD_REMOVED" and is_checksum:
            classes = ("RECOVER",)
            hurts = "readers that verify the checksum with it: damage is no longer detected"
        elif rule in ("FIELD_ADDED", "FIELD_REMOVED") and side.is_instance:
            classes, severity, hurts = ("API",), "warning", "programs that use the instance"
        elif any(self._changes_meaning(path, key) for key in changed):
            hurts = "both sides: the same bytes have a different meaning"
        elif effects:
            names = [effect[0] for effect in effects]
            classes = (*names, "RECOVER") if is_checksum else tuple(names)
            severity, hurts = effects[0][1], "; ".join(effect[2] for effect in effects)
        elif rule != "FIELD_ADDED" and _indexed(path) not in self.paths:
            hurts = "unknown readers: no undamaged log has the field"
        elif "valid" in changed:
            classes, hurts = ("WRITE",), "old readers of new logs, with values that no log has yet"
        else:
            severity = "warning"
            who = "possibly nobody"
            if not changed:
                classes, who = ("API",), "programs that use the field"
            hurts = (
                f"{who}: all {self.logs[False]} undamaged logs and {self.logs[True]}"
                " damaged logs are read alike"
            )
        return ReviewFinding(rule, classes, severity, side.name, change, hurts, side.where)

    def _changes_meaning(self, path: str, key: str) -> bool:
        """Return whether a change to the attribute changes what bytes mean, whatever logs show."""
        is_in_both = all(key in side[path].attributes for side in (self.old, self.new))
        return is_in_both and (key in _MEANING or key.startswith("enum "))


def _changed(old: FieldText, new: FieldText) -> list[str]:
    keys = sorted(old.attributes.keys() | new.attributes.keys())
    return [key for key in keys if old.attributes.get(key) != new.attributes.get(key)]


def _indexed(path: str) -> str:
    """Return the path of a field in logs, without the numbers of ``switch-on`` cases."""
    return re.sub(r"<\d+>", "", path)


def compare_grammars(old: Path, new: Path) -> dict[str, GrammarChange]:
    """Return, by name, the grammars that exist in both trees but differ.

    Raises :class:`~conformance.kaitai.compile.GrammarError` and ``ToolMissing``.
    """
    changes: dict[str, GrammarChange] = {}
    for name in sorted({file.stem for file in (old / "ksy").glob("*.ksy")}):
        if (new / "ksy" / f"{name}.ksy").is_file():
            folders = [parser_folder(name, True, root / "ksy") for root in (old, new)]
            # The name of a folder contains a digest of the grammar, so equal names mean equal
            # parsers.
            if folders[0].name == folders[1].name:
                continue
            texts = [field_texts(name, root) for root in (old, new)]
            attributes = [[(path, t.attributes) for path, t in s.items()] for s in texts]
            if attributes[0] != attributes[1]:
                request = {"folders": dict(zip(("old", "new"), map(str, folders), strict=True)),
                           "grammar": name, "top": Types(name, new / "ksy").top}  # fmt: skip
                changes[name] = GrammarChange(name, texts[0], texts[1], request)
    return changes


def added_and_removed(old: Path, new: Path) -> Iterator[ReviewFinding]:
    """Yield findings for grammars that exist in only one tree."""
    names = [{file.stem for file in (root / "ksy").glob("*.ksy")} for root in (old, new)]
    for name in sorted(names[0] - names[1]):
        yield ReviewFinding("GRAMMAR_REMOVED", ("API",), "warning", name, "removed",
                      "users of its parsers", f"ksy/{name}.ksy")  # fmt: skip
    for name in sorted(names[1] - names[0]):
        parser_folder(name, True, new / "ksy")
        yield ReviewFinding("GRAMMAR_ADDED", ("API",), "note", name, "added", "nobody",
                      f"ksy/{name}.ksy")  # fmt: skip


def read_with_grammars(
    changes: Mapping[str, GrammarChange], format: str, logs: Iterable[ReviewedLog],
    worker: RevisionReaders, scratch: Path,
) -> Table:  # fmt: skip
    """Read the logs with the parsers of both versions, and return the table of differences."""
    table = Table(format, "grammar")
    differing: set[ReviewedLog] = set()
    # Read undamaged logs first. If the parsers differ on one, its damaged copies prove nothing.
    for log in sorted(logs, key=lambda log: log.damaged):
        has_control = log.control is not None and not log.control.damaged
        follows = log.damaged and (log.control in differing if has_control else bool(differing))
        rules: dict[str, str] = {}
        is_read = False
        for name, data in by_name(log.contents).items():
            change = changes.get(grammar_of(format, data[:4], name or log.file_name))
            if change is None:
                continue
            is_read = True
            path = scratch / "file"
            path.write_bytes(data)
            found = _rules(log, worker.ask(do="grammars", path=str(path), **change.request), change)
            if follows and found:
                found = {"READS_DAMAGED": next(iter(found.values()))}
            change.logs[log.damaged] += 1
            change.rules |= found.keys()
            rules = {**found, **rules}
        if is_read:
            table.count(log, not rules)
        if rules and not log.damaged:
            differing.add(log)
        table.changed += [Changed(log.name, log.damaged, rule, how) for rule, how in rules.items()]
    return table


def _rules(log: ReviewedLog, reply: Mapping[str, Any], change: GrammarChange) -> dict[str, str]:
    """Return the rules that a log violates, with the first difference for each."""
    if "error" in reply:
        return dict.fromkeys(log.rules("GRAMMAR_ON_DAMAGE"), str(reply["error"]))
    readers = {"new_reader": "READS_OLD_FILE", "old_reader": "READS_NEW_FILE"}
    texts = {rule: reply[reader] for reader, rule in readers.items() if reply[reader]}
    if log.damaged:
        return {"GRAMMAR_ON_DAMAGE": next(iter(texts.values()))} if texts else {}
    for path in reply["paths"]:
        steps = path.split(".")
        change.paths.update(".".join(steps[:number]) for number in range(1, len(steps) + 1))
    if len(log.sides) == 1:
        return {rule: text for rule in log.rules("") for text in list(texts.values())[:1]}
    return texts
