"""Run old and new readers on old and new logs, undamaged and damaged, and compare the answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from conformance.compare import differences
from conformance.contents import write_contents
from walproof.review.finding import CannotReview, Class, Finding, Severity
from walproof.review.fresh_damage import Aim, aimed, sweep
from walproof.review.logs import LogUnderReview, logs_of, merged
from walproof.review.revision import Worker

SIDES = ("old", "new")
PARTS = ("records", "verdict", "reason", "lost", "end")
#: Rule → its class, its severity and the affected parties.
Effects = Mapping[str, tuple[Class, Severity, str]]


@dataclass(frozen=True)
class Changed:
    """A log for which both versions give different answers; ``how`` describes the difference."""

    log: str
    damaged: bool
    rule: str
    how: str


@dataclass
class Table:
    """The agreement of the old and the new version of a reader."""

    format: str
    #: The executable specification or the grammar.
    reader: str
    #: Number of logs with equal answers, and of all logs. The key is the version that wrote the
    #: logs (``old``, ``new``), and whether the logs are damaged.
    cells: dict[tuple[str, bool], tuple[int, int]] = field(default_factory=dict)
    changed: list[Changed] = field(default_factory=list)

    def count(self, log: LogUnderReview, agrees: bool) -> None:
        """Count one log."""
        for side in log.sides:
            agreeing, total = self.cells.get((side, log.damaged), (0, 0))
            self.cells[side, log.damaged] = (agreeing + agrees, total + 1)

    def findings(self, effects: Effects) -> Iterator[Finding]:
        """Yield a finding for each rule that changed logs violate."""
        for rule, (class_, severity, hurts) in effects.items():
            entries = [changed for changed in self.changed if changed.rule == rule]
            if entries:
                more = f" and {len(entries) - 1} more" if len(entries) > 1 else ""
                logs = f"{len(entries)} log{'s' * (len(entries) != 1)}"
                change = f"{logs}: {entries[0].log}{more}: {entries[0].how}"
                yield Finding(
                    rule, (class_,), severity, self.reader, change, hurts, format=self.format
                )

    def to_json(self) -> dict[str, Any]:
        """Return the table as ``walproof review --json`` prints it."""
        return {
            "format": self.format,
            "reader": self.reader,
            "agreement": [
                {"logs": side, "damaged": damaged, "agree": agreeing, "of": total}
                for (side, damaged), (agreeing, total) in sorted(self.cells.items())
            ],
            "changed": [asdict(changed) for changed in self.changed],
        }


class Behaviour:
    """The logs of one format, and the answers of both sides if both can read the format."""

    def __init__(
        self, format: str, workers: Mapping[str, Worker], roots: Mapping[str, Path],
        runs: bool, scratch: Path,
    ) -> None:  # fmt: skip
        self.format, self.workers, self.roots = format, workers, roots
        self.runs, self.scratch = runs, scratch
        self.logs: dict[str, LogUnderReview] = {}

    def gather(self, count: int, seed: int, aim: Aim) -> None:
        """Read the logs of the vectors and ``count`` damaged copies with both readers.

        Additional copies have field values and lengths near the numbers in ``aim``.
        """
        self.logs = merged(*(logs_of(self.roots[side], self.format, side) for side in SIDES))
        if not self.runs:
            return
        self._read(self.logs.values())
        for log in self.logs.values():
            # A log counts as damaged if the reader of its own side does not report it as intact.
            log.damaged = log.damaged or not _intact(log)
        bases = [log for log in self.logs.values() if not log.damaged]
        for number, side in enumerate(SIDES):
            logs_of_side = [log for log in bases if side in log.sides]
            for log in sweep(logs_of_side, count // 2, seed + number):
                self.logs.setdefault(log.key, log)
        for log in aimed(bases, aim):
            self.logs.setdefault(log.key, log)
        self._read(log for log in self.logs.values() if not log.answers)

    def specification(self) -> Table:
        """Return the table of the executable specification."""
        table = Table(self.format, "executable specification")
        for log in self.logs.values():
            difference, damaged_rule = self._difference(log)
            table.count(log, not difference)
            if difference:
                table.changed += [
                    Changed(log.name, log.damaged, rule, difference)
                    for rule in log.rules(damaged_rule)
                ]
        return table

    def _difference(self, log: LogUnderReview) -> tuple[str, str]:
        """Return the difference between two answers, and the rule that a damaged log violates."""
        old, new = log.answers["old"], log.answers["new"]
        difference = describe(old, new)
        if not difference and log.strict:
            difference = describe(log.strict["old"], log.strict["new"])
            return f"profile strict: {difference}" if difference else "", "STRICT_CHANGED"
        if not difference:
            return "", ""
        original = self._original(log)
        if original is not None and describe(original.answers["old"], original.answers["new"]):
            return difference, "READS_DAMAGED"  # the undamaged original differs too
        if "error" in old or "error" in new or old["answer"]["records"] != new["answer"]["records"]:
            return difference, "SURVIVORS_CHANGED"
        losses = [
            (a["verdict"], a["end"], [gap | {"reason": None} for gap in a["lost"]])
            for a in (old["answer"], new["answer"])
        ]
        return difference, "REASON_CHANGED" if losses[0] == losses[1] else "LOSS_CHANGED"

    def _original(self, log: LogUnderReview) -> LogUnderReview | None:
        """Return the undamaged original of a damaged log, by its key or its name."""
        if log.control in self.logs:
            return self.logs[log.control]
        matching = (other for other in self.logs.values() if log.control in other.aliases)
        return next((other for other in matching if other.sides & log.sides), None)

    def _read(self, logs: Iterable[LogUnderReview]) -> None:
        waiting = list(logs)
        for number, log in enumerate(waiting):
            write_contents(log.contents, self._path(log, number))

        def run(side: str) -> None:
            for number, log in enumerate(waiting):
                for profile in ("recover", "strict"):
                    answers = log.answers if profile == "recover" else log.strict
                    answers[side] = reply = self.workers[side].ask(
                        do="read", format=self.format, path=str(self._path(log, number)),
                        profile=profile, context=log.context,
                    )  # fmt: skip
                    if side == "new" and reply.get("error", "").startswith("no answer"):
                        raise CannotReview(
                            f"the new reader of {log.format} failed on {log.name}, profile"
                            f" {profile}: {reply['error']}"
                        )

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(run, SIDES))

    def _path(self, log: LogUnderReview, number: int) -> Path:
        folder = self.scratch / f"{number}-{log.key[:12]}"
        folder.mkdir(exist_ok=True)
        return folder / log.file_name


def describe(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Describe the difference between two replies; the text is empty if they agree."""
    if "error" in old or "error" in new:
        outcomes = [reply.get("error", "an answer") for reply in (old, new)]
        return "" if outcomes[0] == outcomes[1] else f"{outcomes[0]} → {outcomes[1]}"
    a, b = old["answer"], new["answer"]
    if a == b:
        return ""
    sentences = differences(a, b, PARTS)
    if not sentences:
        return "the records have different fields or offsets"
    return "; ".join(sentences).replace("expected ", "").replace(", found ", " → ")


def _intact(log: LogUnderReview) -> bool:
    """Return whether the log's own side reports it as intact, or the readers of all sides fail."""
    return any(
        log.answers[side].get("answer", {}).get("verdict") == "intact" for side in log.sides
    ) or all("error" in reply for reply in log.answers.values())


EFFECTS: Effects = {
    "READS_OLD_FILE": ("READ", "breaking", "new readers of old logs"),
    "READS_NEW_FILE": ("WRITE", "breaking", "old readers of new logs"),
    "READS_DAMAGED": ("READ", "note", "nobody else: the undamaged originals differ too"),
    "SURVIVORS_CHANGED": ("RECOVER", "breaking", "recovery: different records survive"),
    "LOSS_CHANGED": (
        "RECOVER", "breaking",
        "recovery: the records are the same, but the lost ranges, the verdict or the end differ",
    ),
    "STRICT_CHANGED": (
        "RECOVER", "breaking", "readers that stop at the first damage; recovery is the same",
    ),
    "REASON_CHANGED": ("RECOVER", "warning", "programs that use the reported reason"),
}  # fmt: skip
