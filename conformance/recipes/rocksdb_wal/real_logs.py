"""Logs that RocksDB and Pebble wrote, byte for byte."""

from __future__ import annotations

from conformance.recipes.rocksdb_wal.log import REAL_LOGS, RocksLog

RECYCLED_BY_ROCKSDB = bytes.fromhex(
    "3785042b1300051200000031000000000000000100000001026b300276346fa8c43c130005120000"
    "0032000000000000000100000001026b310276347cf67eb413000512000000330000000000000001"
    "00000001026b320276345190f1ff1300050e0000001c000000000000000100000001026b33027632"
    "e6cfb8571300050e0000001d000000000000000100000001026b340276329ead784a1300050e0000"
    "001e000000000000000100000001026b35027632cd5fcbce1300050e0000001f0000000000000001"
    "00000001026b36027632a18a7a581300050e00000020000000000000000100000001026b37027632"
    "0e1ee43c1300050e00000021000000000000000100000001026b38027632d6ff232b1300050e0000"
    "0022000000000000000100000001026b390276326f4c30dc1400050e000000230000000000000001"
    "00000001036b313002763263bd3e831400050e00000024000000000000000100000001036b313102"
    "7632"
)
"""Log 18 of RocksDB 9.8.4 (rocksdict 0.3.29, recycle_log_file_num = 1) over log 14."""

COMPRESSED_BY_ROCKSDB = bytes.fromhex(
    "e12c08f804000907000000722af30126000128b52ffd2419c9000001000000000000000100000001"
    "046b6579300676616c7565306462af1aef14e80a26000128b52ffd2419c900000200000000000000"
    "0100000001046b6579310676616c756531d2b4d06bd44985be26000128b52ffd2419c90000030000"
    "00000000000100000001046b6579320676616c75653229a5c0c7"
)
"""Log 8 of RocksDB 9.8.4 (rocksdict 0.3.29, wal_compression = kZSTD)."""

SYNCED_BY_PEBBLE = bytes.fromhex(
    "35076bc10500090c0000000000000000000000616c706861"
    "7b7355020000090c0000000000000000000000"
    "d34a653c0500090c0000000000000000000000627261766f"
)
"""Log 12 of Pebble 2.1.7 (record.LogWriter, WriteWALSyncOffsets), up to its third record."""


def put(sequence: int, key: bytes, value: bytes) -> bytes:
    """Return a write batch with one put."""
    head = sequence.to_bytes(8, "little") + (1).to_bytes(4, "little") + b"\x01"
    return head + bytes([len(key)]) + key + bytes([len(value)]) + value


@REAL_LOGS.valid("RDB-005", "RDB-015", "RDB-025", "RDB-014")
def recycled_by_rocksdb(log: RocksLog) -> None:
    """Three puts of log 18, then the remaining nine puts of log 14, as RocksDB wrote them."""
    log.data += RECYCLED_BY_ROCKSDB
    log.is_called("000018.log")
    log.payloads += [put(49 + number, b"k%d" % number, b"v4") for number in range(3)]
    log.expect("intact", survivors=[0, 1, 2], end=90)


@REAL_LOGS.valid("RDB-030", "RDB-036")
def compressed_by_rocksdb(log: RocksLog) -> None:
    """Three compressed puts, as RocksDB wrote them."""
    log.data += COMPRESSED_BY_ROCKSDB
    log.payloads += [put(1 + n, b"key%d" % n, b"value%d" % n) for n in range(3)]
    log.expect("intact", survivors=[0, 1, 2])


@REAL_LOGS.valid("RDB-006", "RDB-010", "RDB-017")
def synced_by_pebble(log: RocksLog) -> None:
    """Three records of a WAL-sync log, as Pebble wrote them."""
    log.data += SYNCED_BY_PEBBLE
    log.payloads += [b"alpha", b"", b"bravo"]
    log.expect("intact", survivors=[0, 1, 2])
