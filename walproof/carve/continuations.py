"""Join the parts of fragmented logs.

If a record with a correct checksum begins at the end of one find and ends at the start of another
find, the second find continues the first find.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from walproof.carve.base import Carver
from walproof.carve.image import SECTOR, Image
from walproof.carve.output import Row

#: Maximum total bytes that are joined and hashed.
MAX_HASHED_BYTES = 1 << 30
#: Maximum number of pairs of a log and a loose find whose keys are compared.
MAX_KEY_COMPARISONS = 100_000
#: Number of sectors tried as the start of the rest of a record whose length field is cut off.
SECTORS = 16


class Joined:
    """A log: the ``rows`` of its finds, and its ``parts``, ranges ``[at, end)`` of the image."""

    def __init__(self, log: Row) -> None:
        self.rows = [log]
        self.parts = [(log["offset"], _end(log))]

    def splits(
        self, by_phase: Mapping[int, Sequence[Row]], head_size: int, claimed: int | None
    ) -> Iterator[tuple[int, Row, int]]:
        """Yield possible boundaries between two parts of a log.

        A boundary is a tuple: the end of the first part, the first find of the second part, and
        the start of the second part. ``claimed`` is the length of the split record, or None if the
        header of the record is incomplete.
        """
        end = self.parts[-1][1]
        first_cut = end - end % SECTOR + SECTOR
        if claimed is not None:
            candidates = by_phase.get((end + claimed) % SECTOR, ())
            for row in sorted(
                candidates, key=lambda row: (row["offset"] < end, abs(row["offset"] - end))
            ):
                for cut in range(first_cut, end + claimed, SECTOR):
                    start = row["offset"] - (claimed - (cut - end))
                    if start >= 0 and start != cut:
                        yield cut, row, start
        if first_cut - end < head_size:
            for row in (row for rows in by_phase.values() for row in rows):
                first = row["offset"] - row["offset"] % SECTOR
                for start in range(first, max(first - SECTORS * SECTOR, -1), -SECTOR):
                    if start not in (first_cut, row["offset"]):
                        yield first_cut, row, start


def joined(image: Image, carvers: Mapping[str, Carver], rows: Sequence[Row]) -> list[Joined]:
    """Return the fragmented logs. A find continues at most one other find."""
    logs: list[Joined] = []
    budget = MAX_HASHED_BYTES
    for name, carver in carvers.items():
        finds = sorted(
            (row for row in rows if row["format"] == name), key=lambda row: int(row["offset"])
        )
        starts = {row["offset"]: row for row in finds}
        by_phase: dict[int, list[Row]] = {}
        for row in finds:
            by_phase.setdefault(row["offset"] % SECTOR, []).append(row)
        used: set[int] = set()
        for log in finds:
            if log["kind"] != "log" or "goes_on" in log or log["offset"] in used:
                continue
            join = Joined(log)
            while budget > 0:
                is_extended, spent = _extend(join, image, carver, by_phase, used, budget)
                budget -= spent
                if not is_extended:
                    break
                following = starts.get(_end(join.rows[-1]))
                if following is not None and "goes_on" in following:
                    join.rows.append(following)
                    join.parts[-1] = (join.parts[-1][0], _end(following))
            if len(join.rows) > 1:
                used.update(row["offset"] for row in join.rows[1:])
                logs.append(join)
    return logs


def _extend(
    join: Joined,
    image: Image,
    carver: Carver,
    by_phase: Mapping[int, Sequence[Row]],
    used: set[int],
    budget: int,
) -> tuple[bool, int]:
    """Add the find that continues the log; return success and the number of bytes hashed."""
    begin, end = join.parts[-1]
    position = sum(stop - start for start, stop in join.parts)
    claimed = carver.claims(image.read(end, carver.head_size), position)
    spent = 0
    for cut, following, start in join.splits(by_phase, carver.head_size, claimed):
        if following["offset"] in used or following in join.rows:
            continue
        size = cut - end + following["offset"] - start
        spent += max(size, SECTOR)
        if spent > budget:
            return False, spent
        rest = image.read(start, following["offset"] - start)
        record = image.read(end, cut - end) + rest
        if carver.claims(record[: carver.head_size], position) == size and carver.holds(record):
            join.parts[-1:] = [(begin, cut), (start, _end(following))]
            join.rows.append(following)
            return True, spent
    return False, spent


def keyed(carvers: Mapping[str, Carver], rows: Sequence[Row]) -> dict[tuple[str, int], int]:
    """Map the format and offset of loose finds to the offset of the only log with the same key."""
    owners: dict[tuple[str, int], int] = {}
    comparisons = 0
    for name, carver in carvers.items():
        finds = [row for row in rows if row["format"] == name]
        logs = [row["offset"] for row in finds if row["kind"] == "log"]
        for row in finds:
            if row["kind"] == "loose" and comparisons <= MAX_KEY_COMPARISONS:
                comparisons += len(logs)
                of = [log for log in logs if carver.is_of(log, row["offset"], _end(row))]
                if len(of) == 1:
                    owners[name, row["offset"]] = of[0]
    return owners


def _end(row: Row) -> int:
    return int(row["offset"]) + int(row["length"])
