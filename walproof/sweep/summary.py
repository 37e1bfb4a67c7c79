"""The summary of a sweep: numbers, and the ten most telling findings in sentences."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from walproof.sweep import invariants
from walproof.sweep.fields import brief
from walproof.sweep.findings import Finding
from walproof.sweep.plan import FAST, REFERENCE, Plan
from walproof.sweep.readers import kernel
from walproof.sweep.store import Store

TOLD = 10
"""Findings that are told in sentences."""

_EFFECTS = {
    "crash": "dies",
    "timeout": "does not answer",
    "over-limit": "takes more memory or output than it may",
    "protocol-error": "does not speak the protocol",
    "changes-the-log": "writes to the log that it is asked to read",
    "records-missing": "does not return records that survive",
    "records-extra": "returns records that count as lost",
    "records-other": "returns other records",
    "silent": "passes over a loss in silence",
    "noisy": "reports damage in a log that lost nothing",
    "verdict": "comes to another verdict",
    "reason": "gives another reason",
    "lost": "names other bytes as lost",
    "end": "would let a writer go on elsewhere",
    **invariants.MEANING,
}


def summary(
    plan: Plan, store: Store, markers: Sequence[Mapping[str, Any]], found: Sequence[Finding],
    run: Mapping[str, Any],
) -> dict[str, Any]:  # fmt: skip
    """The whole summary, as ``summary.json`` has it.

    ``run`` says what this run did: ``seconds``, ``cases`` in them, ``resumed`` shards.
    """
    cases, asked = Counter[str](), {name: Counter[str]() for name in plan.columns}
    outcomes = {name: Counter[str]() for name in plan.columns}
    verdicts, seconds = Counter[str](), Counter[str]()
    skipped: dict[str, str] = {}
    versions: dict[str, str] = {}
    for marker in markers:
        cases.update(marker["cases"])
        verdicts.update(marker["verdicts"])
        seconds.update(marker["seconds"])
        skipped |= marker["skipped"]
        for name, counts in marker["asked"].items():
            asked[name].update(counts)
        for name, counts in marker["outcomes"].items():
            outcomes[name].update(counts)
        for name, hello in marker["hello"].items():
            if hello:
                versions[name] = f"{hello['name']} {hello['version']}"
    inside = [REFERENCE, *([FAST] if plan.fast else [])]
    for name in inside:
        asked[name] = Counter(cases)
    total = sum(cases.values())
    return {
        "format": plan.format,
        "depth": plan.depth,
        "plan": plan.digest,
        "complete": len(markers) == len(plan.shards),
        "shards": {"done": len(markers), "of": len(plan.shards), "resumed": run["resumed"]},
        "controls": [control.id for control in plan.controls],
        "cases": total,
        "distinct": distinct(store),
        "doubles_skipped": sum(marker["doubles"] for marker in markers),
        "read_again": sum(marker["again"] for marker in markers),
        "by_operation": dict(cases.most_common()),
        "by_verdict": dict(verdicts.most_common()),
        "implementations": {
            name: {
                "version": versions.get(name) or (kernel(plan.format) if name == FAST else None),
                "asked": sum(asked[name].values()),
                "share": round(sum(asked[name].values()) / total, 4) if total else None,
                "asked_by_operation": dict(asked[name].most_common()),
                "outcomes": {k: n for k, n in outcomes[name].most_common() if k != "not asked"},
                "skipped_because": skipped.get(name),
            }
            for name in plan.columns
        },
        "run": {**run, "load": os.getloadavg()[0], "processors": os.cpu_count()},
        "seconds_of_workers": {name: round(spent, 1) for name, spent in seconds.items()},
        "findings": [as_json(finding) for finding in found],
    }


def as_json(finding: Finding) -> dict[str, Any]:
    """One finding for programs."""
    signature, best = finding.signature, finding.best
    return {
        "implementation": signature.implementation,
        "kind": signature.kind,
        "verdict": signature.verdict,
        "reason": signature.reason or None,
        "cases": finding.count,
        "signatures": len(finding.signatures),
        "by_operation": dict(finding.operations.most_common()),
        "fields": finding.fields,
        "sentence": sentence(finding),
        "difference": best.text,
        "simplest": {
            "control": best.control,
            "family": best.family,
            "number": best.number,
            "size": best.size,
            "damage": list(finding.recipe.damage) if finding.recipe else None,
            "alone": best.alone,
        },
        "minimised": finding.minimised or None,
        "known": {"cause": finding.cause[0], "because": finding.cause[1]}
        if finding.cause
        else None,
        "proposal": finding.proposal,
    }


def sentence(finding: Finding) -> str:
    """A finding for an engineer of that system: what it does, when, and the smallest case."""
    signature, best = finding.signature, finding.best
    effects = []
    for part in signature.kind.split("+"):
        named = f"gives records another {part[6:]}" if part.startswith("other-") else part
        effects.append(_EFFECTS.get(part, named))
    who = {
        REFERENCE: "The executable specification",
        FAST: "The fast twin",
    }.get(signature.implementation, signature.implementation)
    owed = f"{signature.verdict} ({signature.reason})" if signature.reason else signature.verdict
    damage = ", then ".join(finding.recipe.damage) if finding.recipe else signature.operation
    text = f"{who} {_listed(effects)} where the log is {owed}."
    text += f" Smallest case, {counted(best.size, 'byte')}, from {best.control}:"
    text += f" {brief(damage)}. Difference: {best.text}."
    if not best.alone:
        text += " Alone, in a fresh process, it did not happen again."
    return text


def counted(count: int, what: str) -> str:
    """A number of things in words: ``1 case``, ``2,000 cases``."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _listed(parts: Sequence[str]) -> str:
    return " and ".join((", ".join(parts[:-1]), parts[-1]) if len(parts) > 1 else parts)


def distinct(store: Store) -> int:
    """How many different logs the cases are, over all shards and controls."""
    columns = [
        table.column("fingerprint").to_numpy() for table in store.fingerprints() if len(table)
    ]
    return len(np.unique(np.concatenate(columns))) if columns else 0
