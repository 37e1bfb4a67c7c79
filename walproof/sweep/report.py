"""The summary of a sweep: coverage, outcomes and the most harmful findings."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance import cases
from conformance.reports.console_text import say
from conformance.sandbox import isolation, isolation_lines
from walproof.quantity import counted
from walproof.sweep import effects, invariants
from walproof.sweep.effects import NO_ANSWER
from walproof.sweep.fields import brief
from walproof.sweep.findings import Finding
from walproof.sweep.plan import Plan
from walproof.sweep.programs import REFERENCE
from walproof.sweep.result import COUNTED, Result
from walproof.sweep.settings import READING

#: Maximum number of findings on the terminal.
MAX_SENTENCES = 10

#: Maximum number of names, such as those of changes and fields, in one line.
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
    plan: Plan, result: Result, findings: Sequence[Finding], seconds: float, is_complete: bool,
    stopped_by: str | None,
) -> dict[str, Any]:  # fmt: skip
    """Return the summary that is written to ``summary.json``."""
    programs = plan.programs
    is_isolated = all(program.subject.isolated for program in programs)
    return {
        "format": plan.format,
        "complete": is_complete,
        "stopped_by": stopped_by,
        "controls": [control.id for control in plan.controls],
        "cases": result.cases,
        "doubles_skipped": result.skipped_cases["doubles"],
        "void": result.skipped_cases["void"],
        "coverage": {
            group: {"ran": result.counts["group"][group], **covered._asdict()}
            for group, covered in plan.coverage.items()
        },
        **{f"by_{name}": dict(result.counts[name].most_common()) for name in COUNTED},
        "implementations": {
            name: {
                "version": result.versions.get(name),
                "skipped_because": result.skipped.get(name),
                "fails_undamaged": result.fails[name],
                "not_sent_because": result.unsent[name],
                "outcomes": dict(result.outcomes[name].most_common()),
            }
            for name in (REFERENCE, *(program.name for program in programs))
        },
        "isolation": isolation(is_isolated) if programs else None,
        "seconds": seconds,
        "findings": [as_json(finding) for finding in findings],
    }


def as_json(finding: Finding) -> dict[str, Any]:
    """Return one finding as JSON."""
    best = finding.best
    return {
        **vars(best.signature),
        "effect": best.signature.gravest,
        "cases": finding.count,
        "by_effect": finding.counted(lambda each: each.gravest),
        "by_damage": finding.counted(
            lambda each: f"{each.operation} of {each.field}" if each.field else each.operation
        ),
        "by_profile": finding.counted(lambda each: each.profile),
        "by_varied_key": finding.counted(lambda each: each.context),
        "sentence": sentence(finding),
        "difference": best.text,
        "simplest": {
            **{name: getattr(best, name) for name in ("control", "family", "number", "size")},
            "damage": list(finding.recipe.damage) if finding.recipe else None,
            "request": finding.request or None,
        },
        "known": finding.cause and dict(zip(("cause", "because"), finding.cause, strict=True)),
        "proposal": finding.proposal,
        "repeat": finding.repeat,
    }


def sentence(finding: Finding) -> str:
    """Describe a finding: its effect, the condition, and the smallest case."""
    signature, best = finding.signature, finding.best
    effect, is_reading = signature.gravest, signature.profile in READING
    is_reference = signature.implementation == REFERENCE
    name = "The executable specification" if is_reference else signature.implementation
    texts = _EFFECTS if is_reference else _EFFECTS | _OF_PROGRAMS
    other = f"returns records with a different {effect.removeprefix('other-')}"
    text = f"{name} {texts.get(effect, other if effect.startswith('other-') else effect)}"
    if not is_reading:
        text += " in an append" if signature.profile == "append" else " in a write"
    if effect not in NO_ANSWER and signature.profile != "write":
        text += f" if the log is {_verdict_text(signature.verdict, signature.reason)}"
    if is_reading and effect not in NO_ANSWER and (signature.said_verdict or signature.said_reason):
        text += f"; it reports {_verdict_text(signature.said_verdict, signature.said_reason)}"
    damage = finding.recipe.damage if finding.recipe else (signature.operation,)
    case = ", then ".join(filter(None, (*damage, finding.request))) or "undamaged"
    text += f". Smallest case, {counted(best.size, 'byte')}, from {best.control}: {brief(case)}"
    if signature.context:
        text += f", with a different {signature.context}"
    text += f", profile {signature.profile}. Difference: {best.text}."
    return text


def _verdict_text(verdict: str, reason: str) -> str:
    return f"{verdict} ({reason})" if verdict and reason else verdict or reason or "intact"


# -- on the terminal -------------------------------------------------------------------------------


def show(summary: Mapping[str, Any], console: Console, folder: str) -> None:
    """Print coverage, implementations and the most harmful findings."""

    def print_line(text: str, style: str = "") -> None:
        console.print(text, highlight=False, markup=False, style=style)

    coverage = [
        (group, f"{covered['ran']:,}", f"{covered['possible']:,}")
        for group, covered in summary["coverage"].items()
    ]
    console.print(_table(("cases", "ran", "of possible"), coverage))
    print_line(f"{_cases(summary)}\n")
    console.print(_outcomes(summary["implementations"]))
    print_line(
        "reference is the executable specification, checked against the invariants of"
        " spec/conventions.md. All others are compared with it."
    )
    for name, about in summary["implementations"].items():
        for line in _exclusions(name, about):
            print_line(line, "bold")
    console.print()
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
    shown = ", ".join(f"{brief(name)} {n:,}" for name, n in list(counts.items())[:MAX_NAMED])
    more = len(counts) - MAX_NAMED
    return shown + (f", and {more} more" if more > 0 else "")


def _cases(summary: Mapping[str, Any]) -> str:
    text = (
        f"{counted(summary['cases'], 'case')} on {counted(len(summary['controls']), 'control')} of"
        f" {summary['format']}, in {summary['seconds']:.1f} s."
    )
    if summary["doubles_skipped"] or summary["void"]:
        text += f" Skipped {counted(summary['doubles_skipped'], 'duplicate')}"
        text += f" and {counted(summary['void'], 'void case')}"
        text += " (no log, or one above the size limit of the harness)."
    if not summary["complete"]:
        planned = sum(covered["planned"] for covered in summary["coverage"].values())
        text += f" The plan has {counted(planned, 'case')}."
    if summary["stopped_by"]:
        text = f"Stopped by {summary['stopped_by']}. Results so far: {text}"
    return text


def _outcomes(implementations: Mapping[str, Mapping[str, Any]]) -> Table:
    counts = {name: Counter(about["outcomes"]) for name, about in implementations.items()}
    seen = {outcome for of in counts.values() for outcome in of} - {"agrees", "differs"}
    shown = ["agrees", "differs", *sorted(seen)]
    rows = []
    for name, of in counts.items():
        # Most version texts already begin with the name of the implementation.
        version = implementations[name]["version"] or name
        label = version if version.startswith(name) else f"{name} ({version})"
        numbers = [of.total(), *(of[each] for each in shown)]
        rows.append((label, *(f"{number:,}" for number in numbers)))
    return _table(("implementation", "cases", *shown), rows)


def _exclusions(name: str, about: Mapping[str, Any]) -> Iterator[str]:
    if failed := about["fails_undamaged"]:
        listed = [f"{control}: {brief(text)}" for control, text in failed.items()]
        more = f"; and {len(listed) - MAX_NAMED} more" if len(listed) > MAX_NAMED else ""
        failed_controls = counted(len(failed), "undamaged control")
        yield f"{name} fails {failed_controls}: {'; '.join(listed[:MAX_NAMED])}{more}."
    if about["skipped_because"]:
        yield f"{name} skipped: {about['skipped_because']}"
    for reason, count in about["not_sent_because"].items():
        yield f"{name} did not get {counted(count, 'case')}: {reason}."


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
        cases = f"{counted(finding['cases'], 'case')}: {_listed(finding['by_damage'])}."
        lines = [finding["sentence"], cases]
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
