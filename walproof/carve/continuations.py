"""Which find continues which: proven by the record that was cut in two, never guessed.

A file system puts the parts of a file wherever there is room, so a log breaks off inside a record,
at the end of a sector. Where the rest of that record lies before another find, both parts together
have the checksum that its header names: 32 bits say that the second find continues the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from walproof.carve.base import Carver
from walproof.carve.image import SECTOR, Image

TO_HASH = 1 << 30
"""Bytes that are put together and hashed at most, in all."""
TO_ASK = 100_000
"""Pairs of a log and of what is loose that are compared by their keys at most."""
SECTORS = 16
"""Where a record was cut before it says how long it is: so many sectors are tried for its rest."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A find, as far as this needs to know."""

    format: str
    at: int
    end: int
    kind: str
    goes_on: bool


@dataclass(frozen=True, slots=True)
class Joined:
    """A log in several places of the image: parts ``[at, end)``, and the finds that they are of.

    ``pieces`` are in the order of the log; each continues the one before it.
    """

    pieces: tuple[Piece, ...]
    parts: tuple[tuple[int, int], ...]


def joined(image: Image, carvers: Mapping[str, Carver], pieces: Sequence[Piece]) -> list[Joined]:
    """The logs that go on elsewhere. A find continues at most one other."""
    found: list[Joined] = []
    left = [TO_HASH]
    for name, carver in carvers.items():
        own = sorted((one for one in pieces if one.format == name), key=lambda one: one.at)
        starts = {one.at: one for one in own}
        by_place: dict[int, list[Piece]] = {}
        for one in own:
            by_place.setdefault(one.at % SECTOR, []).append(one)
        taken: set[int] = set()
        for log in own:
            if log.kind != "log" or log.goes_on or log.at in taken:
                continue
            made = _Join(image, carver, log)
            while made.extend(by_place, taken, left):
                last = made.pieces[-1]
                following = starts.get(last.end)
                if following is not None and following.goes_on:
                    made.add(following)
            if len(made.pieces) > 1:
                taken.update(one.at for one in made.pieces[1:])
                found.append(Joined(tuple(made.pieces), tuple(made.parts)))
    return found


def keyed(carvers: Mapping[str, Carver], pieces: Sequence[Piece]) -> dict[tuple[str, int], int]:
    """What is loose and was made with the key of one log: format and place, and where that log is.

    If several logs have the key, as copies do, nothing tells of which one it is.
    """
    found: dict[tuple[str, int], int] = {}
    asked = 0
    for name, carver in carvers.items():
        logs = [one.at for one in pieces if one.format == name and one.kind == "log"]
        for one in pieces:
            if one.format != name or one.kind != "loose" or asked > TO_ASK:
                continue
            asked += len(logs)
            of = [log for log in logs if carver.is_of(log, one.at, one.end)]
            if len(of) == 1:
                found[name, one.at] = of[0]
    return found


class _Join:
    """A log and what was found of it elsewhere."""

    def __init__(self, image: Image, carver: Carver, log: Piece) -> None:
        self.image = image
        self.carver = carver
        self.pieces = [log]
        self.parts = [(log.at, log.end)]

    def add(self, piece: Piece) -> None:
        """A find that begins where the last one ends."""
        self.pieces.append(piece)
        self.parts[-1] = (self.parts[-1][0], piece.end)

    def extend(
        self, by_place: Mapping[int, Sequence[Piece]], taken: set[int], left: list[int]
    ) -> bool:
        """Look for the find before which the rest of the last record is."""
        begin, end = self.parts[-1]
        position = sum(stop - start for start, stop in self.parts)
        in_place = self.carver.claims(self.image.read(end, self.carver.head_size), position)
        wholes = [(end, in_place)] if in_place is not None else []
        for cut, other, rest in self._divisions(by_place, wholes):
            if other.at in taken or other in self.pieces:
                continue
            size = cut - end + other.at - rest
            left[0] -= max(size, SECTOR)
            if left[0] < 0:
                return False
            record = self.image.read(end, cut - end) + self.image.read(rest, other.at - rest)
            head = record[: self.carver.head_size]
            if self.carver.claims(head, position) == size and self.carver.holds(record):
                self.parts[-1] = (begin, cut)
                self.parts.append((rest, other.end))
                self.pieces.append(other)
                return True
        return False

    def _divisions(
        self, by_place: Mapping[int, Sequence[Piece]], wholes: Sequence[tuple[int, int]]
    ) -> Iterator[tuple[int, Piece, int]]:
        """Where a record may have been cut, and the find before which the rest would begin, where.

        If the record says how long it is before it was cut, few places fit. If it was cut earlier,
        its rest is short or begins in one of the sectors just before the find.
        """
        end = self.parts[-1][1]
        for _, size in wholes:
            candidates = by_place.get((end + size) % SECTOR, ())
            for other in sorted(candidates, key=lambda one: (one.at < end, abs(one.at - end))):
                for cut in range(end - end % SECTOR + SECTOR, end + size, SECTOR):
                    rest = other.at - (size - (cut - end))
                    if rest >= 0 and rest != cut:
                        yield cut, other, rest
        cut = end - end % SECTOR + SECTOR
        if cut - end < self.carver.head_size:
            for others in by_place.values():
                for other in others:
                    first = other.at - other.at % SECTOR
                    for rest in range(first, max(first - SECTORS * SECTOR, -1), -SECTOR):
                        if rest not in (cut, other.at):
                            yield cut, other, rest
