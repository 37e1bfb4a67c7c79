"""Which vectors a run asked: the golden ones, or fresh variants, and then of which seed."""

from __future__ import annotations

from .json_report import Report

GOLDEN = "golden vectors"


def mode_of(report: Report) -> str:
    """The mode of a run in a line: what somebody must know who wants to repeat it."""
    fresh = report.get("fresh")
    if fresh is None:
        return GOLDEN
    left = fresh["as_golden"]
    text = f"fresh variants of seed {fresh['seed']}: {fresh['variants']:,} vectors"
    text += f", and {left:,} as golden, since nothing in them can vary" if left else ""
    text += f"; confirmed by {fresh['by']}" if fresh["by"] else "; no second reader is here"
    if fresh["unconfirmed"]:
        text += f", which answers {len(fresh['unconfirmed']):,} otherwise: these stayed golden"
    return text
