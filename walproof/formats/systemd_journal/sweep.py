"""Damage systemd journal files in a sweep."""

from __future__ import annotations

import io
from collections.abc import Collection

from conformance.contents import Contents, by_name
from reference_impl.answer import Answer, NewRecord
from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.export_format import entry_body, parse_export
from reference_impl.systemd_journal.sealing import BadKey
from walproof.sweep.format_sweep import AppendTask, FormatSweep
from walproof.sweep.history_writer import HistoryWriter

BOOT = "0123456789abcdef0123456789abcdef"
#: The first entry written to an empty file has this time, in microseconds since 1970.
START = 1_700_000_000_000_000

GROWS = ("preallocation", "systemd lets a file grow in steps of 8 MiB")
PACKS = ("placement", "no two compressors give the same bytes")


class SystemdSweep(FormatSweep):
    """In this format, hashes cover fields, but not the items that refer to fields."""

    pairs_tell = False
    # Pages may reach the disk in any order (SDJ-099). This sweep writes the header last.
    writes_header_last = True
    atom = 512
    selecting = ("match", "from_seqnum", "from_realtime")

    def is_made_of(self, payload: bytes, written: Collection[bytes]) -> bool:
        """Return True if all fields were written: no hash covers items (SDJ-020)."""
        fields = {field for each in written for field in _fields_of(each)}
        return all(field in fields for field in _fields_of(payload))

    def owes_no_answer(self, error: Exception) -> bool:
        """Return True for an invalid key: damage may make a file look sealed (SDJ-070)."""
        return isinstance(error, BadKey)

    def plain(self, task: AppendTask) -> NewRecord:
        """Return one short record that every writer accepts."""
        times = {"realtime": str(_last(task) + 1_000_000), "monotonic": "9000000"}
        return NewRecord(entry_body([b"MESSAGE=x"]), {"boot_id": BOOT, **times})

    def may_refuse(self, before: Answer, contents: Contents) -> bool:
        """Return True if some builds of systemd do not support the file's compressors or flags."""
        assert isinstance(contents, bytes)
        return bool(_flags(contents) & (layout.XZ | layout.LZ4 | layout.ZSTD)) or bool(
            int.from_bytes(contents[8:12], "little") & layout.TAIL_ENTRY_BOOT_ID
        )

    def free(self, contents: Contents) -> list[tuple[str, str]]:
        """Return the choices that an appending writer has."""
        assert isinstance(contents, bytes)
        packed = _flags(contents) & (layout.XZ | layout.LZ4 | layout.ZSTD)
        return [GROWS, PACKS] if packed else [GROWS]

    def write_history(self, log: HistoryWriter) -> None:
        """Write files in each generation of the format, and close and reopen them."""
        chance, log.name, log.payloads = log.chance, "system.journal", None
        choices = {
            "compact": chance.random() < 0.5,
            "keyed": chance.random() < 0.5,
            "header_size": chance.choice((208, 224, 240, 256, 264, 272)),
            "compression": chance.choice(("none", "none", "lz4", "zstd")),
            "data_buckets": chance.choice((1, 3, 16)),
            "field_buckets": chance.choice((1, 4)),
            "spare": chance.choice((0, 0, 512)),
            "threshold": 64,
        }
        log.write(self._entries(log), **choices)
        for _ in range(chance.randrange(1, 4)):
            offline = by_name(log.contents)[""]
            online = offline[:16] + bytes([layout.ONLINE]) + offline[17:]
            log.put(online)
            log.path.write_bytes(offline)
            log.append(self._entries(log), threshold=64)

    def _entries(self, log: HistoryWriter) -> list[NewRecord]:
        entries = []
        for _ in range(log.chance.randrange(1, 4)):
            fields = [b"MESSAGE=" + log.payload(), b"PRIORITY=%d" % log.chance.randrange(3)]
            clock = 1000 * log.made + log.chance.randrange(1000)
            times = {"realtime": str(START + clock), "monotonic": str(clock)}
            fields += [b"UNIT=x"] * log.chance.randrange(2)
            entries.append(NewRecord(entry_body(fields), {"boot_id": BOOT, **times}))
        return entries


def _fields_of(payload: bytes) -> Collection[bytes]:
    return [field for entry in parse_export(io.BytesIO(payload)) for field in entry.payloads]


SWEEP = SystemdSweep()


def _flags(data: bytes) -> int:
    """Return the incompatible flags in a file's header."""
    return int.from_bytes(data[12:16], "little")


def _last(task: AppendTask) -> int:
    if task.records:
        return max(int(record.fields["realtime"]) for record in task.records)
    return START
