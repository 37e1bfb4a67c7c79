"""What came of a subject and of each case: results as reports have them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.cases import STRUCTURE, Case, Judgement
from conformance.contents import TooMuch
from conformance.process import Crash, OverLimit, Timeout
from conformance.protocol.messages import ProtocolError
from conformance.subject import Subject

CLASS_OF_ERROR = {
    Crash: "crash",
    Timeout: "timeout",
    OverLimit: "over-limit",
    TooMuch: "over-limit",
    ProtocolError: "protocol-error",
}
"""How a case ends in which the program does not come to an answer."""

EXPECTED_CLASSES = ("pass", "known-failure", "skipped")


@dataclass
class SubjectRun:
    """What came of one subject: who it said it is, and a result per case."""

    subject: Subject
    hello: dict[str, Any] = field(default_factory=dict)
    status: str = "ran"
    because: str | None = None
    seconds: float = 0.0
    results: list[dict[str, Any]] = field(default_factory=list)
    cached_from: str | None = None
    """When it ran, if that was in an earlier run (:mod:`conformance.cache`)."""


def with_known(subject: Subject, result: dict[str, Any]) -> dict[str, Any]:
    """The result, compared with what is listed as a known failure."""
    known, key = subject.known, (result["vector"], result["profile"])
    if key not in known.entries or result["class"] == "skipped":
        return result
    if result["class"] == "pass":
        return result | {
            "class": "unexpected-pass",
            "difference": "listed as a known failure, but right",
            "cause": known.cause_of(*key),
        }
    if known.matches(*key, result["class"], result["difference"]):
        return result | {"class": "known-failure", "cause": known.cause_of(*key)}
    pinned = known.entries[key]
    return result | {"cause": f"listed with another difference: {pinned.difference}"}


def passed(subject: Subject, case: Case) -> dict[str, Any]:
    """The result of a case in which nothing is wrong, and how to repeat it."""
    chosen = f"--vector {case.vector.option} --profile {case.profile}"
    commands = {"repeat": f"{subject.repeat} {chosen}"}
    if subject.ask and case.profile != STRUCTURE:
        commands["ask"] = f"{subject.ask} {chosen} --keep kept"
    return {
        "vector": case.vector.id,
        "profile": case.profile,
        "class": "pass",
        "ms": 0.0,
        "difference": None,
        "cause": None,
        "expected": None,
        "actual": None,
        "stderr": None,
        **commands,
    }


def failed(judgement: Judgement, stderr: str | None) -> dict[str, Any]:
    """What a judgement adds to the result of a case."""
    return {
        "class": "fail",
        "difference": judgement.difference,
        "expected": judgement.expected or None,
        "actual": judgement.actual,
        "stderr": stderr,
    }


def died(error: Exception, case: Case, stderr: str | None) -> dict[str, Any]:
    """What the end of a program adds to the result of the case that it was asked."""
    kind = next(kind for kind in CLASS_OF_ERROR if isinstance(error, kind))
    return {
        "class": CLASS_OF_ERROR[kind],
        "difference": str(error),
        "expected": case.expect,
        "stderr": stderr,
    }


def summary(outcomes: Sequence[Mapping[str, Any]]) -> str:
    """The difference of a case: the first request's, and a digest that pins all the others."""
    texts = [str(outcome["difference"]) for outcome in outcomes]
    if len(texts) == 1:
        return texts[0]
    digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:8]
    return f"{texts[0]}; and {len(texts) - 1} more requests of this case [{digest}]"


def with_stderr(text: str, stderr: str | None) -> str:
    """What went wrong, and the last that the program wrote."""
    return f"{text}; it wrote: {stderr.splitlines()[-1][:200]}" if stderr else text
