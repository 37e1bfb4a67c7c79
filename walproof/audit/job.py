"""The audit from end to end: look, plan, read, publish."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from walproof.audit import page
from walproof.audit.engine import Engine, JobFailed
from walproof.audit.files import file_rows
from walproof.audit.lake import Found, lake
from walproof.audit.output import Output, link, write_json, write_text
from walproof.audit.plan import MOST_BYTES, Plan, plan
from walproof.audit.progress import Progress
from walproof.audit.shard import write_table
from walproof.audit.state import (
    OPTIONS,
    Done,
    known,
    moved,
    notes,
    pieces_of,
    tally_of,
    write_state,
)
from walproof.audit.summary import summarise
from walproof.audit.tables import DAMAGE, FILES, RECORDS
from walproof.audit.tally import Tally, merged
from walproof.audit.unit import Options, Task
from walproof.lake.trees import absolute, is_local


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an audit: its summary, and whether anything in it is new."""

    summary: Mapping[str, Any]
    is_new: bool


def audit(
    options: Options,
    out: Path,
    engine: Engine,
    most_bytes: int = MOST_BYTES,
    again: bool = False,
    progress: Progress | None = None,
) -> Outcome:
    """Read what is new or has changed in a lake, and publish the result.

    ``again`` reads everything. Raises ``OutputRefused`` when ``out`` is held or not ours,
    ``JobFailed``, and ``OSError`` for a path that is not there and for the output; nothing on
    account of a log.
    """
    progress = progress or Progress()
    started = time.time()
    output = Output(out)
    with output.locked():
        earlier = [] if again else output.earlier()
        if not earlier and _is_there(options):
            engine.prepare()  # everything is going to be read
        logs = lake(options.source, output.folder)
        made = plan(logs, known(earlier, options), lambda: engine.slots, options.source, most_bytes)
        inputs = _inputs(options, logs, made)
        if made.is_nothing() and (summary := _still_holds(output, options, inputs)):
            output.clean()
            return Outcome(summary, False)
        building = output.begin()
        write_json(building / OPTIONS, options.to_json())
        for done in made.linked:
            for table in ("records", "damage"):
                old = done.result / table / done.shard
                if old.exists():
                    link(old, building / table / done.shard)
        progress.reading(made.logs_to_read, made.bytes_to_read)
        if made.units:
            tasks = [Task(unit, str(building), options) for unit in made.units]
            engine.run(tasks, _watch(building, made, progress))
        progress.publishing()
        closed = output.close(building)
        summary = _finish(closed, logs, made, _about(options, inputs, started))
        output.publish(closed)
        return Outcome(summary, True)


def _inputs(options: Options, logs: Sequence[Found], made: Plan) -> str:
    """A digest of what a result was made of; when it is unchanged, there is nothing to do."""
    text = json.dumps(
        [
            _paths(options),
            [[found.log, found.error, made.pieces[found.log]] for found in logs],
        ]
    )
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _still_holds(output: Output, options: Options, inputs: str) -> dict[str, Any] | None:
    """The summary of the current result, if the same would come out again."""
    current = output.current()
    if current is None:
        return None
    try:
        written = json.loads((current / OPTIONS).read_text(encoding="utf-8"))
        summary = json.loads((current / "summary.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    same = written == options.to_json() and summary["inputs"] == inputs
    return summary if same else None


def _watch(building: Path, made: Plan, progress: Progress) -> Callable[[], None]:
    """Count as progress what the tasks have left notes of."""
    of_unit = {
        f"{unit.number:06d}": (len({piece.log for piece in unit.pieces}), unit.size)
        for unit in made.units
    }

    def tick() -> None:
        names = {path.name.split("-")[0] for path in (building / "done").glob("[0-9]*.json")}
        done = [of_unit[name] for name in names if name in of_unit]
        progress.read(sum(logs for logs, _ in done), sum(size for _, size in done))

    return tick


def _is_there(options: Options) -> bool:
    """Whether the paths lead somewhere, as far as that can be told at once."""
    try:
        return all(is_local(path) and Path(path).exists() for path in options.source.paths)
    except OSError:  # it may pass: the look for logs is patient, and says what does not
        return False


def _paths(options: Options) -> list[str]:
    return [absolute(path) for path in options.source.paths]


def _about(options: Options, inputs: str, started: float) -> dict[str, Any]:
    return {
        "paths": _paths(options),
        "options": options.to_json(),
        "inputs": inputs,
        "started": started,
    }


def _finish(
    closed: Path, logs: Sequence[Found], made: Plan, about: dict[str, Any]
) -> dict[str, Any]:
    """Bring together what the tasks did; ``state.parquet`` is the last file."""
    pieces = {done.key: done for done in made.linked}
    units = set()
    for note in notes(closed):
        units.add(note["unit"])
        pieces.update((done.key, done) for done in pieces_of(note, closed))
        for key in note["kept"]:
            pieces[key] = moved(made.copied[key], note["shard"], closed)
    if missing := [unit.number for unit in made.units if unit.number not in units]:
        raise JobFailed(f"{len(missing)} of {len(made.units)} units left no note in {closed}")
    _leave_only(closed, {done.shard for done in pieces.values()})
    tallies = {found.log: _tally(found, made, pieces) for found in logs}
    of_files = [each for found in logs for each in file_rows(found, tallies[found.log])]
    table = pa.Table.from_pylist([row for row, _ in of_files], FILES)
    write_table(table, closed / "files" / "files.parquet")
    for name, schema in (("records", RECORDS), ("damage", DAMAGE)):
        # So that there is a schema, and a table, when there are no rows.
        write_table(schema.empty_table(), closed / name / "000000-none.parquet")
    about["seconds"] = round(time.time() - about["started"], 3)
    about["read"] = {"logs": made.logs_to_read, "bytes": made.bytes_to_read}
    about["carried_over"] = {"logs": sum(map(bool, made.pieces.values())) - made.logs_to_read}
    summary = summarise(of_files, tallies.values(), about)
    write_json(closed / "summary.json", summary)
    write_text(closed / "summary.html", page.render(summary))
    write_state(pieces.values(), closed)
    return summary


def _leave_only(closed: Path, shards: set[str]) -> None:
    """Remove what was written by tasks that did not finish, or finished second."""
    for table in ("records", "damage"):
        for path in (closed / table).iterdir():
            if path.name not in shards:
                path.unlink()


def _tally(found: Found, made: Plan, pieces: Mapping[str, Done]) -> Tally:
    if found.error is not None:
        return Tally(found.source.format, error=found.error)
    return merged(tally_of(pieces[key]) for key in made.pieces[found.log])
