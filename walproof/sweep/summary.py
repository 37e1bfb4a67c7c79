"""The summary of a sweep: numbers, and the ten most telling findings in sentences."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from conformance import cases
from conformance.sandbox import weakest
from walproof.quantity import counted
from walproof.sweep import invariants, judge
from walproof.sweep.fields import brief
from walproof.sweep.findings import Finding
from walproof.sweep.plan import Plan
from walproof.sweep.programs import FAST, REFERENCE
from walproof.sweep.readers import kernel
from walproof.sweep.settings import READING
from walproof.sweep.store import Store

TOLD = 10
"""Findings that are told in sentences."""

_EFFECTS = {
    "crash": "dies",
    "timeout": "does not answer in time",
    "over-limit": "takes more memory or output than it may",
    "protocol-error": "does not speak the protocol",
    judge.CHANGED_LOG: "writes to the log that it is asked to read",
    judge.LOST: "loses records that survive",
    judge.CHANGED: "changes records",
    judge.EXTRA: "returns records that count as lost",
    "silent": "passes over a loss in silence",
    "noisy": "reports damage in a log that lost nothing",
    judge.OTHER_VERDICT: "comes to another verdict",
    judge.OTHER_REASON: "gives another reason",
    judge.OTHER_RANGE: "names other bytes as lost",
    cases.REFUSED: "refuses what it must do",
    cases.NOT_REFUSED: "does what it must refuse",
    cases.NO_LOG: "says that it is done, and leaves no log",
    cases.OTHER_BYTES: "writes other bytes",
    cases.OTHER_FILES: "leaves other files",
    judge.OTHER_END: "would let a writer go on elsewhere",
    **invariants.MEANING,
}
_OF_PROGRAMS = {
    invariants.SILENT_LOSS: "does not list a loss",
    invariants.INVENTED: "invents records",
    invariants.OUT_OF_ORDER: "returns records in another order, or one twice",
}


def summary(
    plan: Plan, store: Store, markers: Sequence[Mapping[str, Any]], findings: Sequence[Finding],
    run: Mapping[str, Any],
) -> dict[str, Any]:  # fmt: skip
    """The whole summary, as ``summary.json`` has it.

    ``run`` says what this run did: ``seconds``, ``cases`` in them, ``resumed`` shards.
    """
    counts_of, sent = Counter[str](), {name: Counter[str]() for name in plan.columns}
    groups, profiles, varied = Counter[str](), Counter[str](), Counter[str]()
    outcomes = {name: Counter[str]() for name in plan.columns}
    verdicts, seconds = Counter[str](), Counter[str]()
    skipped: dict[str, str] = {}
    unsent: dict[str, Counter[str]] = {}
    versions: dict[str, str] = {}
    fails: dict[str, dict[str, str]] = {}
    left = Counter[str]()
    for marker in markers:
        counts_of.update(marker["cases"])
        groups.update(marker["groups"])
        profiles.update(marker["profiles"])
        varied.update(marker["varied"])
        verdicts.update(marker["verdicts"])
        seconds.update(marker["seconds"])
        skipped |= marker["skipped"]
        for name, counts in marker["sent"].items():
            sent[name].update(counts)
        for name, counts in marker["outcomes"].items():
            outcomes[name].update(counts)
        for name, counts in marker["unsent"].items():
            unsent.setdefault(name, Counter()).update(counts)
        left.update(marker["left"])
        for name, failed in marker["fails"].items():
            fails.setdefault(name, {}).update(failed)
        for name, hello in marker["hello"].items():
            if hello:
                versions[name] = f"{hello['name']} {hello['version']}"
    sent[REFERENCE] = Counter(counts_of)
    total = sum(counts_of.values())
    return {
        "format": plan.format,
        "depth": plan.depth,
        "plan": plan.digest,
        "complete": len(markers) == len(plan.shards),
        "stopped_by": run.get("stopped_by"),
        "shards": {"done": len(markers), "of": len(plan.shards), "resumed": run["resumed"]},
        "controls": [control.id for control in plan.controls],
        "cases": total,
        "distinct": distinct(store),
        "doubles_skipped": sum(marker["doubles"] for marker in markers),
        "void": sum(marker["void"] for marker in markers),
        "read_again": sum(marker["again"] for marker in markers),
        "coverage": {
            group: {"ran": groups[group], "planned": covered.planned, "possible": covered.possible}
            for group, covered in plan.coverage.items()
        },
        "by_operation": dict(counts_of.most_common()),
        "by_profile": dict(profiles.most_common()),
        "by_varied_key": dict(varied.most_common()),
        "by_verdict": dict(verdicts.most_common()),
        "implementations": {
            name: {
                "version": versions.get(name) or (kernel(plan.format) if name == FAST else None),
                "asked": total - outcomes[name]["not sent"],
                "share": round(1 - outcomes[name]["not sent"] / total, 4) if total else None,
                "asked_by_operation": dict(sent[name].most_common()),
                "outcomes": {k: n for k, n in outcomes[name].most_common() if k != "not sent"},
                "skipped_because": skipped.get(name),
                "fails_undamaged": dict(sorted(fails.get(name, {}).items())),
                "left_with_them": left[name],
                "not_asked_because": dict(unsent.get(name, Counter()).most_common()),
            }
            for name in plan.columns
        },
        "isolation": weakest(marker["isolation"] for marker in markers if marker.get("isolation")),
        "run": {**run, "load": os.getloadavg()[0], "processors": os.cpu_count()},
        "seconds_of_workers": {name: round(spent, 1) for name, spent in seconds.items()},
        "findings": [as_json(finding) for finding in findings],
    }


def as_json(finding: Finding) -> dict[str, Any]:
    """One finding for programs."""
    signature, best = finding.signature, finding.best
    return {
        "implementation": signature.implementation,
        "effect": signature.gravest,
        "kind": signature.kind,
        "verdict": signature.verdict,
        "reason": signature.reason or None,
        "said_verdict": signature.said_verdict or None,
        "said_reason": signature.said_reason or None,
        "cases": finding.count,
        "signatures": len(finding.signatures),
        "by_operation": dict(finding.operations.most_common()),
        "by_profile": dict(finding.profiles.most_common()),
        "by_varied_key": {key: n for key, n in finding.contexts.most_common() if key},
        "places": [[*place, n] for place, n in finding.hits.most_common()],
        "fields": finding.fields,
        "sentence": sentence(finding),
        "asked": finding.request or None,
        "difference": best.text,
        "simplest": {
            "control": best.control,
            "profile": signature.profile,
            "context": signature.context or None,
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
        "repeat": finding.repeat,
    }


def sentence(finding: Finding) -> str:
    """A finding for an engineer of that system: what it does, when, and the smallest case."""
    signature, best = finding.signature, finding.best
    effect = signature.gravest
    who = {
        REFERENCE: "The executable specification",
        FAST: "The fast twin",
    }.get(signature.implementation, signature.implementation)
    text = f"{who} {_effect(effect, who)}"
    if signature.profile == "append":
        text += " when it appends"
    elif signature.profile == "write":
        text += " when it writes a log"
    if effect not in judge.DEATHS and signature.profile != "write":
        text += f" where the log is {_owed(signature.verdict, signature.reason)}"
    reads = signature.profile in READING and effect not in judge.DEATHS
    if reads and (signature.said_verdict or signature.said_reason):
        text += f"; it says {_owed(signature.said_verdict, signature.said_reason)}"
    damage = ", then ".join(finding.recipe.damage) if finding.recipe else signature.operation
    if finding.request:
        damage = f"{damage}, then {finding.request}" if damage else finding.request
    text += f". Smallest case, {counted(best.size, 'byte')}, from {best.control}:"
    text += f" {brief(damage or 'undamaged')}"
    if signature.context:
        text += f", told another {signature.context}"
    text += f", profile {signature.profile}. Difference: {best.text}."
    if not best.alone:
        text += " Alone, in a fresh process, it did not happen again."
    return text


def _effect(kind: str, who: str) -> str:
    if kind.startswith("other-") and kind not in _EFFECTS:
        return f"gives records another {kind[6:]}"
    if not who.startswith("The "):
        kind = _OF_PROGRAMS.get(kind, kind)
    return _EFFECTS.get(kind, kind)


def _owed(verdict: str, reason: str) -> str:
    return f"{verdict} ({reason})" if verdict and reason else verdict or reason or "intact"


def distinct(store: Store) -> int:
    """How many different logs the cases are, over all shards and controls."""
    columns = [
        table.column("fingerprint").to_numpy() for table in store.fingerprints() if len(table)
    ]
    return len(np.unique(np.concatenate(columns))) if columns else 0
