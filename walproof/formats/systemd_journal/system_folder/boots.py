"""List the boots in systemd journals like ``journalctl --list-boots``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from walproof.formats.systemd_journal.boot_ids import ID
from walproof.quantity import counted, moment

#: Maximum number of boots shown, the latest ones.
MOST = 10


@dataclass
class Boot:
    """The first and last entry times, in microseconds since 1970, and the entry count."""

    first: int
    last: int
    entries: int


class Boots:
    """Collects the boots from the entries of all files."""

    def __init__(self) -> None:
        self.boots: dict[str, Boot] = {}
        self.contradictions = 0

    def take(self, fields: Mapping[str, Any]) -> None:
        """See :class:`~walproof.systems.model.Observer`.

        The boot of an entry is that of its hashed field ``_BOOT_ID``, if it has one.
        """
        boot_id = fields.get("boot_id")
        if isinstance(boot_id, str):
            hashed = dict(fields.get("fields", ())).get("_BOOT_ID", boot_id)
            if hashed != boot_id and isinstance(hashed, str) and ID.fullmatch(hashed.encode()):
                boot_id, self.contradictions = hashed, self.contradictions + 1
            self._add(boot_id, int(fields["realtime"]), int(fields["realtime"]), 1)
        elif boot_id is not None:
            corrected = _hashed_boots(boot_id, fields.get("fields"))
            if corrected:
                self.contradictions += len(corrected)
                boots = boot_id.to_pylist()
                for row, hashed in corrected.items():
                    boots[row] = hashed
                boot_id = boots
            for boot in _grouped(boot_id, fields["realtime"]):
                self._add(*boot)

    def _add(self, boot_id: str, first: int, last: int, entries: int) -> None:
        known = self.boots.setdefault(boot_id, Boot(first, last, 0))
        known.first, known.last = min(known.first, first), max(known.last, last)
        known.entries += entries

    def lines(self) -> list[str]:
        """See :class:`~walproof.systems.model.Observer`. The last boot is number 0."""
        ordered = sorted(self.boots.items(), key=lambda each: (each[1].last, each[0]))
        shown = ordered[-MOST:]
        lines = []
        if len(ordered) > len(shown):
            lines.append(f"        {len(ordered) - len(shown):,} earlier boots, and then")
        for number, (boot_id, boot) in enumerate(shown, 1 - len(shown)):
            label = "boots" if not lines else ""
            times = f"{moment(boot.first)} to {moment(boot.last, ' UTC')}"
            count = counted(boot.entries, "entry")
            lines.append(f"{label:<8}{number:>3}  {boot_id}  {times}  {count}")
        if self.contradictions:
            verb = "contradicts its" if self.contradictions == 1 else "contradict their"
            text = f"the boot id of {counted(self.contradictions, 'entry')} {verb} field _BOOT_ID"
            lines.append(f"        {text}; walproof verify lists them")
        return lines


def _hashed_boots(boot_ids: Any, entry_fields: Any) -> dict[int, str]:
    """Return the boots in fields ``_BOOT_ID`` that differ from those of the entries, by row."""
    if entry_fields is None:
        return {}
    import pyarrow.compute as pc

    pairs = entry_fields.flatten()
    is_boot = pc.equal(pairs.field(0), "_BOOT_ID")
    rows = pc.list_parent_indices(entry_fields).filter(is_boot)
    hashed = pairs.field(1).filter(is_boot)
    differ = pc.not_equal(hashed, boot_ids.take(rows).cast(hashed.type))
    result = zip(rows.filter(differ).to_pylist(), hashed.filter(differ).to_pylist(), strict=True)
    return {row: value.decode() for row, value in result if ID.fullmatch(value)}


def _grouped(boot_ids: Any, times: Any) -> Iterator[tuple[str, int, int, int]]:
    """Group a run of columns by boot: id, first time, last time, number of entries."""
    import pyarrow as pa

    groups = pa.table({"boot": boot_ids, "time": times}).group_by("boot")
    wanted = [("time", "min"), ("time", "max"), ("time", "count")]
    for row in groups.aggregate(wanted).to_pylist():
        yield row["boot"], row["time_min"], row["time_max"], row["time_count"]
