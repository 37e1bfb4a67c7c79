"""If no format fits, the error names the file's content and the next step for the user."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from reference_impl import formats
from reference_impl.leveldb_log.layout import (
    BLOCK_SIZE,
)
from reference_impl.leveldb_log.reader import (
    looks_like as recognise,
)

Write = Callable[..., bytes]


def test_random_bytes_are_not_recognised() -> None:
    rng = random.Random(7)
    assert not any(recognise(rng.randbytes(4 * BLOCK_SIZE), "data.bin") for _ in range(500))


def test_an_empty_file_is_reported_as_empty(tmp_path: Path) -> None:
    (tmp_path / "nothing").touch()
    with pytest.raises(formats.UnknownFormat, match="an empty file"):
        formats.detect(tmp_path / "nothing")


def test_the_first_bytes_are_shown(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"hello, world")
    with pytest.raises(formats.UnknownFormat, match=r"at offset 0.*68 65 6c 6c 6f 2c 20 77"):
        formats.detect(tmp_path / "x")


def test_a_missing_file_is_an_error_of_the_file_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        formats.detect(tmp_path / "000001.log")


def test_an_unknown_format_lists_the_known_ones() -> None:
    with pytest.raises(formats.UnknownFormat, match=r"'leveldb'.*leveldb-log"):
        formats.named("leveldb")
    assert formats.named("leveldb-log").title.startswith("LevelDB")


def test_a_log_that_fits_two_formats_must_be_named(
    tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "000001.log"
    path.write_bytes(write(b"alpha"))
    second_format = formats.Format("twin", "", lambda _: True, *[lambda *_: iter(())] * 3)  # type: ignore[arg-type]
    monkeypatch.setitem(formats.FORMATS, "twin", second_format)
    with pytest.raises(formats.UnknownFormat, match="leveldb-log and twin"):
        formats.detect(path)
