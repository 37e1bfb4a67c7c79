"""Known failures of the matrix, recognised by how they look."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from conformance import known_failures
from conformance.registry import Implementation
from conformance.vectors import Vector
from walproof.sweep.judge import Signature, coarse

Look = tuple[frozenset[str], str, str]
"""What the sentences say without their numbers, and the verdict and reason that were owed."""


class Known:
    """The causes behind the known failures of one implementation, by how they look.

    A finding looks like a known failure when the same is wrong with the answer to a log of the
    same verdict and reason. That is not proof of the same cause, and the summary says so.
    """

    def __init__(
        self, implementation: Implementation, vectors: Mapping[str, Vector], format: str
    ) -> None:
        listed = known_failures.load(implementation.known_failures)
        self.causes = listed.causes
        self._by_look: defaultdict[Look, Counter[str]] = defaultdict(Counter)
        for entry in listed.entries.values():
            vector = vectors.get(entry.vector)
            if vector is None or vector.body["format"] != format or entry.profile != "recover":
                continue
            expect = vector.body["expect"]
            look = (coarse(entry.difference), expect["verdict"], expect["reason"] or "")
            self._by_look[look][entry.cause] += 1

    def cause_of(self, signature: Signature, text: str) -> tuple[str, str] | None:
        """Name and sentence of the cause that a finding looks like; the commonest of several."""
        look = (coarse(text), signature.verdict, signature.reason)
        if not look[0] or not self._by_look.get(look):
            return None
        ((name, _),) = self._by_look[look].most_common(1)
        return name, self.causes[name]
