"""Write a result: three tables in a folder.

Rows of an earlier result are reused for logs with the same paths, sizes and modification times.
"""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from walproof.inventory.logs import describe_error, files_of, microseconds
from walproof.inventory.schemas import FILES, TIME, TableOptions
from walproof.inventory.tally import Tally, file_rows, merged
from walproof.inventory.task import LogPiece, Task, Written, logs_in, write_rows
from walproof.lake.discovery import FoundLog
from walproof.lake.names import shown
from walproof.lake.splits import Packing, cut
from walproof.progress import progress_bar
from walproof.tables.parquet import ParquetFile
from walproof.worker_pool import WorkerDied, map_unordered

#: Maximum bytes of logs that one task reads, if logs can be split: some seconds of work, which are
#: repeated if a worker is lost.
MAX_TASK_BYTES = 128 << 20
MIN_TASK_BYTES = 1 << 20
#: Number of tasks per slot, so that all slots are busy until the end.
TASKS_PER_SLOT = 8

#: Logs by name.
Logs = Mapping[str, FoundLog]
#: Function that runs tasks in any order.
Run = Callable[[Sequence[Task]], Iterable[Written]]


@dataclass
class Earlier:
    """An earlier result: its folder, and the rows of ``files`` by log."""

    folder: Path
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> Earlier:
        """Read the table ``files`` of a result. Raises ``OSError``."""
        earlier = cls(folder)
        table = pa.parquet.read_table(folder / "files" / "files.parquet")
        # A datetime of Python cannot represent every time, so times are read as integers.
        numbers = [f.with_type(pa.int64()) if f.type == TIME else f for f in table.schema]
        for row in table.cast(pa.schema(numbers)).to_pylist():
            earlier.rows.setdefault(row["log"], []).append(row)
        return earlier

    def is_of(self, logs: Logs) -> bool:
        """Return whether a new result for these logs would equal this result."""
        unchanged = self.unchanged(logs)
        return self.rows.keys() == logs.keys() and all(
            name in unchanged
            or (log.fault and describe_error(log.fault, log.path) == self.rows[name][0]["error"])
            for name, log in logs.items()
        )

    def unchanged(self, logs: Logs) -> dict[str, list[dict[str, Any]]]:
        """Return the rows of the logs that are unchanged and were readable."""
        identity = itemgetter("file", "size", "modified")
        return {
            name: rows
            for name, rows in self.rows.items()
            if name in logs
            and logs[name].fault is None
            and all(row["error"] is None for row in rows)
            # A missing file that the log names has a row without a time.
            and {identity(row) for row in rows if row["modified"] is not None}
            == {(shown(e.path), e.size, microseconds(e)) for e in files_of(logs[name]).values()}
        }


@dataclass
class Plan:
    """The work for a result; tasks write into ``folder``."""

    folder: Path
    options: TableOptions
    tasks: list[Task] = field(default_factory=list)
    linked: list[tuple[str, Path]] = field(default_factory=list)
    unchanged: Mapping[str, list[dict[str, Any]]] = field(default_factory=dict)
    logs_to_read: int = 0
    bytes_to_read: int = 0


def make_plan(
    logs: Logs,
    options: TableOptions,
    folder: Path,
    slots: int,
    earlier: Earlier | None = None,
    max_task_bytes: int = MAX_TASK_BYTES,
) -> Plan:
    """Divide the work on logs into tasks that write into ``folder``.

    ``slots`` is the number of tasks that run at the same time. Raises ``OSError`` for a folder that
    pyarrow cannot open.
    """
    try:
        str(folder).encode()
    except UnicodeEncodeError:
        raise OSError(errno.EILSEQ, "expected a path in UTF-8", str(folder)) from None
    plan = Plan(folder, options)
    add = partial(Task, folder=folder, options=options)
    if earlier is not None:
        plan.unchanged = earlier.unchanged(logs)
        for table in options.schemas:
            for file in sorted((earlier.folder / table).glob("*.parquet")):
                of_file = logs_in(file)
                if unchanged := tuple(sorted(of_file & plan.unchanged.keys())):
                    if len(unchanged) == len(of_file):
                        plan.linked.append((table, file))
                    else:
                        plan.tasks.append(add(len(plan.tasks), copy_from=file, logs=unchanged))
    changed = {
        name: log for name, log in logs.items() if log.fault is None and name not in plan.unchanged
    }
    sizes = [log.size for log in changed.values()]
    plan.logs_to_read, plan.bytes_to_read = len(sizes), sum(sizes)
    packing = Packing(slots * TASKS_PER_SLOT, max_task_bytes)
    target = max(packing.target_bytes(sizes), min(MIN_TASK_BYTES, max_task_bytes))
    pieces = [
        LogPiece(piece.log, piece.part, piece.size, name, number)
        for name, log in changed.items()
        for number, piece in enumerate(cut(log, target, options.source))
    ]
    for packed in packing.pack(pieces, target):
        plan.tasks.append(add(len(plan.tasks), pieces=tuple(packed)))
    return plan


def write_result(logs: Logs, plan: Plan, run: Run, result: Path) -> None:
    """Run the plan, and merge the three tables in the new folder ``result``.

    ``plan.folder`` must be on the same file system. If a task was started several times, only the
    files of the first attempt to finish are used, because another attempt may still be writing.
    Raises the errors of ``run``, and ``OSError`` for the output.
    """
    for table in plan.options.schemas:
        (result / table).mkdir(parents=True)
        (plan.folder / table).mkdir(parents=True)
    for table, file in plan.linked:
        _link(file, result / table / file.name)
    tallies: dict[str, dict[int, Tally]] = {}
    for written in run(plan.tasks):
        if written.error is not None:
            raise written.error
        for (name, number), tally in written.tallies.items():
            tallies.setdefault(name, {})[number] = tally
        for table, file in written.files:
            file.rename(result / table / file.name)
    for table, schema in plan.options.schemas.items():
        if not any((result / table).iterdir()):
            _write(result / table / "no-rows.parquet", schema.empty_table())
    (result / "files").mkdir()
    rows: list[dict[str, Any]] = []
    for name, log in logs.items():
        if name in plan.unchanged:
            rows += plan.unchanged[name]
            continue
        if log.fault is not None:
            tally = Tally(log.format, error=describe_error(log.fault, log.path))
        else:
            tally = merged(part for _, part in sorted(tallies[name].items()))
        rows += file_rows(name, log, tally)
    _write(result / "files" / "files.parquet", pa.Table.from_pylist(rows, FILES))


def _write(path: Path, table: pa.Table) -> None:
    with ParquetFile(path, table.schema) as file:
        for batch in table.to_batches():
            file.add(batch)
        file.finish()


def _link(old: Path, new: Path) -> None:
    try:
        new.hardlink_to(old)
    except OSError:
        shutil.copyfile(old, new)


def run_in_pool(tasks: Sequence[Task]) -> Iterator[Written]:
    """Run tasks on all cores of this machine.

    If a worker is killed, the unfinished tasks run again with ``is_careful`` of ``write_rows``.

    Raises ``WorkerDied`` if a worker is killed again.
    """
    remaining = {task.number: task for task in tasks}
    for is_careful in (False, True):
        try:
            with progress_bar("reading logs", len(tasks)) as bar:
                work = partial(write_rows, is_careful=is_careful)
                for written in map_unordered(work, list(remaining.values())):
                    del remaining[written.task]
                    bar.show(done=len(tasks) - len(remaining))
                    yield written
            return
        except WorkerDied:
            if is_careful:
                raise
