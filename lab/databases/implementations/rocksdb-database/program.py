"""Open a damaged log with RocksDB, through its C API; see ``../opener/opener.py``."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Iterator
from ctypes import POINTER, byref, c_char, c_char_p, c_int, c_size_t, c_ubyte, c_void_p
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "opener"))
from opener import MORE, Told, main

#: The library from the Maven artifact rocksdbjni, which also exports the C API.
ROCKSDB = ctypes.CDLL(os.environ["ROCKSDB_LIBRARY"])
#: ``enum class WALRecoveryMode`` (include/rocksdb/options.h).
RECOVERY_MODES = {"tolerate-tail": 0, "absolute": 1, "point-in-time": 2, "skip-any": 3}


class RocksError(Exception):
    """A status that is not OK."""


def declare(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    """Return a function from include/rocksdb/c.h."""
    function = getattr(ROCKSDB, f"rocksdb_{name}")
    function.restype, function.argtypes = result, arguments
    return function  # type: ignore[no-any-return]


ERROR = POINTER(c_void_p)
free = declare("free", None, c_void_p)
new_options = declare("options_create", c_void_p)
set_create = declare("options_set_create_if_missing", None, c_void_p, c_ubyte)
set_recovery = declare("options_set_wal_recovery_mode", None, c_void_p, c_int)
new_read_options = declare("readoptions_create", c_void_p)
new_write_options = declare("writeoptions_create", c_void_p)
set_sync = declare("writeoptions_set_sync", None, c_void_p, c_ubyte)
open_database = declare("open", c_void_p, c_void_p, c_char_p, ERROR)
repair_database = declare("repair_db", None, c_void_p, c_char_p, ERROR)
close_database = declare("close", None, c_void_p)
put = declare("put", None, c_void_p, c_void_p, c_char_p, c_size_t, c_char_p, c_size_t, ERROR)
new_iterator = declare("create_iterator", c_void_p, c_void_p, c_void_p)
destroy_iterator = declare("iter_destroy", None, c_void_p)
seek_to_first = declare("iter_seek_to_first", None, c_void_p)
is_valid = declare("iter_valid", c_ubyte, c_void_p)
get_key = declare("iter_key", POINTER(c_char), c_void_p, POINTER(c_size_t))
get_value = declare("iter_value", POINTER(c_char), c_void_p, POINTER(c_size_t))
go_on = declare("iter_next", None, c_void_p)
get_error = declare("iter_get_error", None, c_void_p, ERROR)


def checked(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function that reports an error in its last argument. Raises :class:`RocksError`."""
    error = c_void_p()
    result = function(*arguments, byref(error))
    if error.value:
        text = ctypes.string_at(error.value).decode(errors="backslashreplace")
        free(error)
        raise RocksError(text)
    return result


def options(mode: str) -> Any:
    """Return the default options, with ``mode`` as the recovery mode if it names one."""
    result = new_options()
    set_create(result, 1)
    if mode in RECOVERY_MODES:
        set_recovery(result, RECOVERY_MODES[mode])
    return result


def pairs(database: Any) -> Iterator[tuple[bytes, bytes]]:
    """Yield all keys and values. Raises :class:`RocksError`."""
    iterator = new_iterator(database, new_read_options())
    size = c_size_t()
    seek_to_first(iterator)
    while is_valid(iterator):
        key = ctypes.string_at(get_key(iterator, byref(size)), size.value)
        yield key, ctypes.string_at(get_value(iterator, byref(size)), size.value)
        go_on(iterator)
    checked(get_error, iterator)
    destroy_iterator(iterator)


def make(folder: Path) -> Path:
    """Create an empty database, and return the path of its log."""
    close_database(checked(open_database, options(""), bytes(folder)))
    return max(folder.glob("*.log"))


def is_for_programs(line: str) -> bool:
    """Return whether a line of the file LOG is a JSON event, or has no date (such as an option)."""
    return "EVENT_LOG_v1" in line or not line[:4].isdigit()


def open_twice(mode: str, folder: Path, told: Told) -> None:
    """Open or repair the database, put one more key, and open it again."""
    name, log = bytes(folder), folder / "LOG"
    if mode == "repair":
        told.trying(lambda: checked(repair_database, options(mode), name))
        told.report_lines(log, is_for_programs)
    database = told.trying(lambda: checked(open_database, options(mode), name))
    told.report_lines(log, is_for_programs)
    told.items(pairs(database))
    synced = new_write_options()
    set_sync(synced, 1)
    checked(put, database, synced, MORE[0], len(MORE[0]), MORE[1], len(MORE[1]))
    close_database(database)
    told.again()
    database = told.trying(lambda: checked(open_database, options(mode), name))
    told.later(pairs(database))
    close_database(database)


main(make, open_twice)
