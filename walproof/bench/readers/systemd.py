"""The peer: journalctl of systemd 252, C, a process for each pass; its output is kept."""

from __future__ import annotations

from walproof.bench.real import real

CONTENDER = real("systemd", repeat=3)
