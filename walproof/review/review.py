"""Run a review: compare two trees, and return findings and tables."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.kaitai.grammars import names_of
from walproof.review.behaviour import EFFECTS, Behaviour, Table
from walproof.review.finding import CLASSES, CannotReview, Finding, in_order, summary
from walproof.review.fresh_damage import aim_at
from walproof.review.grammars import EFFECTS as GRAMMAR_EFFECTS
from walproof.review.grammars import GrammarRun, added_and_removed, compare_grammars
from walproof.review.prose import compare_requirements
from walproof.review.revision import Worker

UNKNOWN = "does not support the format"
Report = Callable[[str], None]


@dataclass
class Review:
    """The outcome of a review."""

    against: str
    formats: list[str]
    findings: list[Finding] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    #: Parts that did not run, with reasons.
    skipped: list[str] = field(default_factory=list)
    #: Mechanisms that isolated the readers (``by``), and accesses that remained possible
    #: (``could``).
    isolation: dict[str, list[str]] = field(default_factory=dict)

    @property
    def breaks(self) -> list[str]:
        """The classes of the breaking findings."""
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
            "findings": [finding.to_json() for finding in self.findings],
            "behaviour": [table.to_json() for table in self.tables],
            "not_run": self.skipped,
            "isolation": self.isolation,
        }


def review(
    old: Path, new: Path, against: str = "old", formats: tuple[str, ...] = (),
    count: int = 300, seed: int = 0, report_progress: Report = lambda _: None,
) -> Review:  # fmt: skip
    """Review the change from one tree to another, with ``count`` damaged copies of logs.

    Raises :class:`~conformance.kaitai.compile.GrammarError`, ``ToolMissing``, and
    :class:`~walproof.review.finding.CannotReview` if the new readers do not run.
    """
    roots = {"old": old, "new": new}
    report_progress("comparing the grammars")
    diffs = compare_grammars(old, new)
    vectors = [path for root in roots.values() for path in (root / "vectors").glob("*/*.json")]
    chosen = list(formats) or sorted({path.parent.name for path in vectors})
    outcome = Review(against, chosen)
    findings = [
        finding
        for finding in compare_requirements(old, new)
        if not formats or Path(finding.location[0]).stem in formats
    ]
    unchanged = [format for format in chosen if same_specification(old, new, format)]
    if unchanged:
        scope = "" if len(unchanged) == len(chosen) else f" of {', '.join(unchanged)}"
        outcome.skipped.append(f"executable specification{scope}: identical on both sides")
    if not diffs:
        outcome.skipped.append("grammars: equivalent on both sides")
    with tempfile.TemporaryDirectory(prefix="walproof-review-") as folder:
        workers = {side: Worker(root, scratch=Path(folder)) for side, root in roots.items()}
        outcome.isolation = workers["old"].sandbox.isolation()
        try:
            for format in chosen:
                report_progress(f"running old and new readers of {format}")
                scratch = Path(folder) / format
                scratch.mkdir()
                missing = _missing(workers, format)
                findings += _format_findings(missing, format)
                own_diffs = {name: diffs[name] for name in names_of(format) if name in diffs}
                if format in unchanged and not own_diffs:
                    continue
                run = Behaviour(format, workers, roots, not missing, scratch)
                run.gather(count, seed, aim_at(f for d in own_diffs.values() for f in d.findings()))
                if format not in unchanged and not missing:
                    table = run.specification()
                    outcome.tables.append(table)
                    findings += table.findings(EFFECTS)
                if own_diffs:
                    grammar = GrammarRun(own_diffs, format, workers["new"], scratch)
                    table = grammar.run(run.logs.values())
                    outcome.tables.append(table)
                    findings += [*grammar.structural(), *table.findings(GRAMMAR_EFFECTS)]
        finally:
            for worker in workers.values():
                worker.close()
    if not formats:
        findings += added_and_removed(old, new)
        known = {name for format in chosen for name in names_of(format)}
        reported = {(finding.rule, finding.where) for finding in findings}
        others = (f for name, diff in diffs.items() if name not in known for f in diff.findings())
        findings += [f for f in others if (f.rule, f.where) not in reported]
    outcome.findings = in_order(findings)
    return outcome


def same_specification(old: Path, new: Path, format: str) -> bool:
    """Return whether a format's executable specification and the shared code are equal."""
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


def _missing(workers: dict[str, Worker], format: str) -> dict[str, str]:
    """Return the reason for each side that has no reader of a format."""
    missing = {}
    for side, worker in workers.items():
        reply = worker.ask(do="knows", format=format)
        if "error" in reply:
            location = f"{reply['place']}: " if reply.get("place") else ""
            missing[side] = f"no executable specification ({location}{reply['error']})"
        elif not reply["known"]:
            missing[side] = UNKNOWN
    return missing


def _format_findings(missing: dict[str, str], format: str) -> Iterator[Finding]:
    """Yield findings for a side without readers. Raises :class:`CannotReview` for the new side."""
    if missing.get("new", UNKNOWN) != UNKNOWN:
        raise CannotReview(f"the new side has {missing['new']}")
    if missing == {"old": UNKNOWN}:
        yield Finding("FORMAT_ADDED", ("READ",), "note", format, "added", "nobody", format=format)
    elif missing == {"new": UNKNOWN}:
        hurts = "everyone with logs of this format"
        yield Finding("FORMAT_REMOVED", ("READ",), "breaking", format, "removed", hurts,
                      format=format)  # fmt: skip
    elif missing.get("old", UNKNOWN) != UNKNOWN:
        hurts = "the review: the behaviour of these readers is unknown"
        yield Finding("NOT_RUN", ("READ", "RECOVER"), "warning", "old reader", missing["old"],
                      hurts, format=format)  # fmt: skip
