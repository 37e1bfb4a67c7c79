"""The reader of dissect.target, Python; of all entries it would take more than half a minute."""

from __future__ import annotations

from walproof.bench.real import real

CONTENDER = real("dissect-target", repeat=1, peer=False, share=10)
