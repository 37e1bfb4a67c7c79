"""Run a review: compare two trees, and return the findings and tables."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from conformance.kaitai.grammars import names_of
from walproof.review.affected import failing_implementations, uses_of_field
from walproof.review.behaviour import (
    EFFECTS,
    Table,
    compare_answers,
    is_intact,
    read_with_specifications,
)
from walproof.review.finding import CLASSES, CannotReview, ReviewFinding, in_order, summary
from walproof.review.grammars import EFFECTS as GRAMMAR_EFFECTS
from walproof.review.grammars import added_and_removed, compare_grammars, read_with_grammars
from walproof.review.logs import damaged_copies, logs_of
from walproof.review.prose import compare_registers, compare_requirements
from walproof.review.revision import RevisionReaders

UNKNOWN = "does not support the format"
Report = Callable[[str], None]


@dataclass
class Review:
    """The outcome of a review."""

    against: str
    formats: list[str]
    findings: list[ReviewFinding] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    #: Parts of the review that did not run, with the reasons.
    skipped: list[str] = field(default_factory=list)
    #: ``by`` lists the mechanisms that isolated the readers, and ``could`` the resources that the
    #: readers could still access.
    isolation: dict[str, list[str]] = field(default_factory=dict)
    #: For each format and implementation, the number of passing vectors whose records change.
    failing: dict[str, dict[str, int]] = field(default_factory=dict)
    #: False if neither formats nor grammars were compared.
    is_compared: bool = True

    @property
    def breaks(self) -> list[str]:
        """The classes of all breaking findings."""
        classes = {c for finding in self.findings if finding.breaks for c in finding.classes}
        return [c for c in CLASSES if c in classes]

    def to_json(self) -> dict[str, Any]:
        """Return the output of ``walproof review --json``."""
        return {
            "against": self.against,
            "formats": self.formats,
            "compatible": not self.breaks,
            "breaks": sorted(self.breaks),
            "counts": summary(self.findings),
            "would_fail": self.failing,
            "findings": [finding.to_json() for finding in self.findings],
            "behaviour": [table.to_json() for table in self.tables],
            "not_run": self.skipped,
            "isolation": self.isolation,
        }


def review(
    old: Path, new: Path, against: str = "old", formats: tuple[str, ...] = (),
    count: int = 300, seed: int = 0, report_progress: Report = lambda _: None,
) -> Review:  # fmt: skip
    """Review the change from one tree to another, using about ``count`` damaged copies of logs.

    Raises :class:`~conformance.kaitai.compile.GrammarError`, ``ToolMissing``, and
    :class:`~walproof.review.finding.CannotReview` if the new readers do not run.
    """
    roots = {"old": old, "new": new}
    report_progress("comparing the grammars")
    changes = compare_grammars(old, new)
    chosen = list(formats) or formats_of(old, new)
    outcome = Review(against, chosen)
    outcome.is_compared = bool(chosen) or all((root / "ksy").is_dir() for root in roots.values())
    findings = [
        finding
        for finding in (*compare_requirements(old, new), *compare_registers(old, new))
        if not formats or Path(finding.location[0]).stem in formats
    ]
    unchanged = [format for format in chosen if same_specification(old, new, format)]
    if unchanged:
        scope = "" if len(unchanged) == len(chosen) else f" of {', '.join(unchanged)}"
        outcome.skipped.append(f"executable specification{scope}: identical on both sides")
    if not changes:
        outcome.skipped.append("grammars: equivalent on both sides")
    has_readers = any((root / "reference_impl").is_dir() for root in roots.values())
    with (
        tempfile.TemporaryDirectory(prefix="walproof-review-") as folder,
        # A worker ends with the thread that started it, so the threads must last until all requests
        # are done.
        ThreadPoolExecutor(2) as pool,
    ):
        workers = {
            side: RevisionReaders(root, scratch=Path(folder)) for side, root in roots.items()
        }
        outcome.isolation = workers["old"].sandbox.isolation()
        try:
            for format in chosen:
                report_progress(f"running old and new readers of {format}")
                missing = _missing(workers, format) if has_readers else {}
                findings += _format_findings(missing, format)
                of_format = {name: changes[name] for name in names_of(format) if name in changes}
                if format in unchanged and not of_format:
                    continue
                scratch = Path(folder) / format
                scratch.mkdir()
                logs = logs_of(roots, format)
                if has_readers and not missing:
                    read_with_specifications(logs, workers, scratch, pool)
                    for log in logs:
                        log.damaged = log.damaged or not is_intact(log)
                controls = [log for log in logs if not log.damaged]
                copies = list(damaged_copies(controls, count, seed))
                logs += copies
                if has_readers and not missing and format not in unchanged:
                    read_with_specifications(copies, workers, scratch, pool)
                    table = compare_answers(format, logs)
                    outcome.tables.append(table)
                    findings += table.findings(EFFECTS)
                    if failing := failing_implementations(table):
                        outcome.failing[format] = failing
                if of_format:
                    table = read_with_grammars(of_format, format, logs, workers["new"], scratch)
                    outcome.tables.append(table)
                    findings += table.findings(GRAMMAR_EFFECTS)
        finally:
            for worker in workers.values():
                worker.close()
    for change in changes.values():
        if not formats or any(change.name in names_of(format) for format in formats):
            findings += (_with_uses(each, new, change.name) for each in change.findings())
    if not formats:
        findings += added_and_removed(old, new)
    outcome.findings = in_order(findings)
    return outcome


def _with_uses(finding: ReviewFinding, root: Path, grammar: str) -> ReviewFinding:
    """Add the files that use the field, if it was removed or renamed."""
    if finding.rule != "FIELD_REMOVED":
        return finding
    uses = uses_of_field(root, grammar, finding.subject.rpartition(".")[2])
    return replace(finding, hurts=f"{finding.hurts}; {uses}") if uses else finding


def formats_of(*roots: Path) -> list[str]:
    """Return the formats that have logs in one of the trees."""
    return sorted({path.parent.name for root in roots for path in root.glob("vectors/*/*")})


def same_specification(old: Path, new: Path, format: str) -> bool:
    """Return whether a format's executable specification and shared code are unchanged."""
    return _digest(old, format) == _digest(new, format)


def _digest(root: Path, format: str) -> str:
    digest = hashlib.sha256()
    code = root / "reference_impl"
    folders = {reader.parent for reader in code.glob("*/reader.py")}
    folders.discard(code / format.replace("-", "_"))
    for path in sorted(code.rglob("*.py")):
        if not folders & set(path.parents):
            name = path.relative_to(root).as_posix().encode()
            digest.update(name + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _missing(workers: dict[str, RevisionReaders], format: str) -> dict[str, str]:
    """For each side without a reader for a format, return the reason."""
    missing = {}
    for side, worker in workers.items():
        reply = worker.ask(do="knows", format=format)
        if "error" in reply:
            location = f"{reply['place']}: " if reply.get("place") else ""
            missing[side] = f"no executable specification ({location}{reply['error']})"
        elif not reply["known"]:
            missing[side] = UNKNOWN
    return missing


def _format_findings(missing: dict[str, str], format: str) -> Iterator[ReviewFinding]:
    """Yield findings for sides without readers.

    Raises :class:`CannotReview` if the new readers cannot be run.
    """
    if missing.get("new", UNKNOWN) != UNKNOWN:
        raise CannotReview(f"the new side has {missing['new']}")
    if missing == {"old": UNKNOWN}:
        yield ReviewFinding(
            "FORMAT_ADDED", ("READ",), "note", format, "added", "nobody", format=format
        )
    elif missing == {"new": UNKNOWN}:
        hurts = "everyone with logs of this format"
        yield ReviewFinding("FORMAT_REMOVED", ("READ",), "breaking", format, "removed", hurts,
                      format=format)  # fmt: skip
    elif missing.get("old", UNKNOWN) != UNKNOWN:
        hurts = "the review: the behaviour of these readers is unknown"
        yield ReviewFinding("NOT_RUN", ("READ", "RECOVER"), "warning", "old reader", missing["old"],
                      hurts, format=format)  # fmt: skip
