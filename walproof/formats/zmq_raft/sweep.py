"""Damage zmq-raft logs in a sweep."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from reference_impl.answer import Answer, NewRecord, Record
from reference_impl.zmq_raft.message_pack import encode
from walproof.sweep.format_sweep import AppendTask, FormatSweep
from walproof.sweep.history_writer import HistoryWriter

REQUEST, STATE = "5bab9dc8aabbcc1234000001", 0


class ZmqRaftSweep(FormatSweep):
    """In this format, nothing has a checksum."""

    def tells_payloads(self, files: Mapping[str, bytes], records: Sequence[Record]) -> bool:
        """Return False, because payloads have no checksums."""
        return False

    def plain(self, task: AppendTask) -> NewRecord:
        """Return one short record that every writer accepts."""
        if _kind(task) == ".pers":
            return NewRecord(encode({_keys(task)[0]: 7}))
        if task.context.get("entries") == "raw":
            return NewRecord(b"x")
        return NewRecord(b"x", {"term": "99", "entry_type": STATE, "request_id": REQUEST})

    def may_refuse(self, before: Answer, contents: object) -> bool:
        """Return True after an unfinished write: the writer may begin a new file."""
        return before.verdict == "torn"

    def otherwise(
        self, records: Sequence[NewRecord], before: Answer, task: AppendTask
    ) -> tuple[list[NewRecord], str] | None:
        """Return an alternative for a torn state file: the writer may rewrite the state first."""
        if _kind(task) != ".pers" or before.verdict != "torn" or not records:
            return None
        first, *rest = records
        rotated = NewRecord(first.payload, {**first.fields, "rotate": True})
        return [rotated, *rest], "a writer may rotate instead (ZMR-080)"

    # If two terms contradict each other, a reader cannot determine which one is wrong (ZMR-050).
    may_cost_neighbour = True
    # Writers write an entry before the table of offsets (ZMR-018).
    writes_header_last = True
    # Offsets are aligned, so no sector ends inside one.
    atom = 4

    def write_history(self, log: HistoryWriter) -> None:
        """Write index files and directories with rollbacks, and state files."""
        chance = log.chance
        log.name = chance.choice(("raft", "raft", "00000000000001.rlog", "raft.pers"))
        if log.name == "raft.pers":
            log.write([])
            for number in range(chance.randrange(1, 6)):
                log.append([NewRecord(encode({"foo": number, "other": log.payload().hex()}))])
            return
        log.write([], capacity=chance.choice((2, 4, 16, 256)))
        last, term = 0, 1
        steps = chance.randrange(1, 7)
        for step in range(steps):
            # Append a single entry at the end, because torn writes interrupt this write.
            is_last = step == steps - 1
            rolls_back = last and not is_last and chance.random() < 0.3
            index = chance.randrange(1, last + 1) if rolls_back else last + 1
            term += chance.randrange(3)
            records = []
            for number in range(index, index + (1 if is_last else chance.randrange(1, 4))):
                fields = {"term": str(term), "entry_type": STATE, "request_id": REQUEST}
                records.append(NewRecord(log.payload(), {"index": str(number), **fields}))
            assert log.payloads is not None
            with contextlib.suppress(ValueError):  # An index file may be full.
                log.append(records)
                del log.payloads[index - 1 : -len(records)]
                last = index + len(records) - 1
                log.keep()


SWEEP = ZmqRaftSweep()


def _kind(task: AppendTask) -> str:
    """Return the file extension, which determines the file type. It is empty for a directory."""
    return PurePath(task.name).suffix


def _keys(task: AppendTask) -> list[str]:
    """Return the keys that a writer stores. Writers skip keys that are not configured."""
    return list(task.context.get("initial") or ("foo", "other"))
