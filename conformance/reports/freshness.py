"""Which vectors a run asked, golden ones or variants, and whom it did not have to ask again."""

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


def kept_in(report: Report) -> str | None:
    """Which results are from earlier runs, in a sentence; None if all are from this one."""
    ran = [one for one in report["implementations"] if one["status"] == "ran"]
    ran = [one for one in ran if not one["baseline"]]
    since = sorted(one["asked"] for one in ran if "asked" in one)
    if not since:
        return None
    who = f"{len(since)} of {len(ran)} implementations" if len(ran) > 1 else "It"
    first, last = since[0], since[-1]
    when = f"at {first}" if first == last else f"between {first} and {last}"
    have = "have" if len(ran) > 1 else "has"
    return f"{who} {have} not changed since asked {when}: these results are from then."
