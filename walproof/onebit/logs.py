"""The logs whose bits are flipped, and which of their bits."""

from __future__ import annotations

import fnmatch
import functools
import hashlib
import json
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from conformance.contents import Contents, by_name, digest, read_contents
from conformance.kaitai.grammars import grammar_of
from conformance.vectors import Vector
from reference_impl.formats import named
from reference_impl.register import registers
from walproof.onebit.effect import records_of
from walproof.sweep import shares
from walproof.sweep.controls import Control
from walproof.sweep.fields import fields_of
from walproof.sweep.formats import kind

AT_MOST = 4096
"""Flips of one log, unless told otherwise: every bit of one of 512 bytes."""

MANY, LARGE = 256, 64 << 10
"""A log of more records, or of more bytes, has an eighth of the flips, since each takes long."""

_REPEATED = re.compile(r"(\b\w+\[\]\.)\1+")


class NotIntact(ValueError):
    """A log that is damaged already: what one more bit does to it shows nothing."""


class Flip(NamedTuple):
    """Bit ``bit`` of the byte at ``at`` in a file; the file is "" in a log of one file."""

    file: str
    at: int
    bit: int


@dataclass(frozen=True)
class Searched:
    """An undamaged log and the bits of it that are flipped, ``at_most`` of them.

    Of a log with more bits, half the flips are of structure and half of content, each evenly among
    all there are; what one of them leaves unused the other has. A flip has a number, structure
    first.
    """

    control: Control
    at_most: int = AT_MOST

    @property
    def id(self) -> str:
        """What the log is called."""
        return self.control.id

    @property
    def count(self) -> int:
        """How many flips there are."""
        return sum(self._shares)

    @property
    def bits(self) -> int:
        """How many bits the log has."""
        return 8 * self.control.size

    def flip(self, number: int) -> Flip:
        """The flip of a number."""
        kind = number >= self._shares[0]
        files, starts, offsets = self._bytes[kind]
        bit = shares.spread(number - kind * self._shares[0], 8 * starts[-1], 0)
        n = bisect_right(starts, bit >> 3) - 1
        return Flip(files[n], offsets[n][(bit >> 3) - starts[n]], bit & 7)

    @functools.cached_property
    def _bytes(self) -> tuple[_Bytes, _Bytes]:
        """The bytes of structure and of content: files, where each starts, offsets in it."""
        found = []
        for which in ("structural", "content"):
            offsets = {name: getattr(of, which) for name, of in self.control.fields.items()}
            names = [name for name in offsets if offsets[name]]
            starts = [0, *accumulate(len(offsets[name]) for name in names)]
            found.append((names, starts, [offsets[name] for name in names]))
        return found[0], found[1]

    @functools.cached_property
    def _shares(self) -> list[int]:
        """How many flips of structure and of content there are."""
        most = [8 * starts[-1] for _, starts, _ in self._bytes]
        return shares.shared(self.at_most, most, (1.0, 1.0))

    def field(self, flip: Flip) -> str:
        """The generic name of the field that is hit, after the kind of its file if there are more
        kinds than one: ``snapshot: header.index``. What stands in its like is named once:
        ``elements[].first`` for ``elements[].elements[].first``."""
        name = _REPEATED.sub(r"\1", self.control.fields[flip.file].name_at(flip.at))
        told = self._kinds[flip.file]
        return f"{told}: {name}" if told else name

    def path(self, flip: Flip) -> str:
        """The field that is hit, in its file."""
        found = self.control.fields[flip.file].at(flip.at)
        path = found.path if found else f"byte {flip.at}"
        return f"{flip.file}:{path}" if flip.file else path

    @functools.cached_property
    def _kinds(self) -> Mapping[str, str]:
        grammars = [one.name for one in registers()[self.control.format].grammars]
        if len(grammars) == 1:
            return dict.fromkeys(self.control.files, "")
        return {
            file: grammar_of(self.control.format, data[:4], file or self.control.name).rpartition(
                "_"
            )[2]
            for file, data in self.control.files.items()
        }


_Bytes = tuple[list[str], list[int], list[Sequence[int]]]


def choose(
    vectors: Mapping[str, Vector],
    format: str,
    patterns: Sequence[str] = (),
    at_most: int = AT_MOST,
) -> list[Searched]:
    """The logs of the vectors of a format that are intact and that nobody damaged, smallest first.

    Of equal logs that are read with the same context, the first by id; none whose context selects
    among the records, since the answer is then not all that the log holds. Patterns choose by id.
    """
    seen: set[tuple[str, str, str]] = set()
    found = []
    for vector in vectors.values():
        body = vector.body
        context = dict(body.get("context", {}))
        if (
            body["format"] != format
            or body["operation"] not in ("read", "truncations")
            or vector.control is not None
            or vector.damage
            or body["size"] == 0
            or body["expect"]["verdict"] != "intact"
            or any(key in context for key in kind(format).selecting)
            or not _wanted(vector.id, patterns)
        ):
            continue
        same = (str(body["sha256"]), repr(sorted(context.items())), vector.input.suffix)
        if same not in seen:
            seen.add(same)
            records = len(body["expect"]["records"])
            found.append(
                searched(
                    vector.id, format, vector.contents, vector.input.name, context, records, at_most
                )
            )
    return sorted(found, key=lambda one: (one.control.size, one.id))


def _wanted(id: str, patterns: Sequence[str]) -> bool:
    names = (id, id.partition("/")[2])
    return not patterns or any(fnmatch.fnmatchcase(n, p) for p in patterns for n in names)


def from_path(
    path: Path, format: str, context: Mapping[str, Any], at_most: int = AT_MOST
) -> Searched:
    """The log at a path. Raises :class:`NotIntact`, ``OSError``."""
    records = records_of(named(format).read(path, "recover", context))
    if records is None:
        raise NotIntact(f"{path}: expected an intact log; walproof read tells what is wrong")
    return searched(
        str(path), format, read_contents(path), path.name, context, len(records), at_most
    )


def searched(
    id: str,
    format: str,
    contents: Contents,
    name: str,
    context: Mapping[str, Any],
    records: int,
    at_most: int = AT_MOST,
) -> Searched:
    """A log that is intact, and which of its bits are flipped."""
    files = by_name(contents)
    if records > MANY or sum(map(len, files.values())) > LARGE:
        at_most //= 8
    fields = {file: fields_of(data, format, file or name) for file, data in files.items()}
    return Searched(Control(id, format, contents, name, context, (), fields), at_most)


def fingerprint(log: Searched) -> str:
    """What tells a log from another one of its name: of its bytes and its context."""
    told = json.dumps([digest(log.control.contents), dict(log.control.context)], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()[:16]
