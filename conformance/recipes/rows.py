"""Recipes as rows of text, for a vector that is a control, a few operations and an answer.

A row has a heading and indented lines. The heading has the name of the vector, its control, its
requirements and, if the verdict does not give it, its kind. The first lines are the title. Each
other line begins with a key::

    cut_in_a_payload: three_records LDB-022 LDB-038
        The log ends one byte before the end of a payload.
        damage: truncate at 37
        expect: torn torn-payload, survivors 0-1, end 24
        note: The length is there, but the last byte is not.

* ``damage`` takes an operation in the words of ``walproof damage``.
* ``expect`` states the verdict, the reason, the survivors (numbers of the control's records, and
  payloads in quotes) and, if known, the end.
* ``bug``, ``note`` and ``shows`` take a text.
* Any other key is a method of the format's log, or a function of the module whose name begins with
  an underscore. Its arguments are numbers and texts between commas.

In an operation or among the survivors, ``name(argument, …)`` stands for the result of a method of
the log, as in ``zero of(MESSAGE=alpha).body.hash``. A line without a key continues the text before
it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from conformance.recipes.algebra import RecipeError

#: The type is :class:`conformance.recipes.recipe.Log`. This module cannot import it, because the
#: module ``recipe`` imports this one.
Log = Any

#: The first line of a row has a name, a control, requirements and an optional kind.
HEADING = re.compile(r"(\w+): (\w+)((?: [A-Z]{3}-\d{3})+)(?: (\w+))?")
_LINE = re.compile(r"([a-z_]+):(?: (.+))?")
_EXPECTED = re.compile(
    r"(?P<verdict>\w+)(?: (?P<reason>[\w-]+))?"
    r", (?:no survivors|survivors (?P<survivors>.+?))(?:, end (?P<end>\S+))?"
)
_CALL = re.compile(r"(\w+)\(([^()]*)\)")
_SURVIVOR = re.compile(
    r'(?P<first>\d+)(?:-(?P<last>\d+))?|(?P<call>\w+\([^()]*\))|"(?P<text>[^"]*)"'
)
#: These methods take a whole line as their argument.
_OF_TEXT = ("bug", "note", "shows")


class Row(NamedTuple):
    """A recipe of a table. ``lines`` are the keys and their texts, in order."""

    name: str
    control: str
    requirements: tuple[str, ...]
    kind: str | None
    title: str
    lines: Sequence[tuple[str, str]]

    def build(self, log: Log, module: Mapping[str, Any]) -> None:
        """Follow the lines on a log that has the bytes of the control."""
        for key, text in self.lines:
            if key == "damage":
                log.operate(_CALL.sub(lambda match: str(_call(log, match)), text))
            elif key == "expect":
                log.expect(**_expected(log, text))
            elif key in _OF_TEXT:
                getattr(log, key)(text)
            elif hasattr(log, key):
                getattr(log, key)(*_arguments(text))
            elif f"_{key}" in module:
                module[f"_{key}"](log, *_arguments(text))
            else:
                raise RecipeError(f"{self.name}: no method and no private function {key!r}")


def rows_of(table: str) -> Iterator[Row]:
    """Yield the rows of a table. Raises :class:`RecipeError`."""
    for block in re.split(r"\n(?=\S)", table.strip()):
        first, *body = block.splitlines()
        heading = HEADING.fullmatch(first)
        if heading is None:
            raise RecipeError(f"{first!r}: expected 'name: control requirement …'")
        title: list[str] = []
        lines: list[tuple[str, str]] = []
        for text in map(str.strip, body):
            if match := _LINE.fullmatch(text):
                lines.append((match[1], match[2] or ""))
            elif lines:
                lines[-1] = (lines[-1][0], f"{lines[-1][1]} {text}")
            else:
                title.append(text)
        name, control, requirements, kind = heading.groups()
        yield Row(name, control, tuple(requirements.split()), kind, " ".join(title), lines)


def _expected(log: Log, text: str) -> dict[str, Any]:
    match = _EXPECTED.fullmatch(text)
    if match is None:
        raise RecipeError(f"{text!r}: expected 'verdict reason, survivors 0 2-3, end 24'")
    found: dict[str, Any] = match.groupdict()
    found["survivors"] = list(_survivors(log, found["survivors"] or ""))
    end = found.pop("end")
    if end is not None:
        found["end"] = None if end == "none" else int(end)
    return found


def _survivors(log: Log, text: str) -> Iterator[Any]:
    if rest := _SURVIVOR.sub("", text).strip():
        raise RecipeError(f"{rest!r}: expected numbers of records, as in '0 2-3'")
    for match in _SURVIVOR.finditer(text):
        if match["call"]:
            yield _call(log, match)
        elif match["text"] is not None:
            yield match["text"].encode()
        else:
            yield from range(int(match["first"]), int(match["last"] or match["first"]) + 1)


def _call(log: Log, match: re.Match[str]) -> Any:
    call = _CALL.fullmatch(match[0])
    assert call
    return getattr(log, call[1])(*_arguments(call[2]))


def _arguments(text: str) -> list[Any]:
    words = text.split(", ") if text else []
    return [int(word) if re.fullmatch(r"-?\d+", word) else word for word in words]
