"""Write styled lines fast enough for millions of lines."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from rich.cells import cell_len, set_cell_size
from rich.color import ColorSystem
from rich.console import Console
from rich.style import Style
from rich.text import Text

_PLAIN = str.maketrans(
    {"…": ".", "×": "x", "≠": "!=", "┌": "+", "└": "+", "─": "-", "−": "-", "»": ">"}
)


class Line:
    """Pieces of text with a style each; ``width`` counts terminal columns."""

    def __init__(self) -> None:
        self.pieces: list[tuple[str, str]] = []
        self.width = 0

    def add(self, text: str, style: str = "") -> Line:
        """Append a piece and return the line."""
        if text:
            self.pieces.append((text, style))
            self.width += len(text) if text.isascii() else cell_len(text)
        return self

    def pad_to(self, column: int) -> Line:
        """Append spaces up to a column."""
        return self.add(" " * max(0, column - self.width))

    def crop(self, width: int) -> Line:
        """Cut to this many columns; an ellipsis marks the cut."""
        while self.width > width:
            text, style = self.pieces.pop()
            remaining = width - (self.width - cell_len(text))
            self.width -= cell_len(text)
            if remaining > 0:
                self.add(set_cell_size(text, remaining - 1).rstrip() + "…", style)
        return self


class Lines:
    """Write lines to the file of a console, faster than with the layout of rich.

    Styles are written only if the console has colours. Characters that the encoding of the console
    does not support are replaced, and trailing spaces are removed.
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        self.is_unicode = console.encoding.lower().startswith("utf")

    def write(self, line: Line) -> None:
        """Write one line."""
        while line.pieces:
            text, style = line.pieces.pop()
            if text := text.rstrip():
                line.pieces.append((text, style))
                break
        self.console.file.write("".join(self._rendered(line)) + "\n")

    def blank(self) -> None:
        """Write an empty line."""
        self.console.file.write("\n")

    def wrap(self, text: Text, width: int) -> None:
        """Write a paragraph, wrapped between words."""
        for part in text.wrap(self.console, width):
            line = Line()
            for segment in part.render(self.console):
                line.add(segment.text, str(segment.style or ""))
            self.write(line)

    def _rendered(self, line: Line) -> Iterator[str]:
        for text, style in line.pieces:
            if not self.is_unicode:
                text = text.translate(_PLAIN).encode(self.console.encoding, "replace").decode()
            if style and self.console.color_system:
                text = Style.parse(style).render(text, color_system=self._system)
            yield text

    @functools.cached_property
    def _system(self) -> ColorSystem:
        return {
            "256": ColorSystem.EIGHT_BIT,
            "truecolor": ColorSystem.TRUECOLOR,
        }.get(self.console.color_system or "", ColorSystem.STANDARD)
