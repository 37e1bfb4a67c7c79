"""Build the results of a subject and of its cases, as reports contain them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.checked_program import CheckedProgram
from conformance.contents import TooMuch
from conformance.process import OverLimit, ProgramCrash, Timeout
from conformance.protocol.messages import ProtocolError
from conformance.vector_cases import STRUCTURE, ReplyJudgement, VectorCase

# Result class of a case without an answer, by the exception that ended the case.
CLASS_OF_ERROR = {
    ProgramCrash: "crash",
    Timeout: "timeout",
    OverLimit: "over-limit",
    TooMuch: "over-limit",
    ProtocolError: "protocol-error",
}

EXPECTED_CLASSES = ("pass", "known-failure", "skipped")


@dataclass
class ProgramRun:
    """The results of one subject: its hello message, and a result for each case."""

    subject: CheckedProgram
    hello: dict[str, Any] = field(default_factory=dict)
    status: str = "ran"
    because: str | None = None
    seconds: float = 0.0
    results: list[dict[str, Any]] = field(default_factory=list)
    # The time of the run that produced the results, if they come from the cache
    # (:mod:`conformance.result_cache`).
    cached_from: str | None = None


class RunInterrupted(KeyboardInterrupt):
    """A run was interrupted. ``runs`` holds the results of the finished cases."""

    def __init__(self, runs: Sequence[ProgramRun]) -> None:
        super().__init__()
        self.runs = runs


def with_known(subject: CheckedProgram, result: dict[str, Any]) -> dict[str, Any]:
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
    if known.matches(*key, result["class"], result["found"]):
        # Leave out the stack trace: it would make a report a quarter longer, and the cause explains
        # the failure.
        return result | {
            "class": "known-failure", "cause": known.cause_of(*key), "stderr": None,
        }  # fmt: skip
    pinned = known.entries[key]
    return result | {"cause": f"listed with another difference: {pinned.text}"}


def passed(subject: CheckedProgram, case: VectorCase) -> dict[str, Any]:
    """Return the result of a passed case, with the commands to repeat it."""
    return {
        "vector": case.vector.id,
        "profile": case.profile,
        "class": "pass",
        "ms": 0.0,
        "difference": None,
        "found": None,
        "cause": None,
        "expected": None,
        "actual": None,
        "stderr": None,
        **commands(subject.repeat, subject.ask, case.vector.option, case.profile),
    }


def commands(repeat: str | None, ask: str | None, vector: str, profile: str) -> dict[str, str]:
    """Return the commands that repeat a case, and show its messages, for a program."""
    chosen = f"--vector {vector} --profile {profile}"
    found = {"repeat": f"{repeat} {chosen}"}
    if ask and profile != STRUCTURE:
        found["ask"] = f"{ask} {chosen}"
    return found


def failed(judgement: ReplyJudgement, stderr: str | None) -> dict[str, Any]:
    """Return the keys that a judgement adds to the result of a case."""
    return {
        "class": "fail",
        "difference": judgement.difference,
        "found": judgement.found,
        "expected": judgement.expected or None,
        "actual": judgement.actual,
        "stderr": stderr,
    }


def died(error: Exception, case: VectorCase, stderr: str | None) -> dict[str, Any]:
    """Return the keys that the failure of a program adds to the result of its case."""
    error_type = next(error_type for error_type in CLASS_OF_ERROR if isinstance(error, error_type))
    return {
        "class": CLASS_OF_ERROR[error_type],
        "difference": str(error),
        # A timeout needs no description: its result class is sufficient.
        "found": {} if isinstance(error, Timeout) else {"error": str(error)},
        "expected": case.expect,
        "stderr": stderr,
    }


def summary(outcomes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the difference of the first failed request, and a digest of all failed requests."""
    first, more = outcomes[0], len(outcomes) - 1
    if not more:
        return dict(first)
    text = f"{first['difference']}; and {more} more requests of this case"
    found = json.dumps([outcome["found"] for outcome in outcomes], sort_keys=True)
    digest = hashlib.sha256(found.encode()).hexdigest()[:8]
    requests = {"failed": len(outcomes), "sha256": digest}
    return {**first, "difference": text, "found": {**first["found"], "requests": requests}}


def with_stderr(text: str, stderr: str | None) -> str:
    """Return a fault with the last line that the program wrote to stderr."""
    return f"{text}; it wrote: {stderr.splitlines()[-1][:200]}" if stderr else text
