"""The difference of two runs, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from conformance.text import printable

from .classes import BY_NAME, ResultClass
from .console_text import is_unicode, print_hanging, print_tidy, say
from .diff import Change, Diff, ScoreChange

_EFFECT = {"regression": "bold red", "improvement": "green", "changed": "yellow"}


def print_diff(diff: Diff, console: Console) -> None:
    """Print the changes between two runs, regressions first."""
    if diff.empty:
        say(Text("No difference.", style="green"), console)
        return
    for status in diff.statuses:
        label = Text.assemble(
            (status.effect, _EFFECT[status.effect]),
            f"  {status.implementation} {status.old} → {status.new}",
        )
        print_hanging(label, Text(printable(status.because or "it runs")), console)
    for effect in ("regression", "changed", "improvement"):
        _print_changes([each for each in diff.results if each.effect == effect], effect, console)
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
            say(_score(score), console)
    bad = len(diff.regressions)
    verdict = f"{bad} regression{'s' if bad != 1 else ''}." if bad else "No regressions."
    say(Text(verdict, style="bold red" if bad else "bold green"), console)


def _print_changes(changes: Sequence[Change], effect: str, console: Console) -> None:
    if not changes:
        return
    plural = "s" if len(changes) != 1 and effect != "changed" else ""
    say(Text(f"{len(changes)} {effect}{plural}", style=_EFFECT[effect]), console)
    for each in changes:
        text = Text("  ")
        for part in _transition(BY_NAME[each.old], BY_NAME[each.new], console):
            text.append_text(part)
        text.append(f"  {each.implementation}  {each.vector}  {each.profile}")
        say(text, console)
        if each.difference and effect != "improvement":
            print_tidy(Text(printable(each.difference), style="dim"), console, indent=6)
        if effect == "regression":
            say(Text(f"      {each.repeat}"), console)


def _transition(old: ResultClass, new: ResultClass, console: Console) -> Iterator[Text]:
    yield Text(old.label, style=old.style)
    yield Text(" → " if is_unicode(console) else " -> ")
    yield Text(new.label, style=new.style)


def _score(score: ScoreChange) -> Text:
    def shown(pairs: tuple[int, int] | None) -> str:
        return f"{pairs[0]}/{pairs[1]}" if pairs else "none"

    suffix = " (null baseline)" if score.baseline else ""
    text = Text(f"  {score.implementation}{suffix}  {shown(score.old)} → {shown(score.new)}")
    if score.effect != "changed":
        text.append(f"  {score.effect}", style=_EFFECT[score.effect])
    return text
