"""The summary of a sweep: coverage, outcomes and the most harmful findings."""

from __future__ import annotations

import os
import textwrap
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance import cases
from conformance.reports.console_text import say
from conformance.sandbox import isolation_lines
from walproof.quantity import counted
from walproof.sweep import effects, invariants
from walproof.sweep.effects import NO_ANSWER
from walproof.sweep.fields import brief
from walproof.sweep.findings import Finding
from walproof.sweep.plan import Plan
from walproof.sweep.programs import REFERENCE
from walproof.sweep.settings import READING
from walproof.sweep.sweep_folder import SweepFolder

#: Maximum number of findings on the terminal.
MAX_SENTENCES = 10

#: Maximum number of damages, fields and the like in one line.
MAX_NAMED = 5

_EFFECTS = {
    "crash": "crashes",
    "timeout": "times out",
    "over-limit": "exceeds the limit of memory or output",
    "protocol-error": "violates the protocol",
    cases.CHANGED_LOG: "modifies the log while reading it",
    effects.LOST: "loses intact records",
    effects.CHANGED: "changes records",
    effects.EXTRA: "returns records that are expected as lost",
    "silent": "does not report a loss",
    "noisy": "reports damage in a log without losses",
    effects.OTHER_VERDICT: "reports a different verdict",
    effects.OTHER_REASON: "reports a different reason",
    effects.OTHER_RANGE: "reports different bytes as lost",
    cases.REFUSED: "refuses a valid request",
    cases.NOT_REFUSED: "performs a request that it must refuse",
    cases.NO_LOG: "reports success, but leaves no log",
    cases.OTHER_BYTES: "writes different bytes",
    cases.OTHER_FILES: "leaves different files",
    effects.OTHER_END: "reports a different end",
    **invariants.MEANING,
}
_OF_PROGRAMS = {
    invariants.SILENT_LOSS: "omits a lost range",
    invariants.INVENTED: "invents records",
    invariants.OUT_OF_ORDER: "returns records out of order, or a record twice",
}


def summary(
    plan: Plan, folder: SweepFolder, findings: Sequence[Finding], run: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the summary that is written to ``summary.json``.

    ``run`` describes this run: ``seconds``, number of ``cases``, number of ``resumed`` shards.
    """
    markers = folder.markers()
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    seconds: Counter[str] = Counter()
    skipped: dict[str, str] = {}
    versions: dict[str, str] = {}
    fails: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for marker in markers:
        for topic, of_marker in marker["counts"].items():
            counts[topic].update(of_marker)
        seconds.update(marker["seconds"])
        skipped |= marker["skipped"]
        versions |= marker["versions"]
        for name, failed in marker["fails"].items():
            fails[name] |= failed
    counts[f"sent {REFERENCE}"] = counts["operations"]
    total = counts["operations"].total()

    def listed(topic: str, *hidden: str) -> dict[str, int]:
        return {key: n for key, n in counts[topic].most_common() if key not in hidden}

    def implementation(name: str) -> dict[str, Any]:
        not_sent = counts[f"outcomes {name}"]["not sent"]
        return {
            "version": versions.get(name),
            "asked": total - not_sent,
            "share": round(1 - not_sent / total, 4) if total else None,
            "asked_by_operation": listed(f"sent {name}"),
            "outcomes": listed(f"outcomes {name}", "not sent"),
            "skipped_because": skipped.get(name),
            "fails_undamaged": dict(sorted(fails[name].items())),
            "left_with_them": counts["left"][name],
            "not_asked_because": listed(f"unsent {name}"),
        }

    return {
        "format": plan.format,
        "depth": plan.depth,
        "plan": plan.digest,
        "complete": len(markers) == len(plan.shards),
        "stopped_by": run.get("stopped_by"),
        "shards": {"done": len(markers), "of": len(plan.shards), "resumed": run["resumed"]},
        "controls": [control.id for control in plan.controls],
        "cases": total,
        "distinct": _distinct(folder),
        "doubles_skipped": counts["cases"]["doubles"],
        "void": counts["cases"]["void"],
        "read_again": counts["cases"]["again"],
        "coverage": {
            group: {"ran": counts["groups"][group], **covered._asdict()}
            for group, covered in plan.coverage.items()
        },
        "by_operation": listed("operations"),
        "by_profile": listed("profiles"),
        "by_varied_key": listed("varied"),
        "by_verdict": listed("verdicts"),
        "implementations": {name: implementation(name) for name in plan.columns},
        "isolation": next((marker["isolation"] for marker in markers if marker["isolation"]), None),
        "run": {**run, "load": os.getloadavg()[0], "processors": os.cpu_count()},
        "seconds_of_workers": {name: round(spent, 1) for name, spent in seconds.items()},
        "findings": [as_json(finding) for finding in findings],
    }


def _distinct(folder: SweepFolder) -> int:
    """Return the number of distinct logs in all shards."""
    columns = [
        table.column("fingerprint").to_numpy() for table in folder.fingerprints() if len(table)
    ]
    return len(np.unique(np.concatenate(columns))) if columns else 0


def as_json(finding: Finding) -> dict[str, Any]:
    """Return one finding as JSON."""
    signature, best = finding.signature, finding.best
    damages = finding.counted(lambda each: each.field and (each.operation, each.field))
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
        "by_effect": dict(finding.counted(lambda each: each.gravest).most_common()),
        "by_operation": dict(finding.counted(lambda each: each.operation).most_common()),
        "by_profile": dict(finding.counted(lambda each: each.profile).most_common()),
        "by_varied_key": dict(finding.counted(lambda each: each.context).most_common()),
        "places": [[*damage, n] for damage, n in damages.most_common()],
        "fields": finding.fields,
        "value": finding.value or None,
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
    """Describe a finding: its effect, the condition, and the smallest case."""
    signature, best = finding.signature, finding.best
    effect, is_reading = signature.gravest, signature.profile in READING
    is_reference = signature.implementation == REFERENCE
    name = "The executable specification" if is_reference else signature.implementation
    text = f"{name} {_effect_text(effect, is_reference)}"
    if signature.profile == "append":
        text += " in an append"
    elif signature.profile == "write":
        text += " in a write"
    if effect not in NO_ANSWER and signature.profile != "write":
        text += f" if the log is {_verdict_text(signature.verdict, signature.reason)}"
    if is_reading and effect not in NO_ANSWER and (signature.said_verdict or signature.said_reason):
        text += f"; it reports {_verdict_text(signature.said_verdict, signature.said_reason)}"
    damage = ", then ".join(finding.recipe.damage) if finding.recipe else signature.operation
    if finding.request:
        damage = f"{damage}, then {finding.request}" if damage else finding.request
    text += f". Smallest case, {counted(best.size, 'byte')}, from {best.control}:"
    text += f" {brief(damage or 'undamaged')}"
    if signature.context:
        text += f", with a different {signature.context}"
    text += f", profile {signature.profile}. Difference: {best.text}."
    if not best.alone:
        text += " It did not happen again in a fresh process."
    return text


def _effect_text(effect: str, is_reference: bool) -> str:
    if effect.startswith("other-") and effect not in _EFFECTS:
        return f"returns records with a different {effect.removeprefix('other-')}"
    texts = _EFFECTS if is_reference else _EFFECTS | _OF_PROGRAMS
    return texts.get(effect, effect)


def _verdict_text(verdict: str, reason: str) -> str:
    return f"{verdict} ({reason})" if verdict and reason else verdict or reason or "intact"


# -- on the terminal -------------------------------------------------------------------------------


def show(summary: Mapping[str, Any], console: Console, folder: str) -> None:
    """Print coverage, implementations, rate, and the most harmful findings."""
    _cases(summary, console)
    _implementations(summary, console)
    _print(console, f"\n{_rate(summary)}\n")
    _findings(summary["findings"], console)
    console.print()
    say(Text(f"Results: {folder}"), console)
    for line in isolation_lines(summary["isolation"]) if summary["isolation"] else ():
        _print(console, line)


def _print(console: Console, text: str, style: str = "") -> None:
    console.print(text, highlight=False, markup=False, style=style)


def _cases(summary: Mapping[str, Any], console: Console) -> None:
    table = Table("cases", box=None, pad_edge=False, header_style="bold")
    for name in ("ran", "of possible", "share"):
        table.add_column(name, justify="right")
    for group, covered in summary["coverage"].items():
        ran, possible = covered["ran"], covered["possible"]
        table.add_row(group, f"{ran:,}", f"{possible:,}", _share(ran, possible))
    console.print(table)
    by_operation = ", ".join(f"{name} {n:,}" for name, n in summary["by_operation"].items())
    _print(console, f"By damage: {by_operation}.")
    by_profile = ", ".join(f"{name} {n:,}" for name, n in summary["by_profile"].items())
    varied = ", ".join(f"{name} {n:,}" for name, n in summary["by_varied_key"].items())
    _print(console, f"Profiles: {by_profile}. Context keys varied: {varied or 'none'}.")
    text = (
        f"{counted(summary['cases'], 'case')} on {counted(len(summary['controls']), 'control')} of"
        f" {summary['format']}, {summary['distinct']:,} distinct, depth {summary['depth']}."
    )
    if summary["doubles_skipped"] or summary["void"]:
        text += f" Skipped {counted(summary['doubles_skipped'], 'duplicate')}"
        text += f" and {counted(summary['void'], 'void case')}"
        text += " (no log, or one above the size limit of the harness)."
    if not summary["complete"]:
        shards = summary["shards"]
        text += f" {shards['done']} of {shards['of']} shards are done; to resume, run it again."
    if summary["stopped_by"]:
        text = f"Stopped by {summary['stopped_by']}. Results so far: {text}"
    _print(console, f"{text}\n")


def _share(ran: int, possible: int) -> str:
    if not possible:
        return "-"
    share = ran / possible
    return f"{share:.0%}" if share >= 0.1 else f"{share:.2g}" if share < 0.001 else f"{share:.1%}"


def _implementations(summary: Mapping[str, Any], console: Console) -> None:
    rows = {}
    for name, about in summary["implementations"].items():
        counts = dict(about["outcomes"])
        shown = {key: counts.pop(key, 0) for key in ("agrees", "differs", "crash", "timeout")}
        rows[name] = (about["asked"], *shown.values(), sum(counts.values()))
    table = Table("implementation", box=None, pad_edge=False, header_style="bold")
    titles = ("cases", "agrees", "differs", "crash", "timeout", "other")
    always = titles[:3]
    shown_columns = [
        n for n, t in enumerate(titles) if t in always or any(row[n] for row in rows.values())
    ]
    for n in shown_columns:
        table.add_column(titles[n], justify="right", no_wrap=True)
    for name, row in rows.items():
        version = summary["implementations"][name]["version"]
        table.add_row(_label(name, version), *(f"{row[n]:,}" for n in shown_columns))
    console.print(table)
    _print(
        console,
        "reference is the executable specification, checked against the invariants of"
        " spec/conventions.md. All others are compared with it.",
    )
    _unsound(summary, console)
    _shares(summary, console)


def _unsound(summary: Mapping[str, Any], console: Console) -> None:
    """Print a line for each program that fails an undamaged control."""
    for name, about in summary["implementations"].items():
        failed = about["fails_undamaged"]
        if not failed:
            continue
        listed = [f"{control}: {brief(text)}" for control, text in failed.items()]
        more = f"; and {len(listed) - MAX_NAMED} more" if len(listed) > MAX_NAMED else ""
        _print(
            console,
            f"{name} fails {counted(len(failed), 'undamaged control')}:"
            f" {'; '.join(listed[:MAX_NAMED])}{more}. Skipped their damaged copies:"
            f" {counted(about['left_with_them'], 'case')}.",
            style="bold",
        )


def _label(name: str, version: str | None) -> str:
    """Return name and version; most versions begin with the name."""
    if not version:
        return name
    return version if version.startswith(name) else f"{name} ({version})"


def _shares(summary: Mapping[str, Any], console: Console) -> None:
    complete = [
        name
        for name, about in summary["implementations"].items()
        if about["asked"] == summary["cases"] and not about["skipped_because"]
    ]
    if complete:
        _print(console, f"{' and '.join(complete)} read every case.")
    for name, about in summary["implementations"].items():
        if about["skipped_because"]:
            _print(console, f"{name} skipped: {about['skipped_because']}")
        if name not in complete:
            _print(
                console,
                f"{name} read {about['share'] or 0:.1%} of the cases: those whose profile and"
                " context it supports.",
            )
        reasons = about["not_asked_because"]
        if reasons:
            texts = [f"{why} ({n:,})" for why, n in reasons.items()]
            text = f"{name} did not get {counted(sum(reasons.values()), 'further case')}:"
            text += f" {', '.join(texts)}"
            _print(console, f"{text}.")


def _rate(summary: Mapping[str, Any]) -> str:
    run = summary["run"]
    if not run["seconds"]:
        return "No cases left to run."
    text = f"{counted(run['cases'], 'case')} in {run['seconds']:.1f} s"
    if run["resumed"]:
        text += f", resuming after {counted(run['resumed'], 'shard')}"
    processor = max(0.001, summary["seconds_of_workers"].get("processor", 0.0))
    return (
        f"{text}: {run['cases'] / run['seconds']:,.0f} cases/s on"
        f" {counted(run['processors'], 'processor')}, load {run['load']:.1f} at the end."
        f" {run['wall']:.1f} s with planning and reporting. Generating and reading the logs"
        f" took {processor:,.0f} s of CPU time, without the programs:"
        f" {summary['cases'] / processor:,.0f} cases/s per core."
    )


def _findings(findings: Sequence[Mapping[str, Any]], console: Console) -> None:
    if not findings:
        console.print("No findings.")
        return
    known_count = sum(1 for finding in findings if finding["known"])
    looks = "looks like a known failure" if known_count == 1 else "look like known failures"
    text = f"{counted(len(findings), 'finding')}, of which {known_count or 'none'} {looks}."
    if len(findings) > MAX_SENTENCES:
        text += f" The {MAX_SENTENCES} most harmful:"
    _print(console, text, style="bold")
    for number, finding in enumerate(findings[:MAX_SENTENCES], 1):
        lines = [finding["sentence"], _counts(finding)]
        if finding["known"]:
            lines.append(f"Looks like the known failure {finding['known']['cause']}.")
        if finding["proposal"]:
            lines.append(f"Vector: {finding['proposal']}")
        console.print()
        for n, line in enumerate(lines):
            head = f"{number:2}. " if n == 0 else "    "
            console.print(
                textwrap.fill(line, max(60, console.width - 1), initial_indent=head,
                              subsequent_indent="    ", break_long_words=False,
                              break_on_hyphens=False),
                highlight=False, markup=False, soft_wrap=True,
            )  # fmt: skip
        if finding["repeat"]:
            say(Text(f"    Repeat: {finding['repeat']}"), console)


def _counts(finding: Mapping[str, Any]) -> str:
    """Describe the cases of a finding: their number, damages, settings and effects."""
    damages = [f"{operation} of {field} {n:,}" for operation, field, n in finding["places"]]
    if pairs := finding["by_operation"].get("pair"):
        damages.append(f"pairs {pairs:,}")
    if undamaged := finding["by_operation"].get("none"):
        damages.append(f"undamaged {undamaged:,}")
    text = f"{counted(finding['cases'], 'case')}: {', '.join(map(brief, damages[:MAX_NAMED]))}"
    if len(damages) > MAX_NAMED:
        text += f", and {len(damages) - MAX_NAMED} more"
    settings = [f"{name} {n:,}" for name, n in finding["by_profile"].items()]
    settings += [f"with a different {key} {n:,}" for key, n in finding["by_varied_key"].items()]
    text += f". Profiles: {', '.join(settings)}."
    if finding["value"]:
        text += f" All single damages set a field to {finding['value']}."
    if len(finding["by_effect"]) > 1:
        text += (
            f" Effects: {', '.join(f'{name} {n:,}' for name, n in finding['by_effect'].items())}."
        )
    return text
