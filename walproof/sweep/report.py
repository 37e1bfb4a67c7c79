"""Summarise a sweep: coverage, outcomes and the most harmful findings."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance import vector_cases
from conformance.damage.text import render
from conformance.reports.console_text import say
from conformance.sandbox import isolation, isolation_lines
from walproof.quantity import counted
from walproof.sweep import effects, properties
from walproof.sweep.dominance import DOMINANCE
from walproof.sweep.effects import NO_ANSWER
from walproof.sweep.fields import brief
from walproof.sweep.findings import case_as_json
from walproof.sweep.plan import REFERENCE, SweepPlan
from walproof.sweep.settings import READING
from walproof.sweep.sweep_runner import SweepFinding, SweepResult

#: Maximum number of findings to print, and of names to print on one line.
MAX_SHOWN_FINDINGS, MAX_NAMED = 10, 5

_EFFECTS = {
    "crash": "crashes",
    "timeout": "times out",
    "over-limit": "exceeds the limit of memory or output",
    "protocol-error": "violates the protocol",
    vector_cases.CHANGED_LOG: "modifies the log while reading it",
    DOMINANCE: "returns true records that the executable specification does not return",
    effects.LOST: "loses intact records",
    effects.CHANGED: "changes records",
    effects.EXTRA: "returns records that are expected as lost",
    "silent": "does not report a loss",
    "noisy": "reports damage in a log without losses",
    effects.OTHER_VERDICT: "reports a different verdict",
    effects.OTHER_REASON: "reports a different reason",
    effects.OTHER_RANGE: "reports different bytes as lost",
    vector_cases.REFUSED: "refuses a valid request",
    vector_cases.NOT_REFUSED: "performs a request that it must refuse",
    vector_cases.NO_LOG: "reports success, but leaves no log",
    vector_cases.OTHER_BYTES: "writes different bytes",
    vector_cases.OTHER_FILES: "leaves different files",
    effects.OTHER_END: "reports a different end",
    **properties.MEANING,
}
_OF_PROGRAMS = {
    properties.SILENT_LOSS: "omits a lost range",
    properties.INVENTED: "invents records",
    properties.OUT_OF_ORDER: "returns records out of order, or a record twice",
}


def summary(
    plan: SweepPlan, result: SweepResult, findings: Sequence[Mapping[str, Any]], seconds: float,
    is_complete: bool, stopped_by: str | None,
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
        "skipped": dict(result.skipped_cases),
        "coverage": {
            group: {"ran": result.counts["group"][group], **covered._asdict()}
            for group, covered in plan.coverage.items()
        },
        **{f"by_{name}": dict(counts.most_common()) for name, counts in result.counts.items()},
        "implementations": {
            name: {
                "version": result.versions.get(name),
                "skipped_because": result.skipped.get(name),
                "fails_undamaged": result.fails[name],
                "not_sent_because": result.unsent[name],
                "outcomes": dict(result.outcomes[name].most_common()),
                "dominance": dict(result.dominance[name]),
            }
            for name in (REFERENCE, *(program.name for program in programs))
        },
        "isolation": isolation(is_isolated) if programs else None,
        "seconds": seconds,
        "findings": findings,
    }


def as_json(
    plan: SweepPlan, finding: SweepFinding, vector: str | None, repeat: str | None
) -> dict[str, Any]:
    """Return one finding as JSON."""
    return {
        **finding.effect._asdict(),
        "cases": finding.cases,
        "by_damage": dict(finding.by_damage.most_common()),
        "by_profile": dict(finding.by_profile.most_common()),
        "by_varied_key": dict(finding.by_varied_key.most_common()),
        "sentence": sentence(plan, finding),
        "difference": finding.text,
        "simplest": {**case_as_json(plan, finding.case), "size": finding.size},
        "vector": vector,
        "repeat": repeat,
    }


def sentence(plan: SweepPlan, finding: SweepFinding) -> str:
    """Describe a finding: its effect, when it occurs, and its smallest case."""
    effect, case = finding.effect, finding.case
    control = plan.controls[case.control]
    setting, gravest = control.settings[case.setting], effect.gravest
    is_reading = setting.profile in READING
    is_reference = effect.implementation == REFERENCE
    name = "The executable specification" if is_reference else effect.implementation
    texts = _EFFECTS if is_reference else _EFFECTS | _OF_PROGRAMS
    other = f"returns records with a different {gravest.removeprefix('other-')}"
    text = f"{name} {texts.get(gravest, other if gravest.startswith('other-') else gravest)}"
    if not is_reading:
        text += " in an append"
    if gravest not in NO_ANSWER:
        text += f" if the log is {_verdict_text(effect.verdict, effect.reason)}"
        if is_reading and (effect.reported_verdict or effect.reported_reason):
            reported = _verdict_text(effect.reported_verdict, effect.reported_reason)
            text += f"; it reports {reported}"
    damage = [render(operation) for operation in case.change.operations]
    if setting.appends:
        damage.append("append a short record")
    text += f". Smallest case, {counted(finding.size, 'byte')}, from {control.id}: "
    text += brief(", then ".join(damage) or "undamaged")
    if setting.varied:
        text += f", with a different {', '.join(setting.varied)}"
    return f"{text}, profile {setting.profile}. Difference: {finding.text}."


def _verdict_text(verdict: str, reason: str) -> str:
    return f"{verdict} ({reason})" if verdict and reason else verdict or reason or "intact"


# -- on the terminal -------------------------------------------------------------------------------


def show(summary: Mapping[str, Any], console: Console, folder: str) -> None:
    """Print coverage, implementations and the most harmful findings."""

    def print_line(text: str, style: str = "") -> None:
        console.print(text, highlight=False, markup=False, style=style)

    coverage = _table("cases", "ran", "of possible")
    for group, covered in summary["coverage"].items():
        coverage.add_row(group, f"{covered['ran']:,}", f"{covered['possible']:,}")
    console.print(coverage)
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


def _table(*titles: str) -> Table:
    table = Table(titles[0], box=None, pad_edge=False, header_style="bold")
    for title in titles[1:]:
        table.add_column(title, justify="right", no_wrap=True)
    return table


def _cases(summary: Mapping[str, Any]) -> str:
    text = (
        f"{counted(summary['cases'], 'case')} on {counted(len(summary['controls']), 'control')} of"
        f" {summary['format']}, in {summary['seconds']:.1f} s."
    )
    if skipped := summary["skipped"]:
        text += f" Skipped {counted(skipped.get('duplicates', 0), 'duplicate')}"
        text += f" and {counted(skipped.get('void', 0), 'void case')}"
        text += " (no log, or one above the size limit of the harness)."
    if not summary["complete"]:
        planned = sum(covered["planned"] for covered in summary["coverage"].values())
        text += f" The plan has {counted(planned, 'case')}."
    if summary["stopped_by"]:
        text = f"Stopped by {summary['stopped_by']}. Results so far: {text}"
    return text


def _outcomes(implementations: Mapping[str, Mapping[str, Any]]) -> Table:
    counts = {name: Counter(about["outcomes"]) for name, about in implementations.items()}
    others = {outcome for of in counts.values() for outcome in of} - {"agrees", "differs"}
    shown = ["agrees", "differs", *sorted(others)]
    table = _table("implementation", "cases", *shown)
    for name, of in counts.items():
        # Most version texts already begin with the implementation's name.
        version = implementations[name]["version"] or name
        label = version if version.startswith(name) else f"{name} ({version})"
        table.add_row(label, *(f"{n:,}" for n in (of.total(), *(of[each] for each in shown))))
    return table


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
    dominance = dict(about["dominance"])
    if dominance.get("records"):
        cases, affected, records = (dominance.pop(key) for key in ("cases", "with", "records"))
        of = "".join(f", {count:,} by {id}" for id, count in sorted(dominance.items()))
        excepted = f" Excepted{of[1:]}." if of else ""
        yield (
            f"{name} returns {counted(records, 'true record')} that reference does not return, in"
            f" {affected:,} of {counted(cases, 'case')}.{excepted}"
        )


def _findings(findings: Sequence[Mapping[str, Any]], console: Console) -> None:
    if not findings:
        console.print("No findings.")
        return
    text = f"{counted(len(findings), 'finding')}."
    if len(findings) > MAX_SHOWN_FINDINGS:
        text += f" The {MAX_SHOWN_FINDINGS} most harmful:"
    console.print(text, highlight=False, markup=False, style="bold")
    for number, finding in enumerate(findings[:MAX_SHOWN_FINDINGS], 1):
        by_damage = [f"{brief(name)} {n:,}" for name, n in finding["by_damage"].items()]
        more = f", and {len(by_damage) - MAX_NAMED} more" if len(by_damage) > MAX_NAMED else ""
        named = ", ".join(by_damage[:MAX_NAMED]) + more
        lines = [finding["sentence"], f"{counted(finding['cases'], 'case')}: {named}."]
        if finding["vector"]:
            lines.append(f"Vector: {finding['vector']}")
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
