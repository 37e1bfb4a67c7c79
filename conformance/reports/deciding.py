"""The requirements that decide the parts of an answer that differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from conformance.score import WRITING
from reference_impl.register import Register, registers

from .json_report import Report

Entry = Mapping[str, Any]


def decided_by(report: Report, result: Entry) -> list[str]:
    """Return the ids that decide the differing parts of an incorrect answer, as the register says.

    The list is empty for other results, and if nothing but records differs. A reason code may have
    several ids; of these, the list contains the ones that the vector exercises, or else all.
    """
    vector = report["vectors"][result["vector"]]
    register = registers().get(vector["format"])
    expected, actual = result.get("expected"), result.get("actual")
    if (
        register is None
        or result["class"] not in ("fail", "known-failure")
        or result["profile"] in WRITING
        or not expected
        or not actual
    ):
        return []
    parts = result.get("found") or {}
    ids = list(_ids(register, parts, expected, actual, vector["requirements"]))
    if ids and result["profile"] == "strict" and expected["verdict"] == "damaged":
        ids.insert(0, register.decides.get("strict"))
    return list(dict.fromkeys(filter(None, ids)))


def requirements_of(report: Report, result: Entry) -> list[str]:
    """Return the ids that decide a result, or else those that its vector exercises."""
    return decided_by(report, result) or list(report["vectors"][result["vector"]]["requirements"])


def _ids(
    register: Register,
    parts: Iterable[str],
    expected: Entry,
    actual: Entry,
    of_vector: Sequence[str],
) -> Iterator[str | None]:
    for part in parts:
        if part in ("verdict", "reason"):
            yield from _ids_of_reason(register, expected["reason"], of_vector)
            yield register.decides.get("verdict")
        elif part == "lost":
            found = actual.get("lost", [])
            for lost in expected["lost"]:
                if lost not in found:
                    yield from _ids_of_reason(register, lost["reason"], of_vector)
        elif part == "end":
            yield register.decides.get("end")


def _ids_of_reason(register: Register, code: str | None, of_vector: Sequence[str]) -> Sequence[str]:
    reason = register.reasons.get(code or "")
    ids = reason.requirements if reason else ()
    return [id for id in ids if id in of_vector] or ids
