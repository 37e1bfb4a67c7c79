"""Offsets and counts as journal files store them, in kernels."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from walproof.scan.compiled import helper, types
from walproof.scan.memory import load64
from walproof.scan.systemd_journal.words import FAR


@helper()
def near(number):
    """An offset or count as int64; :data:`FAR` when it is that or more."""
    return types.int64(number) if number < types.uint64(FAR) else types.int64(FAR)


@helper()
def offset_at(data, at):
    """The offset or count stored at a place."""
    return near(load64(data, at))
