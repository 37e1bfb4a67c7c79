"""Logs to inspect, and a function that prints their maps to a terminal or a pipe."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from reference_impl.leveldb_log.writer import Writer
from walproof.inspection.byte_map import byte_map
from walproof.inspection.terminal import TerminalMap
from walproof.log import Log


@pytest.fixture
def example() -> bytes:
    """Return a log with alpha, bravo, a record of 40,000 bytes in two fragments, and charlie."""
    out = io.BytesIO()
    writer = Writer(out)
    for payload in (b"alpha", b"bravo", b"d" * 40_000, b"charlie"):
        writer.append(payload)
    return out.getvalue()


@pytest.fixture
def damaged(example: bytes) -> bytes:
    """Flip a bit in bravo. The lost ranges are [12, 32768) and the orphan [32768, 40038)."""
    log = bytearray(example)
    log[20] ^= 1
    return bytes(log)


@pytest.fixture
def shown(tmp_path: Path) -> Callable[..., list[str]]:
    """Return a function that prints a map to a pipe, or to a terminal if ``width`` is given."""

    def shown(
        content: bytes,
        start: int = 0,
        end: int | None = None,
        *,
        width: int | None = None,
        limit: int | None = None,
        depth: int | None = None,
    ) -> list[str]:
        path = tmp_path / "000003.log"
        path.write_bytes(content)
        output = io.StringIO()
        console = Console(
            file=output, width=width, force_terminal=width is not None, color_system=None
        )
        end = len(content) if end is None else end
        with path.open("rb") as log:
            view = byte_map(Log("leveldb-log", path, name=path.name), log)
            TerminalMap(view, console).print(start, end, depth, limit)
        return output.getvalue().splitlines()

    return shown
