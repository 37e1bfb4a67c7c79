"""Findings that only follow from others: reports show them in one line."""

from __future__ import annotations

from collections.abc import Iterable

from walproof.review.finding import Finding

FOLLOWS = "as it was, but what it refers to has changed"


def split(findings: Iterable[Finding]) -> tuple[list[Finding], list[Finding]]:
    """Causes and consequences; without a cause, consequences stand for themselves."""
    causes = [finding for finding in findings if FOLLOWS not in finding.change]
    rest = [finding for finding in findings if FOLLOWS in finding.change]
    return (causes, rest) if causes else (rest, [])
