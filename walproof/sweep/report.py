"""The summary of a sweep: coverage, outcomes and the most harmful findings."""

from __future__ import annotations

import textwrap
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
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
from walproof.sweep.effects import NO_ANSWER, Signature
from walproof.sweep.fields import brief
from walproof.sweep.findings import Finding
from walproof.sweep.plan import Plan
from walproof.sweep.programs import REFERENCE
from walproof.sweep.settings import READING
from walproof.sweep.sweep_folder import SweepFolder
from walproof.worker_pool import core_count

#: Maximum number of findings on the terminal.
MAX_SENTENCES = 10

#: Maximum number of damages, fields and the like in one line.
MAX_NAMED = 5

#: Columns of the table ``sweep`` whose values are counted, besides the outcomes.
_COUNTED = frozenset({"group", "operation", "profile", "varied", "verdict"})

_OF_CASE = ("control", "family", "number", "size", "alone")

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
    cases: Counter[str] = Counter()
    left: Counter[str] = Counter()
    unsent: defaultdict[str, Counter[str]] = defaultdict(Counter)
    skipped: dict[str, str] = {}
    versions: dict[str, str] = {}
    fails: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for marker in markers:
        cases.update(marker["cases"])
        left.update(marker["left"])
        skipped |= marker["skipped"]
        versions |= marker["versions"]
        for name, reasons in marker["unsent"].items():
            unsent[name].update(reasons)
        for name, failed in marker["fails"].items():
            fails[name] |= failed
    counts, distinct = _count_rows(folder)
    total = counts["operation"].total()
    varied: Counter[str] = Counter()
    for keys, n in counts["varied"].items():
        varied.update(dict.fromkeys(filter(None, keys.split(", ")), n))

    def implementation(name: str) -> dict[str, Any]:
        outcomes = counts[f"outcome_{name}"]
        return {
            "version": versions.get(name),
            "asked": outcomes.total(),
            "share": round(outcomes.total() / total, 4) if total else None,
            "outcomes": dict(outcomes.most_common()),
            "skipped_because": skipped.get(name),
            "fails_undamaged": dict(sorted(fails[name].items())),
            "left_with_them": left[name],
            "not_asked_because": dict(unsent[name]),
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
        "distinct": distinct,
        "doubles_skipped": cases["doubles"],
        "void": cases["void"],
        "coverage": {
            group: {"ran": counts["group"][group], **covered._asdict()}
            for group, covered in plan.coverage.items()
        },
        "by_operation": dict(counts["operation"].most_common()),
        "by_profile": dict(counts["profile"].most_common()),
        "by_varied_key": dict(varied.most_common()),
        "by_verdict": dict(counts["verdict"].most_common()),
        "implementations": {name: implementation(name) for name in plan.columns},
        "isolation": next((marker["isolation"] for marker in markers if marker["isolation"]), None),
        "run": {**run, "processors": core_count()},
        "findings": [as_json(finding) for finding in findings],
    }


def _count_rows(folder: SweepFolder) -> tuple[defaultdict[str, Counter[str]], int]:
    """Count the values in the text columns of all rows, and the distinct logs."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    fingerprints = [np.empty(0, np.int64)]
    for table in folder.tables():
        fingerprints.append(table.column("fingerprint").to_numpy())
        for name in table.column_names:
            if name in _COUNTED or name.startswith("outcome_"):
                for each in table.column(name).drop_null().value_counts().to_pylist():
                    counts[name][each["values"]] += each["counts"]
    return counts, len(np.unique(np.concatenate(fingerprints)))


def as_json(finding: Finding) -> dict[str, Any]:
    """Return one finding as JSON."""
    signature, best = finding.signature, finding.best

    def counts(key: Callable[[Signature], Hashable]) -> dict[Any, int]:
        return dict(finding.counted(key).most_common())

    reported = ("implementation", "kind", "verdict", "reason", "said_verdict", "said_reason")
    damages = counts(lambda each: each.field and (each.operation, each.field))
    return {
        **{name: getattr(signature, name) or None for name in reported},
        "effect": signature.gravest,
        "cases": finding.count,
        "signatures": len(finding.signatures),
        "by_effect": counts(lambda each: each.gravest),
        "by_operation": counts(lambda each: each.operation),
        "by_profile": counts(lambda each: each.profile),
        "by_varied_key": counts(lambda each: each.context),
        "places": [[*damage, n] for damage, n in damages.items()],
        "fields": finding.fields,
        "value": finding.value or None,
        "sentence": sentence(finding),
        "asked": finding.request or None,
        "difference": best.text,
        "simplest": {
            **{name: getattr(best, name) for name in _OF_CASE},
            "profile": signature.profile,
            "context": signature.context or None,
            "damage": list(finding.recipe.damage) if finding.recipe else None,
        },
        "minimised": finding.minimised or None,
        "known": dict(zip(("cause", "because"), finding.cause, strict=True))
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

    def print_line(text: str, style: str = "") -> None:
        console.print(text, highlight=False, markup=False, style=style)

    coverage = [
        (group, f"{ran:,}", f"{possible:,}", _share(ran, possible))
        for group, covered in summary["coverage"].items()
        for ran, possible in ((covered["ran"], covered["possible"]),)
    ]
    console.print(_table(("cases", "ran", "of possible", "share"), coverage))
    print_line(f"By damage: {_listed(summary['by_operation'])}.")
    print_line(
        f"Profiles: {_listed(summary['by_profile'])}. Context keys varied:"
        f" {_listed(summary['by_varied_key']) or 'none'}."
    )
    print_line(f"{_cases(summary)}\n")
    console.print(_outcomes(summary["implementations"]))
    print_line(
        "reference is the executable specification, checked against the invariants of"
        " spec/conventions.md. All others are compared with it."
    )
    for name, about in summary["implementations"].items():
        if failed := about["fails_undamaged"]:
            listed = [f"{control}: {brief(text)}" for control, text in failed.items()]
            more = f"; and {len(listed) - MAX_NAMED} more" if len(listed) > MAX_NAMED else ""
            print_line(
                f"{name} fails {counted(len(failed), 'undamaged control')}:"
                f" {'; '.join(listed[:MAX_NAMED])}{more}. Skipped their damaged copies:"
                f" {counted(about['left_with_them'], 'case')}.",
                style="bold",
            )
    for line in _exclusions(summary):
        print_line(line)
    print_line(f"\n{_rate(summary)}\n")
    _findings(summary["findings"], console)
    console.print()
    say(Text(f"Results: {folder}"), console)
    for line in isolation_lines(summary["isolation"]) if summary["isolation"] else ():
        print_line(line)


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    table = Table(titles[0], box=None, pad_edge=False, header_style="bold")
    for title in titles[1:]:
        table.add_column(title, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return table


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {n:,}" for name, n in counts.items())


def _share(ran: int, possible: int) -> str:
    if not possible:
        return "-"
    share = ran / possible
    return f"{share:.0%}" if share >= 0.1 else f"{share:.2g}" if share < 0.001 else f"{share:.1%}"


def _cases(summary: Mapping[str, Any]) -> str:
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
    return text


def _outcomes(implementations: Mapping[str, Mapping[str, Any]]) -> Table:
    """Return a table of outcomes, with the columns that any implementation needs."""
    counts = {name: Counter(about["outcomes"]) for name, about in implementations.items()}
    shown = ["agrees", "differs"]
    shown += [each for each in ("crash", "timeout") if any(of[each] for of in counts.values())]
    has_others = any(of.keys() - {*shown} for of in counts.values())
    rows = []
    for name, of in counts.items():
        # Most versions begin with the name.
        version = implementations[name]["version"] or name
        label = version if version.startswith(name) else f"{name} ({version})"
        numbers = [of.total(), *(of[each] for each in shown)]
        numbers += [of.total() - sum(numbers[1:])] if has_others else []
        rows.append((label, *(f"{number:,}" for number in numbers)))
    return _table(("implementation", "cases", *shown, *(["other"] if has_others else [])), rows)


def _exclusions(summary: Mapping[str, Any]) -> Iterator[str]:
    """Yield the cases that implementations did not get, with the reasons."""
    implementations = summary["implementations"]
    complete = [
        name
        for name, about in implementations.items()
        if about["asked"] == summary["cases"] and not about["skipped_because"]
    ]
    if complete:
        yield f"{' and '.join(complete)} read every case."
    for name, about in implementations.items():
        if about["skipped_because"]:
            yield f"{name} skipped: {about['skipped_because']}"
        if name not in complete:
            yield (
                f"{name} read {about['share'] or 0:.1%} of the cases: those whose profile and"
                " context it supports."
            )
        if reasons := about["not_asked_because"]:
            texts = ", ".join(f"{why} ({n:,})" for why, n in reasons.items())
            yield f"{name} did not get {counted(sum(reasons.values()), 'further case')}: {texts}."


def _rate(summary: Mapping[str, Any]) -> str:
    run = summary["run"]
    if not run["cases"]:
        return "No cases left to run."
    text = f"{counted(run['cases'], 'case')} in {run['seconds']:.1f} s"
    if run["resumed"]:
        text += f", resuming after {counted(run['resumed'], 'shard')}"
    return (
        f"{text}: {run['cases'] / run['seconds']:,.0f} cases/s on"
        f" {counted(run['processors'], 'processor')}. {run['wall']:.1f} s with planning and"
        " reporting."
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
    console.print(text, highlight=False, markup=False, style="bold")
    for number, finding in enumerate(findings[:MAX_SENTENCES], 1):
        lines = [finding["sentence"], _counts(finding)]
        if finding["known"]:
            lines.append(f"Looks like the known failure {finding['known']['cause']}.")
        if finding["proposal"]:
            lines.append(f"Vector: {finding['proposal']}")
        console.print()
        for n, line in enumerate(lines):
            wrapped = textwrap.fill(
                line, max(60, console.width - 1), subsequent_indent="    ",
                initial_indent=f"{number:2}. " if n == 0 else "    ",
                break_long_words=False, break_on_hyphens=False,
            )  # fmt: skip
            console.print(wrapped, highlight=False, markup=False, soft_wrap=True)
        if finding["repeat"]:
            say(Text(f"    Repeat: {finding['repeat']}"), console)


def _counts(finding: Mapping[str, Any]) -> str:
    """Describe the cases of a finding: their number, damages, settings and effects."""
    damages = [f"{operation} of {field} {n:,}" for operation, field, n in finding["places"]]
    for operation, title in (("pair", "pairs"), ("none", "undamaged")):
        if count := finding["by_operation"].get(operation):
            damages.append(f"{title} {count:,}")
    text = f"{counted(finding['cases'], 'case')}: {', '.join(map(brief, damages[:MAX_NAMED]))}"
    if len(damages) > MAX_NAMED:
        text += f", and {len(damages) - MAX_NAMED} more"
    text += f". Profiles: {_listed(finding['by_profile'])}"
    for key, n in finding["by_varied_key"].items():
        text += f", with a different {key} {n:,}"
    text += "."
    if finding["value"]:
        text += f" All single damages set a field to {finding['value']}."
    if len(finding["by_effect"]) > 1:
        text += f" Effects: {_listed(finding['by_effect'])}."
    return text
