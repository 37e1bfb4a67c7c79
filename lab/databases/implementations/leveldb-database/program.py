"""Open a damaged log with LevelDB, through plyvel; see ``../opener/opener.py``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import plyvel

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "opener"))
from opener import MORE, Told, main

Pairs = Iterator[tuple[bytes, bytes]]


def make(folder: Path) -> Path:
    """Create an empty database, and return the path of its log."""
    plyvel.DB(str(folder), create_if_missing=True).close()
    return max(folder.glob("*.log"))


def open_twice(mode: str, folder: Path, told: Told) -> None:
    """Open or repair the database, put one more key, and open it again."""
    name, paranoid = str(folder), mode == "paranoid"
    if mode == "repair":
        told.trying(lambda: plyvel.repair_db(name))
        told.report_lines(folder / "LOG")
    database = told.trying(lambda: plyvel.DB(name, paranoid_checks=paranoid))
    told.report_lines(folder / "LOG")
    told.items(database.iterator(verify_checksums=True))
    database.put(*MORE, sync=True)
    database.close()
    told.again()
    database = told.trying(lambda: plyvel.DB(name, paranoid_checks=paranoid))
    told.later(database.iterator(verify_checksums=True))
    database.close()


main(make, open_twice)
