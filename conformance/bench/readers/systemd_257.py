"""journalctl of systemd 257."""

from __future__ import annotations

from conformance.bench.real import real

CONTENDER = real("systemd-257", repeat=3, peer=False)
