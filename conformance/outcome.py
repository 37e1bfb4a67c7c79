"""The results of a subject and its cases, in the form of reports."""

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

# The result class of a case that ends without an answer.
CLASS_OF_ERROR = {
    Crash: "crash",
    Timeout: "timeout",
    OverLimit: "over-limit",
    TooMuch: "over-limit",
    ProtocolError: "protocol-error",
}

EXPECTED_CLASSES = ("pass", "known-failure", "skipped")


@dataclass
class SubjectRun:
    """The results of one subject: its hello, and a result per case."""

    subject: Subject
    hello: dict[str, Any] = field(default_factory=dict)
    status: str = "ran"
    because: str | None = None
    seconds: float = 0.0
    results: list[dict[str, Any]] = field(default_factory=list)
    # The time of the earlier run, if the results are cached (:mod:`conformance.cache`).
    cached_from: str | None = None


def with_known(subject: Subject, result: dict[str, Any]) -> dict[str, Any]:
    """Compare a result with the list of known failures."""
    known, key = subject.known, (result["vector"], result["profile"])
    if key not in known.entries or result["class"] == "skipped":
        return result
    if result["class"] == "pass":
        return result | {
            "class": "unexpected-pass",
            "difference": "listed as a known failure, but correct",
            "cause": known.cause_of(*key),
        }
    if known.matches(*key, result["class"], result["difference"]):
        return result | {"class": "known-failure", "cause": known.cause_of(*key)}
    pinned = known.entries[key]
    return result | {"cause": f"listed with another difference: {pinned.difference}"}


def passed(subject: Subject, case: Case) -> dict[str, Any]:
    """Return the result of a passed case, with the commands to repeat it."""
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
    """Return the keys that a judgement adds to the result of a case."""
    return {
        "class": "fail",
        "difference": judgement.difference,
        "expected": judgement.expected or None,
        "actual": judgement.actual,
        "stderr": stderr,
    }


def died(error: Exception, case: Case, stderr: str | None) -> dict[str, Any]:
    """Return the keys that the failure of a program adds to the result of its case."""
    error_type = next(error_type for error_type in CLASS_OF_ERROR if isinstance(error, error_type))
    return {
        "class": CLASS_OF_ERROR[error_type],
        "difference": str(error),
        "expected": case.expect,
        "stderr": stderr,
    }


def summary(outcomes: Sequence[Mapping[str, Any]]) -> str:
    """Return the first request's difference, and a digest of the differences of all requests."""
    texts = [str(outcome["difference"]) for outcome in outcomes]
    if len(texts) == 1:
        return texts[0]
    digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:8]
    return f"{texts[0]}; and {len(texts) - 1} more requests of this case [{digest}]"


def with_stderr(text: str, stderr: str | None) -> str:
    """Return a fault with the last line that the program wrote to stderr."""
    return f"{text}; it wrote: {stderr.splitlines()[-1][:200]}" if stderr else text
