"""One review: two trees in, findings and tables out."""

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

UNKNOWN = "does not know the format"
Say = Callable[[str], None]


@dataclass
class Review:
    """The outcome. ``skipped`` says what was not run, and why that is no loss."""

    against: str
    formats: list[str]
    findings: list[Finding] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    unused_excuses: list[Excuse] = field(default_factory=list)
    isolation: dict[str, list[str]] = field(default_factory=dict)
    """What isolated the readers (``by``), and what they could do all the same (``could``)."""

    @property
    def breaking(self) -> bool:
        """Whether a finding that nothing excuses hurts somebody."""
        return any(finding.breaks for finding in self.findings)

    def to_json(self) -> dict[str, Any]:
        """As ``walproof review --output json`` prints it."""
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
    count: int = 300, seed: int = 0, say: Say = lambda _: None,
) -> Review:  # fmt: skip
    """Review the change from one tree to another; each has ksy/, spec/, vectors/, reference_impl/.

    ``formats`` chooses formats (none: all). ``count`` logs are damaged afresh, with ``seed``.
    Raises :class:`~conformance.kaitai.compile.GrammarError` if a grammar does not compile, and
    :class:`~walproof.review.finding.CannotReview` if the new readers do not run or do not end.
    """
    bodies = {"old": vector_bodies(old, formats), "new": vector_bodies(new, formats)}
    say("comparing the grammars")
    diff = StructureDiff(*load_models(old, new))
    chosen = _formats(diff, bodies, formats)
    outcome = Review(against, chosen)
    structural = [f for f in diff.findings if not formats or _concerns(f, diff.new, formats)]
    findings = list(_text(old, new, bodies, formats))
    unchanged = {format for format in chosen if same_specification(old, new, format)}
    if unchanged:
        whose = "" if len(unchanged) == len(chosen) else f" of {', '.join(sorted(unchanged))}"
        outcome.skipped.append(f"executable specification{whose}: it is the same on both sides")
    if not diff.findings:
        outcome.skipped.append("grammars: they say the same on both sides")
    with tempfile.TemporaryDirectory(prefix="walproof-review-") as folder:
        workers = {
            side: Worker(root, scratch=Path(folder)) for side, root in (("old", old), ("new", new))
        }
        outcome.isolation = workers["old"].sandbox.isolation()
        try:
            for format in chosen:
                say(f"running old and new readers of {format}")
                scratch = Path(folder) / format
                scratch.mkdir()
                own = {
                    s: {i: b for i, b in bodies[s].items() if b["format"] == format} for s in SIDES
                }
                readers = _readers(workers, format)
                findings += _who_reads(readers, format)
                run = Behaviour(format, workers, own, readers, scratch)
                own_types = set(_types(diff.new, format))
                mine = [f for f in structural if f.grammar in own_types]
                aim = aim_at(mine)
                findings = list(contradicted(findings, own["new"], workers["new"], readers))
                if format not in unchanged:
                    run.gather(count, seed, aim)
                    outcome.tables.append(run.specification())
                    run.writers()
                    findings += run.findings
                if mine and grammars_of(diff.new, format):
                    logs = list(run.logs.values()) or _plain_logs(own, run, count, seed, aim)
                    grammar = GrammarRun(diff, format, workers["new"], scratch)
                    outcome.tables.append(grammar.run(logs))
                    rest = [f for f in structural if f.grammar not in own_types]
                    mine = [replace(f, format=format) for f in by_data(mine, grammar.seen)]
                    structural = mine + rest
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
    """Whether all code that a format's executable specification may use is byte for byte the same.

    That is its own folder and what formats share, not the folders of the others.
    """
    return _digest(old, format) == _digest(new, format)


def _digest(root: Path, format: str) -> str:
    digest = hashlib.sha256()
    code = root / "reference_impl"
    others = {
        path for path in code.glob("*/reader.py") if path.parent.name != format.replace("-", "_")
    }
    folders = {path.parent for path in others}
    for path in sorted(code.rglob("*.py")):
        if folders & set(path.parents):
            continue
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _plain_logs(
    own: dict[str, dict[str, Any]], run: Behaviour, count: int, seed: int, aim: Aim
) -> list[LogUnderReview]:
    """The logs when only grammars differ: one reader's answers are enough to aim damage with."""
    if any(run.readers[side] for side in SIDES):
        return list(merged(*(logs_of(own[side], side) for side in SIDES)).values())
    run.gather(count, seed, aim)
    return list(run.logs.values())


def _readers(workers: dict[str, Worker], format: str) -> dict[str, str | None]:
    """Why each side has no reader of a format; None where it has one."""
    missing: dict[str, str | None] = {}
    for side, worker in workers.items():
        reply = worker.ask(do="formats")
        known = reply.get("formats", [])
        if "error" in reply:
            place = f"{reply['place']}: " if reply.get("place") else ""
            missing[side] = f"no executable specification ({place}{reply['error']})"
        else:
            missing[side] = None if format in known else UNKNOWN
    return missing


def _who_reads(readers: Mapping[str, str | None], format: str) -> Iterator[Finding]:
    """Formats that only one side reads, and sides that cannot be run at all."""
    if readers["old"] == UNKNOWN and readers["new"] is None:
        yield Finding("FORMAT_ADDED", ("READ",), "note", format, "added", "nobody", format=format)
    elif readers["new"] == UNKNOWN and readers["old"] is None:
        hurts = "whoever has logs of this format"
        yield Finding("FORMAT_REMOVED", ("READ",), "breaking", format, "removed", hurts,
                      format=format)  # fmt: skip
    for side, why in readers.items():
        if why and why != UNKNOWN:
            if side == "new":
                raise CannotReview(f"the new side has {why}")
            hurts = "the reviewer: what these readers do is not known"
            yield Finding("NOT_RUN", ("READ", "RECOVER"), "warning", f"{side} reader", why, hurts,
                          format=format)  # fmt: skip


def _formats(
    diff: StructureDiff, bodies: dict[str, dict[str, Any]], wanted: tuple[str, ...]
) -> list[str]:
    named = [str(body["format"]) for side in SIDES for body in bodies[side].values()]
    return list(wanted) or sorted(dict.fromkeys(named))


def _types(model: Model, format: str) -> Iterator[str]:
    """The grammars of a format and those that they import."""
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
