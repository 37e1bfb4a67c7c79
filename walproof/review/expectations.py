"""Expected answers that were edited: does the executable specification give them?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from walproof.review.behaviour import describe
from walproof.review.finding import Finding
from walproof.review.revision import Worker

PROFILES = {"expect": "recover", "expect_strict": "strict"}


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
    for key, profile in PROFILES.items():
        if key not in body:
            continue
        reply = worker.ask(
            do="read", format=body["format"], path=str(path), profile=profile,
            context=body.get("context", {}),
        )  # fmt: skip
        if how := describe({"answer": body[key]}, reply):
            return how if profile == "recover" else f"profile {profile}: {how}"
    return ""
