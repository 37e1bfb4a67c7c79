"""``walproof smoke``: does an adapter speak the protocol?"""

from __future__ import annotations

import asyncio

import click
from rich.console import Console
from rich.text import Text

from conformance.reports.console_text import is_unicode, say
from conformance.smoke import Finding, Smoke
from conformance.text import printable
from conformance.vectors import BrokenVector, load_all
from reference_impl.formats import FORMATS
from walproof.cli import subjects
from walproof.cli.stopping import stoppable

MARKS = {"right": ("✓", "+", "green"), "wrong": ("✗", "x", "red"), "untested": ("–", "-", "yellow")}
STDERR_LINES = 4


@click.command()
@click.option("--cmd", "command", required=True, metavar="COMMAND", help="The program to try.")
@click.option("--format", "formats", multiple=True, metavar="ID", help="Only this format.")
@click.option("--one-shot", is_flag=True, help="COMMAND has the one-shot form only.")
@click.option(
    "--seconds",
    default=10.0,
    show_default=True,
    help="How long hello and other slow steps may take.",
)
@subjects.isolation
@stoppable()
def smoke(
    command: str, formats: tuple[str, ...], one_shot: bool, seconds: float, isolated: bool
) -> int:
    """Try an adapter step by step, and say who is responsible for each fault.

    The adapter is responsible for messages, pipes and processes. The implementation is responsible
    for a wrong answer about an undamaged log, a log that was changed, and death by a signal.
    `walproof check` finds out whether it is right about damaged logs too.

    \b
    walproof smoke --cmd './my-reader'
    walproof smoke --cmd 'python3 conformance/skeletons/python/adapter.py'

    Exit status: 0 if every step is as expected, 3 if one is not, 1 for a usage error.
    """
    words = subjects.words_of(command)
    if unknown := [format for format in formats if format not in FORMATS]:
        raise click.UsageError(
            f"--format: expected one of {', '.join(FORMATS)}, found {unknown[0]!r}"
        )
    try:
        vectors = load_all()
    except BrokenVector as error:
        raise click.ClickException(f"a vector of ours is broken: {error}") from None
    steps = Smoke(words, vectors, formats or tuple(FORMATS), seconds, isolated)
    asyncio.run(steps.run(one_shot))
    console = Console()
    for finding in steps.findings:
        _print(finding, console)
    console.print()
    say(Text(_summary(steps, one_shot)), console)
    for finding in steps.wrong:
        vector = finding.step.removeprefix("reads ")
        if vector in vectors:
            ask = subjects.foreign(command, one_shot, isolated).ask
            say(Text("See the messages, and keep the log as it is then:"), console)
            say(Text(f"  {ask} --vector {vector} --keep kept"), console)
    return 3 if steps.wrong else 0


def _print(finding: Finding, console: Console) -> None:
    glyph, plain, style = MARKS[finding.status]
    line = Text.assemble((glyph if is_unicode(console) else plain, style), f" {finding.step}")
    if finding.note:
        line.append(f"  {printable(finding.note)}", style="dim")
    say(line, console)
    facts = {
        "expected": finding.expected,
        "found": finding.found,
        "line": finding.line,
        "stderr": "\n".join((finding.stderr or "").splitlines()[-STDERR_LINES:]),
        "fault": f"the {finding.fault}'s",
    }
    if finding.status != "wrong":
        return
    for label, value in facts.items():
        for number, part in enumerate(printable(value).splitlines()):
            shown = Text.assemble((f"    {label if number == 0 else '':9} ", "dim"), part)
            say(shown, console)


def _summary(steps: Smoke, one_shot: bool) -> str:
    faults = [finding.fault for finding in steps.wrong]
    counted = [
        f"{number} fault{'s' if number > 1 else ''} of the {who}"
        for who in ("adapter", "implementation")
        if (number := faults.count(who))
    ]
    if "adapter" in faults:
        hint = "" if steps.hello or one_shot else " With the one-shot form only, say --one-shot."
        return f"Found {' and '.join(counted)}.{hint}"
    spoken = "The one-shot form works" if one_shot else "The adapter speaks the protocol"
    rest = counted[0] if counted else steps.skipped or "next is walproof check"
    return f"{spoken}; {printable(rest)}."
