"""Run old and new readers on old and new logs, undamaged and damaged, and compare the answers."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from conformance.compare import differences
from conformance.contents import write_contents
from walproof.review.finding import CannotReview, Class, ReviewFinding, Severity
from walproof.review.logs import ReviewedLog
from walproof.review.revision import RevisionReaders

PARTS = ("records", "verdict", "reason", "lost", "end")
#: Each rule id maps to a class, a severity and a description of the affected readers and writers.
Effects = Mapping[str, tuple[Class, Severity, str]]


@dataclass(frozen=True)
class Changed:
    """A log for which the two versions return different answers, as ``how`` describes."""

    log: str
    damaged: bool
    rule: str
    how: str


@dataclass
class Table:
    """Agreement between the old and the new version of a reader."""

    format: str
    #: The reader that is compared: the executable specification or a grammar.
    reader: str
    #: The number of logs, and the number of those with equal answers. The key is True for damaged
    #: logs.
    logs: Counter[bool] = field(default_factory=Counter)
    alike: Counter[bool] = field(default_factory=Counter)
    changed: list[Changed] = field(default_factory=list)

    def count(self, log: ReviewedLog, agrees: bool) -> None:
        """Count one log."""
        self.logs[log.damaged] += 1
        self.alike[log.damaged] += agrees

    def findings(self, effects: Effects) -> Iterator[ReviewFinding]:
        """Yield one finding for each rule that logs with changed answers violate."""
        for rule, (class_, severity, hurts) in effects.items():
            entries = [changed for changed in self.changed if changed.rule == rule]
            if entries:
                more = f" and {len(entries) - 1} more" if len(entries) > 1 else ""
                logs = f"{len(entries)} log{'s' * (len(entries) != 1)}"
                change = f"{logs}: {entries[0].log}{more}: {entries[0].how}"
                yield ReviewFinding(
                    rule, (class_,), severity, self.reader, change, hurts, format=self.format
                )

    def to_json(self) -> dict[str, Any]:
        """Return the table as ``walproof review --json`` prints it."""
        return {
            "format": self.format,
            "reader": self.reader,
            "agreement": [
                {"damaged": damaged, "agree": self.alike[damaged], "of": total}
                for damaged, total in sorted(self.logs.items())
            ],
            "changed": [asdict(changed) for changed in self.changed],
        }


def read_with_specifications(
    logs: Iterable[ReviewedLog],
    workers: Mapping[str, RevisionReaders],
    scratch: Path,
    pool: Executor,
) -> None:
    """Read the logs with the executable specification of each side, in both profiles.

    Raises :class:`~walproof.review.finding.CannotReview` if the new reader does not finish.
    """
    waiting = [(log, Path(tempfile.mkdtemp(dir=scratch)) / log.file_name) for log in logs]
    for log, path in waiting:
        write_contents(log.contents, path)

    def run(side: str) -> None:
        for log, path in waiting:
            for profile, answers in (("recover", log.answers), ("strict", log.strict)):
                answers[side] = reply = workers[side].ask(
                    do="read", format=log.format, path=str(path), profile=profile,
                    context=log.context,
                )  # fmt: skip
                if side == "new" and reply.get("error", "").startswith("no answer"):
                    raise CannotReview(
                        f"the new reader of {log.format} failed on {log.name}, profile"
                        f" {profile}: {reply['error']}"
                    )

    list(pool.map(run, workers))


def is_intact(log: ReviewedLog) -> bool:
    """Return whether a side that contains the log reports it as intact, or all readers fail."""
    return any(
        log.answers[side].get("answer", {}).get("verdict") == "intact" for side in log.sides
    ) or all("error" in reply for reply in log.answers.values())


def compare_answers(format: str, logs: Iterable[ReviewedLog]) -> Table:
    """Compare the answers of both executable specifications, and return the table."""
    table = Table(format, "executable specification")
    for log in logs:
        difference, damaged_rule = _difference(log)
        table.count(log, not difference)
        if difference:
            rules = log.rules(damaged_rule)
            table.changed += [Changed(log.name, log.damaged, rule, difference) for rule in rules]
    return table


def _difference(log: ReviewedLog) -> tuple[str, str]:
    """Return the difference between the two answers, and the rule for a damaged log."""
    difference = describe(log.answers)
    if not difference:
        difference = describe(log.strict)
        return f"profile strict: {difference}" if difference else "", "STRICT_CHANGED"
    if log.control is not None and describe(log.control.answers):
        # The answers for the undamaged original differ, too.
        return difference, "READS_DAMAGED"
    old, new = (log.answers[side].get("answer") for side in ("old", "new"))
    if not (old and new) or old["records"] != new["records"]:
        return difference, "SURVIVORS_CHANGED"
    losses = [
        (answer["verdict"], answer["end"], [gap | {"reason": None} for gap in answer["lost"]])
        for answer in (old, new)
    ]
    return difference, "REASON_CHANGED" if losses[0] == losses[1] else "LOSS_CHANGED"


def describe(replies: Mapping[str, Any]) -> str:
    """Describe the difference between the replies of the two sides.

    The text is empty if they agree.
    """
    old, new = replies["old"], replies["new"]
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
