"""Requests that are sent ahead of replies: which, and on which scratch copies.

Requests that stand beside each other and read the same log share a copy of it: a reader leaves a
log as it was, and nothing beside it. Where one did not, whoever came after is asked again alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.cases import CHANGED_BY_READING, Case, Judgement, Step, unchanged
from conformance.scratch import Scratch

Numbered = tuple[int, Case]
"""A case and its place among all cases."""


@dataclass(frozen=True)
class Asked:
    """A request of a case that has no other, and the copy that it is about.

    ``first`` and ``last`` say whether it is the first and the last one about this copy.
    """

    number: int
    case: Case
    step: Step
    place: Path
    request: dict[str, Any]
    first: bool
    last: bool

    @property
    def shared(self) -> bool:
        """Whether other requests are about this copy."""
        return not (self.first and self.last)

    def in_doubt(self, judgement: Judgement | None, alone_there: bool, listed: bool) -> bool:
        """Whether others that share its copy may have done what came of it.

        ``alone_there`` says whether nothing was found beside the copy in the end, ``listed``
        whether just this failure is known.
        """
        if not self.shared:
            return False
        if judgement is not None and judgement.effect == CHANGED_BY_READING:
            return True
        if judgement is not None and judgement.difference is not None and not listed:
            return True
        return not alone_there and not self.first


def placed(several: Sequence[Numbered], scratch: Scratch, seq: int, share: bool) -> list[Asked]:
    """The requests of cases with one step each, numbered from ``seq``, with copies in place.

    ``share`` says whether several may have one.
    """
    steps = [case.only_step for _, case in several]
    same = [
        share and n > 0 and _alike(several[n - 1][1], several[n][1]) for n in range(len(several))
    ]
    asked: list[Asked] = []
    for n, (number, case) in enumerate(several):
        step = steps[n]
        assert step is not None
        if same[n]:
            place = asked[-1].place
        else:
            place = scratch.place(case.vector.neutral_name)
            step.prepare(place)
        last = n + 1 == len(several) or not same[n + 1]
        request = step.request(case, place, seq + n)
        asked.append(Asked(number, case, step, place, request, not same[n], last))
    return asked


def is_as_it_was(one: Asked) -> bool:
    """Whether the copy that a request is about is still the log of its vector."""
    return unchanged(one.case.vector.contents, one.place)


def _alike(one: Case, other: Case) -> bool:
    """Whether two cases with one step read the same log under the same name."""
    return one.vector is other.vector
