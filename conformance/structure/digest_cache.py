"""Cache the digests of field listings in ``.build``."""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

_ENTRY = re.compile(r"(.+) = (\d+) ([0-9a-f]{64})")


class DigestCache:
    """Store digests of field listings in a file, so that logs need not be parsed again."""

    def __init__(self, folder: Path, name: str, sources: Sequence[Path]) -> None:
        digest = hashlib.sha256(name.encode())
        for path in sources:
            digest.update(hashlib.sha256(path.read_bytes()).digest())
        self.path = folder / f"{digest.hexdigest()[:32]}.txt"
        lines = self.path.read_text("utf-8", "replace").splitlines() if self.path.exists() else []
        # The last line may be incomplete if a run was killed.
        entries = (_ENTRY.fullmatch(line) for line in lines)
        self._digests = {entry[1]: (int(entry[2]), entry[3]) for entry in entries if entry}

    def get(self, key: str) -> tuple[int, str] | None:
        """Return the number of fields and the SHA-256 of a listing."""
        return self._digests.get(key)

    def put(self, key: str, fields: int, sha256: str) -> None:
        """Store a digest."""
        self._digests[key] = (fields, sha256)
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab", buffering=0) as file:  # one write per line
                file.write(f"{key} = {fields} {sha256}\n".encode())
