"""Fixtures: the files of real brokers, where they are there."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

REAL = Path(__file__).resolve().parents[3] / ".." / "shared" / "real" / "zeebe"
PARTITION = "raft-partition/partitions/1"


def unpack(archive: Path, into: Path) -> Path:
    """The journal folder in a broker's data folder; segments stay sparse."""
    version = archive.stem
    folder = into / version
    folder.mkdir()
    with zipfile.ZipFile(archive) as files:
        for info in files.infolist():
            path = Path(info.filename)
            if path.parent.as_posix().endswith(PARTITION) and path.name:
                _copy_sparse(files, info, folder / path.name)
    return folder


def _copy_sparse(files: zipfile.ZipFile, info: zipfile.ZipInfo, to: Path) -> None:
    with files.open(info) as source, to.open("wb") as target:
        while chunk := source.read(1 << 20):
            if chunk.count(0) == len(chunk):
                target.seek(len(chunk), 1)
            else:
                target.write(chunk)
        target.truncate(info.file_size)


@pytest.fixture(scope="session")
def real_journal(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """``real_journal("v8.3")``: the journal folder of that broker; skips where it is not there."""
    known: dict[str, Path] = {}

    def get(version: str) -> Path:
        archive = REAL / f"{version}.zip"
        if not archive.exists():
            pytest.skip(f"no broker files: {archive.name} is not in ../shared/real/zeebe")
        if version not in known:
            known[version] = unpack(archive, tmp_path_factory.mktemp("zeebe"))
        return known[version]

    return get
