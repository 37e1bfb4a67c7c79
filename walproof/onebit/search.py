"""One stretch of flips: each is read, and those that nothing tells are kept."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from conformance.contents import write_contents
from reference_impl.answer import Record
from reference_impl.formats import named
from walproof.onebit.effect import effect, records_of
from walproof.onebit.logs import MANY, Flip, Searched
from walproof.scan import answers, has_kernel


class Disagreement(Exception):
    """The readers of the project do not agree about a flip, or one raised: a defect of ours."""


@dataclass(frozen=True)
class UnseenFlip:
    """A flip that nothing tells: what was hit, and what became of the records."""

    flip: Flip
    field: str
    path: str
    effect: str


@dataclass
class Stretch:
    """What a stretch of flips of one log showed. ``tried`` counts the flips by field."""

    log: str
    tried: Counter[str] = field(default_factory=Counter)
    unseen: list[UnseenFlip] = field(default_factory=list)


class Search:
    """A log laid out in a scratch folder, whose bits are flipped where it lies.

    ``folder`` is empty and in memory, best; it is removed on leaving.
    """

    def __init__(self, log: Searched, folder: Path) -> None:
        self.log = log
        control = log.control
        self.context = control.context
        self.format = named(control.format)
        self.folder = folder
        self.place = folder / control.name
        write_contents(control.contents, self.place)
        self._files = {
            name: os.open(self.place / name if name else self.place, os.O_RDWR)
            for name in control.files
        }
        owed = self._read("recover")
        if owed is None:
            raise Disagreement(f"{log.id}: expected an intact log")
        self.owed = owed
        self.scans = has_kernel(control.format) and len(owed) > MANY

    def __enter__(self) -> Search:
        return self

    def __exit__(self, *error: object) -> None:
        for file in self._files.values():
            os.close(file)
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, numbers: Iterable[int]) -> Stretch:
        """Try the flips of these numbers. Raises :class:`Disagreement`."""
        found = Stretch(self.log.id)
        for number in numbers:
            flip = self.log.flip(number)
            name = self.log.field(flip)
            found.tried[name] += 1
            did = self.unseen(flip)
            if did is not None:
                found.unseen.append(UnseenFlip(flip, name, self.log.path(flip), did))
        return found

    def unseen(self, flip: Flip) -> str | None:
        """What a flip did to the records if the log is `intact` after it; None if nothing.

        Where the scanner says that something was done, and always, the executable specification
        says what; in both profiles, which cannot differ for an intact log.
        """
        data = self.log.control.files[flip.file]
        self._put(flip, data[flip.at] ^ 1 << flip.bit)
        try:
            if self.scans and self._unchanged_by_scanner():
                return None
            records = self._read("recover")
            if records is None:
                if self.scans:
                    raise Disagreement("the scanner says intact, the executable specification not")
                return None
            did = effect(self.owed, records)
            if did is not None and self._read("strict") != records:
                raise Disagreement("another answer in the profile strict")
            return did
        except Exception as error:
            raise Disagreement(f"{self.log.id}: {flip}: {type(error).__name__}: {error}") from error
        finally:
            self._put(flip, data[flip.at])

    def _read(self, profile: str) -> list[Record] | None:
        return records_of(self.format.read(self.place, profile, self.context))

    def _unchanged_by_scanner(self) -> bool:
        """Whether the scanner tells of damage, or finds all records as they were."""
        records = records_of(answers.read(self.format.id, self.place, self.context))
        return records is None or records == self.owed

    def _put(self, flip: Flip, value: int) -> None:
        os.pwrite(self._files[flip.file], bytes([value]), flip.at)
