"""The steps of a smoke test, for a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from conformance.adapter_smoke import AdapterSmoke, SmokeStep
from conformance.text import printable

from .console_text import say

MARKS = {"right": ("✓", "green"), "wrong": ("✗", "red"), "untested": ("–", "yellow")}
STDERR_LINES = 4


def print_steps(steps: AdapterSmoke, one_shot: bool, ask: str, console: Console) -> None:
    """Print each step and a summary; ``ask`` is the command that shows a vector's messages."""
    for finding in steps.findings:
        _print(finding, console)
    console.print()
    say(Text(_summary(steps, one_shot)), console)
    for finding in steps.wrong:
        vector = finding.step.removeprefix("reads ")
        if vector in steps.vectors:
            say(Text("See the messages:"), console)
            say(Text(f"  {ask} --vector {vector}"), console)


def _print(finding: SmokeStep, console: Console) -> None:
    line = Text.assemble(MARKS[finding.status], f" {finding.step}")
    if finding.note:
        line.append(f"  {printable(finding.note)}", style="dim")
    say(line, console)
    if finding.status != "wrong":
        return
    facts = {
        "expected": finding.expected,
        "found": finding.actual,
        "line": finding.line,
        "stderr": "\n".join((finding.stderr or "").splitlines()[-STDERR_LINES:]),
        "fault": f"the {finding.fault}'s",
    }
    for label, value in facts.items():
        for number, part in enumerate(printable(value).splitlines()):
            shown = Text.assemble((f"    {label if number == 0 else '|':9} ", "dim"), part)
            say(shown, console)


def _summary(steps: AdapterSmoke, one_shot: bool) -> str:
    faults = [finding.fault for finding in steps.wrong]
    counted = [
        f"{number} fault{'s' if number > 1 else ''} of the {who}"
        for who in ("adapter", "implementation")
        if (number := faults.count(who))
    ]
    if "adapter" in faults:
        hint = (
            ""
            if steps.hello or one_shot
            else " For a program with only the one-shot form, use --one-shot."
        )
        return f"Found {' and '.join(counted)}.{hint}"
    spoken = "The one-shot form works" if one_shot else "The adapter speaks the protocol"
    rest = counted[0] if counted else steps.skipped or "the next step is walproof check"
    return f"{spoken}; {printable(rest)}."
