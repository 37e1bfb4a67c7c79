"""The boots in systemd journals, as ``journalctl --list-boots`` shows them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from walproof.quantity import counted, moment

MOST = 10
"""Boots that are shown, the latest ones."""


@dataclass
class Boot:
    """The times of its first and its last entry, in microseconds since 1970, and their number."""

    first: int
    last: int
    entries: int


class Boots:
    """Learns the boots from the entries of all files."""

    def __init__(self) -> None:
        self.boots: dict[str, Boot] = {}

    def take(self, fields: Mapping[str, Any]) -> None:
        """See :class:`~walproof.systems.model.Observer`."""
        boot_id = fields.get("boot_id")
        if isinstance(boot_id, str):
            self._add(boot_id, int(fields["realtime"]), int(fields["realtime"]), 1)
        elif boot_id is not None:
            for found in _grouped(boot_id, fields["realtime"]):
                self._add(*found)

    def _add(self, boot_id: str, first: int, last: int, entries: int) -> None:
        known = self.boots.setdefault(boot_id, Boot(first, last, 0))
        known.first, known.last = min(known.first, first), max(known.last, last)
        known.entries += entries

    def lines(self) -> list[str]:
        """See :class:`~walproof.systems.model.Observer`: numbered from 0, the last, backwards."""
        ordered = sorted(self.boots.items(), key=lambda one: (one[1].last, one[0]))
        shown = ordered[-MOST:]
        lines = []
        if len(ordered) > len(shown):
            lines.append(f"        {len(ordered) - len(shown):,} earlier boots, and then")
        for number, (boot_id, boot) in enumerate(shown, 1 - len(shown)):
            label = "boots" if not lines else ""
            times = f"{moment(boot.first)} to {moment(boot.last, ' UTC')}"
            count = counted(boot.entries, "entry")
            lines.append(f"{label:<8}{number:>3}  {boot_id}  {times}  {count}")
        return lines


def _grouped(boot_ids: Any, times: Any) -> Iterator[tuple[str, int, int, int]]:
    """The boots of a run of columns: id, first time, last time, number of entries."""
    with contextlib.suppress(ModuleNotFoundError):  # without it there are no columns either
        import pyarrow as pa

        found = pa.table({"boot": boot_ids, "time": times}).group_by("boot")
        wanted = [("time", "min"), ("time", "max"), ("time", "count")]
        for row in found.aggregate(wanted).to_pylist():
            yield row["boot"], row["time_min"], row["time_max"], row["time_count"]
