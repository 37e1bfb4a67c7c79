"""Print text that fits a terminal, a pipe, and a console that supports only ASCII."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.text import Text

from conformance.text import one_line

# The width of the column for names of implementations. A name may be a whole command.
NAME = 24
# The number of spaces between the columns of a table.
GAP = 2
BASELINES = "null baselines"

# Each character is replaced by one character, so that styles keep their positions.
_PLAIN = str.maketrans("…×→─│·–█✓✗≈†∞▲", ".x>-|.-#+x~CTO")


def short(name: str, limit: int = NAME) -> str:
    """Return a name of at most ``limit`` characters on one line; an ellipsis marks a cut."""
    name = one_line(name)
    return name if len(name) <= limit else name[: limit - 1] + "…"


def say(text: Text, console: Console) -> None:
    """Print one line without wrapping or padding, with control characters escaped."""
    text.rstrip()
    if not text.plain.isprintable():
        text = Text(one_line(text.plain), style=text.style)
    if not console.encoding.lower().startswith("utf"):
        shown = text.plain.translate(_PLAIN)
        text.plain = shown.encode(console.encoding, "replace").decode(console.encoding)
    console.print(text, soft_wrap=True)


def print_tidy(renderable: RenderableType, console: Console, indent: int = 0) -> None:
    """Print without padding to the full width, so that piped output has no trailing spaces."""
    padded = Padding(renderable, (0, 0, 0, indent))
    for segments in console.render_lines(padded, pad=False):
        say(Text.assemble(*((each.text, each.style or "") for each in segments)), console)


def print_hanging(label: Text, rest: Text, console: Console, joint: str = ": ") -> None:
    """Print `label` and `rest` as one paragraph with indented continuation lines."""
    whole = Text.assemble(label, joint, rest)
    for number, line in enumerate(whole.wrap(console, max(20, console.width - 4))):
        print_tidy(line, console, indent=4 if number else 0)


def print_table(
    headings: Sequence[str],
    rows: Sequence[tuple[str, Sequence[Text]]],
    baselines_from: int,
    console: Console,
) -> None:
    """Print a table with names on the left and right-justified cells."""
    first = max([len(short(name)) for name, _ in rows] + [len(BASELINES)])
    widths = [
        GAP + max([len(heading), *(len(cells[column]) for _, cells in rows)])
        for column, heading in enumerate(headings)
    ]
    cells = [heading.rjust(width) for heading, width in zip(headings, widths, strict=True)]
    say(Text("".join([" " * first, *cells]), style="bold"), console)
    say(Text("─" * (first + sum(widths)), style="dim"), console)
    for number, (name, row) in enumerate(rows):
        if number == baselines_from:
            say(Text(f"── {BASELINES} ──", style="dim"), console)
        text = Text(short(name).ljust(first))
        for cell, width in zip(row, widths, strict=True):
            text.append(" " * (width - len(cell)))
            text.append_text(cell)
        say(text, console)
