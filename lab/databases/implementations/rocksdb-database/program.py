"""RocksDB, through rocksdict, on a damaged log: see ``../opener/opener.py``."""

from __future__ import annotations

import sys
from pathlib import Path

from rocksdict import DBRecoveryMode, Options, Rdict, WriteOptions

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "opener"))
from opener import MORE, Told, main

RECOVERY = {
    "point-in-time": DBRecoveryMode.point_in_time,
    "tolerate-tail": DBRecoveryMode.tolerate_corrupted_tail_records,
    "absolute": DBRecoveryMode.absolute_consistency,
    "skip-any": DBRecoveryMode.skip_any_corrupted_record,
}


def options(mode: str) -> Options:
    """Options of a database of bytes, with a mode of recovery unless it is repaired."""
    result = Options(raw_mode=True)
    if mode in RECOVERY:
        result.set_wal_recovery_mode(RECOVERY[mode]())
    return result


def make(folder: Path) -> Path:
    """An empty database; where its log is."""
    Rdict(str(folder), options("")).close()
    return max(folder.glob("*.log"))


def no_word(line: str) -> bool:
    """Return whether a line of LOG is meant for programs, or about options."""
    return "EVENT_LOG_v1" in line or not line[:4].isdigit()


def open_twice(mode: str, folder: Path, told: Told) -> None:
    """Open or repair the database, put one more key, open it again."""
    name = str(folder)
    if mode == "repair":
        told.trying(lambda: Rdict.repair(name, options(mode)))
        told.report_lines(folder / "LOG", no_word)
    database = told.trying(lambda: Rdict(name, options(mode)))
    told.report_lines(folder / "LOG", no_word)
    told.items(database.items())
    synced = WriteOptions()
    synced.sync = True
    database.set_write_options(synced)
    database[MORE[0]] = MORE[1]
    database.close()
    told.again()
    database = told.trying(lambda: Rdict(name, options(mode)))
    told.later(database.items())
    database.close()


main(make, open_twice)
