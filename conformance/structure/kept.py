"""Digests of listings that are owed, kept between runs: to parse every log again takes longest.

They are kept in ``.build/structure/``, in a file named after a hash of all that a listing comes
from, but for the log, which is in each line. Nothing stale is ever used.
"""

from __future__ import annotations

import functools
import hashlib
import re
import sys
from importlib.metadata import version
from pathlib import Path

from conformance import BUILD
from conformance.kept_lines import keep_line, read_lines

LARGEST = 16 << 20
"""Bytes of a file; a larger one is begun anew, since fresh variants come once and never again."""

_LINE = re.compile(r"([0-9a-f]{64} [a-z0-9_]+ [01][01]) ([0-9]+) ([0-9a-f]{64})")
Found = tuple[int, str]
"""Number of lines of a listing, and their SHA-256."""


class Kept:
    """The digests of one state of the code and of one grammar."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._found: dict[str, Found] = {}
        for line in read_lines(path):
            if match := _LINE.fullmatch(line):
                self._found[match[1]] = (int(match[2]), match[3])

    def get(self, key: str) -> Found | None:
        """What was kept under a key."""
        return self._found.get(key)

    def keep(self, key: str, fields: int, sha256: str) -> None:
        """Keep a digest, here and on disk; a disk that cannot is no fault."""
        self._found[key] = (fields, sha256)
        keep_line(self.path, f"{key} {fields} {sha256}", LARGEST)


def key_of(data: bytes, grammar: str, absent: bool, unknown_enums: bool) -> str:
    """What a listing depends on besides the code: the log, and what a language can tell."""
    return f"{hashlib.sha256(data).hexdigest()} {grammar} {int(absent)}{int(unknown_enums)}"


@functools.cache
def kept_of(parser: str, *code: Path) -> Kept:
    """The digests that this code makes with a parser, whose folder's name is ``parser``."""
    digest = hashlib.sha256(f"{parser} {sys.version} {version('kaitaistruct')}".encode())
    for path in code:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return Kept(BUILD / "structure" / f"{digest.hexdigest()[:32]}.txt")
