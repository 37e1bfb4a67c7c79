"""The damage operations as methods, for recipes. Each method also records its operation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from conformance.contents import Contents
from conformance.damage.difference import operations_between
from conformance.damage.operations import DamagedLog, Edit, Operation, is_big_endian
from conformance.damage.text import parse
from conformance.kaitai.field_map import Field, field_map, resolve


class RecipeError(Exception):
    """An inconsistent recipe, or one that the executable specification contradicts."""


class AppliedOperation(NamedTuple):
    """An operation and its edits."""

    operation: Operation
    edits: Sequence[Edit]


class Damage(DamagedLog):
    """A control and the damage operations on it.

    A recipe may also change ``data`` or ``files`` itself. Such changes become operations on bytes.
    In a multi-file log, a path is ``FILE:PATH``.
    """

    def __init__(self, control: Contents, format: str) -> None:
        super().__init__(control, format)
        self._applied: list[AppliedOperation] = []
        self._recorded = dict(self.undamaged)
        self._fields: dict[str, list[Field]] = {}

    @property
    def applied(self) -> list[AppliedOperation]:
        """Return the operations in order."""
        self._record_changes()
        return self._applied

    def _record_changes(self) -> None:
        """Record an operation for each change that a recipe made to ``data`` or ``files``
        directly."""
        changed, self.files = self.files, {k: bytearray(v) for k, v in self._recorded.items()}
        for operation in operations_between(self._recorded, changed):
            self._apply(operation)
        assert self.files == changed, "the operations give other files"
        self.files = changed

    def _apply(self, operation: Operation) -> None:
        if "file" in operation and not operation["file"] and operation["op"] not in _OF_FILES:
            operation = {name: value for name, value in operation.items() if name != "file"}
        edits = super().apply(operation)
        self._applied.append(AppliedOperation(operation, edits))
        self._recorded = {file: bytes(data) for file, data in self.files.items()}

    @property
    def data(self) -> bytearray:
        """Return the bytes of a log that is one file."""
        return self.files[""]

    @data.setter
    def data(self, data: bytearray) -> None:
        self.files[""] = data

    def fields_of(self, file: str = "") -> list[Field]:  # type: ignore[override]
        """Return the fields of a control file, as its grammar finds them. Raises ``KeyError``."""
        if file not in self._fields:
            self._fields[file] = field_map(self.undamaged[file], self.format)
        return self._fields[file]

    def field(self, path: str, file: str = "") -> Field:
        """Return the field of the control with this path, or with this path in a file.

        Raises ``KeyError`` with similar names.
        """
        name, _, inner = path.rpartition(":")
        return resolve(lambda: self.fields_of(file or name), inner)

    def _damage(self, operation: Operation) -> None:
        file, _, path = operation.get("path", "").rpartition(":")
        if path:
            operation = {**operation, "path": path, **({"file": file} if file else {})}
        self._record_changes()
        self._apply(operation)

    def operate(self, text: str) -> None:
        """Apply the operation that a text describes, as in ``walproof damage``."""
        operation = parse(text)
        if "bytes" in operation:
            operation = {**operation, "bytes": self.bytes_from(operation["bytes"]).hex()}
        self._damage(operation)

    def flip(self, path: str, bit: int) -> None:
        """Flip one bit of a field. Bit 0 is the lowest bit of its first byte."""
        self._damage({"op": "flip", "path": path, "bit": bit})

    def flip_byte(self, at: int, bit: int, file: str = "") -> None:
        """Flip one bit of a byte that no field contains."""
        self._damage({"op": "flip", "at": at, "bit": bit, "file": file})

    def set(self, path: str, value: int | bytes, byteorder: str = "little") -> None:
        """Set a field to a number in the given byte order, or to bytes of the field's length."""
        if isinstance(value, bytes):
            self._damage({"op": "set", "path": path, "value": value.hex()})
            return
        operation: Operation = {"op": "set", "path": path, "value": value}
        field, file = self.field(path), path.rpartition(":")[0]
        if field.end - field.start > 1 and (byteorder == "big") != is_big_endian(self, file):
            operation = {**operation, "order": byteorder}
        self._damage(operation)

    def zero(self, path: str) -> None:
        """Set every byte of a field to zero."""
        self._damage({"op": "zero", "path": path})

    def fill(self, path: str, byte: int) -> None:
        """Set every byte of a field to one value."""
        self._damage({"op": "fill", "path": path, "byte": f"{byte:02x}"})

    def truncate(self, at: int, file: str = "") -> None:
        """Cut the log at an offset."""
        self._damage({"op": "truncate", "at": at, "file": file})

    def truncate_in(self, path: str, keep: int) -> None:
        """Cut the log inside a field, ``keep`` bytes after its start."""
        self._damage({"op": "truncate", "path": path, "keep": keep})

    def torn(self, sector: int, file: str = "") -> None:
        """Cut the log at its last sector boundary."""
        self._damage({"op": "torn", "sector": sector, "file": file})

    def zero_sector(self, number: int, sector: int = 512, file: str = "") -> None:
        """Zero a sector, as if it had never been written."""
        self._damage({"op": "zero-sector", "number": number, "sector": sector, "file": file})

    def swap_sectors(self, first: int, second: int, sector: int = 512, file: str = "") -> None:
        """Swap two whole sectors, like two misdirected writes."""
        sectors = {"first": first, "second": second, "sector": sector}
        self._damage({"op": "swap-sectors", **sectors, "file": file})

    def stale(self, start: int, end: int, older: bytes, file: str = "") -> None:
        """Restore bytes from an older generation of the file, as after a lost write."""
        part = {"at": start, "end": end, "bytes": older[start:end].hex()}
        self._damage({"op": "stale", **part, "file": file})

    def duplicate(self, path: str) -> None:
        """Write a field twice, one copy after the other."""
        self._damage({"op": "duplicate", "path": path})

    def drop(self, path: str) -> None:
        """Remove a field. The bytes after it move up."""
        self._damage({"op": "drop", "path": path})

    def splice(self, path: str, other: bytes) -> None:
        """Replace a field with bytes from another log, of any length."""
        self._damage({"op": "splice", "path": path, "bytes": other.hex()})

    def insert(self, at: int, new: bytes, file: str = "") -> None:
        """Insert bytes at an offset. The bytes after it move down."""
        self._damage({"op": "insert", "at": at, "bytes": new.hex(), "file": file})

    def overwrite(self, at: int, new: bytes, file: str = "") -> None:
        """Overwrite bytes at an offset, across field boundaries."""
        self._damage({"op": "write", "at": at, "bytes": new.hex(), "file": file})

    def extend(self, new: bytes, file: str = "") -> None:
        """Append bytes after the end of the log."""
        self._damage({"op": "extend", "bytes": new.hex(), "file": file})

    def reseal(self, path: str) -> None:
        """Correct the checksum that covers a field, after the field was changed."""
        self._damage({"op": "reseal", "path": path})

    def remove_file(self, name: str) -> None:
        """Remove a file of the log."""
        self._damage({"op": "remove-file", "file": name})

    def add_file(self, name: str, new: bytes) -> None:
        """Add a file."""
        self._damage({"op": "add-file", "file": name, "bytes": new.hex()})

    def rename_file(self, old: str, new: str) -> None:
        """Rename a file."""
        self._damage({"op": "rename-file", "file": old, "name": new})

    def swap_files(self, first: str, second: str) -> None:
        """Swap the names of two files."""
        self._damage({"op": "swap-files", "file": first, "other": second})


#: These operations change whole files, so they always have the argument ``file``.
_OF_FILES = frozenset({"add-file", "remove-file", "rename-file", "swap-files"})
