"""The parts of the format ``rocksdb-wal``; see ``walproof.formats``."""
