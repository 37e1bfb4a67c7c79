"""Findings of a review, and the rules that produce them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

#: Affected parties. ``READ``: new readers on old files. ``WRITE``: old readers on new files.
#: ``RECOVER``: records that survive damage. ``API``: names only, that is programs that use a
#: generated parser. ``TEXT``: the text of the specification; all bytes are read as before.
Class = Literal["READ", "WRITE", "RECOVER", "API", "TEXT"]
Severity = Literal["breaking", "warning", "note"]

CLASSES: tuple[Class, ...] = ("READ", "WRITE", "RECOVER", "API", "TEXT")
SEVERITIES: tuple[Severity, ...] = ("breaking", "warning", "note")


class CannotReview(Exception):
    """Raised if a revision or the excuses are invalid, or if the new readers do not run."""


@dataclass(frozen=True)
class Finding:
    """An effect of a change."""

    #: Id in :data:`RULES`.
    rule: str
    #: Classes of affected readers and writers.
    classes: tuple[Class, ...]
    severity: Severity
    #: Member (``record_header.len_data``), requirement or vector.
    subject: str
    change: str
    #: Description of the affected readers and writers.
    hurts: str
    #: ``file:line`` of the change.
    where: str = ""
    format: str = ""
    #: Reason in a matching exception.
    excused: str | None = None
    #: Members, if the finding depends only on their expressions.
    fields: tuple[str, ...] = field(default=(), compare=False)

    @property
    def breaks(self) -> bool:
        """True if the finding makes the review fail."""
        return self.severity == "breaking" and self.excused is None

    @property
    def location(self) -> tuple[str, int]:
        """File and line; the line is 0 for a whole file."""
        file, _, line = self.where.rpartition(":")
        return (file, int(line)) if line.isdigit() else (self.where, 0)

    def to_json(self) -> dict[str, Any]:
        """Return the finding in ``walproof review --output json``."""
        return {
            "rule": self.rule,
            "classes": list(self.classes),
            "severity": self.severity,
            "format": self.format or None,
            "subject": self.subject,
            "change": self.change,
            "hurts": self.hurts,
            "where": self.where or None,
            "excused": self.excused,
        }


#: Description of each rule, by id; docs/review.md lists them.
RULES: dict[str, str] = {
    "FIELD_ADDED": "a field was inserted, or appended where old files end",
    "FIELD_APPENDED": "a field was appended; old readers skip it, and the file may end before it",
    "FIELD_REMOVED": "a field was removed",
    "FIELD_MOVED": "a field changed position",
    "FIELD_RESHAPED": "the same bytes are split into different fields",
    "FIELD_RESIZED": "a field has a different width, size or end",
    "FIELD_ENDIANNESS": "the byte or bit order of a number changed",
    "FIELD_SIGN": "a number became signed or unsigned",
    "FIELD_TYPE": "a field has a different type",
    "FIELD_ENCODING": "text has a different encoding",
    "FIELD_PROCESSED": "bytes are transformed differently before they are parsed",
    "FIELD_CONDITION": "a field is present under a different condition",
    "FIELD_REPEAT": "a field repeats differently",
    "FIELD_POSITION": "an instance is read from a different offset",
    "FIELD_ARGUMENTS": "a type receives different arguments",
    "FIELD_RENAMED": "a field or instance was renamed",
    "FIELD_REGROUPED": "the same fields are grouped into types differently",
    "VALUES_LOOSENED": "a field accepts values that it used to reject",
    "VALUES_TIGHTENED": "a field rejects values that it used to accept",
    "VALUES_CHANGED": "a field accepts a different set of values",
    "ENUM_ATTACHED": "an enum was added to a field or removed from it",
    "ENUM_MEMBER_ADDED": "a value was added to an enum",
    "ENUM_MEMBER_REMOVED": "a value was removed from an enum",
    "ENUM_RENUMBERED": "a name in an enum has a different value",
    "ENUM_MEMBER_RENAMED": "a value in an enum has a different name",
    "SWITCH_SELECTOR": "a different value selects the type of a field",
    "SWITCH_CASE_ADDED": "an additional value selects a type",
    "SWITCH_CASE_REMOVED": "a value no longer selects a type",
    "CHECKSUM_COVERAGE": "a checksum covers different bytes",
    "CHECKSUM_REMOVED": "the bytes that a checksum covers are no longer exposed",
    "CHECKSUM_ADDED": "the bytes that a checksum covers are now exposed",
    "INSTANCE_ADDED": "an instance was added",
    "INSTANCE_REMOVED": "an instance was removed",
    "VALUE_CHANGED": "an instance computes a different value",
    "GRAMMAR_ADDED": "a grammar was added",
    "GRAMMAR_REMOVED": "a grammar was removed",
    "READS_OLD_FILE": "the new reader reads an undamaged old log differently",
    "READS_NEW_FILE": "the old reader reads an undamaged new log differently",
    "READS_DAMAGED": "a damaged log is read differently, and so is its undamaged original",
    "SURVIVORS_CHANGED": "a different set of records survives the same damage",
    "LOSS_CHANGED": "the same records survive, but the loss is reported differently",
    "STRICT_CHANGED": "a damaged log is read differently, but only in the `strict` profile",
    "REASON_CHANGED": "the same damage is reported with a different reason",
    "GRAMMAR_ON_DAMAGE": "the two grammars read a damaged log differently",
    "WRITES_OTHER_BYTES": "the new writer produces different bytes for the same records",
    "VECTOR_ANSWER": "a vector expects a different answer",
    "VECTOR_ADDED": "a vector was added",
    "VECTOR_REMOVED": "a vector was removed",
    "VECTOR_REQUIREMENT": "a vector exercises different requirements",
    "REQUIREMENT_ADDED": "a requirement was added",
    "REQUIREMENT_REMOVED": "a requirement was removed; do not reuse its id",
    "REQUIREMENT_REWORDED": "a requirement was reworded",
    "REQUIREMENT_LEVEL": "the level of a requirement changed",
    "FORMAT_ADDED": "the executable specification reads an additional format",
    "FORMAT_REMOVED": "the executable specification no longer reads a format",
    "NOT_RUN": "a reader could not be run, so its behaviour is unknown",
}


def summary(findings: Iterable[Finding]) -> dict[str, int]:
    """Count the findings that are not excused, by severity."""
    counts: dict[str, int] = dict.fromkeys(SEVERITIES, 0)
    for finding in findings:
        if finding.excused is None:
            counts[finding.severity] += 1
    return counts


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Sort findings by severity, class, file and line, without duplicates."""
    unique = dict.fromkeys(findings)
    return sorted(
        unique,
        key=lambda f: (
            f.excused is not None,
            SEVERITIES.index(f.severity),
            CLASSES.index(f.classes[0]),
            f.location,
        ),
    )
