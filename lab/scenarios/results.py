"""Store the results of real systems in the scenarios next to their adapters."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from conformance.describe import payload_key
from conformance.registry import FOLDER
from conformance.saving import save

#: The name of the file with the results, in the folder of an implementation.
FILE_NAME = "scenarios.json"
AS_EXPECTED = "as expected"
NOT_RUN = "not run"
#: The profile ``strict`` is left out, because it stops at the first fault.
PROFILES = ("recover", "append")

#: The effect, by the name of an implementation and the id of a vector.
Results = Mapping[str, Mapping[str, str]]


def effect(result: Mapping[str, Any]) -> str:
    """Return the effect that a result of a run report would have for the owner of the log."""
    if result["class"] in ("pass", "unexpected-pass"):
        return AS_EXPECTED
    if result["class"] == "skipped":
        return NOT_RUN
    difference = str(result["difference"])
    if result["actual"] is None:
        return (
            "hangs"
            if difference.startswith("no reply within")
            else f"fails: {difference.split(';')[0]}"
        )
    words: list[str] = []
    expected, actual = (_payloads(result[key]) for key in ("expected", "actual"))
    missing, extra = (expected - actual).total(), (actual - expected).total()
    changed = min(missing, extra)
    for number, what in (
        (changed, "returns {} changed"),
        (missing - changed, "loses {} more"),
        (extra - changed, "returns {} unexpected"),
    ):
        words += [what.format(number)] if number else []
    if "signals: expected one" in difference:
        words.append("reports nothing")
    if "for an intact log, found some" in difference:
        words.append("reports damage in an intact log")
    return ", ".join(words) or "reports other bytes as lost"


def _payloads(answer: Mapping[str, Any] | None) -> Counter[str]:
    return Counter(payload_key(record) for record in (answer or {}).get("records", ()))


def of_report(report: Mapping[str, Any], vectors: Iterable[str]) -> Results:
    """Return the results of real systems on the given vectors."""
    wanted = set(vectors)
    results: dict[str, dict[str, str]] = {}
    for each in report["implementations"]:
        if each["status"] != "ran" or not is_real(each):
            continue
        effects = {
            result["vector"]: effect(result)
            for result in each["results"]
            if result["vector"] in wanted and result["profile"] in PROFILES
        }
        if effects:
            results[each["name"]] = dict(sorted(effects.items()))
    return dict(sorted(results.items()))


def is_real(implementation: Mapping[str, Any]) -> bool:
    """Return whether an implementation is a real system, with a list of known failures."""
    return (FOLDER / str(implementation["name"]) / "known-failures.json").exists()


def load_results() -> Results:
    """Return the stored results."""
    return {
        path.parent.name: json.loads(path.read_text("utf-8"))
        for path in sorted(FOLDER.glob(f"*/{FILE_NAME}"))
    }


def save_results(results: Results) -> None:
    """Store the results of a run next to each adapter."""
    for name, effects in results.items():
        save(FOLDER / name / FILE_NAME, (json.dumps(effects, indent=1) + "\n").encode())
