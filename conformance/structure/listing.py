"""Compute the canonical listing of a parsed log, and the expected listing.

A listing has one line for each field, in the order of the grammar. Instances follow the fields of
their object::

  blocks[0].records[0].header - 0 { 21
  blocks[0].records[0].header.checksum 0 i 3456789
  blocks[0].records[0].data 7 b 5 616c706861

A line contains the path, the offset in the file, the kind and the value. The kinds are:

* ``i``: an integer, a boolean (0, 1) or the number of an enum member, as 64-bit two's complement
* ``b``: the length and the bytes in hexadecimal, with texts as UTF-8. If there are more than 32
  bytes, the start of their SHA-256 replaces them.
* ``f``: the bits of a double
* ``{``: an object and the size of its stream
* ``[``: an array and its length
* ``-``: a missing field
* ``!``: an instance that cannot be computed
* ``?``: an instance that may be missing, in a language that cannot represent missing values

The listing of a log that the parser refuses is the line ``!``.

Each driver computes offsets from the sizes of the fields. The offset is ``-`` for instances, and
after a field whose value does not determine its length in the file.
"""

from __future__ import annotations

import functools
import hashlib
import struct
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from kaitaistruct import BytesIO, KaitaiStream, KaitaiStruct

from conformance import BUILD, GRAMMARS, kaitai
from conformance.kaitai.compile import compiled, parser_folder
from conformance.kaitai.model import Field, Model
from conformance.structure.digest_cache import DigestCache

SHORT = 32
_MASK = (1 << 64) - 1


@dataclass(frozen=True)
class Tells:
    """The distinctions that the parsers of a language can make."""

    #: True if the parsers distinguish a field that its ``if`` leaves out from a field that is 0 or
    #: empty.
    absent: bool = True
    #: True if the parsers keep the number of an enum value that the grammar does not define.
    unknown_enums: bool = True

    @classmethod
    def of(cls, reports: Iterable[str]) -> Tells:
        """Return the distinctions from the ``reports`` of a hello."""
        return cls("absent" in reports, "unknown-enums" in reports)


@dataclass(frozen=True)
class Digest:
    """The digest of a listing: number of lines, and SHA-256 of the newline-terminated lines."""

    fields: int
    sha256: str


def digest(lines: Iterable[str]) -> Digest:
    """Return the digest of a listing."""
    sha256 = hashlib.sha256()
    count = 0
    for line in lines:
        sha256.update(line.encode() + b"\n")
        count += 1
    return Digest(count, sha256.hexdigest())


@functools.lru_cache(maxsize=32)
def _digests(grammar: str, grammars: Path) -> DigestCache:
    folder = Path(kaitai.__file__).parent
    sources = [Path(__file__), *sorted(folder.glob("*.py")), *sorted(folder.glob("*.mjs"))]
    parser = parser_folder(grammar, True, grammars).name
    name = f"{parser} {sys.version} {version('kaitaistruct')}"
    return DigestCache(BUILD / "structure", name, sources)


@functools.lru_cache(maxsize=16384)
def expected_digest(data: bytes, grammar: str, tells: Tells, grammars: Path = GRAMMARS) -> Digest:
    """Return the digest of the expected listing of a log."""
    digests = _digests(grammar, grammars)
    key = f"{hashlib.sha256(data).hexdigest()} {grammar} {tells}"
    if (cached := digests.get(key)) is not None:
        return Digest(*cached)
    result = digest(listing(data, grammar, tells, grammars))
    digests.put(key, result.fields, result.sha256)
    return result


def listing(
    data: bytes, grammar: str, tells: Tells | None = None, grammars: Path = GRAMMARS
) -> list[str]:
    """Return the expected field listing of a log, with offsets checked by the Python parser."""
    model = _model(grammar, grammars)
    parser = getattr(compiled(grammar, debug=True, grammars=grammars), model.top)
    top = parser(KaitaiStream(BytesIO(data)))
    try:
        top._read()
    except Exception:  # a parser may refuse data with any exception, even UnicodeDecodeError
        return ["!"]
    return list(ListingWalk(model, tells or Tells(), debug=True).lines(top))


@functools.lru_cache(maxsize=32)
def _model(grammar: str, grammars: Path) -> Model:
    return Model(grammar, grammars)


class ListingWalk:
    """Lists the objects of a Python parser. If ``debug`` is true, offsets are checked."""

    def __init__(self, model: Model, tells: Tells, debug: bool = False) -> None:
        self.model = model
        self.tells = tells
        self.debug = debug

    def lines(self, top: Any) -> Iterator[str]:
        """Yield the listing of a whole log."""
        yield from self._object(top, "", 0, 0)[0]

    def _object(self, parent: Any, path: str, base: int, at: int | None) -> _Listed:
        """Return the lines of an object whose stream starts at ``base``, read from ``at`` on."""
        lines: list[str] = []
        for field in self.model.fields[type(parent).__qualname__]:
            name = f"{path}.{field.id}" if path else field.id
            if field.instance:
                lines += self._instance(parent, field, name)
                continue
            at = self._field(lines, parent, field, name, base, at)
        return lines, at

    def _field(
        self, lines: list[str], parent: Any, field: Field, name: str, base: int, at: int | None
    ) -> int | None:
        spans: dict[str, Any] | None = parent._debug.get(field.id) if self.debug else None
        value = getattr(parent, field.id, None)
        if field.array:
            if value is None and self.tells.absent:
                lines.append(f"{name} {_at(at)} -")
                return at
            lines.append(f"{name} {_at(at)} [ {len(value or ())}")
            for i, element in enumerate(value or ()):
                start = base + spans["arr"][i]["start"] if spans else None
                at = self._value(lines, element, field, f"{name}[{i}]", parent, base, at, start)
            return at
        start = base + spans["start"] if spans and value is not None else None
        return self._value(lines, value, field, name, parent, base, at, start)

    def _value(
        self,
        lines: list[str],
        value: Any,
        field: Field,
        name: str,
        parent: Any,
        base: int,
        at: int | None,
        start: int | None,
    ) -> int | None:
        if at is not None and start is not None and at != start:
            raise AssertionError(f"{name}: offset {at} by its fields, {start} by the parser")
        if value is None:
            return self._absent(lines, field, name, at)
        if isinstance(value, KaitaiStruct):
            has_stream = value._io is not parent._io
            lines.append(f"{name} {_at(at)} {{ {value._io.size()}")
            inner, after = self._object(value, name, (start or at or 0) if has_stream else base, at)
            lines += inner
            return _plus(at, value._io.size()) if has_stream else after
        lines.append(f"{name} {_at(at)} {self._scalar(value, field)}")
        return self._after(field, value, at)

    def _absent(self, lines: list[str], field: Field, name: str, at: int | None) -> int | None:
        if field.kind == "enum" and not self.tells.unknown_enums:
            lines.append(f"{name} {_at(at)} i ?")
            return None
        lines.append(f"{name} {_at(at)} {default_of(field) if not self.tells.absent else '-'}")
        return at if self.tells.absent or _empty_when_absent(field) else None

    def _after(self, field: Field, value: Any, at: int | None) -> int | None:
        """Return the offset after a scalar, or None if it is unknown."""
        if field.optional and not field.array:
            if not self.tells.absent and not _empty_when_absent(field):
                return None
            if field.kind == "enum" and not self.tells.unknown_enums and _unknown(value):
                return None
        if field.width is not None:
            return _plus(at, field.width)
        if field.by_length or (field.default_bytes and isinstance(value, bytes)):
            return _plus(at, len(value))
        return None

    def _scalar(self, value: Any, field: Field) -> str:
        if field.kind == "enum" and not self.tells.unknown_enums and _unknown(value):
            return "i ?"
        return scalar(value)

    def _instance(self, parent: Any, field: Field, name: str) -> list[str]:
        if field.kind == "value" and field.optional and not self.tells.absent:
            return [f"{name} - ?"]
        try:
            value = getattr(parent, field.id)
        except Exception:  # as in other languages, any exception means that there is no value
            return [f"{name} - !"]
        lines: list[str] = []
        if value is None:
            self._absent(lines, field, name, None)
        elif isinstance(value, list):
            lines.append(f"{name} - [ {len(value)}")
            for i, element in enumerate(value):
                self._value(lines, element, field, f"{name}[{i}]", parent, 0, None, None)
        else:
            self._value(lines, value, field, name, parent, 0, None, None)
        return lines


_Listed = tuple[list[str], int | None]


def scalar(value: Any) -> str:
    """Return the kind and value of a field without subfields."""
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, bool | int):
        wrapped = int(value) & _MASK
        return f"i {wrapped - (1 << 64) if wrapped >> 63 else wrapped}"
    if isinstance(value, float):
        return f"f {struct.pack('>d', value).hex()}"
    if isinstance(value, str):
        value = value.encode()
    if len(value) <= SHORT:
        return f"b {len(value)} {value.hex()}"
    return f"b {len(value)} sha256:{hashlib.sha256(value).hexdigest()[:16]}"


def default_of(field: Field) -> str:
    """Return the value of an absent field in a language that cannot represent absence."""
    if field.array:
        return "[ 0"
    default: Literal["i 0", "f 0000000000000000", "b 0 ", "-"] = "-"
    if field.kind in ("int", "enum") or field.scalars_only:
        default = "i 0"
    elif field.kind == "float":
        default = "f 0000000000000000"
    elif field.kind in ("bytes", "str"):
        default = "b 0 "
    return default


def _empty_when_absent(field: Field) -> bool:
    return field.array or field.kind in ("bytes", "str", "struct") or (
        field.kind == "switch" and not field.scalars_only
    )  # fmt: skip


def _unknown(value: Any) -> bool:
    return not isinstance(value, Enum)


def _at(at: int | None) -> str:
    return "-" if at is None else str(at)


def _plus(at: int | None, size: int) -> int | None:
    return None if at is None else at + size
