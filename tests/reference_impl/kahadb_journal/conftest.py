"""Helpers shared by the tests of the KahaDB journal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from reference_impl.answer import Answer, collect
from reference_impl.kahadb_journal import read

Reader = Callable[..., Answer]


@pytest.fixture
def answer(tmp_path: Path) -> Reader:
    """Read bytes as one data file, or a dictionary of bytes as a directory of them."""

    def read_it(log: bytes | dict[str, bytes], profile: str = "recover") -> Answer:
        path = tmp_path / "log"
        if isinstance(log, bytes):
            path.write_bytes(log)
        else:
            path.mkdir(exist_ok=True)
            for name, data in log.items():
                (path / name).write_bytes(data)
        return collect(read(path, profile, {}))

    return read_it
