"""Run a review: compare two trees, and return findings and tables."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from walproof.review.behaviour import SIDES, Behaviour, Table, contradicted
from walproof.review.excuses import FILE, Excuse, excused, load_excuses
from walproof.review.finding import CannotReview, Finding, in_order, summary
from walproof.review.fresh_damage import Aim, aim_at
from walproof.review.grammar_model import Model, load_models
from walproof.review.grammars import GrammarRun, by_data, grammars_of
from walproof.review.logs import LogUnderReview, logs_of, merged, vector_bodies
from walproof.review.prose import compare_requirements, compare_vectors
from walproof.review.revision import Worker
from walproof.review.structure import StructureDiff

UNKNOWN = "does not support the format"
Report = Callable[[str], None]


@dataclass
class Review:
    """The outcome of a review.

    ``skipped`` lists the parts that did not run, with reasons. ``isolation`` lists the mechanisms
    that isolated the readers (``by``), and the accesses that remained possible (``could``).
    """

    against: str
    formats: list[str]
    findings: list[Finding] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    unused_excuses: list[Excuse] = field(default_factory=list)
    isolation: dict[str, list[str]] = field(default_factory=dict)

    @property
    def breaking(self) -> bool:
        """True if the review has a breaking finding that is not excused."""
        return any(finding.breaks for finding in self.findings)

    def to_json(self) -> dict[str, Any]:
        """Return the output of ``walproof review --output json``."""
        classes = sorted(
            {c for finding in self.findings if finding.breaks for c in finding.classes}
        )
        return {
            "against": self.against,
            "formats": self.formats,
            "compatible": not self.breaking,
            "breaks": classes,
            "counts": summary(self.findings),
            "findings": [finding.to_json() for finding in self.findings],
            "behaviour": [table.to_json() for table in self.tables],
            "not_run": self.skipped,
            "isolation": self.isolation,
            "unused_excuses": [excuse.rule for excuse in self.unused_excuses],
        }


def review(
    old: Path, new: Path, against: str = "old", formats: tuple[str, ...] = (),
    count: int = 300, seed: int = 0, report_progress: Report = lambda _: None,
) -> Review:  # fmt: skip
    """Review the change from one tree to another.

    Each tree contains ksy/, spec/, vectors/ and reference_impl/. ``formats`` selects formats; if it
    is empty, all formats are reviewed. ``count`` damaged copies are generated from ``seed``.
    ``report_progress`` is called with a line for each step. Raises
    :class:`~conformance.kaitai.compile.GrammarError` if a grammar does not compile, and
    :class:`~walproof.review.finding.CannotReview` if the new readers do not run or time out.
    """
    bodies = {"old": vector_bodies(old, formats), "new": vector_bodies(new, formats)}
    report_progress("comparing the grammars")
    diff = StructureDiff(*load_models(old, new))
    chosen = _formats(diff, bodies, formats)
    outcome = Review(against, chosen)
    structural = [f for f in diff.findings if not formats or _concerns(f, diff.new, formats)]
    findings = list(_text(old, new, bodies, formats))
    unchanged = {format for format in chosen if same_specification(old, new, format)}
    if unchanged:
        scope = "" if len(unchanged) == len(chosen) else f" of {', '.join(sorted(unchanged))}"
        outcome.skipped.append(f"executable specification{scope}: identical on both sides")
    if not diff.findings:
        outcome.skipped.append("grammars: equivalent on both sides")
    with tempfile.TemporaryDirectory(prefix="walproof-review-") as folder:
        workers = {
            side: Worker(root, scratch=Path(folder)) for side, root in (("old", old), ("new", new))
        }
        outcome.isolation = workers["old"].sandbox.isolation()
        try:
            for format in chosen:
                report_progress(f"running old and new readers of {format}")
                scratch = Path(folder) / format
                scratch.mkdir()
                bodies_of_format = {
                    s: {i: b for i, b in bodies[s].items() if b["format"] == format} for s in SIDES
                }
                readers = _readers(workers, format)
                findings += _format_findings(readers, format)
                run = Behaviour(format, workers, bodies_of_format, readers, scratch)
                format_types = set(_types(diff.new, format))
                own_findings = [f for f in structural if f.grammar in format_types]
                aim = aim_at(own_findings)
                findings = list(
                    contradicted(findings, bodies_of_format["new"], workers["new"], readers)
                )
                if format not in unchanged:
                    run.gather(count, seed, aim)
                    outcome.tables.append(run.specification())
                    run.writers()
                    findings += run.findings
                if own_findings and grammars_of(diff.new, format):
                    logs = list(run.logs.values()) or _plain_logs(
                        bodies_of_format, run, count, seed, aim
                    )
                    grammar = GrammarRun(diff, format, workers["new"], scratch)
                    outcome.tables.append(grammar.run(logs))
                    other_findings = [f for f in structural if f.grammar not in format_types]
                    own_findings = [
                        replace(f, format=format) for f in by_data(own_findings, grammar.statistics)
                    ]
                    structural = own_findings + other_findings
                    findings += grammar.findings
                if sample := run.sampled():
                    outcome.skipped.append(sample)
        finally:
            for worker in workers.values():
                worker.close()
    marked, unused = excused([*structural, *findings], load_excuses(new / FILE))
    outcome.findings = in_order(marked)
    outcome.unused_excuses = unused
    return outcome


def same_specification(old: Path, new: Path, format: str) -> bool:
    """Return whether a format's executable specification has not changed.

    The comparison includes the directory of the format and the shared code, but not the directories
    of other formats.
    """
    return _digest(old, format) == _digest(new, format)


def _digest(root: Path, format: str) -> str:
    digest = hashlib.sha256()
    code = root / "reference_impl"
    other_readers = {
        path for path in code.glob("*/reader.py") if path.parent.name != format.replace("-", "_")
    }
    folders = {path.parent for path in other_readers}
    for path in sorted(code.rglob("*.py")):
        if folders & set(path.parents):
            continue
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _plain_logs(
    bodies: dict[str, dict[str, Any]], run: Behaviour, count: int, seed: int, aim: Aim
) -> list[LogUnderReview]:
    """Return the logs if only grammars differ, damaged with the answers of one reader."""
    if any(run.readers[side] for side in SIDES):
        return list(merged(*(logs_of(bodies[side], side) for side in SIDES)).values())
    run.gather(count, seed, aim)
    return list(run.logs.values())


def _readers(workers: dict[str, Worker], format: str) -> dict[str, str | None]:
    """Return the reason why each side has no reader of a format; None if it has one."""
    missing: dict[str, str | None] = {}
    for side, worker in workers.items():
        reply = worker.ask(do="formats")
        formats = reply.get("formats", [])
        if "error" in reply:
            location = f"{reply['place']}: " if reply.get("place") else ""
            missing[side] = f"no executable specification ({location}{reply['error']})"
        else:
            missing[side] = None if format in formats else UNKNOWN
    return missing


def _format_findings(readers: Mapping[str, str | None], format: str) -> Iterator[Finding]:
    """Yield findings for formats that only one side reads, and for sides that do not run."""
    if readers["old"] == UNKNOWN and readers["new"] is None:
        yield Finding("FORMAT_ADDED", ("READ",), "note", format, "added", "nobody", format=format)
    elif readers["new"] == UNKNOWN and readers["old"] is None:
        hurts = "everyone with logs of this format"
        yield Finding("FORMAT_REMOVED", ("READ",), "breaking", format, "removed", hurts,
                      format=format)  # fmt: skip
    for side, why in readers.items():
        if why and why != UNKNOWN:
            if side == "new":
                raise CannotReview(f"the new side has {why}")
            hurts = "the review: the behaviour of these readers is unknown"
            yield Finding("NOT_RUN", ("READ", "RECOVER"), "warning", f"{side} reader", why, hurts,
                          format=format)  # fmt: skip


def _formats(
    diff: StructureDiff, bodies: dict[str, dict[str, Any]], selected: tuple[str, ...]
) -> list[str]:
    formats = [str(body["format"]) for side in SIDES for body in bodies[side].values()]
    return list(selected) or sorted(dict.fromkeys(formats))


def _types(model: Model, format: str) -> Iterator[str]:
    """Yield the grammars of a format and their imports."""
    yield from model.reachable(grammars_of(model, format))


def _concerns(finding: Finding, model: Model, formats: tuple[str, ...]) -> bool:
    return any(finding.grammar in set(_types(model, format)) for format in formats)


def _text(
    old: Path, new: Path, bodies: dict[str, dict[str, Any]], formats: tuple[str, ...]
) -> Iterator[Finding]:
    prefixes = {
        requirement.split("-")[0]
        for side in SIDES
        for body in bodies[side].values()
        for requirement in body["requirements"]
    }
    for finding in compare_requirements(old, new, bodies["new"]):
        if not formats or finding.subject.split("-")[0] in prefixes:
            yield finding
    yield from compare_vectors(bodies["old"], bodies["new"])
