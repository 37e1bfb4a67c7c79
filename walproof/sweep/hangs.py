"""What a program was found not to answer in time: it is not asked the like again and again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

MANY, FAR_TOO_MANY = 25, 50
"""Time-outs of a program in one worker after which every kind counts that was seen to hang a few
times, and after which it is asked nothing more."""

Kind = tuple[str, ...]
"""A program, and what some cases have in common, in words."""


class Hangs:
    """The kinds of cases on which programs hang: learned by one worker, and told to others.

    A kind is an operation on a field, a control, or the verdict and reason that are owed. It is
    learned when it hung some times, and in a good part of the cases in which it was asked.
    """

    def __init__(self) -> None:
        self.learned: set[Kind] = set()
        self._hung: Counter[Kind] = Counter()
        self._answered: Counter[Kind] = Counter()

    def saw(self, program: str, operation: str, field: str, control: str, owed: str) -> None:
        """Note a time-out. ``owed`` is verdict and reason of the log, as a text."""
        everything = (program, "anything")
        self._hung[everything] += 1
        if self._hung[everything] >= FAR_TOO_MANY:
            self.learned.add(everything)
        kinds = _kinds(program, operation, field, control, owed)
        for kind, (enough, part) in zip(kinds, _ENOUGH, strict=True):
            self._hung[kind] += 1
            hung = self._hung[kind]
            often = hung >= part * (hung + self._answered[kind])
            if hung >= enough and (often or self._hung[everything] >= MANY or hung > 2 * enough):
                self.learned.add(kind)

    def answered(self, program: str, operation: str, field: str, control: str, owed: str) -> None:
        """Note an answer in time; only of a program that hung before."""
        if self._hung[program, "anything"]:
            self._answered.update(_kinds(program, operation, field, control, owed))

    def expects(
        self, program: str, operation: str, field: str, control: str, owed: str
    ) -> str | None:
        """Why a time-out must be expected; None if there is no reason."""
        if not self.learned:
            return None
        if (program, "anything") in self.learned:
            return "anything"
        for kind in _kinds(program, operation, field, control, owed):
            if kind in self.learned:
                return kind[1]
        return None

    def told(self, kinds: Iterable[Kind]) -> None:
        """Take over what others have learned."""
        self.learned.update(map(tuple, kinds))


_ENOUGH = ((3, 0.2), (6, 0.25), (6, 0.25))
"""Of each kind: the least number of time-outs, and their least part of the cases asked."""


def _kinds(program: str, operation: str, field: str, control: str, owed: str) -> Iterator[Kind]:
    """The kinds that a case belongs to. Pairs have no field, and count as one kind."""
    yield (program, f"{operation} of {field}" if field else operation)
    yield (program, f"what is made of {control}")
    yield (program, f"logs that are {owed}")
