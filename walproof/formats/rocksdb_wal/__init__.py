"""RocksDB's write-ahead log: the parts that ``walproof.formats`` describes."""
