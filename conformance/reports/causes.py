"""Failures that look like one mistake: shown once, and counted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

Failure = tuple[Mapping[str, Any], Mapping[str, Any]]
"""An implementation of a run report, and one of its results."""

_VALUES = re.compile(r"""'[^']*'|"[^"]*"…?|\[[0-9a-f]{8}\]|[0-9][0-9,]*""")


_RANGES = re.compile(r"(\[…,? …\)(?: [a-z-]+)?)(?:, \1)+")
"""Several lost ranges of one reason: how many they are is no other mistake."""


def by_cause(failures: Iterable[Failure]) -> list[list[Failure]]:
    """The failures in groups, the largest first, each in the order in which they came.

    A group has one implementation, operation and result class, and one difference but for the
    numbers and texts in it.
    """
    groups: dict[tuple[str, ...], list[Failure]] = {}
    for implementation, result in failures:
        profile = "read" if result["profile"] in ("recover", "strict") else result["profile"]
        cause = _VALUES.sub("…", str(result["difference"] or "").split(";")[0])
        cause = _RANGES.sub(r"\1", cause)
        key = (implementation["name"], profile, result["class"], cause)
        groups.setdefault(key, []).append((implementation, result))
    return sorted(groups.values(), key=len, reverse=True)
