"""Run old and new readers on old and new logs, undamaged and damaged, and compare the answers."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from conformance.compare import differences
from conformance.contents import Contents, by_name, read_contents, size, write_contents
from conformance.vectors import expand_payload
from walproof.review.finding import CannotReview, Class, Finding, Severity
from walproof.review.fresh_damage import Aim, aimed, sweep
from walproof.review.logs import LARGE_BYTES, LogUnderReview, logs_of, merged
from walproof.review.revision import Worker

_NO_AIM = Aim()
SIDES = ("old", "new")
PARTS = ("records", "verdict", "reason", "lost", "end")
#: Bytes shown of each side.
SHOWN_BYTES = 8
#: Expected answers in a vector, and the profile of each.
EXPECTED_IN = {"expect": "recover", "expect_strict": "strict"}


@dataclass(frozen=True)
class Changed:
    """A log that the old and the new reader answer differently.

    ``difference`` describes the change from the old answer to the new one. ``shown`` are the
    damaged bytes, or the bytes at which the answers diverge.
    """

    log: str
    origin: str
    damaged: bool
    rule: str
    difference: str
    shown: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the entry in ``walproof review --output json``."""
        return {"log": self.log, "origin": self.origin, "damaged": self.damaged,
                "rule": self.rule, "how": self.difference, "bytes": self.shown or None}  # fmt: skip


@dataclass
class Table:
    """The agreement of the old and the new version of a reader.

    The reader is the executable specification or the grammar. ``cells`` counts the logs with equal
    answers and all logs. Its keys are the version that wrote the logs, and whether the logs are
    damaged: ``("old", False)`` contains the results for undamaged old logs.
    """

    format: str
    reader: str
    cells: dict[tuple[str, bool], tuple[int, int]] = field(default_factory=dict)
    changed: list[Changed] = field(default_factory=list)
    not_run: str = ""

    def count(self, log: LogUnderReview, agrees: bool) -> None:
        """Count one log."""
        for side in log.sides:
            agreeing, total = self.cells.get((side, log.damaged), (0, 0))
            self.cells[side, log.damaged] = (agreeing + agrees, total + 1)

    def to_json(self) -> dict[str, Any]:
        """Return the table in ``walproof review --output json``."""
        return {
            "format": self.format,
            "reader": self.reader,
            "not_run": self.not_run or None,
            "agreement": [
                {
                    "reader": "new" if side == "old" else "old",
                    "logs": side,
                    "damaged": damaged,
                    "agree": agreeing,
                    "of": total,
                }
                for (side, damaged), (agreeing, total) in sorted(self.cells.items())
            ],
            "changed": [changed.to_json() for changed in self.changed],
        }


class Behaviour:
    """Run both sides of one format. ``workers`` has a :class:`Worker` for each side."""

    def __init__(
        self, format: str, workers: Mapping[str, Worker], bodies: Mapping[str, Mapping[str, Any]],
        readers: Mapping[str, str | None], scratch: Path,
    ) -> None:  # fmt: skip
        self.format = format
        self.workers = workers
        self.bodies = bodies
        self.readers = readers
        self.scratch = scratch
        self.logs: dict[str, LogUnderReview] = {}
        self.findings: list[Finding] = []
        self.profiles = ["recover"]
        if any("expect_strict" in body for side in SIDES for body in bodies[side].values()):
            self.profiles.append("strict")

    def gather(self, count: int, seed: int, aim: Aim = _NO_AIM) -> None:
        """Read logs with the old and the new readers, and record the differences.

        The logs are the vectors of both versions, logs from both writers, and damaged copies.
        ``aim`` contains the numbers and names from changed expressions; some of the damage is aimed
        at them.
        """
        vectors = [logs_of(self.bodies[side], side) for side in SIDES]
        self.logs = merged(*vectors, *(self._written(side) for side in SIDES))
        self._read(self.logs.values())
        for log in self.logs.values():
            # A log that its own side does not report as intact counts as damaged.
            log.damaged = log.damaged or not _intact(log)
        bases = [log for log in self.logs.values() if not log.damaged]
        for side in SIDES:
            logs_of_side = [log for log in bases if side in log.sides]
            for log in sweep(logs_of_side, count // 2, seed + SIDES.index(side)):
                self.logs.setdefault(log.key, log)
        for log in aimed(bases, aim):
            self.logs.setdefault(log.key, log)
        self._read(log for log in self.logs.values() if not log.answers)

    def specification(self) -> Table:
        """Return the table of the executable specification; add its differences to ``findings``."""
        table = Table(self.format, "executable specification")
        missing = [side for side in SIDES if self.readers[side]]
        if missing:
            table.not_run = "; ".join(f"{side}: {self.readers[side]}" for side in missing)
            return table
        changed: dict[str, list[Changed]] = {}
        for log in self.logs.values():
            rules = self._broken_rules(log)
            table.count(log, not rules)
            for rule, difference in rules:
                shown = bytes_of(log, self._control(log))
                entry = Changed(log.name, log.origin, log.damaged, rule, difference, shown)
                table.changed.append(entry)
                changed.setdefault(rule, []).append(entry)
        for rule, entries in changed.items():
            self.findings.append(_finding(rule, entries, self.format))
        return table

    def sampled(self) -> str:
        """Return a remark on logs that are too large for the full number of damaged copies."""
        large = [log for log in self.logs.values() if size(log.contents) > LARGE_BYTES]
        bases = sum(not log.damaged for log in large)
        if not bases:
            return ""
        samples = sum(log.origin == "sweep" for log in large)
        return (
            f"damaged copies of {bases} log{'s' * (bases != 1)} of {self.format} above"
            f" {LARGE_BYTES // 1024} KiB, except {samples} sample{'s' * (samples != 1)}"
        )

    def _broken_rules(self, log: LogUnderReview) -> list[tuple[str, str]]:
        """Return the rules that a log violates, each with the difference; empty if the answers
        agree."""
        old, new = log.answers["old"], log.answers["new"]
        difference = describe(old, new)
        if not difference and log.strict:
            difference = describe(log.strict["old"], log.strict["new"])
            difference = f"profile strict: {difference}" if difference else ""
            if difference and log.damaged:
                return [("STRICT_CHANGED", difference)]
        if not difference:
            return []
        if not log.damaged:
            rules = [("READS_OLD_FILE", "old"), ("READS_NEW_FILE", "new")]
            return [(rule, difference) for rule, side in rules if side in log.sides]
        parent = self._control(log)
        if parent is not None and describe(parent.answers["old"], parent.answers["new"]):
            return [("READS_DAMAGED", difference)]  # the undamaged original differs too
        if "error" in old or "error" in new or _survivors(old) != _survivors(new):
            return [("SURVIVORS_CHANGED", difference)]
        parts = [{k: v for k, v in a["answer"].items() if k != "records"} for a in (old, new)]
        for part in parts:
            part.pop("reason")
            part["lost"] = [{k: v for k, v in gap.items() if k != "reason"} for gap in part["lost"]]
        return [("REASON_CHANGED" if parts[0] == parts[1] else "LOSS_CHANGED", difference)]

    def _control(self, log: LogUnderReview) -> LogUnderReview | None:
        if log.control in self.logs:
            return self.logs[log.control]
        matching = (
            candidate for candidate in self.logs.values() if log.control in candidate.aliases
        )
        return next((candidate for candidate in matching if candidate.sides & log.sides), None)

    def _read(self, logs: Iterable[LogUnderReview]) -> None:
        waiting = list(logs)
        for number, log in enumerate(waiting):
            write_contents(log.contents, self.path(log, number))

        hung = threading.Event()

        def run(side: str) -> None:
            for number, log in enumerate(waiting):
                if hung.is_set():
                    return
                if self.readers[side]:
                    log.answers[side] = {"error": self.readers[side]}
                    continue
                for profile in self.profiles:
                    answers = log.answers if profile == "recover" else log.strict
                    answers[side] = self.workers[side].ask(
                        do="read", format=self.format, path=str(self.path(log, number)),
                        profile=profile, context=log.context,
                    )  # fmt: skip
                    if side == "new" and answers[side].get("hangs"):
                        hung.set()
                        raise CannotReview(_timeout_text(answers[side], log, profile))

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(run, SIDES))

    def path(self, log: LogUnderReview, number: int) -> Path:
        """Return the path of a log, with the file name that the format expects."""
        folder = self.scratch / f"{log.origin}-{number}-{log.key[:12]}"
        folder.mkdir(exist_ok=True)
        return folder / log.file_name

    def _written(self, side: str) -> Iterable[LogUnderReview]:
        """Yield the logs that the writer of one side creates from the records in the vectors."""
        if self.readers[side]:
            return
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            bodies = {id: body for name in SIDES for id, body in self.bodies[name].items()}
            for number, (id, body) in enumerate(bodies.items()):
                if body["operation"] != "write":
                    continue
                path = Path(folder) / str(number)
                records = [expand_payload(record) for record in body["records"]]
                context = body.get("context", {})
                reply = self.workers[side].ask(
                    do="write", format=self.format, path=str(path), records=records,
                    context=context,
                )  # fmt: skip
                if "done" in reply and path.exists():
                    yield LogUnderReview(
                        f"{id} by the {side} writer", self.format, read_contents(path), context,
                        {side}, False, "written", None, str(body["input"]),
                    )  # fmt: skip

    def writers(self) -> None:
        """Add a finding if the writers produce different bytes for the same records."""
        names: dict[str, set[str]] = {}
        for log in self.logs.values():
            if log.origin == "written" and len(log.sides) == 1:
                id = log.name.split(" by the ")[0]
                names.setdefault(id, set()).update(log.sides)
        if names:
            self.findings.append(
                Finding(
                    "WRITES_OTHER_BYTES",
                    ("WRITE",),
                    "warning",
                    self.format,
                    f"records of {first_names(sorted(names))}",
                    "programs that compare bytes; the table shows whether old readers read them",
                    format=self.format,
                )
            )


def _timeout_text(reply: Mapping[str, Any], log: LogUnderReview, profile: str) -> str:
    location = reply.get("place") or "outside reference_impl"
    return (
        f"{location}: the new reader of {log.format} failed on {log.name}, profile"
        f" {profile}: {reply['error']}"
    )


def describe(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Describe the difference between two replies; empty if they agree."""
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


def _survivors(reply: Mapping[str, Any]) -> Any:
    return reply["answer"]["records"]


def _intact(log: LogUnderReview) -> bool:
    """Return whether the reader of the log's own side reports it as intact."""
    return any(
        log.answers[side].get("answer", {}).get("verdict") == "intact" for side in log.sides
    ) or all("error" in reply for reply in log.answers.values())


_EFFECTS: dict[str, tuple[Class, Severity, str]] = {
    "READS_OLD_FILE": ("READ", "breaking", "new readers of old logs"),
    "READS_NEW_FILE": ("WRITE", "breaking", "old readers of new logs"),
    "READS_DAMAGED": ("READ", "note", "nobody else: the undamaged originals differ too"),
    "SURVIVORS_CHANGED": ("RECOVER", "breaking", "recovery: different records survive"),
    "LOSS_CHANGED": (
        "RECOVER",
        "breaking",
        "recovery: the records are the same, but the lost ranges, the verdict or the end differ",
    ),
    "STRICT_CHANGED": (
        "RECOVER",
        "breaking",
        "readers that stop at the first damage; recovery is the same",
    ),
    "REASON_CHANGED": ("RECOVER", "warning", "programs that use the reported reason"),
}


def _finding(rule: str, entries: list[Changed], format: str) -> Finding:
    class_, severity, hurts = _EFFECTS[rule]
    first = entries[0]
    change = (
        f"{count_logs(entries)}: {first_names([e.log for e in entries], 1)}: {first.difference}"
    )
    change += f"; {first.shown}" if first.shown else ""
    subject = "executable specification"
    return Finding(rule, (class_,), severity, subject, change, hurts, format=format)


def count_logs(entries: list[Changed]) -> str:
    """Return a number of logs in words: ``1 log``, ``12 logs``."""
    return f"{len(entries)} log{'s' * (len(entries) != 1)}"


def first_names(names: list[str], shown: int = 3) -> str:
    """Return the first names, and the number of further names."""
    more = len(names) - shown
    return ", ".join(names[:shown]) + (f" and {more} more" if more > 0 else "")


# -- examples -------------------------------------------------------------------------------------


def bytes_of(log: LogUnderReview, control: LogUnderReview | None) -> str:
    """Show the bytes that the damage changed, or those at which the two answers diverge.

    The result is empty if the answers do not diverge at an offset.
    """
    if control is not None:
        changed = first_change(control.contents, log.contents)
        if changed is not None:
            file, at = changed
            before, after = (
                _at(contents, file, at) for contents in (control.contents, log.contents)
            )
            return f"bytes from {_location(file, at)}: {before} → {after}"
    divergence = _divergence(log.answers.get("old", {}), log.answers.get("new", {}))
    if divergence is None:
        return ""
    file, at = divergence
    return f"bytes from {_location(file, at)}: {_at(log.contents, file, at)}"


def first_change(before_damage: Contents, after_damage: Contents) -> tuple[str, int] | None:
    """Return file and offset of the first byte that differs; None if the contents are equal."""
    old, new = by_name(before_damage), by_name(after_damage)
    for name in sorted(old.keys() | new.keys()):
        a, b = old.get(name, b""), new.get(name, b"")
        if a == b:
            continue
        pairs = enumerate(zip(a, b, strict=False))
        return name, next((at for at, (x, y) in pairs if x != y), min(len(a), len(b)))
    return None


def _divergence(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, int] | None:
    """Return file and offset of the first record or lost range that only one answer has."""
    for part, start in (("records", "at"), ("lost", "from")):
        sides = [reply.get("answer", {}).get(part, []) for reply in (old, new)]
        for entry in (*sides[0], *sides[1]):
            if not all(entry in side for side in sides) and start in entry:
                return str(entry.get("file", "")), int(entry[start])
    return None


def _at(contents: Contents, file: str, at: int) -> str:
    shown = by_name(contents).get(file, b"")[at : at + SHOWN_BYTES]
    return shown.hex(" ") or "end of file"


def _location(file: str, at: int) -> str:
    return f"{at} of {file}" if file else str(at)


# -- expected answers that were edited -------------------------------------------------------------


def contradicted(
    findings: Iterable[Finding],
    bodies: Mapping[str, Mapping[str, Any]],
    worker: Worker,
    readers: Mapping[str, str | None],
) -> Iterator[Finding]:
    """Yield the findings, and modify those for edited answers that the new specification
    contradicts.

    ``bodies`` are the new vectors of one format. ``worker`` runs the new readers.
    """
    for finding in findings:
        body = bodies.get(finding.subject)
        is_edited = finding.rule == "VECTOR_ANSWER" and finding.severity == "breaking"
        if not is_edited or body is None or readers["new"] or body["operation"] != "read":
            yield finding
            continue
        difference = _contradiction(body, worker)
        if not difference:
            yield finding
            continue
        yield replace(
            finding, rule="VECTOR_CONTRADICTS", change=f"{finding.change}; actual {difference}",
            hurts="every correct implementation: the executable specification contradicts",
        )  # fmt: skip


def _contradiction(body: Mapping[str, Any], worker: Worker) -> str:
    path = Path(body["folder"]) / str(body["input"])
    for key, profile in EXPECTED_IN.items():
        if key not in body:
            continue
        reply = worker.ask(
            do="read", format=body["format"], path=str(path), profile=profile,
            context=body.get("context", {}),
        )  # fmt: skip
        if difference := describe({"answer": body[key]}, reply):
            return difference if profile == "recover" else f"profile {profile}: {difference}"
    return ""
