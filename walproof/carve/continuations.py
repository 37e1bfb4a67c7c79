"""Join the parts of fragmented logs, confirmed by the checksum of the record at the boundary.

A file system may store a file in several fragments, which divides the log at the end of a sector,
inside a record. If the rest of this record is found before another find, both parts of the record
together match the checksum in its header. This confirms that the second find continues the first
one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from walproof.carve.base import Carver
from walproof.carve.image import SECTOR, Image

#: Maximum total bytes that are joined and hashed.
MAX_HASHED_BYTES = 1 << 30
#: Maximum number of pairs of a log and a loose find whose keys are compared.
MAX_KEY_COMPARISONS = 100_000
#: Number of sectors that are tried for the rest of a record that was cut before its length.
SECTORS = 16


@dataclass(frozen=True, slots=True)
class Piece:
    """The properties of a find that matter for joining."""

    format: str
    at: int
    end: int
    kind: str
    goes_on: bool


@dataclass(frozen=True, slots=True)
class Joined:
    """A fragmented log: its parts ``[at, end)``, and the finds that contain them.

    ``pieces`` are in log order. Each piece continues the previous one.
    """

    pieces: tuple[Piece, ...]
    parts: tuple[tuple[int, int], ...]


def joined(image: Image, carvers: Mapping[str, Carver], pieces: Sequence[Piece]) -> list[Joined]:
    """Return the fragmented logs. A find continues at most one other."""
    logs: list[Joined] = []
    budget = [MAX_HASHED_BYTES]
    for name, carver in carvers.items():
        pieces_of_format = sorted(
            (piece for piece in pieces if piece.format == name), key=lambda piece: piece.at
        )
        starts = {piece.at: piece for piece in pieces_of_format}
        by_phase: dict[int, list[Piece]] = {}
        for piece in pieces_of_format:
            by_phase.setdefault(piece.at % SECTOR, []).append(piece)
        used: set[int] = set()
        for log in pieces_of_format:
            if log.kind != "log" or log.goes_on or log.at in used:
                continue
            join = _Join(image, carver, log)
            while join.extend(by_phase, used, budget):
                last = join.pieces[-1]
                following = starts.get(last.end)
                if following is not None and following.goes_on:
                    join.add(following)
            if len(join.pieces) > 1:
                used.update(piece.at for piece in join.pieces[1:])
                logs.append(Joined(tuple(join.pieces), tuple(join.parts)))
    return logs


def keyed(carvers: Mapping[str, Carver], pieces: Sequence[Piece]) -> dict[tuple[str, int], int]:
    """Map the format and offset of loose finds to the offset of the log with the same key.

    If several logs have the key of a find, for example because they are copies, the find is left
    out.
    """
    owners: dict[tuple[str, int], int] = {}
    comparisons = 0
    for name, carver in carvers.items():
        logs = [piece.at for piece in pieces if piece.format == name and piece.kind == "log"]
        for piece in pieces:
            if piece.format != name or piece.kind != "loose" or comparisons > MAX_KEY_COMPARISONS:
                continue
            comparisons += len(logs)
            of = [log for log in logs if carver.is_of(log, piece.at, piece.end)]
            if len(of) == 1:
                owners[name, piece.at] = of[0]
    return owners


class _Join:
    """A log and the parts of it found so far."""

    def __init__(self, image: Image, carver: Carver, log: Piece) -> None:
        self.image = image
        self.carver = carver
        self.pieces = [log]
        self.parts = [(log.at, log.end)]

    def add(self, piece: Piece) -> None:
        """Add a find that begins at the end of the last one."""
        self.pieces.append(piece)
        self.parts[-1] = (self.parts[-1][0], piece.end)

    def extend(
        self, by_phase: Mapping[int, Sequence[Piece]], used: set[int], budget: list[int]
    ) -> bool:
        """Add the find that follows the rest of the last record; return whether there is one."""
        begin, end = self.parts[-1]
        position = sum(stop - start for start, stop in self.parts)
        claim = self.carver.claims(self.image.read(end, self.carver.head_size), position)
        claimed = [(end, claim)] if claim is not None else []
        for cut, following, start in self._splits(by_phase, claimed):
            if following.at in used or following in self.pieces:
                continue
            size = cut - end + following.at - start
            budget[0] -= max(size, SECTOR)
            if budget[0] < 0:
                return False
            record = self.image.read(end, cut - end) + self.image.read(start, following.at - start)
            head = record[: self.carver.head_size]
            if self.carver.claims(head, position) == size and self.carver.holds(record):
                self.parts[-1] = (begin, cut)
                self.parts.append((start, following.end))
                self.pieces.append(following)
                return True
        return False

    def _splits(
        self, by_phase: Mapping[int, Sequence[Piece]], claimed: Sequence[tuple[int, int]]
    ) -> Iterator[tuple[int, Piece, int]]:
        """Yield each possible boundary: end of the first part, next find, start of the second part.

        If the header of the record is complete, its length leaves few possible positions.
        Otherwise, the rest of the record is short, or begins in one of the sectors just before the
        next find.
        """
        end = self.parts[-1][1]
        for _, size in claimed:
            candidates = by_phase.get((end + size) % SECTOR, ())
            for following in sorted(
                candidates, key=lambda piece: (piece.at < end, abs(piece.at - end))
            ):
                for cut in range(end - end % SECTOR + SECTOR, end + size, SECTOR):
                    start = following.at - (size - (cut - end))
                    if start >= 0 and start != cut:
                        yield cut, following, start
        cut = end - end % SECTOR + SECTOR
        if cut - end < self.carver.head_size:
            for candidates in by_phase.values():
                for following in candidates:
                    first = following.at - following.at % SECTOR
                    for start in range(first, max(first - SECTORS * SECTOR, -1), -SECTOR):
                        if start not in (cut, following.at):
                            yield cut, following, start
