"""The table of damage operations, and the interpreter that applies them to a log."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from conformance.contents import Contents, by_name
from conformance.damage.checksums import units_of, without_indices
from conformance.kaitai.field_map import Field, ParseStopped, iter_fields, resolve

#: An operation is a JSON object with ``op``, a target and arguments.
Operation = Mapping[str, Any]

#: Maximum number of bytes that one operation may add to a log.
MAX_ADDED_BYTES = 1 << 30


class BadOperation(ValueError):
    """Raised for an unknown operation, or an operation that is impossible on the log."""


class Edit(NamedTuple):
    """A replacement of bytes in one file, or the removal of a file."""

    file: str
    at: int = 0
    remove: int = 0
    insert: bytes = b""
    delete: bool = False

    def to_json(self, insert: Any = None) -> dict[str, Any]:
        """Return the edit as JSON. ``insert`` replaces the hexadecimal digits, e.g. by parts."""
        if self.delete:
            return {"file": self.file, "delete": True}
        new = self.insert.hex() if insert is None else insert
        return {"file": self.file, "at": self.at, "remove": self.remove, "insert": new}


def apply_edits(files: dict[str, bytearray], edits: Sequence[Edit]) -> None:
    """Apply edits to files, in order. A file that does not exist is empty."""
    for edit in edits:
        if edit.delete:
            del files[edit.file]
        else:
            data = files.setdefault(edit.file, bytearray())
            data[edit.at : edit.at + edit.remove] = edit.insert


class DamagedLog:
    """A log to which operations are applied.

    The target of an operation is a field of the *undamaged* log, or a byte offset. After an
    operation that changes the length, only operations on bytes before it may follow.
    ``contents_of`` returns the log of a vector, from which operations copy bytes.
    """

    def __init__(
        self,
        contents: Contents,
        format: str,
        name: str = "",
        contents_of: Callable[[str], Contents] = lambda id: {},
    ) -> None:
        self.undamaged = by_name(contents)
        self.files = {file: bytearray(data) for file, data in self.undamaged.items()}
        self.format = format
        self.file_name = name
        self._contents_of = contents_of
        self._last: tuple[str, str, Field] | None = None

    @property
    def contents(self) -> Contents:
        """Return the damaged log: bytes, or bytes by file name."""
        if list(self.files) == [""]:
            return bytes(self.files[""])
        return {name: bytes(data) for name, data in self.files.items()}

    def apply(self, operation: Operation) -> Sequence[Edit]:
        """Apply one operation and return its edits. Raises :class:`BadOperation`."""
        arguments = {name: value for name, value in operation.items() if name != "op"}
        form = OPERATIONS.get(operation["op"])
        if form is None:
            raise BadOperation(f"unknown operation {operation['op']!r}")
        try:
            edits = form.edits(self, **arguments)
        except BadOperation:
            raise
        except (TypeError, KeyError, ValueError, IndexError) as error:
            raise BadOperation(str(error.args[0] if error.args else error)) from error
        if sum(len(edit.insert) - edit.remove for edit in edits) > MAX_ADDED_BYTES:
            raise BadOperation(f"expected at most {MAX_ADDED_BYTES} more bytes")
        apply_edits(self.files, edits)
        return edits

    def fields_of(self, file: str) -> Iterator[Field]:
        """Yield the undamaged log's fields in a file, up to the point where the file is invalid."""
        if file not in self.undamaged:
            raise BadOperation(self._no_file(file))
        with contextlib.suppress(ParseStopped):
            yield from iter_fields(self.undamaged[file], self.format, file or self.file_name)

    def field(self, path: str, file: str = "") -> Field:
        """Return a field of the undamaged log. Raises ``KeyError`` with similar paths."""
        # The last field is cached, because an operation looks it up several times, and each lookup
        # parses the file.
        if self._last is None or self._last[:2] != (path, file):
            self._last = path, file, resolve(lambda: self.fields_of(file), path)
        return self._last[2]

    def bytes_of(self, file: str) -> bytearray:
        """Return the current bytes of a file. Raises :class:`BadOperation`."""
        if file not in self.files:
            raise BadOperation(self._no_file(file))
        return self.files[file]

    def _no_file(self, file: str) -> str:
        names = ", ".join(sorted(filter(None, self.files))[:5]) or "a log of one file"
        return f"no file {file}: expected {names}"

    def bytes_from(self, source: Any) -> bytes:
        """Return the bytes that an argument describes: hexadecimal digits, or a list of parts.

        A part is hexadecimal, or bytes that are repeated up to a size
        (``{"fill": "00", "size": 4096}``), or a range of a vector's log
        (``{"copy": "leveldb-log/one-record", "file": "", "at": 0, "size": 12}``). An empty id
        stands for the undamaged log itself.
        """
        if isinstance(source, str):
            return bytes.fromhex(source)
        return b"".join(self._part(part) for part in source)

    def _part(self, part: Any) -> bytes:
        if isinstance(part, str):
            return bytes.fromhex(part)
        if "fill" in part:
            if part["size"] > MAX_ADDED_BYTES:
                raise BadOperation(f"expected at most {MAX_ADDED_BYTES} bytes")
            fill, size = bytes.fromhex(part["fill"]), int(part["size"])
            return (fill * -(-size // len(fill)))[:size]
        files = by_name(self._contents_of(part["copy"])) if part["copy"] else self.undamaged
        at = part["at"]
        return bytes(files[part.get("file", "")][at : at + part["size"]])


def is_big_endian(log: DamagedLog, file: str) -> bool:
    """Return whether most numbers in a file are big-endian."""
    votes = 0
    for field in log.fields_of(file):
        raw = log.undamaged[file][field.start : field.end]
        if isinstance(field.value, int) and not isinstance(field.value, bool) and len(raw) > 1:
            value = field.value % (1 << 8 * len(raw))
            votes += (int.from_bytes(raw, "big") == value) - (
                int.from_bytes(raw, "little") == value
            )
    return votes > 0


# -- operations ------------------------------------------------------------------------------------


def _flip(log: DamagedLog, bit: int, path: str = "", at: int = 0, file: str = "") -> list[Edit]:
    data = log.bytes_of(file)
    bits, where = 8, f"byte {at}"
    if path:
        field = log.field(path, file)
        at, bits, where = field.start, 8 * (field.end - field.start), path
    elif not data:
        raise BadOperation("expected a byte to flip, found an empty file")
    if bit >= bits:
        raise BadOperation(f"{where}: expected bit 0 to {bits - 1}, found {bit}")
    at += bit // 8
    if at >= len(data):
        raise BadOperation(f"expected a bit of byte 0 to {len(data) - 1}, found {at}")
    return [Edit(file, at, 1, bytes([data[at] ^ 1 << bit % 8]))]


def _set(
    log: DamagedLog, path: str, value: int | str, file: str = "", order: str = ""
) -> list[Edit]:
    field = log.field(path, file)
    size = field.end - field.start
    if isinstance(value, str):
        new = bytes.fromhex(value)
        if len(new) != size:
            raise BadOperation(f"{path}: expected {size} bytes, found {len(new)}")
        return [Edit(file, field.start, size, new)]
    number = value + (1 << 8 * size) * (value < 0)
    if not 0 <= number < 1 << 8 * size:
        raise BadOperation(f"{path}: {value} does not fit into {size} bytes")
    is_big = order == "big" if order or size == 1 else is_big_endian(log, file)
    return [Edit(file, field.start, size, number.to_bytes(size, "big" if is_big else "little"))]


def _replaced(log: DamagedLog, path: str, file: str, new: Callable[[int], bytes]) -> list[Edit]:
    """Replace a field with bytes that may depend on its length."""
    field, size = log.field(path, file), len(log.bytes_of(file))
    if field.start > size:
        raise BadOperation(f"{path}: expected bytes up to {field.start}, found {size}")
    length = field.end - field.start
    return [Edit(file, field.start, length, new(length))]


def _zero(log: DamagedLog, path: str, file: str = "") -> list[Edit]:
    return _replaced(log, path, file, lambda length: b"\0" * length)


def _fill(log: DamagedLog, path: str, byte: str, file: str = "") -> list[Edit]:
    return _replaced(log, path, file, lambda length: bytes.fromhex(byte) * length)


def _drop(log: DamagedLog, path: str = "", at: int = 0, end: int = 0, file: str = "") -> list[Edit]:
    if path:
        return _replaced(log, path, file, lambda length: b"")
    size = len(log.bytes_of(file))
    if not at <= end <= size:
        raise BadOperation(f"expected a range up to {size}, found [{at}, {end})")
    return [Edit(file, at, end - at)]


def _splice(log: DamagedLog, path: str, bytes: Any, file: str = "") -> list[Edit]:
    new = log.bytes_from(bytes)
    return _replaced(log, path, file, lambda length: new)


def _duplicate(log: DamagedLog, path: str, file: str = "") -> list[Edit]:
    field = log.field(path, file)
    return [Edit(file, field.end, 0, bytes(log.undamaged[file][field.start : field.end]))]


def _truncate(
    log: DamagedLog, at: int = 0, path: str = "", keep: int = 0, file: str = ""
) -> list[Edit]:
    size = len(log.bytes_of(file))
    if path:
        at = log.field(path, file).start + keep
    if at > size:
        raise BadOperation(f"expected an offset up to {size}, found {at}")
    return [Edit(file, at, size - at)]


def _torn(log: DamagedLog, sector: int, file: str = "") -> list[Edit]:
    size = len(log.bytes_of(file))
    at = (size - 1) // sector * sector
    return [Edit(file, at, size - at)]


def _zero_sector(log: DamagedLog, number: int, sector: int, file: str = "") -> list[Edit]:
    size = len(log.bytes_of(file))
    count = -(-size // sector) if sector else 0
    if number >= count:
        raise BadOperation(f"expected a sector below {count} (of {sector} bytes), found {number}")
    at = number * sector
    length = min(sector, size - at)
    return [Edit(file, at, length, bytes(length))]


def _swap_sectors(
    log: DamagedLog, first: int, second: int, sector: int, file: str = ""
) -> list[Edit]:
    data = log.bytes_of(file)
    parts = [bytes(data[n * sector : (n + 1) * sector]) for n in (first, second)]
    if not all(len(part) == sector > 0 for part in parts):
        raise BadOperation(f"expected whole sectors of {sector} bytes below {len(data)}")
    return [
        Edit(file, first * sector, sector, parts[1]),
        Edit(file, second * sector, sector, parts[0]),
    ]


def _stale(log: DamagedLog, at: int, end: int, bytes: Any, file: str = "") -> list[Edit]:
    size = len(log.bytes_of(file))
    return [Edit(file, at, min(end, size) - at, log.bytes_from(bytes))]


def _insert(log: DamagedLog, at: int, bytes: Any, file: str = "") -> list[Edit]:
    size = len(log.bytes_of(file))
    if at > size:
        raise BadOperation(f"expected an offset up to {size}, found {at}")
    return [Edit(file, at, 0, log.bytes_from(bytes))]


def _write(log: DamagedLog, at: int, bytes: Any, file: str = "") -> list[Edit]:
    (edit,) = _insert(log, at, bytes, file)
    return [edit._replace(remove=min(len(edit.insert), len(log.bytes_of(file)) - at))]


def _extend(log: DamagedLog, bytes: Any, file: str = "") -> list[Edit]:
    return [Edit(file, len(log.bytes_of(file)), 0, log.bytes_from(bytes))]


def _reseal(log: DamagedLog, path: str, file: str = "") -> list[Edit]:
    data, field = log.bytes_of(file), log.field(path, file)
    units = units_of(log.format)
    of_field = [unit for unit in units if unit.path == without_indices(field.path)]
    if not of_field:
        expected = ", ".join(unit.path for unit in units) or "none"
        raise BadOperation(f"no checksum covers {path}: expected one of {expected}")
    try:
        at, new = of_field[0].checksum(bytes(data), field, list(log.fields_of(file)))
    except ValueError as error:
        raise BadOperation(f"{path}: {error}") from None
    return [Edit(file, at, len(new), new)]


def _remove_file(log: DamagedLog, file: str) -> list[Edit]:
    log.bytes_of(file)
    return [Edit(file, delete=True)]


def _add_file(log: DamagedLog, file: str, bytes: Any) -> list[Edit]:
    return [Edit(file, 0, len(log.files.get(file, b"")), log.bytes_from(bytes))]


def _rename_file(log: DamagedLog, file: str, name: str) -> list[Edit]:
    data = bytes(log.bytes_of(file))
    if name.startswith("/") or ".." in name.split("/"):
        raise BadOperation(f"expected a name inside the log, found {name}")
    return [Edit(file, delete=True), Edit(name, 0, len(log.files.get(name, b"")), data)]


def _swap_files(log: DamagedLog, file: str, other: str) -> list[Edit]:
    one, two = bytes(log.bytes_of(file)), bytes(log.bytes_of(other))
    return [Edit(file, 0, len(one), two), Edit(other, 0, len(two), one)]


class OperationForm(NamedTuple):
    """An operation: the function that returns its edits, its effect, and its text forms."""

    edits: Callable[..., list[Edit]]
    effect: str
    texts: tuple[str, ...]


#: The forms of all operations, by name. In a text, braces enclose arguments, and ``{path}``
#: includes the file. In a log of several files, texts for operations on bytes that have no
#: ``{path}`` end with ``in FILE``.
OPERATIONS: Mapping[str, OperationForm] = {
    "flip": OperationForm(_flip, "flips one bit of a field or a byte",
        ("flip bit {bit} of byte {at}", "flip bit {bit} of {path}")),
    "set": OperationForm(_set, "gives a field another value", ("set {path} to {value}",)),
    "zero-sector": OperationForm(_zero_sector, "sets a whole sector to zeros",
        ("zero sector {number} of {sector} bytes",)),
    "zero": OperationForm(_zero, "sets all bytes of a field to zero", ("zero {path}",)),
    "fill": OperationForm(_fill, "sets all bytes of a field to one value",
        ("fill {path} with {byte}",)),
    "truncate": OperationForm(_truncate,
        "cuts the log at an offset, or a number of bytes into a field",
        ("truncate at {at}", "truncate {keep} bytes into {path}")),
    "torn": OperationForm(_torn,
        "cuts the log at the last boundary of a sector of 512 or 4096 bytes",
        ("torn at the last boundary of {sector} bytes",)),
    "swap-sectors": OperationForm(_swap_sectors,
        "swaps two sectors, as after two misdirected writes",
        ("swap sectors {first} and {second} of {sector} bytes",)),
    "stale": OperationForm(_stale,
        "replaces a range by the bytes of an older generation of the file, as after a lost write",
        ("stale bytes in [{at}, {end}): {bytes}",)),
    "duplicate": OperationForm(_duplicate, "writes a field twice; later bytes move down",
        ("duplicate {path}",)),
    "drop": OperationForm(_drop, "removes a field or a range; later bytes move up",
        ("drop [{at}, {end})", "drop {path}")),
    "splice": OperationForm(_splice, "replaces a field by bytes of another log",
        ("splice {bytes} over {path}",)),
    "insert": OperationForm(_insert, "inserts bytes at an offset; later bytes move down",
        ("insert {bytes} at {at}",)),
    "write": OperationForm(_write, "overwrites bytes at an offset", ("write {bytes} at {at}",)),
    "extend": OperationForm(_extend, "appends bytes after the end of the log",
        ("extend by {bytes}",)),
    "reseal": OperationForm(_reseal, "corrects the checksum that covers a field",
        ("reseal {path}",)),
    "swap-files": OperationForm(_swap_files, "swaps the contents of two files",
        ("swap {file} and {other}",)),
    "add-file": OperationForm(_add_file, "adds a file", ("add {file}: {bytes}",)),
    "remove-file": OperationForm(_remove_file, "removes a file", ("remove {file}",)),
    "rename-file": OperationForm(_rename_file, "renames a file", ("rename {file} to {name}",)),
}  # fmt: skip
