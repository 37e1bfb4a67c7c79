"""Windows hold the bytes of their file."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from walproof.scan.log import LocalSource
from walproof.scan.window import Window

CONTENT = random.Random(3).randbytes(19_207)


class Elsewhere:
    """A source that is not a local file."""

    size = len(CONTENT)

    def __init__(self) -> None:
        self.offsets: list[int] = []

    def read(self, offset: int, length: int) -> bytes:
        self.offsets.append(offset)
        return CONTENT[offset : offset + length]

    def close(self) -> None:
        pass


@pytest.fixture
def local(tmp_path: Path) -> LocalSource:
    path = tmp_path / "log"
    path.write_bytes(CONTENT)
    return LocalSource(path)


@pytest.mark.parametrize("stretch", [0, 100, 5760])
def test_hold_loads_the_range(local: LocalSource, stretch: int) -> None:
    rng = random.Random(stretch)
    for source in (local, Elsewhere()):
        window = Window(source, stretch)
        for _ in range(200):
            at = rng.randrange(len(CONTENT))
            length = rng.randrange(9600)
            window.hold(at, length)
            assert window.base <= at
            assert window.end >= min(at + length, len(CONTENT))
            assert window.array.tobytes() == CONTENT[window.base : window.end]


def test_window_begins_at_the_offset() -> None:
    source = Elsewhere()
    Window(source, 100).hold(133, 10)
    assert source.offsets == [133]


def test_truncated_file_is_an_error(local: LocalSource, tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(CONTENT[:100])
    with pytest.raises(OSError, match="offset 65"):
        Window(local, 100).hold(65, 10)
