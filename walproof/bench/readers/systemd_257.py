"""journalctl of systemd 257."""

from __future__ import annotations

from walproof.bench.real import real

CONTENDER = real("systemd-257", repeat=3, peer=False)
