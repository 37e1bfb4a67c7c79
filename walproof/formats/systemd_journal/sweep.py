"""Damage systemd journal files in a sweep."""

from __future__ import annotations

import io
from collections.abc import Collection, Mapping
from random import Random
from typing import Any

from conformance.contents import Contents
from reference_impl.answer import Answer, NewRecord
from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.export_format import entry_body, parse_export
from reference_impl.systemd_journal.sealing import BadKey, VerificationKey
from walproof.sweep.format_sweep import FormatSweep, Task, how_many, some_size

BOOTS = ("0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210")
#: Start times of new files, in microseconds since 1970. The start time of a sealed file is part of
#: its key.
START, SEALED_START = 1_700_000_000_000_000, 0xAB344FA * 0x989680

#: Size in bytes of the shortest header that contains the number of seals.
SEALED_HEADER = 232

NAMES = (b"MESSAGE", b"PRIORITY", b"_HOSTNAME", b"A", b"N" * 64)
WRONG_NAMES = (b"message", b"1ST", b"N" * 65, b"WITH SPACE")

GROWS = ("preallocation", "systemd lets a file grow in steps of 8 MiB")
PACKS = ("placement", "no two compressors give the same bytes")


class SystemdSweep(FormatSweep):
    """See :class:`FormatSweep`."""

    pairs_tell = False
    selecting = ("match", "from_seqnum", "from_realtime")

    def is_made_of(self, payload: bytes, written: Collection[bytes]) -> bool:
        """See :class:`FormatSweep`. No hash covers the items that refer to fields (SDJ-020)."""
        fields = {field for each in written for field in _fields_of(each)}
        return all(field in fields for field in _fields_of(payload))

    def determines(self, context: Mapping[str, Any]) -> bool:
        """See :class:`FormatSweep`.

        Compressors give different bytes, and a writer refuses an invalid key (SDJ-070).
        """
        if "key" in context:
            try:
                VerificationKey.parse(str(context["key"]))
            except BadKey:
                return False
        sealed_in = "key" not in context or int(context.get("header_size", 272)) >= SEALED_HEADER
        return sealed_in and str(context.get("compression", "none")) == "none"

    def owes_no_answer(self, error: Exception) -> bool:
        """See :class:`FormatSweep`.

        If damage turns a file into a sealed file, an invalid key is an error (SDJ-070).
        """
        return isinstance(error, BadKey)

    def plain(self, task: Task) -> NewRecord:
        """See :class:`FormatSweep`."""
        return _entry([b"MESSAGE=x"], _last(task) + 1_000_000, 9_000_000)

    def new_records(self, chance: Random, task: Task) -> list[NewRecord]:
        """See :class:`FormatSweep`. Entries have existing, new, repeated and binary fields."""
        records = []
        realtime, monotonic = _last(task), 5_000_000
        # A seal closes an epoch, so times in a sealed file never decrease.
        steps = (1, 1, 1_000_000, 20_000_000, 0) + ((-5,) if "key" not in task.context else ())
        for _ in range(how_many(chance)):
            if task.records and chance.random() < 0.2:
                fields = list(_fields_of(chance.choice(task.records).payload))
            else:
                fields = [_field(chance) for _ in range(chance.choice((1, 1, 2, 3, 8)))]
            if chance.random() < 0.1:
                fields += fields[:1]
            realtime += chance.choice(steps)
            monotonic += chance.choice((0, 1, 1_000_000))
            boot = BOOTS[chance.random() < 0.1]
            record = _entry(fields, realtime, monotonic, boot)
            records.append(record if chance.random() > 0.02 else _entry(fields, 0, monotonic))
        return records

    def may_refuse(self, before: Answer, contents: Contents) -> bool:
        """See :class:`FormatSweep`. Builds of systemd support different compressors and flags."""
        assert isinstance(contents, bytes)
        return bool(_flags(contents) & (layout.XZ | layout.LZ4 | layout.ZSTD)) or bool(
            int.from_bytes(contents[8:12], "little") & layout.TAIL_ENTRY_BOOT_ID
        )

    def free(self, contents: Contents) -> list[tuple[str, str]]:
        """See :class:`FormatSweep`."""
        assert isinstance(contents, bytes)
        packed = _flags(contents) & (layout.XZ | layout.LZ4 | layout.ZSTD)
        return [GROWS, PACKS] if packed else [GROWS]


def _fields_of(payload: bytes) -> Collection[bytes]:
    return [field for entry in parse_export(io.BytesIO(payload)) for field in entry.payloads]


SWEEP = SystemdSweep()


def _flags(data: bytes) -> int:
    """Return the incompatible flags of a header."""
    return int.from_bytes(data[12:16], "little")


def _last(task: Task) -> int:
    if task.appends and task.records:
        return max(int(record.fields["realtime"]) for record in task.records)
    return SEALED_START + 20_000_000 if "key" in task.context else START


def _entry(fields: list[bytes], realtime: int, monotonic: int, boot: str = BOOTS[0]) -> NewRecord:
    times = {"realtime": str(realtime), "monotonic": str(monotonic)}
    return NewRecord(entry_body(fields), {"boot_id": boot, **times})


def _field(chance: Random) -> bytes:
    name = chance.choice(NAMES if chance.random() > 0.02 else WRONG_NAMES)
    value = chance.randbytes(min(600, some_size(chance)))
    return name + b"=" + (value if chance.random() < 0.2 else value.hex().encode())
