"""The peer: the real reader of ``zeebe-journal``, Java, with checksums on."""

from __future__ import annotations

from walproof.bench.real import real

# Many passes: the median is that of a warm virtual machine.
CONTENDER = real("zeebe-journal", repeat=15)
