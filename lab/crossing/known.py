"""Read and write the lists of known differences between readers and writers, with causes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conformance import known_failures
from conformance.known_failures import KnownFailures
from lab.crossing.run import Crossing, Pair

FOLDER = Path(__file__).resolve().parent / "known"
DIFFERS = "fail"


@dataclass(frozen=True)
class Difference:
    """A log that a reader does not read as the writer wrote it."""

    log: str
    text: str
    #: Name of the cause in the list of known differences, or None for a new difference.
    cause: str | None


def load(format: str, folder: Path = FOLDER) -> KnownFailures:
    """Return the list of a format. Raises ``BrokenList``."""
    return known_failures.load(folder / f"{format}.json")


def pair_name(pair: Pair) -> str:
    """Return the name of a pair in a list."""
    return f"{pair.writer} > {pair.reader}"


def differences(pair: Pair, known: KnownFailures) -> list[Difference]:
    """Return every difference of a pair, with its cause if the same difference is listed."""
    name = pair_name(pair)
    return [
        Difference(
            log,
            text,
            known.entries[log, name].cause if known.matches(log, name, DIFFERS, text) else None,
        )
        for log, text in pair.differ
    ]


def gone(crossing: Crossing, known: KnownFailures) -> list[tuple[str, str]]:
    """Return the log and the pair of each listed difference that no longer occurs."""
    keys = [(log, pair_name(pair)) for pair in crossing.pairs for log in pair.same]
    return [key for key in keys if key in known.entries]


def results(crossing: Crossing) -> Iterator[dict[str, str]]:
    """Yield the results in the form in which a list of known failures is updated."""
    for pair in crossing.pairs:
        name = pair_name(pair)
        for log in pair.same:
            yield {"vector": log, "profile": name, "class": "pass"}
        for log, text in pair.differ:
            yield {"vector": log, "profile": name, "class": DIFFERS, "difference": text}
