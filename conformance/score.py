"""The score of one implementation, counted in pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def score(
    results: Sequence[Mapping[str, Any]], vectors: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """The score in pairs: a damaged vector counts only together with its control.

    Both must be right in the same profile. Known failures are not right.
    """
    right = {
        (result["vector"], result["profile"]) for result in results if result["class"] == "pass"
    }
    groups: dict[str, dict[str, int]] = {}
    for result in results:
        if result["class"] == "skipped":
            continue
        vector = vectors[result["vector"]]
        group = groups.setdefault(
            vector["group"], {"passed": 0, "total": 0, "pairs_passed": 0, "pairs_total": 0}
        )
        key = (result["vector"], result["profile"])
        group["total"] += 1
        group["passed"] += key in right
        if vector["control"] is not None:
            group["pairs_total"] += 1
            group["pairs_passed"] += key in right and (vector["control"], key[1]) in right
    return {
        "pairs_passed": sum(group["pairs_passed"] for group in groups.values()),
        "pairs_total": sum(group["pairs_total"] for group in groups.values()),
        "by_group": groups,
    }
