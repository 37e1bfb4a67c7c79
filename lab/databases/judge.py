"""What an opened database means for whoever owns it: survived, lost, invented, and whether it says.

What must survive is what the executable specification finds in the damaged log, decoded to items. A
word is an error that the caller gets, or a line in what the system writes for people that it does
not write, but for numbers, when it opens the undamaged log.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.contents import Contents, write_contents
from lab.databases.model import Case, Due, databases_of
from lab.databases.opening import Opened, shape
from reference_impl.answer import Answer, collect
from reference_impl.formats import named

ENDS = {"refused": "cannot be opened", "refused-again": "**opened once, and then no more**"}


@dataclass(frozen=True)
class Judgement:
    """What came of one opening; the numbers are items.

    ``returned`` of those ``written`` came back. ``lost`` could have been read and did not come
    back, ``gone`` nobody can read any more, ``beyond`` came back although nothing proves them,
    ``stale`` are of an older log, or were done with, and nothing tells, ``invented`` nobody ever
    wrote there and a checksum would have told. ``forgotten`` came back, and not when the system was
    opened again. ``word`` is the first one that it had for the damage.
    """

    end: str
    written: int
    returned: int = 0
    lost: int = 0
    gone: int = 0
    beyond: int = 0
    stale: int = 0
    invented: int = 0
    forgotten: int = 0
    word: str | None = None

    @property
    def is_silent(self) -> bool:
        """Whether something is missing, or wrong, and nobody is told."""
        return self.end == "opened" and self.word is None and bool(
            self.lost or self.gone or self.invented
        )  # fmt: skip

    @property
    def is_as_expected(self) -> bool:
        """Whether all that can be read came back, and nothing else, and it said what is gone."""
        wrong = self.lost or self.invented or self.forgotten
        return self.end == "opened" and not wrong and not self.is_silent

    @property
    def effect(self) -> str:
        """In words, the worst thing last."""
        if self.end != "opened":
            return ENDS.get(self.end, self.end)
        missing = self.lost + self.gone
        heard = "with a word" if self.word else "in silence"
        words = f"{self.returned} of {self.written}"
        if missing:
            words += f", {missing} lost {heard if self.word else f'**{heard}**'}"
            words += f", {self.lost} of them readable" if self.lost else ""
        for number, what in (
            (self.stale, "{} stale and nothing tells"),
            (self.beyond, "{} unproven"),
            (self.invented, f"**{{}} invented {heard}**"),
            (self.forgotten, "**{} gone after a restart**"),
        ):
            words += f", {what.format(number)}" if number else ""
        return words

    def to_json(self) -> dict[str, Any]:
        """Without what is zero; the words make a page that people can read the difference of."""
        numbers = {
            name: value
            for name, value in vars(self).items()
            if value not in (0, None) or name in ("written", "returned")
        }
        return {"effect": self.effect, **numbers}

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Judgement:
        """The opposite of :meth:`to_json`."""
        return cls(**{name: value for name, value in body.items() if name != "effect"})


def due(format_id: str, case: Case) -> Due:
    """What was written, and what the executable specification still finds of it."""
    databases = databases_of(format_id)
    assert databases is not None, format_id
    written = _answer(format_id, case, case.control)
    left = _answer(format_id, case, case.log)
    return Due(
        databases.items(written, case.context),
        databases.items(left, case.context),
        str(left.verdict),
    )


def _answer(format_id: str, case: Case, log: Contents) -> Answer:
    with tempfile.TemporaryDirectory(prefix="walproof-databases-") as scratch:
        path = Path(scratch, case.name or "log")
        write_contents(log, path)
        return collect(named(format_id).read(path, "recover", case.context))


def compare_with_due(opened: Opened, due: Due, usual: Iterable[str]) -> Judgement:
    """Compare what a system returned with what is due.

    ``usual`` is what it says when it opens the undamaged log in the same mode.
    """
    if opened.end != "opened":
        return Judgement(opened.end, len(due.written), word=opened.why)
    found = frozenset(opened.items)
    known = {shape(line) for line in usual}
    word = next((line for line in opened.said if shape(line) not in known), None)
    later = frozenset(opened.later)
    # A name that came back with a wrong value is not missing besides.
    changed = {name for name, _ in found - due.written}
    missing = {(name, value) for name, value in due.written - found if name not in changed}
    return Judgement(
        opened.end,
        len(due.written),
        returned=len(found & due.written),
        lost=len(due.left & missing),
        gone=len(due.gone & missing),
        beyond=len(found & due.written - due.left),
        stale=len(found & due.left - due.written),
        invented=len(found - due.written - due.left),
        forgotten=len(found - later) if opened.is_asked_again else 0,
        word=word,
    )
