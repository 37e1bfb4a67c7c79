"""Parse operations of the damage algebra from text: ``flip bit 3 of header.checksum``."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from conformance.contents import Contents, read_contents
from conformance.kaitai.field_map import Field, ParseStopped, iter_fields, resolve
from conformance.recipes.algebra import Damage
from walproof.formats import plugin_for
from walproof.sweep.fields import generic

#: Maximum number of bytes that one operation may add to a log.
MAX_ADDED_BYTES = 1 << 30


class BadOperation(ValueError):
    """Raised for an unknown operation, or an operation that is impossible on the log."""


class LogToDamage(Damage):
    """The damage algebra on any log. If the grammar fails, only earlier fields are available."""

    def __init__(self, contents: Contents, format: str, name: str = "") -> None:
        super().__init__(contents, format)
        self.name = name
        self._last: tuple[str, Field] | None = None

    def each_field(self, file: str = "") -> Iterator[Field]:
        """Yield the fields of a file before any damage, without storing them."""
        with contextlib.suppress(ParseStopped):
            yield from iter_fields(self._control[file], self.format, file or self.name)

    def field(self, path: str) -> Field:
        """Return the field with this path. Raises ``KeyError`` with similar paths."""
        name, _, inner = path.rpartition(":")
        if name not in self._control:
            raise KeyError(name)
        # An operation looks up its field several times, and each lookup parses all fields.
        if self._last is None or self._last[0] != path:
            self._last = path, resolve(lambda: self.each_field(name), inner)
        return self._last[1]

    def _mapped(self, data: bytes, file: str) -> list[Field]:
        return list(self.each_field(file))


def log_at(path: Path, format: str) -> LogToDamage:
    """Return the log at a path. Raises ``OSError``, also for a log above the memory limit."""
    return LogToDamage(read_contents(path), format, path.name)


def damage(log: LogToDamage, text: str) -> None:
    """Apply one operation. Raises :class:`BadOperation`."""
    text = " ".join(text.split())
    for _, pattern, act in _OPERATIONS:
        if (match := pattern.fullmatch(text)) is not None:
            try:
                arguments = match.groupdict(default="").items()
                act(log, **{key: int(text) if key in _NUMBERS else text for key, text in arguments})
            except (KeyError, ValueError, IndexError) as error:
                message = error.args[0] if isinstance(error, KeyError) else error
                raise BadOperation(f"{text}: {message}") from None
            log.operations[-1] = text
            return
    raise BadOperation(_unknown(text))


def forms() -> list[str]:
    """Return the syntax of each operation, with variable parts in capitals."""
    return list(dict.fromkeys(form for form, _, _ in _OPERATIONS))


def _unknown(text: str) -> str:
    verb = text.partition(" ")[0]
    expected = [repr(form) for form in forms() if form.split()[0] == verb]
    return f"{text!r}: expected {' or '.join(expected) or 'an operation that --list shows'}"


def _flip(log: LogToDamage, bit: int, path: str) -> None:
    field = log.field(path)
    bits = 8 * (field.end - field.start)
    if bit >= bits:
        raise BadOperation(f"{path}: expected bit 0 to {bits - 1}, found {bit}")
    log.flip(path, bit)


def _flip_byte(log: LogToDamage, bit: int, at: int, file: str) -> None:
    data = _bytes_of(log, file)
    if not data:
        raise BadOperation("expected a byte to flip, found an empty file")
    if bit > 7 or at >= len(data):
        raise BadOperation(f"expected bit 0 to 7 of byte 0 to {len(data) - 1}, found {bit} of {at}")
    log.flip_byte(at, bit, file)


def _set(log: LogToDamage, path: str, value: str) -> None:
    field = log.field(path)
    size = field.end - field.start
    if re.fullmatch(r"-?(0|[1-9][0-9]*)", value):  # a leading zero means hexadecimal
        number = int(value)
        if number < 0:
            number += 1 << 8 * size
        if not 0 <= number < 1 << 8 * size:
            raise BadOperation(f"{path}: {value} does not fit into {size} bytes")
        log.set(path, number, _byte_order(log, _file(path)))
    else:
        log.set(path, _hex(value))


def _insert(log: LogToDamage, new: str, at: int, file: str) -> None:
    log.insert(_offset(log, at, file), _hex(new), file=file)


def _truncate(log: LogToDamage, at: int, file: str) -> None:
    log.truncate(_offset(log, at, file), file)


def _offset(log: LogToDamage, at: int, file: str) -> int:
    size = len(_bytes_of(log, file))
    if at > size:
        raise BadOperation(f"expected an offset up to {size}, found {at}")
    return at


def _extend(log: LogToDamage, new: str, file: str) -> None:
    _bytes_of(log, file)
    log.extend(_hex(new), new, file)


def _extend_by_zeros(log: LogToDamage, count: int, file: str) -> None:
    _bytes_of(log, file)
    if count > MAX_ADDED_BYTES:
        raise BadOperation(f"expected at most {MAX_ADDED_BYTES} bytes, found {count}")
    log.extend(bytes(count), "zeros", file)


def _zero_sector(log: LogToDamage, number: int, sector: int, file: str) -> None:
    count = -(-len(_bytes_of(log, file)) // sector) if sector else 0
    if number >= count:
        raise BadOperation(f"expected a sector below {count} (of {sector} bytes), found {number}")
    log.zero_sector(number, sector, file)


def _reseal(log: LogToDamage, path: str, file: str = "") -> None:
    file = file or _file(path)
    inner = path.rpartition(":")[2]
    data = _bytes_of(log, file)
    target = log.field(f"{file}:{inner}" if file else inner)
    # A log without a format has no known checksums.
    seals_of_format = plugin_for(log.format).sweep.seals if log.format else ()
    seals = [seal for seal in seals_of_format if generic(inner) == seal.unit]
    if not seals:
        units = ", ".join(seal.unit for seal in seals_of_format) or "none"
        raise BadOperation(f"no checksum covers {inner}: expected one of {units}")
    for lo, hi, new in (seal.edit(bytes(data), target, log.fields_of(file)) for seal in seals):
        data[lo:hi] = new
    log.did("reseal")


def _remove(log: LogToDamage, file: str) -> None:
    _bytes_of(log, file)
    log.remove_file(file)


def _rename(log: LogToDamage, file: str, new: str) -> None:
    _bytes_of(log, file)
    if new in log.files or new.startswith("/") or ".." in new.split("/"):
        raise BadOperation(f"expected an unused name inside the log, found {new}")
    log.rename_file(file, new)


def _bytes_of(log: LogToDamage, file: str) -> bytearray:
    if file not in log.files:
        if not file:
            raise BadOperation(f"expected 'in FILE': {', '.join(sorted(log.files)[:3])}")
        names = ", ".join(sorted(name for name in log.files if name)[:5]) or "a log of one file"
        raise BadOperation(f"no file {file}: expected {names}")
    return log.files[file]


def _byte_order(log: LogToDamage, file: str) -> str:
    """Return the byte order of the numbers in a file: ``little`` or ``big``."""
    votes = {"little": 0, "big": 0}
    for field in log.each_field(file):
        raw = bytes(log.files[file][field.start : field.end])
        if isinstance(field.value, int) and not isinstance(field.value, bool) and len(raw) > 1:
            for order in votes:
                wide = 1 << 8 * len(raw)
                votes[order] += int.from_bytes(raw, order) == field.value % wide  # type: ignore[arg-type]
    return "big" if votes["big"] > votes["little"] else "little"


def _file(path: str) -> str:
    return path.rpartition(":")[0]


def _hex(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise BadOperation(
            f"expected bytes in hexadecimal, as in '0a ff', found {text!r}"
        ) from None


#: Names of the groups in ``_OPERATIONS`` that are numbers.
_NUMBERS = frozenset({"bit", "at", "number", "sector", "count", "keep"})

_FILE = r"(?: in (?P<file>\S+))?"
_PATH = r"(?P<path>\S+)"
_HEX = r"(?P<new>(?:[0-9a-f]{2} ?)+)"
_OPERATIONS: Sequence[tuple[str, re.Pattern[str], Callable[..., None]]] = [
    (form, re.compile(pattern), act)
    for form, pattern, act in (
        ("flip bit N of byte OFFSET [in FILE]",
         rf"flip bit (?P<bit>\d+) of byte (?P<at>\d+){_FILE}", _flip_byte),
        ("flip bit N of FIELD", rf"flip bit (?P<bit>\d+) of {_PATH}", _flip),
        ("set FIELD to VALUE", rf"set {_PATH} to (?P<value>.+)", _set),
        ("zero sector N of SIZE bytes [in FILE]",
         rf"zero sector (?P<number>\d+) of (?P<sector>\d+) bytes{_FILE}", _zero_sector),
        ("zero FIELD", rf"zero {_PATH}", lambda log, path: log.zero(path)),
        ("fill FIELD with HEX", rf"fill {_PATH} with (?P<byte>[0-9a-f]{{2}})",
         lambda log, path, byte: log.fill(path, int(byte, 16))),
        ("truncate at OFFSET [in FILE]", rf"truncate at (?P<at>\d+){_FILE}", _truncate),
        ("truncate N bytes into FIELD", rf"truncate (?P<keep>\d+) bytes into {_PATH}",
         lambda log, keep, path: log.truncate_in(path, keep)),
        ("duplicate FIELD", rf"duplicate {_PATH}", lambda log, path: log.duplicate(path)),
        ("drop FIELD", rf"drop {_PATH}", lambda log, path: log.drop(path)),
        ("insert HEX at OFFSET [in FILE]", rf"insert {_HEX} at (?P<at>\d+){_FILE}", _insert),
        ("extend by N zero bytes [in FILE]",
         rf"extend by (?P<count>\d+) zero bytes?{_FILE}", _extend_by_zeros),
        ("extend by HEX [in FILE]", rf"extend by {_HEX}{_FILE}", _extend),
        ("reseal FIELD", rf"reseal {_PATH}(?: of (?P<file>\S+))?", _reseal),
        ("remove FILE", r"remove (?P<file>\S+)", _remove),
        ("rename FILE to NAME", r"rename (?P<file>\S+) to (?P<new>\S+)", _rename),
    )
]  # fmt: skip
