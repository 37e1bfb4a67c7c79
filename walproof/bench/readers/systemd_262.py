"""journalctl of systemd 262."""

from __future__ import annotations

from walproof.bench.real import real

CONTENDER = real("systemd-262", repeat=3, peer=False)
