"""Old and new grammars on old and new logs: what a structural difference really does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from conformance.contents import by_name, size
from conformance.kaitai.compile import parser_folder
from conformance.kaitai.grammars import names_of
from conformance.kaitai.types import class_name
from walproof.review.behaviour import Changed, Table, counted, several
from walproof.review.finding import FOLLOWS, Finding
from walproof.review.grammar_model import Model, target
from walproof.review.logs import LARGE_BYTES, LogUnderReview
from walproof.review.members import b_id
from walproof.review.revision import Worker
from walproof.review.structure import StructureDiff

FEWEST = 3
"""Undamaged logs that must hold a field before data may speak against the structural diff."""


@dataclass
class Seen:
    """What the logs say of members: how many undamaged ones hold it, and where it differs."""

    held: dict[str, int] = field(default_factory=dict)
    undamaged: dict[str, int] = field(default_factory=dict)
    damaged: dict[str, int] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    whole: int = 0
    unlike: int = 0
    hurt: int = 0


class GrammarRun:
    """Runs the grammars of one format, in both versions, over logs."""

    def __init__(self, diff: StructureDiff, format: str, worker: Worker, scratch: Path) -> None:
        self.diff, self.format, self.worker, self.scratch = diff, format, worker, scratch
        self.seen = Seen()
        self.findings: list[Finding] = []
        self._grown = {".".join((*owner, id)) for owner, id in diff.grown}
        self._only_grown: list[LogUnderReview] = []

    def run(self, logs: Iterable[LogUnderReview]) -> Table:
        """The table; adds what it shows to ``findings``."""
        table = Table(self.format, "grammar")
        tops = {
            old: new
            for old, new in self.diff.pairing.tops.items()
            if new in grammars_of(self.diff.new, self.format)
        }
        if not tops:
            table.not_run = "no grammar of this format on both sides"
            return table
        requests = {old: self._request(old, new) for old, new in tops.items()}
        differing: dict[str, str] = {}
        # Undamaged logs of any size; of the large ones that are damaged, what the sweep made.
        logs = [
            log
            for log in logs
            if size(log.contents) <= LARGE_BYTES or not log.damaged or log.origin == "sweep"
        ]
        # Controls first: damage to a log that differs by itself proves nothing.
        undamaged = [(log, self._read(log, requests, differing)) for log in logs if not log.damaged]
        # A few logs of later versions have bytes where a field was appended: they are there for it.
        few = sum(not log.damaged for log in self._only_grown) < FEWEST
        for log, why in chain(
            undamaged,
            ((log, self._read(log, requests, differing)) for log in logs if log.damaged),
        ):
            if why is None:
                continue
            if why and few and any(log is grown for grown in self._only_grown):
                why = ""
            table.count(log, not why)
            if not why:
                continue
            consequence = log.damaged and self._expected(log, differing)
            differing |= dict.fromkeys((log.key, log.name, *log.aliases), why)
            rules = [
                rule
                for rule, side in (("READS_OLD_FILE", "old"), ("READS_NEW_FILE", "new"))
                if side in log.sides and not log.damaged
            ]
            if log.damaged:
                rules = ["READS_DAMAGED" if consequence else "GRAMMAR_ON_DAMAGE"]
            table.changed += [
                Changed(log.name, log.origin, log.damaged, rule, why) for rule in rules
            ]
        self._findings(table)
        return table

    def _request(self, old: str, new: str) -> dict[str, Any]:
        return {
            "old": _side(self.diff.old, old),
            "new": _side(self.diff.new, new),
            "pairs": dict(member_pairs(self.diff)),
        }

    def _read(
        self, log: LogUnderReview, requests: Mapping[str, Any], differing: Mapping[str, str]
    ) -> str | None:
        """What differs in a log; ``""`` if nothing does, None if no grammar fits its files."""
        found = None
        differ: set[str] = set()
        held: set[str] = set()
        for name, data in by_name(log.contents).items():
            grammar = _grammar_for(name or log.file_name, list(requests), self.diff.old)
            if grammar is None:
                continue
            path = self.scratch / "file"
            path.write_bytes(data)
            reply = self.worker.ask(do="grammars", path=str(path), **requests[grammar])
            if "error" in reply:
                found = found or str(reply["error"])
                continue
            found = found or reply["why"] or ""
            differ |= set(reply["differ"])
            held |= set(reply["keys"])
        if differ and differ <= self._grown:
            self._only_grown.append(log)
        self._note(log, held, differ, differing)
        return found

    def _note(
        self, log: LogUnderReview, held: set[str], differ: set[str], differing: Mapping[str, str]
    ) -> None:
        if log.damaged and self._expected(log, differing):
            return
        counts = self.seen.damaged if log.damaged else self.seen.undamaged
        for key in differ:
            counts[key] = counts.get(key, 0) + 1
        if log.damaged:
            self.seen.hurt += 1
        else:
            self.seen.whole += 1
            self.seen.names |= {log.key, log.name, *log.aliases}
            self.seen.unlike += bool(differ)
            for key in held:
                self.seen.held[key] = self.seen.held.get(key, 0) + 1

    def _expected(self, log: LogUnderReview, differing: Mapping[str, str]) -> bool:
        """Whether a damaged log must differ, because its undamaged sibling does.

        If the sibling was not read (it is too large, or none is named): whether most siblings do.
        """
        if log.control in self.seen.names:
            return log.control in differing
        return 2 * self.seen.unlike > self.seen.whole

    def _findings(self, table: Table) -> None:
        for rule, classes, severity, hurts in (
            ("READS_OLD_FILE", ("READ",), "breaking", "parsers from the new grammar, on old logs"),
            ("READS_NEW_FILE", ("WRITE",), "breaking", "parsers from the old grammar, on new logs"),
            (
                "GRAMMAR_ON_DAMAGE", ("RECOVER",), "warning",
                "recovery that is built on the generated parsers",
            ),
        ):  # fmt: skip
            entries = [changed for changed in table.changed if changed.rule == rule]
            if entries:
                first = f"{several([e.log for e in entries], 1)}: {entries[0].how}"
                change = f"{counted(entries)}: {first}"
                subject = "grammar"
                self.findings.append(
                    Finding(rule, classes, severity, subject, change, hurts, format=self.format)  # type: ignore[arg-type]
                )


def by_data(findings: Iterable[Finding], seen: Seen) -> list[Finding]:
    """The structural findings, where data knows better than the reading of an expression.

    Only findings that rest on expressions, whose members stand in at least :data:`FEWEST`
    undamaged logs that both grammars read alike: then damage is all that may tell them apart.
    """
    judged = []
    for finding in findings:
        keys = finding.fields
        # What follows from a change that undamaged logs show is as bad as that change.
        follows = FOLLOWS in finding.change and seen.undamaged
        known = (
            keys
            and not follows
            and all(seen.held.get(key, 0) >= FEWEST and not seen.undamaged.get(key) for key in keys)
        )
        if not known:
            judged.append(finding)
            continue
        logs = f"all {min(seen.held[key] for key in keys)} undamaged logs that have it"
        damaged = max(seen.damaged.get(key, 0) for key in keys)
        if damaged:
            hurts = (
                f"recovery: {logs} are read alike, {damaged} of {seen.hurt} damaged ones are not"
            )
            judged.append(replace(finding, classes=("RECOVER",), hurts=hurts))
        else:
            hurts = f"perhaps nobody: {logs} are read alike, and {seen.hurt} damaged ones"
            judged.append(replace(finding, severity="warning", hurts=hurts))
    return judged


def grammars_of(model: Model, format: str) -> list[str]:
    """The grammars of a format that a revision has, without those that they import."""
    return [name for name in names_of(format) if name in model.tops]


def member_pairs(diff: StructureDiff) -> Iterator[tuple[str, str]]:
    """Fields and instances that both sides have, under the names that the worker uses."""
    for a, b in diff.pairing.classes.items():
        for old, new in diff.pairing.alignments[a].pairs:
            spared = (old.owner, old.id) in diff.spared
            if not (old.unnamed or new.unnamed or spared):
                yield b_id(old), b_id(new)
        instances = diff.new.classes[b].instances
        for id, member in diff.old.classes[a].instances.items():
            twin = instances.get(diff.pairing.rename(a, id))
            if twin is not None and target(member.node.get("dataTypeOpt") or {}) is None:
                yield b_id(member), b_id(twin)


def _side(model: Model, grammar: str) -> dict[str, Any]:
    """What the worker needs of one grammar: the debug parser, and how its classes are called."""
    file = model.root / model.files[grammar]
    return {
        "folder": str(parser_folder(file.stem, True, file.parent)),
        "grammar": grammar,
        "top": class_name(grammar),
        "names": {
            ".".join(class_name(part) for part in name): ".".join(name) for name in model.classes
        },
    }


def _grammar_for(file: str, grammars: list[str], model: Model) -> str | None:
    """The grammar of a file in a log: by its ``file-extension``, or the only one there is."""
    ending = file.rpartition(".")[2] if "." in file else ""
    for grammar in grammars:
        said = model.meta(grammar).get("file-extension", ())
        if ending and ending in ([said] if isinstance(said, str) else said):
            return grammar
    return grammars[0] if len(grammars) == 1 else None
