"""Old and new readers on old and new logs, undamaged and damaged: what really changes."""

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
SHOWN_BYTES = 8
"""Bytes that are shown of each side."""
EXPECTED_IN = {"expect": "recover", "expect_strict": "strict"}
"""The answers of a vector, and the profiles that give them."""


@dataclass(frozen=True)
class Changed:
    """One log that the two readers answer differently; ``how`` takes the old answer first.

    ``shown`` are the bytes that it is about: what damage changed, or where the answers part.
    """

    log: str
    origin: str
    damaged: bool
    rule: str
    how: str
    shown: str = ""

    def to_json(self) -> dict[str, Any]:
        """As ``walproof review --output json`` shows it."""
        return {"log": self.log, "origin": self.origin, "damaged": self.damaged,
                "rule": self.rule, "how": self.how, "bytes": self.shown or None}  # fmt: skip


@dataclass
class Table:
    """One reader (the executable specification, or a grammar) of a format, old against new.

    ``cells`` counts logs as (agreeing, all) by whose logs they are and whether they are damaged:
    ``("old", False)`` is the new reader on undamaged old logs, ``("new", False)`` the old reader
    on undamaged new ones.
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
        """As ``walproof review --output json`` shows it."""
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
    """Runs both sides of one format. ``workers`` has a :class:`Worker` for each side."""

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
        """Old and new vectors, logs by both writers, and damage to them; each read by both.

        ``aim`` is what expressions have changed about: damage is aimed at that, too.
        """
        vectors = [logs_of(self.bodies[side], side) for side in SIDES]
        self.logs = merged(*vectors, *(self._written(side) for side in SIDES))
        self._read(self.logs.values())
        for log in self.logs.values():
            # Another dialect, say: nothing that a reader of this format owes anything.
            log.damaged = log.damaged or not _intact(log)
        bases = [log for log in self.logs.values() if not log.damaged]
        for side in SIDES:
            own = [log for log in bases if side in log.sides]
            for log in sweep(own, count // 2, seed + SIDES.index(side)):
                self.logs.setdefault(log.key, log)
        for log in aimed(bases, aim):
            self.logs.setdefault(log.key, log)
        self._read(log for log in self.logs.values() if not log.answers)

    def specification(self) -> Table:
        """The table of the executable specification; adds what it shows to ``findings``."""
        table = Table(self.format, "executable specification")
        missing = [side for side in SIDES if self.readers[side]]
        if missing:
            table.not_run = "; ".join(f"{side}: {self.readers[side]}" for side in missing)
            return table
        changed: dict[str, list[Changed]] = {}
        for log in self.logs.values():
            rules = self._judged(log)
            table.count(log, not rules)
            for rule, how in rules:
                shown = bytes_of(log, self._control(log))
                entry = Changed(log.name, log.origin, log.damaged, rule, how, shown)
                table.changed.append(entry)
                changed.setdefault(rule, []).append(entry)
        for rule, entries in changed.items():
            self.findings.append(_finding(rule, entries, self.format))
        return table

    def sampled(self) -> str:
        """The remark on logs that are too large to be damaged as often as the others."""
        large = [log for log in self.logs.values() if size(log.contents) > LARGE_BYTES]
        bases = sum(not log.damaged for log in large)
        if not bases:
            return ""
        samples = sum(log.origin == "sweep" for log in large)
        return (
            f"fresh damage to {bases} log{'s' * (bases != 1)} of {self.format} above"
            f" {LARGE_BYTES // 1024} KiB, but for {samples} sample{'s' * (samples != 1)}"
        )

    def _judged(self, log: LogUnderReview) -> list[tuple[str, str]]:
        """The rules that a log shows, each with what differs; none if the answers agree."""
        old, new = log.answers["old"], log.answers["new"]
        how = describe(old, new)
        if not how and log.strict:
            how = describe(log.strict["old"], log.strict["new"])
            how = f"profile strict: {how}" if how else ""
            if how and log.damaged:
                return [("STRICT_CHANGED", how)]
        if not how:
            return []
        if not log.damaged:
            rules = [("READS_OLD_FILE", "old"), ("READS_NEW_FILE", "new")]
            return [(rule, how) for rule, side in rules if side in log.sides]
        parent = self._control(log)
        if parent is not None and describe(parent.answers["old"], parent.answers["new"]):
            return [("READS_DAMAGED", how)]  # no wonder: it is not read alike without damage
        if "error" in old or "error" in new or _survivors(old) != _survivors(new):
            return [("SURVIVORS_CHANGED", how)]
        parts = [{k: v for k, v in a["answer"].items() if k != "records"} for a in (old, new)]
        for part in parts:
            part.pop("reason")
            part["lost"] = [{k: v for k, v in gap.items() if k != "reason"} for gap in part["lost"]]
        return [("REASON_CHANGED" if parts[0] == parts[1] else "LOSS_CHANGED", how)]

    def _control(self, log: LogUnderReview) -> LogUnderReview | None:
        if log.control in self.logs:
            return self.logs[log.control]
        named = (other for other in self.logs.values() if log.control in other.aliases)
        return next((other for other in named if other.sides & log.sides), None)

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
                        raise CannotReview(_hangs(answers[side], log, profile))

        with ThreadPoolExecutor(2) as both:
            list(both.map(run, SIDES))

    def path(self, log: LogUnderReview, number: int) -> Path:
        """The path of a log, under the file name that the format expects."""
        folder = self.scratch / f"{log.origin}-{number}-{log.key[:12]}"
        folder.mkdir(exist_ok=True)
        return folder / log.file_name

    def _written(self, side: str) -> Iterable[LogUnderReview]:
        """Logs that the writer of one side makes of the records in the vectors."""
        if self.readers[side]:
            return
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            bodies = {id: body for each in SIDES for id, body in self.bodies[each].items()}
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
        """Add a finding if the writers make different bytes of the same records."""
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
                    f"records of {several(sorted(names))}",
                    "whoever compares bytes; whether old readers read them is in the table",
                    format=self.format,
                )
            )


def _hangs(reply: Mapping[str, Any], log: LogUnderReview, profile: str) -> str:
    place = reply.get("place") or "no line of reference_impl"
    return (
        f"{place}: the new reader of {log.format} gives {reply['error']} to {log.name}, profile"
        f" {profile}"
    )


def describe(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """What differs between two replies, in words; empty when they say the same."""
    if "error" in old or "error" in new:
        outcomes = [reply.get("error", "an answer") for reply in (old, new)]
        return "" if outcomes[0] == outcomes[1] else f"{outcomes[0]} → {outcomes[1]}"
    a, b = old["answer"], new["answer"]
    if a == b:
        return ""
    sentences = differences(a, b, PARTS)
    if not sentences:
        return "the records have other fields or places"
    return "; ".join(sentences).replace("expected ", "").replace(", found ", " → ")


def _survivors(reply: Mapping[str, Any]) -> Any:
    return reply["answer"]["records"]


def _intact(log: LogUnderReview) -> bool:
    """Whether the reader from the log's own side finds nothing wrong with it."""
    return any(
        log.answers[side].get("answer", {}).get("verdict") == "intact" for side in log.sides
    ) or all("error" in reply for reply in log.answers.values())


_WHO: dict[str, tuple[Class, Severity, str]] = {
    "READS_OLD_FILE": ("READ", "breaking", "new readers return something else from old logs"),
    "READS_NEW_FILE": ("WRITE", "breaking", "old readers return something else from new logs"),
    "READS_DAMAGED": ("READ", "note", "a consequence: their undamaged siblings differ as well"),
    "SURVIVORS_CHANGED": ("RECOVER", "breaking", "whoever recovers: other records survive"),
    "LOSS_CHANGED": (
        "RECOVER",
        "breaking",
        "whoever recovers: the records are the same, but what is reported lost, the verdict, or"
        " where a writer may go on is not",
    ),
    "STRICT_CHANGED": (
        "RECOVER",
        "breaking",
        "whoever stops at the first damage; recovery is the same",
    ),
    "REASON_CHANGED": ("RECOVER", "warning", "whoever acts on the reason that is reported"),
}


def _finding(rule: str, entries: list[Changed], format: str) -> Finding:
    who, severity, hurts = _WHO[rule]
    first = entries[0]
    change = f"{counted(entries)}: {several([e.log for e in entries], 1)}: {first.how}"
    change += f"; {first.shown}" if first.shown else ""
    subject = "executable specification"
    return Finding(rule, (who,), severity, subject, change, hurts, format=format)


def counted(entries: list[Changed]) -> str:
    """``1 log``, ``12 logs``."""
    return f"{len(entries)} log{'s' * (len(entries) != 1)}"


def several(names: list[str], shown: int = 3) -> str:
    """The first names, and how many more there are."""
    rest = len(names) - shown
    return ", ".join(names[:shown]) + (f" and {rest} more" if rest > 0 else "")


# -- examples -------------------------------------------------------------------------------------


def bytes_of(log: LogUnderReview, control: LogUnderReview | None) -> str:
    """Of a damaged log what the damage changed; of another one where the two answers part.

    Empty where no byte shows it: the answers differ in what is said of the log as a whole.
    """
    if control is not None:
        changed = first_change(control.contents, log.contents)
        if changed is not None:
            file, at = changed
            before, after = (_at(each, file, at) for each in (control.contents, log.contents))
            return f"bytes from {_place(file, at)}: {before} → {after}"
    place = _parting(log.answers.get("old", {}), log.answers.get("new", {}))
    if place is None:
        return ""
    file, at = place
    return f"bytes from {_place(file, at)}: {_at(log.contents, file, at)}"


def first_change(before_damage: Contents, after_damage: Contents) -> tuple[str, int] | None:
    """File and offset of the first byte that differs; None if none does."""
    old, new = by_name(before_damage), by_name(after_damage)
    for name in sorted(old.keys() | new.keys()):
        a, b = old.get(name, b""), new.get(name, b"")
        if a == b:
            continue
        pairs = enumerate(zip(a, b, strict=False))
        return name, next((at for at, (x, y) in pairs if x != y), min(len(a), len(b)))
    return None


def _parting(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, int] | None:
    """Where the first record or lost range is that only one of two answers has."""
    for part, start in (("records", "at"), ("lost", "from")):
        sides = [reply.get("answer", {}).get(part, []) for reply in (old, new)]
        for entry in (*sides[0], *sides[1]):
            if not all(entry in side for side in sides) and start in entry:
                return str(entry.get("file", "")), int(entry[start])
    return None


def _at(contents: Contents, file: str, at: int) -> str:
    shown = by_name(contents).get(file, b"")[at : at + SHOWN_BYTES]
    return shown.hex(" ") or "the end of the file"


def _place(file: str, at: int) -> str:
    return f"{at} of {file}" if file else str(at)


# -- expected answers that were edited -------------------------------------------------------------


def contradicted(
    findings: Iterable[Finding],
    bodies: Mapping[str, Mapping[str, Any]],
    worker: Worker,
    readers: Mapping[str, str | None],
) -> Iterator[Finding]:
    """The findings, those of edited answers with what the new executable specification says.

    ``bodies`` are the new vectors of one format, ``worker`` has the new readers.
    """
    for finding in findings:
        body = bodies.get(finding.subject)
        is_edited = finding.rule == "VECTOR_ANSWER" and finding.severity == "breaking"
        if not is_edited or body is None or readers["new"] or body["operation"] != "read":
            yield finding
            continue
        how = _contradiction(body, worker)
        if not how:
            yield finding
            continue
        yield replace(
            finding, rule="VECTOR_CONTRADICTS", change=f"{finding.change}; but it answers {how}",
            hurts="every right implementation: the executable specification does not answer so",
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
        if how := describe({"answer": body[key]}, reply):
            return how if profile == "recover" else f"profile {profile}: {how}"
    return ""
