"""What earlier results know: which pieces of which logs they hold, in which shards.

A published result has it in ``state.parquet``; one that was abandoned has the notes of the units
that were done, which is how an audit goes on where it was stopped.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from walproof.audit.shard import output_to, write_table
from walproof.audit.tally import Tally
from walproof.audit.unit import Options

STATE = "state.parquet"
OPTIONS = "options.json"

_SCHEMA = pa.schema(
    [
        ("key", pa.string()),
        ("log", pa.string()),
        ("fingerprint", pa.string()),
        ("count", pa.int32()),
        ("size", pa.int64()),
        ("shard", pa.string()),
        ("tally", pa.string()),
    ]
)


@dataclass(frozen=True, slots=True)
class Done:
    """A piece that was read. ``shard`` is the name of its files in the tables of ``result``."""

    key: str
    log: str
    fingerprint: str | None
    count: int
    size: int
    shard: str
    result: Path
    tally: dict[str, Any]


@dataclass
class Known:
    """What all earlier results hold, by piece and by log; what a later one says wins."""

    by_key: dict[str, Done] = field(default_factory=dict)
    by_log: dict[tuple[str, str | None], list[Done]] = field(default_factory=dict)
    in_shard: Counter[tuple[Path, str]] = field(default_factory=Counter)
    """How many pieces a shard holds, including those no longer needed."""

    def add(self, pieces: Iterable[Done]) -> None:
        """Take in the pieces of one result."""
        logs: dict[tuple[str, str | None], list[Done]] = {}
        for done in pieces:
            self.in_shard[done.result, done.shard] += 1
            if done.fingerprint is not None:
                self.by_key[done.key] = done
                logs.setdefault((done.log, done.fingerprint), []).append(done)
        self.by_log.update(logs)

    def whole(self, log: str, fingerprint: str | None) -> list[Done] | None:
        """All pieces of a log, from one result; None when one of them is missing."""
        pieces = self.by_log.get((log, fingerprint)) if fingerprint else None
        return pieces if pieces and len(pieces) == pieces[0].count else None


def known(results: Iterable[Path], options: Options) -> Known:
    """What results that were made with the same options hold, in order of trust: last wins."""
    found = Known()
    for result in results:
        if _same_options(result, options):
            if (result / STATE).is_file():
                found.add(_published(result))
            elif (result / "done").is_dir():
                found.add(list(_noted(result, found)))
    return found


def _same_options(result: Path, options: Options) -> bool:
    try:
        written = json.loads((result / OPTIONS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return bool(written == options.to_json())


def _published(result: Path) -> Iterator[Done]:
    for row in pa.parquet.read_table(result / STATE).to_pylist():
        row["tally"] = json.loads(row["tally"])
        yield Done(result=result, **row)


def notes(result: Path) -> Iterator[dict[str, Any]]:
    """The notes of the units that are done, one for each."""
    units = set()
    for path in sorted((result / "done").glob("[0-9]*.json")):
        note = json.loads(path.read_text(encoding="utf-8"))
        if note["unit"] not in units:
            units.add(note["unit"])
            yield note


def _noted(result: Path, earlier: Known) -> Iterator[Done]:
    for note in notes(result):
        yield from pieces_of(note, result)
        for key in note["kept"]:
            if (done := earlier.by_key.get(key)) is not None:
                yield moved(done, note["shard"], result)


def pieces_of(note: dict[str, Any], result: Path) -> Iterator[Done]:
    """The pieces that a task read, from its note."""
    for each in note["pieces"]:
        key, log, fingerprint = each["key"], each["log"], each["fingerprint"]
        yield Done(
            key, log, fingerprint, each["count"], each["size"], note["shard"], result, each["tally"]
        )


def moved(done: Done, shard: str, result: Path) -> Done:
    """A piece whose rows were copied into another shard."""
    return Done(
        done.key, done.log, done.fingerprint, done.count, done.size, shard, result, done.tally
    )


def write_state(pieces: Iterable[Done], result: Path) -> None:
    """Write what the next audit must know. It is the last file of a result."""
    rows = [
        {
            "key": done.key,
            "log": done.log,
            "fingerprint": done.fingerprint,
            "count": done.count,
            "size": done.size,
            "shard": done.shard,
            "tally": json.dumps(done.tally, separators=(",", ":")),
        }
        for done in pieces
    ]
    unfinished = result / f".{STATE}.unfinished"
    table = pa.Table.from_pylist(rows, _SCHEMA)
    write_table(table, unfinished)
    with output_to(result / STATE):
        unfinished.rename(result / STATE)


def tally_of(done: Done) -> Tally:
    """What was counted in a piece."""
    return Tally.from_json(done.tally)
