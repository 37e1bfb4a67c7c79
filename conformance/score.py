"""Score an implementation by the pairs of logs that it reads and the logs that it writes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

# These profiles have a separate score, because a written log has no undamaged control.
WRITING = ("write", "append")


def score(
    results: Sequence[Mapping[str, Any]],
    vectors: Mapping[str, Mapping[str, Any]],
    is_complete: bool = True,
) -> dict[str, Any]:
    """Return the score of a run, in total, by profile and by group.

    A damaged vector counts only if its control passed in the same profile. Known failures do not
    count as passed. Skipped cases do not count at all. In an interrupted run (``is_complete`` is
    false), pairs whose control has no result do not count.
    """
    right = {
        (result["vector"], result["profile"]) for result in results if result["class"] == "pass"
    }
    finished = {(result["vector"], result["profile"]) for result in results}
    groups: dict[str, dict[str, int]] = {}
    profiles: dict[str, dict[str, int]] = {}
    for result in results:
        key = (result["vector"], result["profile"])
        vector = vectors[result["vector"]]
        profile = profiles.setdefault(result["profile"], _nothing() | {"skipped": 0})
        if result["class"] == "skipped":
            profile["skipped"] += 1
            continue
        for counted in (groups.setdefault(vector["group"], _nothing()), profile):
            counted["total"] += 1
            counted["passed"] += key in right
            control = (vector["control"], key[1])
            is_pair = vector["control"] is not None and (is_complete or control in finished)
            if is_pair and key[1] not in WRITING:
                counted["pairs_total"] += 1
                counted["pairs_passed"] += key in right and control in right
    reading = [counted for name, counted in profiles.items() if name not in WRITING]
    writing = [counted for name, counted in profiles.items() if name in WRITING]
    return {
        "pairs_passed": _sum(reading, "pairs_passed"),
        "pairs_total": _sum(reading, "pairs_total"),
        "written_passed": _sum(writing, "passed"),
        "written_total": _sum(writing, "total"),
        "by_profile": profiles,
        "by_group": groups,
    }


def _nothing() -> dict[str, int]:
    return {"passed": 0, "total": 0, "pairs_passed": 0, "pairs_total": 0}


def _sum(counts: Iterable[Mapping[str, int]], key: str) -> int:
    return sum(counted[key] for counted in counts)
