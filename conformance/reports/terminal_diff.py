"""The difference of two runs, for a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from conformance.text import printable

from .classes import BY_NAME
from .console_text import print_hanging, print_tidy, say
from .diff import EFFECTS, Diff

_STYLES = {"regression": "bold red", "improvement": "green", "changed": "yellow"}


def print_diff(diff: Diff, console: Console) -> None:
    """Print the changes between two runs, regressions first."""
    if diff == Diff():
        say(Text("No difference.", style="green"), console)
        return
    for status in diff.statuses:
        change = f"  {status.implementation} {status.old} → {status.new}"
        label = Text.assemble((status.effect, _STYLES[status.effect]), change)
        print_hanging(label, Text(printable(status.because or "it runs")), console)
    for effect in EFFECTS:
        _print_changes(diff, effect, console)
    for heading, names in (
        ("vectors added", diff.vectors_added),
        ("vectors removed", diff.vectors_removed),
        ("implementations added", diff.implementations_added),
        ("implementations removed", diff.implementations_removed),
    ):
        if names:
            print_hanging(Text(f"{len(names)} {heading}"), Text(", ".join(names)), console)
    for name, classes in diff.new_results.items():
        every = ", ".join(f"{count} {BY_NAME[key].label}" for key, count in classes.items())
        print_hanging(Text(f"new results of {name}"), Text(every), console)
    for name, count in diff.gone_results.items():
        say(Text(f"{name} has {count} fewer results for the same vectors"), console)
    if diff.scores:
        say(Text("score in pairs", style="bold"), console)
    for score in diff.scores:
        old, new = (
            f"{pairs[0]}/{pairs[1]}" if pairs else "none" for pairs in (score.old, score.new)
        )
        suffix = " (null baseline)" if score.baseline else ""
        text = Text(f"  {score.implementation}{suffix}  {old} → {new}")
        if score.effect != "changed":
            text.append(f"  {score.effect}", style=_STYLES[score.effect])
        say(text, console)
    bad = len(diff.regressions)
    verdict = f"{bad} regression{'s' if bad != 1 else ''}." if bad else "No regressions."
    say(Text(verdict, style="bold red" if bad else "bold green"), console)


def _print_changes(diff: Diff, effect: str, console: Console) -> None:
    changes = [each for each in diff.results if each.effect == effect]
    if not changes:
        return
    plural = "s" if len(changes) != 1 and effect != "changed" else ""
    say(Text(f"{len(changes)} {effect}{plural}", style=_STYLES[effect]), console)
    for each in changes:
        old, new = BY_NAME[each.old], BY_NAME[each.new]
        case = f"  {each.implementation}  {each.vector}  {each.profile}"
        say(
            Text.assemble("  ", (old.label, old.style), " → ", (new.label, new.style), case),
            console,
        )
        if each.difference and effect != "improvement":
            print_tidy(Text(printable(each.difference), style="dim"), console, indent=6)
        if effect == "regression":
            say(Text(f"      {each.repeat}"), console)
