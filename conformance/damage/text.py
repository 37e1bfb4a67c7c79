"""Write and parse operations as text: ``flip bit 3 of blocks[0].records[1].header.checksum``."""

from __future__ import annotations

import re
from typing import Any

from conformance.damage.operations import OPERATIONS, BadOperation, Operation

_NUMBERS = ("at", "bit", "end", "first", "keep", "number", "second", "sector")
_PATTERNS = {"byte": r"[0-9a-f]{2}", "bytes": r".+?", "value": r".+"}
#: In a log of several files, each text form without a path ends with this text.
_IN_FILE = " in {file}"

_FILL = re.compile(r"(\d+) (?:zero bytes?|bytes? of ((?:[0-9a-f]{2})+))")
_COPY = re.compile(r"\[(\d+), (\d+)\)(?: in (\S+))? of (\S+)")
_THE_LOG, _NO_BYTES = "the-log", "nothing"
_NAMES = ("file", "name", "other")

#: Texts that only people read show at most this many bytes of a byte string.
SHOWN_BYTES = 16


def render(operation: Operation, shown: int | None = None) -> str:
    """Return an operation as text.

    If ``shown`` is given, longer byte strings are cut to that many bytes. :func:`parse` rejects a
    text with such a cut.
    """
    arguments = {
        name: value for name, value in operation.items() if name not in ("op", "order", "edits")
    }
    form = next(form for form in OPERATIONS[operation["op"]].texts if _fits(form, arguments))
    if "{file}" not in form and arguments.get("file"):
        if "{path}" in form:
            arguments["path"] = f"{arguments['file']}:{arguments['path']}"
        else:
            form += _IN_FILE
    return form.format(
        **{name: _value_text(name, value, shown) for name, value in arguments.items()}
    )


def _fits(form: str, arguments: Operation) -> bool:
    return all(name in arguments for name in re.findall(r"{(\w+)}", form))


def _value_text(name: str, value: Any, shown: int | None) -> Any:
    if name == "bytes":
        return value_of_bytes(value, shown)
    if name in _NAMES:
        return value or _THE_LOG
    return _hex_text(value, shown) if name == "value" and isinstance(value, str) else value


def _hex_text(digits: str, shown: int | None) -> str:
    data = bytes.fromhex(digits)
    if shown is None or len(data) <= shown:
        return data.hex(" ")
    return f"{data[:shown].hex(' ')} … ({len(data):,} bytes)"


def value_of_bytes(source: Any, shown: int | None = None) -> str:
    """Return bytes as text, in the form of an operation's argument."""
    parts = [source] if isinstance(source, str) else source
    return " + ".join(_part_text(part, shown) for part in parts) or _NO_BYTES


def _part_text(part: Any, shown: int | None) -> str:
    if isinstance(part, str):
        return _hex_text(part, shown)
    if "fill" in part:
        size, fill = part["size"], part["fill"]
        if fill == "00":
            return f"{size} zero bytes"
        return f"{size} bytes of {fill if shown is None else _hex_text(fill, shown)}"
    at, file = part["at"], part.get("file")
    return (
        f"[{at}, {at + part['size']}){f' in {file}' if file else ''} of {part['copy'] or _THE_LOG}"
    )


def parse(text: str) -> Operation:
    """Return the operation that a text describes. Raises :class:`BadOperation`."""
    text = " ".join(text.split())
    for op, entry in OPERATIONS.items():
        for form in entry.texts:
            if match := _pattern(form).fullmatch(text):
                found = {name: value for name, value in match.groupdict().items() if value}
                # In vectors, the target comes first, and the file of a path or offset comes last.
                last = "" if "{file}" in form else "file"
                arguments = sorted(
                    _arguments(found).items(),
                    key=lambda item: (item[0] == last, item[0] not in ("path", "at")),
                )
                return {"op": op, **dict(arguments)}
    raise BadOperation(_unknown(text))


def _pattern(form: str) -> re.Pattern[str]:
    pattern = re.escape(form + ("" if "{path}" in form or "{file}" in form else _IN_FILE))
    pattern = pattern.replace(r"\ in\ \{file\}", r"(?:\ in\ \{file\})?")

    def group(match: re.Match[str]) -> str:
        name = match[1]
        kind = r"\d+" if name in _NUMBERS else _PATTERNS.get(name, r"\S+")
        return f"(?P<{name}>{kind})"

    return re.compile(re.sub(r"\\{(\w+)\\}", group, pattern))


def _arguments(found: dict[str, str]) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    for name, text in found.items():
        if name == "path":
            file, _, arguments["path"] = text.rpartition(":")
            if file:
                arguments["file"] = file
        elif name in _NUMBERS:
            arguments[name] = int(text)
        elif name == "bytes":
            arguments[name] = bytes_from_text(text)
        elif name == "value":
            is_number = re.fullmatch(r"-?(0|[1-9][0-9]*)", text)  # "06" is hexadecimal
            arguments[name] = int(text) if is_number else _hex(text)
        else:
            arguments[name] = "" if name in _NAMES and text == _THE_LOG else text
    return arguments


def bytes_from_text(text: str) -> Any:
    """Return the argument that a text describes: hexadecimal digits, or a list of parts."""
    parts: list[Any] = []
    for part in text.split(" + ") if text != _NO_BYTES else ():
        if match := _FILL.fullmatch(part):
            parts.append({"fill": match[2] or "00", "size": int(match[1])})
        elif match := _COPY.fullmatch(part):
            at, end = int(match[1]), int(match[2])
            id = "" if match[4] == _THE_LOG else match[4]
            parts.append({"copy": id, "file": match[3] or "", "at": at, "size": end - at})
        else:
            parts.append(_hex(part))
    if not parts:
        return ""
    return parts[0] if len(parts) == 1 and isinstance(parts[0], str) else parts


def _hex(text: str) -> str:
    try:
        return bytes.fromhex(text).hex()
    except ValueError:
        raise BadOperation(
            f"expected bytes in hexadecimal, as in '0a ff', found {text!r}"
        ) from None


def forms() -> list[str]:
    """Return the text forms of all operations, with arguments in capitals."""
    names = {"at": "OFFSET", "path": "FIELD", "byte": "HEX", "sector": "SIZE"}
    names |= dict.fromkeys(("bit", "keep", "number"), "N")
    return [
        re.sub(r"{(\w+)}", lambda match: names.get(match[1], match[1].upper()), form)
        + ("" if "{path}" in form or "{file}" in form else " [in FILE]")
        for entry in OPERATIONS.values()
        for form in entry.texts
    ]


def _unknown(text: str) -> str:
    verb = text.partition(" ")[0]
    expected = [repr(form) for form in forms() if form.split()[0] == verb]
    return f"{text!r}: expected {' or '.join(expected) or 'an operation that --list shows'}"
