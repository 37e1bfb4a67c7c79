"""Prometheus logs with one-page segments, so that the writer often starts a new segment."""

from __future__ import annotations

from lab.crash.format_crash import FormatCrash

CRASH = FormatCrash("wal", context={"folder": True, "segment_size": 32768})
