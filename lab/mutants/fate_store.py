"""Fates that are kept between runs: a hunt that was stopped goes on where it was.

They are in ``.build/mutants/``, in a file named after a hash of the code, of the vectors and of how
they are asked; a line each. Nothing stale is ever used.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from conformance import BUILD, VECTORS
from conformance.cache import append_line, read_lines
from lab.mutants.hunt import Fate
from lab.mutants.sites import Mutant, Name
from reference_impl.places import PACKAGES

_CODE = ("conformance", "lab/mutants", "reference_impl")


class Kept:
    """The fates of one state of a format's code and vectors."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._found: dict[Name, dict[str, Any]] = {}
        for line in read_lines(path):
            with contextlib.suppress(ValueError, KeyError, TypeError):  # of one that was cut
                told = json.loads(line)
                self._found[Name(**told.pop("name"))] = told

    def fates(self, mutants: Iterable[Mutant]) -> dict[Name, Fate]:
        """Those of these mutants that are known."""
        return {
            one.name: Fate(one, told["killer"], told["how"], frozenset(told["only"]), told["asked"])
            for one in mutants
            if (told := self._found.get(one.name)) is not None
        }

    def keep(self, fate: Fate) -> None:
        """Keep a fate on disk; a disk that cannot is no fault."""
        told = {
            "name": vars(fate.mutant.name),
            "killer": fate.killer,
            "how": fate.how,
            "only": sorted(fate.only),
            "asked": fate.asked,
        }
        append_line(self.path, json.dumps(told))


def kept_of(format_id: str, common: bool) -> Kept:
    """The fates that this code and these vectors give."""
    digest = hashlib.sha256(f"{format_id} {common}".encode())
    sources = [path for name in _CODE for path in sorted((PACKAGES / name).rglob("*.py"))]
    for path in [*sources, *sorted(VECTORS.rglob("*.json"))]:
        digest.update(f"{path.name} ".encode() + hashlib.sha256(path.read_bytes()).digest())
    return Kept(BUILD / "mutants" / f"{format_id}-{digest.hexdigest()[:32]}.jsonl")
