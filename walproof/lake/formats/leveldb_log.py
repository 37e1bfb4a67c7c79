"""LevelDB logs in a lake: each is a file."""

from __future__ import annotations

from walproof.lake.formats.kind import Kind

KIND = Kind()
