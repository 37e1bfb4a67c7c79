"""Find entries whose boot id contradicts their field ``_BOOT_ID``.

A hash covers the field but not the boot id. A crash may leave the boot id half written
(systemd#29334).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from reference_impl.systemd_journal.export_format import BOOT_ID
from reference_impl.systemd_journal.objects import Fault, View

#: The field whose value is a boot id.
BOOT_FIELD = re.compile(rb"_BOOT_ID=([0-9a-f]{32})")
#: Offset of the boot id in an ENTRY, in bytes.
ID_PLACE = 40


def find_contradictions(
    view: View, entries: Iterable[int], items: Callable[[int], Iterable[int]]
) -> Iterator[Fault]:
    """Yield a fault for each contradictory entry. ``items`` returns the valid DATA of an entry."""
    size = view.header.data_fixed + len(BOOT_ID) + 32
    boots: dict[int, str | None] = {}
    for at in entries:
        stored_boot = view.entry(at).boot_id.hex()
        for item in items(at):
            if item not in boots:
                may_match = view.object_size(item) == size
                match = BOOT_FIELD.fullmatch(bytes(view.payload(item))) if may_match else None
                boots[item] = match[1].decode() if match else None
            hashed = boots[item]
            if hashed is not None and hashed != stored_boot:
                text = f"boot id {stored_boot} in an ENTRY with _BOOT_ID={hashed}"
                start = at + ID_PLACE
                yield Fault(start, start + 16, "bad-entry", "SDJ-015", text)
                break
