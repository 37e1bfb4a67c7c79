"""Run old and new grammars on old and new logs, to measure the effect of a structural change."""

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
from walproof.review.behaviour import Changed, Table, count_logs, first_names
from walproof.review.finding import FOLLOWS, Finding
from walproof.review.grammar_model import Model, target
from walproof.review.logs import LARGE_BYTES, LogUnderReview
from walproof.review.members import b_id
from walproof.review.revision import Worker
from walproof.review.structure import StructureDiff

#: Minimum number of undamaged logs with a field before data may override the structural diff.
MIN_LOGS = 3


@dataclass
class MemberStatistics:
    """Counters for comparing members over the logs.

    ``held`` counts the undamaged logs that contain a member. ``undamaged`` and ``damaged`` count
    the logs in which the member differs. ``names`` contains the keys and names of the undamaged
    logs. ``undamaged_count`` and ``damaged_count`` are the numbers of logs. ``differing_count`` is
    the number of undamaged logs that differ.
    """

    held: dict[str, int] = field(default_factory=dict)
    undamaged: dict[str, int] = field(default_factory=dict)
    damaged: dict[str, int] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    undamaged_count: int = 0
    differing_count: int = 0
    damaged_count: int = 0


class GrammarRun:
    """Run both versions of the grammars of one format over logs."""

    def __init__(self, diff: StructureDiff, format: str, worker: Worker, scratch: Path) -> None:
        self.diff, self.format, self.worker, self.scratch = diff, format, worker, scratch
        self.statistics = MemberStatistics()
        self.findings: list[Finding] = []
        self._grown = {".".join((*owner, id)) for owner, id in diff.grown}
        self._only_grown: list[LogUnderReview] = []

    def run(self, logs: Iterable[LogUnderReview]) -> Table:
        """Return the table; add its differences to ``findings``."""
        table = Table(self.format, "grammar")
        tops = {
            old: new
            for old, new in self.diff.pairing.tops.items()
            if new in grammars_of(self.diff.new, self.format)
        }
        if not tops:
            table.not_run = "no grammar of this format exists on both sides"
            return table
        requests = {old: self._request(old, new) for old, new in tops.items()}
        differing: dict[str, str] = {}
        # All undamaged logs; damaged logs only if they are small, or samples of the sweep.
        logs = [
            log
            for log in logs
            if size(log.contents) <= LARGE_BYTES or not log.damaged or log.origin == "sweep"
        ]
        # Undamaged logs first: if one differs, its damaged copies prove nothing.
        undamaged = [(log, self._read(log, requests, differing)) for log in logs if not log.damaged]
        # Logs of later versions have bytes at the position of an appended field, as intended.
        few = sum(not log.damaged for log in self._only_grown) < MIN_LOGS
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
        """Describe the difference in a log; "" if there is none, None if no grammar fits its
        files."""
        difference = None
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
                difference = difference or str(reply["error"])
                continue
            difference = difference or reply["why"] or ""
            differ |= set(reply["differ"])
            held |= set(reply["keys"])
        if differ and differ <= self._grown:
            self._only_grown.append(log)
        self._note(log, held, differ, differing)
        return difference

    def _note(
        self, log: LogUnderReview, held: set[str], differ: set[str], differing: Mapping[str, str]
    ) -> None:
        if log.damaged and self._expected(log, differing):
            return
        counts = self.statistics.damaged if log.damaged else self.statistics.undamaged
        for key in differ:
            counts[key] = counts.get(key, 0) + 1
        if log.damaged:
            self.statistics.damaged_count += 1
        else:
            self.statistics.undamaged_count += 1
            self.statistics.names |= {log.key, log.name, *log.aliases}
            self.statistics.differing_count += bool(differ)
            for key in held:
                self.statistics.held[key] = self.statistics.held.get(key, 0) + 1

    def _expected(self, log: LogUnderReview, differing: Mapping[str, str]) -> bool:
        """Return whether a damaged log must differ because its undamaged original differs.

        If the original was not read, the majority of the undamaged logs decides.
        """
        if log.control in self.statistics.names:
            return log.control in differing
        return 2 * self.statistics.differing_count > self.statistics.undamaged_count

    def _findings(self, table: Table) -> None:
        for rule, classes, severity, hurts in (
            ("READS_OLD_FILE", ("READ",), "breaking", "parsers of the new grammar, on old logs"),
            ("READS_NEW_FILE", ("WRITE",), "breaking", "parsers of the old grammar, on new logs"),
            (
                "GRAMMAR_ON_DAMAGE", ("RECOVER",), "warning",
                "recovery that uses the generated parsers",
            ),
        ):  # fmt: skip
            entries = [changed for changed in table.changed if changed.rule == rule]
            if entries:
                first = f"{first_names([e.log for e in entries], 1)}: {entries[0].difference}"
                change = f"{count_logs(entries)}: {first}"
                subject = "grammar"
                self.findings.append(
                    Finding(rule, classes, severity, subject, change, hurts, format=self.format)  # type: ignore[arg-type]
                )


def by_data(findings: Iterable[Finding], statistics: MemberStatistics) -> list[Finding]:
    """Correct the structural findings that depend only on expressions, using the logs.

    A finding is corrected only if its members occur in at least :data:`MIN_LOGS` undamaged logs,
    and if both grammars read these logs alike. In this case, the grammars can differ only on
    damaged logs.
    """
    judged = []
    for finding in findings:
        keys = finding.fields
        # A consequence of a change that undamaged logs show is as severe as the change.
        follows = FOLLOWS in finding.change and statistics.undamaged
        is_testable = (
            keys
            and not follows
            and all(
                statistics.held.get(key, 0) >= MIN_LOGS and not statistics.undamaged.get(key)
                for key in keys
            )
        )
        if not is_testable:
            judged.append(finding)
            continue
        logs = f"all {min(statistics.held[key] for key in keys)} undamaged logs with the field"
        damaged_logs = f"{statistics.damaged_count} damaged logs"
        damaged = max(statistics.damaged.get(key, 0) for key in keys)
        if damaged:
            hurts = f"recovery: {logs} are read alike, but {damaged} of {damaged_logs} are not"
            judged.append(replace(finding, classes=("RECOVER",), hurts=hurts))
        else:
            hurts = f"possibly nobody: {logs} and {damaged_logs} are read alike"
            judged.append(replace(finding, severity="warning", hurts=hurts))
    return judged


def grammars_of(model: Model, format: str) -> list[str]:
    """Return the grammars of a format in a revision, without imported ones."""
    return [name for name in names_of(format) if name in model.tops]


def member_pairs(diff: StructureDiff) -> Iterator[tuple[str, str]]:
    """Yield fields and instances that both sides have, under the names of the worker."""
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
    """Return the request for one grammar: its debug parser and the names of its classes."""
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
    """Return the grammar of a file in a log: by ``file-extension``, or the only grammar."""
    extension = file.rpartition(".")[2] if "." in file else ""
    for grammar in grammars:
        extensions = model.meta(grammar).get("file-extension", ())
        if extension and extension in ([extensions] if isinstance(extensions, str) else extensions):
            return grammar
    return grammars[0] if len(grammars) == 1 else None
