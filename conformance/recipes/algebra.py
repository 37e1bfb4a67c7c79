"""The damage algebra (spec/conventions.md): named operations on named fields of a control.

The names and offsets of the fields come from the Kaitai parser in debug mode.
"""

from __future__ import annotations

from conformance.contents import Contents
from conformance.kaitai.field_map import Field, field_map, resolve


class Damage:
    """A control and the damage operations on it, which ``operations`` lists.

    The target of an operation is a field path of the *control* or a byte offset in ``file``. In a
    log of several files, a path is ``FILE:PATH``. After an operation that changes the length, only
    operations on bytes before it may follow.
    """

    def __init__(self, control: Contents, format: str) -> None:
        self._control = {"": control} if isinstance(control, bytes) else dict(control)
        self.files = {name: bytearray(data) for name, data in self._control.items()}
        self.format = format
        self.operations: list[str] = []
        self._fields: dict[str, list[Field]] = {}

    @property
    def data(self) -> bytearray:
        """Return the bytes of a log of one file."""
        return self.files[""]

    @data.setter
    def data(self, data: bytearray) -> None:
        self.files[""] = data

    @property
    def contents(self) -> Contents:
        """Return the damaged log: bytes, or bytes by file name."""
        if list(self.files) == [""]:
            return bytes(self.data)
        return {name: bytes(data) for name, data in self.files.items()}

    def field(self, path: str) -> Field:
        """Return the field of the control with this path.

        Raises ``KeyError`` with similar names.
        """
        name, _, inner = path.rpartition(":")
        return resolve(lambda: self.fields_of(name), inner)

    def fields_of(self, file: str = "") -> list[Field]:
        """Return the fields of a file of the control, by its grammar. Raises ``KeyError``."""
        if file not in self._fields:
            self._fields[file] = self._mapped(self._control[file], file)
        return self._fields[file]

    def _mapped(self, data: bytes, file: str) -> list[Field]:
        return field_map(data, self.format)

    def _at(self, path: str) -> tuple[bytearray, Field]:
        return self.files[path.rpartition(":")[0]], self.field(path)

    def flip(self, path: str, bit: int) -> None:
        """Flip one bit of a field; bit 0 is the lowest bit of its first byte."""
        data, field = self._at(path)
        data[field.start + bit // 8] ^= 1 << bit % 8
        self._did(f"flip bit {bit} of {path}")

    def flip_byte(self, at: int, bit: int, file: str = "") -> None:
        """Flip one bit of a byte that no field contains."""
        self.files[file][at] ^= 1 << bit
        self._did(f"flip bit {bit} of byte {at}{_in(file)}")

    def set(self, path: str, value: int | bytes, byteorder: str = "little") -> None:
        """Set a field to a number, in the byte order given, or to bytes of the field's length."""
        data, field = self._at(path)
        if isinstance(value, int):
            shown = str(value)
            value = value.to_bytes(field.end - field.start, byteorder)  # type: ignore[arg-type]
        else:
            shown = value.hex(" ")
        if len(value) != field.end - field.start:
            raise ValueError(f"{path}: expected {field.end - field.start} bytes, got {len(value)}")
        data[field.start : field.end] = value
        self._did(f"set {path} to {shown}")

    def zero(self, path: str) -> None:
        """Set every byte of a field to zero."""
        data, field = self._at(path)
        data[field.start : field.end] = bytes(field.end - field.start)
        self._did(f"zero {path}")

    def fill(self, path: str, byte: int) -> None:
        """Set every byte of a field to one value."""
        data, field = self._at(path)
        data[field.start : field.end] = bytes([byte]) * (field.end - field.start)
        self._did(f"fill {path} with {byte:02x}")

    def truncate(self, at: int, file: str = "") -> None:
        """Cut the log at an offset."""
        del self.files[file][at:]
        self._did(f"truncate at {at}{_in(file)}")

    def truncate_in(self, path: str, keep: int) -> None:
        """Cut the log inside a field, ``keep`` bytes after its start."""
        data, field = self._at(path)
        del data[field.start + keep :]
        self._did(f"truncate {keep} bytes into {path}")

    def torn(self, sector: int, file: str = "") -> None:
        """Cut the log at its last sector boundary."""
        data = self.files[file]
        del data[(len(data) - 1) // sector * sector :]
        self._did(f"torn at the last boundary of {sector} bytes{_in(file)}")

    def zero_sector(self, number: int, sector: int = 512, file: str = "") -> None:
        """Zero a sector, as if it had never been written."""
        data, start = self.files[file], number * sector
        end = min(start + sector, len(data))
        data[start:end] = bytes(end - start)
        self._did(f"zero sector {number} of {sector} bytes{_in(file)}")

    def swap_sectors(self, first: int, second: int, sector: int = 512, file: str = "") -> None:
        """Swap two whole sectors, like two misdirected writes."""
        data = self.files[file]
        a, b = (
            slice(first * sector, (first + 1) * sector),
            slice(second * sector, (second + 1) * sector),
        )
        data[a], data[b] = data[b], data[a]
        self._did(f"swap sectors {first} and {second} of {sector} bytes{_in(file)}")

    def stale(self, start: int, end: int, older: bytes, file: str = "") -> None:
        """Restore bytes of an older generation of the file, as after a lost write."""
        self.files[file][start:end] = older[start:end]
        self._did(f"stale bytes in [{start}, {end}){_in(file)}")

    def duplicate(self, path: str) -> None:
        """Write a field twice, one copy after the other."""
        data, field = self._at(path)
        data[field.end : field.end] = self._control[path.rpartition(":")[0]][
            field.start : field.end
        ]
        self._did(f"duplicate {path}")

    def drop(self, path: str) -> None:
        """Remove a field. The bytes after it move up."""
        data, field = self._at(path)
        del data[field.start : field.end]
        self._did(f"drop {path}")

    def splice(self, path: str, other: bytes, what: str) -> None:
        """Replace a field by bytes of another log, of any length."""
        data, field = self._at(path)
        data[field.start : field.end] = other
        self._did(f"splice {what} over {path}")

    def insert(self, at: int, new: bytes, what: str | None = None, file: str = "") -> None:
        """Insert bytes at an offset. The bytes after it move down."""
        self.files[file][at:at] = new
        self._did(f"insert {what or new.hex(' ')} at {at}{_in(file)}")

    def extend(self, new: bytes, what: str, file: str = "") -> None:
        """Append bytes after the end of the log."""
        self.files[file] += new
        self._did(f"extend by {what}{_in(file)}")

    def remove_file(self, name: str) -> None:
        """Remove a file of the log."""
        del self.files[name]
        self._did(f"remove {name}")

    def add_file(self, name: str, new: bytes, what: str) -> None:
        """Add a file."""
        self.files[name] = bytearray(new)
        self._did(f"add {name}: {what}")

    def rename_file(self, old: str, new: str) -> None:
        """Rename a file."""
        self.files[new] = self.files.pop(old)
        self._did(f"rename {old} to {new}")

    def swap_files(self, first: str, second: str) -> None:
        """Swap the names of two files."""
        self.files[first], self.files[second] = self.files[second], self.files[first]
        self._did(f"swap {first} and {second}")

    def did(self, text: str) -> None:
        """Record an operation that a recipe made on ``data`` itself."""
        self._did(text)

    def _did(self, text: str) -> None:
        self.operations.append(text)


def _in(file: str) -> str:
    return f" in {file}" if file else ""
