"""Compare the field maps of old and new grammars, to measure the effect of a change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from conformance.contents import by_name
from conformance.kaitai.compile import parser_folder
from conformance.kaitai.grammars import grammar_of
from walproof.review.behaviour import Changed, Effects, Table
from walproof.review.finding import Finding
from walproof.review.grammar import Grammar
from walproof.review.logs import LogUnderReview
from walproof.review.revision import Worker
from walproof.review.structure import GrammarDiff

#: Minimum number of undamaged logs with a field before logs may override the structural diff.
MIN_LOGS = 3
EFFECTS: Effects = {
    "READS_OLD_FILE": ("READ", "breaking", "parsers of the new grammar, on old logs"),
    "READS_NEW_FILE": ("WRITE", "breaking", "parsers of the old grammar, on new logs"),
    "GRAMMAR_ON_DAMAGE": ("RECOVER", "warning", "recovery that uses the generated parsers"),
}


def compare_grammars(old: Path, new: Path) -> dict[str, GrammarDiff]:
    """Return the differences of the grammars that both trees have, by name.

    Raises :class:`~conformance.kaitai.compile.GrammarError` and ``ToolMissing``.
    """
    diffs: dict[str, GrammarDiff] = {}
    for name in sorted({file.stem for file in (old / "ksy").glob("*.ksy")}):
        if (new / "ksy" / f"{name}.ksy").is_file():
            # The compiler runs first, because it has the best error messages.
            folders = [parser_folder(name, True, root / "ksy").name for root in (old, new)]
            if folders[0] != folders[1]:  # the names contain a digest of the grammar
                diff = GrammarDiff(Grammar(name, old), Grammar(name, new))
                diffs |= {name: diff} if diff.findings() else {}
    return diffs


def added_and_removed(old: Path, new: Path) -> Iterator[Finding]:
    """Yield findings for the grammars that only one tree has."""
    names = [{file.stem for file in (root / "ksy").glob("*.ksy")} for root in (old, new)]
    for name in sorted(names[0] - names[1]):
        yield Finding("GRAMMAR_REMOVED", ("API",), "warning", name, "removed",
                      "users of its parsers", f"ksy/{name}.ksy")  # fmt: skip
    for name in sorted(names[1] - names[0]):
        parser_folder(name, True, new / "ksy")
        yield Finding("GRAMMAR_ADDED", ("API",), "note", name, "added", "nobody",
                      f"ksy/{name}.ksy")  # fmt: skip


class GrammarRun:
    """A run of both versions of the grammars of one format over logs."""

    def __init__(
        self, diffs: Mapping[str, GrammarDiff], format: str, worker: Worker, scratch: Path
    ) -> None:
        self.diffs, self.format, self.worker, self.scratch = diffs, format, worker, scratch
        #: Number of undamaged logs with a field, and of undamaged and damaged logs in which the
        #: field differs.
        self.held: Counter[str] = Counter()
        self.undamaged: Counter[str] = Counter()
        self.damaged: Counter[str] = Counter()
        #: Grammars whose fields have other offsets in an undamaged log.
        self.moved: set[str] = set()
        self._requests = {name: _request(name, diff) for name, diff in diffs.items()}
        self._damaged_logs = 0

    def run(self, logs: Iterable[LogUnderReview]) -> Table:
        """Read the logs with both versions; return the table of equal and of changed answers."""
        table = Table(self.format, "grammar")
        differing: dict[str, bool] = {}
        # Undamaged logs come first: if an undamaged log differs, its damaged copies prove nothing.
        for log in sorted(logs, key=lambda log: log.damaged):
            follows = log.damaged and differing.get(log.control or "", any(differing.values()))
            difference = self.read(log, follows)
            if difference is None:
                continue
            table.count(log, not difference)
            if not log.damaged:
                differing |= dict.fromkeys((log.key, *log.aliases), bool(difference))
            if difference:
                rules = log.rules("READS_DAMAGED" if follows else "GRAMMAR_ON_DAMAGE")
                table.changed += [
                    Changed(log.name, log.damaged, rule, difference) for rule in rules
                ]
        return table

    def read(self, log: LogUnderReview, follows: bool = False) -> str | None:
        """Return the first difference in a log, or an empty text.

        None means that no changed grammar reads a file of the log.

        ``follows`` is true if the undamaged original also differs.
        """
        difference = None
        held, differ = set(), set()
        for name, data in by_name(log.contents).items():
            grammar = grammar_of(self.format, data[:4], name or log.file_name)
            if grammar not in self._requests:
                continue
            path = self.scratch / "file"
            path.write_bytes(data)
            reply = self.worker.ask(do="grammars", path=str(path), **self._requests[grammar])
            if "error" in reply:
                difference = difference or str(reply["error"])
                continue
            difference = difference or reply["why"]
            held |= set(reply["held"])
            differ |= set(reply["differ"])
            if reply["moved"] and not log.damaged:
                self.moved.add(grammar)
        if not log.damaged:
            self.held.update(held)
            self.undamaged.update(differ)
        elif difference is not None and not follows:
            self.damaged.update(differ)
            self._damaged_logs += 1
        return difference

    def structural(self) -> list[Finding]:
        """Return the structural findings, corrected by the logs."""
        return [
            replace(self._corrected(finding), format=self.format)
            for name, diff in self.diffs.items()
            for finding in diff.findings(name in self.moved)
        ]

    def _corrected(self, finding: Finding) -> Finding:
        """Correct a finding about an expression if both versions read undamaged logs alike."""
        counts = [self.held[key] for key in finding.fields]
        if not counts or min(counts) < MIN_LOGS or any(self.undamaged[k] for k in finding.fields):
            return finding
        logs = f"all {min(counts)} undamaged logs with the field"
        damaged = max(self.damaged[key] for key in finding.fields)
        if damaged:
            hurts = (
                f"recovery: {logs} are read alike, but {damaged} of {self._damaged_logs} damaged"
                " logs are not"
            )
            return replace(finding, classes=("RECOVER",), hurts=hurts)
        hurts = f"possibly nobody: {logs} and {self._damaged_logs} damaged logs are read alike"
        return replace(finding, severity="warning", hurts=hurts)


def _request(name: str, diff: GrammarDiff) -> dict[str, Any]:
    folders = {
        side: str(parser_folder(name, True, grammar.root / "ksy"))
        for side, grammar in (("old", diff.old), ("new", diff.new))
    }
    return {"folders": folders, "grammar": name, "top": diff.new.types.top, "pairs": diff.pairs}
