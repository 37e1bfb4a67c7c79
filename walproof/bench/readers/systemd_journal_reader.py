"""The crate systemd-journal-reader, Rust: a stream, no link followed but those of entries."""

from __future__ import annotations

from walproof.bench.real import real

CONTENDER = real("systemd-journal-reader", repeat=3, peer=False)
