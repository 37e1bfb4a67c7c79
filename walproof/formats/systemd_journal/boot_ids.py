"""The two copies of an entry's boot id: the field ``_BOOT_ID``, which has a hash, and the ENTRY."""

from __future__ import annotations

import re

BOOT_FIELD = re.compile(rb"_BOOT_ID=([0-9a-f]{32})")
#: Offset of the boot id in an ENTRY, in bytes.
ID_PLACE = 40
