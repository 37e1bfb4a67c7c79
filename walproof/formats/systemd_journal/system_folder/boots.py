"""List the boots in systemd journals like ``journalctl --list-boots``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from walproof.formats.systemd_journal.boot_ids import BOOT_FIELD
from walproof.quantity import counted, moment

#: Maximum number of boots shown. Earlier boots are only counted.
MOST = 10


@dataclass
class Boot:
    """The first and last entry times of a boot, in microseconds since 1970, and its entry count."""

    first: int
    last: int
    entries: int


class Boots:
    """The boots found in the entries of all files."""

    def __init__(self) -> None:
        self.boots: dict[str, Boot] = {}
        self.contradictions = 0

    def take(self, fields: Mapping[str, Any]) -> None:
        """See :class:`~walproof.systems.model.Observer`."""
        boots = fields.get("boot_id")
        if boots is None:
            return
        if isinstance(boots, str):
            value = dict(fields.get("fields", ())).get("_BOOT_ID", boots)
            is_other = value != boots and _is_boot(str(value).encode())
            hashed = {0: value} if is_other else {}
            boots, times = [boots], [int(fields["realtime"])]
        else:
            hashed = _hashed_boots(boots, fields.get("fields"))
            boots, times = boots.to_pylist(), fields["realtime"].to_pylist()
        for row, (boot_id, time) in enumerate(zip(boots, times, strict=True)):
            boot = self.boots.setdefault(hashed.get(row, boot_id), Boot(time, time, 0))
            boot.first, boot.last = min(boot.first, time), max(boot.last, time)
            boot.entries += 1
            self.contradictions += row in hashed

    def lines(self) -> list[str]:
        """See :class:`~walproof.systems.model.Observer`. The latest boot has the number 0."""
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
    """Return, by row, each value of ``_BOOT_ID`` that differs from the boot id in the ENTRY."""
    if entry_fields is None:
        return {}
    import pyarrow.compute as pc

    pairs = entry_fields.flatten()
    is_boot = pc.equal(pairs.field(0), "_BOOT_ID")
    rows = pc.list_parent_indices(entry_fields).filter(is_boot)
    hashed = pairs.field(1).filter(is_boot)
    differ = pc.not_equal(hashed, boot_ids.take(rows).cast(hashed.type))
    result = zip(rows.filter(differ).to_pylist(), hashed.filter(differ).to_pylist(), strict=True)
    return {row: value.decode() for row, value in result if _is_boot(value)}


def _is_boot(value: bytes) -> bool:
    return BOOT_FIELD.fullmatch(b"_BOOT_ID=" + value) is not None
