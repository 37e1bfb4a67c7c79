"""The crate sdjournal, Rust, with the fields of each entry joined as a record's payload."""

from __future__ import annotations

from walproof.bench.real import real

CONTENDER = real("sdjournal", repeat=3, peer=False)
