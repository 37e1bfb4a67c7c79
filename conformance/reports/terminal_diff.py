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
    for effect in EFFECTS:
        changes = [each for each in diff.changes if each.effect == effect]
        if changes:
            plural = "s" if len(changes) != 1 and effect != "changed" else ""
            say(Text(f"{len(changes)} {effect}{plural}", style=_STYLES[effect]), console)
        for each in changes:
            case = "  ".join(filter(None, (each.implementation, each.vector, each.profile)))
            line = Text.assemble("  ", _class(each.old), " → ", _class(each.new), f"  {case}")
            say(line, console)
            if each.difference and effect != "improvement":
                print_tidy(Text(printable(each.difference), style="dim"), console, indent=6)
            if each.repeat and effect == "regression":
                say(Text(f"      {each.repeat}"), console)
    for verb, listed in (("added", diff.added), ("removed", diff.removed)):
        for noun, names in listed.items():
            if names:
                print_hanging(Text(f"{len(names)} {noun} {verb}"), Text(", ".join(names)), console)
    bad = len(diff.regressions)
    verdict = f"{bad} regression{'s' if bad != 1 else ''}." if bad else "No regressions."
    say(Text(verdict, style="bold red" if bad else "bold green"), console)


def _class(name: str) -> tuple[str, str]:
    """Return the label and the style of a result class, or any other text without a style."""
    return (BY_NAME[name].label, BY_NAME[name].style) if name in BY_NAME else (name, "")
