"""Adapter for RocksDB's log reader, in one of its four recovery modes, and its log writer."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from conformance.adapterkit import Refused, Skipped, measure, record, serve

#: ``enum class WALRecoveryMode`` (include/rocksdb/options.h).
RECOVERY_MODES = {
    "kTolerateCorruptedTailRecords": 0,
    "kAbsoluteConsistency": 1,
    "kPointInTimeRecovery": 2,
    "kSkipAnyCorruptedRecords": 3,
}
MODE = os.environ["WAL_RECOVERY_MODE"]
#: Profiles by recovery mode. kAbsoluteConsistency has only ``strict``, because it stops at the
#: first damage by design.
PROFILES = {"kAbsoluteConsistency": ["strict"], "kPointInTimeRecovery": ["recover", "write"]}
LIBRARY = ctypes.CDLL(os.environ["ROCKSDB_LIBRARY"])

OnRecord = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_char), ctypes.c_size_t)
OnReport = ctypes.CFUNCTYPE(None, ctypes.c_char_p)
LIBRARY.read_log.argtypes = [ctypes.c_char_p, ctypes.c_uint64, ctypes.c_int, OnRecord, OnReport]
Count = ctypes.POINTER(ctypes.c_uint64)
LIBRARY.count_records.argtypes = [ctypes.c_char_p, ctypes.c_uint64, ctypes.c_int, Count, Count]
LIBRARY.create_log.argtypes = [ctypes.c_char_p, ctypes.c_uint64, ctypes.c_bool, ctypes.c_bool]
LIBRARY.create_log.restype = ctypes.c_void_p
LIBRARY.add_timestamp_sizes.argtypes = [
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.POINTER(ctypes.c_uint32),
    ctypes.POINTER(ctypes.c_size_t),
]
LIBRARY.add_predecessor.argtypes = [ctypes.c_void_p, *[ctypes.c_uint64] * 3]
LIBRARY.add_record.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_bool]
LIBRARY.close_log.argtypes = [ctypes.c_void_p]
for function in (
    LIBRARY.read_log,
    LIBRARY.count_records,
    LIBRARY.add_timestamp_sizes,
    LIBRARY.add_predecessor,
    LIBRARY.add_record,
    LIBRARY.close_log,
):
    function.restype = ctypes.c_bool


def version() -> str:
    """Return the version that the library itself states."""
    text = ctypes.create_string_buffer(100)
    LIBRARY.library_version(text, len(text))
    return text.value.decode()


def log_number(path: Path, request: dict[str, Any]) -> int | None:
    """Return the log number from the context or, as ``DB::Open`` does, from the file name."""
    if "log_number" in request["context"]:
        return int(request["context"]["log_number"])
    # RocksDB pads short numbers to six digits, so a longer number does not begin with 0. Numbers of
    # more than 20 digits do not fit into 64 bits.
    if not re.fullmatch(r"([0-9]{6}|[1-9][0-9]{6,19})\.log", path.name):
        return None
    number = int(path.stem)
    return number if number < 1 << 64 else None


def read(path: Path, request: dict[str, Any]) -> dict[str, Any]:
    """Return the records that this mode returns, and the reports of the reader."""
    if "max_record_size" in request["context"]:
        raise Skipped("the reader has no limit for the size of a record")
    answer: dict[str, Any] = {"records": [], "signals": []}

    @OnRecord
    def on_record(payload: Any, size: int) -> None:
        answer["records"].append(record(ctypes.string_at(payload, size)))

    @OnReport
    def on_report(text: bytes) -> None:
        answer["signals"].append(text.decode(errors="backslashreplace"))

    number = log_number(path, request)
    if number is None:
        raise Skipped("DB::Open takes the number from the file name, and this log has none")
    if not LIBRARY.read_log(bytes(path), number, RECOVERY_MODES[MODE], on_record, on_report):
        raise Skipped(f"cannot open {path}")
    return answer


def bench(path: Path, repeat: int) -> None:
    """Time ``repeat`` passes over log number 1 without leaving the library."""
    records, payload_bytes = ctypes.c_uint64(), ctypes.c_uint64()

    def once() -> tuple[int, int]:
        mode = RECOVERY_MODES[MODE]
        done(LIBRARY.count_records(bytes(path), 1, mode, records, payload_bytes))
        return records.value, payload_bytes.value

    measure(repeat, once)


def write(path: Path, request: dict[str, Any]) -> None:
    """Write a log as the database does with the options for the requested headers."""
    context = request["context"]
    headers = context.get("headers", "recyclable")
    if headers == "wal-sync" or context.get("closed"):
        raise Skipped("these are Pebble's")
    if any("sync_offset" in each for each in request["records"]):
        raise Skipped("the writer cannot be given sync_offset")
    for each in request["records"]:
        if any(int(number) >= 1 << 64 for number in each.get("predecessor", {}).values()):
            raise Skipped("the writer takes numbers of 64 bits")
        if any(int(family) >= 1 << 32 for family in each.get("timestamp_sizes", ())):
            raise Skipped("the writer takes column families of 32 bits")
    number = log_number(path, request)
    log = LIBRARY.create_log(
        bytes(path),
        1 if number is None else number,
        headers == "recyclable",
        context.get("compression") == "zstd",
    )
    if not log:
        raise Refused("the log cannot be created")
    acknowledge = request.get("acknowledged")
    for count, each in enumerate(request["records"], 1):
        if info := each.get("predecessor"):
            numbers = (info["log_number"], info["size"], info["last_sequence"])
            done(LIBRARY.add_predecessor(log, *map(int, numbers)))
        if sizes := each.get("timestamp_sizes"):
            families = (ctypes.c_uint32 * len(sizes))(*map(int, sizes))
            values = (ctypes.c_size_t * len(sizes))(*sizes.values())
            done(LIBRARY.add_timestamp_sizes(log, len(sizes), families, values))
        payload = bytes.fromhex(each["payload"])
        done(LIBRARY.add_record(log, payload, len(payload), acknowledge is not None))
        if acknowledge:
            acknowledge(count)
    done(LIBRARY.close_log(log))


def done(is_done: bool) -> None:
    """Raise :class:`Refused` if the library reported an error."""
    if not is_done:
        raise Refused("the writer returned an error")


if __name__ == "__main__":
    if sys.argv[1:2] == ["bench"]:
        bench(Path(sys.argv[2]), int(sys.argv[3]))
        sys.exit()
    serve(
        {
            "name": os.environ["WALPROOF_NAME"],
            "version": f"{version()}, {MODE}",
            "formats": ["rocksdb-wal"],
            "profiles": PROFILES.get(MODE, ["recover"]),
            "reports": ["records", "signals"],
            "homepage": "https://github.com/facebook/rocksdb",
            "issues": "https://github.com/facebook/rocksdb/issues",
            "acknowledges": True,
        },
        read,
        write,
    )
