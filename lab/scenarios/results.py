"""What real systems make of the scenarios: taken from a run report, kept beside each adapter.

The page is made of the kept results, so that it can be made anew without the systems. A test holds
them to the lists of known failures, which every run compares with what it sees.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from conformance.describe import payload_key
from conformance.registry import FOLDER
from conformance.saving import save

FILE_NAME = "scenarios.json"
"""The file in the folder of an implementation."""
AS_OWED = "as owed"
NOT_ASKED = "not asked"
PROFILES = ("recover", "append")
"""How the vectors of scenarios are asked here: strict reading would stop at the first fault."""

Results = Mapping[str, Mapping[str, str]]
"""By the name of an implementation, and by the id of a vector: the effect."""


def effect(result: Mapping[str, Any]) -> str:
    """What one result of a run report means for whoever holds the log, in a few words."""
    if result["class"] in ("pass", "unexpected-pass"):
        return AS_OWED
    if result["class"] == "skipped":
        return NOT_ASKED
    difference = str(result["difference"])
    if result["actual"] is None:
        return (
            "hangs"
            if difference.startswith("no reply within")
            else f"fails: {difference.split(';')[0]}"
        )
    words: list[str] = []
    owed, given = (_payloads(result[key]) for key in ("expected", "actual"))
    missing, extra = (owed - given).total(), (given - owed).total()
    changed = min(missing, extra)
    for number, what in (
        (changed, "returns {} changed"),
        (missing - changed, "loses {} more"),
        (extra - changed, "returns {} not owed"),
    ):
        words += [what.format(number)] if number else []
    if "not a word of it" in difference:
        words.append("says nothing")
    if "for an intact log, found some" in difference:
        words.append("complains of a sound log")
    return ", ".join(words) or "blames other bytes"


def _payloads(answer: Mapping[str, Any] | None) -> Counter[str]:
    return Counter(payload_key(record) for record in (answer or {}).get("records", ()))


def of_report(report: Mapping[str, Any], vectors: Iterable[str]) -> Results:
    """The results of real systems in these vectors; ours, which must pass, are left out."""
    wanted = set(vectors)
    found: dict[str, dict[str, str]] = {}
    for each in report["implementations"]:
        if each["status"] != "ran" or not is_real(each):
            continue
        effects = {
            result["vector"]: effect(result)
            for result in each["results"]
            if result["vector"] in wanted and result["profile"] in PROFILES
        }
        if effects:
            found[each["name"]] = dict(sorted(effects.items()))
    return dict(sorted(found.items()))


def is_real(implementation: Mapping[str, Any]) -> bool:
    """Whether a row of a report is a program that others use: it has a list of known failures."""
    return (FOLDER / str(implementation["name"]) / "known-failures.json").exists()


def load_results() -> Results:
    """The kept results."""
    return {
        path.parent.name: json.loads(path.read_text("utf-8"))
        for path in sorted(FOLDER.glob(f"*/{FILE_NAME}"))
    }


def save_results(results: Results) -> None:
    """Keep the results of a run, each in the place of those of the last one."""
    for name, effects in results.items():
        save(FOLDER / name / FILE_NAME, (json.dumps(effects, indent=1) + "\n").encode())
